"""Turns a figure of matplotlib into SVG that can stand inside a page, the same at every run."""

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bayesbias.errors import DataWarning
from bayesbias.support.figure_style import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SILENT = {"Date": None, "Creator": None, "Format": None, "Type": None}
_ANCHORS = re.compile(r'(\bid="|href="#|url\(#)')


def inline_svg(draw: "Callable[[], Figure]", name: str) -> str:
    """Draw a figure and return it as an ``<svg>`` element without size, date or foreign names.

    Parameters
    ----------
    draw : callable
        Makes the figure. It is called here since text that matplotlib would read as mathematics
        (a word with dollar signs) is decided when the text is made.
    name : str
        Stands before every id, so that figures on one page do not share any.
    """
    out = io.StringIO()
    with _page_style():
        draw().savefig(out, format="svg", metadata=_SILENT, dpi=150)
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    opening, _, rest = text.partition(">")
    box = re.search(r'viewBox="[^"]*"', opening)
    return f"<svg {box[0] if box else ''}>" + _ANCHORS.sub(rf"\g<1>{name}-", rest).rstrip()


@contextmanager
def _page_style() -> Iterator[None]:
    """Keep text as text, ids as they were, and words free of mathematics."""
    chosen: Any = {"svg.fonttype": "none", "svg.hashsalt": "bayesbias", "text.parse_math": False}
    with styled(chosen), warnings.catch_warnings():
        # The reader's fonts are used, not those that matplotlib measures with.
        warnings.filterwarnings("ignore", "figures show a box", DataWarning)
        yield
