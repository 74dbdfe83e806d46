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
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pandas as pd
from scipy.linalg import block_diag
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
"""A contrast: its labels, and its weights on cells, or on those of words."""


class _Table:
    """The table of cell means of a design.

    `own` (n_cells,): whether a list is associated with the group; `kind`: of the list.
    """

    def __init__(self, design: Design, cells: Cells) -> None:
        self.design, self.cells = design, cells
        names = np.array(design.connections)[cells.connection]
        self.own = names == "associated"
        self.kind = np.array([KIND_OF_CONNECTION[name] for name in names])

    def _row(self, level: str, contrast: str, cells: Mask, less: Mask, **labels: str) -> _Row:
        """Return the mean over groups of the mean over the cells that each has, less others'."""
        weights = (_mean_of(self.cells.group, side) for side in (cells, less))
        return {"level": level, "contrast": contrast, **labels}, np.subtract(*weights)

    def rows(self, *, pairs: bool) -> Iterator[_Row]:
        """Yield all contrasts but those of words, in the order of `LEVELS`."""
        owned = {self.design.attribute_sets[s] for s in self.cells.list[self.own]}
        of_owners: dict[str, list[Array]] = {}
        for labels, weights in self._of_lists(pairs=False):
            if labels["list"] in owned:
                of_owners.setdefault(labels[GROUP], []).append(weights)
        if of_owners:
            parts = [np.mean(weights, axis=0) for weights in of_owners.values()]
            yield {"level": "over all", "contrast": OWN}, np.mean(parts, axis=0)
        yield from self._controls()
        yield from self._of_lists(pairs=pairs)
        for g, name in enumerate(self.design.groups):
            own, other, contrast = self._own_and_other(g)
            if contrast == OWN:
                yield self._row("group", contrast, own, other, group=name)

    def _of_lists(self, *, pairs: bool) -> Iterator[_Row]:
        """Yield owners − others of every list; pairs of groups where nobody owns it, or asked."""
        group = self.cells.group
        for s in np.unique(self.cells.list[self.kind == ATTRIBUTE_KINDS[0]]):
            of_list = self.cells.list == s
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
        group, controls = self.cells.group, {n: self.kind == n for n in ATTRIBUTE_KINDS[1:]}
        for name, control in controls.items():
            both = np.isin(group, np.intersect1d(group[self.own], group[control]))
            if both.any():
                yield self._row("controls", f"associated − {name}", both & self.own, both & control)
        if all(control.any() for control in controls.values()):
            yield self._row("controls", " − ".join(controls), *controls.values())

    def _own_and_other(self, g: int) -> tuple[Mask, Mask, str]:
        """Return a group's own cells, what they are compared with, and what that is called."""
        of_group = self.cells.group == g
        own = other = of_group & self.own
        for name in ("different", "neutral", "human"):
            kind = ATTRIBUTE_KINDS[0] if name == "different" else name
            other = of_group & (self.kind == kind) & ~self.own
            if own.any() and other.any():
                return own, other, f"associated − {name}"
        return own, other, ""

    def of_words(self, word: Index, cell: Index) -> Iterator[_Row]:
        """Yield own − other lists of every word, as weights on the cells of words."""
        for g, name in enumerate(self.design.groups):
            own, other, contrast = self._own_and_other(g)
            for w in np.unique(word[self.cells.group[cell] == g]) if contrast else ():
                sides = [(word == w) & of[cell] for of in (own, other)]
                if all(side.any() for side in sides):
                    first, second = (_mean_of(word, side) for side in sides)
                    label = self.design.protected_words[w]
                    labels = {"level": "word", "contrast": contrast, GROUP: name, "word": label}
                    yield labels, first - second


def _mean_of(unit: Index, cells: Mask) -> Array:
    """Return weights of the mean over units, groups or words, of the mean over each one's cells."""
    count = np.bincount(unit[cells], minlength=unit.max() + 1)
    return np.asarray(cells / np.maximum(count[unit] * np.count_nonzero(count), 1))


