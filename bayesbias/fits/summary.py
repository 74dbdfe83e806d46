"""Means with intervals, level by level: the paper's table, and those of every other level."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd
import xarray as xr
from scipy.sparse import csr_array, eye_array

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    CONTROL_CONNECTIONS,
    GROUP,
    PROTECTED_WORD,
)
from bayesbias.errors import FitError
from bayesbias.models.design import NOISE_SIMILAR, Design
from bayesbias.models.parameters import (
    Cells,
    Weights,
    cell_weights,
    connection_weights,
    group_weights,
    samples,
    word_weights,
)
from bayesbias.support.arguments import Array, Index
from bayesbias.words.provenance import missing_of, source_of

Asked = tuple[pd.DataFrame, Weights]
"""Labels, a row for each quantity, and the weights of each."""


def _of_connections(design: Design) -> Asked:
    row = np.zeros(len(design.word), np.int64)
    return _crossed(design, {}, row, connection_weights(design))


def _of_groups(design: Design) -> Asked:
    return _crossed(design, {GROUP: design.groups}, design.pair_group, group_weights(design))


def _of_words(design: Design) -> Asked:
    groups = [design.groups[g] for g in design.group]
    columns = {PROTECTED_WORD: design.protected_words, GROUP: groups}
    return _crossed(design, columns, design.word, word_weights(design))


def _crossed(
    design: Design, columns: Mapping[str, Sequence[str]], row: Index, weights: Weights
) -> Asked:
    """Return rows, crossed with connections, that have pairs: how many, and their plain mean.

    `columns`: of the rows; `row` (n_pairs,): of every pair.
    """
    n = len(design.connections)
    counts, sums = (np.bincount(row * n + design.connection, of) for of in (None, design.response))
    at = np.flatnonzero(counts)
    labels = {name: [values[i // n] for i in at.tolist()] for name, values in columns.items()}
    labels[CONNECTION] = [design.connections[i % n] for i in at.tolist()]
    table = pd.DataFrame(labels, dtype=object)
    return table.assign(n_pairs=counts[at], observed=sums[at] / counts[at]), weights[at]


def _of_lists(design: Design) -> Asked:
    """Ask for the table of cell means."""
    cells = Cells.of(design)
    labels = pd.DataFrame(
        {
            "list": [design.attribute_sets[s] for s in cells.list],
            GROUP: [design.groups[g] for g in cells.group],
            CONNECTION: [design.connections[c] for c in cells.connection],
            "n_pairs": [len(pairs) for pairs in cells.pairs],
            "observed": [design.response[pairs].mean() for pairs in cells.pairs],
        }
    )
    return labels, cell_weights(design, cells)


def _of_attributes(design: Design) -> Asked:
    """Ask for the effect of every attribute on all protected words, the mean over groups."""
    n = len(design.attributes)
    weights = csr_array((n, design.n_parameters))
    for term in design.terms:
        if term.x is not None or set(term.columns) not in ({ATTRIBUTE}, {ATTRIBUTE, GROUP}):
            continue
        acts = term.acts
        pairs = np.unique(np.stack([design.attribute[acts], term.level[acts]]), axis=1)
        # A term by group and attribute has several levels of an attribute: their mean.
        share = 1.0 / np.bincount(pairs[0], minlength=n)[pairs[0]]
        pairs[1] += design.places[f"{term.name}_effect"].start
        weights += csr_array((share, pairs), shape=weights.shape)
    if not weights.nnz:
        raise FitError("the model has no attribute effects; fit 'maximal' or 'crossed'")
    kinds = [design.kinds[k] for k in design.kind]
    labels = pd.DataFrame({ATTRIBUTE: design.attributes, "kind": kinds}, dtype=object)
    return labels, weights


def _of_covariates(design: Design) -> Asked:
    """Ask for every slope, per standard deviation of its numbers, with how much one of these is."""
    slopes = [term for term in design.terms if term.x is not None]
    if not slopes:
        raise FitError("the model has no covariates; give covariates= to fit or analyze")
    rows = [(term.name, label, term.unit) for term in slopes for label in term.labels]
    labels = pd.DataFrame(rows, columns=["covariate", "applies_to", "unit"])
    at = np.concatenate([np.r_[design.places[f"{term.name}_effect"]] for term in slopes])
    return labels, eye_array(design.n_parameters, format="csr")[at]


SUMMARIES: Final[Mapping[str, Callable[[Design], Asked]]] = {
    "connection": _of_connections,
    "list": _of_lists,
    "group": _of_groups,
    "word": _of_words,
    "attribute": _of_attributes,
    "covariate": _of_covariates,
}
"""What a summary by a level asks; by term it reads the draws of standard deviations."""


def standard_deviations(draws: xr.Dataset) -> tuple[pd.DataFrame, Array]:
    """Return the standard deviations of all terms, then of the noise: labels and draws."""
    rows, columns = [], []
    names = [n for n in map(str, draws.data_vars) if n.endswith("_sd") and n[:5] != "noise"]
    names += [n for n in ("noise_sd", NOISE_SIMILAR, "degrees_of_freedom") if n in draws]
    for name in names:
        dims = [str(d) for d in draws[name].dims if d not in ("chain", "draw")]
        where = [str(v) for v in draws[name][dims[0]].to_numpy()] if dims else ["all"]
        rows += [(name, label) for label in where]
        columns.append(samples(draws, name).reshape(-1, len(where)))
    labels = pd.DataFrame(rows, columns=["parameter", "applies_to"])
    return labels, np.hstack(columns)


def words_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the words of a frame's list: of which list they are, what the vectors call them.

    A word that could not be used has the reason. `kind`: protected words, attributes or controls.
    """
    rows, found_as = [], source_of(frame).get("found_as", {})
    for role, key, column in (
        ("protected", GROUP, PROTECTED_WORD),
        ("attribute", ATTRIBUTE_SET, ATTRIBUTE),
    ):
        pairs = frame[[column, key]].drop_duplicates().itertuples(index=False)
        rows += [(word, role, name, str(found_as.get(word, word)), "") for word, name in pairs]
    for lost in missing_of(frame) or ():
        rows.append((lost["word"], lost["role"], lost["list"], "", lost["reason"]))
    words = pd.DataFrame(rows, columns=["word", "role", "list", "found_as", "reason"])
    is_control = frame[CONNECTION].isin(CONTROL_CONNECTIONS)
    controls = {*CONTROL_CONNECTIONS} - {*frame[ATTRIBUTE_SET]} | {
        *frame[ATTRIBUTE_SET][is_control]
    }
    kinds = {"protected": "protected words", "attribute": "attributes"}
    kind = words["role"].map(kinds).fillna("")
    of_controls = (kind == "attributes") & words["list"].isin(controls)
    return words.assign(kind=kind.mask(of_controls, "controls"))
