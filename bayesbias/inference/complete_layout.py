"""Complete designs: every word meets every attribute, once at most. Who is like whom in them.

Words that share all levels but their own are exchangeable and form a class: of n words, √n times
their mean and n − 1 deviations are independent (a Helmert rotation of the words, of which nothing
but the first row is needed). Attributes are rotated too, by U:

- where they are similar, by the eigenvectors of K = U Λ Uᵀ, one direction for each eigenvalue. An
  effect of attributes, N(0, sd² K), becomes independent effects N(0, sd² λ_k);
- where they are unrelated, K = I is the same in any directions, and U is chosen as for words:
  attributes that share all levels but their own form a class, with the direction of its mean, and
  deviations that see no level but their own. They need no matrix of U.

Effects of attributes and the noise have covariances that are Kronecker products A ⊗ K or A ⊗ I, A
over words, which the eigenvectors of K make independent from direction to direction: a small matrix
over classes is left in each (Zhou and Stephens 2012, "Genome-wide efficient mixed-model analysis",
rotate by the eigenvectors of a relationship matrix in the same way). All else is of low rank, and
is added by the Woodbury identity (`complete_block`): what a word or a list has with all attributes
(means, a word's main effect, a group's with a list) keeps its value and gets the rotated indicator
of its attributes as its regressor, which is 0 in the deviations. A pair that is missing is a cell
of weight zero: it sees no effect.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from bayesbias.inference.balance import Balance
from bayesbias.inference.similarity import directions
from bayesbias.support.arrays import Array, Index


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


@dataclass(frozen=True)
class PairNoise:
    """The noise of every pair of a block, with the effects of single pairs that add to it.

    `level` (n_pairs,). `sd` (n_noise,): which of the noise's standard deviations each level has.
    `similar`, `added` (n_noise,): 1 + the number of the standard deviation of the part that similar
    attributes share within a word, and of an effect of single pairs; 0 for none.
    """

    level: Index
    sd: Index
    similar: Index
    added: Index


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
        one = level[word, attribute]
        of_level = np.zeros(n_levels, np.int64)
        of_level[one] = attribute
        # A level of two attributes is no effect of one.
        if (of_level[one] != attribute).any():
            return None
        # Words are of one code if they share a level, or share one with the same others.
        size = n_words + n_levels
        graph = coo_array((np.ones(len(one)), (word, n_words + one)), shape=(size, size))
        label = connected_components(graph, directed=False)[1][:n_words]
        # Codes in the order of the levels, whichever word is first.
        lowest = np.full(size, n_levels)
        np.minimum.at(lowest, label[word], one)
        code = np.full(n_words, -1, np.int64)
        code[words] = np.unique(lowest[label[words]], return_inverse=True)[1].ravel()
        effect = np.full((code.max() + 1, n_attributes), -1, np.int64)
        effect[code[word], attribute] = one
        # All words of a code have to have the same effect of each attribute.
        if (effect[code[word], attribute] != one).any():
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


class CompleteLayout:
    """What every word and attribute of a complete design shares with which others.

    `rows` (n_words, n_attributes): from `complete_layout`. `terms`: in the order of the block's
    effects. `similarity` (n_attributes, n_attributes): K; None where attributes are unrelated.

    `member` (n_words,): the class of every word; `size` (C,). `direction` (n_attributes,): the
    class of every attribute, whose mean is one of n directions; `multiplicity` (n,): how many it
    has. `basis` (n_attributes, n): the directions; `eigenvalues` (n,).

    `present` (C, n): where there are pairs. `noise`, `noise_added`, `noise_similar` (C, n or 1):
    the standard deviations of a pair's noise, as in `PairNoise`. `attribute_terms`: the terms with
    effects of attributes; of each `codes` (C,), and `variance` (n_codes, n or 1). `regressor`
    (r_c, n): what regressors are in a class, those of `regressors_of` (r_c,), which have the
    variances `regressor_variance` (r,). Of these the shared ones come first, which are the effects
    `shared_effect`; then those of N (`of_loadings`, for each of `attribute_terms`); then those of
    the words of each class (`own_place`), which are the effects `own_effect` (n_words, q_c).
    `own`, `shared` (n_words, n_attributes): of the other terms the effect in every cell, −1 for
    none; terms with effects of single words, and of several.
    """

    def __init__(
        self, rows: Index, terms: Sequence[TermLayout], noise: PairNoise, similarity: Array | None
    ) -> None:
        self.rows, self.n_attributes = rows, rows.shape[1]
        self.is_rotated = similarity is not None
        self.n_pairs = int((rows >= 0).sum())
        offset = np.cumsum([0, *(len(term.variance) for term in terms)]).tolist()
        self.n_effects = offset[-1]
        none = np.zeros(0, np.int64)
        self.effect_variance = np.concatenate([none, *(term.variance for term in terms)])
        self.attribute_terms: list[AttributeTerm] = []
        self.is_unbalanced = False  # whether effects sum to 0 that are not of attributes
        own: list[Index] = []
        shared: list[Index] = []
        for start, term in zip(offset, terms, strict=False):
            found = AttributeTerm.of(term, rows, start)
            level = np.where(rows >= 0, term.level[rows] + start, -1)
            level[term.level[rows] < 0] = -1
            if found is not None:
                self.attribute_terms.append(found)
            elif term.balance is not None:
                self.is_unbalanced = True
            else:
                word, attribute = np.nonzero(level >= 0)
                one = level[word, attribute]
                of_level = np.zeros(one.max(initial=-1) + 1, np.int64)
                of_level[one] = word  # of one word, unless another shares the level
                (own if (of_level[one] == word).all() else shared).append(level)
        self.own, self.shared = own, shared
        self._classify(noise, own, shared, similarity)
        self._set_regressors()

    def _classify(
        self, noise: PairNoise, own: list[Index], shared: list[Index], similarity: Array | None
    ) -> None:
        """Sort words and attributes into classes that the data cannot tell apart."""
        present = self.rows >= 0
        level = np.where(present, noise.level[self.rows], -1)
        patterns = [_pattern(one) for one in own]
        keys = [present, level, *shared, *(t.code[:, None] for t in self.attribute_terms)]
        for one, pattern in zip(own, patterns, strict=True):
            # A word's own effects have to act on the same attributes as another's, with the same
            # variance; which effects they are does not matter.
            keys += [pattern, np.where(one >= 0, self.effect_variance[one], -1)]
        self.first, self.member = _classes(np.hstack(keys))
        self.n_classes = len(self.first)
        self.size = np.bincount(self.member).astype(float)
        self.codes = [term.code[self.first] for term in self.attribute_terms]
        if similarity is not None:
            eigenvalues, self.basis = directions(similarity)
            first = self.direction = np.arange(self.n_attributes)
        else:
            keys = [key[self.first].T for key in (present, level, *shared, *patterns)]
            keys += [term.variance.T for term in self.attribute_terms]
            first, self.direction = _classes(np.hstack(keys))
            self.basis = (self.direction[:, None] == np.arange(len(first))).astype(float)
            self.basis /= np.sqrt(self.basis.sum(axis=0))
            eigenvalues = np.ones(len(first))
        self.eigenvalues = eigenvalues
        self.multiplicity = np.bincount(self.direction).astype(float)
        self.n_directions = len(first)
        self.present = present[self.first][:, first]
        tables = [np.maximum(level[self.first][:, first], 0)]
        tables += [term.variance[:, first] for term in self.attribute_terms]
        # One column does where all are the same.
        of_cell, *self.variance = [t[:, :1] if (t == t[:, :1]).all() else t for t in tables]
        self.noise = noise.sd[of_cell]
        self.noise_similar, self.noise_added = noise.similar[of_cell], noise.added[of_cell]

    def with_similarity(self, similarity: Array, loadings: Array) -> "CompleteLayout":
        """Return the layout with another K of similar attributes, and N of the terms with one."""
        if not self.is_rotated:
            raise ValueError("attributes that are unrelated have classes, which a K would split")
        view = copy(self)
        view.eigenvalues, view.basis = directions(similarity)
        view.attribute_terms = [
            replace(term, loadings=loadings) if term.has_common_factor else term
            for term in self.attribute_terms
        ]
        view._set_regressors()
        return view

    def _set_regressors(self) -> None:
        """Rotate the indicators of the attributes that a level is about."""
        own, shared, root = self.own, self.shared, np.sqrt(self.size)
        effects = [level[level >= 0] for level in shared]
        self.shared_effect = np.unique(np.concatenate([np.zeros(0, np.int64), *effects]))
        blocks = np.zeros((len(self.shared_effect), self.n_classes, self.n_directions))
        for row, effect in zip(blocks, self.shared_effect, strict=True):
            for level in shared:
                row += (level[self.first] == effect) @ self.basis
        # √n times the mean of a class's words has √n times the effect that these share.
        blocks *= root[:, None]
        variance = [self.effect_variance[self.shared_effect]]
        # N Nᵀ is that of effects of its own, one for each column, whose numbers it has.
        self.of_loadings: list[slice] = []
        for term, codes in zip(self.attribute_terms, self.codes, strict=True):
            start, (n_codes, n_columns) = len(blocks), (len(term.effect), term.loadings.shape[1])
            # As the indicators above: of n words √n, times the rotated columns of N.
            near = root * (codes == np.arange(n_codes)[:, None])  # (n_codes, n_classes)
            near = near[:, None, :, None] * (term.loadings.T @ self.basis)[:, None]
            blocks = np.concatenate([blocks, near.reshape(-1, *blocks.shape[1:])])
            variance.append(np.full(n_codes * n_columns, -1))
            self.of_loadings.append(slice(start, len(blocks)))
        self.regressors_of: list[Index] = []
        self.regressor: list[Array] = []
        self.own_regressor: list[Array] = []
        self.own_variance: list[Index] = []
        self.own_effect: list[Index] = []
        self.own_place: list[slice] = []
        place = len(blocks)
        for c, word in enumerate(self.first):
            words = np.flatnonzero(self.member == c)
            levels, of_words = [], []
            for one in own:
                found, at = np.unique(one[word], return_index=True)
                at = at[found >= 0]
                levels += [one[word] == one[word, a] for a in at]
                of_words += [one[words, a] for a in at]
            q = np.array(levels, dtype=float).reshape(-1, self.n_attributes) @ self.basis
            self.own_regressor.append(q)
            self.own_effect.append(np.array(of_words, np.int64).reshape(-1, len(words)).T)
            self.own_variance.append(self.effect_variance[self.own_effect[-1][0]])
            variance.append(self.own_variance[-1])
            self.own_place.append(slice(place, place + len(q)))
            shared_here = np.flatnonzero(blocks[:, c].any(axis=1))
            self.regressors_of.append(np.r_[shared_here, place : place + len(q)])
            self.regressor.append(np.concatenate([blocks[shared_here, c], q]))
            place += len(q)
        self.regressor_variance = np.concatenate(variance)
        self.n_regressors = place

    def deviations(self, values: Array) -> Array:
        """Return what numbers of attributes, (..., n_attributes), have beside the directions."""
        return np.asarray(values - values @ self.basis @ self.basis.T)

    def by_direction(self, values: Array) -> Array:
        """Sum numbers of attributes, (..., n_attributes), over classes: (..., n_directions)."""
        # A direction is the mean of a class, where its column is not 0.
        return np.asarray(values @ (self.basis > 0).astype(float))


def _classes(keys: Index) -> tuple[Index, Index]:
    """Return the first of every kind of row, and the kind of each."""
    if not keys.shape[1]:
        return np.zeros(1, np.int64), np.zeros(len(keys), np.int64)
    # As bytes rows compare at once; big-endian ones that are not negative as their numbers do.
    rows = np.ascontiguousarray(keys + 1, dtype=">i8")
    as_bytes = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, member = np.unique(as_bytes, return_index=True, return_inverse=True)
    return first, member.ravel()


def _pattern(level: Index) -> Index:
    """Return for every level of every word the word's first attribute that has it too."""
    order = np.argsort(level, axis=1, kind="stable")
    ordered = np.take_along_axis(level, order, 1)
    is_same = np.diff(ordered, axis=1, prepend=-2) == 0
    start = np.maximum.accumulate(np.where(is_same, 0, np.arange(level.shape[1])), axis=1)
    found = np.empty_like(level)
    np.put_along_axis(found, order, np.take_along_axis(order, start, 1), 1)
    return found
