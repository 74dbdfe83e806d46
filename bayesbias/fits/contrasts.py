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
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE_KINDS, GROUP, KIND_OF_CONNECTION
from bayesbias.engine.intervals import verdicts
from bayesbias.errors import FitError
from bayesbias.fits.answers import Posteriors
from bayesbias.fits.decision import DecisionRule
from bayesbias.models.design import Design
from bayesbias.models.parameters import (
    Cells,
    LinearCombinations,
    cell_weights,
    stacked,
    word_cell_weights,
)
from bayesbias.support.arguments import Array, Index
from bayesbias.words.random_groups import RandomGroups

LEVELS: Final = ("over all", "controls", "list", "group", "word")
"""Levels of contrasts, in the order of their rows."""

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


@dataclass(frozen=True)
class _Row:
    """A contrast: its labels, and its weights on cells, or on those of words."""

    level: str
    contrast: str
    weights: Array
    list: str = ""
    group: str = ""
    other: str = ""
    word: str = ""


class _Table:
    """The table of cell means of a design.

    `owner` (n_groups, n_lists): whether a list is associated with a group; `place`: the number of
    every cell, −1 where it has no pairs. `of_kind`: the lists of a kind.
    """

    def __init__(self, design: Design) -> None:
        self.design, self.cells = design, Cells.of(design)
        at = self.cells.group, self.cells.list
        shape = len(design.groups), len(design.attribute_sets)
        names = np.array(design.connections)[self.cells.connection]
        self.place = np.full(shape, -1, np.int64)
        self.place[at] = np.arange(len(names))
        self.owner = np.zeros(shape, dtype=bool)
        self.owner[at] = names == "associated"
        kinds = dict(zip(at[1].tolist(), (KIND_OF_CONNECTION[n] for n in names), strict=True))
        self.of_kind = {k: [s for s in sorted(kinds) if kinds[s] == k] for k in ATTRIBUTE_KINDS}

    def mean_of(self, groups: Sequence[int], lists: Sequence[int]) -> Array:
        """Return weights of the mean over groups of the mean over these lists, as they have."""
        weights = np.zeros(len(self.cells.group))
        places = [self.place[g, lists] for g in groups]
        places = [of_group[of_group >= 0] for of_group in places if (of_group >= 0).any()]
        for at in places:
            weights[at] += 1.0 / (len(places) * len(at))
        return weights

    def rows(self, *, pairs: bool) -> Iterator[_Row]:
        """Yield all contrasts but those of words, in the order of `LEVELS`."""
        by_list = list(self._of_lists(pairs=pairs))
        of_owners: dict[str, list[Array]] = {}
        for row, is_pair in by_list:
            if not is_pair:
                of_owners.setdefault(row.group, []).append(row.weights)
        if of_owners:
            parts = [np.mean(weights, axis=0) for weights in of_owners.values()]
            yield _Row("over all", OWN, np.mean(parts, axis=0))
        yield from self._controls()
        yield from (row for row, _ in by_list)
        for g, name in enumerate(self.design.groups):
            own, other, contrast = self._own_and_other(g)
            if contrast == OWN:
                weights = self.mean_of([g], own) - self.mean_of([g], other)
                yield _Row("group", contrast, weights, group=name)

    def _of_lists(self, *, pairs: bool) -> Iterator[tuple[_Row, bool]]:
        """Yield owners − others of every list; pairs of groups where nobody owns it, or asked."""
        for s in self.of_kind[ATTRIBUTE_KINDS[0]]:
            has = self.place[:, s] >= 0
            own, others = (
                np.flatnonzero(has & (self.owner[:, s] == is_own)).tolist()
                for is_own in (True, False)
            )
            sides = [(own, others, False)] if own and others else []
            if not own or (pairs and len(own) + len(others) > 2):
                sides += [([g], [h], True) for g, h in combinations(sorted(own + others), 2)]
            for side, other, is_pair in sides:
                first, second = (
                    ", ".join(self.design.groups[g] for g in of) for of in (side, other)
                )
                weights = self.mean_of(side, [s]) - self.mean_of(other, [s])
                labels = self.design.attribute_sets[s], first, second
                yield _Row("list", f"{first} − {second}", weights, *labels), is_pair

    def _controls(self) -> Iterator[_Row]:
        """Yield the contrasts with control lists."""
        groups = range(len(self.design.groups))
        controls = {kind: self.of_kind[kind] for kind in ATTRIBUTE_KINDS[1:]}
        for name, control in controls.items():
            both = [
                g for g in groups if self.owner[g].any() and (self.place[g, control] >= 0).any()
            ]
            if both:
                own = [self.mean_of([g], np.flatnonzero(self.owner[g]).tolist()) for g in both]
                weights = np.mean(own, axis=0) - self.mean_of(both, control)
                yield _Row("controls", f"associated − {name}", weights)
        human, neutral = controls.values()
        if human and neutral:
            weights = self.mean_of(groups, human) - self.mean_of(groups, neutral)
            yield _Row("controls", "human − neutral", weights)

    def _own_and_other(self, g: int) -> tuple[list[int], list[int], str]:
        """Return a group's own lists, what they are compared with, and what that is called."""
        own = np.flatnonzero(self.owner[g]).tolist()
        stereotype, human, neutral = (self.of_kind[kind] for kind in ATTRIBUTE_KINDS)
        different = [s for s in stereotype if s not in own]
        compared = {"different": different, "neutral": neutral, "human": human}
        for name, lists in compared.items():
            present = [s for s in lists if self.place[g, s] >= 0]
            if own and present:
                return own, present, f"associated − {name}"
        return own, [], ""

    def of_words(self, word: Index, cell: Index) -> Iterator[_Row]:
        """Yield own − other lists of every word, as weights on the cells of words."""
        for g, name in enumerate(self.design.groups):
            *lists, contrast = self._own_and_other(g)
            in_group = self.cells.group[cell] == g
            for w in np.unique(word[in_group]) if contrast else ():
                own, other = (
                    (word == w) & in_group & np.isin(self.cells.list[cell], of) for of in lists
                )
                if own.any() and other.any():
                    weights = own / own.sum() - other / other.sum()
                    label = self.design.protected_words[w]
                    yield _Row("word", contrast, weights, group=name, word=label)

    def labelled(self, rows: Sequence[_Row], cell: Index, pairs: Sequence[Index]) -> pd.DataFrame:
        """Return the labels of contrasts, with observed differences, counts and reasons.

        `cell`, `pairs`: the number of every cell that the rows weigh, and its rows of the frame. A
        row is withheld for the first of its cells with too few words or attributes; that of a word
        needs attributes alone.
        """
        design = self.design
        means, content = np.array([design.response[of].mean() for of in pairs]), []
        for row in rows:
            at, why = np.flatnonzero(row.weights).tolist(), ""
            for i in at[::-1]:
                n_words, n_attributes = _distinct(design, pairs[i])
                if n_attributes < FEWEST:
                    name = design.attribute_sets[self.cells.list[cell[i]]]
                    why = (
                        f"one attribute of {name!r} says nothing about others like it; give at "
                        f"least two"
                    )
                if n_words < FEWEST and row.level != "word":
                    name = design.groups[self.cells.group[cell[i]]]
                    why = (
                        f"one word of {name!r} says nothing about words like it; give at least two"
                    )
            counts = _distinct(design, np.concatenate([pairs[i] for i in at]))
            labels = [getattr(row, name) for name in LABELS]
            content.append((*labels, row.weights @ means, why, *counts))
        columns = [*LABELS, "observed", "withheld", "n_words", "n_attributes"]
        return pd.DataFrame(content, columns=columns)


