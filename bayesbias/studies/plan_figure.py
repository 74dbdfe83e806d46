"""Widths of intervals against the number of words as a figure."""

from typing import Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.support.figure_style import (
    DASHED,
    Place,
    add_legend,
    columns_for,
    finished,
    grid_lines,
    label_below,
    new_figure,
    set_title,
    width_for,
)
from bayesbias.support.types import Axes, Figure

_LOOKS: Final = (
    ("o", "#440154"),
    ("s", "#414487"),
    ("^", "#2A788E"),
    ("D", "#22A884"),
    ("v", "#5DA532"),
    ("P", "#A09000"),
)


def plot_plan(table: pd.DataFrame, width: float, **place: Unpack[Place]) -> Figure:
    """Draw expected widths (above) and shares decided (below) by contrast; `width` is dashed."""
    contrasts = list(dict.fromkeys(table["contrast"]))
    across = width_for(0.8 + 2.5 * len(contrasts), place)
    columns = columns_for(across, len(contrasts), 1.6)
    lines = -(-len(contrasts) // columns)
    size = (across, 0.8 + 4.2 * lines)
    _, axes = new_figure(2 * lines, columns, size=size, place=place, sharex=True)
    for number, contrast in enumerate(contrasts):
        line, column = 2 * (number // columns), number % columns
        upper, lower = axes[line, column], axes[line + 1, column]
        part = table[table["contrast"] == contrast]
        groups = part.groupby("n_attributes", sort=True)
        shift = np.linspace(-0.02, 0.02, groups.ngroups) if groups.ngroups > 1 else [0.0]
        for i, (n_attributes, rows) in enumerate(groups):
            marker, colour = _LOOKS[i % len(_LOOKS)]
            x = rows["n_words"].to_numpy() * (1 + shift[i])
            upper.fill_between(
                x, rows["width_low"], rows["width_high"], color=colour, alpha=0.13, linewidth=0
            )
            look = {"marker": marker, "color": colour, "markersize": 4, "linewidth": 1.3}
            upper.plot(x, rows["width"], label=f"{n_attributes} attributes", **look)
            lower.vlines(x, rows["decided_low"], rows["decided_high"], color=colour, linewidth=1.1)
            lower.plot(x, rows["decided"], **look)
        upper.axhline(width, **DASHED)
        set_title(upper, contrast)
        for axis in (upper, lower):
            _log_words(axis, table["n_words"].unique())
    for axis in axes[::2].flat:
        axis.set_ylim(0, 1.05 * max(width, table["width_high"].max()))
    for axis in axes[1::2].flat:
        axis.set_ylim(-0.03, 1.03)
    for upper, lower in zip(axes[::2, 0], axes[1::2, 0], strict=True):
        upper.set_ylabel("width of the interval (dashed: wanted)")
        lower.set_ylabel("share of worlds decided")
    for number in range(len(contrasts), lines * columns):
        for axis in axes[2 * (number // columns) :, number % columns]:
            axis.remove()
    label_below(axes, "protected words in all", place)
    add_legend(axes, axes[0, 0].get_legend_handles_labels()[0], place)
    return finished(axes, place)


def _log_words(axis: Axes, numbers: np.ndarray) -> None:
    axis.set_xscale("log")
    axis.set_xticks(numbers, [f"{n}" for n in numbers])
    axis.minorticks_off()
    grid_lines(axis)
