"""Output that never fails for a letter: files and pipes of Windows lack many, ASCII most."""

import codecs
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Final

_LIKE: Final = {
    "−": "-",
    "–": "-",
    "—": "-",
    "─": "-",
    "±": "+/-",
    "×": "x",
    "½": "1/2",
    "²": "^2",
    "…": "...",
    "≤": "<=",
    "≥": ">=",
}
"""What stands for letters that an output lacks; all others are written as escapes."""

_REPLACED: Final = ("strict", "backslashreplace", "surrogateescape")  # the last in the C locale
_HANDLER: Final = "bayesbias_alike"


def _alike(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    alike = (_LIKE.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking)
    return "".join(alike), error.end


codecs.register_error(_HANDLER, _alike)


@contextmanager
def every_letter_printed() -> Iterator[None]:
    """Let standard output and error write what they lack with letters that are like it."""
    before = {
        stream: stream.errors
        for stream in (sys.stdout, sys.stderr)
        if isinstance(stream, TextIOWrapper) and stream.errors in _REPLACED
    }
    try:
        for stream in before:
            stream.reconfigure(errors=_HANDLER)
        yield
    finally:
        sys.stdout.flush()
        for stream, errors in before.items():
            stream.reconfigure(errors=errors)
