"""Forests: rows of marks with intervals on a common axis.

A forest says once what is drawn; `plot_forests` draws it as a figure, the report's page as SVG.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, Unpack

import numpy as np

from bayesbias.support import figure_style as style
from bayesbias.support.arrays import Array
from bayesbias.support.figure_style import FAINT, INK, LOOKS, Look, Place
from bayesbias.support.types import Axes, Figure

if TYPE_CHECKING:
    from matplotlib.artist import Artist

_BESIDE: Final = 0.27  # how far apart, in rows, the outer marks of a row stand from its middle
_APART: Final = 0.6  # room, in rows, between strong rows and the others
_FEW: Final = 8  # rows that have more room each, at most
_LABELS: Final = 0.4  # the share of a figure's width that the labels of rows take at most

_ROW, _MARK, _FEW_ROWS, _NOTED, _LINE = 0.19, 0.055, 0.36, 0.45, 0.165
"""Inches of a row, each further mark in it, one of few, one with numbers, a line of its label."""


@dataclass(frozen=True)
class Mark:
    """A mean with its interval; `look` is a key of `figure_style.LOOKS`.

    It says `text` when it is pointed at; `inner` are the ends of a thick line.
    """

    look: str
    mean: float
    low: float
    high: float
    text: str = ""
    filled: bool = True
    inner: tuple[float, float] | None = None
    note: str = ""


@dataclass(frozen=True)
class Row:
    """A line of a forest; its marks stand one below the other, or, if `joined`, on one line.

    A figure draws a line between groups, a page filters by them; `rope` is the half-width of a
    region of its own around 0.
    """

    label: str
    marks: tuple[Mark, ...]
    group: str = ""
    strong: bool = False
    joined: bool = False
    rope: float = 0.0


@dataclass(frozen=True)
class Forest:
    """Marks on a common axis from `span_of`; `alt`, with the numbers, is read aloud."""

    title: str
    alt: str
    axis: str
    rows: tuple[Row, ...]
    span: tuple[float, float]
    lines: tuple[float, ...] = ()
    region: tuple[float, float] | None = None

    def place(self, x: float) -> float:
        """Return where a value stands on the axis, in percent, cut off at its ends."""
        low, high = self.span
        return round(100 * min(max((x - low) / (high - low), 0.0), 1.0), 3)

    @property
    def lines_in_sight(self) -> list[float]:
        """The dashed lines that are on the axis."""
        return [x for x in self.lines if self.span[0] < x < self.span[1]]

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Where ticks stand on the axis, in percent, with what stands there."""
        return [(self.place(tick), text) for tick, text in labelled_ticks(self.span)]

    @property
    def heights(self) -> "Array":
        """Where rows stand, from the top down; strong ones apart from the others."""
        strong = [row.strong for row in self.rows]
        steps = [1 + _APART * (a != b) for a, b in pairwise(strong)]
        return np.cumsum([0.0, *steps])[: len(self.rows)]


def span_of(values: Sequence[float], *others: float) -> tuple[float, float]:
    """Return the ends of an axis that holds values with a little room."""
    known = [v for v in (*values, *others) if isfinite(v)] or [0.0]
    low, high = min(known), max(known)
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def nice_ticks(low: float, high: float) -> list[float]:
    """Return round numbers from `low` to `high`, three to eight of them."""
    raw = (high - low) / 7
    magnitude = 10.0 ** floor(log10(raw))
    step = next(m * magnitude for m in (1, 2, 5, 10) if m * magnitude >= raw * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(k * step, 10) for k in range(first, last + 1)]


def labelled_ticks(span: tuple[float, float]) -> list[tuple[float, str]]:
    """Return the ticks of an axis, each written with as many decimals as its neighbours."""
    ticks = nice_ticks(*span)
    longest = max(len(f"{tick:g}".partition(".")[2]) for tick in ticks)
    return [(tick, f"{tick:.{longest}f}".replace("-", "−")) for tick in ticks]


