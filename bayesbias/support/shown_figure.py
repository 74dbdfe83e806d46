"""The figure that all plots are made on; imported only when a figure is drawn."""

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import LogFormatter, PercentFormatter, ScalarFormatter

from bayesbias.errors import DataWarning

if TYPE_CHECKING:
    from matplotlib.layout_engine import LayoutEngine

_DRAWING: Final = RLock()
"""Held while a figure is drawn: warnings, and matplotlib's settings of SVG, are of all threads."""

_PAGE: Final[Any] = {"svg.fonttype": "none", "svg.hashsalt": "bayesbias"}

_OF_NUMBERS: Final = (ScalarFormatter, LogFormatter, PercentFormatter)

_NO_GLYPH: Final = re.compile(r"Glyph (\d+) .* missing from font")


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
