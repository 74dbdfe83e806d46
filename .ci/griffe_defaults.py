"""Extension of griffe, which reads the docstrings for the site.

Of parameters documented together, as in ``low, high : float``, griffe shows the first one's default
for all, and its type where none is written; here each gets its own. Choices, as in ``{"less",
"two-sided"}``, it reads as expressions, and so shows a difference of two and sided; here they stay
as they are written.
"""

import re
from typing import Any, Final

import griffe

_CHOICES: Final = re.compile(r"^ *([\w, ]+) : (\{[^}]*\})", re.MULTILINE)
_UNTYPED: Final = re.compile(r"^ *(\w+(?:, \w+)+)$", re.MULTILINE)


class OwnDefaults(griffe.Extension):
    """Give every documented parameter its own default, and its choices as written."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Mend the docstrings of a whole package once it is loaded."""
        mend(pkg)


def mend(thing: griffe.Object) -> None:
    """Mend the docstring of one object, and of all that it holds."""
    if isinstance(thing, (griffe.Class, griffe.Function)) and thing.docstring:
        defaults = {p.name: p.default for p in thing.parameters}
        choices = {
            name: " ".join(found.split())
            for names, found in _CHOICES.findall(thing.docstring.value)
            for name in names.split(", ")
        }
        untyped = {
            n for names in _UNTYPED.findall(thing.docstring.value) for n in names.split(", ")
        }
        own = {p.name: p.annotation for p in thing.parameters if p.name in untyped}
        for section in thing.docstring.parsed:
            if section.kind is griffe.DocstringSectionKind.parameters:
                for parameter in section.value:
                    if parameter.name in defaults:
                        parameter.value = defaults[parameter.name]
                    parameter.annotation = {**own, **choices}.get(
                        parameter.name, parameter.annotation
                    )
    for member in thing.members.values():
        if not member.is_alias and isinstance(member, griffe.Object):
            mend(member)
