"""A question is weights: on the connections' means, and on the effects of terms.

Every answer of a fit about distances (a mean, a contrast, that of a group, a word, a context) is a
linear function of the connection means and of effects. It is given by its weights (the L-matrix of
general linear hypotheses; Lenth's emmeans has it as linfct), which become draws (`draws_of`) or the
exact posterior. So a summary and a contrast agree, and a new question is a table of weights.

Means that a word, a group or a connection has where it has pairs are estimated with its levels'
effects (conditional modes, BLUPs in mixed models). Where it has none, a level that the data do not
have is drawn anew from its term's distribution: the answer is then as uncertain as a new level is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, vstack

from bayesbias.constants import (
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    KIND_OF_CONNECTION,
    MATCH,
    PROTECTED_WORD,
)
from bayesbias.models.design import Design
from bayesbias.models.levels import Term
from bayesbias.models.terms import ATTRIBUTE_KIND, WORD_COLUMNS
from bayesbias.support.arguments import Array, Index


@dataclass(frozen=True)
class LinearCombinations:
    """Linear functions of a fit's parameters, one a row.

    `mean` (F, n_connections): of the connection means. `effects`: by a term's name, of its effects,
    (F, n_levels + n_new); last those of levels that the data do not have. `new_sd` (n_new,): which
    of the term's standard deviations each of these has.
    """

    mean: Array
    effects: Mapping[str, csr_array]
    new_sd: Mapping[str, Index]

    def combined(self, matrix: Array | csr_array) -> "LinearCombinations":
        """Return linear combinations of the functions: matrix (G, F)."""
        by = csr_array(matrix)
        effects = {name: csr_array(by @ of_term) for name, of_term in self.effects.items()}
        return LinearCombinations(np.asarray(by @ self.mean), effects, self.new_sd)

    def rows(self, at: slice | Index) -> "LinearCombinations":
        """Return some of the functions."""
        effects = {name: of_term[at] for name, of_term in self.effects.items()}
        return LinearCombinations(self.mean[at], effects, self.new_sd)


def stacked(parts: Sequence[LinearCombinations]) -> LinearCombinations:
    """Return the functions of several, one after the other; all of one design."""
    effects, new_sd = {}, {}
    for name in dict.fromkeys(name for part in parts for name in part.effects):
        blocks = [part.effects.get(name, csr_array((len(part.mean), 0))).copy() for part in parts]
        width = max(block.shape[1] for block in blocks)
        for block in blocks:
            block.resize(block.shape[0], width)
        effects[name] = csr_array(vstack(blocks))
        new_sd[name] = max((part.new_sd[name] for part in parts if name in part.new_sd), key=len)
    return LinearCombinations(np.concatenate([part.mean for part in parts]), effects, new_sd)


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
    row, pair = np.repeat(np.arange(len(pairs)), list(map(len, pairs))), np.concatenate(pairs)
    return _means(design, row, design.connection[pair], terms, pair)


def _means(
    design: Design,
    row: Index,
    connection: Index,
    terms: Sequence[Term],
    pair: Index,
    absent: Sequence[Mapping[str, str]] = (),
) -> LinearCombinations:
    """Return rows of means over pairs, of what the given terms expect of each.

    `row`, `connection`, `pair` (n,): of each, its row, its connection and its number in the design.
    The last are pairs that the data do not have, of which `absent` has the columns: their levels
    are drawn anew, unless the data have them elsewhere.
    """
    n_rows, n_data = int(row.max()) + 1, len(row) - len(absent)
    share = 1.0 / np.bincount(row)[row]
    mean = np.zeros((n_rows, len(design.connections)))
    np.add.at(mean, (row, connection), share)
    effects, new_sd = {}, {}
    for term in terms:
        level = np.full(len(row), -1)
        level[:n_data] = term.level[pair[:n_data]]
        sds: list[int] = []
        if absent:
            levels = {key: i for i, key in enumerate(zip(*term.columns.values(), strict=True))}
            acts = np.isin(connection[n_data:], design.connection[term.acts])
            for i in np.flatnonzero(acts).tolist():
                key = tuple(absent[i][column] for column in term.columns)
                if key not in levels:
                    levels[key] = len(levels)
                    sds.append(_sd_of_new(term, absent[i]))
                level[n_data + i] = levels[key]
        acts = level >= 0
        size = n_rows, len(term.labels) + len(sds)
        effects[term.name] = csr_array((share[acts], (row[acts], level[acts])), shape=size)
        new_sd[term.name] = np.array(sds, np.int64)
    return LinearCombinations(mean, effects, new_sd)


def _sd_of_new(term: Term, columns: Mapping[str, str]) -> int:
    """Return a new level's standard deviation: its own, or that of another level of the word."""
    if (own := columns.get(term.sd_by or "")) in term.sd_labels:
        return term.sd_labels.index(str(own))
    words = term.columns.get(PROTECTED_WORD, ())
    return int(term.sd[words.index(word)]) if (word := columns[PROTECTED_WORD]) in words else 0


def group_weights(design: Design) -> LinearCombinations:
    """Return the mean of every protected group for every connection.

    Over words like the group's where groups have means of their own, else over its listed words.
    """
    _, first, counts = np.unique(design.group, return_index=True, return_counts=True)
    if design.has_groups:
        shared = tuple(t for t in design.cell_terms if not WORD_COLUMNS & set(t.columns))
        return _cells(design, first, shared)
    words = (design.group == np.arange(len(counts))[:, None]) / counts[:, None]
    # The same weights over words for every connection: words ⊗ I.
    return word_weights(design).combined(np.kron(words, np.eye(len(design.connections))))


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
    # The mean over the rows that have pairs, connection by connection.
    n_rows, n = int(row.max()) + 1, len(design.connections)
    has_pairs = np.zeros((n, n_rows, n))
    has_pairs[design.connection, row, design.connection] = 1.0
    matrix = has_pairs.reshape(n, -1)
    return means.combined(matrix / matrix.sum(axis=1, keepdims=True))


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
    row, connection, pair = (place[word] * n + connection)[wanted], connection[wanted], pair[wanted]
    absent, rows = [], []
    for i in np.setdiff1d(np.arange(len(words) * n), row).tolist():
        columns = _columns_without_pairs(design, int(words[i // n]), i % n)
        absent += columns
        rows += [i] * len(columns)
    new = np.array(rows, np.int64)
    row, connection = np.concatenate([row, new]), np.concatenate([connection, new % n])
    return _means(design, row, connection, terms, pair, absent)


def _columns_without_pairs(design: Design, word: int, connection: int) -> list[dict[str, str]]:
    """Return what a word's pairs of a connection would hold, for each list that it would have.

    The lists are those that other words of its group have in the connection, if any do.
    """
    name, text, group = design.connections[connection], design.protected_words[word], design.group
    match = text
    for term in design.terms:
        levels = term.level[(design.word == word) & term.acts]
        if MATCH in term.columns and len(levels):
            match = term.columns[MATCH][levels[0]]
    meets = design.connection == connection
    own = meets & (group[design.word] == group[word])
    return [
        {
            PROTECTED_WORD: text,
            GROUP: design.groups[group[word]],
            MATCH: match,
            CONNECTION: name,
            ATTRIBUTE_KIND: KIND_OF_CONNECTION[name],
            ATTRIBUTE_SET: design.attribute_sets[s],
        }
        for s in np.unique(design.attribute_set[own if own.any() else meets])
    ]
