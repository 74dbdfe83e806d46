"""Contrasts between connections as figures."""

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from bayesbias.constants import GROUP, PROTECTED_WORD
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.figure_style import (
    FAINT,
    INK,
    VERDICT_LOOKS,
    difference_axis,
    new_figure,
    verdict_handles,
)
from bayesbias.support.text_tables import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH: Final = 2.6
_MOST_ROWS: Final = 80
_DIFFERENCE: Final = "difference of mean cosine distance"


def plot_contrasts(
    table: pd.DataFrame,
    rule: DecisionRule,
    *,
    whole: pd.DataFrame | None = None,
    key: str = "contrast",
    what: str = _DIFFERENCE,
) -> "Figure":
    """Draw decisions, one panel per contrast.

    Parameters
    ----------
    table : DataFrame
        Of a `Contrasts`, of any level. More than 80 rows a panel are cut to the first 40 and the
        last 40 by mean.
    rule : DecisionRule
    whole : DataFrame, optional
        Rows for the mean over all words, drawn on top of those of single words.
    key : str
        The column that names a panel.
    what : str
        The axis.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names = list(dict.fromkeys(table[key]))
    column = next((c for c in (PROTECTED_WORD, GROUP) if c in table), None)
    if column is None:
        return _one_panel(table, rule, key, what)
    labels = _kept(table, column, names[0], key)
    top = 1.6 if whole is not None else 0.0
    heights = np.arange(len(labels)) + top
    figure, axes = new_figure(
        1,
        len(names),
        size=(1.4 + _WIDTH * len(names), 1.9 + 0.19 * len(labels)),
        sharex=True,
        sharey=True,
    )
    for axis, name in zip(axes[0], names, strict=True):
        part = table[table[key] == name].set_index(column).loc[labels].reset_index()
        draw_decisions(axis, part, heights)
        if whole is not None:
            draw_decisions(axis, whole[whole[key] == name], np.zeros(1))
            axis.axhline(0.8, color=FAINT, linewidth=0.8)
        axis.set_title(str(name).replace(", ", ",\n"))
    first = ["all words", *labels] if whole is not None else labels
    axes[0, 0].set_yticks(np.r_[0.0, heights] if whole is not None else heights, first)
    axes[0, 0].set_ylim(heights[-1] + 0.8, -0.8)
    for axis in axes[0]:
        difference_axis(axis, rule.width, "")
    figure.supxlabel(f"{what}, {label_of(table)} (grey: ROPE)", fontsize=9)
    verdict_legend(figure, [table] if whole is None else [whole, table])
    return figure


def _one_panel(table: pd.DataFrame, rule: DecisionRule, key: str, what: str) -> "Figure":
    figure, axes = new_figure(1, 1, size=(6.0, 1.2 + 0.4 * len(table)))
    axis = axes[0, 0]
    heights = np.arange(len(table), dtype=float)
    draw_decisions(axis, table, heights)
    axis.set_yticks(heights, table[key])
    axis.set_ylim(len(table) - 0.4, -0.6)
    difference_axis(axis, rule.width, f"{what}, {label_of(table)} (grey: ROPE)")
    verdict_legend(figure, [table])
    return figure


def _kept(table: pd.DataFrame, column: str, name: str, key: str) -> list[str]:
    """Return the rows that are drawn: all, or those farthest out in the first panel."""
    labels = list(dict.fromkeys(table[column]))
    if len(labels) <= _MOST_ROWS:
        return labels
    ordered = table[table[key] == name].sort_values("mean")[column].tolist()
    return [*ordered[: _MOST_ROWS // 2], *ordered[-(_MOST_ROWS // 2) :]]


def draw_decisions(axis: "Axes", table: pd.DataFrame, heights: np.ndarray) -> None:
    """Draw means with intervals at given heights; the marker shows the verdict."""
    verdicts, numbers = table["verdict"].to_numpy(), table[["low", "mean", "high"]].to_numpy()
    for verdict in dict.fromkeys(verdicts):
        marker, colour, filled = VERDICT_LOOKS[verdict]
        (low, mean, high), y = numbers[verdicts == verdict].T, heights[verdicts == verdict]
        axis.hlines(y, low, high, color=colour, linewidth=1.3)
        face = colour if filled else "white"
        axis.plot(mean, y, marker, color=colour, markerfacecolor=face, markersize=5)


def verdict_legend(figure: "Figure", tables: list[pd.DataFrame]) -> None:
    """Add a legend of the verdicts that occur above the axes."""
    handles = verdict_handles({verdict for table in tables for verdict in table["verdict"]})
    columns = min(len(handles), 4)
    figure.legend(
        handles=handles, loc="outside upper center", ncols=columns, frameon=False, labelcolor=INK
    )
