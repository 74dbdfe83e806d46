"""Before, after, and how much of an association is left, as a figure."""

from typing import Any, Unpack

import pandas as pd

from bayesbias.constants import ATTRIBUTE_SET, GROUP
from bayesbias.fits.sentences import Names
from bayesbias.inference.decision import DecisionRule
from bayesbias.studies.left import with_titles
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest, Mark, Row, plot_forests, span_of
from bayesbias.support.text_tables import label_of, shown
from bayesbias.support.types import Figure

_SIDES = ("before", "after")
_GREY = " (dashed: 0; grey: ROPE)"


def plot_left(left: pd.DataFrame, rule: DecisionRule, **place: Unpack[Place]) -> Figure:
    """Draw before and after with their intervals, a row over all groups and one for each."""
    return plot_forests([[left_forest(left, rule)]], width=7.0, note=_GREY, **place)


def left_forest(left: pd.DataFrame, rule: DecisionRule, names: Names | None = None) -> Forest:
    """Return the forest of `Change.left` or `left_by_list`; rows say how much is left.

    `names`: what to call lists and groups.
    """
    left = left if names is None else with_titles(left, names)
    rows, by_list = [], ATTRIBUTE_SET in left
    key = ATTRIBUTE_SET if by_list else GROUP
    for number, row in enumerate(left.itertuples()):
        marks = tuple(_mark(row, side) for side in _SIDES)
        strong = not number and not by_list  # that over all groups
        rows.append(Row(f"{getattr(row, key)}: {share_left(row)}", marks, strong=strong))
    told = "; ".join(f"{row.label}, {', '.join(mark.text for mark in row.marks)}" for row in rows)
    ends = [*left[[f"{side}_{end}" for side in _SIDES for end in ("low", "high")]].to_numpy().flat]
    region = (-rule.width, rule.width) if rule.width else None
    title, axis = left["contrast"].iloc[0], f"difference of mean distance, {label_of(left)}"
    return Forest(title, f"{title}: {told}", axis, tuple(rows), span_of(ends, 0.0), (0.0,), region)


def share_left(row: Any) -> str:
    """Say in a few words how much is left."""
    if row.reason:
        return "share not known"
    ends = [shown(value, "percent") for value in (row.left, row.left_low, row.left_high)]
    return "{} left ({} to {})".format(*ends)


def _mark(row: Any, side: str) -> Mark:
    mean, low, high = (getattr(row, f"{side}{end}") for end in ("", "_low", "_high"))
    numbers = [shown(value, "signed") for value in (mean, low, high)]
    return Mark(side, mean, low, high, "{} {} ({} to {})".format(side, *numbers))
