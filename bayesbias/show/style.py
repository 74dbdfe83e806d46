"""One look for all figures: colours, marks, letters, sizes, and a figure that pyplot does not keep.

Verdicts have one palette, a ladder of lightness from black to grey, so that each two of them are at
least 15 apart in CIEDE2000 for normal, deuteranope and protanope eyes and in greyscale; the shape
of a mark says the same again. Groups, lists and connections are categories, with the colours of
Okabe and Ito (2008) and a shape each.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from textwrap import wrap
from typing import Any, Final, NamedTuple

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path

from bayesbias.constants import CONNECTIONS
from bayesbias.errors import ArgumentError
from bayesbias.show.answer_table import verdict_class
from bayesbias.support.arguments import refuse_other
from bayesbias.support.compatibility import use_writable_caches

COLUMN: Final = 3.5
"""Inches of a column of a journal."""

PAGE: Final = 7.2
"""Inches of a page of a journal, the width of figures unless another is asked for."""

INK: Final = "#222222"
QUIET: Final = "#555555"
FAINT: Final = "#DDDDDD"
EDGE: Final = "#888888"

PALETTE: Final = {
    "closer": "#00483A",
    "farther": "#AC3E96",
    "equal": "#000000",
    "undecided": "#949494",
}
"""Colour of each verdict, by `verdict_class`."""

VERDICT_COLOURS: Final = LinearSegmentedColormap.from_list(
    "verdicts", [PALETTE["closer"], "white", PALETTE["farther"]]
)
"""Colours from closer over white to farther."""

CATEGORIES: Final = (
    *("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5F6B73", "#8C5A2B"),
)
"""Colours of groups and lists, in their order; the ninth has the first again."""

MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "p")
"""Shapes of groups and lists, in their order."""


class Look(NamedTuple):
    """How a mark looks: its shape, its colour, and whether it is filled."""

    marker: str
    colour: str
    filled: bool = True

    @property
    def options(self) -> dict[str, Any]:
        """The same as options of matplotlib's lines."""
        face = self.colour if self.filled else "white"
        return {"marker": self.marker, "color": self.colour, "markerfacecolor": face}


_SHAPES: Final = {"closer": "<", "farther": ">", "equal": "s", "undecided": "o"}


def verdict_look(verdict: str) -> Look:
    """Return the look of a verdict: its direction's colour and shape, open where size is open.

    Gaps between groups, lower and higher, have those of distances.
    """
    name = verdict_class(verdict.replace("lower", "closer").replace("higher", "farther"))
    return Look(_SHAPES[name], PALETTE[name], filled="undecided" not in verdict)


def category_looks(names: Sequence[str]) -> dict[str, Look]:
    """Return the looks of groups or lists, by name."""
    n = len(CATEGORIES)
    return {name: Look(MARKERS[i % n], CATEGORIES[i % n]) for i, name in enumerate(names)}


CONNECTION_LOOKS: Final = {
    name: Look(marker, CATEGORIES[i])
    for name, marker, i in zip(CONNECTIONS, "osv^D", (0, 1, 7, 2, 6), strict=True)
}
"""Looks of connections."""

_FONTS: Final = (
    *("Arial", "Helvetica", "Liberation Sans", "DejaVu Sans"),
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC", "Hiragino Sans", "Microsoft YaHei"),
    *("Noto Sans", "Noto Sans Arabic", "Noto Sans Devanagari", "WenQuanYi Zen Hei"),
)
"""Letters that a font lacks are of the next that is there."""

_LAID_OUT: Final[Any] = {
    "text.parse_math": False,  # a word may have dollar signs
    "text.color": INK,
    "axes.edgecolor": EDGE,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.axisbelow": True,
    "axes.linewidth": 0.6,
    "axes.facecolor": "white",
    "figure.facecolor": "white",
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.handlelength": 1.2,
    "xtick.color": EDGE,
    "ytick.color": EDGE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 2.5,
    "ytick.major.size": 0,
    "xtick.major.width": 0.6,
    "lines.markersize": 4,
    "lines.linewidth": 1.1,
}

_EMBEDDED: Final[Any] = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.hashsalt": "bayesbias"}
"""Letters in a file are of fonts that it brings along."""


