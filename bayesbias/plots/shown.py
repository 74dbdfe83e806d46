"""The figure that all plots are made on; imported only when a figure is drawn."""

import io
from typing import Any

from matplotlib.figure import Figure
from matplotlib.text import Text


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
        super().draw(renderer)

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=self.dpi)
        return stream.getvalue()
