"""The mean of every protected word for every connection, which follows from the terms' effects.

It is over attributes like the listed ones: the connection's mean and the effects of the terms that
say nothing beyond protected word and connection. Where a word has no pairs with a connection and
its level is not known from elsewhere, the level is drawn anew from the term's distribution.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesbias.constants import CONNECTION, GROUP, KIND_OF_CONNECTION, PROTECTED_WORD
from bayesbias.inference.design import Design
from bayesbias.inference.levels import Index, Term
from bayesbias.inference.terms import ATTRIBUTE_KIND, CELL_COLUMNS

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CellLevels:
    """The level that a term has for every protected word and connection.

    Parameters
    ----------
    term : Term
    level : ndarray of int, shape (n_words, n_connections)
        Index into the term's levels and, after these, the new ones; −1 where it does not act.
    new_sd : ndarray of int, shape (n_new_levels,)
        Which of the term's standard deviations each new level has.
    """

    term: Term
    level: Index
    new_sd: Index


def cell_levels(design: Design) -> tuple[CellLevels, ...]:
    """Return the terms that a word's mean consists of, with their levels.

    A term by protected group is left out where a word stands in several groups.
    """
    found = []
    for term in design.terms:
        if set(term.columns) <= set(CELL_COLUMNS):
            level = np.full(design.cell_shape, -1, np.int64)
            acts = term.acts
            level[design.word[acts], design.connection[acts]] = term.level[acts]
            if np.array_equal(level[design.word, design.connection][acts], term.level[acts]):
                found.append(_filled(design, term, level))
    return tuple(found)


def _filled(design: Design, term: Term, level: Index) -> CellLevels:
    """Find the levels of cells without pairs, new ones where the data have them nowhere."""
    acting = np.isin(np.arange(len(design.connections)), design.connection[term.acts])
    known = {key: i for i, key in enumerate(zip(*term.columns.values(), strict=True))}
    new_sd = []
    for word, connection in zip(*np.nonzero((level < 0) & acting), strict=True):
        cell = _values(design, int(word), int(connection))
        key = tuple(cell[column] for column in term.columns)
        if key not in known:
            known[key] = len(known)
            new_sd.append(_sd_of(term, cell))
        level[word, connection] = known[key]
    return CellLevels(term, level, np.array(new_sd, dtype=np.int64))


def _values(design: Design, word: int, connection: int) -> dict[str, str]:
    name = design.connections[connection]
    return {
        PROTECTED_WORD: design.protected_words[word],
        GROUP: design.groups[design.group[word]],
        CONNECTION: name,
        ATTRIBUTE_KIND: KIND_OF_CONNECTION[name],
    }


def _sd_of(term: Term, cell: Mapping[str, str]) -> int:
    """Return which standard deviation a new level has, or that of another level of the word."""
    value = cell.get(term.sd_by or "")
    if value in term.sd_labels:
        return term.sd_labels.index(value)
    words = term.columns.get(PROTECTED_WORD, ())
    same = [i for i, word in enumerate(words) if word == cell[PROTECTED_WORD]]
    return int(term.sd[same[0]]) if same else 0


def sds_of(term: Term, values: Mapping[str, Array]) -> Array:
    """Return a term's standard deviations, fixed or drawn: shape (draws or 1, n_sds)."""
    if term.fixed_sd is not None:
        return np.array([[term.fixed_sd]])
    drawn = values[f"{term.name}_sd"]
    return drawn.reshape(len(drawn), -1)


def derived(
    values: Mapping[str, Array], design: Design, rng: np.random.Generator
) -> dict[str, Array]:
    """Return the parameters that follow from the others: word means, and a fixed model's means.

    Parameters
    ----------
    values : mapping of str to ndarray
        Draws of ``connection_mean`` (unless the model fixes it), of the standard deviations and
        of the effects; the first axis is that of the draws.
    design : Design
    rng : Generator
        For levels that the data do not have.

    Returns
    -------
    dict
        ``word_mean``, shape (draws, n_words, n_connections). Where the model fixes the connection
        means also ``connection_mean``: the plain mean over the words that have pairs.
    """
    n_draws = len(values["noise_sd"])
    word_mean = np.empty((n_draws, *design.cell_shape))
    fixed = design.fixed_mean
    word_mean[:] = values["connection_mean"][:, None, :] if fixed is None else fixed
    for cells in cell_levels(design):
        effects = values[f"{cells.term.name}_effect"]
        new = rng.standard_normal((n_draws, len(cells.new_sd)))
        new *= sds_of(cells.term, values)[:, cells.new_sd]
        none = np.zeros((n_draws, 1))  # the last column, where the index is −1
        word_mean += np.concatenate([effects, new, none], axis=1)[:, cells.level]
    if fixed is None:
        return {"word_mean": word_mean}
    has_pairs = design.cell_counts > 0
    mean = (word_mean * has_pairs).sum(axis=1) / has_pairs.sum(axis=0)
    return {"word_mean": word_mean, "connection_mean": mean}