@contextmanager
def style(width: float = PAGE) -> Iterator[None]:
    """Have figures that are made meanwhile look as the package's do, at so many inches."""
    use_writable_caches()
    small = width < (COLUMN + PAGE) / 2
    letters = 7.0 if small else 8.0
    sizes: Any = dict.fromkeys(("font.size", "axes.titlesize"), letters + 0.5)
    of = ("axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize")
    sizes |= dict.fromkeys(of, letters)
    chosen = mpl.rcParams["font.family"] != mpl.rcParamsDefault["font.family"]
    there = {font.name for font in fontManager.ttflist}
    fonts: Any = {} if chosen else {"font.family": [name for name in _FONTS if name in there]}
    with mpl.rc_context({**_LAID_OUT, **sizes, **fonts}):
        yield


class ShownFigure(Figure):
    """A figure that shows itself in a notebook without pyplot, and embeds its fonts in files."""

    def savefig(self, *args: Any, **options: Any) -> None:
        """Write the figure."""
        with mpl.rc_context(_EMBEDDED):
            super().savefig(*args, **{"dpi": 300, **options})

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=150)
        return stream.getvalue()


def as_svg(figure: Figure) -> str:
    """Return a figure as SVG for a page, whose letters stay letters."""
    stream = io.StringIO()
    with mpl.rc_context({**_EMBEDDED, "svg.fonttype": "none"}):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


Size = float | tuple[float, float] | None
"""Size of a figure: its width in inches, for which the height is chosen, or both."""


def width_of(size: Size, ax: Axes | None = None, usual: float = PAGE) -> float:
    """Return how wide a figure will be, in inches: as asked, as its axes are, or as usual."""
    if ax is not None and size is not None:
        raise ArgumentError("give ax or figsize, not both: ax is in a figure that has a size")
    if ax is not None:
        refuse_other(ax, Axes, "ax", "axes of matplotlib")
        return float(ax.bbox.width / ax.get_figure(root=True).dpi)  # type: ignore[union-attr]
    numbers = size if isinstance(size, tuple) else (usual if size is None else size,)
    if not all(isinstance(inches, Real) and inches > 0 for inches in numbers):
        raise ArgumentError(f"figsize={size!r}: give a width in inches, or width and height")
    return float(numbers[0])


def new_figure(
    rows: int, columns: int, size: Size, height: float, *, ax: Axes | None = None, **shared: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, row by row; a single panel may be on axes of the caller.

    `height`: inches, unless `size` has both. `shared`: options of ``Figure.subplots``.
    """
    if ax is not None:
        return ax.get_figure(root=True), [ax]  # type: ignore[return-value]
    width = width_of(size)
    inches = size if isinstance(size, tuple) else (width, height)
    figure = ShownFigure(figsize=inches, layout="constrained", dpi=110)
    return figure, list(figure.subplots(rows, columns, squeeze=False, **shared).flat)


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return how wide the widest line of a text is, in inches."""
    font = FontProperties(size=size, weight="bold" if bold else "normal")
    measure = text_to_path.get_text_width_height_descent
    return float(max(measure(line, font, ismath=False)[0] for line in text.split("\n"))) / 72


def folded(text: str, inches: float, size: float, *, bold: bool = False) -> str:
    """Return a text in lines of at most so many inches; few dots an inch make letters wider."""
    inches *= 0.96
    share = inches / max(text_width(text, size, bold=bold), 1e-9)
    n = len(text) if share >= 1 else max(8, int(0.97 * share * len(text)))
    while (lines := wrap(text, n, break_long_words=False)) and n > 8:
        if text_width("\n".join(lines), size, bold=bold) <= inches:
            break
        n -= 1
    return "\n".join(lines)


def set_title(figure: Figure, text: str, *, ax: Axes | None = None) -> None:
    """Write the finding, if any, above a figure, or above axes of the caller, from the left."""
    if not text:
        return
    size = mpl.rcParams["font.size"] + (0 if ax is not None else 1)
    width = figure.get_figwidth()
    if ax is not None:
        ax.set_title(folded(text, ax.get_position().width * width, size, bold=True), fontsize=size)
        return
    title = folded(text, width - 0.1, size, bold=True)
    figure.suptitle(title, x=0.05 / width, ha="left", fontsize=size, fontweight="bold")


def title_height(text: str, width: float) -> float:
    """Return how many inches `set_title` takes."""
    if not text:
        return 0.1
    size = mpl.rcParams["font.size"] + 1
    return 0.1 + (folded(text, width - 0.1, size, bold=True).count("\n") + 1) * 1.25 * size / 72


def sides(axis: Axes, left: str, right: str, label: str, *, inches: float) -> None:
    """Name both sides of an axis below its ticks, and below them what it measures."""
    size = mpl.rcParams["axes.labelsize"]
    left, right = (
        folded(text, 0.48 * inches, size)
        for text in (f"◄\N{NO-BREAK SPACE}{left}", f"{right}\N{NO-BREAK SPACE}►")
    )
    lines = max(left.count("\n"), right.count("\n")) + 1
    down = -(mpl.rcParams["xtick.labelsize"] + 7.0)
    options: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    options |= {"va": "top", "fontsize": size, "annotation_clip": False}
    for x, text, side in ((0.0, left, "left"), (1.0, right, "right")):
        axis.annotate(text, (x, 0.0), (0.0, down), ha=side, **options)
    axis.set_xlabel(folded(label, inches, size), labelpad=4 + lines * 1.25 * size)


def legend_above(axis: Axes, looks: Mapping[str, Look], inches: float, **options: Any) -> None:
    """Explain looks, by what they are called, above axes of so many inches."""
    size = mpl.rcParams["legend.fontsize"]
    names = [folded(name, inches - 0.3, size) for name in looks]
    handles = [
        Line2D([], [], linestyle="none", label=name, **mark.options)
        for name, mark in zip(names, looks.values(), strict=True)
    ]
    columns = len(names)
    while columns > 1 and inches < sum(
        0.3 + max(text_width(name, size) for name in names[i::columns]) for i in range(columns)
    ):
        columns -= 1
    axis.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=columns,
        columnspacing=1.0,
        borderaxespad=0.2,
        borderpad=0,
        handletextpad=0.3,
        **options,
    )


