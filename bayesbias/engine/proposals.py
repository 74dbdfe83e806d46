"""Mixtures of multivariate t distributions, folded at 0 along some coordinates.

A standard deviation near 0 has a density that is even in its coordinate; a t distribution that is
folded there, x → |x|, meets it without a gap. Every combination of signs folds onto the same point,
so that the density is a sum over 2^k mirrored t for k folded coordinates. Of more than five the
nearest to 0 are centred there and uncorrelated with all others: their mirror images are alike, and
the sum over them is a factor.
"""

from itertools import product
from typing import Final

import numpy as np
from scipy.special import gammaincinv, gammaln, ndtri

from bayesbias.engine.pareto import spread_over
from bayesbias.support.arguments import Array, Index

DEGREES: Final = 5.0
"""Degrees of freedom: tails that are heavier than a posterior's."""

_MOST_FOLDED: Final = 5
_FAR: Final = 2.5  # in standard deviations from 0: farther, proposals below 0 are few
_RIDGE: Final = 1e-3  # of the variance of all points, so that no component loses a dimension
_FITTED_TO: Final = 800


_NONE: Final = np.zeros(0, np.int64)


class FoldedMixture:
    """A mixture of multivariate t distributions, folded; `share` sums to 1.

    `folded`: the coordinates that are folded. `centred`: further ones, whose centre is 0 and whose
    scale is that of no other coordinate.
    """

    def __init__(
        self, share: Array, centre: Array, scale: Array, folded: Index, centred: Index = _NONE
    ) -> None:
        self.share, self.centre, self.scale = share, centre, scale
        self.folded, self.centred = folded, centred
        d, n_folded = centre.shape[1], len(folded)
        # Every combination of signs, and what it adds to a quadratic form, by coordinate and pair.
        self._signs = np.ones((2**n_folded, d))
        self._signs[:, folded] = list(product((1, -1), repeat=n_folded))
        # With n the coordinates whose sign is turned, a mirrored point is x − 2 n∘x, and its
        # squared distance (P the precision, c the centre) is that of x plus −4 Σ n_i x_i (P(x −
        # c))_i + 4 Σ n_i n_j x_i x_j P_ij; pairs i ≠ j stand in the sum twice.
        negative = (self._signs[:, folded] < 0).astype(float)
        self._pairs = first, second = np.triu_indices(n_folded)
        twice = np.where(first == second, 4.0, 8.0) * negative[:, first] * negative[:, second]
        self._mirrored = np.hstack([-4.0 * negative, twice]).T
        self._precision, self._root = np.linalg.inv(scale), np.linalg.cholesky(scale)
        log_det = np.log(np.einsum("kii->ki", self._root)).sum(axis=1)
        constant = gammaln((DEGREES + d) / 2) - gammaln(DEGREES / 2)
        constant -= 0.5 * d * np.log(DEGREES * np.pi)
        # Both mirror images along a centred coordinate have the same density.
        constant += len(centred) * np.log(2.0)
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
        for both in (self.folded, self.centred):
            x[:, both] = np.abs(x[:, both])
        return x

    def _log_terms(self, x: Array) -> tuple[Array, Array]:
        """Return log densities and squared distances of mirrored points, (n_shares, n, 2^k)."""
        near = x[:, self.folded]
        first, second = self._pairs
        squares = np.empty((len(self.share), len(x), len(self._signs)))
        for k, precision in enumerate(self._precision):
            from_centre = x - self.centre[k]
            turned = from_centre @ precision
            among = precision[np.ix_(self.folded, self.folded)][first, second]
            features = [near * turned[:, self.folded], near[:, first] * near[:, second] * among]
            squares[k] = np.hstack(features) @ self._mirrored
            squares[k] += (from_centre * turned).sum(axis=1)[:, None]
        squares = np.maximum(squares, 0.0)
        terms = np.log1p(squares / DEGREES)
        terms *= -0.5 * (DEGREES + self.centre.shape[1])
        terms += self._log_constant[:, None, None]
        return terms, squares

    def log_density(self, x: Array) -> Array:
        """Return the log density at folded points, (n, d) to (n,)."""
        terms, _ = self._log_terms(x)
        top = terms.max(axis=(0, 2))
        return np.asarray(top + np.log(np.exp(terms - top[:, None]).sum(axis=(0, 2))))

    def em_step(self, x: Array, weights: Array) -> "FoldedMixture":
        """Return the mixture after one step of expectation maximisation on weighted points."""
        d = x.shape[1]
        terms, squares = self._log_terms(x)
        belongs = np.exp(terms - terms.max(axis=(0, 2))[:, None])
        belongs *= (weights / belongs.sum(axis=(0, 2)))[:, None]
        share = belongs.sum(axis=(1, 2))
        # A t is a normal whose precision is gamma: points far out get the expected precision,
        # which is small (Peel and McLachlan 2000).
        belongs *= (DEGREES + d) / (DEGREES + squares)
        pairs = (self._signs[:, :, None] * self._signs[:, None, :]).reshape(-1, d * d)
        products = (x[:, :, None] * x[:, None, :]).reshape(-1, d * d)
        spread = weights @ x**2 - (weights @ x) ** 2
        centre, scale = np.empty_like(self.centre), np.empty_like(self.scale)
        for k, of_sign in enumerate(belongs):
            total = of_sign.sum()
            centre[k] = (x * (of_sign @ self._signs)).sum(axis=0) / total
            centre[k, self.centred] = 0.0
            second = (products * (of_sign @ pairs)).sum(axis=0).reshape(d, d)
            second -= total * np.outer(centre[k], centre[k])
            # By the sum of weights, not of weights times precisions: so EM finds the scale of a t.
            scale[k] = _alone(second / share[k] + _RIDGE * np.diag(spread), self.centred)
        return FoldedMixture(share / share.sum(), centre, scale, self.folded, self.centred)