def plot_forests(
    grid: Sequence[Sequence[Forest]],
    *,
    width: float = 6.0,
    note: str = "",
    legend: bool = True,
    looks: Mapping[str, Look] = LOOKS,
    most: int = 8,
    **place: Unpack[Place],
) -> Figure:
    """Draw lines of forests with a legend of the looks that occur; `note` follows axes' labels.

    `width`: inches, unless `place` has others. A line is broken where panels would be too narrow,
    or more than `most`; forests with the same rows name them once.
    """
    width = style.width_for(width, place)
    size = style.letter_size(style.TICK, width)
    every = [forest for line in grid for forest in line]
    wrapped = wrapped_labels(every, width)
    room = max(style.text_width(label, size) for label in wrapped.values())
    least, lines = 1.25 * size / 8.5, []
    for line in grid:
        own = 0 if _same_rows(line) else room
        columns = style.columns_for(width - room + own, min(len(line), most), least + own)
        lines += [line[i : i + columns] for i in range(0, len(line), columns)]
    heights = [
        max(_row_inches(f) * (_heights(f, wrapped)[-1] + 1.4) for f in line) * size / 8.5
        for line in lines
    ]
    handles = _handles(every, looks) if legend else []
    title = max(style.text_width(f.title, size) * len(line) for line in lines for f in line)
    beside = 0.17 * (len(lines) * ceil(title / (width - room)) + bool(handles))
    if handles:
        beside += 0.17 * ceil(len(handles) / style.legend_columns(handles, width, size))
    _, axes = style.new_figure(
        len(lines),
        max(map(len, lines)),
        size=(width, 0.6 + sum(heights) + 0.3 * len(lines) + beside),
        place=place,
        height_ratios=[height + 0.3 for height in heights],
    )
    common = {forest.axis for forest in every}
    is_common = len(every) > 1 and len(common) == 1
    for line, below, places in zip(lines, [*lines[1:], []], axes, strict=True):
        for column, (axis, forest) in enumerate(zip(places, line, strict=False)):
            draw_forest(axis, forest, wrapped, looks)
            if column and _same_rows(line):
                axis.tick_params(labelleft=False)
            follows = column < len(below) and below[column].axis == forest.axis
            if not (is_common or follows):
                text = f"{forest.axis}{note}"
                fits = (
                    style.text_width(text, style.letter_size(style.LABEL, width))
                    < (width - room) / len(line) - 0.3
                )
                axis.set_xlabel(text, loc="center" if fits or column else "right")
        for axis in places[len(line) :]:
            axis.remove()
    if is_common:
        style.label_below(axes, f"{common.pop()}{note}", place)
    style.add_legend(axes, handles, place)
    return style.finished(axes, place)


def _same_rows(forests: Sequence[Forest]) -> bool:
    return len({tuple(row.label for row in forest.rows) for forest in forests}) == 1


def wrapped_labels(forests: Sequence[Forest], width: float) -> dict[str, str]:
    """Return the labels of rows, long ones broken into lines, for so many inches of a figure."""
    size, found = style.letter_size(style.TICK, width), {}
    for label in {row.label for forest in forests for row in forest.rows}:
        share = _LABELS * width / (style.text_width(label, size) or width)
        lines = [label] if share >= 1 else wrap(label, max(8, int(len(label) * share)))
        found[label] = "\n".join(lines)
    return found


def _row_inches(forest: Forest) -> float:
    """Return how high a row of a forest is, with letters of the usual size."""
    most = max(1 if row.joined else len(row.marks) for row in forest.rows)
    row = _ROW + _MARK * (most - 1)
    if len(forest.rows) > _FEW:
        return row
    noted = any(mark.note for row in forest.rows for mark in row.marks)
    return max(row, _NOTED if noted else _FEW_ROWS)


def _heights(forest: Forest, wrapped: Mapping[str, str]) -> Array:
    """Return where rows stand, from the top down; strong ones apart, and labels of more lines."""
    lines = [1 + wrapped.get(row.label, "").count("\n") for row in forest.rows]
    line = _LINE / _row_inches(forest)
    more = [max(0.0, line * (a + b) / 2 - 1) for a, b in pairwise(lines)]
    return forest.heights + np.cumsum([0.0, *more])[: len(forest.rows)]


def _handles(forests: Sequence[Forest], looks: Mapping[str, Look]) -> "list[Artist]":
    """Return what a legend says of the looks that neither titles nor labels name."""
    from matplotlib.lines import Line2D

    found: dict[str, bool] = {}
    for forest in forests:
        for row in forest.rows:
            for mark in row.marks:
                if mark.look not in (forest.title, row.label):
                    found[mark.look] = found.get(mark.look, False) or mark.high > mark.low
    return [
        Line2D([], [], **{**_drawn(look), "linestyle": "-" if found[name] else "none"}, label=name)
        for name, look in looks.items()
        if name in found
    ]