def _labelled(
    design: Design, rows: Sequence[_Row], pairs: Sequence[Index], *, of_words: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield the labels of contrasts, with observed differences, counts and reasons.

    `pairs`: the rows of the frame of every cell that contrasts weigh. A contrast is withheld for
    the first of its cells with too few words or attributes; that of a word needs attributes alone.
    """
    means = np.array([design.response[of].mean() for of in pairs])
    reasons = [_too_few(design, of, of_words=of_words) for of in pairs]
    for labels, weights in rows:
        at = np.flatnonzero(weights).tolist()
        n_words, n_attributes = _distinct(design, np.concatenate([pairs[i] for i in at]))
        yield {
            **dict.fromkeys(LABELS, ""),
            **labels,
            "observed": weights @ means,
            "withheld": next(filter(None, (reasons[i] for i in at)), ""),
            "random_groups": np.nan,
            "n_words": n_words,
            "n_attributes": n_attributes,
        }


def _too_few(design: Design, pairs: Index, *, of_words: bool) -> str:
    """Say what a cell has too few of; "" where it has enough."""
    (n_words, n_attributes), first = _distinct(design, pairs), pairs[0]
    if n_words < FEWEST and not of_words:
        name = design.groups[design.pair_group[first]]
        return f"one word of {name!r} says nothing about words like it; give at least two"
    if n_attributes < FEWEST:
        name = design.attribute_sets[design.attribute_set[first]]
        return f"one attribute of {name!r} says nothing about others like it; give at least two"
    return ""


def _distinct(design: Design, pairs: Index) -> tuple[int, int]:
    """Count the words, and the attributes, of some pairs."""
    return len(np.unique(design.word[pairs])), len(np.unique(design.attribute[pairs]))


def contrasts_asked(
    design: Design, *, pairs: bool = False, words: bool = True, random: RandomGroups | None = None
) -> tuple[pd.DataFrame, Weights, Array]:
    """Return the labels of all contrasts, their weights, and their weights on cells.

    Those of words, if they are wanted, are last; what they weigh are words' own cells
    (`word_cell_weights`), behind those that all others weigh: (n_rows, n_cells + n_word_cells).
    """
    cells = Cells.of(design)
    table, n_cells = _Table(design, cells), len(cells.pairs)
    rows = list(table.rows(pairs=pairs))
    on = np.array([weights for _, weights in rows]).reshape(-1, n_cells)
    n = sum(labels["level"] in LEVELS[:2] for labels, _ in rows)
    parts = [
        csr_array(on[:n]) @ cell_weights(design, cells, of_connections=True),
        csr_array(on[n:]) @ cell_weights(design, cells),
    ]
    content = [*_labelled(design, rows, cells.pairs)]
    if words:
        word, cell, of_words = word_cell_weights(design, cells)
        rows = list(table.of_words(word, cell))
        on_words = np.array([weights for _, weights in rows]).reshape(-1, len(word))
        own = [cells.pairs[c] for c in cell]
        own = [of[design.word[of] == w] for of, w in zip(own, word, strict=True)]
        content += _labelled(design, rows, own, of_words=True)
        parts.append(csr_array(on_words) @ of_words)
        on = block_diag(on, on_words)
    columns = [*LABELS, "observed", "withheld", "random_groups", "n_words", "n_attributes"]
    labels = pd.DataFrame(content, columns=columns)
    if random is not None:
        at = labels["level"].isin(RANDOM_LEVELS).to_numpy()
        shares = random.shares(on[at, :n_cells], labels["observed"].to_numpy()[at])
        labels.loc[at, "random_groups"] = np.where(labels["withheld"][at] == "", shares, np.nan)
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
    of_group, of_list = cells.group[rows["cell"]], cells.list[rows["cell"]]
    samples = [
        (cells.group, np.zeros(len(design.groups)), *_means(rows, of_group, "word", "word")),
        (cells.list, kind, *_means(rows, of_list, "topic", "attribute")),
    ]
    table = labels[["level", "list", GROUP, "other", "contrast", "observed", "withheld"]]
    for i, row in enumerate(weights):
        parts = []
        for of_cell, pool, means, of, share in samples:
            size = np.bincount(of_cell, np.abs(row))
            for p in np.unique(pool[size > 0]):
                parts.append(_variance(means @ row, of, share, size * (pool == p)))
        variance, degrees = np.array(parts).T
        total = variance.sum()
        table.loc[i, ["sd", "degrees"]] = total**0.5, total**2 / (variance**2 / degrees).sum()
    is_open = table["withheld"] == ""
    table["withheld"] = table["withheld"].mask(is_open & table["sd"].isna(), ONE_TOPIC)
    reach = table["sd"].where(is_open) * stdtrit(table["degrees"], (1 + HDPI_PROB) / 2)
    return table.assign(low=table["observed"] - reach, high=table["observed"] + reach)


def _means(rows: pd.DataFrame, of: Index, unit: str, member: str) -> tuple[Array, Index, Array]:
    """Return the means of words, or topics, in cells, (n_units, n_cells), 0 without pairs.

    `of` (n_rows,): the group, or list. Then that of every unit, and its share of the members.
    """
    means = rows.pivot_table("y", [of, unit], "cell", fill_value=0.0)
    n = rows.groupby([of, unit])[member].nunique()
    of_unit = n.index.get_level_values(0).to_numpy()
    return means.to_numpy(), of_unit, n.to_numpy() / np.bincount(of_unit, n)[of_unit]


def _variance(score: Array, of: Index, share: Array, size: Array) -> tuple[float, int]:
    """Return the variance of a sum of means of units' scores, and its degrees of freedom."""
    use = size[of] > 0
    score, of, share = score[use] / size[of[use]], of[use], share[use]
    degrees = len(score) - len(np.unique(of))
    around = score - (np.bincount(of, score) / np.maximum(np.bincount(of), 1))[of]
    return (around**2).sum() / (degrees or np.nan) * ((share * size[of]) ** 2).sum(), degrees
