"""Disparities, gaps and the resampling protocol as figures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from bayesbias.classifiers.bernstein import detectable_disparity, required_n
from bayesbias.errors import ArgumentError
from bayesbias.support.figure_style import (
    DASHED,
    INK,
    VERDICT_LOOKS,
    axes_or_new,
    difference_axis,
    grid_lines,
    new_figure,
    verdict_handles,
)
from bayesbias.support.text_tables import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ESTIMATE: Final = "#0072B2"
_TRUTH: Final = "#D55E00"

Size = tuple[float, float]


def plot_coverage(
    runs: pd.DataFrame, confidence: float, *, figsize: Size | None = None
) -> "Figure":
    """Draw estimates with Bernstein intervals around a known truth (Ethayarajh 2020, Fig. 1).

    Parameters
    ----------
    runs : DataFrame
        The rows of one group, of a `CoverageExperiment`.
    confidence : float

    Returns
    -------
    matplotlib.figure.Figure
        A panel per share of the group against n, or one against the share if there is one n.
    """
    by, panel = ("gamma", "n") if len(runs["n"].unique()) == 1 else ("n", "gamma")
    panels = list(runs.groupby(panel, sort=True))
    size = figsize or (0.8 + 3.6 * len(panels), 3.4)
    figure, axes = new_figure(1, len(panels), size=size, sharey=True)
    names = {"n": "annotated examples n", "gamma": "share of the protected group γ"}
    for axis, (value, part) in zip(axes[0], panels, strict=True):
        _intervals_by(axis, part, by)
        axis.set_title(f"{runs['group'].iloc[0]}, {'n' if panel == 'n' else 'γ'} = {value:g}")
        axis.set_xlabel(names[by])
    axes[0, 0].set_ylabel(f"disparity, {percent(confidence)} Bernstein interval")
    axes[0, 0].legend(loc="upper right")
    return figure


def _intervals_by(axis: "Axes", part: pd.DataFrame, by: str) -> None:
    values = sorted(part[by].unique())
    for place, value in enumerate(values):
        rows = part[part[by] == value].sort_values("run")
        x = place + np.linspace(-0.32, 0.32, len(rows)) if len(rows) > 1 else [place]
        axis.vlines(x, rows["low"], rows["high"], color=_ESTIMATE, linewidth=0.9, alpha=0.7)
        label = "estimates, one per sample" if place == 0 else None
        axis.plot(x, rows["estimate"], "o", color=_ESTIMATE, markersize=2.5, label=label)
    axis.axhline(part["true"].iloc[0], color=_TRUTH, linewidth=1.4, label="truth")
    axis.axhline(0, **DASHED)
    axis.set_xticks(range(len(values)), [f"{v:g}" for v in values])
    grid_lines(axis, "y")


def plot_required_n(
    *,
    disparities: Sequence[float] | None = None,
    confidence: float = 0.95,
    gamma: float = 0.5,
    variance: float | None = None,
    max_cost: float = 1.0,
    marks: dict[str, int] | None = None,
    ax: "Axes | None" = None,
    figsize: Size | None = None,
) -> "Figure":
    """Draw the examples needed against the estimated disparity (Ethayarajh 2020, Fig. 2).

    Parameters
    ----------
    disparities : sequence of float, optional
        By default from 1% to 30% of `max_cost`.
    confidence, gamma, variance, max_cost
        As in `bayesbias.classifiers.required_n`.
    marks : mapping of str to int, optional
        Sizes of datasets by name, drawn as lines; by default WinoBias, 3,160. A point is the least
        estimate that such a dataset distinguishes from 0; it is left out where none can be.

    Returns
    -------
    matplotlib.figure.Figure
    """
    options: dict[str, Any] = {
        "confidence": confidence,
        "gamma": gamma,
        "variance": variance,
        "max_cost": max_cost,
    }
    x = np.linspace(0.01, 0.3, 117) * max_cost if disparities is None else np.asarray(disparities)
    needed = [required_n(disparity=d, **options) for d in x]
    figure, axis = axes_or_new(ax, size=(5.2, 3.4), figsize=figsize)
    axis.plot(x, needed, color=_ESTIMATE, linewidth=1.6)
    for name, n in ({"WinoBias": 3160} if marks is None else marks).items():
        axis.axhline(n, color=_TRUTH, linewidth=1.0, linestyle=(0, (4, 3)))
        if n < required_n(disparity=max_cost, **options):
            least, text = x.mean(), f"{name}, n = {n:,}: none"
        else:
            least = detectable_disparity(n=n, **options)
            text = f"{name}, n = {n:,}: at least {least:.4f}"
            axis.plot(least, n, "o", color=_TRUTH, markersize=5)
        place: dict[str, Any] = {"xytext": (6, 6), "textcoords": "offset points", "fontsize": 8.5}
        axis.annotate(text, (least, n), color=INK, **place)
    axis.set_yscale("log")
    axis.set_xlabel("estimated disparity to be distinguished from 0")
    axis.set_ylabel("annotated examples needed")
    axis.set_title(f"{percent(confidence)} confidence, γ = {gamma:g}, C = {max_cost:g}")
    grid_lines(axis)
    return figure


GAP_LOOKS: Final = {
    verdict.replace("closer", "lower").replace("farther", "higher"): look
    for verdict, look in VERDICT_LOOKS.items()
} | {"undefined": ("x", "#5F6B73", True)}
"""Marker, colour and whether it is filled, per verdict on a gap."""


def plot_gaps(
    table: pd.DataFrame, label: str, *, ax: "Axes | None" = None, figsize: Size | None = None
) -> "Figure":
    """Draw gaps, a panel per metric and a row per class.

    Parameters
    ----------
    table : DataFrame
        Of a `bayesbias.classifiers.Gaps`.
    label : str
        The name of the intervals, such as ``89% HPDI``.
    ax : Axes, optional
        Draw here; the table must have one metric.
    figsize : (float, float), optional
        Width and height in inches.

    Returns
    -------
    matplotlib.figure.Figure
        Classes are in the order of the first metric's gaps; a cross at 0 is an undefined gap.

    Raises
    ------
    ArgumentError
        If there are several metrics for one `ax`.
    """
    metrics = list(dict.fromkeys(table["metric"]))
    several = len(table["contrast"].unique()) > 1
    names = table["class"] + (", " + table["contrast"] if several else "")
    table = table.assign(row=names)
    first = table[table["metric"] == metrics[0]].sort_values("gap")
    order = {name: y for y, name in enumerate(first["row"])}
    size = (1.6 + 2.7 * len(metrics), 1.7 + 0.19 * len(order))
    if ax is None:
        figure, grid = new_figure(1, len(metrics), size=figsize or size, sharey=True)
        axes = list(grid[0])
    elif len(metrics) > 1:
        raise ArgumentError(
            f"ax: the table has {len(metrics)} metrics ({', '.join(metrics)}), and each needs a "
            f"panel; plot_gaps(table[table['metric'] == {metrics[0]!r}], ax=...) draws one"
        )
    else:
        figure, axis = axes_or_new(ax, size=size, figsize=figsize)
        axes = [axis]
    rule = " (grey: ROPE)" if "rope" in table else ""
    # A mark is the posterior mean, which the prior pulls away from the observed gap.
    gap = "posterior mean of the gap" if "mean" in table else "gap"
    contrast = "" if several else f" {table['contrast'].iloc[0]}"
    caption = f"{gap}{contrast}, {label}{rule}"
    for axis, metric in zip(axes, metrics, strict=True):
        for row in table[table["metric"] == metric].to_dict("records"):
            _draw_gap(axis, order[row["row"]], row)
        axis.set_title(metric)
        rope = table["rope"].iloc[0] if "rope" in table else 0.0
        difference_axis(axis, rope, "" if ax is None else caption)
    axes[0].set_yticks(range(len(order)), list(order))
    axes[0].set_ylim(len(order) - 0.4, -0.6)
    if ax is None:
        figure.supxlabel(caption, fontsize=9)
    if "verdict" in table:
        _verdict_legend(figure if ax is None else axes[0], set(table["verdict"]))
    return figure


def _verdict_legend(place: "Figure | Axes", found: set[str]) -> None:
    """Explain the marks of the verdicts that occur: above a figure, or in the axes given."""
    from matplotlib.figure import Figure

    handles = verdict_handles(found, GAP_LOOKS)
    options: dict[str, Any] = {"handles": handles, "frameon": False, "labelcolor": INK}
    if isinstance(place, Figure):
        place.legend(loc="outside upper center", ncols=min(len(handles), 4), **options)
    else:
        place.legend(loc="best", fontsize=7, **options)


def _draw_gap(axis: "Axes", y: int, row: dict[str, Any]) -> None:
    if row["reason"]:
        marker, colour, _ = GAP_LOOKS["undefined"]
        axis.plot(0, y, marker, color=colour, markersize=5)
        return
    marker, colour, filled = GAP_LOOKS[row.get("verdict", "undecided")]
    if "low" in row:
        axis.plot([row["low"], row["high"]], [y, y], color=colour, linewidth=1.3)
    face = colour if filled else "white"
    value = row.get("mean", row["gap"])
    axis.plot(value, y, marker, color=colour, markersize=5, markerfacecolor=face)


def plot_protocol(
    runs: pd.DataFrame,
    gaps: pd.DataFrame,
    f1: pd.DataFrame,
    what: str,
    classes: Sequence[str],
    *,
    figsize: Size | None = None,
) -> "Figure":
    """Draw box plots of scores per size of the subsamples.

    Parameters
    ----------
    runs, gaps, f1 : DataFrame
        Of a `bayesbias.classifiers.ProtocolScores`.
    what : {"gaps", "f1", "accuracy"}
    classes : sequence of str

    Returns
    -------
    matplotlib.figure.Figure
    """
    if what == "accuracy":
        figure, axes = new_figure(1, 1, size=figsize or (4.2, 3.2))
        _boxes(axes[0, 0], runs, "accuracy")
        axes[0, 0].set_ylabel("accuracy")
    elif what == "f1":
        size = figsize or (0.8 + 2.4 * len(classes), 3.2)
        figure, axes = new_figure(1, len(classes), size=size, sharey=True)
        for axis, label in zip(axes[0], classes, strict=True):
            _boxes(axis, f1[f1["class"] == label], "f1")
            axis.set_title(label)
        axes[0, 0].set_ylabel("F1")
    else:
        metrics = list(dict.fromkeys(gaps["metric"]))
        contrasts = list(dict.fromkeys(gaps["contrast"]))
        rows = [(label, contrast) for label in classes for contrast in contrasts]
        size = figsize or (0.8 + 2.6 * len(metrics), 0.6 + 2.2 * len(rows))
        figure, axes = new_figure(len(rows), len(metrics), size=size, sharey="row", sharex=True)
        for line, (label, contrast) in zip(axes, rows, strict=True):
            for axis, metric in zip(line, metrics, strict=True):
                chosen = (gaps["class"] == label) & (gaps["contrast"] == contrast)
                _boxes(axis, gaps[chosen & (gaps["metric"] == metric)], "gap")
                axis.axhline(0, **DASHED)
                axis.set_title(f"{label}: {metric}")
            line[0].set_ylabel(f"gap {contrast}")
    figure.supxlabel("rows per subsample, training and test together", fontsize=9)
    return figure


def _boxes(axis: "Axes", table: pd.DataFrame, column: str) -> None:
    sizes = sorted(table["size"].unique())
    values = [table.loc[table["size"] == size, column].dropna().to_numpy() for size in sizes]
    line = {"color": _ESTIMATE}
    axis.boxplot(
        values,
        positions=range(len(sizes)),
        widths=0.55,
        medianprops={"color": _TRUTH},
        boxprops=line,
        whiskerprops=line,
        capprops=line,
        flierprops={"markersize": 3, "markeredgecolor": _ESTIMATE},
    )
    axis.set_xticks(range(len(sizes)), [f"{size:,}" for size in sizes])
    grid_lines(axis, "y")


_METHOD_LOOKS: Final = (
    ("o", "#D55E00"),
    ("s", "#E69F00"),
    ("^", "#5F6B73"),
    ("D", "#CC79A7"),
    ("v", "#0072B2"),
    ("P", "#009E73"),
)


def plot_interval_coverage(
    table: pd.DataFrame, prob: float, *, figsize: Size | None = None
) -> "Figure":
    """Draw coverage (above) and mean width (below) of intervals against n.

    Parameters
    ----------
    table : DataFrame
        Of a `bayesbias.classifiers.IntervalCoverage`.
    prob : float
        What the coverage should be, a dashed line.

    Returns
    -------
    matplotlib.figure.Figure
        A column per pair of rates and share of the protected group.
    """
    columns = list(table.groupby(["rate_protected", "rate_reference", "share"], sort=False))
    size = figsize or (0.9 + 2.9 * len(columns), 5.4)
    figure, axes = new_figure(2, len(columns), size=size, sharex=True, sharey="row")
    sizes = sorted(table["n"].unique())
    for column, ((first, second, share), part) in enumerate(columns):
        upper, lower = axes[0, column], axes[1, column]
        for i, (method, rows) in enumerate(part.groupby("method", sort=False)):
            marker, colour = _METHOD_LOOKS[i % len(_METHOD_LOOKS)]
            x = np.array([sizes.index(n) for n in rows["n"]]) + 0.07 * (i - 2.5)
            look = {"marker": marker, "color": colour, "markersize": 4}
            ends = rows["coverage_low"], rows["coverage_high"]
            upper.vlines(x, *ends, color=colour, linewidth=1.1)
            upper.plot(x, rows["coverage"], linewidth=0.7, label=method, **look)
            lower.plot(x, rows["width"], linewidth=1.1, **look)
        upper.axhline(prob, **DASHED)
        upper.set_title(f"rates {first:g} and {second:g}, share {share:g}")
        lower.axhline(2, color=INK, linewidth=0.8, linestyle=(0, (1, 2)))
        lower.set_yscale("log")
        for axis in (upper, lower):
            axis.set_xticks(range(len(sizes)), [f"{n}" for n in sizes])
            grid_lines(axis, "y")
    axes[0, 0].set_ylabel("coverage")
    axes[1, 0].set_ylabel("mean width (at most 2 is possible)")
    figure.supxlabel("annotated examples of both groups", fontsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    return figure
