"""Sentences from templates: prose stands in ``*.jinja`` files, one a kind, code prepares the data.

A file holds macros. In it a line break is a space, before a mark such as , or ; nothing, so that a
long sentence can stand on several lines. A macro refuses a name that it is not given.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any, Final

from bayesbias.errors import BayesBiasError
from bayesbias.support.bounded_files import read_text
from bayesbias.support.text_tables import join_words

_NEWLINE: Final = "\r\n"
"""What a template's line break is told by: words that are filled in may have one of their own."""

_BREAK: Final = re.compile(rf"(?: *{_NEWLINE} *)+(?P<mark>[,.;:)]?)")


@dataclass(frozen=True, eq=False)
class Wording:
    """The sentences of a kind: a file of macros beside the modules of a package."""

    package: str
    name: str
    filters: Mapping[str, Callable[..., str]] = field(default_factory=dict)

    def __call__(self, macro: str, *given: Any, **values: Any) -> str:
        """Return what a macro says of these values."""
        text = getattr(self.macros, macro)(*given, **values)
        return _BREAK.sub(lambda found: found["mark"] or " ", text.strip(f" {_NEWLINE}"))

    @cached_property
    def macros(self) -> Any:
        """The macros by name; jinja is imported when the first sentence is asked for."""
        from jinja2 import Environment, StrictUndefined

        environment = Environment(
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            newline_sequence=_NEWLINE,
        )
        environment.filters.update(join_words=join_words, **self.filters)
        source = read_text(str(files(self.package) / self.name), BayesBiasError)
        return environment.from_string(source).module
