"""Turns a report into one HTML file. All markup is in the templates, which escape everything."""

import base64
import hashlib
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from bayesbias import __version__
from bayesbias.errors import BayesBiasError
from bayesbias.report.page_parts import Report
from bayesbias.support import figure_style
from bayesbias.support.bounded_files import read_text
from bayesbias.support.text_tables import counted, with_true_minus

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_SHAPES: Final = {
    "o": "M-3.6,0a3.6,3.6 0 1,0 7.2,0a3.6,3.6 0 1,0 -7.2,0z",
    "s": "M-3.2,-3.2h6.4v6.4h-6.4z",
    "^": "M0,-4.2L4.2,3.2H-4.2z",
    "D": "M0,-4.3L4.3,0L0,4.3L-4.3,0z",
    "<": "M-4.4,0L3.2,-4.2V4.2z",
    ">": "M4.4,0L-3.2,-4.2V4.2z",
}
"""Markers of `support.figure_style` as SVG paths around 0."""

LOOKS: Final = {
    name: (_SHAPES[look.marker], f"--{look.colour[1:]}", look.is_filled)
    for name, look in figure_style.LOOKS.items()
    if look.marker in _SHAPES
}
"""Path, the style's name of the colour, and whether it is filled, per connection and verdict."""


def render(report: Report) -> str:
    """Return a report as HTML that needs nothing but itself.

    Its content security policy forbids every request and every script but its own.
    """
    from markupsafe import Markup

    environment = _environment()
    script = _template("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template("report.html.j2").render(
        report=report,
        looks=LOOKS,
        version=__version__,
        style=Markup(_template("style.css")),
        script=Markup(script),
        script_sha256=digest,
    )


def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bayesbias.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = {
        "with_true_minus": with_true_minus,
        "counted": counted,
        "bare": _bare,
        "pieces": _pieces,
        "typed": _typed,
    }
    environment.filters.update(filters, kind=lambda part: type(part).__name__.lower())
    return environment


def _typed(text: str) -> "Markup":
    """Keep options whole, which a line might break after their dashes."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"--\w[\w-]*", r'<span class="typed">\g<0></span>', str(escape(text))))


def _pieces(text: str) -> list[str]:
    """Cut a text where a line may break on paper: after _, - and / and in overlong words."""
    return re.findall(r"\s*[^\s_/-]{1,12}[_/-]?|\s*[_/-]|\s+$", text)


def _bare(value: Any) -> str:
    """Write a value for sorting: numbers in full."""
    return "" if value is None or value != value else str(value)


def _template(name: str) -> str:
    text = read_text(str(files("bayesbias.report") / "templates" / name), BayesBiasError)
    return text.strip()
