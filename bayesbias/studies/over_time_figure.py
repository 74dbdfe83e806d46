"""A contrast over time."""

from collections.abc import Mapping
from typing import Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import GROUP
from bayesbias.fits.contrasts import STANDARDISED
from bayesbias.support.figure_style import (
    DASHED,
    FAINT,
    INK,
    LOOKS,
    Place,
    grid_lines,
    new_figure,
    whole,
)
from bayesbias.support.text_tables import label_of
from bayesbias.support.types import Axes, Figure

_COLUMNS: Final = 3


def plot_over_time(
    levels: pd.DataFrame, trend: pd.DataFrame, times: Mapping[str, float], **place: Unpack[Place]
) -> Figure:
    """Draw a contrast over time with its band, and its line: a panel for all groups and for each.

    `levels` and `trend` are those of `OverTime`, of one contrast, in sds of a neutral pair.
    """
    groups = list(levels[GROUP].unique())
    columns = min(len(groups), _COLUMNS)
    n_rows = -(-len(groups) // columns)
    size = (1.2 + 3.2 * columns, 0.8 + 2.5 * n_rows)
    figure, axes = new_figure(n_rows, columns, size=size, sharex=True, sharey=True, **place)
    panels = axes.ravel()
    for axis, group in zip(panels, groups, strict=False):
        rows = levels[levels[GROUP] == group]
        _draw(axis, rows, trend[trend[GROUP] == group].iloc[0], times)
        axis.set_title(str(group))
    for axis in panels[len(groups) :]:
        axis.remove()
    contrast, label = levels["contrast"].iloc[0], label_of(levels)
    for axis in axes[:, 0]:
        axis.set_ylabel(f"{contrast},\nsd of a neutral pair, {label}")
    return whole(figure)


def _draw(axis: Axes, rows: pd.DataFrame, line: pd.Series, times: Mapping[str, float]) -> None:
    """Draw the means with their intervals as a band, the region of no difference, and the line."""
    x = np.array([times[name] for name in rows["time"]])
    mean, low, high = (rows[name].to_numpy() for name in STANDARDISED)
    look = LOOKS["associated"]
    rope = float((rows["rope"] * (high - low) / (rows["high"] - rows["low"])).iloc[0])
    axis.axhspan(-rope, rope, color=FAINT, alpha=0.55, linewidth=0, zorder=0)
    axis.axhline(0.0, **DASHED, zorder=0.5)
    axis.fill_between(x, low, high, color=look.colour, alpha=0.22, linewidth=0)
    axis.plot(x, mean, color=look.colour, marker=look.marker, markersize=5, linewidth=1.3)
    # Least squares go through the middle of the times.
    ends = np.array([x.min(), x.max()])
    share = (ends - x.mean()) / np.ptp(x)
    axis.plot(ends, mean.mean() + share * line["standardised"], color=INK, linestyle=":")
    if not all(name.replace(".", "", 1).lstrip("-").isdigit() for name in times):
        axis.set_xticks(list(times.values()), list(times))
    grid_lines(axis, "y")
