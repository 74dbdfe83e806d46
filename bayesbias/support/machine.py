"""The machine's processors and memory, and bars that show how far long work is."""

import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from threading import Lock, current_thread, main_thread
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bayesbias.errors import ArgumentError

if TYPE_CHECKING:
    from rich.console import Console
    from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Answer = TypeVar("Answer")

PHYSICAL_MEMORY = math.inf  # the machine's memory in bytes; infinity where the system does not say
with suppress(AttributeError, ValueError, OSError):  # Windows has no sysconf
    PHYSICAL_MEMORY = float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))

_lock: Final = Lock()
_limits: Final[list[Any]] = []
"""What lifts the limit of one thread, once for every function that runs within it."""


def beyond_memory(needed: float) -> str:
    """Return what is needed and what there is, in words, where bytes are more than the memory."""
    if needed <= PHYSICAL_MEMORY:
        return ""
    return f"{needed / 1e9:,.1f} GB, and this machine has {PHYSICAL_MEMORY / 1e9:,.1f} GB"


@contextmanager
def _one_thread() -> Iterator[None]:
    with _lock:  # the limit is the process's: the first thread sets it, the last one lifts it
        lifting = _limits[0] if _limits else _libraries().limit(limits=1, user_api="blas")
        _limits.append(lifting)
    try:
        yield
    finally:
        with _lock:
            _limits.pop()
            if not _limits:
                lifting.restore_original_limits()


on_one_thread: Final = _one_thread()
"""Keeps a decorated function's products of matrices on one thread, and leaves others' as they are.

Threads that wait for small products take a second processor, and a third of the time on top.
"""


@cache
def _libraries() -> "ThreadpoolController":
    """Find the libraries that multiply matrices, SciPy's own among them: a few milliseconds."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def on_signal(number: int, handler: Callable[..., Any]) -> Iterator[None]:
    """Handle a signal otherwise; only the main thread can."""
    is_main = current_thread() is main_thread()
    before = signal.signal(number, handler) if is_main else None
    try:
        yield
    finally:
        if is_main:
            signal.signal(number, before)


def parallel_map(
    task: Callable[[Item], Answer], items: Iterable[Item], jobs: int, scheduler: str | None = None
) -> Iterator[Answer]:
    """Yield ``task(item)`` from several processes, in order.

    The task may be a closure. Processes have one thread each for products of matrices. With the
    address of a Dask scheduler its workers are the processes.
    """
    if jobs == 1 and scheduler is None:
        yield from map(task, items)
        return
    from concurrent.futures.process import BrokenProcessPool

    from joblib import Parallel, delayed, parallel_config

    died: type[Exception] = BrokenProcessPool
    # Ctrl-C reaches all processes of a terminal: this one alone says so, and ends the others.
    deaf = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}
    how: dict[str, Any] = {"backend": "loky", "inner_max_num_threads": 1, **deaf}
    with ExitStack() as closing:
        if scheduler is not None:
            client, died = _dask_client(scheduler)
            how = {"backend": "dask", "client": closing.enter_context(client)}
        try:
            with parallel_config(**how):
                # Arrays are copied: those that joblib maps into memory could not be written to.
                n = jobs if scheduler is None else -1
                work = Parallel(n, return_as="generator", batch_size=1, max_nbytes=None)
                yield from work(delayed(task)(item) for item in items)
        except died as error:
            where = f"jobs={jobs}" if scheduler is None else f"scheduler {scheduler!r}"
            raise ArgumentError(
                f"{where}: a process died, killed or without memory; try again with fewer jobs"
            ) from error


def _dask_client(scheduler: str) -> tuple[Any, type[Exception]]:
    """Return a client of a Dask scheduler, and the error that says that a worker has died."""
    try:
        from distributed import Client, KilledWorker
    except ImportError as error:
        raise ArgumentError("scheduler: needs pip install 'bayesbias[distributed]'") from error
    try:
        # A client that failed would stay the default, and no netCDF file could be written any more.
        return Client(scheduler, timeout="20s", set_as_default=False), KilledWorker
    except (OSError, ValueError) as error:
        raise ArgumentError(f"scheduler {scheduler!r}: no answer within 20 s") from error


def bar_console(progress: bool | None) -> "Console | None":
    """Return where bars go: stderr; None where none is wanted or, by default, none can be seen.

    In a notebook without ipywidgets rich would warn at every step.
    """
    if progress is False:
        return None
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_jupyter and find_spec("ipywidgets") is None:
        return None
    return console if progress or console.is_terminal or console.is_jupyter else None


def tracked(
    items: Iterable[Item],
    description: str,
    progress: bool | None,
    total: int | None = None,
    *,
    in_lines: bool = False,
) -> Iterator[Item]:
    """Yield the items while a bar shows how many are done; None: where it can be seen.

    With `in_lines`, where it cannot be seen a line is written for every tenth of the total.
    """
    if console := bar_console(progress):
        from rich.progress import track

        yield from track(items, description, total, console=console, transient=True)
        return
    is_told, total, start = in_lines and progress is not False, total or 1, time.monotonic()
    for number, item in enumerate(items, start=1):
        yield item
        if is_told and number * 10 // total > (number - 1) * 10 // total:
            seconds = time.monotonic() - start
            print(f"{description}: {number:,} of {total:,}, {seconds:,.0f} s", file=sys.stderr)
