"""Turns a figure of matplotlib into SVG that can stand inside a page, the same at every run."""

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SILENT: Final = {"Date": None, "Creator": None, "Format": None, "Type": None}
_ANCHORS: Final = re.compile(r'(\bid="|href="#|url\(#)')


def inline_svg(draw: "Callable[[], Figure]", name: str) -> str:
    """Draw a figure and return it as an ``<svg>`` element without size, date or foreign names.

    Parameters
    ----------
    draw : callable
        Makes the figure.
    name : str
        Stands before every id, so that figures on one page do not share any.
    """
    from bayesbias.support.shown_figure import svg_settings

    figure = draw()
    out = io.StringIO()
    with svg_settings():
        figure.savefig(out, format="svg", metadata=_SILENT, dpi=150)
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    opening, _, rest = text.partition(">")
    box = re.search(r'viewBox="[^"]*"', opening)
    return f"<svg {box[0] if box else ''}>" + _ANCHORS.sub(rf"\g<1>{name}-", rest).rstrip()
