"""Model comparison as a figure."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayesbias.support.figure_style import INK, grid_lines, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_comparison(table: pd.DataFrame) -> "Figure":
    """Draw differences to the best model, by leave-one-out and by marginal likelihood.

    Parameters
    ----------
    table : DataFrame
        Of a `ModelComparison`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    known = table["log_marginal_likelihood"].notna().any()
    n = len(table)
    figure, axes = new_figure(
        1, 2 if known else 1, size=(8.6 if known else 5.0, 1.1 + 0.36 * n), sharey=True
    )
    heights = np.arange(n)[::-1]
    left = axes[0, 0]
    left.errorbar(
        table["elpd_diff"],
        heights,
        xerr=2 * table["diff_se"],
        fmt="o",
        color="#0072B2",
        markersize=5,
        linewidth=1.3,
    )
    left.set_xlabel("expected log-density of a pair left out,\ndifference to the best (± 2 s.e.)")
    left.set_yticks(heights, table["model"])
    if known:
        right = axes[0, 1]
        right.plot(table["log_bayes_factor"], heights, "D", color="#D55E00", markersize=5)
        right.set_xlabel("log marginal likelihood,\ndifference to the best")
    for axis in axes[0]:
        axis.axvline(0, color=INK, linewidth=0.8)
        grid_lines(axis, "x")
        axis.spines["left"].set_visible(False)
        axis.set_ylim(-0.6, n - 0.4)
    return figure
