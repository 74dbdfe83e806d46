"""Words with two numbers, the errors of both, and the line through them, as a figure."""

from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.support.figure_style import (
    CELL,
    DASHED,
    INK,
    Place,
    finished,
    grid_lines,
    inches_of,
    lay_out,
    letter_size,
    new_figure,
    set_title,
    text_width,
    width_for,
)
from bayesbias.support.text_tables import interval_label, typeset
from bayesbias.support.types import Axes, Figure

_ESTIMATE: Final = "#6B6B6B"


def plot_facts(facts: Any, labels: int, **place: Unpack[Place]) -> Figure:
    """Draw the words and the line of a `Facts`."""
    width = width_for(6.4, place)
    _, axes = new_figure(1, 1, size=(width, 1.2 + 0.56 * width), place=place)
    axis = axes[0, 0]
    words = facts.words.rename(
        columns={"fact": "x", "fact_sd": "x_sd", "association": "y", "association_sd": "y_sd"}
    )
    draw_line(axis, words.assign(name=words["word"]), facts.band.rename(columns={"fact": "x"}))
    row: Any = next(facts.table.itertuples())
    ends = f"{typeset(row.correlation_low, 'sds')} to {typeset(row.correlation_high, 'sds')}"
    set_title(
        axis,
        f"{row.verdict}: {typeset(row.mean, 'signed')} per sd; r {typeset(row.correlation, 'sds')} "
        f"({ends}), raw {typeset(row.raw_correlation, 'sds')}",
    )
    label = interval_label(facts.prob, facts.interval)
    axis.set_xlabel(f"{facts.column} (bars: 1 sd; band: {label}; dashed: 0)")
    axis.set_ylabel(f"closer to {facts.titles[0]} than to {facts.titles[1]}")
    lay_out(axis.figure)
    name_points(axis, words.assign(name=words["word"]), labels)
    return finished(axes, place)


def draw_line(axis: Axes, points: pd.DataFrame, band: pd.DataFrame) -> None:
    """Draw points with the errors of both sides, and the line; columns x, x_sd, y, y_sd."""
    axis.axhline(0, **DASHED)
    axis.fill_between(
        band["x"], band["low"], band["high"], color=_ESTIMATE, alpha=0.18, linewidth=0
    )
    axis.plot(band["x"], band["mean"], color=_ESTIMATE, linewidth=1.4)
    axis.errorbar(
        points["x"],
        points["y"],
        xerr=points["x_sd"],
        yerr=points["y_sd"],
        fmt="o",
        color=INK,
        ecolor="#999999",
        elinewidth=0.7,
        markersize=3,
    )
    grid_lines(axis)


def name_points(axis: Axes, points: pd.DataFrame, most: int) -> None:
    """Write the names of points, the farthest out first, where there is room."""
    off = (points["y"] - points["predicted"]).abs()
    far = (points["x"] - points["x"].median()).abs()
    order = np.argsort(-np.maximum(off / (off.max() or 1), far / (far.max() or 1)).to_numpy())
    axis.get_xlim(), axis.get_ylim()  # else matplotlib has not yet decided where points will be
    size = letter_size(CELL, inches_of(axis))
    scale = axis.figure.dpi / 72
    taken: list[tuple[float, float, float, float]] = []
    for i in order.tolist():
        if len(taken) >= most:
            return
        point: Any = points.iloc[i]
        x, y = axis.transData.transform((point.x, point.y)) / scale
        width, height = 72 * text_width(point["name"], size), 1.2 * size
        # Names are on the side of the middle, so that they stay inside the axes.
        left = point.x > points["x"].median()
        start = x - 4 - width if left else x + 4
        box = (start, y + 2, start + width, y + 2 + height)
        inside = box[0] * scale >= axis.bbox.x0 and box[2] * scale <= axis.bbox.x1
        free = (b[0] >= box[2] or b[2] <= box[0] or b[1] >= box[3] or b[3] <= box[1] for b in taken)
        if not (inside and all(free)):
            continue
        taken.append(box)
        axis.annotate(
            point["name"],
            (point.x, point.y),
            xytext=(-4 if left else 4, 3),
            textcoords="offset points",
            ha="right" if left else "left",
            fontsize=size,
            color=INK,
        )
