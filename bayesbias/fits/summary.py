"""Means with intervals, level by level: the paper's table, and those of every other level."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from bayesbias.constants import (
    ATTRIBUTE,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
)
from bayesbias.errors import FitError
from bayesbias.models.design import Design
from bayesbias.models.parameters import (
    Cells,
    LinearCombinations,
    cell_weights,
    connection_weights,
    group_weights,
    word_weights,
)
from bayesbias.support.arguments import Index

Asked = tuple[pd.DataFrame, LinearCombinations]
"""Labels, a row for each quantity, and the weights of each."""


def _of_connections(design: Design) -> Asked:
    labels = pd.DataFrame({CONNECTION: design.connections}, dtype=object)
    row = np.zeros(len(design.word), np.int64)
    return _with_pairs(labels, design, row, connection_weights(design))


def _of_groups(design: Design) -> Asked:
    labels = _crossed(design, {GROUP: design.groups})
    return _with_pairs(labels, design, design.pair_group, group_weights(design))


def _of_words(design: Design) -> Asked:
    groups = [design.groups[g] for g in design.group]
    labels = _crossed(design, {PROTECTED_WORD: design.protected_words, GROUP: groups})
    return _with_pairs(labels, design, design.word, word_weights(design))


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


def _crossed(design: Design, columns: Mapping[str, object]) -> pd.DataFrame:
    """Return every row of some columns with every connection."""
    labels = pd.DataFrame(columns, dtype=object)
    n = len(design.connections)
    repeated = labels.loc[labels.index.repeat(n)].reset_index(drop=True)
    return repeated.assign(**{CONNECTION: [*design.connections] * len(labels)})


def _with_pairs(
    labels: pd.DataFrame, design: Design, row: Index, weights: LinearCombinations
) -> Asked:
    """Return the rows that have pairs, with how many, and their plain mean.

    `row` (n_pairs,): of each pair the row, before it is crossed with connections.
    """
    cell = row * len(design.connections) + design.connection
    counts = np.bincount(cell, minlength=len(labels))
    sums, at = np.bincount(cell, design.response, len(labels)), np.flatnonzero(counts)
    table = labels.iloc[at].assign(n_pairs=counts[at], observed=sums[at] / counts[at])
    return table.reset_index(drop=True), weights.rows(at)


def _of_attributes(design: Design) -> Asked:
    """Ask for the effect of every attribute on all protected words, the mean over groups."""
    n, effects = len(design.attributes), {}
    for term in design.terms:
        if term.x is not None or set(term.columns) not in ({ATTRIBUTE}, {ATTRIBUTE, GROUP}):
            continue
        acts = term.acts
        pairs = np.unique(np.stack([design.attribute[acts], term.level[acts]]), axis=1)
        # A term by group and attribute has several levels of an attribute: their mean.
        share = 1.0 / np.bincount(pairs[0], minlength=n)[pairs[0]]
        effects[term.name] = csr_array((share, pairs), shape=(n, len(term.labels)))
    if not effects:
        raise FitError("the model has no attribute effects; fit 'maximal' or 'crossed'")
    kinds = [design.kinds[k] for k in design.kind]
    labels = pd.DataFrame({ATTRIBUTE: design.attributes, "kind": kinds}, dtype=object)
    return labels, _without_means(design, effects, n)


def _of_covariates(design: Design) -> Asked:
    """Ask for every slope, per standard deviation of its numbers, with how much one of these is."""
    slopes = [term for term in design.terms if term.x is not None]
    if not slopes:
        raise FitError("the model has no covariates; give covariates= to fit or analyze")
    sizes = [len(term.labels) for term in slopes]
    start, n = np.cumsum([0, *sizes]), sum(sizes)
    effects = {
        term.name: csr_array((np.ones(size), (at + np.arange(size), np.arange(size))), (n, size))
        for term, at, size in zip(slopes, start[:-1], sizes, strict=True)
    }
    rows = [(term.name, label, term.unit) for term in slopes for label in term.labels]
    labels = pd.DataFrame(rows, columns=["covariate", "applies_to", "unit"])
    return labels, _without_means(design, effects, n)


def _without_means(design: Design, effects: dict[str, csr_array], n: int) -> LinearCombinations:
    return LinearCombinations(np.zeros((n, len(design.connections))), effects)


SUMMARIES: Final[Mapping[str, Callable[[Design], Asked]]] = {
    "connection": _of_connections,
    "list": _of_lists,
    "group": _of_groups,
    "word": _of_words,
    "attribute": _of_attributes,
    "covariate": _of_covariates,
}
"""What a summary by a level asks; by term it reads the draws of standard deviations."""
