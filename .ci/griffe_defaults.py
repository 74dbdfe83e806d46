"""Extension of griffe, which reads the docstrings for the site.

Of parameters documented together, as in ``low, high : float``, griffe shows the first one's default
for all; here each gets its own.
"""

from typing import Any

import griffe


class OwnDefaults(griffe.Extension):
    """Give every documented parameter its own default."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Mend the docstrings of a whole package once it is loaded."""
        mend(pkg)


def mend(thing: griffe.Object) -> None:
    """Mend the docstring of one object, and of all that it holds."""
    if isinstance(thing, (griffe.Class, griffe.Function)) and thing.docstring:
        defaults = {p.name: p.default for p in thing.parameters}
        for section in thing.docstring.parsed:
            if section.kind is griffe.DocstringSectionKind.parameters:
                for parameter in section.value:
                    if parameter.name in defaults:
                        parameter.value = defaults[parameter.name]
    for member in thing.members.values():
        if not member.is_alias and isinstance(member, griffe.Object):
            mend(member)
