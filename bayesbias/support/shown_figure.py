"""The figure that all plots are made on, its ticks, lines and colours; imported only to draw."""

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import is_color_like, to_hex, to_rgba_array
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.ticker import LogFormatter, MaxNLocator, PercentFormatter, ScalarFormatter

from bayesbias.errors import ArgumentError, DataWarning, suggest
from bayesbias.support.types import Palette

if TYPE_CHECKING:
    from matplotlib.layout_engine import LayoutEngine

_DRAWING: Final = RLock()
"""Held while a figure is drawn: warnings, and matplotlib's settings of SVG, are of all threads."""

_PAGE: Final[Any] = {"svg.fonttype": "none", "svg.hashsalt": "bayesbias"}

_OF_NUMBERS: Final = (ScalarFormatter, LogFormatter, PercentFormatter)

_NO_GLYPH: Final = re.compile(r"Glyph (\d+) .* missing from font")


_TICK: Final = 3.6  # widths of an "m" that a tick of numbers takes


class RoomyTicks(MaxNLocator):
    """Round numbers as ticks, so few that what stands at them does not touch."""

    def __init__(self) -> None:
        super().__init__(steps=[1, 2, 5, 10])

    def __call__(self) -> Any:
        """Return where ticks stand."""
        axis: Any = self.axis
        axes = axis.axes
        size = axis.get_tick_params().get("labelsize", mpl.rcParams["xtick.labelsize"])
        letter = FontProperties(size=size).get_size_in_points() / 72 * axes.figure.dpi
        self.set_params(nbins=max(2, min(8, int(axes.bbox.width / (_TICK * letter)))))
        return super().__call__()


def break_lines(text: Text, axis: Axes) -> None:
    """Break a title or label where its axes end; a label right of them may begin before they do."""
    text.set_wrap(True)
    # matplotlib would break at the figure's edge, across other axes.
    text._get_wrap_line_width = partial(_room, text, axis)  # type: ignore[attr-defined]


def _room(text: Text, axis: Axes) -> float:
    if text is axis.yaxis.label:
        return axis.bbox.height
    if text.get_horizontalalignment() != "right":
        return axis.bbox.width
    others = [other.bbox.x1 for other in axis.figure.axes if other.bbox.x1 <= axis.bbox.x0]
    return axis.bbox.x1 - max(others, default=axis.figure.bbox.x0)


class ShownFigure(Figure):
    """A figure that shows itself in a notebook and draws words as they are.

    Jupyter learns to draw figures only when pyplot has made one, and these are made without it. And
    to matplotlib ``$x$`` is mathematics, where here it is a word. Threads draw one after another.
    """

    def draw(self, renderer: Any) -> None:
        """Draw, with texts as words."""
        with _DRAWING:
            if not self._laid_out:
                self._plain_words()
            with _letters_named():
                super().draw(renderer)

    _laid_out = False

    def get_layout_engine(self) -> "LayoutEngine | None":
        """Return the engine that lays the axes out, or None while a figure laid out is saved."""
        return None if self._laid_out else super().get_layout_engine()

    def savefig(self, *args: Any, **options: Any) -> None:
        """Write the figure, drawn once: matplotlib would draw it a second time for its layout."""
        engine = self.get_layout_engine()
        if engine is None:
            return super().savefig(*args, **options)
        with _DRAWING:
            self._plain_words()
            dpi = self.dpi
            # Words are laid out as they are written: at few dots an inch letters are wider.
            if isinstance(options.get("dpi"), int | float):
                self.dpi = options["dpi"]
            try:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", message="Glyph")  # drawing says it
                    engine.execute(self)
                self._laid_out = True
                super().savefig(*args, **options)
            finally:
                self._laid_out = False
                self.dpi = dpi
                self.set_layout_engine(engine)

    def _plain_words(self) -> None:
        """Have texts with dollar signs drawn as they are."""
        for text in _texts(self):
            # matplotlib writes its own powers of ten with this command.
            if "$" in text.get_text() and "\\mathdefault" not in text.get_text():
                text.set_parse_math(False)

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=self.dpi)
        return stream.getvalue()


