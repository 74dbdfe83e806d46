"""A model's parameters for given data, whatever the engine, and what is asked of them.

Parameters have names, dimensions and coordinates. Some follow from others: the mean of every
protected word and connection, and the connection means of a model that fixes them.

A question is weights: on the connections' means, and on the effects of terms. Every answer of a fit
about distances (a mean, a contrast, that of a group, a word, a context) is a linear function of
these. It is given by its weights (the L-matrix of general linear hypotheses; Lenth's emmeans has it
as linfct), which become draws (`draws_of`) or the exact posterior. So a summary and a contrast
agree, and a new question is a table of weights.

Means are those of words, groups and connections that have pairs, estimated with their levels'
effects (conditional modes, BLUPs in mixed models). Of a connection without pairs of theirs nothing
is said: its row has no weights.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Final, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr
from scipy.sparse import csr_array, diags_array, eye_array

from bayesbias.models.design import NOISE_SIMILAR, WORD_COLUMNS, Design, Term
from bayesbias.support.arguments import Array, Index

NOISE_TOTAL: Final = "noise_total_sd"  # of the noise with its similar part: the prior is of these
NOISE_SHARE: Final = "noise_similar_share"  # of that part, in the variance


def axes(design: Design) -> dict[str, Mapping[str, tuple[str, ...]]]:
    """Return every parameter's dimensions with their labels: means, standard deviations, levels."""
    sds = {f"{t.name}_sd": dict.fromkeys(t.sd_dims, t.sd_labels) for t in design.terms if t.prior}
    total = dict.fromkeys(design.noise_dims, design.noise_labels)
    of_noise = {"noise_sd": total}
    if (has_part := design.noise_similar).any():
        labels = tuple(compress(design.noise_labels, has_part))
        start = "" if has_part.all() else f"{NOISE_SIMILAR}_"
        similar = {f"{start}{dim}": labels for dim in design.noise_dims}
        of_noise |= {NOISE_SIMILAR: similar, NOISE_TOTAL: total, NOISE_SHARE: similar}
    connections = {"connection": design.connections}
    return {
        "connection_mean": connections,
        **(sds | of_noise),
        "word_mean": {"protected_word": design.protected_words, **connections},
        **{f"{t.name}_effect": {f"{t.name}_level": t.labels} for t in design.terms},
    }


def drawn_shapes(design: Design) -> dict[str, tuple[int, ...]]:
    """Return the shape of every parameter that does not follow from others."""
    follow = {"word_mean", NOISE_TOTAL, NOISE_SHARE}
    follow |= set() if design.fixed_mean is None else {"connection_mean"}
    drawn = {name: of for name, of in axes(design).items() if name not in follow}
    return {name: tuple(map(len, of.values())) for name, of in drawn.items()}


def coordinates(design: Design) -> dict[str, list[str]]:
    """Return the labels of all dimensions of a posterior's parameters, but for chain and draw."""
    return {dim: list(of) for dims in axes(design).values() for dim, of in dims.items()}


def labelled(values: Mapping[str, Array], design: Design, *, draws: int, chains: int) -> xr.Dataset:
    """Return draws (chains × draws, ...) of some parameters as a posterior, cut into chains."""
    variables = {
        name: (("chain", "draw", *of), values[name].reshape(chains, draws, *map(len, of.values())))
        for name, of in axes(design).items()
        if name in values
    }
    coords = {"chain": np.arange(chains), "draw": np.arange(draws), **coordinates(design)}
    return xr.Dataset(variables, coords=coords)


def samples(posterior: xr.Dataset, name: str) -> Array:
    """Return a parameter's draws as an array (chain × draw, its own dimensions)."""
    # `posterior[name]` would put its coordinates together first.
    array = posterior.variables[name].transpose("chain", "draw", ...).to_numpy()
    return np.asarray(array.reshape(-1, *array.shape[2:]))


def sds_of(posterior: xr.Dataset, design: Design) -> Array:
    """Return draws of all standard deviations, (n_sds, draws), at their `Design.sd_places`."""
    n = posterior.sizes["chain"] * posterior.sizes["draw"]
    fixed = [sd if isinstance(sd, float) else np.nan for sd in design.sd_priors]
    sds = np.repeat(np.array(fixed)[:, None], n, axis=1)
    for name, at in design.sd_places.items():
        if name in posterior:
            sds[at] = samples(posterior, name).reshape(n, -1).T
    return sds


def derived(values: Mapping[str, Array], design: Design) -> dict[str, Array]:
    """Return the parameters that follow from the others, draws first.

    ``word_mean`` (draws, n_words, n_connections), NaN for a word without pairs of a connection;
    ``connection_mean`` that the model fixes; the whole noise where a part of it is similar.
    """
    words, shape = word_weights(design), (len(design.protected_words), len(design.connections))
    drawn = draws_of(design, words, values)
    drawn[:, np.diff(words.indptr) == 0] = np.nan
    follow: dict[str, Array] = {"word_mean": drawn.reshape(len(drawn), *shape)}
    if design.fixed_mean is not None:
        follow["connection_mean"] = draws_of(design, connection_weights(design), values)
    if NOISE_SIMILAR in values:
        own, similar = values["noise_sd"], values[NOISE_SIMILAR]
        total, part = own.reshape(len(own), -1).copy(), similar.reshape(len(similar), -1)
        # Variances of independent parts add up.
        total[:, design.noise_similar] = np.hypot(total[:, design.noise_similar], part)
        share = (part / total[:, design.noise_similar]) ** 2
        follow |= {NOISE_TOTAL: total.reshape(own.shape), NOISE_SHARE: share.reshape(similar.shape)}
    return follow


