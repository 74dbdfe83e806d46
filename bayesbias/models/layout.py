"""What words and attributes of a block share, as levels of its terms: before any algebra.

Effects may sum to 0, since what all groups share with an attribute is another term's. G effects of
variance sd² that sum to 0 and are alike in all else correlate by −1 / (G − 1): their covariance is
sd² R with R = c (I − J / G), c = G / (G − 1), and J all ones. Of s of them that the data have, it
is a corner of R, with the root √c (I − a J), a = (1 − √(1 − s / G)) / s, for (I − a J)² = I −
(2a − a² s) J and 2a − a² s = 1 / G. So the effects are √c (z − a Σ z) of independent z; of all G,
√c (z − mean z).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import connected_components

from bayesbias.support.arguments import Array, Index


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

    @cached_property
    def root(self) -> csr_array:
        """The symmetric root of the covariance of effects with sd 1, (n, n)."""
        at = np.flatnonzero(self.together >= 0)
        shape = len(self.together), int(self.together.max(initial=-1)) + 1
        member = csr_array((np.ones(len(at)), (at, self.together[at])), shape=shape)
        same = csr_array(member @ member.T)
        count, root = np.maximum(same.sum(axis=1), 1.0), np.sqrt(self.size / (self.size - 1.0))
        taken = root * (1.0 - np.sqrt(1.0 - count / self.size)) / count
        own = np.where(self.together >= 0, root, 1.0)
        return csr_array(diags_array(own) - diags_array(taken) @ same)

    def correlation_of(self, effect: Index) -> Array:
        """Return R of rows of effects, (n, n_columns), −1 for none: those of a column sum to 0."""
        together = np.where(effect >= 0, self.together[effect], -1)
        same = ((together[:, None] == together) & (together >= 0)).any(axis=2)
        return np.where(np.eye(len(same)) > 0, 1.0, np.where(same, -1.0 / (self.size - 1.0), 0.0))

    def mixed(self, z: Array) -> Array:
        """Return the root times numbers by effect, (n, ...)."""
        return np.asarray((self.root @ z.reshape(len(z), -1)).reshape(z.shape))


@dataclass(frozen=True)
class TermLayout:
    """A term (or the means) in the pairs of a block.

    `level` (n_pairs,): −1 where it does not act. `variance` (n_levels,): which variance every level
    has: 0 the means', 1 + the number of a standard deviation. `similar`: whether the effects of
    similar attributes correlate. `loadings` (n_attributes, n_columns): N, where effects of all
    words have the low-rank part N Nᵀ beside sd² K. `balance`: of the levels, which of them sum to
    0.
    """

    level: Index
    variance: Index
    similar: bool = False
    loadings: Array | None = None
    balance: Balance | None = None

    @property
    def incidence(self) -> csr_array:
        """Which of its effects every pair has, (n_pairs, n_levels)."""
        at = np.flatnonzero(self.level >= 0)
        shape = len(self.level), len(self.variance)
        return csr_array((np.ones(len(at)), (at, self.level[at])), shape=shape)


@dataclass(frozen=True)
class PairNoise:
    """The noise of every pair of a block.

    `level` (n_pairs,). `sd` (n_noise,): which of the noise's standard deviations each level has.
    `similar` (n_noise,): 1 + the number of the standard deviation of the part that similar
    attributes share within a word; 0 for none.
    """

    level: Index
    sd: Index
    similar: Index


def complete_layout(word: Index, attribute: Index) -> Index | None:
    """Return the row of every word and attribute, (n_words, n_attributes); None if one has two.

    `word`, `attribute` (n_pairs,): numbered from 0 without gaps. −1 where there is no pair.
    """
    rows = np.full((int(word.max()) + 1, int(attribute.max()) + 1), -1, np.int64)
    rows[word, attribute] = np.arange(len(word))
    return rows if (rows >= 0).sum() == len(word) else None


@dataclass(frozen=True)
class AttributeTerm:
    """A term's effects of attributes: one for each attribute and code of words, such as a group.

    `effect`, `variance` (n_codes, n_attributes): the numbers of the effects, and which variance
    they have; −1 where no word of the code meets the attribute, and then a variance at random.
    `code` (n_words,): −1 where the term does not act. `correlation` (n_codes, n_codes): of the
    effects of one attribute, and `root`, its symmetric root. `loadings` (n_attributes, n_columns),
    perhaps of none; `has_common_factor`: whether it has them. `similar`: as in `TermLayout`.
    """

    similar: bool
    effect: Index
    variance: Index
    code: Index
    correlation: Array
    root: Array
    loadings: Array
    has_common_factor: bool

    @classmethod
    def of(cls, term: TermLayout, rows: Index, start: int = 0) -> "AttributeTerm | None":
        """Return a term as effects of attributes; None where it has none, or others too.

        Every attribute has a level of its own, for all words on which the term acts. `start`: the
        number of the term's first effect.
        """
        (n_words, n_attributes), n_levels = rows.shape, len(term.variance)
        level = np.where(rows >= 0, term.level[rows], -1)
        acts = level >= 0
        words = acts.any(axis=1)
        # A single attribute's own effect looks like that of its list.
        if n_attributes == 1 and not term.similar and term.balance is None:
            return None
        # A word has an effect with every attribute that it meets, or with none.
        if not words.any() or (acts != (rows >= 0))[words].any():
            return None
        word, attribute = np.nonzero(acts)
        of_pair = level[word, attribute]
        of_level = np.zeros(n_levels, np.int64)
        of_level[of_pair] = attribute
        # A level of two attributes is no effect of one.
        if (of_level[of_pair] != attribute).any():
            return None
        # Words are of one code if they share a level, or share one with the same others.
        size = n_words + n_levels
        graph = coo_array((np.ones(len(of_pair)), (word, n_words + of_pair)), shape=(size, size))
        label = connected_components(graph, directed=False)[1][:n_words]
        # Codes in the order of the levels, whichever word is first.
        lowest = np.full(size, n_levels)
        np.minimum.at(lowest, label[word], of_pair)
        code = np.full(n_words, -1, np.int64)
        code[words] = np.unique(lowest[label[words]], return_inverse=True)[1].ravel()
        effect = np.full((code.max() + 1, n_attributes), -1, np.int64)
        effect[code[word], attribute] = of_pair
        # All words of a code have to have the same effect of each attribute.
        if (effect[code[word], attribute] != of_pair).any():
            return None
        correlation = root = np.eye(len(effect))
        if term.balance is not None:
            correlation = term.balance.correlation_of(effect)
            # Effects that all sum to 0 have a singular correlation, which has no Cholesky factor.
            values, vectors = np.linalg.eigh(correlation)
            root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        variance = np.where(effect >= 0, term.variance[effect], -1)
        variance = np.where(variance >= 0, variance, variance.max(axis=1, keepdims=True))
        effect = np.where(effect >= 0, effect + start, -1)
        none = np.zeros((n_attributes, 0))
        loadings = none if term.loadings is None else term.loadings
        has_common = term.loadings is not None
        return cls(term.similar, effect, variance, code, correlation, root, loadings, has_common)
