"""One look for all figures: colours, markers and axes."""

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

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

_CLOSER, _FARTHER, _EQUAL, _OPEN = "#00897B", "#54278F", "#A67600", "#7A7A7A"
"""Colours of verdicts, none of which is a connection's."""


Size = tuple[float, float]
"""Width and height of a figure, in inches."""


class Place(TypedDict, total=False):
    """Where a figure is drawn: on a caller's axes, or in a figure of its own, of this size."""

    ax: "Axes | None"
    figsize: Size | None


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
    "closer": Look("<", _CLOSER, _CLOSER),
    "closer, size undecided": Look("<", _CLOSER, "w"),
    "closer, practically equal": Look("<", _EQUAL, _EQUAL),
    "farther": Look(">", _FARTHER, _FARTHER),
    "farther, size undecided": Look(">", _FARTHER, "w"),
    "farther, practically equal": Look(">", _EQUAL, _EQUAL),
    "practically equal": Look("s", _EQUAL, _EQUAL),
    "undecided": Look("o", _OPEN, "w"),
}
_GAPS: Final = {
    verdict.replace("closer", "lower").replace("farther", "higher"): look
    for verdict, look in _VERDICTS.items()
}

LOOKS: Final[dict[str, Look]] = {
    **{name: Look(MARKERS[name], colour, colour) for name, colour in COLOURS.items()},
    **_VERDICTS,
    **_GAPS,
    "undefined": Look("x", _OPEN, _OPEN),
    "constrained": Look("s", INK, INK),
    "unconstrained": Look("o", INK, "w"),
    "prior": Look("D", INK, INK),
    "likelihood": Look("o", INK, "w"),
    "nominal": Look("|", INK, INK),
    "estimate": Look("o", INK, INK),
    "overall": Look("D", INK, INK),
    "before": Look("o", INK, "w"),
    "after": Look("D", INK, INK),
}
"""How marks of forests look: connections, verdicts (also those on gaps), and the others."""

DASHED: Final[dict[str, Any]] = {"color": INK, "linewidth": 0.8, "linestyle": (0, (4, 3))}
"""A line that marks a value of reference."""

_EDGE: Final = "#888888"


def new_figure(
    rows: int,
    columns: int,
    *,
    size: Size,
    ax: "Axes | None" = None,
    figsize: Size | None = None,
    **options: Any,
) -> "tuple[Figure, NDArray[np.object_]]":
    """Return a figure that pyplot does not keep, and its axes as an array of (rows, columns).

    Of a caller's axes `ax` a single panel takes themselves, several take the place; `whole` gives
    the figure. The artists get the look, not matplotlib's settings, which all threads share.
    """
    if ax is not None:
        if figsize is not None:
            raise ArgumentError("give ax or figsize, not both: ax is in a figure that has a size")
        return _on_axes(ax, rows, columns, options)
    from bayesbias.support.compatibility import use_writable_caches

    use_writable_caches()
    from bayesbias.support.shown_figure import ShownFigure

    figure = ShownFigure(figsize=figsize or size, layout="constrained", dpi=110, facecolor="white")
    return figure, _panels(figure, rows, columns, options)


def _on_axes(
    ax: "Axes", rows: int, columns: int, options: dict[str, Any]
) -> "tuple[Figure, NDArray[np.object_]]":
    """Return a caller's axes, or panels in their place, and the figure that they are in."""
    figure = ax.get_figure(root=False)
    assert figure is not None  # axes that were removed from their figure cannot be drawn on
    if rows * columns == 1:
        return cast("Figure", figure), np.array([[ax]])
    spec = ax.get_subplotspec()
    if spec is None:
        raise ArgumentError(
            f"ax: {rows * columns} panels take the place of axes from plt.subplots, not of ones "
            f"placed by hand; or give figsize for a figure of its own"
        )
    part = figure.add_subfigure(spec)
    ax.remove()
    return cast("Figure", part), _panels(part, rows, columns, options)


def _panels(
    figure: "FigureBase", rows: int, columns: int, options: dict[str, Any]
) -> "NDArray[np.object_]":
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for axis in axes.flat:
        _dress(axis)
    return cast("NDArray[np.object_]", axes)


def whole(figure: "Figure") -> "Figure":
    """Return the figure that a part is in."""
    return cast("Figure", figure.get_figure(root=True))


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


def grid_lines(axis: "Axes", along: Literal["x", "y", "both"] = "both") -> None:
    """Draw faint lines at the ticks of one axis or both, in place of the ticks."""
    axis.grid(axis=along, color=FAINT, linewidth=0.6)
    axis.tick_params(length=0)


def distance_axis(axis: "Axes", label: str) -> None:
    """Label an axis of cosine distances and mark distance 1, where vectors are orthogonal."""
    low, high = axis.get_xlim()
    if low < 1 < high:
        axis.axvline(1.0, **DASHED, zorder=0)
        label += "\ndashed: 1, where vectors are orthogonal"
    axis.set_xlim(low, high)
    axis.set_xlabel(label)
    grid_lines(axis, "x")


def connection_legend(place: "Figure | Axes", connections: list[str]) -> None:
    """Explain connections above the panels of a figure, or below axes."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=COLOURS[c], marker=MARKERS[c], linestyle="-", markersize=5, label=c)
        for c in connections
    ]
    add_legend(place, handles, len(handles))


def add_legend(place: "Figure | Axes", handles: "Sequence[Artist]", columns: int) -> None:
    """Add a legend above the panels of a figure, or below the axes that it explains alone."""
    from matplotlib.figure import FigureBase
    from matplotlib.transforms import ScaledTranslation

    options: dict[str, Any] = {"handles": handles, "frameon": False, "labelcolor": INK}
    options["ncols"] = min(len(handles), columns)
    if isinstance(place, FigureBase):
        place.legend(loc="outside upper center", **options)
        return
    if place.figure.get_layout_engine() is None:  # nothing makes room below a caller's axes
        place.legend(loc="best", fontsize=7, **options)
        return
    inches = (24 + 12 * len(place.get_xlabel().splitlines())) / 72  # ticks and label
    below = ScaledTranslation(0, -inches, place.figure.dpi_scale_trans)
    anchor = {"bbox_to_anchor": (0.5, 0), "bbox_transform": place.transAxes + below}
    place.legend(loc="upper center", borderaxespad=0, fontsize=8, **anchor, **options)


def density(values: NDArray[np.floating], grid: NDArray[np.floating]) -> NDArray[np.floating]:
    """Estimate a density of values (n,) on an even grid (m,), with Silverman's bandwidth."""
    step = grid[1] - grid[0]
    edges = np.append(grid - step / 2, grid[-1] + step / 2)
    counts, _ = np.histogram(values, bins=edges)
    spread = min(np.std(values), np.subtract(*np.percentile(values, [75, 25])) / 1.34)
    bandwidth = 0.9 * (spread or step) * len(values) ** -0.2 / step
    reach = min(int(4 * bandwidth + 0.5), (len(grid) - 1) // 2)  # no longer than the grid
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / bandwidth) ** 2)
    return np.convolve(counts / (len(values) * step), kernel / kernel.sum(), mode="same")
