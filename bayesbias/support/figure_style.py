"""One look for all figures: colours, markers and axes."""

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: Final = {
    "associated": "#D55E00",
    "different": "#CC79A7",
    "human": "#0072B2",
    "neutral": "#5F6B73",
}
"""Colour per connection, from the palette of Okabe and Ito (2008), safe for colour-blind eyes."""

MARKERS: Final = {"associated": "o", "different": "s", "human": "^", "neutral": "D"}
"""Marker per connection, so that nothing hangs on colour alone."""

INK: Final = "#222222"
FAINT: Final = "#D9D9D9"

_GREY, _GREEN, _BLUE, _ORANGE = "#5F6B73", "#009E73", "#0072B2", "#D55E00"


class Look(NamedTuple):
    """Marker, colour of the line, and colour of the marker's face."""

    marker: str
    colour: str
    face: str

    @property
    def is_filled(self) -> bool:
        """Whether the face has the line's colour."""
        return self.face == self.colour


_VERDICTS: Final = {
    "closer": Look("<", _ORANGE, _ORANGE),
    "closer, size undecided": Look("<", _ORANGE, "w"),
    "closer, practically equal": Look("<", _GREEN, _GREEN),
    "farther": Look(">", _BLUE, _BLUE),
    "farther, size undecided": Look(">", _BLUE, "w"),
    "farther, practically equal": Look(">", _GREEN, _GREEN),
    "practically equal": Look("s", _GREEN, _GREEN),
    "undecided": Look("o", _GREY, "w"),
}
_GAPS: Final = {
    verdict.replace("closer", "lower").replace("farther", "higher"): look
    for verdict, look in _VERDICTS.items()
}

LOOKS: Final[dict[str, Look]] = {
    **{name: Look(MARKERS[name], colour, colour) for name, colour in COLOURS.items()},
    **_VERDICTS,
    **_GAPS,
    "undefined": Look("x", _GREY, _GREY),
    "constrained": Look("s", _BLUE, _BLUE),
    "unconstrained": Look("o", _ORANGE, _ORANGE),
    "prior": Look("D", _ORANGE, _ORANGE),
    "likelihood": Look("o", _GREY, "w"),
    "nominal": Look("|", _ORANGE, _ORANGE),
    "estimate": Look("o", INK, INK),
    "overall": Look("D", INK, INK),
}
"""How marks of forests look: connections, verdicts (also those on gaps), and the others."""

DASHED: Final[dict[str, Any]] = {"color": INK, "linewidth": 0.8, "linestyle": (0, (4, 3))}
"""A line that marks a value of reference."""

_EDGE: Final = "#888888"


def new_figure(
    rows: int, columns: int, *, size: tuple[float, float], **options: Any
) -> "tuple[Figure, NDArray[np.object_]]":
    """Return a figure that pyplot does not keep, and its axes as an array of (rows, columns).

    The look is given to the artists, not to matplotlib's settings, which all threads share.
    """
    from bayesbias.support.compatibility import use_writable_caches

    use_writable_caches()
    from bayesbias.support.shown_figure import ShownFigure

    figure = ShownFigure(figsize=size, layout="constrained", dpi=110, facecolor="white")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for axis in axes.flat:
        _dress(axis)
    return figure, axes


def _dress(axis: "Axes") -> None:
    """Give axes their colours and sizes of letters."""
    axis.set_facecolor("white")
    axis.set_axisbelow(True)
    for side, spine in axis.spines.items():
        spine.set_edgecolor(_EDGE)
        spine.set_visible(side in ("left", "bottom"))
    for text, size in ((axis.title, 10), (axis.xaxis.label, 9), (axis.yaxis.label, 9)):
        text.set_fontsize(size)
    axis.tick_params(labelsize=8.5)


def axes_or_new(
    ax: "Axes | None", *, size: tuple[float, float], figsize: tuple[float, float] | None = None
) -> "tuple[Figure, Axes]":
    """Return the axes to draw on, a caller's or new ones, and their figure."""
    if ax is None:
        figure, axes = new_figure(1, 1, size=figsize or size)
        return figure, axes[0, 0]
    if figsize is not None:
        raise ArgumentError("give ax or figsize, not both: ax is in a figure that has a size")
    found = ax.get_figure(root=True)
    assert found is not None  # axes that were removed from their figure cannot be drawn on
    return found, ax


def grid_lines(axis: "Axes", along: Literal["x", "y", "both"] = "both") -> None:
    """Draw faint lines at the ticks of one axis or both, in place of the ticks."""
    axis.grid(axis=along, color=FAINT, linewidth=0.6)
    axis.tick_params(length=0)


def distance_axis(axis: "Axes", label: str) -> None:
    """Label an axis of cosine distances and mark distance 1, where vectors are orthogonal."""
    low, high = axis.get_xlim()
    if low < 1 < high:
        axis.axvline(1.0, **DASHED, zorder=0)
    axis.set_xlim(low, high)
    axis.set_xlabel(label)
    grid_lines(axis, "x")


def difference_axis(axis: "Axes", rope: float, label: str) -> None:
    """Label an axis of differences, mark 0 and shade the region of practical equivalence."""
    low, high = axis.get_xlim()
    reach = 1.2 * rope
    axis.set_xlim(min(low, -reach), max(high, reach))
    axis.axvspan(-rope, rope, color=FAINT, alpha=0.55, linewidth=0, zorder=0)
    axis.axvline(0.0, **DASHED, zorder=0.5)
    axis.set_xlabel(label)
    grid_lines(axis, "x")
    axis.spines["left"].set_visible(False)


def connection_legend(figure: "Figure", connections: list[str]) -> None:
    """Add a legend of connections above the axes."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=COLOURS[c], marker=MARKERS[c], linestyle="-", markersize=5, label=c)
        for c in connections
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)


def density(values: NDArray[np.floating], grid: NDArray[np.floating]) -> NDArray[np.floating]:
    """Estimate a density on an even grid: Gaussian kernel, Silverman's rule, on binned values.

    Values (n,), the grid and the density (m,).
    """
    step = grid[1] - grid[0]
    edges = np.append(grid - step / 2, grid[-1] + step / 2)
    counts, _ = np.histogram(values, bins=edges)
    spread = min(np.std(values), np.subtract(*np.percentile(values, [75, 25])) / 1.34)
    bandwidth = 0.9 * (spread or step) * len(values) ** -0.2 / step
    reach = min(int(4 * bandwidth + 0.5), len(grid) // 2)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / bandwidth) ** 2)
    return np.convolve(counts / (len(values) * step), kernel / kernel.sum(), mode="same")