def draw_forest(
    axis: Axes, forest: Forest, wrapped: Mapping[str, str], looks: Mapping[str, Look] = LOOKS
) -> None:
    """Draw a forest in axes, its first row on top; `wrapped` are labels of rows in lines."""
    heights = _heights(forest, wrapped)
    _draw_ground(axis, forest, heights)
    alike: dict[tuple[str, bool], list[tuple[float, Mark]]] = {}
    for y, row in zip(heights, forest.rows, strict=True):
        n = len(row.marks)
        shifts = np.linspace(-_BESIDE, _BESIDE, n) if n > 1 and not row.joined else np.zeros(n)
        if row.joined:
            ends = [mark.mean for mark in row.marks]
            axis.hlines(y, min(ends), max(ends), color=FAINT, linewidth=2.2, zorder=1)
        for shift, mark in zip(shifts, row.marks, strict=True):
            alike.setdefault((mark.look, mark.filled), []).append((float(y + shift), mark))
    for (look, is_filled), found in alike.items():
        _draw_marks(axis, found, looks[look], is_filled=is_filled)
    axis.set_yticks(heights, [wrapped.get(row.label, row.label) for row in forest.rows])
    axis.set_ylim(heights[-1] + 0.7, -0.7)
    axis.set_xlim(*forest.span)
    style.set_title(axis, forest.title)
    axis.spines["left"].set_visible(False)
    style.grid_lines(axis, "x")


def _draw_ground(axis: Axes, forest: Forest, heights: "Array") -> None:
    """Draw what stands behind the marks: regions, stripes, and lines."""
    ropes = np.array([row.rope for row in forest.rows])
    ground: dict[str, Any] = {"color": FAINT, "alpha": 0.55, "linewidth": 0, "zorder": 0}
    if ropes.any():
        axis.barh(heights, 2 * ropes, 0.9, -ropes, **ground)
    if forest.region is not None:
        axis.axvspan(*forest.region, **ground)
    if any(len(row.marks) > 1 and not row.joined for row in forest.rows):
        for y in heights[::2]:
            axis.axhspan(y - 0.5, y + 0.5, **{**ground, "alpha": 0.35})
    for (above, a), (y, b) in pairwise(zip(heights, forest.rows, strict=True)):
        if a.strong != b.strong:
            axis.axhline((above + y) / 2, color=INK, linewidth=0.6)
        elif a.group and b.group and a.group != b.group:
            axis.axhline((above + y) / 2, color=style.EDGE, linewidth=0.6)
    for x in forest.lines_in_sight:
        axis.axvline(x, **style.DASHED, zorder=0.5)


def _draw_marks(
    axis: Axes, found: list[tuple[float, Mark]], look: Look, *, is_filled: bool
) -> None:
    y = np.array([place for place, _ in found])
    numbers = np.array([(m.low, m.mean, m.high) for _, m in found], dtype=float)
    drawn = _drawn(look, is_filled=is_filled)
    if any(mark.inner is not None for _, mark in found):
        drawn |= {"markersize": 7, "markeredgecolor": "white"}
    wide = numbers[:, 2] > numbers[:, 0]
    axis.hlines(y[wide], numbers[wide, 0], numbers[wide, 2], color=look.colour, linewidth=1.3)
    for place, mark in found:
        if mark.inner is not None:
            thick: dict[str, Any] = {"linewidth": 4.5, "solid_capstyle": "butt"}
            axis.plot(mark.inner, [place, place], color=look.colour, **thick)
        if mark.note:
            axis.annotate(
                mark.note,
                (mark.mean, place),
                (0, 7),
                textcoords="offset points",
                ha="center",
                fontsize=style.letter_size(style.NOTE, style.inches_of(axis)),
                color=INK,
            )
    axis.plot(numbers[:, 1], y, zorder=3, **drawn)


def _drawn(look: Look, *, is_filled: bool = True) -> dict[str, Any]:
    """Return a look as options of matplotlib."""
    face = look.face if is_filled else "w"
    drawn = {"color": look.colour, "marker": look.marker, "linestyle": "none"}
    size = {"markersize": 11, "markeredgewidth": 1.6} if look.marker == "|" else {"markersize": 5}
    return {**drawn, "markerfacecolor": face, **size}
