"""A question is weights: on the connections' means, and on the effects of terms.

Every answer of a fit about distances (a mean, a contrast, that of a group, a word, a context) is a
linear function of the connection means and of effects. It is given by its weights (the L-matrix of
general linear hypotheses; Lenth's emmeans has it as linfct), which become draws (`draws_of`) or the
exact posterior. So a summary and a contrast agree, and a new question is a table of weights.

Means are those of words, groups and connections that have pairs, estimated with their levels'
effects (conditional modes, BLUPs in mixed models). Of a connection without pairs of theirs nothing
is said: its row has no weights.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, vstack

from bayesbias.models.design import Design
from bayesbias.models.levels import Term
from bayesbias.models.terms import WORD_COLUMNS
from bayesbias.support.arguments import Array, Index


@dataclass(frozen=True)
class LinearCombinations:
    """Linear functions of a fit's parameters, one a row.

    `mean` (F, n_connections): of the connection means. `effects`: by a term's name, of its effects,
    (F, n_levels).
    """

    mean: Array
    effects: Mapping[str, csr_array]

    def combined(self, matrix: Array | csr_array) -> "LinearCombinations":
        """Return linear combinations of the functions: matrix (G, F)."""
        by = csr_array(matrix)
        effects = {name: csr_array(by @ of_term) for name, of_term in self.effects.items()}
        return LinearCombinations(np.asarray(by @ self.mean), effects)

    def rows(self, at: slice | Index) -> "LinearCombinations":
        """Return some of the functions."""
        effects = {name: of_term[at] for name, of_term in self.effects.items()}
        return LinearCombinations(self.mean[at], effects)


def stacked(parts: Sequence[LinearCombinations]) -> LinearCombinations:
    """Return the functions of several, one after the other; all of one design."""
    widths = {name: own.shape[1] for part in parts for name, own in part.effects.items()}
    effects = {
        name: [p.effects.get(name, csr_array((len(p.mean), width))) for p in parts]
        for name, width in widths.items()
    }
    mean = np.concatenate([part.mean for part in parts])
    return LinearCombinations(mean, {name: csr_array(vstack(of)) for name, of in effects.items()})


def word_weights(design: Design) -> LinearCombinations:
    """Return the mean of every protected word for every connection, (n_words × n_connections) rows.

    It is over attributes like the listed ones: the connection's mean and the effects of the terms
    that say nothing of single attributes, averaged over the lists of the connection.
    """
    return _cells(design, np.arange(len(design.protected_words)), design.cell_terms)


@dataclass(frozen=True)
class Cells:
    """The cells of the table of means: every protected group with every attribute list.

    `group`, `list`, `connection` (n_cells,): indices into the labels of a design. `pairs`: the rows
    of the frame of every cell; where a list is associated with some words of a group and different
    for others, those of the former.
    """

    group: Index
    list: Index
    connection: Index
    pairs: tuple[Index, ...]

    @classmethod
    def of(cls, design: Design) -> "Cells":
        """Find the cells that have pairs, by kind of list, list and group."""
        kind, connection = design.kind[design.attribute], design.connection
        by_cell = pd.Series(connection).groupby([design.attribute_set, design.pair_group]).indices
        cells = sorted((kind[rows[0]], *cell, rows) for cell, rows in by_cell.items())
        _, lists, groups, rows_of_cells = zip(*cells, strict=True)
        pairs = tuple(rows[connection[rows] == connection[rows].min()] for rows in rows_of_cells)
        first = np.array([rows[0] for rows in pairs])
        return cls(np.array(groups), np.array(lists), connection[first], pairs)


def cell_weights(
    design: Design, cells: Cells, *, of_connections: bool = False
) -> LinearCombinations:
    """Return the mean of every cell, over words and attributes like the listed ones.

    Where a model gives groups no means of their own (`paper`, `crossed`), over the group's listed
    words; or, `of_connections`, over words like all listed ones: the connection's mean.
    """
    terms, words = design.cell_terms, [_first_pairs(design.word, pairs) for pairs in cells.pairs]
    if design.has_groups:
        terms = tuple(term for term in terms if not WORD_COLUMNS & set(term.columns))
        words = [first[:1] for first in words]
    elif of_connections and design.fixed_mean is None:
        terms = ()
    return _means_of_pairs(design, words, terms)


def word_cell_weights(design: Design, cells: Cells) -> tuple[Index, Index, LinearCombinations]:
    """Return the mean of every word in every cell of its group: words, cells, and weights."""
    first = [_first_pairs(design.word, pairs) for pairs in cells.pairs]
    cell = np.repeat(np.arange(len(first)), [len(pairs) for pairs in first])
    pairs = np.concatenate(first)
    weights = _means_of_pairs(design, list(pairs[:, None]), design.cell_terms)
    return design.word[pairs], cell, weights


def _first_pairs(word: Index, pairs: Index) -> Index:
    """Return the first of some pairs for every word that they have."""
    return pairs[np.unique(word[pairs], return_index=True)[1]]


def _means_of_pairs(
    design: Design, pairs: Sequence[Index], terms: Sequence[Term]
) -> LinearCombinations:
    """Return the mean over some pairs, of what the given terms expect of each."""
    return _means(design, np.repeat(np.arange(len(pairs)), [*map(len, pairs)]), pairs, terms)


def _means(
    design: Design, row: Index, pairs: Sequence[Index], terms: Sequence[Term], n_rows: int = 0
) -> LinearCombinations:
    """Return rows of means over pairs, of what the given terms expect of each.

    `row` (n,): of each of the `pairs`, put together; rows are `n_rows` or as many as these have.
    """
    pair = np.concatenate(pairs)
    count = np.bincount(row, minlength=n_rows)
    share = 1.0 / count[row]
    mean = np.zeros((len(count), len(design.connections)))
    np.add.at(mean, (row, design.connection[pair]), share)
    effects = {}
    for term in terms:
        level = term.level[pair]
        acts, size = level >= 0, (len(count), len(term.labels))
        effects[term.name] = csr_array((share[acts], (row[acts], level[acts])), shape=size)
    return LinearCombinations(mean, effects)


def group_weights(design: Design) -> LinearCombinations:
    """Return the mean of every protected group for every connection.

    Over words like the group's where groups have means of their own, else over its listed words.
    """
    if design.has_groups:
        first = np.unique(design.group, return_index=True)[1]
        shared = tuple(t for t in design.cell_terms if not WORD_COLUMNS & set(t.columns))
        return _cells(design, first, shared)
    return _over_rows(design, word_weights(design), design.word, design.pair_group)


def connection_weights(design: Design) -> LinearCombinations:
    """Return the mean of every connection.

    Over groups where these have means of their own, over listed words where the model fixes the
    means.
    """
    if not design.has_groups and design.fixed_mean is None:
        return _cells(design, np.zeros(1, np.int64), ())
    means, row = word_weights(design), design.word
    if design.has_groups:
        means, row = group_weights(design), design.pair_group
    return _over_rows(design, means, row, np.zeros(len(row), np.int64))


def _over_rows(
    design: Design, means: LinearCombinations, row: Index, wanted: Index
) -> LinearCombinations:
    """Return means over words or groups, of those that have pairs, connection by connection.

    `row`, `wanted` (n_pairs,): the word or group of every pair, and whose mean is wanted.
    """
    n, connection = len(design.connections), design.connection
    matrix = np.zeros(((int(wanted.max()) + 1) * n, (int(row.max()) + 1) * n))
    matrix[wanted * n + connection, row * n + connection] = 1.0
    return means.combined(matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1.0))


def _cells(design: Design, words: Index, terms: Sequence[Term]) -> LinearCombinations:
    """Return the weights of words × connections, from the given terms, over each one's lists."""
    n = len(design.connections)
    shape = len(design.protected_words), n, len(design.attribute_sets)
    key = np.ravel_multi_index((design.word, design.connection, design.attribute_set), shape)
    key, pair = np.unique(key, return_index=True)
    word, connection, _ = np.unravel_index(key, shape)
    place = np.full(shape[0], -1)
    place[words] = np.arange(len(words))
    wanted = place[word] >= 0
    row = (place[word] * n + connection)[wanted]
    return _means(design, row, [pair[wanted]], terms, len(words) * n)
