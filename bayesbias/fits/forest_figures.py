"""Forest plots: means with intervals, for connections, groups, words, attributes and terms."""

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, CONNECTIONS, PROTECTED_WORD
from bayesbias.fits.quantities import RepeatRows
from bayesbias.support.figure_style import (
    COLOURS,
    FAINT,
    INK,
    MARKERS,
    axes_or_new,
    connection_legend,
    distance_axis,
    new_figure,
)
from bayesbias.support.text_tables import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WORDS_PER_COLUMN: Final = 25
_MOST_ROWS: Final = 60


def plot_rows(
    outer: pd.DataFrame, inner: pd.DataFrame, keys: list[str], *, ax: "Axes | None" = None
) -> "Figure":
    """Draw one line per row of a summary.

    Parameters
    ----------
    outer : DataFrame
        The table of a `Summary`, for the thin line.
    inner : DataFrame
        ``low`` and ``high`` of the thick line.
    keys : list of str
        The columns that name a row. More than 60 rows are cut to the first 30 and the last 30.
    ax : Axes, optional
        Draw here.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if len(outer) > _MOST_ROWS:
        shown = np.r_[: _MOST_ROWS // 2, len(outer) - _MOST_ROWS // 2 : len(outer)]
        outer, inner = outer.iloc[shown], inner.iloc[shown]
    n = len(outer)
    figure, axis = axes_or_new(ax, size=(6.0, 0.8 + min(0.45, 0.16 + 1.2 / n) * n))
    heights = np.arange(n)[::-1]
    connections = outer.get(CONNECTION, pd.Series([""] * n))
    for y, wide, narrow, connection in zip(
        heights, outer.itertuples(), inner.itertuples(), connections, strict=True
    ):
        colour, marker = COLOURS.get(connection, INK), MARKERS.get(connection, "o")
        axis.plot([wide.low, wide.high], [y, y], color=colour, linewidth=1.4)
        thick = [narrow.low, narrow.high]
        axis.plot(thick, [y, y], color=colour, linewidth=4.5, solid_capstyle="butt")
        axis.plot(wide.mean, y, marker, color=colour, markersize=7, markeredgecolor="white")
        if n <= len(CONNECTIONS) * 2:
            axis.annotate(
                f"{wide.mean:.3f}".replace("-", "−"),
                (wide.mean, y),
                (0, 7),
                textcoords="offset points",
                ha="center",
                fontsize=8,
                color=INK,
            )
    labels = [", ".join(map(str, row)) for row in outer[keys].to_numpy()]
    if "n_pairs" in outer:
        counts = outer["n_pairs"]
        labels = [f"{label} ({k:,} pairs)" for label, k in zip(labels, counts, strict=True)]
    axis.set_yticks(heights, labels)
    axis.set_ylim(-0.6, n - 0.3)
    axis.spines["left"].set_visible(False)
    label = label_of(outer)
    what = "mean cosine distance" if CONNECTION in outer else "cosine distance"
    distance_axis(axis, f"{what} ({label}, thick: 50%)")
    return figure


def plot_repeats(
    outer: pd.DataFrame, inner: pd.DataFrame, by: str, *, ax: "Axes | None" = None
) -> "Figure":
    """Draw the first contrast in every context or run, nearest first, and over all of them.

    Parameters
    ----------
    outer, inner : DataFrame
        As of `plot_rows`, of a `Summary` by context or by run.
    by : {"context", "run"}
    ax : Axes, optional
        Draw here.

    Returns
    -------
    matplotlib.figure.Figure
    """
    rows, contrast = RepeatRows(by), outer["contrast"].iloc[0]
    outer = outer[outer["contrast"] == contrast]
    single = outer[outer["quantity"] == rows.each].sort_values("mean", kind="stable")
    over = outer[outer["quantity"] == rows.over]
    table = pd.concat([single, over.assign(**{by: rows.over})])
    figure, axis = axes_or_new(ax, size=(6.0, 0.8 + 0.3 * len(table)))
    plot_rows(table, inner.loc[table.index], [by], ax=axis)
    axis.plot(over["mean"], [0.0], "D", color=INK, markersize=8, markeredgecolor="white")
    axis.axhline(0.76, color=INK, linewidth=0.6)  # above the number, where there is one
    axis.axvline(0.0, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    low, high = min(0.0, table["low"].min()), max(0.0, table["high"].max())
    axis.set_xlim(low - 0.04 * (high - low), high + 0.04 * (high - low))
    spread = outer.loc[outer["quantity"] == rows.spread, "mean"].iloc[0]
    interval = f"{label_of(table)}, thick: 50%"
    axis.set_xlabel(f"{contrast} ({interval}; {rows.spread} {spread:.3f})")
    return figure


def plot_words(table: pd.DataFrame) -> "Figure":
    """Draw the mean distance per protected word and connection.

    Parameters
    ----------
    table : DataFrame
        Of ``Fit.summary(by="word")``. More than 25 words are set in columns beside each other.

    Returns
    -------
    matplotlib.figure.Figure
    """
    words = list(dict.fromkeys(table[PROTECTED_WORD]))
    connections = [c for c in CONNECTIONS if (table[CONNECTION] == c).any()]
    label = label_of(table)
    columns = -(-len(words) // _WORDS_PER_COLUMN)
    rows = -(-len(words) // columns)
    figure, axes = new_figure(
        1, columns, size=(6.0 if columns == 1 else 4.6 * columns, 1.1 + 0.36 * rows), sharex=True
    )
    for column in range(columns):
        part = words[column * rows : (column + 1) * rows]
        _word_column(axes[0, column], part, table, connections)
        axes[0, column].set_ylim(rows - 0.5, -0.5)
    for axis in axes[0]:
        distance_axis(axis, f"mean cosine distance, {label}")
    connection_legend(figure, connections)
    return figure


def _word_column(
    axis: "Axes", words: list[str], table: pd.DataFrame, connections: list[str]
) -> None:
    offsets = np.linspace(-0.27, 0.27, len(connections)) if len(connections) > 1 else [0.0]
    position = {word: y for y, word in enumerate(words)}
    for y in range(0, len(words), 2):
        axis.axhspan(y - 0.5, y + 0.5, color=FAINT, alpha=0.35, linewidth=0)
    for connection, offset in zip(connections, offsets, strict=True):
        part = table[(table[CONNECTION] == connection) & table[PROTECTED_WORD].isin(words)]
        y = part[PROTECTED_WORD].map(position).to_numpy() + offset
        colour, marker = COLOURS[connection], MARKERS[connection]
        axis.hlines(y, part["low"], part["high"], color=colour, linewidth=1.3)
        # A hollow marker is a word without pairs of its own: what the other words suggest.
        for rows, face in ((part["n_pairs"] > 0, colour), (part["n_pairs"] == 0, "w")):
            x, at = part.loc[rows, "mean"], y[rows.to_numpy()]
            axis.plot(x, at, marker, color=colour, markerfacecolor=face, markersize=3.8)
    axis.set_yticks(range(len(words)), words)
    axis.spines["left"].set_visible(False)
