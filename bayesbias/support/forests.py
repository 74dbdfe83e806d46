"""Forests: rows of marks with intervals on a common axis.

A forest says once what is drawn; `plot_forests` draws it as a figure, the report's page as SVG.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from bayesbias.support.arrays import Array
from bayesbias.support.figure_style import (
    DASHED,
    FAINT,
    INK,
    LOOKS,
    Look,
    Size,
    add_legend,
    grid_lines,
    new_figure,
    whole,
)
from bayesbias.support.types import Axes, Figure

if TYPE_CHECKING:
    from matplotlib.artist import Artist

_BESIDE: Final = 0.27
"""How far apart, in rows, the outer marks of a row stand from its middle."""

_APART: Final = 0.6
"""Room, in rows, between strong rows and the others."""


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

    `group` is for a page's filter; `rope` is the half-width of a region of its own around 0.
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
    size: Size,
    note: str = "",
    legend: Literal["one", "each", "none"] = "one",
    legend_columns: int = 4,
    looks: Mapping[str, Look] = LOOKS,
    ax: "Axes | None" = None,
    figsize: Size | None = None,
    **shared: Any,
) -> Figure:
    """Draw lines of forests with a legend of the looks that occur: one, or one for each panel.

    `note` stands behind an axis' label; `shared` are ``sharex`` and ``sharey``.
    """
    n_columns = max(map(len, grid))
    place, axes = new_figure(len(grid), n_columns, size=size, ax=ax, figsize=figsize, **shared)
    common = {forest.axis for line in grid for forest in line}
    is_common = axes.size > 1 and len(common) == 1
    drawn: list[tuple[Axes, Forest]] = []
    for line, places in zip(grid, axes, strict=True):
        for forest, axis in zip(line, places, strict=False):
            draw_forest(axis, forest, "" if is_common else f"{forest.axis}{note}", looks)
            if axis is not places[0] and shared.get("sharey"):
                axis.tick_params(labelleft=False)
            if n_columns > 2:  # narrow panels
                axis.locator_params(axis="x", nbins=5, steps=[1, 2, 5, 10], min_n_ticks=3)
            drawn.append((axis, forest))
        for axis in places[len(line) :]:
            axis.remove()
    if is_common:
        place.supxlabel(f"{common.pop()}{note}", fontsize=9)
    if legend == "one":
        told: list[tuple[Figure | Axes, list[Forest]]]
        told = [(place if ax is None or axes.size > 1 else ax, [f for _, f in drawn])]
    else:
        told = [(axis, [forest]) for axis, forest in drawn if legend == "each"]
    for where, forests in told:
        if handles := _handles(forests, looks):
            add_legend(where, handles, legend_columns)
    return whole(place)


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


def draw_forest(axis: Axes, forest: Forest, label: str, looks: Mapping[str, Look] = LOOKS) -> None:
    """Draw a forest in axes, its first row on top."""
    heights = forest.heights
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
    axis.set_yticks(heights, [row.label for row in forest.rows])
    axis.set_ylim(heights[-1] + 0.7, -0.7)
    axis.set_xlim(*forest.span)
    axis.set_title(forest.title.replace(", ", ",\n"))
    axis.set_xlabel(label)
    axis.spines["left"].set_visible(False)
    grid_lines(axis, "x")


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
    strong = [row.strong for row in forest.rows]
    for i in np.flatnonzero(np.diff(strong)):
        axis.axhline((heights[i] + heights[i + 1]) / 2, color=INK, linewidth=0.6)
    for x in forest.lines_in_sight:
        axis.axvline(x, **DASHED, zorder=0.5)


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
            thick: dict[str, Any] = {
                "linewidth": 4.5,
                "solid_capstyle": "butt",
                "color": look.colour,
            }
            axis.plot(mark.inner, [place, place], **thick)
        if mark.note:
            axis.annotate(
                mark.note,
                (mark.mean, place),
                (0, 7),
                textcoords="offset points",
                ha="center",
                fontsize=8,
                color=INK,
            )
    axis.plot(numbers[:, 1], y, zorder=3, **drawn)


def _drawn(look: Look, *, is_filled: bool = True) -> dict[str, Any]:
    """Return a look as options of matplotlib."""
    face = look.face if is_filled else "w"
    drawn = {"color": look.colour, "marker": look.marker, "linestyle": "none"}
    size = {"markersize": 11, "markeredgewidth": 1.6} if look.marker == "|" else {"markersize": 5}
    return {**drawn, "markerfacecolor": face, **size}
