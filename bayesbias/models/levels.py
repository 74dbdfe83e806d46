"""The levels of a model's terms: what pairs share, before any algebra.

A term by some columns has a random effect for each combination of their values that occurs: its
levels (the grouping factor ``group:attribute`` of lme4).

Effects may sum to 0, since what all groups share with an attribute is another term's. G effects of
variance sd² that sum to 0 and are alike in all else correlate by −1 / (G − 1): their covariance is
sd² R with R = c (I − J / G), c = G / (G − 1), and J all ones. Of s of them that the data have, it
is a corner of R, with the root √c (I − a J), a = (1 − √(1 − s / G)) / s, for (I − a J)² = I −
(2a − a² s) J and 2a − a² s = 1 / G. So the effects are √c (z − a Σ z) of independent z; of all G,
√c (z − mean z).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array

from bayesbias.models.terms import Prior
from bayesbias.support.arguments import Array, Index, Mask


@dataclass(frozen=True)
class Balance:
    """Which effects sum to 0 together.

    `together` (n,): a number from 0 that the effects of a sum share. `size`: G, how many a sum has
    where the data have all.
    """

    together: Index
    size: int

    def of(self, chosen: Index) -> "Balance":
        """Return the same of some of the effects."""
        return Balance(self.together[chosen], self.size)

    @cached_property
    def root(self) -> csr_array:
        """The symmetric root of the covariance of effects with sd 1, (n, n)."""
        n = len(self.together)
        member = csr_array((np.ones(n), (np.arange(n), self.together)))
        same = csr_array(member @ member.T)
        count, root = same.sum(axis=1), np.sqrt(self.size / (self.size - 1.0))
        taken = root * (1.0 - np.sqrt(1.0 - count / self.size)) / count
        return csr_array(root * eye_array(n) - diags_array(taken) @ same)

    def correlation_of(self, effect: Index) -> Array:
        """Return R of rows of effects, (n, n_columns): those of a column sum to 0."""
        together = self.together[effect]
        same = (together[:, None] == together).any(axis=2)
        return np.where(np.eye(len(same)) > 0, 1.0, np.where(same, -1.0 / (self.size - 1.0), 0.0))

    def mixed(self, z: Array) -> Array:
        """Return the root times numbers by effect, (n, ...)."""
        return np.asarray((self.root @ z.reshape(len(z), -1)).reshape(z.shape))


@dataclass(frozen=True)
class Term:
    """A term as found in data.

    `level` (n_pairs,): index of every pair's level, −1 where the term does not act. `columns`: per
    column of the term the value that each level has. `sd` (n_levels,): which of the term's standard
    deviations each level has; `sd_labels` is ``("",)`` and `sd_dims`, their dimension, empty where
    there is one. `similar`: whether effects of similar attributes are alike, and
    `has_common_factor` whether all words share them. `balance`: which effects sum to 0, if any do.
    `x` (n_pairs,): of a slope, what its effect is multiplied by, in standard deviations; 0 where it
    does not act. `unit`: how much of the numbers one of these is; of a product 1.
    """

    name: str
    level: Index
    labels: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    sd: Index
    sd_labels: tuple[str, ...]
    sd_dims: tuple[str, ...]
    prior: Prior | None
    fixed_sd: float | None = None
    similar: bool = False
    has_common_factor: bool = False
    balance: Balance | None = None
    x: Array | None = None
    unit: float = 1.0

    @cached_property
    def acts(self) -> Mask:
        """Mark the pairs on which the term acts."""
        return np.asarray(self.level >= 0)


@dataclass(frozen=True)
class TermLayout:
    """A term (or the means) in the pairs of a block.

    `start`: the number of its first effect among all of the block. `level` (n_pairs,): −1 where it
    does not act. `variance` (n_levels,): which variance every level has: 0 the means', 1 + the
    number of a standard deviation. `similar`: whether the effects of similar attributes correlate.
    `loadings` (n_attributes, n_columns): N, where effects of all words have the low-rank part N Nᵀ
    beside sd² K. `balance`: of the levels, which of them sum to 0.
    """

    start: int
    level: Index
    variance: Index
    similar: bool = False
    loadings: Array | None = None
    balance: Balance | None = None

    @property
    def effects(self) -> slice:
        """The numbers of its effects."""
        return slice(self.start, self.start + len(self.variance))

    @property
    def incidence(self) -> csr_array:
        """Which of its effects every pair has, (n_pairs, n_levels)."""
        at = np.flatnonzero(self.level >= 0)
        shape = len(self.level), len(self.variance)
        return csr_array((np.ones(len(at)), (at, self.level[at])), shape=shape)
