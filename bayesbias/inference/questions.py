"""A question is weights: on the connections' means, and on the effects of terms.

Every answer of a fit about distances (a mean, a contrast, that of a group, a word, a run) is a
linear function of the connection means and of effects. It is given by its weights (the L-matrix of
general linear hypotheses; Lenth's emmeans has it as linfct), and one function
(`fits.quantities.posterior_of`) turns weights into draws and, where the engine has it, into the
exact posterior. So a summary and a contrast agree, and a new question is a table of weights.

Means that a word, a group or a connection has where it has pairs are estimated with its levels'
effects (conditional modes, BLUPs in mixed models). Where it has none, a level that the data do not
have is drawn anew from its term's distribution: the answer is then as uncertain as a new level is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.sparse import csr_array, lil_array, vstack

from bayesbias.constants import (
    ATTRIBUTE_SET,
    CONNECTION,
    EMBEDDING,
    GROUP,
    KIND_OF_CONNECTION,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.inference.design import Design
from bayesbias.inference.levels import Term
from bayesbias.inference.terms import ATTRIBUTE_KIND, DERIVED, PAIR_KIND
from bayesbias.support.arrays import Array, Index, Mask


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
    names = dict.fromkeys(name for part in parts for name in part.effects)
    new_sd: dict[str, Index] = {}
    effects = {}
    for name in names:
        width = max(part.effects[name].shape[1] for part in parts if name in part.effects)
        for part in parts:
            if len(part.new_sd.get(name, ())) >= len(new_sd.get(name, ())):
                new_sd[name] = part.new_sd.get(name, np.zeros(0, np.int64))
        blocks = []
        for part in parts:
            blocks.append(csr_array((len(part.mean), width)))
            if (of := part.effects.get(name)) is not None:
                blocks[-1] = csr_array(
                    (of.data, of.indices, of.indptr), shape=(len(part.mean), width)
                )
        effects[name] = csr_array(vstack(blocks))
    return LinearCombinations(np.concatenate([part.mean for part in parts]), effects, new_sd)


def word_weights(design: Design) -> LinearCombinations:
    """Return the mean of every protected word for every connection, (n_words × n_connections) rows.

    It is over attributes like the listed ones: the connection's mean and the effects of the terms
    that say nothing of single attributes, averaged over the lists of the connection. Where a word
    has no pairs with a connection and its level is not known from elsewhere, the level is drawn
    anew from the term's distribution.
    """
    return _cells(design, design.protected, design.cell_terms)


@dataclass(frozen=True)
class ListPairs:
    """Which pairs say how far every protected group is from every list of stereotypes.

    `lists` (n_lists,): indices of attribute lists. `rows`: by place of a group among the protected
    ones and place of a list, the group's pairs with the list, and `pairs`, the first of each of its
    words; no entry where there is none. `own` (n_groups, n_lists): whether the list is associated
    with the group.
    """

    lists: Index
    rows: Mapping[tuple[int, int], Index]
    pairs: Mapping[tuple[int, int], Index]
    own: Mask

    @classmethod
    def of(cls, design: Design) -> "ListPairs":
        """Find them; a group with pairs of both connections with a list owns the list."""
        places = {name: at for at, name in enumerate(design.connections)}
        at = [places[name] for name in STEREOTYPE_CONNECTIONS if name in places]
        of_stereotypes = np.isin(design.connection, at)
        lists = np.unique(design.attribute_set[of_stereotypes])
        rows: dict[tuple[int, int], Index] = {}
        own = np.zeros((len(design.protected_groups), len(lists)), dtype=bool)
        for (i, g), (j, s) in product(enumerate(design.protected_groups), enumerate(lists)):
            met = of_stereotypes & (design.pair_group == g) & (design.attribute_set == s)
            found = np.flatnonzero(met)
            if not len(found):
                continue
            associated = design.connection[found] == places.get(STEREOTYPE_CONNECTIONS[0], -1)
            own[i, j] = associated.any()
            rows[i, j] = found[associated] if own[i, j] else found
        first = {k: np.unique(design.word[r], return_index=True)[1] for k, r in rows.items()}
        return cls(lists, rows, {key: rows[key][at] for key, at in first.items()}, own)

    def groups(self, place: int) -> tuple[Index, Index]:
        """Return the places of the groups that a list is associated with, and of the others.

        On a list that is nobody's, the first group is compared with the others.
        """
        met = np.array([(i, place) in self.pairs for i in range(len(self.own))])
        own = self.own[:, place]
        if not own.any():
            own = np.arange(len(met)) == met.argmax()
        return np.flatnonzero(met & own), np.flatnonzero(met & ~own)

    @property
    def compared(self) -> list[int]:
        """The places of the lists that have groups on both sides.

        Those that are nobody's are among them where others are.
        """
        found = [j for j in range(len(self.lists)) if all(map(len, self.groups(j)))]
        return found if self.own[:, found].any() else []


def list_weights(design: Design, found: ListPairs) -> LinearCombinations:
    """Return the mean of protected groups for lists of stereotypes, in the order of `found.pairs`.

    Over words and attributes like the listed ones where groups have means of their own, else over
    the group's listed words that meet the list.
    """
    terms = design.cell_terms
    each = list(found.pairs.values())
    if design.has_groups:
        terms = tuple(t for t in terms if PROTECTED_WORD not in t.columns)
        each = [pairs[:1] for pairs in each]
    mean = np.zeros((len(each), len(design.connections)))
    effects = {term.name: lil_array((len(each), len(term.labels))) for term in terms}
    for row, pairs in enumerate(each):
        for at in pairs:
            mean[row, design.connection[at]] += 1 / len(pairs)
            for term in terms:
                if term.level[at] >= 0:
                    effects[term.name][row, term.level[at]] += 1 / len(pairs)
    none: dict[str, Index] = {name: np.zeros(0, np.int64) for name in effects}
    return LinearCombinations(mean, {name: csr_array(of) for name, of in effects.items()}, none)


def between_weights(
    design: Design, found: ListPairs, controls: Sequence[str] = ()
) -> LinearCombinations:
    """Return, list by list, how much closer the groups are that it is associated with.

    The mean over these groups of the mean distance to the list, minus the mean over the other
    groups: effects of lists and attributes cancel, and no reference word enters. A row for each of
    `found.compared`; then, for each of `controls`, the same minus that difference for the control's
    words, which leaves out what a group has with all attributes.
    """
    n_groups = len(design.protected_groups)
    signs = np.zeros((len(found.compared), n_groups))
    for row, place in zip(signs, found.compared, strict=True):
        own, others = found.groups(place)
        row[own], row[others] = 1 / len(own), -1 / len(others)
    # By entries of `found.pairs`, each of a group and a list.
    group, of_list = np.array(list(found.pairs), np.int64).reshape(-1, 2).T
    of_lists = signs[:, group] * (of_list == np.array(found.compared)[:, None])
    means, n = group_weights(design), len(design.protected_connections)
    matrix = [np.hstack([of_lists, np.zeros((len(signs), n_groups * n))])]
    for control in controls:
        at = design.protected_connection_names.index(control)
        # Means are ordered by group, then connection: a Kronecker product picks one connection.
        of_control = np.kron(signs, np.eye(n)[at])
        matrix.append(np.hstack([of_lists, -of_control]))
    return stacked([list_weights(design, found), means]).combined(np.vstack(matrix))


def group_weights(design: Design) -> LinearCombinations:
    """Return the mean of every protected group for every connection.

    Over words like the group's where groups have means of their own, else over its listed words.
    """
    members = [np.flatnonzero(design.group[design.protected] == g) for g in design.protected_groups]
    n = len(design.protected_connections)
    if design.has_groups:
        shared = tuple(t for t in design.cell_terms if PROTECTED_WORD not in t.columns)
        first = np.array([design.protected[words[0]] for words in members])
        return _cells(design, first, shared)
    words = np.zeros((len(members), len(design.protected)))
    for row, own in zip(words, members, strict=True):
        row[own] = 1.0 / len(own)
    # The same weights over words for every connection: words ⊗ I.
    return word_weights(design).combined(np.kron(words, np.eye(n)))


def connection_weights(design: Design) -> LinearCombinations:
    """Return the mean of every connection.

    Over groups where these have means of their own, over listed words where the model fixes the
    means.
    """
    if not design.has_groups and design.fixed_mean is None:
        of_all = {EMBEDDING, CONNECTION, *DERIVED}
        own = [t for t in design.cell_terms if EMBEDDING in t.columns and set(t.columns) <= of_all]
        return _cells(design, design.protected[:1], own)
    counts = design.cell_counts[np.ix_(design.protected, design.protected_connections)]
    has_pairs, means = counts > 0, word_weights
    if design.has_groups:
        group, means = design.group[design.protected], group_weights
        has_pairs = np.stack([has_pairs[group == g].any(axis=0) for g in design.protected_groups])
    # The mean over the rows that have pairs, connection by connection.
    n_rows, n = has_pairs.shape
    matrix, at = np.zeros((n, n_rows, n)), np.arange(n)
    matrix[at, :, at] = (has_pairs / has_pairs.sum(axis=0)).T
    return means(design).combined(matrix.reshape(n, n_rows * n))


def _cells(design: Design, words: Index, terms: Sequence[Term]) -> LinearCombinations:
    """Return the weights of words × connections, from the given terms."""
    mean = np.zeros((len(words), len(design.protected_connections), len(design.connections)))
    mean[:, np.arange(len(design.protected_connections)), design.protected_connections] = 1.0
    effects, new_sd = {}, {}
    for term in terms:
        found = _levels_of_cells(design, words, term)
        if found is not None:
            effects[term.name], new_sd[term.name] = found
    return LinearCombinations(mean.reshape(-1, len(design.connections)), effects, new_sd)


def _levels_of_cells(design: Design, words: Index, term: Term) -> tuple[csr_array, Index] | None:
    """Return the weights of a term's levels in every cell, and the sds of new levels.

    None for a term by protected group where a word stands in several groups.
    """
    shape = design.cell_shape
    n_sets = len(design.attribute_sets)
    acts = term.acts
    cell = design.cell[acts] * n_sets + design.attribute_set[acts]
    cells, first = np.unique(cell, return_index=True)
    level = term.level[acts][first]
    # The level must follow from word, connection and list; not so where a word is of two groups.
    if not np.array_equal(level[np.searchsorted(cells, cell)], term.level[acts]):
        return None
    place = np.full(shape[0] * shape[1], -1, np.int64)
    wanted = (words[:, None] * shape[1] + design.protected_connections).ravel()
    place[wanted] = np.arange(len(wanted))
    row = place[cells // n_sets]
    row, column = row[row >= 0], level[row >= 0]
    new_sd = np.zeros(0, np.int64)
    empty = np.setdiff1d(np.arange(len(wanted)), row)
    if len(empty):
        new_row, new_column, new_sd = _new_levels(design, term, wanted, empty)
        row, column = np.concatenate([row, new_row]), np.concatenate([column, new_column])
    # A word that meets several lists in a connection has their mean.
    share = 1.0 / np.bincount(row, minlength=len(wanted))[row] if len(row) else np.zeros(0)
    size = (len(wanted), len(term.labels) + len(new_sd))
    return csr_array((share, (row, column)), shape=size), new_sd


def _new_levels(
    design: Design, term: Term, wanted: Index, empty: Index
) -> tuple[Index, Index, Index]:
    """Return rows, levels and sds of new levels for cells without pairs, where the term acts."""
    acting = np.unique(design.connection[term.acts])
    known = {key: i for i, key in enumerate(zip(*term.columns.values(), strict=True))}
    rows, levels, new_sd = [], [], []
    for at in empty[np.isin(wanted[empty] % design.cell_shape[1], acting)]:
        word, connection = divmod(int(wanted[at]), design.cell_shape[1])
        for cell in _values(design, word, connection, term):
            key = tuple(cell[column] for column in term.columns)
            if key not in known:
                known[key] = len(known)
                # Its own standard deviation, or that of another level of the word.
                words = term.columns.get(PROTECTED_WORD, ())
                same = [i for i, name in enumerate(words) if name == cell[PROTECTED_WORD]]
                value = cell.get(term.sd_by or "")
                is_known = value in term.sd_labels
                other = int(term.sd[same[0]]) if same else 0
                new_sd.append(term.sd_labels.index(value) if is_known else other)
            rows.append(int(at))
            levels.append(known[key])
    found = [np.array(part, dtype=np.int64) for part in (rows, levels, new_sd)]
    return found[0], found[1], found[2]


def _values(design: Design, word: int, connection: int, term: Term) -> list[dict[str, str]]:
    """Return what the columns of a cell without pairs would hold, for each list it would have."""
    name = design.connections[connection]
    cell = {
        PROTECTED_WORD: design.protected_words[word],
        GROUP: design.groups[design.group[word]],
        CONNECTION: name,
        ATTRIBUTE_KIND: KIND_OF_CONNECTION[name],
        PAIR_KIND: KIND_OF_CONNECTION[name],
    }
    if EMBEDDING in term.columns:
        cell[EMBEDDING] = term.columns[EMBEDDING][term.level[term.acts][0]]
    if ATTRIBUTE_SET not in term.columns:
        return [cell]
    of_connection = design.connection == connection
    own = of_connection & (design.group[design.word] == design.group[word])
    sets = np.unique(design.attribute_set[own if own.any() else of_connection])
    return [cell | {ATTRIBUTE_SET: design.attribute_sets[s]} for s in sets]