def _alone(scale: Array, coordinates: Index) -> Array:
    """Return scale matrices without what some coordinates share with others."""
    apart = np.ones(scale.shape[-1], dtype=bool)
    apart[coordinates] = False
    return np.asarray(scale * (np.outer(apart, apart) | np.eye(len(apart), dtype=bool)))


def coordinates_to_fold(centre: Array, sd: Array, n_free: int) -> tuple[Index, Index]:
    """Return the coordinates whose distribution comes near 0: at most five, and those nearer."""
    distance = centre[:n_free] / sd[:n_free]
    near = np.flatnonzero(distance < _FAR)
    near = near[np.argsort(distance[near], kind="stable")]
    n_centred = max(0, len(near) - _MOST_FOLDED)
    return np.sort(near[n_centred:]), np.sort(near[:n_centred])


def around(centres: Array, scales: Array, shares: Array, n_free: int) -> FoldedMixture:
    """Return a mixture that has at every mode a t with this centre and scale, and a wider one.

    `centres` (m, d), `scales` (m, d, d), `shares` (m,).
    """
    sd = np.sqrt(np.einsum("kii->ki", scales))
    nearest = (centres / sd).min(axis=0)
    folded, centred = coordinates_to_fold(nearest, np.ones_like(nearest), n_free)
    centres = centres.copy()
    centres[:, centred] = 0.0
    own = _alone(scales, centred)
    # The wider ones are a defence: weights stay bounded where tails are heavier than at the mode.
    return FoldedMixture(
        np.concatenate([0.8 * shares, 0.2 * shares]),
        np.concatenate([centres, centres]),
        np.concatenate([own, 4.0 * own]),
        folded,
        centred,
    )


def fitted(
    x: Array, weights: Array, n_free: int, *, components: int, rounds: int = 6
) -> FoldedMixture:
    """Fit a mixture to weighted points, widened, and with a wide component against surprises."""
    mean = weights @ x
    from_mean = x - mean
    scale = (from_mean * weights[:, None]).T @ from_mean
    scale[np.diag_indices_from(scale)] += 1e-8
    folded, centred = coordinates_to_fold(mean, np.sqrt(np.diag(scale)), n_free)
    # The second moment around 0, where these have their centre.
    scale[centred, centred] += mean[centred] ** 2
    mean[centred] = 0.0
    scale = _alone(scale, centred)
    # A few hundred points, evenly spread over the weights, are enough to fit to.
    chosen, times = np.unique(spread_over(weights, _FITTED_TO), return_counts=True)
    starts = x[spread_over(weights, components)]
    starts[:, centred] = 0.0
    mixture = FoldedMixture(
        np.full(components, 1 / components),
        starts,
        np.repeat(scale[None], components, axis=0),
        folded,
        centred,
    )
    x, weights = x[chosen], times / times.sum()
    for _ in range(rounds):
        mixture = mixture.em_step(x, weights)
    return FoldedMixture(
        np.append(0.85 * mixture.share, 0.15),
        np.vstack([mixture.centre, mean]),
        np.concatenate([1.2 * mixture.scale, 3.0 * scale[None]]),
        folded,
        centred,
    )
