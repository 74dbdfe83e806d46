"""Figures: each is a view of a frame that the package also hands out.

Every function returns a `matplotlib.figure.Figure` that belongs to nobody else: a notebook shows
it once, a script saves it with ``figure.savefig(...)``.
"""

from bayesbias.plots.classifiers import plot_required_n
from bayesbias.plots.empirical import plot_distances, plot_empirical
from bayesbias.plots.forests import plot_groups, plot_words
from bayesbias.plots.null_worlds import (
    plot_null_distances,
    plot_null_weat,
    plot_repartitions,
)
from bayesbias.plots.predictive import plot_predictive

__all__ = [
    "plot_distances",
    "plot_empirical",
    "plot_groups",
    "plot_null_distances",
    "plot_null_weat",
    "plot_predictive",
    "plot_repartitions",
    "plot_required_n",
    "plot_words",
]
