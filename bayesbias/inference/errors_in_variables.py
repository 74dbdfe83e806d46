"""A regression line between two quantities that are both known with an error; exact, on a grid.

Of n words the estimates x and y are known, with covariances S and T of their errors. The true
values ξ and η are unknown:

    x ~ Normal(ξ, S)      ξ_k ~ Normal(μ, τ)
    y ~ Normal(η, T)      η   ~ Normal(κ + β (ξ − μ), σ² K)

K says which words are alike, so that they lie on the same side of the line; it is I where they are
independent. Given slope β, spread τ and residual σ, the true values integrate out, and (x, y) is
normal with the covariance

    V = [[τ² I + S, β τ² I], [β τ² I, β² τ² I + σ² K + T]].

μ and κ have flat priors and integrate out too. What is left, β ~ Normal(0, 1), τ and σ ~
HalfNormal(1) for standardised data, goes on a grid, coarse first and then fine where the posterior
is; draws are grid cells, points within them, and μ and κ from their normal conditional. Least
squares, which takes x as exact, finds slopes that are too small (Fuller 1987, "Measurement error
models").

S, T and K that are no diagonals are seen from the line (`compound_symmetric`): the line is that of
least squares, with the error that it has under them. Generalised least squares would go by the
differences between words that are alike, and leave out what families of words have in common, which
is much of what a line over all words is about (Hodges and Reich 2010, "Adding spatially correlated
errors can mess up the fixed effect you love"). And so V needs no factorising: all that is not
diagonal are two directions, the mean and the line.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.ndimage import binary_dilation

from bayesbias.errors import ArgumentError
from bayesbias.support.arrays import Array, Mask
from bayesbias.support.types import Generator

_COARSE: Final = (24, 12, 12)
_FINE: Final = (36, 18, 18)
_WIDEST: Final = ((-4.0, 4.0), (0.0, 4.0), (0.0, 4.0))  # four sds of the priors
# Cells with less than e^-12 of the highest density are left out.
_NEGLIGIBLE: Final = 12.0
_NUMBERS_AT_ONCE: Final = 200_000


@dataclass(frozen=True, eq=False)
class LineDraws:
    """Posterior draws of β, τ, σ, and of μ and κ, a point on the line; each of shape (D,)."""

    slope: Array
    spread: Array
    residual: Array
    x_mean: Array
    y_mean: Array

    @property
    def correlation(self) -> Array:
        """Correlation of the true values, free of the errors of measurement."""
        explained = self.slope * self.spread
        return explained / np.sqrt(explained**2 + self.residual**2)

    def at(self, x: Array) -> Array:
        """Return the line's height at points, shape (D, n_points)."""
        return self.y_mean[:, None] + self.slope[:, None] * (x - self.x_mean[:, None])


def draw_lines(
    x: Array,
    x_error: Array,
    y: Array,
    y_error: Array,
    *,
    draws: int,
    rng: Generator,
    alike: Array | None = None,
) -> LineDraws:
    """Draw lines from their posterior.

    `x`, `y` (n,): estimates, in any unit. `x_error`, `y_error`: the standard deviations of their
    errors, (n,), or the covariance, (n, n), of one side at most. `alike` (n, n): K, with a diagonal
    of 1 on average. An `ArgumentError` where all of x, or all of y, are equal.
    """
    units = x.std(ddof=1), y.std(ddof=1)
    if not (units[0] > 1e-12 * np.abs(x).max() and units[1] > 1e-12 * np.abs(y).max()):
        raise ArgumentError("all numbers of one side are equal: no line can be drawn")
    origin = x.mean(), y.mean()
    data = np.stack([(v - o) / u for v, o, u in zip((x, y), origin, units, strict=True)], axis=-1)
    variances = [
        (e / u) ** 2 if e.ndim == 1 else e / u**2
        for e, u in zip((x_error, y_error), units, strict=True)
    ]
    errors = compound_symmetric(variances[0], y), compound_symmetric(variances[1], x)
    scatter = compound_symmetric(np.ones(len(x)) if alike is None else alike, x)
    slope, spread, residual, means = _points(Estimates(data, errors, scatter), draws, rng)
    return LineDraws(
        slope * units[1] / units[0],
        spread * units[0],
        residual * units[1],
        origin[0] + units[0] * means[:, 0],
        origin[1] + units[1] * means[:, 1],
    )


