"""What words and attributes of a complete table share, as matrices: before any number is known.

Whatever the terms of a model are, its covariance is a sum of Kronecker products of matrices over
words and over attributes (`rotation` has the equation). The matrices over words generate an algebra
that is small however many words there are, as words of a group are exchangeable; `components` finds
the blocks into which all of them fall together (Murota, Kanno, Kojima and Kojima 2010, A numerical
algorithm for block-diagonal decomposition of matrix *-algebras).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from bayesbias.engine.henderson import TermLayout
from bayesbias.support.arguments import Array, Index

_MOST_COLUMNS: Final = 60
"""Columns of F from which equations of any pairs cost less."""

SAME: Final = 1e-7
"""Numbers nearer than this are one eigenvalue, or 0, of matrices of size 1."""

NEARNESS: Final = -1
"""The number of the variance of the columns of nearness, which is 1."""


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
class AttributeTerm:
    """A term's effects of attributes: one for each attribute and code of words, such as a group.

    `effect`, `variance` (n_codes, n_attributes): the numbers of the effects, and which variance
    they have. `code` (n_words,): −1 where the term does not act. `correlation` (n_codes, n_codes):
    of the effects of one attribute. `similar`, `loadings`: as in `TermLayout`.
    """

    similar: bool
    effect: Index
    variance: Index
    code: Index
    correlation: Array
    loadings: Array

    @classmethod
    def of(cls, term: TermLayout, rows: Index) -> "AttributeTerm | None":
        """Return a term as effects of attributes; None where it has none, or others too.

        Every attribute has a level of its own, for all words on which the term acts.
        """
        level = term.level[rows]
        acts = level >= 0
        words = acts.any(axis=1)
        # A single attribute's own effect looks like that of its list.
        if rows.shape[1] == 1 and not term.similar and term.balance is None:
            return None
        # A word has an effect with every attribute, or with none.
        if not words.any() or not acts[words].all():
            return None
        # Words of a code share the levels of all attributes.
        _, first, code = np.unique(level[words, 0], return_index=True, return_inverse=True)
        effect = level[words][first]
        # No level is of two attributes, or of two codes.
        if (effect[code] != level[words]).any() or len(np.unique(effect)) < effect.size:
            return None
        code_of_word = np.full(len(rows), -1, np.int64)
        code_of_word[words] = code
        balance = term.balance
        correlation = np.eye(len(effect)) if balance is None else balance.correlation_of(effect)
        return cls(
            similar=term.similar,
            effect=effect + term.start,
            variance=term.variance[effect],
            code=code_of_word,
            correlation=correlation,
            loadings=np.zeros((rows.shape[1], 0)) if term.loadings is None else term.loadings,
        )


@dataclass(frozen=True)
class ListTerm:
    """Effects that words have with lists of attributes: variance v, S ⊗ X M Xᵀ.

    `table` (n, m): the effect of every pair, −1 for none. `variance`: its number. `words` (n, n),
    `columns` (q, q): S and M; None where the effects are columns of F.
    """

    table: Index
    variance: int
    words: Array | None
    columns: Array | None


class TwoSided:
    """What words and attributes of a complete table share, as matrices.

    `rows` (n, m): the pair of every word and attribute. `terms`: in the order of the effects.
    `noise` (n_pairs,): the level of the noise of every pair; `noise_similar` (n_noise,): 1 + the
    number of the standard deviation of the part that similar attributes share within a word, 0 for
    none. `similarity` (m, m): K, or None where attributes are unrelated. `fault`: why the table has
    not this form, or nothing.
    """

    def __init__(
        self,
        rows: Index,
        terms: Sequence[TermLayout],
        noise: Index,
        noise_similar: Index,
        similarity: Array | None,
    ) -> None:
        self.rows, (self.n_words, self.n_attributes) = rows, rows.shape
        self.noise_similar, self.similarity, self.fault = noise_similar, similarity, ""
        none = np.zeros(0, np.int64)
        self.effect_variance = np.concatenate([none, *(term.variance for term in terms)])
        self.attribute_terms: list[AttributeTerm] = []
        tables: list[Index] = []
        for term in terms:
            of_attributes = AttributeTerm.of(term, rows)
            if of_attributes is not None:
                if (of_attributes.variance != of_attributes.variance[:, :1]).any():
                    self.fault = "attributes differ in the standard deviation of their effects"
                    return
                self.attribute_terms.append(of_attributes)
            elif term.similar:
                self.fault = "similar, but not an effect of attributes"
                return
            elif term.balance is not None:
                self.fault = "effects that sum to 0, but are not of attributes"
                return
            else:
                tables.append(np.where(term.level[rows] >= 0, term.level[rows] + term.start, -1))
        level = noise[rows]
        if (level != level[:, :1]).any():
            self.fault = "the noise differs between a word's attributes"
            return
        self.noise_of_words = level[:, 0]
        # Lists: attributes that share all effects of lists. Then the columns of X.
        keys = np.vstack(tables) if tables else np.zeros((1, self.n_attributes), np.int64)
        _, self.first, code = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        self.n_lists = len(self.first)
        near = [term.loadings for term in self.attribute_terms]
        self.columns = np.hstack([np.eye(self.n_lists)[code.ravel()], *near])  # (m, q)
        self.list_terms = [listed for table in tables for listed in self._list_terms(table)]
        if len(self.free_effects) > _MOST_COLUMNS:
            self.fault = "too many effects of another form"

    def _list_terms(self, table: Index) -> list[ListTerm]:
        """Return a term of lists, a part for each of its variances, with S and M where it has."""
        terms = []
        of_cell = np.where(table >= 0, self.effect_variance[table], NEARNESS - 1)
        for variance in np.unique(of_cell[table >= 0]):
            own = np.where(of_cell == variance, table, -1)
            terms.append(ListTerm(own, int(variance), *self._factors(own[:, self.first])))
        return terms

    def _factors(self, level: Index) -> tuple[Array | None, Array | None]:
        """Return S and M of levels (n, n_lists), if words and lists make them independently."""
        acts = level >= 0
        words, lists = np.flatnonzero(acts.any(axis=1)), np.flatnonzero(acts.any(axis=0))
        inside = level[np.ix_(words, lists)]
        of_word, of_column = np.full(len(level), -1), np.full(self.columns.shape[1], -1)
        of_word[words] = word = np.unique(inside[:, 0], return_inverse=True)[1]
        of_column[lists] = column = np.unique(inside[0], return_inverse=True)[1]
        both = (word[:, None] * (1 + column.max()) + column).ravel()
        n_levels, n_both = len(np.unique(inside)), (1 + word.max()) * (1 + column.max())
        is_one = len(np.unique(both * (1 + inside.max()) + inside.ravel())) == n_both
        if (inside < 0).any() or n_levels != n_both or not is_one:
            return None, None
        return _same(of_word), _same(of_column)

    @cached_property
    def free_effects(self) -> Index:
        """The effects that are columns of F."""
        effects = [t.table[t.table >= 0] for t in self.list_terms if t.words is None]
        return np.unique(np.concatenate([np.zeros(0, np.int64), *effects]))

    @cached_property
    def bulk(self) -> list[tuple[Array, int, bool]]:
        """Matrices S over words, the numbers of their variances, and whether they go with K.

        A number below 0 is −1 − that of a noise.
        """
        matrices: list[tuple[Array, int, bool]] = []
        alike = self.similarity is not None
        for term in self.attribute_terms:
            of_code = np.where(term.code >= 0, term.variance[term.code, 0], -1)
            for variance in np.unique(of_code[term.code >= 0]):
                code = np.where(of_code == variance, term.code, -1)
                acts = np.outer(code >= 0, code >= 0)
                matrix = np.where(acts, term.correlation[np.ix_(code, code)], 0.0)
                matrices.append((matrix, int(variance), alike and term.similar))
        for level in np.unique(self.noise_of_words):
            own = np.diag((self.noise_of_words == level).astype(float))
            matrices.append((own, -1 - int(level), False))
            if self.noise_similar[level]:
                matrices.append((own, int(self.noise_similar[level]), alike))
        return matrices

    @cached_property
    def low_rank(self) -> list[tuple[Array, int, Array]]:
        """Matrices S over words, the number of their variance, and M over columns."""
        matrices = [
            (listed.words, listed.variance, listed.columns)
            for listed in self.list_terms
            if listed.words is not None and listed.columns is not None
        ]
        start = self.n_lists
        for term in self.attribute_terms:
            size = term.loadings.shape[1]
            if size:
                own = np.zeros(self.columns.shape[1])
                own[start : start + size] = 1.0
                matrices.append((_same(term.code), NEARNESS, np.diag(own)))
            start += size
        return matrices


def _same(code: Index) -> Array:
    """Return the matrix of 1 where two have one code, 0 where they differ or have none, −1."""
    return ((code[:, None] == code) & (code >= 0)[:, None]).astype(float)
