"""The posterior predictive check as a figure."""

from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from bayesbias.constants import CONNECTION, CONNECTIONS, DISTANCE
from bayesbias.inference.design import Design
from bayesbias.inference.predictive import draw_predictive, thinned
from bayesbias.support.figure_style import (
    COLOURS,
    INK,
    MARKERS,
    Place,
    add_legend,
    connection_legend,
    density,
    grid_lines,
    new_figure,
    whole,
)
from bayesbias.support.text_tables import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SHOWN_DRAWS = 40
_MOST_LINES = 25


def predictive_draws(posterior: xr.Dataset, design: Design, *, seed: int) -> NDArray[np.floating]:
    """Draw predicted responses, as many as the figures show.

    Returns
    -------
    ndarray, shape (n_draws, n_pairs)
    """
    rng = np.random.default_rng([seed, 3])
    draws = draw_predictive(thinned(posterior, _SHOWN_DRAWS), design, rng=rng).to_numpy()
    return np.asarray(draws.reshape(-1, draws.shape[-1]))


def response_name(response: str) -> str:
    """Name what a model explains, for axes and captions.

    Examples
    --------
    >>> response_name("change")
    'change of cosine distance'
    """
    return "cosine distance" if response == DISTANCE else "change of cosine distance"


def plot_predictive(
    table: pd.DataFrame,
    draws: NDArray[np.floating],
    coverage: pd.DataFrame,
    *,
    what: str = "cosine distance",
    **place: Unpack[Place],
) -> "Figure":
    """Draw observed against predicted values, and the density of both.

    Parameters
    ----------
    table : DataFrame
        From `Fit.predictions`.
    draws : ndarray, shape (n_draws, n_pairs)
        Predicted distances, such as the fit's ``posterior_predictive`` group.
    coverage : DataFrame
        The table of `Fit.coverage`.
    what : str
        Names the response.
    **place
        Axes to draw on, or the size of the figure.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = new_figure(1, 2, size=(9.6, 4.4), **place)
    _observed_against_predicted(axes[0, 0], table, coverage, what)
    _densities(axes[0, 1], table["observed"].to_numpy(), draws, what)
    return whole(figure)


def plot_observed(table: pd.DataFrame, *, what: str = "cosine distance") -> "Figure":
    """Draw observed against predicted means alone; `what` names the response.

    Parameters
    ----------
    table : DataFrame
        From `Fit.predictions`.
    what : str

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = new_figure(1, 1, size=(5.0, 4.2))
    _observed_against_predicted(axes[0, 0], table, None, what)
    return whole(figure)


def plot_predicted_density(
    observed: NDArray[np.floating], draws: NDArray[np.floating], *, what: str = "cosine distance"
) -> "Figure":
    """Draw the density of observed and of predicted values alone; `what` names the response.

    Parameters
    ----------
    observed : ndarray, shape (n_pairs,)
    draws : ndarray, shape (n_draws, n_pairs)
    what : str

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = new_figure(1, 1, size=(5.0, 4.2))
    _densities(axes[0, 0], observed, draws, what)
    return whole(figure)


def _observed_against_predicted(
    axis: "Axes", table: pd.DataFrame, coverage: pd.DataFrame | None, what: str
) -> None:
    for connection in reversed(CONNECTIONS):
        part = table[table[CONNECTION] == connection]
        if part.empty:
            continue
        colour = COLOURS[connection]
        alpha = float(np.clip(150 / len(part), 0.12, 0.9))
        axis.plot(
            part["mean"],
            part["observed"],
            MARKERS[connection],
            color=colour,
            alpha=alpha,
            markersize=3,
            markeredgewidth=0,
            rasterized=True,
        )
        cells = part.drop_duplicates("mean").sort_values("mean")
        cells = cells.iloc[:: -(-len(cells) // _MOST_LINES)]  # lines of their own would be a wall
        axis.vlines(
            cells["mean"], cells["low"], cells["high"], color=colour, linewidth=0.9, alpha=0.55
        )
    lowest, highest = table["mean"].min(), table["mean"].max()
    axis.plot([lowest, highest], [lowest, highest], color=INK, linewidth=1.0)
    label = label_of(table)
    axis.set_xlabel(f"predicted mean (lines: predictive {label})")
    axis.set_ylabel(f"observed {what}")
    if coverage is not None:
        shares = coverage[coverage[CONNECTION] == "all"]
        axis.set_title(
            ";\n".join(
                f"{r.inside:.1%} of pairs inside the {100 * r.prob:g}% interval"
                for r in shares.itertuples()
            ),
            fontsize=8.5,
            loc="left",
        )
    grid_lines(axis)
    connection_legend(axis, [c for c in CONNECTIONS if (table[CONNECTION] == c).any()])


def _densities(
    axis: "Axes", observed: NDArray[np.floating], draws: NDArray[np.floating], what: str
) -> None:
    shown = draws[np.linspace(0, len(draws) - 1, min(_SHOWN_DRAWS, len(draws))).astype(int)]
    grid = np.linspace(min(observed.min(), shown.min()), max(observed.max(), shown.max()), 512)
    for number, row in enumerate(shown):
        axis.plot(
            grid,
            density(row, grid),
            color="#56B4E9",
            linewidth=0.7,
            alpha=0.5,
            label="predicted, one line a draw" if number == 0 else None,
        )
    axis.plot(grid, density(observed, grid), color=INK, linewidth=1.8, label="observed")
    axis.set_xlabel(what)
    axis.set_ylabel("density")
    axis.set_ylim(bottom=0)
    grid_lines(axis)
    add_legend(axis, axis.get_legend_handles_labels()[0], 2)
