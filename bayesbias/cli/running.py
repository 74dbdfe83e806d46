"""Runs a command, and says in one line what went wrong.

Output never fails for a letter: files and pipes of Windows lack many, ASCII most.
"""

import argparse
import codecs
import errno
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Any, Final

from bayesbias.cli.output import in_option_terms
from bayesbias.cli.parser import build_parser
from bayesbias.errors import BayesBiasError, BayesBiasWarning, MissingWordsWarning
from bayesbias.support.text_tables import printable

_LIKE: Final = dict.fromkeys("−–—─", "-") | {"±": "+/-", "×": "x", "½": "1/2", "²": "^2"}
_LIKE.update({"…": "...", "≤": "<=", "≥": ">="})
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


_NO_OUTPUT: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

_FAULT: Final = re.compile(r"\n  (?=\(\d+\) )")
"""Where a file has several faults (`TomlFile.refuse_faults`)."""

STOPPED: Final = 2
"""The exit code of what one line says; 1 is what a command found, such as a rule that fails."""


def run(given: list[str]) -> int:
    """Run a command and return its exit code; a Ctrl-C is for the caller."""
    try:
        with every_letter_printed():
            return _run(given)
    except BrokenPipeError:  # the reader, such as head, has had enough
        _discard_output()
        return 0
    except OSError as error:
        # Errors of files are the library's and say which; this one is of what is printed.
        if error.filename is not None or error.errno not in _NO_OUTPUT:
            raise
        _say(f"error: standard output cannot be written ({error.strerror})")
        _discard_output()
        return STOPPED


def _run(given: list[str]) -> int:
    parser = build_parser()
    if not given:
        parser.print_help()
        return 0
    with warnings.catch_warnings(record=True) as early:  # of lists that are options
        warnings.simplefilter("always", BayesBiasWarning)
        parser.check_spelling(given)
        arguments = parser.parse_args(given)
    arguments.command_line = shlex.join(["bayesbias", *given])
    with _notes(arguments):
        for one in early:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        try:
            return int(arguments.run(arguments) or 0)
        except BayesBiasError as error:
            parts = [" ".join(part.split()) for part in _FAULT.split(error.typed)]
            first, *faults = (in_option_terms(part, arguments.parser) for part in parts)
            _say(f"error: {first}", *faults)
        except MemoryError as error:
            size = re.search(r"\d[\d.]* [KMGTPE]?i?B\b", str(error))  # numpy's errors tell it
            what = f" for {size[0]}" if size else ""
            _say(f"error: not enough memory{what}; ask for fewer draws, words or vectors")
        except KeyboardInterrupt as stop:
            raise KeyboardInterrupt(printable(str(stop), lines=False)) from None
    return STOPPED


@contextmanager
def _notes(arguments: argparse.Namespace) -> Iterator[None]:
    """Print the package's warnings as notes, each once."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", BayesBiasWarning)
        warnings.simplefilter("ignore", MissingWordsWarning)  # commands print the words themselves
        show = warnings.showwarning
        notes: set[str] = set()

        def note(message: Any, category: type[Warning], *rest: Any, **options: Any) -> None:
            if not issubclass(category, BayesBiasWarning):
                show(message, category, *rest, **options)
            elif str(message) not in notes:  # every figure says the same of its fonts
                notes.add(str(message))
                _say(f"note: {in_option_terms(message.typed, arguments.parser)}")

        warnings.showwarning = note
        yield


def _say(text: str, *faults: str) -> None:
    """Print a line, and one below it for each of several faults."""
    lines = [printable(line, lines=False) for line in (text, *faults)]
    with suppress(OSError):  # nobody reads
        print("\n  ".join([f"bayesbias: {lines[0]}", *lines[1:]]), file=sys.stderr)


def _discard_output() -> None:
    """Keep Python from complaining at exit about what can no longer be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
