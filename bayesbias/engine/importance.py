"""Adaptive importance sampling of the standard deviations of a `block.Block`.

A mixture of t distributions, first at the mode, is fitted to its own weighted points (population
Monte Carlo: Cappé, Douc, Guillin, Marin and Robert 2008), which finds the ridges and the slow tails
towards 0 that the curvature at the mode does not show. Points are those of a lattice instead of
independent ones, which leaves sums over them a fraction of the Monte Carlo error. The mean of the
last round's weights is the marginal likelihood; for answers they are Pareto-smoothed
(`diagnostics`).

A standard deviation near 0 has a density that is even in its coordinate; a t distribution that is
folded there, x → |x|, meets it without a gap. Every combination of signs folds onto the same point,
so that the density is a sum over 2^k mirrored t for k folded coordinates. Of more than five the
farthest from 0 are not folded: their few points below 0 have no weight.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from scipy.special import gammaincinv, gammaln, logsumexp, ndtri, softmax

from bayesbias.engine.block import Block
from bayesbias.engine.diagnostics import ESS_LIMIT, smoothed_weights
from bayesbias.support.arguments import Array, Generator, Index

_STAGES: Final = ((1000, 2), (2000, 3)), ((4000, 3), (4000, 4)), *(((8000, 4), (8000, 5)),) * 2
"""Points of a round, and components fitted to them; a further stage where the last was bad."""

_LARGE_SYSTEM: Final = 150  # rows from which a point is expensive: many words, and pairs missing
_EXPENSIVE_POINTS: Final = 1000
_GOOD_TAIL: Final = 0.5
_BAD_TAIL: Final = 0.7
_GOOD_SHARE: Final = 0.5  # of effective points: one fit to them is enough
_FEW_SHARE: Final = 0.2
_SAME_MODE: Final = 0.5  # climbs end farther apart than this only at different ones
_NUDGE: Final = 1e-9
_MOST_ROUNDING: Final = 0.1  # log units
_HEAVIEST: Final = 16
# Cools and Nuyens' embedded lattice for up to 2^20 points (exod2, base 2): Cools, Kuo and Nuyens
# (2006), Constructing embedded lattice rules for multivariate integration.
_LATTICE: Final = np.array([
    1, 182667, 469891, 498753, 110745, 446247, 250185, 118627, 245333, 283199, 408519, 391023,
    246327, 126539, 399185, 461527, 300343, 69681, 516695, 436179,
])  # fmt: skip
_BITS: Final = 20

DEGREES: Final = 5.0  # of freedom: tails that are heavier than a posterior's
_MOST_FOLDED: Final = 5
_FAR: Final = 2.5  # in standard deviations from 0: farther, proposals below 0 are few
_RIDGE: Final = 1e-3  # of the variance of all points, so that no component loses a dimension
_FITTED_TO: Final = 800
_DIFFERENCE: Final = 0.05
_LONGEST: Final = 2.0
_MOST_CLIMBS: Final = 60
_ENOUGH: Final = 1e-3
_FLATTEST: Final = 0.25  # curvature: a direction that is flat or rising gets sd 2
_DAMPINGS: Final = np.array([0.0, 0.01, 0.1, 1.0, 10.0, 100.0])


class FoldedMixture:
    """A mixture of multivariate t distributions, `folded` at 0 in these coordinates.

    `share` (m,), which sums to 1, `centre` (m, d), `scale` (m, d, d).
    """

    def __init__(self, share: Array, centre: Array, scale: Array, folded: Index) -> None:
        self.share, self.centre, self.scale, self.folded = share, centre, scale, folded
        d = centre.shape[1]
        self._signs = np.ones((2 ** len(folded), d))
        self._signs[:, folded] = list(product((1, -1), repeat=len(folded)))
        self._root = np.linalg.cholesky(scale)
        log_det = np.log(np.einsum("kii->ki", self._root)).sum(axis=1)
        constant = gammaln((DEGREES + d) / 2) - gammaln(DEGREES / 2)
        constant -= 0.5 * d * np.log(DEGREES * np.pi)
        self._log_constant = constant - log_det + np.log(share)

    def draw(self, uniform: Array) -> Array:
        """Turn uniform numbers (n, d + 2) into draws (n, d); those not folded may be below 0."""
        d = self.centre.shape[1]
        component = np.searchsorted(np.cumsum(self.share)[:-1], uniform[:, d + 1])
        # A t vector is a normal one over the root of an independent chi² / degrees.
        radius = np.sqrt(gammaincinv(DEGREES / 2, uniform[:, d]) * 2 / DEGREES)
        z = ndtri(uniform[:, :d]) / radius[:, None]
        x = self.centre[component]
        for k, root in enumerate(self._root):
            x[component == k] += z[component == k] @ root.T
        x[:, self.folded] = np.abs(x[:, self.folded])
        return x

    def _log_terms(self, mirrored: Array) -> tuple[Array, Array]:
        """Return log densities and squared distances, (m, n, 2^k), of points (n, 2^k, d)."""
        squares = np.empty((len(self.share), *mirrored.shape[:2]))
        for k, inverse in enumerate(np.linalg.inv(self._root)):
            z = (mirrored - self.centre[k]) @ inverse.T
            squares[k] = np.einsum("nsd,nsd->ns", z, z)
        terms = -0.5 * (DEGREES + mirrored.shape[2]) * np.log1p(squares / DEGREES)
        return terms + self._log_constant[:, None, None], squares

    def log_density(self, x: Array) -> Array:
        """Return the log density at folded points, (n, d) to (n,)."""
        return np.asarray(logsumexp(self._log_terms(x[:, None] * self._signs)[0], axis=(0, 2)))

    def em_step(self, x: Array, weights: Array) -> "FoldedMixture":
        """Return the mixture after one step of expectation maximisation on weighted points."""
        mirrored = x[:, None] * self._signs
        terms, squares = self._log_terms(mirrored)
        belongs = weights[:, None] * np.exp(terms - logsumexp(terms, axis=(0, 2), keepdims=True))
        share = belongs.sum(axis=(1, 2))
        # A t is a normal whose precision is gamma: points far out get the expected precision,
        # which is small (Peel and McLachlan 2000).
        belongs *= (DEGREES + x.shape[1]) / (DEGREES + squares)
        points, of_points = mirrored.reshape(-1, x.shape[1]), belongs.reshape(len(share), -1)
        spread = weights @ x**2 - (weights @ x) ** 2
        centre, scale = np.empty_like(self.centre), np.empty_like(self.scale)
        for k, own in enumerate(of_points):
            centre[k] = own @ points / own.sum()
            from_centre = points - centre[k]
            # By the sum of weights, not of weights times precisions: so EM finds the scale of a t.
            scale[k] = (from_centre * own[:, None]).T @ from_centre / share[k]
            scale[k] += _RIDGE * np.diag(spread)
        return FoldedMixture(share / share.sum(), centre, scale, self.folded)


def coordinates_to_fold(centre: Array, sd: Array, n_free: int) -> Index:
    """Return the coordinates whose distribution comes near 0, at most five."""
    distance = centre[:n_free] / sd[:n_free]
    near = np.argsort(distance, kind="stable")[:_MOST_FOLDED]
    return np.sort(near[distance[near] < _FAR])


def spread_over(weights: Array, n: int, start: float = 0.5) -> Index:
    """Return n indices at even steps of the cumulated weights, the first a part of a step in."""
    places = np.searchsorted(np.cumsum(weights), (np.arange(n) + start) / n)
    return np.minimum(places, len(weights) - 1)


def fitted(
    x: Array, weights: Array, n_free: int, *, components: int, rounds: int = 6
) -> FoldedMixture:
    """Fit a mixture to weighted points, widened, and with a wide component against surprises."""
    # One far point may have all the weight, and one point has no spread to fit to.
    if 1 / (weights**2).sum() < x.shape[1] + 1:
        weights = np.maximum(weights, weights.max() * 1e-12) ** 0.25
        weights /= weights.sum()
    mean = weights @ x
    scale = ((x - mean) * weights[:, None]).T @ (x - mean) + 1e-8 * np.eye(x.shape[1])
    # A few hundred points, evenly spread over the weights, are enough to fit to.
    chosen, times = np.unique(spread_over(weights, _FITTED_TO), return_counts=True)
    mixture = FoldedMixture(
        np.full(components, 1 / components),
        x[spread_over(weights, components)],
        np.repeat(scale[None], components, axis=0),
        coordinates_to_fold(mean, np.sqrt(np.diag(scale)), n_free),
    )
    for _ in range(rounds):
        mixture = mixture.em_step(x[chosen], times / times.sum())
    return FoldedMixture(
        np.append(0.85 * mixture.share, 0.15),
        np.vstack([mixture.centre, mean]),
        np.concatenate([1.2 * mixture.scale, 3.0 * scale[None]]),
        mixture.folded,
    )


@dataclass(frozen=True)
class Points:
    """Weighted points of a block's posterior."""

    x: Array  # (n, dimension)
    weights: Array  # they sum to 1
    pareto_k: float
    log_marginal_likelihood: float
    ess: float  # the effective number of points


