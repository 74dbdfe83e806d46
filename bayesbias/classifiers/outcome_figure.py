"""Gaps of classes against the associations of their words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from bayesbias.classifiers.figures import Size
from bayesbias.errors import ArgumentError
from bayesbias.support.figure_style import DASHED, INK, axes_or_new, grid_lines, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOUR: Final = "#0072B2"
_NAMED: Final = 6


def plot_outcome(
    table: pd.DataFrame,
    classes: pd.DataFrame,
    bands: pd.DataFrame,
    metrics: Sequence[str],
    contrast: str,
    label: str,
    *,
    ax: "Axes | None" = None,
    figsize: Size | None = None,
) -> "Figure":
    """Draw a panel per metric: classes with the errors of both sides, and the line.

    Parameters
    ----------
    table, classes, bands : DataFrame
        Of a `bayesbias.classifiers.Outcome`.
    metrics : sequence of str
    contrast : str
        The groups whose gap it is.
    label : str
        The name of the intervals, such as ``89% HPDI``.
    ax : Axes, optional
        Draw here; needs one metric.
    figsize : (float, float), optional

    Returns
    -------
    matplotlib.figure.Figure
        Bars reach one standard deviation; the classes farthest from the line, and those with the
        most extreme associations, are named.

    Raises
    ------
    ArgumentError
        If there are several metrics for one `ax`.
    """
    size = (0.7 + 3.9 * len(metrics), 3.9)
    if len(metrics) == 1:
        figure, axis = axes_or_new(ax, size=size, figsize=figsize)
        axes = [axis]
    elif ax is not None:
        raise ArgumentError(f"ax: choose one metric of {', '.join(metrics)}, such as metric='TPR'")
    else:
        figure, grid = new_figure(1, len(metrics), size=figsize or size)
        axes = list(grid[0])
    for axis, metric in zip(axes, metrics, strict=True):
        rows, part, band = (frame[frame["metric"] == metric] for frame in (table, classes, bands))
        _draw(axis, metric, rows, part, band, label)
    axes[0].set_ylabel(f"gap {contrast}")
    return figure


def _draw(
    axis: "Axes",
    metric: str,
    slopes: pd.DataFrame,
    part: pd.DataFrame,
    band: pd.DataFrame,
    label: str,
) -> None:
    row = slopes.iloc[0]
    axis.axhline(0, **DASHED)
    axis.fill_between(
        band["association"], band["low"], band["high"], color=_COLOUR, alpha=0.18, linewidth=0
    )
    axis.plot(band["association"], band["mean"], color=_COLOUR, linewidth=1.4)
    axis.errorbar(
        part["association"],
        part["gap"],
        xerr=part["association_sd"],
        yerr=part["gap_sd"],
        fmt="o",
        color=INK,
        ecolor="#999999",
        elinewidth=0.7,
        markersize=3,
    )
    off = (part["gap"] - part["predicted"]).abs()
    middle = part["association"].median()
    far = (part["association"] - middle).abs()
    named = {*off.nlargest(_NAMED // 2).index, *far.nlargest(_NAMED // 2).index}
    for i in sorted(named):
        point: Any = part.loc[i]
        place = (point["association"], point["gap"])
        # Names are on the side of the middle, so that they stay inside the axes.
        left = point["association"] > middle
        axis.annotate(
            point["class"],
            place,
            xytext=(-4 if left else 4, 4),
            textcoords="offset points",
            ha="right" if left else "left",
            fontsize=7,
            color=INK,
        )
    change = f"{row['mean']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f}) per sd"
    axis.set_title(f"{metric}: {change.replace('-', '−')}")
    axis.set_xlabel(f"association of the word (band: {label})")
    grid_lines(axis)
