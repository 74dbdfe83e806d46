"""Ranks of simulation-based calibration as a figure."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayesbias.support.figure_style import FAINT, INK, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_ranks(ranks: pd.DataFrame, n_draws: int) -> "Figure":
    """Draw, per family of parameters, the ECDF of the ranks less the uniform one.

    The band holds a whole curve with probability 95% if ranks are uniform (the quantile of the
    largest deviation, found by simulation).

    Parameters
    ----------
    ranks : DataFrame
        One row per simulation, one column per parameter.
    n_draws : int
        Ranks go from 0 to this.

    Returns
    -------
    matplotlib.figure.Figure
    """
    families: dict[str, list[str]] = {}
    for name in ranks.columns:
        family = "contrast" if "−" in name else name.partition("[")[0]
        families.setdefault(family, []).append(name)
    columns = 3
    rows = -(-len(families) // columns)
    figure, axes = new_figure(rows, columns, size=(9.0, 2.4 * rows + 0.3), sharex=True, sharey=True)
    grid = np.linspace(0, 1, 101)
    band = _band(len(ranks), n_draws, grid)
    panels: list[Axes] = list(axes.flat)  # type: ignore[arg-type]
    for axis, (family, names) in zip(panels, families.items(), strict=False):
        axis.fill_between(grid, -band, band, color=FAINT, alpha=0.8, linewidth=0)
        for name in names:
            axis.plot(
                grid,
                _deviation(ranks[name].to_numpy(), n_draws, grid),
                color="#0072B2",
                linewidth=0.8,
                alpha=min(1.0, 6 / len(names) + 0.15),
            )
        axis.axhline(0, color=INK, linewidth=0.8)
        axis.set_title(f"{family} ({len(names)})", fontsize=9, loc="left")
        axis.tick_params(length=0)
    for axis in panels[len(families) :]:
        figure.delaxes(axis)
    figure.supxlabel("rank of the truth among its posterior draws, as a share", fontsize=9)
    figure.supylabel("ECDF less uniform", fontsize=9)
    return figure


def _deviation(ranks: np.ndarray, n_draws: int, grid: np.ndarray) -> np.ndarray:
    share = np.sort((ranks + 0.5) / (n_draws + 1))
    return np.asarray(np.searchsorted(share, grid, side="right") / len(share) - grid)


def _band(n: int, n_draws: int, grid: np.ndarray) -> np.ndarray:
    """Return the half-width within which 95% of uniform curves stay everywhere."""
    rng = np.random.default_rng(0)
    curves = np.array(
        [_deviation(rng.integers(0, n_draws + 1, n), n_draws, grid) for _ in range(2000)]
    )
    spread = np.sqrt(np.maximum(grid * (1 - grid), 1 / n) / n)
    largest = (np.abs(curves) / spread).max(axis=1)
    return np.asarray(np.quantile(largest, 0.95) * spread)