Weights: TypeAlias = csr_array
"""Linear functions, one a row, of the means of connections and all effects (`Design.places`)."""


def draws_of(design: Design, weights: Weights, values: Mapping[str, Array]) -> Array:
    """Return draws of linear functions of the parameters, (draws, F)."""
    total = np.zeros((weights.shape[0], len(values["noise_sd"])))
    for name, at in design.places.items():
        if name == "connection_mean" and design.fixed_mean is not None:
            total += design.fixed_mean * weights[:, at].sum(axis=1)[:, None]
        elif (own := weights[:, at]).nnz:
            total += own @ values[name].T
    return np.asarray(total.T)


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

    def of_pairs(self) -> tuple[Index, Index]:
        """Return the cell of every pair that is in one, and these pairs."""
        sizes = [len(pairs) for pairs in self.pairs]
        return np.repeat(np.arange(len(sizes)), sizes), np.concatenate(self.pairs)


def word_weights(design: Design) -> Weights:
    """Return the mean of every protected word for every connection, (n_words × n_connections) rows.

    It is over attributes like the listed ones: without effects of single attributes.
    """
    return _by_connection(design, design.word, design.word, design.cell_terms)


def group_weights(design: Design) -> Weights:
    """Return the mean of every protected group for every connection.

    Over words like the group's where groups have means of their own, else over its listed words.
    """
    return _by_connection(design, design.pair_group, *_units(design))


def connection_weights(design: Design) -> Weights:
    """Return the mean of every connection: over groups, or over listed words; see `_units`."""
    if not design.has_groups and design.fixed_mean is None:
        return eye_array(len(design.connections), design.n_parameters, format="csr")
    return _by_connection(design, np.zeros_like(design.word), *_units(design))


def cell_weights(design: Design, cells: Cells, *, of_connections: bool = False) -> Weights:
    """Return the mean of every cell, over words and attributes like the listed ones.

    Where a model gives groups no means of their own (`paper`, `crossed`), over the group's listed
    words; or, `of_connections`, over words like all listed ones: the connection's mean.
    """
    unit, terms = _units(design)
    if of_connections and not design.has_groups and design.fixed_mean is None:
        terms = ()
    cell, pair = cells.of_pairs()
    return _means(design, cell, unit[pair], terms, pair)


def word_cell_weights(design: Design, cells: Cells) -> tuple[Index, Index, Weights]:
    """Return the mean of every word in every cell of its group: words, cells, and weights."""
    cell, pair = cells.of_pairs()
    both, row = np.unique(cell * len(design.group) + design.word[pair], return_inverse=True)
    cell, word = np.divmod(both, len(design.group))
    return word, cell, _means(design, row, row, design.cell_terms, pair)


def _units(design: Design) -> tuple[Index, tuple[Term, ...]]:
    """Return what means of groups are over, (n_pairs,), groups or words, and the terms they add."""
    if not design.has_groups:
        return design.word, design.cell_terms
    shared = (term for term in design.cell_terms if not WORD_COLUMNS & set(term.columns))
    return design.pair_group, tuple(shared)


def _by_connection(design: Design, label: Index, unit: Index, terms: Sequence[Term]) -> Weights:
    """Return the means of labels (n_pairs,), from 0, crossed with connections; see `_means`."""
    n, pair = len(design.connections), np.arange(len(label))
    row = label * n + design.connection
    return _means(design, row, unit, terms, pair, n_rows=n * (int(label.max()) + 1))


def _means(
    design: Design, row: Index, unit: Index, terms: Sequence[Term], pair: Index, n_rows: int = 0
) -> Weights:
    """Return means over units of means over lists, of what the given terms expect of a pair.

    `row`, `unit` (n,): of each `pair`; rows are `n_rows`, or as many as these have. One pair stands
    for all of a unit with a list.
    """
    base, n_lists = int(unit.max()) + 1, len(design.attribute_sets)
    both = row * base + unit
    first = np.unique(both * n_lists + design.attribute_set[pair], return_index=True)[1]
    row, pair = row[first], pair[first]
    both, of_pair, n_pairs = np.unique(both[first], return_inverse=True, return_counts=True)
    share = 1.0 / (np.bincount(both // base)[row] * n_pairs[of_pair])
    size = max(n_rows, int(row.max()) + 1), len(design.response)
    averaged = csr_array((share, (row, pair)), shape=size) @ design.incidence
    is_counted = np.zeros(design.n_parameters)
    for name in ("connection_mean", *(f"{term.name}_effect" for term in terms)):
        is_counted[design.places[name]] = 1.0
    weights = csr_array(averaged @ diags_array(is_counted))
    weights.eliminate_zeros()
    return weights