@dataclass(frozen=True, eq=False)
class CompoundSymmetric:
    """A covariance as variances (n,), and what two directions, the mean and a line, have more.

    `line` (n,): numbers less their mean, of length 1.
    """

    variance: Array
    more: Array
    line: Array

    @property
    def matrix(self) -> Array:
        """The covariance, (n, n)."""
        mean = np.full_like(self.line, len(self.line) ** -0.5)
        directions = np.stack([mean, self.line])
        return np.asarray(np.diag(self.variance) + directions.T * self.more @ directions)


def compound_symmetric(matrix: Array, x: Array) -> CompoundSymmetric:
    """Return a covariance (n, n) with the same variance along a line through x, and the same trace.

    Its directions are the mean, x less its mean, and all others, which have one variance. So least
    squares on x is efficient, and has the error that it has with the given covariance. Variances
    (n,) are what they are.
    """
    n = len(x)
    mean, line = np.full(n, n**-0.5), x - x.mean()
    line = line / np.linalg.norm(line)
    if matrix.ndim == 1:
        return CompoundSymmetric(matrix, np.zeros(2), line)
    of_mean, of_line = (float(v @ matrix @ v) for v in (mean, line))
    # What the trace leaves is divided evenly over the n − 2 other directions.
    rest = max(float(matrix.trace()) - of_mean - of_line, 0.0) / (n - 2)
    return CompoundSymmetric(np.full(n, rest), np.array([of_mean, of_line]) - rest, line)


@dataclass(frozen=True, eq=False)
class Estimates:
    """Standardised data (n, 2), of x and y, their errors, and the scatter around the line.

    Of one side at most errors, or the scatter, are more than variances.
    """

    data: Array
    errors: tuple[CompoundSymmetric, CompoundSymmetric]
    scatter: CompoundSymmetric

    def log_density(self, slope: Array, spread: Array, residual: Array) -> Array:
        """Return the log posterior of slope, spread and residual, up to a constant; (m,)."""
        precision, total, rest = self.normal_parts(slope, spread, residual)
        (a, b), d = precision[:, 0].T, precision[:, 1, 1]
        # The two means have flat priors: integrated out, they leave −½ log |A'V⁻¹A| and the
        # quadratic form of generalised least squares, with the 2 × 2 inverse written out.
        determinant = a * d - b**2
        u, v = total.T
        fitted = (d * u**2 - 2 * b * u * v + a * v**2) / determinant
        prior = slope**2 + spread**2 + residual**2
        return np.asarray(-0.5 * (rest - fitted + np.log(determinant) + prior))

    def normal_parts(
        self, slope: Array, spread: Array, residual: Array
    ) -> tuple[Array, Array, Array]:
        """Return A'V⁻¹A, A'V⁻¹z and log |V| + z'V⁻¹z at every point; z are the data, A their means.

        Shapes (m, 2, 2), (m, 2) and (m,). The side whose errors are independent goes first; what it
        leaves of the other is the Schur complement of its part of V.
        """
        between = (slope * spread**2)[:, None]
        own = (spread**2)[:, None], ((slope * spread) ** 2)[:, None]
        square = residual[:, None] ** 2
        first = int(self.errors[0].more.any())
        if first and self.scatter.more.any():
            raise ValueError("errors of x that covary go with independent residuals")
        v = own[first] + self.errors[first].variance + first * square * self.scatter.variance
        # Block elimination: from the other side goes `ratio` times the first, from its data z and
        # from the means' design a column of −ratio; `left` is the Schur complement.
        z, other = self.data[:, first], self.data[:, 1 - first]
        ratio = between / v
        its = self.errors[1 - first]
        left = own[1 - first] - between * ratio + its.variance
        more = its.more + np.zeros((len(slope), 2))
        if not first:
            left = left + square * self.scatter.variance
            more = more + square * self.scatter.more
        logarithm, gram = _gram(left, more, its.line, other - ratio * z, ratio)
        precision, total = np.empty((len(slope), 2, 2)), np.empty((len(slope), 2))
        a, b = first, 1 - first
        precision[:, a, a] = (1 / v).sum(axis=1) + gram[:, 1, 1]
        precision[:, b, b] = gram[:, 2, 2]
        precision[:, 0, 1] = precision[:, 1, 0] = -gram[:, 1, 2]
        total[:, a] = (z / v).sum(axis=1) - gram[:, 0, 1]
        total[:, b] = gram[:, 0, 2]
        rest = (np.log(v) + z**2 / v).sum(axis=1) + logarithm + gram[:, 0, 0]
        return precision, total, rest


