"""Contrasts between connections as figures."""

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from bayesbias.constants import PROTECTED_WORD
from bayesbias.support.figure_style import FAINT, INK, VERDICT_LOOKS, difference_axis, new_figure
from bayesbias.support.text_tables import interval_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH: Final = 2.6


def plot_contrasts(groups: pd.DataFrame, words: pd.DataFrame) -> "Figure":
    """Draw contrasts, one panel each: the group on top, then every protected word.

    Parameters
    ----------
    groups, words : DataFrame
        Of a `Contrasts`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    return decision_panels(groups, words, "contrast", "difference of mean cosine distance")


def decision_panels(groups: pd.DataFrame, words: pd.DataFrame, key: str, what: str) -> "Figure":
    """Draw decisions, one panel per value of `key`."""
    names = list(groups[key])
    labels = list(dict.fromkeys(words[PROTECTED_WORD]))
    heights = np.r_[0.0, np.arange(len(labels)) + 1.6]
    figure, axes = new_figure(
        1, len(names), size=(1.4 + _WIDTH * len(names), 1.9 + 0.19 * len(labels)),
        sharex=True, sharey=True,
    )  # fmt: skip
    for axis, name in zip(axes[0], names, strict=True):
        draw_decisions(axis, pd.concat([groups[groups[key] == name], words[words[key] == name]]),
                       heights)  # fmt: skip
        axis.set_title(name)
        axis.axhline(0.8, color=FAINT, linewidth=0.8)
    axes[0, 0].set_yticks(heights, ["group mean", *labels])
    axes[0, 0].set_ylim(len(labels) + 1.2, -0.8)
    for axis in axes[0]:
        difference_axis(axis, groups["rope"].iloc[0], "")
    label = interval_label(groups["prob"].iloc[0], groups["interval"].iloc[0])
    figure.supxlabel(f"{what}, {label} (grey: ROPE)", fontsize=9)
    verdict_legend(figure, [groups, words])
    return figure


def draw_decisions(axis: "Axes", table: pd.DataFrame, heights: np.ndarray) -> None:
    """Draw means with intervals at given heights; the marker tells the verdict."""
    for y, row in zip(heights, table.itertuples(), strict=True):
        marker, colour, filled = VERDICT_LOOKS[row.verdict]
        axis.plot([row.low, row.high], [y, y], color=colour, linewidth=1.3)
        axis.plot(row.mean, y, marker, color=colour, markerfacecolor=colour if filled else "white",
                  markersize=5)  # fmt: skip


def verdict_legend(figure: "Figure", tables: list[pd.DataFrame]) -> None:
    """Add a legend of the verdicts that occur above the axes."""
    from matplotlib.lines import Line2D

    found = {verdict for table in tables for verdict in table["verdict"]}
    handles = [
        Line2D([], [], color=colour, marker=marker, linestyle="-", markersize=5, label=verdict,
               markerfacecolor=colour if filled else "white")
        for verdict, (marker, colour, filled) in VERDICT_LOOKS.items() if verdict in found
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False,
                  labelcolor=INK)  # fmt: skip
