"""Gaps, their lines against associations, and the resampling protocol as figures."""

from collections.abc import Sequence
from typing import Any, Final, Unpack

import pandas as pd

from bayesbias.fits.facts_figure import draw_line, name_points
from bayesbias.support.figure_style import (
    DASHED,
    INK,
    Place,
    finished,
    grid_lines,
    label_below,
    lay_out,
    new_figure,
    panels,
    set_title,
)
from bayesbias.support.forests import Forest, Mark, Row, plot_forests, span_of
from bayesbias.support.text_tables import bounds, typeset
from bayesbias.support.types import Axes, Figure

_ESTIMATE: Final = "#6B6B6B"

_NAMED: Final = 6  # classes named in a figure of an outcome
_OF_LINE: Final = {"association": "x", "association_sd": "x_sd", "gap": "y", "gap_sd": "y_sd"}


def plot_gaps(table: pd.DataFrame, label: str, **place: Unpack[Place]) -> Figure:
    """Draw gaps, a panel per metric, rows as the first one orders them; × is an undefined gap."""
    metrics = list(dict.fromkeys(table["metric"]))
    several = len(table["contrast"].unique()) > 1
    names = table["class"] + (", " + table["contrast"] if several else "")
    ends = [c for c in ("gap", "mean", "low", "high") if c in table]
    table = table.assign(row=names, **table[ends].astype(float))
    order = table[table["metric"] == metrics[0]].sort_values("gap")["row"].tolist()
    rope = float(table["rope"].iloc[0]) if "rope" in table else 0.0
    region = (-rope, rope) if rope else None
    # A mark is the posterior mean, which the prior pulls away from the observed gap.
    gap = "posterior mean of the gap" if "mean" in table else "gap"
    contrast = "" if several else f" {table['contrast'].iloc[0]}"
    forests = []
    for metric, part in table.groupby("metric", sort=False):
        rows = part.set_index("row").loc[order].reset_index().to_dict("records")
        marks = tuple(Row(row["row"], (_gap_mark(row),)) for row in rows)
        axis = f"{gap}{contrast}, {label}"
        span = span_of(part[ends].to_numpy().ravel().tolist(), 0.0, -1.2 * rope, 1.2 * rope)
        forests.append(Forest(str(metric), "", axis, marks, span, (0.0,), region))
    return plot_forests(
        [forests],
        width=1.6 + 2.7 * len(metrics),
        note=" (dashed: 0; grey: ROPE)" if "rope" in table else " (dashed: 0)",
        legend="verdict" in table,
        **place,
    )


def _gap_mark(row: dict[str, Any]) -> Mark:
    if row["reason"]:
        return Mark("undefined", 0.0, 0.0, 0.0)
    look, value = row.get("verdict", "undecided"), row.get("mean", row["gap"])
    return Mark(look, value, row.get("low", value), row.get("high", value))


def plot_protocol(
    runs: pd.DataFrame,
    gaps: pd.DataFrame,
    f1: pd.DataFrame,
    what: str,
    classes: Sequence[str],
    **place: Unpack[Place],
) -> Figure:
    """Draw box plots of scores per size of the subsamples."""
    if what == "accuracy":
        _, axes = new_figure(1, 1, size=(4.2, 3.2), place=place)
        _boxes(axes[0, 0], runs, "accuracy")
        axes[0, 0].set_ylabel("accuracy")
    elif what == "f1":
        n, width = len(classes), 0.8 + 2.4 * len(classes)
        axes = panels(n, place, width=width, height=2.5, least=1.4, sharey=True)
        for axis, label in zip(axes.flat, classes, strict=False):
            _boxes(axis, f1[f1["class"] == label], "f1")
            set_title(axis, label)
        for axis in axes[:, 0]:
            axis.set_ylabel("F1")
    else:
        metrics = list(dict.fromkeys(gaps["metric"]))
        contrasts = list(dict.fromkeys(gaps["contrast"]))
        rows = [(label, contrast) for label in classes for contrast in contrasts]
        whole = (0.8 + 2.6 * len(metrics), 0.6 + 2.2 * len(rows))
        shared: dict[str, Any] = {"sharey": "row", "sharex": True}
        _, axes = new_figure(len(rows), len(metrics), size=whole, place=place, **shared)
        for line, (label, contrast) in zip(axes, rows, strict=True):
            for axis, metric in zip(line, metrics, strict=True):
                chosen = (gaps["class"] == label) & (gaps["contrast"] == contrast)
                _boxes(axis, gaps[chosen & (gaps["metric"] == metric)], "gap")
                axis.axhline(0, **DASHED)
                set_title(axis, f"{label}: {metric}")
            line[0].set_ylabel(f"gap {contrast}")
    label_below(axes, "rows per subsample, training and test together", place)
    return finished(axes, place)


def _boxes(axis: Axes, table: pd.DataFrame, column: str) -> None:
    sizes = sorted(table["size"].unique())
    values = [table.loc[table["size"] == size, column].dropna().to_numpy() for size in sizes]
    line = {"color": _ESTIMATE}
    axis.boxplot(
        values,
        positions=range(len(sizes)),
        widths=0.55,
        medianprops={"color": INK},
        boxprops=line,
        whiskerprops=line,
        capprops=line,
        flierprops={"markersize": 3, "markeredgecolor": _ESTIMATE},
    )
    axis.set_xticks(range(len(sizes)), [f"{size:,}" for size in sizes])
    grid_lines(axis, "y")


def plot_outcome(
    table: pd.DataFrame,
    classes: pd.DataFrame,
    bands: pd.DataFrame,
    metrics: Sequence[str],
    contrast: str,
    label: str,
    **place: Unpack[Place],
) -> Figure:
    """Draw a panel per metric: classes with one sd of either side, some named, and the line."""
    n, width = len(metrics), 0.7 + 3.9 * len(metrics)
    axes = panels(n, place, width=width, height=3.2, least=2.3)
    drawn = []
    for axis, metric in zip(axes.flat, metrics, strict=False):
        rows, part, band = (frame[frame["metric"] == metric] for frame in (table, classes, bands))
        points = part.rename(columns={**_OF_LINE, "class": "name"})
        draw_line(axis, points, band.rename(columns=_OF_LINE))
        drawn.append((axis, points))
        row = rows.iloc[0]
        change = f"{typeset(row['mean'], 'signed')} ({bounds(row, 'signed')}) per sd"
        set_title(axis, f"{metric}: {change}")
    for axis in axes[:, 0]:
        axis.set_ylabel(f"gap {contrast}")
    label_below(axes, f"association of the word (band: {label}; dashed: 0)", place)
    lay_out(axes[0, 0].figure)
    for axis, points in drawn:
        name_points(axis, points, _NAMED)
    return finished(axes, place)
