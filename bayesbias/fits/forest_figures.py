"""Forest plots: means with intervals, for connections and for protected words."""

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, CONNECTIONS, PROTECTED_WORD
from bayesbias.support.figure_style import (
    COLOURS,
    FAINT,
    INK,
    MARKERS,
    connection_legend,
    distance_axis,
    new_figure,
)
from bayesbias.support.text_tables import interval_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WORDS_PER_COLUMN: Final = 25


def plot_groups(outer: pd.DataFrame, inner: pd.DataFrame) -> "Figure":
    """Draw the mean distance per connection.

    Parameters
    ----------
    outer, inner : DataFrame
        Two `Fit.group_summary` tables, for the thin and the thick line.

    Returns
    -------
    matplotlib.figure.Figure
    """
    n = len(outer)
    figure, axes = new_figure(1, 1, size=(6.0, 0.8 + 0.45 * n))
    axis = axes[0, 0]
    heights = np.arange(n)[::-1]
    for y, wide, narrow in zip(heights, outer.itertuples(), inner.itertuples(), strict=True):
        colour = COLOURS[wide.connection]
        axis.plot([wide.low, wide.high], [y, y], color=colour, linewidth=1.4)
        axis.plot([narrow.low, narrow.high], [y, y], color=colour, linewidth=4.5,
                  solid_capstyle="butt")  # fmt: skip
        axis.plot(wide.mean, y, MARKERS[wide.connection], color=colour, markersize=7,
                  markeredgecolor="white")  # fmt: skip
        axis.annotate(f"{wide.mean:.3f}", (wide.mean, y), (0, 7), textcoords="offset points",
                      ha="center", fontsize=8, color=INK)  # fmt: skip
    axis.set_yticks(heights, [f"{c} ({k:,} pairs)" for c, k in
                              zip(outer[CONNECTION], outer["n_pairs"], strict=True)])  # fmt: skip
    axis.set_ylim(-0.6, n - 0.3)
    axis.spines["left"].set_visible(False)
    wide_label = interval_label(outer["prob"].iloc[0], outer["interval"].iloc[0])
    narrow_label = interval_label(inner["prob"].iloc[0], inner["interval"].iloc[0])
    distance_axis(axis, f"mean cosine distance ({wide_label}, thick: {narrow_label})")
    return figure


def plot_words(table: pd.DataFrame) -> "Figure":
    """Draw the mean distance per protected word and connection.

    Parameters
    ----------
    table : DataFrame
        From `Fit.word_summary`. More than 25 words are set in columns beside each other.

    Returns
    -------
    matplotlib.figure.Figure
    """
    words = list(dict.fromkeys(table[PROTECTED_WORD]))
    connections = [c for c in CONNECTIONS if (table[CONNECTION] == c).any()]
    label = interval_label(table["prob"].iloc[0], table["interval"].iloc[0])
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
        axis.hlines(y, part["low"], part["high"], color=COLOURS[connection], linewidth=1.3)
        # A hollow marker is a word without pairs of its own: what the other words suggest.
        for rows, face in ((part["n_pairs"] > 0, COLOURS[connection]), (part["n_pairs"] == 0, "w")):
            axis.plot(part.loc[rows, "mean"], y[rows.to_numpy()], MARKERS[connection],
                      color=COLOURS[connection], markerfacecolor=face, markersize=3.8)  # fmt: skip
    axis.set_yticks(range(len(words)), words)
    axis.spines["left"].set_visible(False)
