"""The figure that all plots are made on; imported only when a figure is drawn."""

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from matplotlib.figure import Figure
from matplotlib.text import Text

from bayesbias.errors import DataWarning

_NO_GLYPH: Final = re.compile(r"Glyph (\d+) .* missing from font")


class ShownFigure(Figure):
    """A figure that shows itself in a notebook and draws words as they are.

    Jupyter learns to draw figures only when pyplot has made one, and ours belong to nobody. And to
    matplotlib ``$x$`` is mathematics, where here it is a word.

    Examples
    --------
    >>> ShownFigure(figsize=(1, 1))._repr_png_()[1:4]
    b'PNG'
    """

    def draw(self, renderer: Any) -> None:
        """Draw, with texts as words."""
        for text in self.findobj(Text):
            # matplotlib writes its own powers of ten with this command.
            if "$" in text.get_text() and "\\mathdefault" not in text.get_text():
                text.set_parse_math(False)
        with _letters_named():
            super().draw(renderer)

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=self.dpi)
        return stream.getvalue()


@contextmanager
def _letters_named() -> Iterator[None]:
    """Say once, in one sentence, which letters are drawn as boxes; matplotlib says it per letter.

    Warns
    -----
    DataWarning
        If no font has a letter of a word.
    """
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
    if letters:
        warnings.warn(
            f"figures show a box for {' '.join(letters)}, since no font in use has it; tables have "
            f"every letter, and font.family in a matplotlibrc names another font",
            DataWarning,
            stacklevel=3,
        )
