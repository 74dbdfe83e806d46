"""Predictive checks as figures: of the posterior, and with every pair left out."""

from dataclasses import replace
from typing import Final, Unpack

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from bayesbias.constants import CONNECTION, CONNECTIONS, DISTANCE
from bayesbias.inference.design import Design
from bayesbias.inference.predictive import draw_predictive, thinned
from bayesbias.support.arrays import Array
from bayesbias.support.charts import Chart, Layer, line, plot_charts
from bayesbias.support.figure_style import COLOURS, FAINT, MARKERS, Place, density
from bayesbias.support.forests import span_of
from bayesbias.support.text_tables import label_of
from bayesbias.support.types import Figure

_SHOWN_DRAWS = 40
_MOST_LINES = 25
_POINTS = 256
_PREDICTED = "#56B4E9"


def predictive_draws(posterior: xr.Dataset, design: Design, *, seed: int) -> NDArray[np.floating]:
    """Draw predicted responses, as many as the figures show, (n_draws, n_pairs)."""
    rng = np.random.default_rng([seed, 3])
    draws = draw_predictive(thinned(posterior, _SHOWN_DRAWS), design, rng=rng).to_numpy()
    return np.asarray(draws.reshape(-1, draws.shape[-1]))


def response_name(response: str) -> str:
    """Name what a model explains, for axes and captions."""
    return "cosine distance" if response == DISTANCE else "change of cosine distance"


def plot_predictive(
    table: pd.DataFrame,
    draws: NDArray[np.floating],
    coverage: pd.DataFrame,
    *,
    what: str = "cosine distance",
    **place: Unpack[Place],
) -> Figure:
    """Draw observed against predicted values, and both densities; `draws` (n_draws, n_pairs)."""
    shares = [
        f"{r.inside:.1%} of pairs inside the {100 * r.prob:g}% interval"
        for r in coverage[coverage[CONNECTION] == "all"].itertuples()
    ]
    left = replace(observed_chart(table, what), title="; ".join(shares))
    right = density_chart(table["observed"].to_numpy(), draws, what)
    return plot_charts([left, right], width=9.6, height=4.0, least=3.0, **place)


def observed_chart(table: pd.DataFrame, what: str) -> Chart:
    """Return observed against predicted means, with predictive intervals of some."""
    lowest, highest = table["mean"].min(), table["mean"].max()
    layers = []
    for connection in reversed(CONNECTIONS):
        part = table[table[CONNECTION] == connection]
        if part.empty:
            continue
        layers.append(
            Layer(
                "points",
                part["mean"].to_numpy(),
                part["observed"].to_numpy(),
                colour=COLOURS[connection],
                label=connection,
                marker=MARKERS[connection],
                opacity=float(np.clip(150 / len(part), 0.12, 0.9)),
            )
        )
        cells = part.drop_duplicates("mean").sort_values("mean")
        cells = cells.iloc[:: -(-len(cells) // _MOST_LINES)]  # lines of their own would be a wall
        mean, low, high = (cells[name].to_numpy() for name in ("mean", "low", "high"))
        colour = COLOURS[connection]
        layers.append(Layer("intervals", mean, low, high, colour=colour, width=0.9, opacity=0.55))
    return Chart(
        f"predicted mean (lines: predictive {label_of(table)})",
        f"observed {what}",
        span_of([lowest, highest]),
        span_of([*table["observed"], *table["low"], *table["high"]]),
        (*layers, line([lowest, highest], [lowest, highest])),
    )


def density_chart(observed: NDArray[np.floating], draws: NDArray[np.floating], what: str) -> Chart:
    """Return the density of observed (n_pairs,) and of predicted (n_draws, n_pairs) values."""
    shown = draws[np.linspace(0, len(draws) - 1, min(_SHOWN_DRAWS, len(draws))).astype(int)]
    ends = min(observed.min(), shown.min()), max(observed.max(), shown.max())
    grid = np.linspace(*ends, _POINTS)
    layers = [line(grid, density(row, grid), _PREDICTED, width=0.7, opacity=0.5) for row in shown]
    layers[0] = replace(layers[0], label="predicted, one line a draw")
    layers.append(line(grid, density(observed, grid), width=1.8, label="observed"))
    highest = max(float(layer.y.max()) for layer in layers)
    return Chart(what, "density", ends, (0.0, 1.05 * highest), tuple(layers))


_REACH: Final = 1.36  # 95% of Kolmogorov's distribution, over the root of n

BAND: Final = "grey: 95% of independent pairs from a model that is right"


def plot_pit(pit: Array, **place: Unpack[Place]) -> Figure:
    """Draw how the distribution of probabilities `pit` (n_pairs,) departs from the uniform one."""
    return plot_charts([replace(pit_chart(pit), title=BAND)], width=5.2, height=2.6, **place)


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
