"""Charts: points, lines, intervals and bands on two axes, the same on a page and in a figure.

A chart says once what is drawn; `draw_chart` draws it on matplotlib's axes, the page as SVG.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from bayesbias.support import figure_style as style
from bayesbias.support.arrays import Array
from bayesbias.support.figure_style import FAINT, INK, Place
from bayesbias.support.forests import labelled_ticks
from bayesbias.support.types import Axes, Figure

if TYPE_CHECKING:
    from matplotlib.artist import Artist

_LEFT, _RIGHT, _TOP, _BOTTOM, _TICKS = 62.0, 14.0, 8.0, 44.0, 22.0
_WIDTH: Final = 432.0
_CELL: Final = 1.5  # pixels of a page within which points count as one, darker the more they are


@dataclass(frozen=True)
class Layer:
    """One thing that a chart draws: `x` and `y`, or, from `low` to `high`, a band or intervals."""

    kind: Literal["points", "line", "intervals", "band"]
    x: Array
    y: Array
    high: Array | None = None
    colour: str = INK
    label: str = ""
    marker: str = "o"
    filled: bool = True
    width: float = 1.0
    opacity: float = 1.0
    dashed: bool = False

    @property
    def top(self) -> Array:
        """Where a band or intervals end."""
        return self.y if self.high is None else self.high


@dataclass(frozen=True)
class Chart:
    """Layers, the first one undermost; `x` and `y` name the axes, spans are their ends."""

    x: str
    y: str
    xspan: tuple[float, float]
    yspan: tuple[float, float]
    layers: tuple[Layer, ...]
    title: str = ""
    height: float = 330.0

    @property
    def width(self) -> float:
        """Pixels of the page's drawing."""
        return _WIDTH

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, right, top and bottom of the axes on the page."""
        below = _BOTTOM if self.x else _TICKS
        return _LEFT if self.y else _RIGHT, _WIDTH - _RIGHT, _TOP, self.height - below

    def across(self, x: ArrayLike) -> Array:
        """Return where values stand on the page, from the left."""
        left, right, *_ = self.box
        return left + (right - left) * self._share(x, self.xspan)

    def down(self, y: ArrayLike) -> Array:
        """Return where values stand on the page, from the top."""
        *_, top, bottom = self.box
        return bottom - (bottom - top) * self._share(y, self.yspan)

    @staticmethod
    def _share(values: ArrayLike, span: tuple[float, float]) -> Array:
        share = (np.asarray(values, dtype=np.float64) - span[0]) / (span[1] - span[0])
        return np.clip(share, 0.0, 1.0)

    @property
    def xticks(self) -> list[tuple[float, str]]:
        """Ticks of the lower axis on the page, with what stands there."""
        return [(float(self.across(t)), text) for t, text in labelled_ticks(self.xspan)]

    @property
    def yticks(self) -> list[tuple[float, str]]:
        """Ticks of the left axis on the page, if it has a name."""
        return (
            [(float(self.down(t)), text) for t, text in labelled_ticks(self.yspan)]
            if self.y
            else []
        )

    @property
    def legend(self) -> list[Layer]:
        """The layers that have a label."""
        return [layer for layer in self.layers if layer.label]

    def paths(self) -> Iterator[tuple[Layer, str, float]]:
        """Yield every layer, its path on the page, and how opaque that is."""
        for layer in self.layers:
            x = self.across(layer.x)
            if layer.kind == "points":
                yield from _dots(layer, x, self.down(layer.y))
            elif layer.kind == "line":
                yield layer, _polyline(x, self.down(layer.y)), layer.opacity
            else:
                low, high = self.down(layer.y), self.down(layer.top)
                if layer.kind == "band":
                    ring = np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]])
                    yield layer, _polyline(*ring) + "z", layer.opacity
                else:
                    ends = zip(x, low, high, strict=True)
                    path = "".join(f"M{a:.1f},{b:.1f}V{c:.1f}" for a, b, c in ends)
                    yield layer, path, layer.opacity


def line(x: ArrayLike, y: ArrayLike, colour: str = INK, **look: Any) -> Layer:
    """Return a line through points."""
    return Layer("line", np.asarray(x, float), np.asarray(y, float), colour=colour, **look)


def region(low: float, high: float, span: tuple[float, float]) -> Layer:
    """Return a grey region of the lower axis, over the whole span of the left one."""
    x, ones = np.array([low, high]), np.ones(2)
    return Layer("band", x, span[0] * ones, span[1] * ones, FAINT)


def draw_chart(axis: Axes, chart: Chart) -> None:
    """Draw a chart on axes of matplotlib."""
    for layer in chart.layers:
        look: dict[str, Any] = {"color": layer.colour, "alpha": layer.opacity}
        if layer.kind == "points":
            face = layer.colour if layer.filled else "white"
            axis.plot(
                layer.x,
                layer.y,
                layer.marker,
                **look,
                markerfacecolor=face,
                markersize=2 + layer.width,
                markeredgewidth=0 if layer.filled else 0.6,
                rasterized=len(layer.x) > 1000,
            )
        elif layer.kind == "line":
            dashes = (0, (4, 3)) if layer.dashed else "-"
            axis.plot(layer.x, layer.y, linewidth=layer.width, linestyle=dashes, **look)
        elif layer.kind == "band":
            axis.fill_between(layer.x, layer.y, layer.top, linewidth=0, zorder=0, **look)
        else:
            axis.vlines(layer.x, layer.y, layer.top, linewidth=layer.width, **look)
    axis.set_xlim(*chart.xspan)
    axis.set_ylim(*chart.yspan)
    axis.set_xlabel(chart.x)
    axis.set_ylabel(chart.y)
    style.set_title(axis, chart.title, style.NOTE, loc="left" if chart.y else "center")
    style.grid_lines(axis, "both" if chart.y else "x")
    if not chart.y:
        axis.set_yticks([])
        axis.spines["left"].set_visible(False)


def plot_charts(
    charts: Sequence[Chart],
    *,
    width: float,
    height: float,
    least: float = 2.0,
    most: int = 8,
    label: str = "",
    **place: Unpack[Place],
) -> Figure:
    """Draw charts of so many inches beside each other, as far as there is room, and a legend."""
    axes = style.panels(len(charts), place, width=width, height=height, least=least, most=most)
    for axis, chart in zip(axes.flat, charts, strict=False):
        draw_chart(axis, chart)
    if label:
        style.label_below(axes, label, place)
    style.add_legend(axes, _handles(charts), place)
    return style.finished(axes, place)


def _handles(charts: Sequence[Chart]) -> "list[Artist]":
    """Return what a legend says of the layers that have a label."""
    from matplotlib.lines import Line2D

    looks = [layer for chart in charts for layer in reversed(chart.legend)]  # the uppermost first
    drawn = {
        "points": lambda look: {"marker": look.marker, "linestyle": "none"},
        "line": lambda _: {"linestyle": "-"},
    }
    return [
        Line2D([], [], color=look.colour, label=look.label, **drawn[look.kind](look))
        for look in looks
    ]


def _polyline(x: Array, y: Array) -> str:
    return "M" + "L".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def _dots(layer: Layer, x: Array, y: Array) -> Iterator[tuple[Layer, str, float]]:
    """Yield points by how many stand in one cell: one path for each power of two."""
    cells, counts = np.unique(
        np.round(np.column_stack([x, y]) / _CELL).astype(int), axis=0, return_counts=True
    )
    step = np.minimum(np.log2(counts).astype(int), 3)
    for power in np.unique(step):
        places = cells[step == power] * _CELL
        path = "".join(f"M{a:g},{b:g}h0" for a, b in places)
        yield layer, path, min(layer.opacity * 2.0 ** int(power), 1.0)
