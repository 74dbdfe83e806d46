"""Effects that sum to 0: what all groups share with an attribute is another term's.

G effects of variance sd² that sum to 0 and are alike in all else correlate by −1 / (G − 1): their
covariance is sd² R with R = c (I − J / G), c = G / (G − 1), and J all ones. Of s of them that the
data have, it is a corner of R, with the root √c (I − a J), a = (1 − √(1 − s / G)) / s, for
(I − a J)² = I − (2a − a² s) J and 2a − a² s = 1 / G. So the effects are √c (z − a Σ z) of
independent z; of all G, √c (z − mean z).
"""

from dataclasses import dataclass

import numpy as np

from bayesbias.support.arrays import Array, Index


@dataclass(frozen=True)
class Balance:
    """Which effects sum to 0 together.

    `together` (n,): a number that the effects of a sum share, −1 for an effect of its own.
    `size`: G, how many a sum has where the data have all.
    """

    together: Index
    size: int

    def of(self, chosen: Index) -> "Balance":
        """Return the same of some of the effects."""
        return Balance(self.together[chosen], self.size)

    @property
    def shares(self) -> tuple[Array, Array]:
        """√c and a √c of every effect, (n,): 1 and 0 for an effect of its own."""
        at = self.together >= 0
        count = np.bincount(self.together[at])[self.together[at]]
        root = np.sqrt(self.size / (self.size - 1.0))
        own, taken = np.ones(len(at)), np.zeros(len(at))
        own[at] = root
        taken[at] = root * (1.0 - np.sqrt(1.0 - count / self.size)) / count
        return own, taken

    def correlation_of(self, effect: Index) -> Array:
        """Return R of rows of effects, (n, n_columns), −1 for none: those of a column sum to 0."""
        together = np.where(effect >= 0, self.together[effect], -1)
        same = ((together[:, None] == together) & (together >= 0)).any(axis=2)
        return np.where(np.eye(len(same)) > 0, 1.0, np.where(same, -1.0 / (self.size - 1.0), 0.0))

    @property
    def spread(self) -> list[tuple[Index, Array]]:
        """The root as columns: which number goes into every effect, and times what, (n,) each.

        An effect's own number first, then the others of its sum; −1 where these are fewer.
        """
        own, taken = self.shares
        order = np.argsort(self.together, kind="stable")[(self.together < 0).sum() :]
        sets = self.together[order]
        count = np.bincount(sets)
        start = np.cumsum(count) - count
        place = np.arange(len(order)) - start[sets]
        found = [(np.arange(len(own)), own - taken)]
        for k in range(1, int(count.max(initial=0))):
            other = np.full(len(own), -1, np.int64)
            has = k < count[sets]
            turned = start[sets] + (place + k) % count[sets]
            other[order[has]] = order[turned[has]]
            found.append((other, -taken))
        return found

    def mixed(self, z: Array) -> Array:
        """Return the root times numbers by effect, (n, ...)."""
        at = self.together >= 0
        sums = np.zeros((int(self.together.max(initial=-1)) + 1, *z.shape[1:]))
        np.add.at(sums, self.together[at], z[at])
        own, taken = (of.reshape(-1, *[1] * (z.ndim - 1)) for of in self.shares)
        found = own * z
        found[at] -= taken[at] * sums[self.together[at]]
        return np.asarray(found)
