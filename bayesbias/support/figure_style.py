"""One look for all figures: colours, markers, letters, and the axes that they are drawn on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, suggest
from bayesbias.support.types import Palette

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase
    from matplotlib.text import Text

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
EDGE: Final = "#888888"

_CLOSER, _FARTHER, _EQUAL, _OPEN = "#00897B", "#54278F", "#A67600", "#7A7A7A"
"""Colours of verdicts, none of which is a connection's."""

_USUAL: Final["Place"] = {}


class Place(TypedDict, total=False):
    """Where a figure is drawn, how large, and in which colours.

    `ax` are axes of the caller, whose place several panels take. `figsize` is the size of a figure
    of its own, in inches: width and height, or the width alone, for which the height is chosen.
    `palette` has colours by name of a connection or verdict; colours in the order of the legend;
    or the name of a colour map of matplotlib, ``cycle`` for matplotlib's own cycle.
    """

    ax: "Axes | None"
    figsize: "tuple[float, float] | float | None"
    palette: Palette | None


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

LOOKS: Final[dict[str, Look]] = {
    **{name: Look(MARKERS[name], colour, colour) for name, colour in COLOURS.items()},
    **_VERDICTS,
    **{
        verdict.replace("closer", "lower").replace("farther", "higher"): look
        for verdict, look in _VERDICTS.items()
    },
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

_NARROW: Final = 4.5  # inches, below which letters are smaller
_SMALL: Final = 0.8, 6.5  # by how much, and the points that they keep

TITLE, LABEL, TICK, NOTE, CELL = 1.0, 0.9, 0.85, 0.8, 0.7
"""Sizes of letters, as shares of matplotlib's ``font.size``."""


def letter_size(share: float, width: float) -> float:
    """Return the size of letters in a figure of so many inches."""
    import matplotlib as mpl

    size = share * float(mpl.rcParams["font.size"])
    return size if width >= _NARROW else max(_SMALL[0] * size, min(size, _SMALL[1]))


def text_width(text: str, size: float) -> float:
    """Return how wide the widest line of a text is, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    measure = text_to_path.get_text_width_height_descent
    return max(measure(line, font, ismath=False)[0] for line in text.split("\n")) / 72


def width_for(usual: float, place: Place) -> float:
    """Return how wide a figure will be, in inches: as asked, as its axes are, or as usual."""
    ax, asked = place.get("ax"), place.get("figsize")
    if ax is not None:
        figure = ax.get_figure(root=True)
        assert figure is not None  # axes that were removed from their figure cannot be drawn on
        return float(ax.bbox.width / figure.dpi)
    return float(asked[0] if isinstance(asked, tuple | list) else asked or usual)


def columns_for(width: float, n: int, least: float) -> int:
    """Return how many of `n` panels, each of so many inches at least, stand beside each other."""
    lines = -(-n // max(1, min(n, int(width / least))))
    return -(-n // lines)  # as many in each line


def new_figure(
    rows: int, columns: int, *, size: tuple[float, float], place: Place = _USUAL, **shared: Any
) -> "tuple[Figure, NDArray[Any]]":
    """Return a figure that pyplot does not keep, and its axes as an array of (rows, columns).

    Of a caller's axes a single panel takes themselves, several take the place; `finished` gives
    the figure. The artists get the look, not matplotlib's settings, which all threads share.
    """
    if unknown := set(place) - set(Place.__annotations__):
        name = min(unknown)
        raise ArgumentError(f"{name}=: no argument of plots{suggest(name, Place.__annotations__)}")
    ax, asked = place.get("ax"), place.get("figsize")
    if ax is not None:
        if asked is not None:
            raise ArgumentError("give ax or figsize, not both: ax is in a figure that has a size")
        return _on_axes(ax, rows, columns, shared)
    from bayesbias.support.compatibility import use_writable_caches

    use_writable_caches()
    from bayesbias.support.shown_figure import ShownFigure

    size = asked if isinstance(asked, tuple | list) else (asked or size[0], size[1])
    figure = ShownFigure(figsize=size, layout="constrained", dpi=110, facecolor="white")
    return figure, _panels(figure, rows, columns, shared)


def panels(
    n: int, place: Place, *, width: float, height: float, least: float, most: int = 8, **shared: Any
) -> "NDArray[Any]":
    """Return axes for `n` panels, as many in a line as have `least` inches, each so high."""
    width = width_for(width, place)
    columns = min(columns_for(width, n, least), most)
    rows = -(-n // columns)
    _, axes = new_figure(rows, columns, size=(width, 0.8 + height * rows), place=place, **shared)
    for axis in axes.flat[n:]:
        axis.remove()
    return axes


def _on_axes(
    ax: "Axes", rows: int, columns: int, shared: dict[str, Any]
) -> "tuple[Figure, NDArray[Any]]":
    """Return the figure of a caller's axes with them, or the panels in their place."""
    figure = ax.get_figure(root=False)
    assert figure is not None
    if rows * columns == 1:
        _fit_labels(ax)
        return cast("Figure", figure), np.array([[ax]])
    spec = ax.get_subplotspec()
    if spec is None:
        raise ArgumentError(
            f"ax: {rows * columns} panels take the place of axes from plt.subplots, not of ones "
            f"placed by hand; or give figsize for a figure of its own"
        )
    part = figure.add_subfigure(spec)
    ax.remove()
    whole = _whole(figure)
    if whole.get_layout_engine() is None:  # else nothing makes room for the labels of panels
        whole.set_layout_engine("constrained")
    return cast("Figure", part), _panels(part, rows, columns, shared)


def _panels(
    figure: "FigureBase", rows: int, columns: int, shared: dict[str, Any]
) -> "NDArray[Any]":
    """Return axes with their colours and sizes of letters."""
    axes = figure.subplots(rows, columns, squeeze=False, **shared)
    width = _whole(figure).get_figwidth()
    for axis in axes.flat:
        axis.set_facecolor("white")
        axis.set_axisbelow(True)
        for side, spine in axis.spines.items():
            spine.set_edgecolor(EDGE)
            spine.set_visible(side in ("left", "bottom"))
        for text in (axis.xaxis.label, axis.yaxis.label):
            text.set_fontsize(letter_size(LABEL, width))
        axis.tick_params(labelsize=letter_size(TICK, width))
        _fit_labels(axis)
    return cast("NDArray[Any]", axes)


def set_title(axis: "Axes", text: str, share: float = LABEL, **options: Any) -> None:
    """Write the title of a panel."""
    axis.set_title(text, fontsize=letter_size(share, inches_of(axis)), **options)


def _fit_labels(axis: "Axes") -> None:
    """Have titles and labels break into lines where their axes end, and ticks not touch."""
    from bayesbias.support.shown_figure import RoomyTicks, break_lines

    left: Text = vars(axis)["_left_title"]  # which has no public name
    for text in (axis.title, left, axis.xaxis.label, axis.yaxis.label):
        break_lines(text, axis)
    axis.xaxis.set_major_locator(RoomyTicks())


def _whole(part: "FigureBase | Axes") -> "Figure":
    return cast("Figure", part.get_figure(root=True))


def _is_callers(axes: "NDArray[Any]", place: Place) -> bool:
    """Tell whether a single panel is on a caller's axes, whose figure is not ours."""
    return place.get("ax") is not None and axes.size == 1


def label_below(axes: "NDArray[Any]", text: str, place: Place) -> None:
    """Write what all panels have below them; on a caller's axes, below these."""
    axis = axes[0, 0]
    if _is_callers(axes, place):
        axis.set_xlabel(text)
    else:
        axis.figure.supxlabel(
            text, fontsize=letter_size(LABEL, _whole(axis).get_figwidth()), wrap=True
        )


def legend_columns(handles: "Sequence[Artist]", width: float, size: float) -> int:
    """Return how many entries of a legend stand beside each other in so many inches."""
    entries = [4.8 * size / 72 + text_width(str(h.get_label()), size) for h in handles]
    n = len(entries)
    while n > 1 and sum(max(entries[i::n]) for i in range(n)) >= width:
        n -= 1
    return n


def add_legend(axes: "NDArray[Any]", handles: "Sequence[Artist]", place: Place = _USUAL) -> None:
    """Add a legend above the panels of a figure, or on a caller's axes below the data."""
    if not handles:
        return
    axis, whole, is_callers = axes[0, 0], _whole(axes[0, 0]), _is_callers(axes, place)
    size = letter_size(NOTE, whole.get_figwidth())
    width = (axis if is_callers else axis.figure).bbox.width / whole.dpi
    columns = legend_columns(handles, width, size)
    options: dict[str, Any] = {"handles": handles, "ncols": columns, "fontsize": size}
    options |= {"frameon": False, "labelcolor": INK}
    if not is_callers:
        axis.figure.legend(loc="outside upper center", **options)
        return
    lines = -(-len(handles) // columns) + 1
    share = min(0.6, 1.5 * lines * size * whole.dpi / 72 / axis.bbox.height)
    low, high = axis.get_ylim()
    axis.set_ylim(low + (low - high) * share / (1 - share), high)
    axis.legend(loc="lower center", **options)


def finished(axes: "NDArray[Any]", place: Place) -> "Figure":
    """Return the whole figure of some panels, in the colours that were asked for."""
    axis = axes[0, 0]
    if (palette := place.get("palette")) is not None:
        from bayesbias.support.shown_figure import recolour

        colours = {name: look.colour for name, look in LOOKS.items()}
        recolour(axis if _is_callers(axes, place) else axis.figure, palette, colours)
    return _whole(axis)


def inches_of(axis: "Axes") -> float:
    """Return how wide the whole figure of some axes is."""
    return float(_whole(axis).get_figwidth())


def lay_out(figure: "Figure") -> None:
    """Place the axes of a figure as they will be drawn, as far as they are filled."""
    whole = _whole(figure)
    if (engine := whole.get_layout_engine()) is not None:
        engine.execute(whole)


def grid_lines(axis: "Axes", along: Literal["x", "y", "both"] = "both") -> None:
    """Draw faint lines at the ticks of one axis or both, in place of the ticks."""
    axis.grid(axis=along, color=FAINT, linewidth=0.6)
    axis.tick_params(length=0)


def connection_handles(connections: Sequence[str]) -> "list[Artist]":
    """Return what a legend shows of connections."""
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=COLOURS[c], marker=MARKERS[c], linestyle="-", markersize=5, label=c)
        for c in connections
    ]


def connection_legend(figure: "FigureBase", connections: Sequence[str]) -> None:
    """Explain connections above the panels of a figure."""
    add_legend(np.array([figure.axes]), connection_handles(connections))


def distance_axis(axis: "Axes", label: str) -> None:
    """Label an axis of cosine distances and mark distance 1, where vectors are orthogonal."""
    low, high = axis.get_xlim()
    if low < 1 < high:
        axis.axvline(1.0, **DASHED, zorder=0)
        label += "\ndashed: 1, where vectors are orthogonal"
    axis.set_xlim(low, high)
    axis.set_xlabel(label)
    grid_lines(axis, "x")


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
