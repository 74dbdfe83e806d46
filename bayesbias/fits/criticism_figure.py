"""Leave-one-out predictive probabilities as a figure."""

from typing import TYPE_CHECKING, Final, Unpack

import numpy as np
from numpy.typing import NDArray

from bayesbias.support.figure_style import FAINT, INK, Place, new_figure, whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BAND: Final = 1.36  # 95% of Kolmogorov's distribution, over the root of n


def plot_pit(pit: NDArray[np.float64], **place: Unpack[Place]) -> "Figure":
    """Draw by how much the distribution of predictive probabilities departs from the uniform one.

    Parameters
    ----------
    pit : ndarray, shape (n_pairs,)
        Of a `Criticism`.
    **place
        Axes to draw on, or the size of the figure.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = new_figure(1, 1, size=(5.2, 3.0), **place)
    axis = axes[0, 0]
    grid = np.linspace(0, 1, 201)
    share = np.searchsorted(np.sort(pit), grid, side="right") / len(pit)
    reach = _BAND / np.sqrt(len(pit))
    axis.fill_between(grid, -reach, reach, color=FAINT, alpha=0.6, linewidth=0)
    axis.plot(grid, share - grid, color=INK, linewidth=1.6)
    axis.axhline(0, color=INK, linewidth=0.8)
    axis.set_xlabel("probability predicted for a smaller distance (leave-one-out)")
    axis.set_ylabel("share of pairs − expected")
    axis.set_title("grey: 95% of independent pairs from a model that is right", fontsize=8)
    axis.set_xlim(0, 1)
    axis.tick_params(length=0)
    return whole(figure)
