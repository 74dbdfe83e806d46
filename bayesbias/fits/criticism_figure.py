"""Leave-one-out predictive probabilities as a figure."""

from typing import Final, Unpack

import numpy as np

from bayesbias.support.arrays import Array
from bayesbias.support.charts import Chart, Layer, draw_chart, line
from bayesbias.support.figure_style import FAINT, Place, new_figure, whole
from bayesbias.support.forests import span_of
from bayesbias.support.types import Figure

_REACH: Final = 1.36  # 95% of Kolmogorov's distribution, over the root of n

BAND: Final = "grey: 95% of independent pairs from a model that is right"


def plot_pit(pit: Array, **place: Unpack[Place]) -> Figure:
    """Draw by how much the distribution of predictive probabilities departs from the uniform one.

    `pit` (n_pairs,): of a `Criticism`.
    """
    figure, axes = new_figure(1, 1, size=(5.2, 3.0), **place)
    axis = axes[0, 0]
    draw_chart(axis, pit_chart(pit))
    axis.set_title(BAND, fontsize=8)
    return whole(figure)


def pit_chart(pit: Array) -> Chart:
    """Return by how much the distribution of `pit` (n_pairs,) departs from the uniform one."""
    grid = np.linspace(0, 1, 201)
    share = np.searchsorted(np.sort(pit), grid, side="right") / len(pit)
    reach = np.full(2, _REACH / np.sqrt(len(pit)))
    return Chart(
        "probability predicted for a smaller distance (leave-one-out)",
        "share of pairs − expected",
        (0.0, 1.0),
        span_of([*(share - grid), -reach[0], reach[0]]),
        (
            Layer("band", np.array([0.0, 1.0]), -reach, reach, FAINT),
            line(grid, share - grid, width=1.6),
            line([0, 1], [0, 0], width=0.8),
        ),
        height=250.0,
    )