def _distinct(design: Design, pairs: Index) -> tuple[int, int]:
    """Count the words, and the attributes, of some pairs."""
    return len(np.unique(design.word[pairs])), len(np.unique(design.attribute[pairs]))


def contrasts_asked(
    design: Design, *, pairs: bool = False
) -> tuple[pd.DataFrame, LinearCombinations, Array, Array]:
    """Return the labels of all contrasts, their weights, and their weights on cells.

    Those of words are last; what they weigh are words' own cells (`word_cell_weights`), and all
    others' cells: two tables of weights, (n_rows, n_cells) each.
    """
    table = _Table(design)
    cells = table.cells
    word, cell, of_words = word_cell_weights(design, cells)
    rows, word_rows = list(table.rows(pairs=pairs)), list(table.of_words(word, cell))
    matrix, on_words = (
        np.array([row.weights for row in of]).reshape(len(of), n)
        for of, n in ((rows, len(cells.group)), (word_rows, len(word)))
    )
    n = sum(row.level in LEVELS[:2] for row in rows)
    over_all = cell_weights(design, cells, of_connections=True).combined(matrix[:n])
    below = cell_weights(design, cells).combined(matrix[n:])
    of_cells = [
        cells.pairs[c][design.word[cells.pairs[c]] == w] for w, c in zip(word, cell, strict=True)
    ]
    labels = [
        table.labelled(rows, np.arange(len(cells.pairs)), cells.pairs),
        table.labelled(word_rows, cell, of_cells),
    ]
    labels = pd.concat([of for of in labels if len(of)] or labels[:1], ignore_index=True)
    parts = [over_all, below, of_words.combined(on_words)]
    return (
        labels,
        stacked([part for part in parts if len(part.mean)] or parts[:1]),
        matrix,
        on_words,
    )