def fewer_ticks(axis: Axes, inches: float) -> None:
    """Have so few ticks along an axis of so many inches that their numbers do not touch."""
    room = 4.5 * mpl.rcParams["xtick.labelsize"] / 72
    axis.locator_params(axis="x", nbins=max(2, min(7, int(inches / room))), steps=[1, 2, 5, 10])


@contextmanager
def rows_figure(
    title: str,
    labels: Iterable[str],
    height: float,
    size: Size,
    ax: Axes | None,
    *,
    least: float = 0.0,
) -> Iterator[tuple[Figure, Axes, float]]:
    """Have a figure of rows with labels, its axes, and how many inches their panel has.

    `height`: inches below the title, with which they are at `least` so many.
    """
    width = width_of(size, ax)
    with style(width):
        height = max(title_height(title, width) + height, least)
        figure, (axis,) = new_figure(1, 1, size, height, ax=ax)
        letters = mpl.rcParams["ytick.labelsize"]
        inches = max(1.0, width - 0.25 - max(text_width(text, letters) for text in labels))
        yield figure, axis, inches
        axis.grid(axis="x")
        axis.tick_params(axis="x", length=0)
        axis.spines["left"].set_visible(False)
        fewer_ticks(axis, inches)
        set_title(figure, title, ax=ax)


def draw_marks(axis: Axes, rows: pd.DataFrame, mark: Look) -> None:
    """Draw means and intervals of one look, with thick inner ones where there are some."""
    axis.hlines(rows["y"], rows["low"], rows["high"], color=mark.colour, linewidth=1.0)
    if "inner_low" in rows:
        ends = rows["y"], rows["inner_low"], rows["inner_high"]
        axis.hlines(*ends, color=mark.colour, linewidth=2.6)
    options = {**mark.options, "markeredgecolor": mark.colour, "linestyle": "none", "zorder": 3}
    axis.plot(rows["mean"], rows["y"], **options)


def draw_forest(
    axis: Axes, rows: pd.DataFrame, labels: Sequence[str], *, rope: float = 0.0
) -> None:
    """Draw contrasts with intervals, a row each, in the looks of their verdicts.

    `rows`: ``y``, ``mean``, ``low``, ``high``, ``verdict``; `rope`: half-width of the region of
    practical equivalence.
    """
    if rope:
        axis.axvspan(-rope, rope, color=FAINT, alpha=0.6, linewidth=0)
    axis.axvline(0, color=EDGE, linewidth=0.8, linestyle=(0, (4, 3)))
    for verdict, part in rows.groupby("verdict", sort=False):
        draw_marks(axis, part, verdict_look(str(verdict)))
    axis.set_yticks(rows["y"], labels, parse_math=False)
    axis.set_ylim(rows["y"].max() + 0.7, -0.7)
