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

As a baseline, the same weights w[g,s] on plain means give a t-interval that needs no model: words i
of a group g and topics t of a list s (p_t of its attributes) are both samples, and

    S_i = Σ_s w[g,s] x̄[i,s] / a_g,  a_g = Σ_s |w[g,s]|;  T_t = Σ_g w[g,s] x̄[g,t] / b_s, b_s alike;
    variance = v_S Σ_g a_g² / n_g + Σ_kinds v_T Σ_s b_s² Σ_t p_t²,

v_S pooled within groups, v_T within lists of a kind; degrees of freedom are Satterthwaite's.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, vstack
from scipy.special import stdtrit

from bayesbias.constants import ATTRIBUTE_KINDS, GROUP, HDPI_PROB, KIND_OF_CONNECTION, TOPIC
from bayesbias.errors import FitError
from bayesbias.models.design import Design
from bayesbias.models.parameters import Cells, Weights, cell_weights, word_cell_weights
from bayesbias.support.arguments import Array, Index, Mask
from bayesbias.words.random_groups import RandomGroups

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit

LEVELS: Final = ("over all", "controls", "list", "group", "word")
"""Levels of contrasts, in the order of their rows."""

RANDOM_LEVELS: Final = ("over all", "list")
"""Levels of contrasts of groups, which of random ones are as often below 0 as above."""

OWN: Final = "associated − different"
"""The contrast that leads where lists belong to groups."""

FEWEST: Final = 2
"""Distinct words, and attributes, without which a cell says nothing about others like them."""

ONE_TOPIC: Final = "no list has two topics, so that nothing tells how far topics differ"

LABELS: Final = ("level", "list", GROUP, "other", "word", "contrast")

COLUMNS: Final = (
    *(*LABELS, "observed", "mean", "low"),
    *("high", "sd", "standardised", "direction", "size", "verdict", "withheld"),
    *("random_groups", "n_words", "n_attributes"),
)

_Row: TypeAlias = "tuple[dict[str, str], Array]"
"""A contrast: its labels, and its weights on cells."""


class _Table:
    """The table of cell means of a design: those of groups and, if wanted, those of their words.

    Of every cell (n_cells,): `cell`, that of the group; `group`; `list`; `word`, −1 of a group's
    own; `own`, whether the list is associated with the group; `kind`, of the list; `pairs`, the
    rows of the frame. `means`: weights of every cell (`cell_weights`, `word_cell_weights`).
    """

    def __init__(self, design: Design, *, words: bool) -> None:
        self.design, self.cells = design, Cells.of(design)
        self.pairs = list(self.cells.pairs)
        self.cell, self.means = np.arange(len(self.pairs)), cell_weights(design, self.cells)
        self.word = np.full(len(self.pairs), -1)
        if words:
            word, cell, means = word_cell_weights(design, self.cells)
            self.word, self.cell = np.append(self.word, word), np.append(self.cell, cell)
            for w, of_group in zip(word, map(self.pairs.__getitem__, cell), strict=True):
                self.pairs.append(of_group[design.word[of_group] == w])
            self.means = csr_array(vstack([self.means, means]))
        self.group, self.list, connection = (
            of[self.cell] for of in (self.cells.group, self.cells.list, self.cells.connection)
        )
        names = np.array(design.connections)[connection]
        self.own = names == "associated"
        self.kind = np.array([KIND_OF_CONNECTION[name] for name in names])

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
        group, of_groups = self.group, self.word < 0
        for s in np.unique(self.list[self.kind == ATTRIBUTE_KINDS[0]]):
            of_list = of_groups & (self.list == s)
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
        group, of_groups = self.group, self.word < 0
        controls = {name: of_groups & (self.kind == name) for name in ATTRIBUTE_KINDS[1:]}
        for name, control in controls.items():
            both = of_groups & np.isin(group, np.intersect1d(group[self.own], group[control]))
            if both.any():
                yield self._row("controls", f"associated − {name}", both & self.own, both & control)
        if all(control.any() for control in controls.values()):
            yield self._row("controls", " − ".join(controls), *controls.values())

    def _own_and_other(self, g: int) -> tuple[Mask, Mask, str]:
        """Return a group's own cells, what they are compared with, and what that is called."""
        of_group = (self.group == g) & (self.word < 0)
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
    table = _Table(design, words=words)
    n_cells, rows = len(table.cells.pairs), list(table.rows(pairs=pairs))
    on = np.array([weights for _, weights in rows]).reshape(-1, len(table.pairs))
    labels = table.labelled(rows)
    n = sum(of["level"] in LEVELS[:2] for of, _ in rows)  # these come first
    of_connections = cell_weights(design, table.cells, of_connections=True)
    parts = [csr_array(on[:n, :n_cells]) @ of_connections, csr_array(on[n:]) @ table.means]
    if random is not None:
        at = labels["level"].isin(RANDOM_LEVELS).to_numpy()
        shares = random.shares(on[at, :n_cells], labels["observed"].to_numpy()[at])
        labels.loc[at, "random_groups"] = shares
    return labels, csr_array(vstack(parts)), on