def _points(estimates: Estimates, draws: int, rng: Generator) -> tuple[Array, Array, Array, Array]:
    """Draw slope, spread, residual, and the two means, (draws, 2), of standardised data."""
    edges = [np.linspace(*ends, n + 1) for ends, n in zip(_WIDEST, _COARSE, strict=True)]
    coarse = _on_grid(edges, np.ones(_COARSE, dtype=bool), estimates)
    near = binary_dilation(coarse > coarse.max() - _NEGLIGIBLE)
    finer, at = [], []
    for axis, (n, edge) in enumerate(zip(_FINE, edges, strict=True)):
        inside = np.flatnonzero(near.any(axis=tuple(i for i in range(3) if i != axis)))
        finer.append(np.linspace(edge[inside[0]], edge[inside[-1] + 1], n + 1))
        centres = (finer[-1][1:] + finer[-1][:-1]) / 2
        at.append(np.clip(np.searchsorted(edge, centres) - 1, 0, len(edge) - 2))
    density = _on_grid(finer, near[np.ix_(*at)], estimates)
    weight = np.exp(density - density.max()).ravel()
    cells = np.unravel_index(rng.choice(weight.size, size=draws, p=weight / weight.sum()), _FINE)
    slope, spread, residual = (
        edge[cell] + np.diff(edge)[0] * rng.random(draws)
        for edge, cell in zip(finer, cells, strict=True)
    )
    means = np.empty((draws, 2))
    for rows in _slices(draws, len(estimates.data)):
        precision, total, _ = estimates.normal_parts(slope[rows], spread[rows], residual[rows])
        mean = np.linalg.solve(precision, total[..., None])[..., 0]
        # With L Lᵀ the covariance (Cholesky), mean + L z has it for independent z.
        factor = np.linalg.cholesky(np.linalg.inv(precision))
        noise = rng.standard_normal((len(mean), 2))
        means[rows] = mean + np.einsum("dij,dj->di", factor, noise)
    return slope, spread, residual, means


def _on_grid(edges: list[Array], wanted: Mask, estimates: Estimates) -> Array:
    """Return the log density at the centres of the wanted cells, −∞ elsewhere."""
    centres = [(edge[1:] + edge[:-1]) / 2 for edge in edges]
    grid = [one[wanted] for one in np.meshgrid(*centres, indexing="ij")]
    found = np.empty(len(grid[0]))
    for rows in _slices(len(found), len(estimates.data)):
        found[rows] = estimates.log_density(*(one[rows] for one in grid))
    density = np.full(wanted.shape, -np.inf)
    density[wanted] = found
    return density


def _slices(m: int, n: int) -> Iterator[slice]:
    """Cut m points into parts whose arrays of n words fit into memory."""
    step = max(1, _NUMBERS_AT_ONCE // n)
    return (slice(i, i + step) for i in range(0, m, step))


def _gram(variance: Array, more: Array, line: Array, *columns: Array) -> tuple[Array, Array]:
    """Return log |S| and X'S⁻¹X with X the columns and ones, (m, F, F).

    S is as in `CompoundSymmetric`. By Woodbury's formula with D the variances, U the two directions
    and G what these have more:
    S⁻¹ = D⁻¹ − D⁻¹U (I + G U'D⁻¹U)⁻¹ G U'D⁻¹.
    """
    n = len(line)
    every = np.stack(np.broadcast_arrays(*columns, np.ones(n), line, np.full(n, n**-0.5)))
    products = np.einsum("imn,jmn->mij", every / variance, every, optimize=True)
    of_x, to_u = products[:, :-2, :-2], products[:, :-2, [-1, -2]]
    # |D + U G U'| = |D| |I + G U'D⁻¹U|, the matrix determinant lemma.
    inner = more[:, :, None] * products[:, [-1, -2]][:, :, [-1, -2]] + np.eye(2)
    taken = np.linalg.solve(inner, more[:, :, None] * to_u.transpose(0, 2, 1))
    sign, logarithm = np.linalg.slogdet(inner)
    logarithm = np.where(sign > 0, logarithm, np.inf)
    return np.log(variance).sum(axis=1) + logarithm, of_x - to_u @ taken
