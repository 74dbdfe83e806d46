"""What words and attributes of a complete table share, as matrices: before any number is known.

Whatever the terms of a model are, its covariance is a sum of Kronecker products of matrices over
words and over attributes (`rotation` has the equation). The matrices over words generate an algebra
that is small however many words there are, as words of a group are exchangeable; `components` finds
the blocks into which all of them fall together (Murota, Kanno, Kojima and Kojima 2010, A numerical
algorithm for block-diagonal decomposition of matrix *-algebras).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from scipy.sparse import csr_array, eye_array, kron

from bayesbias.models.design import Term
from bayesbias.support.arguments import Array, Index

_MOST_COLUMNS: Final = 60
"""Effects of another form, or lists, from which equations of any pairs cost less."""

SAME: Final = 1e-7
"""Numbers nearer than this are one eigenvalue, or 0, of matrices of size 1."""


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
    """Effects of one variance that words have with attributes, or lists, and share by their codes.

    `variance`: its number. `effect` (n_codes, k): the numbers of the effects, of codes of words and
    of attributes. `words` (n, n_codes): what every word has of the codes. `among` (k, k): how they
    correlate over attributes, None where they do not.

    Where the k are not single attributes, `columns` (k, q) says which columns of X they multiply.
    """

    variance: int
    effect: Index
    words: Array
    among: Array | None = None
    columns: Array | None = None


class TwoSided:
    """What words and attributes of a complete table share, as matrices.

    `rows` (n, m): the pair of every word and attribute. `terms`: each with the effect of every
    pair, −1 for none; `near`: the effects of nearness, which all pairs have. `variance`
    (n_effects,): the number of every effect's variance; `incidence` (n_pairs, n_effects): what
    pairs have of them. `noise` (n_pairs,): the level of the noise of every pair; `noise_similar`:
    by level, the number of the standard deviation of the part that similar attributes share.
    `similarity` (m, m): K, or None where attributes are unrelated. `fault`: why the table has not
    this form, or nothing. `other_effects`: those that words and attributes do not make
    independently, such as slopes and the means of connections.
    """

    def __init__(
        self,
        rows: Index,
        terms: Sequence[tuple[Term, Index]],
        near: Index,
        variance: Index,
        incidence: csr_array,
        noise: Index,
        noise_similar: Mapping[int, int],
        similarity: Array | None,
    ) -> None:
        self.rows, self.similarity, self.fault = rows, similarity, ""
        self.variance, self.incidence = variance, incidence
        self.noise_similar, self.noise_of_words = noise_similar, noise[rows][:, 0]
        self.shares: list[Share] = []
        self._of_lists: list[tuple[Share, Index]] = []
        slopes = [np.unique(effect[effect >= 0]) for term, effect in terms if term.x is not None]
        plain = [(term, effect[rows]) for term, effect in terms if term.x is None]
        other = [own for term, effect in plain for own in self._take(term, effect)]
        self.other_effects = np.concatenate([near[:0], *slopes, *other])
        self._add_columns(near)
        if (noise[rows] != self.noise_of_words[:, None]).any():
            self.fault = self.fault or "the noise differs between a word's attributes"
        if max(sum(map(len, other)), self.columns.shape[1]) > _MOST_COLUMNS:
            self.fault = self.fault or "too many effects of another form"

    def _take(self, term: Term, effect: Index) -> Iterator[Index]:
        """Take a term's effects of attributes and of lists, by variance; yield the others.

        `effect` (n, m): of every word and attribute, −1 for none.
        """
        m = effect.shape[1]
        number_of = np.where(effect >= 0, self.variance[effect], -1)
        numbers = np.unique(number_of[effect >= 0]).tolist()
        is_related = term.similar or term.root is not None
        for number in numbers:
            own = np.where(number_of == number, effect, -1)
            codes = _codes(own)
            # A single attribute's own effect looks like that of its list.
            is_of_attributes = codes is not None and codes[0].shape[1] == m > 1 - is_related
            if is_related and not is_of_attributes:
                self.fault = self.fault or _fault(term, numbers)
            elif codes is None:
                yield np.unique(own[own >= 0])
            elif not is_of_attributes:
                self._of_lists.append((Share(number, *codes[:2]), codes[2]))
            else:
                effects, words = codes[0][:, codes[2]], codes[1]
                if term.root is not None:  # of every attribute alike?
                    has = self.incidence[self.rows.ravel()][:, effects.ravel()]
                    words = has[::m, ::m].toarray()
                    if abs(has - kron(words, eye_array(m))).max() > SAME:
                        self.fault = self.fault or _fault(term, numbers)
                among = self.similarity if term.similar else None
                self.shares.append(Share(number, effects, words, among))

    def _add_columns(self, near: Index) -> None:
        """Make X, (m, q): the columns of lists, whose attributes share all codes, and nearness."""
        n, m = self.rows.shape
        codes = np.stack([code for _, code in self._of_lists] or [np.zeros(m, np.int64)])
        _, first, of_attribute = np.unique(codes, axis=1, return_index=True, return_inverse=True)
        lists, loadings = np.eye(len(first)), self.incidence[self.rows[0]][:, near].toarray()
        self.columns = np.hstack([lists[of_attribute.ravel()], loadings])
        at = np.eye(self.columns.shape[1])
        for share, code in self._of_lists:
            of_lists = np.arange(share.effect.shape[1])[:, None] == code[first]
            self.shares.append(replace(share, columns=of_lists @ at[: len(first)]))
        if len(near):
            number, words = int(self.variance[near[0]]), np.ones((n, 1))
            self.shares.append(Share(number, near[None], words, columns=at[len(first) :]))

    @cached_property
    def bulk(self) -> list[tuple[Array, int, bool]]:
        """Matrices S over words, the numbers of their variances, and whether they go with K.

        A number below 0 is −1 − that of a noise.
        """
        matrices = [
            (share.words @ share.words.T, share.variance, share.among is not None)
            for share in self.shares
            if share.columns is None
        ]
        for level in np.unique(self.noise_of_words):
            own = np.diag((self.noise_of_words == level).astype(float))
            matrices.append((own, -1 - int(level), False))
            if level in self.noise_similar:
                matrices.append((own, self.noise_similar[level], self.similarity is not None))
        return matrices

    @cached_property
    def low_rank(self) -> list[tuple[Array, int, Array]]:
        """Matrices S over words, the number of their variance, and M over columns."""
        shares = ((share, share.columns) for share in self.shares)
        return [(s.words @ s.words.T, s.variance, c.T @ c) for s, c in shares if c is not None]


def _codes(level: Index) -> tuple[Index, Array, Index] | None:
    """Return effects (n, m), −1 for none, as those of codes of words and of attributes.

    The effect of every two codes (n_codes, k), 1 for the code of every word (n, n_codes), and the
    code of every attribute (m,), −1 for none; None where the two do not make effects independently.
    """
    acts = level >= 0
    words, attributes = np.flatnonzero(acts.any(axis=1)), np.flatnonzero(acts.any(axis=0))
    inside = level[np.ix_(words, attributes)]
    of_word, of_attribute = (np.full(size, -1, np.int64) for size in level.shape)
    of_word[words] = np.unique(inside[:, 0], return_inverse=True)[1]
    of_attribute[attributes] = np.unique(inside[0], return_inverse=True)[1]
    levels = np.full((1 + of_word.max(), 1 + of_attribute.max()), -1, np.int64)
    at = np.ix_(of_word[words], of_attribute[attributes])
    levels[at] = inside
    if (inside < 0).any() or (levels[at] != inside).any() or len(np.unique(levels)) < levels.size:
        return None
    return levels, (of_word[:, None] == np.arange(len(levels))).astype(float), of_attribute


def _fault(term: Term, variances: Sequence[int]) -> str:
    """Say why effects that are alike, or sum to 0, are not independent once rotated."""
    if not term.similar:
        return "effects that sum to 0, but are not of attributes"
    if len(variances) > 1:
        return "attributes differ in the standard deviation of their effects"
    return "similar, but not an effect of attributes"
