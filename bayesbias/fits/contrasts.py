"""Everything that is said of groups and lists, as weights on the table of cell means.

The cell mean of a protected group and an attribute list is the mean cosine distance of words like
the group's to attributes like the list's. Owners of a list are the groups that a stereotype
associates with it. With C a cell mean, the contrasts are

- by list, owners − others: mean of C over the owners − mean over the other groups, on one list;
  where nobody owns it, every pair of groups;
- over all: the mean of the rows by list, lists with the same owners averaged first. The list's own
  distance cancels in every row, so that no difference between lists enters;
- by group: mean of a group's own lists − mean of its other lists, which holds the lists' own
  difference;
- controls: mean of the associated cells − mean of the same groups' human (neutral) cells;
- by word: as by group (without other lists, as the controls), for a word in place of its group.

``observed`` is the same weights on the plain means of the listed pairs. A row is withheld, with the
reason, where a cell that it weighs has fewer than two distinct words or attributes: one of them
says nothing about others like it.

Means of every level, as the paper has them, are weights too (`SUMMARIES`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr
from scipy.sparse import csr_array, eye_array, vstack

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_KINDS,
    CONNECTION,
    GROUP,
    KIND_OF_CONNECTION,
    PROTECTED_WORD,
)
from bayesbias.errors import FitError
from bayesbias.models import parameters
from bayesbias.models.design import NOISE_SIMILAR, Design
from bayesbias.models.parameters import Cells, Weights, samples
from bayesbias.support.arguments import Array, Index, Mask
from bayesbias.words.random_groups import RandomGroups

LEVELS: Final = ("over all", "controls", "list", "group", "word")
"""Levels of contrasts, in the order of their rows."""

RANDOM_LEVELS: Final = ("over all", "list")
"""Levels of contrasts of groups, which of random ones are as often below 0 as above."""

OWN: Final = "associated − different"
"""The contrast that leads where lists belong to groups."""

FEWEST: Final = 2
"""Distinct words, and attributes, without which a cell says nothing about others like them."""

LABELS: Final = ("level", "list", GROUP, "other", "word", "contrast")

COLUMNS: Final = (
    *(*LABELS, "observed", "mean", "low"),
    *("high", "sd", "standardised", "direction", "size", "verdict", "withheld"),
    *("random_groups", "n_words", "n_attributes"),
)

Asked: TypeAlias = tuple[pd.DataFrame, Weights]
"""Labels, a row for each quantity, and the weights of each."""

_Row: TypeAlias = "tuple[dict[str, str], Array]"
"""A contrast: its labels, and its weights on cells."""


class CellTable:
    """The table of cell means of a design: those of groups and, if wanted, those of their words.

    Of every cell (n_cells,): `cell`, that of the group; `group`; `list`; `word`, −1 of a group's
    own; `pairs`, the rows of the frame. Of groups' own cells, else False and "": `own`, whether the
    list is associated with the group; `kind`, of the list. `means`: weights of every cell.
    """

    def __init__(self, design: Design, *, words: bool) -> None:
        self.design, self.cells = design, Cells.of(design)
        self.pairs = list(self.cells.pairs)
        self.cell, self.word = np.arange(len(self.pairs)), np.full(len(self.pairs), -1)
        self.means = parameters.cell_weights(design, self.cells)
        if words:
            word, cell, means = parameters.word_cell_weights(design, self.cells)
            self.word, self.cell = np.append(self.word, word), np.append(self.cell, cell)
            for w, of_group in zip(word, map(self.pairs.__getitem__, cell), strict=True):
                self.pairs.append(of_group[design.word[of_group] == w])
            self.means = csr_array(vstack([self.means, means]))
        self.group, self.list, connection = (
            of[self.cell] for of in (self.cells.group, self.cells.list, self.cells.connection)
        )
        names, is_group = np.array(design.connections)[connection], self.word < 0
        self.own = is_group & (names == "associated")
        self.kind = np.where(is_group, [KIND_OF_CONNECTION[name] for name in names], "")

    def _row(self, level: str, contrast: str, cells: Mask, less: Mask, **labels: str) -> _Row:
        """Return the mean over groups of the mean over the cells that each has, less others'."""
        weights = (_mean_of(self.group, side) for side in (cells, less))
        return {"level": level, "contrast": contrast, **labels}, np.subtract(*weights)

    def rows(self, *, pairs: bool) -> Iterator[_Row]:
        """Yield all contrasts, in the order of `LEVELS`."""
        owned = {self.design.attribute_sets[s] for s in self.list[self.own]}
        of_owners: dict[str, list[Array]] = {}
        for labels, weights in self._of_lists(pairs=False):
            if labels["list"] in owned:
                of_owners.setdefault(labels[GROUP], []).append(weights)
        if of_owners:
            parts = [np.mean(weights, axis=0) for weights in of_owners.values()]
            yield {"level": "over all", "contrast": OWN}, np.mean(parts, axis=0)
        yield from self._controls()
        yield from self._of_lists(pairs=pairs)
        sides = [(name, *self._own_and_other(g)) for g, name in enumerate(self.design.groups)]
        for name, own, other, contrast in sides:
            if contrast == OWN:
                yield self._row("group", contrast, own, other, group=name)
        for name, own, other, contrast in sides:
            own, other = own[self.cell], other[self.cell]
            for w in np.unique(self.word[(own | other) & (self.word >= 0)]) if contrast else ():
                of_word = self.word == w
                if (of_word & own).any() and (of_word & other).any():
                    labels = {"group": name, "word": self.design.protected_words[w]}
                    yield self._row("word", contrast, of_word & own, of_word & other, **labels)

    def _of_lists(self, *, pairs: bool) -> Iterator[_Row]:
        """Yield owners − others of every list; pairs of groups where nobody owns it, or asked."""
        group = self.group
        for s in np.unique(self.list[self.kind == ATTRIBUTE_KINDS[0]]):
            of_list = (self.list == s) & (self.kind != "")
            own, others = of_list & self.own, of_list & ~self.own
            sides = [(own, others)] if own.any() and others.any() else []
            if not own.any() or (pairs and of_list.sum() > 2):
                two = combinations(np.unique(group[of_list]), 2)
                sides += [(of_list & (group == g), of_list & (group == h)) for g, h in two]
            for cells in sides:
                first, second = (
                    ", ".join(self.design.groups[g] for g in np.unique(group[side]))
                    for side in cells
                )
                labels = {"list": self.design.attribute_sets[s], "group": first, "other": second}
                yield self._row("list", f"{first} − {second}", *cells, **labels)

    def _controls(self) -> Iterator[_Row]:
        """Yield the contrasts with control lists."""
        group, controls = self.group, {n: self.kind == n for n in ATTRIBUTE_KINDS[1:]}
        for name, control in controls.items():
            both = np.isin(group, np.intersect1d(group[self.own], group[control]))
            if both.any():
                yield self._row("controls", f"associated − {name}", both & self.own, both & control)
        if all(control.any() for control in controls.values()):
            yield self._row("controls", " − ".join(controls), *controls.values())

    def _own_and_other(self, g: int) -> tuple[Mask, Mask, str]:
        """Return a group's own cells, what they are compared with, and what that is called."""
        of_group = self.group == g
        own = other = of_group & self.own
        for name in ("different", "neutral", "human"):
            kind = ATTRIBUTE_KINDS[0] if name == "different" else name
            other = of_group & (self.kind == kind) & ~self.own
            if own.any() and other.any():
                return own, other, f"associated − {name}"
        return own, other, ""

    def labelled(self, rows: Sequence[_Row]) -> pd.DataFrame:
        """Return the labels of contrasts, with observed differences, counts and reasons.

        A contrast is withheld for the first of its cells with too few words or attributes.
        """
        means = np.array([self.design.response[of].mean() for of in self.pairs])
        reasons = [*map(self._too_few, range(len(self.pairs)))]
        content = []
        for labels, weights in rows:
            at = np.flatnonzero(weights).tolist()
            n_words, n_attributes = self._distinct(np.concatenate([self.pairs[i] for i in at]))
            withheld = next(filter(None, (reasons[i] for i in at)), "")
            counts = {"n_words": n_words, "n_attributes": n_attributes, "random_groups": np.nan}
            own = {**dict.fromkeys(LABELS, ""), **labels, **counts}
            content.append({**own, "observed": weights @ means, "withheld": withheld})
        columns = [*LABELS, "observed", "withheld", "random_groups", "n_words", "n_attributes"]
        return pd.DataFrame(content, columns=columns)

    def _too_few(self, cell: int) -> str:
        """Say what a cell has too few of, a word's of attributes alone; "" where it has enough."""
        n_words, n_attributes = self._distinct(self.pairs[cell])
        if n_words < FEWEST and self.word[cell] < 0:
            name = self.design.groups[self.group[cell]]
            return f"one word of {name!r} says nothing about words like it; give at least two"
        if n_attributes < FEWEST:
            name = self.design.attribute_sets[self.list[cell]]
            return f"one attribute of {name!r} says nothing about others like it; give at least two"
        return ""

    def _distinct(self, pairs: Index) -> tuple[int, int]:
        """Count the words, and the attributes, of some pairs."""
        return len(np.unique(self.design.word[pairs])), len(np.unique(self.design.attribute[pairs]))