def weighted_points(block: Block, n: int, rng: Generator) -> Points:
    """Return points of a block's posterior, from proposals that start at the modes.

    `n`: number of points in the last round; at most a thousand where each is expensive.
    """
    most = _EXPENSIVE_POINTS if block.part.n_kept > _LARGE_SYSTEM else max(n, _STAGES[-1][0][0])
    n = min(n, most)
    modes, scales, shares = _modes(block)
    if block.is_exact(modes[0]):
        raise block.constant()
    _refuse_rounding(block, modes[:1])
    nearest = (modes / np.sqrt(np.einsum("kii->ki", scales))).min(axis=0)
    # At every mode a t, and a wider one as a defence: weights stay bounded where tails are heavier.
    proposal = FoldedMixture(
        np.concatenate([0.8 * shares, 0.2 * shares]),
        np.concatenate([modes, modes]),
        np.concatenate([scales, 4.0 * scales]),
        coordinates_to_fold(nearest, np.ones_like(nearest), block.n_free),
    )
    points, enough = None, min(ESS_LIMIT, _FEW_SHARE * n)
    for stage, rounds in enumerate(_STAGES):
        # Often one point is far out: more of them say whether it is.
        for size, components in rounds:
            last = _weigh(block, proposal, min(size, most), rng)
            is_good = last.pareto_k < _GOOD_TAIL and last.ess > _GOOD_SHARE * size
            n_fitted = 1 if is_good else components
            proposal = fitted(last.x, last.weights, block.n_free, components=n_fitted)
            if is_good:
                break
        last = _weigh(block, proposal, n if stage < 2 else 2 * n, rng)
        tail = _GOOD_TAIL if stage < 2 else _BAD_TAIL
        # A bad tail counts first, then how many points are effective.
        points = min(points or last, last, key=lambda p: (max(p.pareto_k, tail), -p.ess))
        if points.pareto_k < (_BAD_TAIL if stage else _GOOD_TAIL) and points.ess >= enough:
            break
        if stage:
            proposal = fitted(points.x, points.weights, block.n_free, components=rounds[0][1])
    assert points is not None
    _refuse_rounding(block, points.x[np.argsort(points.weights)[-_HEAVIEST:]])
    return points