def random_contrasts(
    design: Design, random: RandomGroups | None, *, pairs: bool = False
) -> tuple[pd.DataFrame, Array]:
    """Return the labels of contrasts, and these of random groups, (n_draws, n_rows)."""
    if random is None:
        raise FitError(
            "random groups are drawn from vectors, and this fit has only pairs; fit with vectors=, "
            "or call analyze"
        )
    labels, _, on_cells, _ = contrasts_asked(design, pairs=pairs)
    return labels[: len(on_cells)], random.contrasts(on_cells)


def contrast_frame(
    labels: pd.DataFrame, posteriors: Posteriors, rule: DecisionRule
) -> pd.DataFrame:
    """Return contrasts with their posteriors and verdicts; `rule` on the scale of the fit."""
    ends = posteriors.intervals(rule.ci_prob, rule.ci_kind)
    table = labels.assign(mean=posteriors.mean, sd=posteriors.sd)
    table["low"], table["high"] = ends[:, 0], ends[:, 1]
    return judged(table, rule)[list(COLUMNS)]


def judged(table: pd.DataFrame, rule: DecisionRule) -> pd.DataFrame:
    """Return means and intervals with what follows from them and a rule: sizes and verdicts.

    A row that is withheld has its observed difference, and the reason in the place of an answer.
    """
    low, high = table["low"].to_numpy(dtype=float), table["high"].to_numpy(dtype=float)
    verdict = pd.Series(verdicts(low, high, rule.width).astype(object))
    sides = [high < 0, low > 0]
    sizes = [verdict.str.endswith("practically equal"), verdict.str.endswith("undecided")]
    table = table.assign(
        standardised=table["mean"] / rule.scale if rule.scale else np.nan,
        verdict=verdict,
        direction=np.select(sides, ["closer", "farther"], "undecided").astype(object),
        size=np.select(sizes, ["practically equal", "undecided"], "clear"),
    )
    withheld = (table["withheld"] != "").to_numpy()
    table.loc[withheld, ["mean", "sd", "low", "high", "standardised"]] = np.nan
    table.loc[withheld, ["direction", "size", "verdict"]] = ""
    table["random_groups"] = np.nan
    return table