def _texts(artist: Artist) -> Iterator[Text]:
    """Yield the texts of a figure, without ticks that are numbers: to look for those makes them."""
    if isinstance(artist, Text):
        yield artist
    elif isinstance(artist, Axis) and isinstance(artist.get_major_formatter(), _OF_NUMBERS):
        yield artist.label
    else:
        for child in artist.get_children():
            yield from _texts(child)


@contextmanager
def svg_settings() -> Iterator[None]:
    """Have SVG keep text as text and its ids the same; no other thread draws meanwhile."""
    with _DRAWING:
        before = {name: mpl.rcParams[name] for name in _PAGE}
        mpl.rcParams.update(_PAGE)
        try:
            yield
        finally:
            mpl.rcParams.update(before)


@contextmanager
def _letters_named() -> Iterator[None]:
    """Warn once of all letters drawn as boxes; where text stays text there are none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    letters: dict[str, None] = {}
    for one in caught:
        found = _NO_GLYPH.match(str(one.message))
        if found:
            letters[chr(int(found[1]))] = None
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if letters and mpl.rcParams["svg.fonttype"] != "none":
        warnings.warn(
            f"figures show a box for {' '.join(letters)}, since no font in use has it; tables have "
            f"every letter, and font.family in a matplotlibrc names another font",
            DataWarning,
            stacklevel=3,
        )


_COLOURED: Final = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")


def recolour(figure: Artist, palette: Palette, usual: Mapping[str, str]) -> None:
    """Give everything in a figure, or axes, that is coloured the colours of a palette.

    `usual` are the colours by name. Grey, black and white stay: they are no colours of data.
    """
    coloured = [
        (artist, name)
        for artist in figure.findobj()
        for name in _COLOURED
        if hasattr(artist, f"get_{name}") and hasattr(artist, f"set_{name}")
    ]
    present = {
        to_hex(row): None
        for artist, name in coloured
        for row in _rows(artist, name)
        if len(set(row[:3])) > 1
    }
    known = dict.fromkeys(map(to_hex, usual.values()))
    order = [c for c in known if c in present] + [c for c in present if c not in known]
    if isinstance(palette, Mapping):
        for name in palette:
            if name not in usual:
                raise ArgumentError(f"palette: no look {name!r}{suggest(name, usual)}")
        swaps = {to_hex(usual[name]): colour for name, colour in palette.items()}
        _check(list(palette.values()))
    else:
        swaps = dict(zip(order, colours_of(palette, len(order)), strict=False))
    for artist, name in coloured:
        rows = _rows(artist, name)
        if any(to_hex(row) in swaps for row in rows):
            for row in rows:
                row[:3] = to_rgba_array(swaps.get(to_hex(row), to_hex(row)))[0, :3]
            getattr(artist, f"set_{name}")(rows if len(rows) > 1 else tuple(rows[0]))


def colours_of(palette: "str | Sequence[str]", n: int) -> list[str]:
    """Return `n` colours of a list, a colour map's name, or ``cycle``, which begins again."""
    if not isinstance(palette, str):
        _check(palette)
        if len(palette) < n:
            raise ArgumentError(f"palette has {len(palette)} colours; this figure takes {n}")
        return list(palette[:n])
    if palette == "cycle":
        cycle = mpl.rcParams["axes.prop_cycle"].by_key()["color"]
        return [to_hex(cycle[i % len(cycle)]) for i in range(n)]
    if palette not in mpl.colormaps:
        raise ArgumentError(
            f"palette={palette!r}: no colour map of matplotlib"
            f"{suggest(palette, ['cycle', *mpl.colormaps])}"
        )
    found = mpl.colormaps[palette]
    if found.N <= 20:  # colours that are apart, such as those of tab10
        return [to_hex(found(i % found.N)) for i in range(n)]
    return [to_hex(found((i + 0.5) / n)) for i in range(n)]


def _rows(artist: Artist, name: str) -> Any:
    """Return the colours of an artist, a row each; none where it has its line's."""
    value = getattr(artist, f"get_{name}")()
    return to_rgba_array([] if isinstance(value, str) and value in ("auto", "none") else value)


def _check(colours: "Sequence[str]") -> None:
    for colour in colours:
        if not is_color_like(colour):
            raise ArgumentError(f"palette: {colour!r} is no colour of matplotlib")