def _modes(block: Block) -> tuple[Array, Array, Array]:
    """Return the modes, (m, d), the highest first, their scales, (m, d, d), and shares, (m,)."""
    starts = block.starts[np.isfinite(block.log_density(block.starts))]
    if not len(starts):  # the responses vary by less than the rounding of the density
        raise block.constant()
    modes_and_scales: list[tuple[Array, Array]] = []
    for start in starts:
        mode, scale = find_mode(block.log_density, start, *block.bounds, block.n_free)
        if all(np.abs(mode - other).max() > _SAME_MODE for other, _ in modes_and_scales):
            modes_and_scales.append((mode, scale))
    modes, scales = map(np.stack, zip(*modes_and_scales, strict=True))
    height = block.log_density(modes)
    order = np.argsort(-height)
    # Laplace's approximation of the mass at a mode: its height times the root of |scale|.
    log_share = (height + 0.5 * np.linalg.slogdet(scales)[1])[order]
    return modes[order], scales[order], softmax(log_share)


def _refuse_rounding(block: Block, x: Array) -> None:
    """Refuse data whose density, a small difference of large numbers, changes by rounding."""
    both = np.concatenate([x * (1 + _NUDGE * k) + _NUDGE * k for k in range(3)])
    values = block.log_density(both).reshape(3, -1)
    if not np.ptp(values, axis=0).max() < _MOST_ROUNDING:
        raise block.constant()


