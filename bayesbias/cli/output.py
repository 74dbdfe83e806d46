"""How commands speak: text or JSON on standard output, notes and errors on standard error.

What is printed never decides what a command did: where nobody reads (a closed pipe) or the disk is
full, printing stops, and the exit code stays that of the work. Letters that an output lacks are
written with ones that are like them.
"""

import json
import os
import shlex
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, TextIO

_LIKE: Final = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "×": "x", "±": "+/-", "…": "...", "½": "1/2", "≤": "<="}
)


def _write(stream: TextIO | None, text: str) -> None:
    """Write a line; say once on standard error if it cannot be written, and go on."""
    if stream is None:  # closed before the command began
        return
    # A terminal would run control characters; so escaped, JSON stays what it is.
    text = "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text)
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_LIKE).encode(encoding, "backslashreplace").decode(encoding)
    try:
        stream.write(f"{text}\n")
        stream.flush()
    except BrokenPipeError:  # the reader, such as head, has had enough
        _discard(stream)
    except (OSError, ValueError) as error:
        _discard(stream)
        if stream is not sys.stderr:
            reason = getattr(error, "strerror", None) or error
            note(f"standard output cannot be written ({reason}); files are complete")


def _escaped(character: str) -> str:
    """Write a character as JSON may."""
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]


def _discard(stream: TextIO) -> None:
    """Send further output nowhere, and keep Python from complaining about it at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str) -> None:
    """Print a result."""
    _write(sys.stdout, text)


def note(text: str) -> None:
    """Say something beside the result."""
    _write(sys.stderr, f"bayesbias: {text}".replace("\n", " "))


def show(text: str, content: Mapping[str, Any], *, as_json: bool) -> None:
    """Print a result as text, or all of it as JSON and nothing else."""
    if as_json:
        from bayesbias.show.result import plain

        is_unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
        text = json.dumps(plain(content), ensure_ascii=not is_unicode, indent=1, default=str)
    say(text)


def command_line() -> str:
    """Return what was typed."""
    return shlex.join(["bayesbias", *map(os.fspath, sys.argv[1:])])
