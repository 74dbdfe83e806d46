"""Widths of intervals against the number of words as a figure."""

from typing import Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.support.figure_style import DASHED, Place, add_legend, grid_lines, new_figure, whole
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
    size = (0.8 + 2.5 * len(contrasts), 5.0)
    figure, axes = new_figure(2, len(contrasts), size=size, sharex=True, sharey="row", **place)
    for column, contrast in enumerate(contrasts):
        upper, lower = axes[0, column], axes[1, column]
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
        upper.set_title(contrast)
        for axis in (upper, lower):
            _log_words(axis, table["n_words"].unique())
    # The columns share their axes: limits that the first one set would cut the others.
    axes[0, 0].set_ylim(0, 1.05 * max(width, table["width_high"].max()))
    axes[1, 0].set_ylim(-0.03, 1.03)
    axes[0, 0].set_ylabel("width of the interval\n(dashed: wanted)")
    axes[1, 0].set_ylabel("share of worlds decided")
    figure.supxlabel("protected words in all", fontsize=9)
    handles, _ = axes[0, 0].get_legend_handles_labels()
    add_legend(figure, handles, len(handles))
    return whole(figure)


def _log_words(axis: Axes, numbers: np.ndarray) -> None:
    axis.set_xscale("log")
    axis.set_xticks(numbers, [f"{n}" for n in numbers])
    axis.minorticks_off()
    grid_lines(axis)
