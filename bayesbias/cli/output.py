"""How commands speak: text or JSON on standard output, notes and errors on standard error.

What is printed never decides what a command did: where nobody reads (a closed pipe) or the disk is
full, printing stops, and the exit code stays that of the work. Letters that an output lacks are
written with ones that are like them.
"""

import io
import json
import os
import shlex
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

from bayesbias.errors import OutputError

_LIKE: Final = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "×": "x", "±": "+/-", "…": "...", "½": "1/2", "≤": "<="}
)

_PIECE: Final = 4096
"""Letters at a time: of more, a disk that is full in their middle is no error to Python."""


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
        for start in range(0, len(text) + 1, _PIECE):
            stream.write(f"{text}\n"[start : start + _PIECE])
            stream.flush()
    except BrokenPipeError:  # the reader, such as head, has had enough
        _discard(stream)
    except (OSError, ValueError) as error:
        _discard(stream)
        if stream is not sys.stderr:
            reason = getattr(error, "strerror", None) or error
            note(f"error: standard output cannot be written in full ({reason}); files are complete")


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


class Answer(NamedTuple):
    """What a command prints: a text or, as JSON, all of it; or what makes them when they are."""

    text: str | Callable[[], str]
    content: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    exit_code: int = 0


def show(answer: Answer, *, as_json: bool) -> int:
    """Print an answer as text, or as JSON and nothing else; return the command's exit code."""
    text, content, exit_code = answer
    if as_json:
        from bayesbias.show.result import plain

        is_unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
        everything = plain(content() if callable(content) else content)
        text = json.dumps(everything, ensure_ascii=not is_unicode, indent=1, default=str)
    say(text() if callable(text) else text)
    return exit_code


def command_line() -> str:
    """Return what was typed."""
    return shlex.join(["bayesbias", *map(os.fspath, sys.argv[1:])])


class _Logged:
    """Standard error whose lines go to a log too, with their times.

    It is no terminal, so that long work tells of its progress in lines, not by a bar.
    """

    def __init__(self, stream: TextIO | None, log: TextIO) -> None:
        self._stream, self._log, self._rest = stream or io.StringIO(), log, ""

    def log(self, line: str) -> None:
        """Write a line to the log alone."""
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        try:
            print(now, line, file=self._log, flush=True)
        except OSError as error:
            raise OutputError(f"--log: cannot be written ({error.strerror})") from error

    def write(self, text: str) -> int:
        """Write a text, and its whole lines to the log."""
        *lines, self._rest = (self._rest + text).split("\n")
        for line in filter(None, lines):
            self.log(line)
        return self._stream.write(text)

    def isatty(self) -> bool:
        """Show no bars."""
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def logged(path: Path) -> Iterator[None]:
    """Append to a file, with times: the command, what standard error says, and the end."""
    try:
        log = path.open("a", encoding="utf-8")
    except OSError as error:
        raise OutputError(f"--log {path}: cannot be written ({error.strerror})") from error
    with log, redirect_stderr(_Logged(sys.stderr, log)) as both:
        both.log(command_line())
        started = time.monotonic()
        try:
            yield
        except BaseException:
            both.log(traceback.format_exc().rstrip())
            raise
        finally:
            both.log(f"ended after {time.monotonic() - started:.1f} s")


def log(text: str) -> None:
    """Say a step of the work to the log, if there is one."""
    if isinstance(sys.stderr, _Logged):
        sys.stderr.log(text)