def _mean_of(unit: Index, cells: Mask) -> Array:
    """Return weights of the mean over units of the mean over each one's cells."""
    count = np.bincount(unit[cells], minlength=unit.max() + 1)
    return np.asarray(cells / np.maximum(count[unit] * np.count_nonzero(count), 1))


def contrasts_asked(
    design: Design, *, pairs: bool = False, words: bool = True, random: RandomGroups | None = None
) -> tuple[pd.DataFrame, Weights, Array]:
    """Return the labels of all contrasts, their weights, and their weights on cells.

    Those of words, if they are wanted, are last; what they weigh are words' own cells
    (`word_cell_weights`), behind those that all others weigh: (n_rows, n_cells + n_word_cells).
    """
    table = CellTable(design, words=words)
    n_cells, rows = len(table.cells.pairs), list(table.rows(pairs=pairs))
    on = np.array([weights for _, weights in rows]).reshape(-1, len(table.pairs))
    labels = table.labelled(rows)
    n = sum(of["level"] in LEVELS[:2] for of, _ in rows)  # these come first
    of_connections = parameters.cell_weights(design, table.cells, of_connections=True)
    parts = [csr_array(on[:n, :n_cells]) @ of_connections, csr_array(on[n:]) @ table.means]
    if random is not None:
        at = labels["level"].isin(RANDOM_LEVELS).to_numpy()
        shares = random.shares(on[at, :n_cells], labels["observed"].to_numpy()[at])
        labels.loc[at, "random_groups"] = np.where(labels["withheld"][at] == "", shares, np.nan)
    return labels, csr_array(vstack(parts)), on


