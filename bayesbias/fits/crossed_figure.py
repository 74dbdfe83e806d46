"""Crossed groups as a figure: groups by two factors, and what each factor has."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Unpack

import pandas as pd

from bayesbias.fits.crossed_groups import GROUPS
from bayesbias.fits.interval_figures import decision_forest
from bayesbias.inference.decision import DecisionRule
from bayesbias.pairs.word_lists import levels_of
from bayesbias.support.figure_style import (
    DASHED,
    Place,
    add_legend,
    columns_for,
    finished,
    grid_lines,
    new_figure,
    width_for,
)
from bayesbias.support.forests import draw_forest, wrapped_labels
from bayesbias.support.text_tables import label_of
from bayesbias.support.types import Axes, Figure

_COLOURS: Final = ("#D55E00", "#0072B2", "#5F6B73", "#CC79A7")
_MARKERS: Final = "osD^"


def plot_crossed(
    table: pd.DataFrame,
    factors: Mapping[str, Mapping[str, Sequence[str]]],
    rule: DecisionRule,
    **place: Unpack[Place],
) -> Figure:
    """Draw two panels per contrast of lists, the second by factor, beside each other or below.

    In the first the first factor's levels are beside each other, the second's are lines.
    """
    parts = list(table.groupby("contrast", sort=False))
    width = width_for(9.6, place)
    columns = columns_for(width, 2, 3.4)
    n_rows = len(parts) * 2 // columns
    _, axes = new_figure(n_rows, columns, size=(width, 0.6 + 3.2 * n_rows), place=place)
    pairs = axes.reshape(-1, 2)
    for (left, right), (contrast, part) in zip(pairs, parts, strict=True):
        handles = _groups(left, part[part["factor"] == GROUPS], factors, str(contrast))
        rest = part[part["factor"] != GROUPS]
        named = rest.assign(row=rest["factor"] + ": " + rest["comparison"])
        what = f"difference of {contrast}"
        forest = decision_forest(named, rule, key="row", title="", what=what)
        draw_forest(right, forest, wrapped_labels([forest], width / columns))
        right.set_xlabel(forest.axis, loc="right")
    add_legend(axes, handles, place)
    return finished(axes, place)


def _groups(
    axis: Axes,
    rows: pd.DataFrame,
    factors: Mapping[str, Mapping[str, Sequence[str]]],
    contrast: str,
) -> list[Any]:
    """Draw the groups' differences between the lists, with intervals; return what is a line."""
    first = next(iter(factors))
    every = [group for levels in factors[first].values() for group in levels]
    names = {group.replace("_", " "): group for group in every}
    cells = [levels_of(factors, names[name]) for name in rows["comparison"]]
    across = list(factors[first])
    lines = dict.fromkeys(cell[1:] for cell in cells)
    handles: list[Any] = []
    axis.axhline(0, **DASHED)
    for number, of_line in enumerate(lines):
        own = rows[[cell[1:] == of_line for cell in cells]]
        at = [across.index(cell[0]) for cell in cells if cell[1:] == of_line]
        places = [place + 0.06 * (number - (len(lines) - 1) / 2) for place in at]
        drawn = axis.errorbar(
            places,
            own["mean"],
            yerr=[own["mean"] - own["low"], own["high"] - own["mean"]],
            color=_COLOURS[number % len(_COLOURS)],
            marker=_MARKERS[number % len(_MARKERS)],
            markersize=5,
            linewidth=1.2,
            elinewidth=1.2,
            label=", ".join(of_line),
        )
        handles.append(drawn)
    axis.set_xticks(range(len(across)), across)
    axis.set_xlim(-0.5, len(across) - 0.5)
    axis.set_xlabel(first)
    axis.set_ylabel(f"{contrast}, {label_of(rows)}")
    grid_lines(axis, "y")
    return handles
