"""What words and attributes of a complete table share, as matrices: before any number is known.

An effect is two-sided if every pair has of it the product of what its word and what its attribute
have: 1 for those of the group and the list, or how near the attribute is. Whatever the terms of a
model are, their covariance then is a sum of Kronecker products of matrices over words and over
attributes (`rotation` has the equation). The matrices over words generate an algebra that is small
however many words there are, as words of a group are exchangeable; `components` finds the blocks
into which all of them fall together (Murota, Kanno, Kojima and Kojima 2010, A numerical algorithm
for block-diagonal decomposition of matrix *-algebras).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from bayesbias.models.design import Effects
from bayesbias.support.arguments import Array, Index, Mask

_MOST_COLUMNS: Final = 60  # of effects of another form, or of lists: else `henderson` costs less
_ROUNDING: Final = 1e-12  # of a coefficient
SAME: Final = 1e-7  # numbers nearer than this are one eigenvalue, or 0, of matrices of size 1


def turned(basis: Array, table: Array) -> Array:
    """Return numbers of words (..., n, m) in the directions of a component, (..., r, d, m)."""
    return np.einsum("rdn,...nm->...rdm", basis, table)


def block_of(basis: Array, matrix: Array) -> Array:
    """Return S̃ (d, d) of a matrix S of the algebra, which is S̃ ⊗ I in a component."""
    return np.asarray(basis[0] @ matrix @ basis[0].T)


def components(matrices: Sequence[Array]) -> list[Array]:
    """Return the blocks into which symmetric matrices (n, n) fall together: bases (r, d, n).

    They are r copies of d orthonormal directions of the words, in which a matrix is S̃ ⊗ I. The
    eigenspaces of a random element of the algebra are its directions, and another one tells which
    of them belong together, and how. Where rounding hides that, all words are one block.
    """
    n = len(matrices[0])
    scaled = [m / max(1.0, np.abs(m).sum(axis=1).max()) for m in matrices]
    rng = np.random.default_rng(0)
    weights = rng.uniform(1, 2, (2, len(scaled)))
    element, another = np.tensordot(weights, np.stack(scaled), 1)
    values, vectors = np.linalg.eigh(element)
    space = np.cumsum(np.diff(values, prepend=values[0]) > SAME)
    bases = [vectors[:, space == k] for k in range(space[-1] + 1)]
    unplaced, blocks = list(range(len(bases))), []
    while unplaced:
        first = unplaced.pop(0)
        aligned, queue = {first: bases[first]}, [first]
        while queue:
            basis = aligned[queue.pop(0)]
            for k in list(unplaced):
                across = bases[k].T @ another @ basis
                if np.abs(across).max() > SAME and bases[k].shape == basis.shape:
                    u, _, v = np.linalg.svd(across)  # the orthogonal part: how copies correspond
                    aligned[k] = bases[k] @ (u @ v)
                    queue.append(k)
                    unplaced.remove(k)
        blocks.append(np.stack(list(aligned.values())).transpose(2, 0, 1))
    for matrix in scaled:
        parts = [np.einsum("rdn,de,rem->nm", b, block_of(b, matrix), b) for b in blocks]
        if not np.abs(np.sum(parts, axis=0) - matrix).max() < 10 * SAME:
            return [np.eye(n)[None]]
    return blocks


@dataclass(frozen=True)
class Share:
    """Effects of one variance: pairs have of them what the word has times what the attribute has.

    `variance`: its number, below 0 that of a noise, −1 − its level. `effect` (n_codes, k): the
    numbers of the effects, of the k as many each. `words` (n, n_codes): what words have of them.
    The k are the attributes, which correlate by `among` (m, m) where that is not None; or `columns`
    (k, q) says what each is of X.
    """

    variance: int
    effect: Index
    words: Array
    among: Array | None = None
    columns: Array | None = None


class TwoSided:
    """What words and attributes of a complete table share, as matrices.

    `rows` (n, m): the pair of every word and attribute. `effects`: those of the pairs. `noise`
    (n_pairs,): the level of the noise of every pair; `noise_similar`: by level, the number of the
    standard deviation of the part that similar attributes share. `similarity` (m, m): K, or None
    where attributes are unrelated. `shares`: of effects, those of lists last; `of_noise`: of the
    noise, which has no effects. `fault`: why the table has not this form, or nothing.
    `other_effects`: those that are no products, such as means of connections, and slopes.
    """

    def __init__(
        self,
        rows: Index,
        effects: Effects,
        noise: Index,
        noise_similar: Mapping[int, int],
        similarity: Array | None,
    ) -> None:
        self.rows, self.similarity = rows, similarity
        self.words, self.attributes, is_product = products(effects.incidence[rows.ravel()], rows)
        is_product &= ~effects.is_slope
        self.other_effects = np.flatnonzero(~is_product)
        self.shares: list[Share] = []
        of_lists: list[Share] = []
        for number in np.unique(effects.variance[is_product]).tolist():
            at = np.flatnonzero(is_product & (effects.variance == number))
            among = similarity if effects.is_similar[at[0]] else None
            for effect in self._arranged(at):
                share = Share(number, effect, self.words[:, effect[:, 0]], among)
                own = self.attributes[:, effect[0]]
                # A single attribute's own effect looks like that of its list.
                is_own = np.array_equal(own, np.eye(len(own))) and len(own) > (among is None)
                (self.shares if is_own else of_lists).append(share)
        self._add_columns(of_lists)
        noise_of_words, self.of_noise = noise[rows][:, 0], []
        for level in np.unique(noise_of_words).tolist():
            own = np.eye(len(rows))[:, noise_of_words == level]
            self.of_noise.append(Share(-1 - level, rows[:0], own))
            if level in noise_similar:
                self.of_noise.append(Share(noise_similar[level], rows[:0], own, similarity))
        family = [effects.family[s.effect[0, 0]] for s in of_lists if s.among is not None]
        differ = any(np.ptp(effects.variance[effects.family == number]) for number in family)
        n_other = int((~is_product & ~effects.is_slope).sum())
        is_similar = family or effects.is_similar[self.other_effects].any()
        is_noisy = (noise_of_words != noise[rows].T).any()
        faults = {
            "attributes differ in the standard deviation of their effects": differ,
            "similar, but not an effect of attributes": is_similar,
            "the noise differs between a word's attributes": is_noisy,
            "too many effects of another form": max(n_other, self.columns.shape[1]) > _MOST_COLUMNS,
        }
        self.fault = next(filter(faults.get, faults), "")

    def _arranged(self, at: Index) -> list[Index]:
        """Return effects as (n_codes, k); where words have some of the k otherwise, each alone."""
        own = self.attributes[:, at] + 0.0  # no −0
        texts = [(int(column.argmax()), column.tobytes()) for column in own.T]
        place = {text: k for k, text in enumerate(sorted(set(texts)))}
        profile = np.array([place[text] for text in texts])
        # By attribute, and of each in an order of what words have that is the same for all.
        key = np.random.default_rng(0).random(len(self.words)) @ self.words[:, at]
        order = np.lexsort([key, profile])
        counts = np.bincount(profile)
        if (counts == counts[0]).all():
            effect = at[order].reshape(len(counts), -1).T
            words = self.words[:, effect]
            if np.allclose(words, words[:, :, :1]):
                return [effect]
        return [at[profile == k][:, None] for k in range(len(counts))]

    def _add_columns(self, of_lists: Sequence[Share]) -> None:
        """Make X, (m, q): independent columns, of which all are that lists and nearness have."""
        columns = [self.attributes[:, share.effect[0]] for share in of_lists]
        none = np.zeros((len(self.attributes), 0))
        distinct = np.unique(np.hstack([none, *columns]), axis=1)
        self.columns, normal = none, none
        # Those of few attributes first, so that they overlap as little as may be.
        n_attributes, size = np.count_nonzero(distinct, axis=0), np.linalg.norm(distinct, axis=0)
        for k in np.lexsort([-size, n_attributes]):
            rest = distinct[:, k] - normal @ (normal.T @ distinct[:, k])
            length = float(np.linalg.norm(rest))
            if length > SAME * size[k]:
                self.columns = np.c_[self.columns, distinct[:, k]]
                normal = np.c_[normal, rest / length]
        inverse = np.linalg.pinv(self.columns)
        for share, own in zip(of_lists, columns, strict=True):
            made_of = inverse @ own
            made_of[np.abs(made_of) < _ROUNDING * np.abs(made_of).max()] = 0.0
            self.shares.append(replace(share, among=None, columns=made_of.T))


def products(incidence: csr_array, rows: Index) -> tuple[Array, Array, Mask]:
    """Return what words have of effects, (n, n_effects), and what attributes have, (m, n_effects).

    And which effects are the products of both: all that pairs (n m, n_effects) have.
    """
    (n, m), n_effects = rows.shape, incidence.shape[1]
    has = incidence.tocsc()
    has.eliminate_zeros()
    has.sort_indices()
    value, n_pairs = has.data, np.diff(has.indptr)
    effect, first = np.repeat(np.arange(n_effects), n_pairs), np.repeat(has.indptr[:-1], n_pairs)
    word, attribute = np.divmod(has.indices, m)
    words, attributes = np.zeros((n, n_effects)), np.zeros((m, n_effects))
    at = word == word[first]
    attributes[attribute[at], effect[at]] = value[at]
    at = attribute == attribute[first]
    words[word[at], effect[at]] = (value / value[first])[at]
    # What a single attribute has is 1, so that groups whose effects sum to 0 have all else.
    scale = np.where(np.count_nonzero(attributes, axis=0) == 1, attributes.sum(axis=0), 1.0)
    words, attributes = words * scale, attributes / scale
    is_other = ~np.isclose(words[word, effect] * attributes[attribute, effect], value)
    n_products = np.count_nonzero(words, axis=0) * np.count_nonzero(attributes, axis=0)
    is_product = n_products == n_pairs
    return words, attributes, is_product & (np.bincount(effect, is_other, n_effects) == 0)