def random_contrasts(design: Design, random: RandomGroups | None) -> pd.DataFrame:
    """Return contrasts of random groups, a row a draw, by level, list and contrast."""
    if random is None:
        raise FitError(
            "random groups are drawn from vectors, and this fit has only pairs; fit with vectors=, "
            "or call analyze"
        )
    labels, _, weights = contrasts_asked(design, words=False)
    is_shown = labels["level"].isin(RANDOM_LEVELS).to_numpy()
    names = pd.MultiIndex.from_frame(labels.loc[is_shown, ["level", "list", "contrast"]])
    return pd.DataFrame(random.contrasts(weights[is_shown]), columns=names)


def _of_connections(design: Design) -> Asked:
    row = np.zeros(len(design.word), np.int64)
    return _crossed(design, {}, row, parameters.connection_weights(design))


def _of_groups(design: Design) -> Asked:
    return _crossed(
        design, {GROUP: design.groups}, design.pair_group, parameters.group_weights(design)
    )


def _of_words(design: Design) -> Asked:
    groups = [design.groups[g] for g in design.group]
    columns = {PROTECTED_WORD: design.protected_words, GROUP: groups}
    return _crossed(design, columns, design.word, parameters.word_weights(design))


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
    return labels, parameters.cell_weights(design, cells)


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
    names = {term.name: term.name.removeprefix("slope_") for term in slopes}
    rows = [(names[of.name], label, of.unit) for of in slopes for label in of.labels]
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
    names += [n for n in ("noise_sd", NOISE_SIMILAR) if n in draws]
    for name in names:
        dims = [str(d) for d in draws[name].dims if d not in ("chain", "draw")]
        where = [str(v) for v in draws[name][dims[0]].to_numpy()] if dims else ["all"]
        rows += [(name, label) for label in where]
        columns.append(samples(draws, name).reshape(-1, len(where)))
    labels = pd.DataFrame(rows, columns=["parameter", "applies_to"])
    return labels, np.hstack(columns)