def random_contrasts(
    design: Design, random: RandomGroups | None, *, pairs: bool = False
) -> pd.DataFrame:
    """Return contrasts of random groups, a row a draw, by level, list and contrast."""
    if random is None:
        raise FitError(
            "random groups are drawn from vectors, and this fit has only pairs; fit with vectors=, "
            "or call analyze"
        )
    labels, _, weights = contrasts_asked(design, pairs=pairs, words=False)
    is_shown = labels["level"].isin(RANDOM_LEVELS).to_numpy()
    names = pd.MultiIndex.from_frame(labels.loc[is_shown, ["level", "list", "contrast"]])
    return pd.DataFrame(random.contrasts(weights[is_shown]), columns=names)


def plain_t_interval(fit: "Fit") -> pd.DataFrame:
    """Return the contrasts of `Fit.contrasts`, but for words, as 89% t-intervals of plain means.

    Columns ``level, list, group, other, contrast, observed, withheld, sd, degrees, low, high``.
    """
    design, cells = fit.design, Cells.of(fit.design)
    labels, _, weights = contrasts_asked(design, words=False)
    topic = pd.factorize(fit.frame[TOPIC])[0] if TOPIC in fit.frame else design.attribute
    topic = topic if design.topic is None else design.topic[design.attribute]
    kind = np.zeros(len(design.attribute_sets), np.int64)
    kind[design.attribute_set] = design.kind[design.attribute]
    columns = {"word": design.word, "attribute": design.attribute, "topic": topic}
    rows = pd.DataFrame(columns | {"y": design.response}).iloc[np.concatenate(cells.pairs)]
    rows["cell"] = np.repeat(np.arange(len(cells.pairs)), [*map(len, cells.pairs)])
    total, of_degrees = np.zeros((2, len(weights)))
    for unit, member, of_cell, pool in (
        ("word", "word", cells.group, np.zeros(len(design.groups))),
        ("topic", "attribute", cells.list, kind),
    ):
        key = [of_cell[rows["cell"]], unit]
        means = rows.pivot_table("y", key, "cell", fill_value=0.0)
        count = rows.groupby(key)[member].nunique()
        of = means.index.get_level_values(0).to_numpy()
        share = count.to_numpy() / np.bincount(of, count)[of]
        size = (np.abs(weights) @ np.eye(len(pool))[of_cell])[:, of].T  # a_g, or b_s, of every unit
        scores = pd.DataFrame(means.to_numpy() @ weights.T).where(size > 0) / size
        squares = (scores - scores.groupby(of).transform("mean")) ** 2
        for p in np.unique(pool):
            at = pool[of] == p
            degrees = scores[at].notna().sum() - scores[at].groupby(of[at]).count().gt(0).sum()
            variance = squares[at].sum() / degrees * ((share[:, None] * size)[at] ** 2).sum(axis=0)
            is_used = (size[at] > 0).any(axis=0)
            total += np.where(is_used, variance, 0.0)
            of_degrees += np.where(is_used, variance**2 / degrees, 0.0)
    table = labels[["level", "list", GROUP, "other", "contrast", "observed", "withheld"]]
    table = table.assign(sd=total**0.5, degrees=total**2 / of_degrees)
    is_open = table["withheld"] == ""
    table["withheld"] = table["withheld"].mask(is_open & table["sd"].isna(), ONE_TOPIC)
    reach = table["sd"].where(is_open) * stdtrit(table["degrees"], (1 + HDPI_PROB) / 2)
    return table.assign(low=table["observed"] - reach, high=table["observed"] + reach)
