"""A regression line between two quantities that are both known with an error; exact, on a grid.

Of class k the estimates x_k and y_k are known, with standard errors s_k and t_k. The true values
ξ_k and η_k are unknown:

    x_k ~ Normal(ξ_k, s_k)      ξ_k ~ Normal(μ, τ)
    y_k ~ Normal(η_k, t_k)      η_k ~ Normal(κ + β (ξ_k − μ), σ)

Given slope β, spread τ and residual σ, the true values integrate out, and (x_k, y_k) is normal with
mean (μ, κ) and covariance

    V_k = [[τ² + s_k², β τ²], [β τ², β² τ² + σ² + t_k²]].

μ and κ have flat priors and integrate out too. What is left, β ~ Normal(0, 1), τ and σ ~
HalfNormal(1) for standardised data, goes on a grid, coarse first and then fine where the posterior
is; draws are grid cells, points within them, and μ and κ from their normal conditional. Ordinary
least squares, which takes x_k as exact, finds slopes that are too small (Fuller 1987, "Measurement
error models").
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_COARSE: Final = (32, 16, 16)
_FINE: Final = (48, 24, 24)
_WIDEST: Final = ((-4.0, 4.0), (0.0, 4.0), (0.0, 4.0))
# Cells with less than e^-12 of the highest density are left out of the fine grid.
_NEGLIGIBLE: Final = 12.0


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
    x: Array, x_sd: Array, y: Array, y_sd: Array, *, draws: int, rng: np.random.Generator
) -> LineDraws:
    """Draw lines from their posterior, given n estimates of the order of 1 and their errors."""
    data = np.stack([x, y], axis=-1)
    errors = np.stack([x_sd, y_sd], axis=-1) ** 2
    edges = [np.linspace(*ends, n + 1) for ends, n in zip(_WIDEST, _COARSE, strict=True)]
    density = _on_grid(edges, data, errors)
    likely = density > density.max() - _NEGLIGIBLE
    for axis, (n, edge) in enumerate(zip(_FINE, edges, strict=True)):
        rest = tuple(i for i in range(3) if i != axis)
        inside = np.flatnonzero(likely.any(axis=rest))
        first, last = max(inside[0] - 1, 0), min(inside[-1] + 2, len(edge) - 1)
        edges[axis] = np.linspace(edge[first], edge[last], n + 1)
    weight = np.exp((density := _on_grid(edges, data, errors)) - density.max()).ravel()
    cells = np.unravel_index(rng.choice(weight.size, size=draws, p=weight / weight.sum()), _FINE)
    slope, spread, residual = (
        edge[cell] + np.diff(edge)[0] * rng.random(draws)
        for edge, cell in zip(edges, cells, strict=True)
    )
    precision, along, _ = _normal_parts(slope, spread, residual, data, errors)
    mean = np.linalg.solve(precision, along[..., None])[..., 0]
    factor = np.linalg.cholesky(np.linalg.inv(precision))
    means = mean + np.einsum("dij,dj->di", factor, rng.standard_normal((draws, 2)))
    return LineDraws(slope, spread, residual, means[:, 0], means[:, 1])


def _on_grid(edges: list[Array], data: Array, errors: Array) -> Array:
    """Return the log posterior density at the centres of the cells, up to a constant."""
    centres = [(edge[1:] + edge[:-1]) / 2 for edge in edges]
    slope, spread, residual = np.meshgrid(*centres, indexing="ij")
    return log_density(slope.ravel(), spread.ravel(), residual.ravel(), data, errors).reshape(
        slope.shape
    )


def log_density(slope: Array, spread: Array, residual: Array, data: Array, errors: Array) -> Array:
    """Return the log posterior of slope, spread and residual, up to a constant; shape (m,).

    Data and errors, estimates and their variances, have the shape (n, 2).
    """
    precision, along, rest = _normal_parts(slope, spread, residual, data, errors)
    (a, b), d = precision[:, 0].T, precision[:, 1, 1]
    determinant = a * d - b**2
    u, v = along.T
    fitted = (d * u**2 - 2 * b * u * v + a * v**2) / determinant
    prior = slope**2 + spread**2 + residual**2
    return -0.5 * (rest - fitted + np.log(determinant) + prior)


def _normal_parts(
    slope: Array, spread: Array, residual: Array, data: Array, errors: Array
) -> tuple[Array, Array, Array]:
    """Return Σ V⁻¹, Σ V⁻¹ z and Σ (log |V| + z' V⁻¹ z) at every point; z are the data.

    Shapes (m, 2, 2), (m, 2) and (m,).
    """
    m = len(slope)
    precision, along, rest = np.zeros((m, 2, 2)), np.zeros((m, 2)), np.zeros(m)
    shared = slope * spread**2
    for (x, y), (x_error, y_error) in zip(data, errors, strict=True):
        first, second = spread**2 + x_error, slope * shared + residual**2 + y_error
        determinant = first * second - shared**2
        a, b, d = second / determinant, -shared / determinant, first / determinant
        precision[:, 0, 0] += a
        precision[:, 0, 1] += b
        precision[:, 1, 1] += d
        along[:, 0] += a * x + b * y
        along[:, 1] += b * x + d * y
        rest += np.log(determinant) + a * x**2 + 2 * b * x * y + d * y**2
    precision[:, 1, 0] = precision[:, 0, 1]
    return precision, along, rest
