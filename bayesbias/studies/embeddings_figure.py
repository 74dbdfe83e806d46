"""Several embeddings as small multiples."""

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, EMBEDDING
from bayesbias.fits.contrast_figures import draw_decisions, verdict_legend
from bayesbias.support.figure_style import (
    COLOURS,
    FAINT,
    INK,
    MARKERS,
    difference_axis,
    distance_axis,
    new_figure,
)
from bayesbias.support.text_tables import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH: Final = 2.5


def plot_embeddings(means: pd.DataFrame, contrasts: pd.DataFrame) -> "Figure":
    """Draw mean distances (above) and contrasts (below), a panel each, a line per embedding.

    Parameters
    ----------
    means, contrasts : DataFrame
        Of an `EmbeddingComparison`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    embeddings = list(dict.fromkeys(means[EMBEDDING]))
    connections = list(dict.fromkeys(means[CONNECTION]))
    names = list(dict.fromkeys(contrasts["contrast"]))
    columns = max(len(connections), len(names))
    figure, axes = new_figure(
        2, columns, size=(1.0 + _WIDTH * columns, 2.2 + 0.5 * len(embeddings)), sharex="row"
    )
    for axis, connection in zip(axes[0], connections, strict=False):
        _means(axis, means[means[CONNECTION] == connection], embeddings)
        axis.set_title(connection)
    for axis, name in zip(axes[1], names, strict=False):
        part = contrasts[contrasts["contrast"] == name].set_index(EMBEDDING)
        present = [e for e in embeddings if e in part.index]
        heights = np.array([embeddings.index(e) for e in present])
        draw_decisions(axis, part.loc[present], heights)
        ropes = part.loc[present, "rope"]  # each embedding has its own scale
        axis.barh(heights, 2 * ropes, 0.9, -ropes, color=FAINT, alpha=0.55, zorder=0)
        axis.set_title(name)
    for row, used in ((axes[0], len(connections)), (axes[1], len(names))):
        for axis in row[used:]:
            figure.delaxes(axis)
        for axis in row[:used]:
            axis.set_yticks(range(len(embeddings)), embeddings if axis is row[0] else [])
            axis.set_ylim(len(embeddings) - 0.4, -0.6)
            axis.spines["left"].set_visible(False)
    for axis in axes[0][: len(connections)]:
        distance_axis(axis, "mean cosine distance")
    for axis in axes[1][: len(names)]:
        difference_axis(axis, 0.0, "difference (grey: ROPE)")
    verdict_legend(figure, [contrasts])
    label = label_of(means)
    figure.supxlabel(f"lines: {label}", fontsize=9, color=INK)
    return figure


def _means(axis: "Axes", table: pd.DataFrame, embeddings: list[str]) -> None:
    for row in table.itertuples():
        y, colour = embeddings.index(row.embedding), COLOURS[row.connection]
        axis.axhline(y, color=FAINT, linewidth=0.5)
        axis.plot([row.low, row.high], [y, y], color=colour, linewidth=1.4)
        axis.plot(row.mean, y, MARKERS[row.connection], color=colour, markersize=5)
