"""Slopes: effects that are multiplied by numbers, beside those that pairs share.

With the slopes β, y = μ + Xβ + Zx + e. All else integrates out as without them (`block`), Σ being
the covariance of Zx + e. With the prior β ~ N(0, T²), T diagonal, and M = I + T XᵀΣ⁻¹X T = L Lᵀ,

    log p(y) = log N(y; μ, Σ) − log|L| + ½ |h|²,   h = L⁻¹ T XᵀΣ⁻¹(y − μ)
    β | y    ~ N(T L⁻ᵀ h, T M⁻¹ T)

and what is said of the other effects is linear in y: given β they are those of the responses y − Xβ
(generalised least squares, as in any mixed model: Henderson 1975, Best linear unbiased estimation).
So a slope costs one set of responses more, the column of its numbers; nothing that is shared by
pairs has to be known here.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesbias.inference.small_matrices import factor_large, solve_large
from bayesbias.support.arrays import Array
from bayesbias.support.types import Generator

Offsets = Sequence[tuple[Array, Any]]
"""What goes off the responses: slopes, a number a draw, (B,), and parts with x as response."""


class GlsSlopes:
    """The slopes of a block at B values of its standard deviations.

    `parts`: for each part of the block it and, in the same order as the slopes, the same parts with
    their columns as responses. `sums`: for each part what its method `sums` returns of them.
    `prior` (k, B): the standard deviations of the slopes. `effects`, `noise` (n_sds, B), (n_noise,
    B): of all effects of the block, and of its noise. `log_likelihood` (B,): of the responses,
    slopes and all effects integrated out.
    """

    def __init__(
        self,
        parts: Sequence[Sequence[Any]],
        sums: Sequence[Any],
        prior: Array,
        effects: Array,
        noise: Array,
    ) -> None:
        found = [
            columns[0].products(columns, of_columns, effects, noise)
            for columns, of_columns in zip(parts, sums, strict=True)
        ]
        value = np.sum([of_zeros for of_zeros, _ in found], axis=0)
        # (B, 1 + k, 1 + k), the responses first.
        gram = np.sum([products for _, products in found], axis=0)
        self.sd = prior.T
        # The Cholesky factor of M bordered by the responses: the last row is h, the pivots of M
        # give its determinant (matrix determinant lemma), and the last one squared is the Schur
        # complement of M, the quadratic form that slopes leave (Woodbury).
        last = gram.shape[1] - 1
        order = np.roll(np.arange(last + 1), -1)
        root = np.ones(gram.shape[:2])
        root[:, :last] = self.sd
        system = root[:, :, None] * gram[:, order[:, None], order] * root[:, None]
        at = np.arange(last)
        system[:, at, at] += 1.0
        lower = factor_large(system)
        pivots = np.einsum("bii->bi", lower)
        self.log_likelihood = value - 0.5 * pivots[:, last] ** 2
        self.log_likelihood -= np.log(pivots[:, :last]).sum(axis=1)
        self.lower, self.half = lower[:, :last, :last], lower[:, last, :last].T

    @property
    def mean(self) -> Array:
        """The slopes' mean given the standard deviations, (k, B)."""
        return self._unscaled(np.ascontiguousarray(self.half))

    def _unscaled(self, half: Array) -> Array:
        return np.asarray(self.sd.T * solve_large(self.lower, half, transposed=True))

    def draw(self, rng: Generator) -> Array:
        """Draw the slopes, (k, B)."""
        # L⁻ᵀ (h + z) has the mean M⁻¹ T XᵀΣ⁻¹(y − μ) and, for independent z, the covariance M⁻¹.
        return self._unscaled(self.half + rng.standard_normal(self.half.shape))

    def variance(self, weights: Array) -> Array:
        """Return the variance of functions of the slopes: weights (F, k, B) to (F, B)."""
        # wᵀ T M⁻¹ T w = |L⁻¹ T w|², with M = L Lᵀ.
        turned = np.ascontiguousarray((self.sd.T * weights).transpose(1, 0, 2))
        return np.asarray((solve_large(self.lower, turned) ** 2).sum(axis=0))
