"""Progress bars: on stderr, and only where somebody can see them."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, BinaryIO, Final, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")

LARGE_FILE: Final = 100_000_000
"""Bytes from which reading a file takes seconds, so that it shows a bar."""


def _console() -> "Console | None":
    """Return where bars go; None in a notebook without ipywidgets: rich warns at every step."""
    from rich.console import Console

    console = Console(stderr=True)
    return None if console.is_jupyter and find_spec("ipywidgets") is None else console


def shows_progress() -> bool:
    """Tell whether a bar would be seen: in a terminal, or a notebook that has ipywidgets."""
    console = _console()
    return console is not None and (console.is_terminal or console.is_jupyter)


def tracked(
    items: Iterable[T],
    description: str,
    progress: bool | None,
    total: int | None = None,
    *,
    in_lines: bool = False,
) -> Iterator[T]:
    """Yield the items while a bar shows how many are done; None: where it can be seen.

    With `in_lines`, where it cannot be seen a line is written for every tenth of the total.
    """
    shown = shows_progress() if progress is None else progress
    console = _console() if shown else None
    if console is None:
        in_lines = in_lines and progress is not False and total is not None
        yield from _told(items, description, total or 1) if in_lines else items
        return
    from rich.progress import track

    yield from track(items, description, total, console=console, transient=True)


def _told(items: Iterable[T], description: str, total: int) -> Iterator[T]:
    """Yield the items, and write a line to stderr whenever another tenth of them is done."""
    started = time.monotonic()
    for number, item in enumerate(items, start=1):
        yield item
        if number * 10 // total > (number - 1) * 10 // total:
            seconds = time.monotonic() - started
            print(f"{description}: {number:,} of {total:,}, {seconds:,.0f} s", file=sys.stderr)


@contextmanager
def watched(
    raw: BinaryIO, size: int, description: str, progress: bool | None
) -> Iterator[BinaryIO]:
    """Give a file that moves a bar while it is read, if it is large."""
    is_shown = size >= LARGE_FILE and (shows_progress() if progress is None else progress)
    console = _console() if is_shown else None
    if console is None:
        yield raw
        return
    from rich.progress import wrap_file

    with wrap_file(raw, size, description=description, console=console, transient=True) as shown:
        yield shown