def _weigh(block: Block, proposal: FoldedMixture, n: int, rng: Generator) -> Points:
    x = proposal.draw(lattice(n, block.dimension + 2, rng))
    low, high = block.bounds
    inside = ((x >= low) & (x <= high)).all(axis=1)
    log_weights = np.full(n, -np.inf)
    # Outside the bounds the posterior has nothing: such points count, with the weight 0.
    log_weights[inside] = block.log_density(x[inside]) - proposal.log_density(x[inside])
    weights, pareto_k = smoothed_weights(log_weights)
    # Of the weights as they are: smoothing trades some bias for less variance in answers.
    evidence = float(np.logaddexp.reduce(log_weights) - np.log(n))
    return Points(x, weights, pareto_k, evidence, float(1 / (weights**2).sum()))


def lattice(n: int, d: int, rng: Generator) -> Array:
    """Return n points that fill the unit cube evenly, shifted at random; independent beyond 20."""
    number = np.zeros(n, np.int64)
    for bit in range(_BITS):  # the first n points of the embedded sequence
        number |= (np.arange(n) >> bit & 1) << (_BITS - 1 - bit)
    # That is the sequence of van der Corput, of which any first 2^k points are even; the random
    # shift of a lattice leaves means unbiased (Cranley and Patterson 1976).
    points = rng.random((n, d))
    even = _LATTICE[:d]
    grid = number[:, None] * even / 2**_BITS
    points[:, : len(even)] = grid + rng.random(len(even))
    return np.asarray(np.clip(points % 1.0, 1e-12, 1 - 1e-12))


def find_mode(
    log_density: Callable[[Array], Array], start: Array, low: Array, high: Array, n_even: int
) -> tuple[Array, Array]:
    """Climb by Newton steps to a mode (d,), several dampings of a step tried at once.

    `log_density`: (n, d) to (n,); −inf is allowed away from `start`. `n_even`: it is even in the
    first coordinates, whose bound `low` is 0. Returns the inverse of the curvature there too.
    """
    x = start
    # The points around 0 that first and second differences need.
    first, second = np.triu_indices(len(x), 1)
    single = _DIFFERENCE * np.eye(len(x))
    double = single[first] + single[second]
    shifts = np.vstack([0 * x, single, -single, double, -double])
    kinds = np.cumsum([1, len(x), len(x), len(first)])
    for _ in range(_MOST_CLIMBS):
        value = log_density(x + shifts)
        # Where there is no density a deep fall stands, so that differences stay numbers.
        value = np.where(np.isfinite(value), value, value[0] - 1e6)
        centre, up, down, both_up, both_down = np.split(value, kinds)
        # Central differences; mixed ones from f(h, h) and f(−h, −h), with an error of order h² too.
        curved = up + down - centre
        hessian = np.diag((curved - centre) / _DIFFERENCE**2)
        mixed = both_up + both_down - curved[first] - curved[second]
        hessian[first, second] = hessian[second, first] = mixed / (2 * _DIFFERENCE**2)
        # Newton's step in the eigenvectors of −H, where to solve is to divide. Absolute curvatures
        # keep it uphill at a saddle, the dampings short (Levenberg 1944; Marquardt 1963).
        curvature, axes = np.linalg.eigh(-hessian)
        along = axes.T @ ((up - down) / (2 * _DIFFERENCE))
        steep = np.maximum(np.abs(curvature), 0.1)
        steps = (along / (steep + _DAMPINGS[:, None] * steep.max())) @ axes.T
        steps *= np.minimum(1.0, _LONGEST / np.abs(steps).max(axis=1, initial=1e-300))[:, None]
        tried = x + steps
        tried[:, :n_even] = np.abs(tried[:, :n_even])
        tried = np.clip(tried, low, high)
        density = log_density(tried)
        best = int(np.argmax(density))
        gain = density[best] - value[0]
        if gain > 0:
            x = tried[best]
        if not gain > _ENOUGH:
            break
    return x, (axes / np.maximum(curvature, _FLATTEST)) @ axes.T
