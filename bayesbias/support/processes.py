"""Processes on this machine for many small tasks; they end with the process that started them."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import Any, Final, TypeVar

from bayesbias.errors import ArgumentError

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_function: Callable[[Any], Any] | None = None
"""What a worker was started for."""


def mapped(
    function: Callable[[Item], Answer], items: Iterable[Item], jobs: int
) -> Iterator[Answer]:
    """Yield ``function(item)`` for every item, in order, from several processes.

    Parameters
    ----------
    function : callable
        May be a closure, or be defined in a notebook.
    items : iterable
    jobs : int
        Processes; 1 stays in this one. With more, a script needs the guard
        ``if __name__ == "__main__":``.

    Raises
    ------
    ArgumentError
        If a process dies.

    Examples
    --------
    >>> list(mapped(abs, [1, -2], jobs=1))
    [1, 2]
    """
    if jobs == 1:
        yield from map(function, items)
        return
    import cloudpickle

    try:
        with spawned_pool(jobs, cloudpickle.dumps(function)) as pool:
            yield from pool.map(_apply, items)
    except BrokenProcessPool as error:
        raise ArgumentError(
            f"jobs={jobs}: a process died (killed, out of memory, or a script without the guard "
            f"'if __name__ == \"__main__\":'); try again with fewer jobs"
        ) from error


@contextmanager
def spawned_pool(jobs: int, function: bytes = b"") -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes with one thread each.

    Spawned processes share no threads or locks with this one, unlike forked ones. The matrices of
    a fit are small: more than one thread per process would only get in the way.
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    pool = ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(function,)
    )
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)  # after an interrupt nobody waits for the rest
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _begin(function: bytes) -> None:
    """Prepare a worker: end with the parent, and know the function."""
    Thread(target=_end_with_parent, daemon=True).start()
    if function:
        import cloudpickle

        global _function
        _function = cloudpickle.loads(function)


def _end_with_parent() -> None:
    """Wait for the end of the parent, however it ends, and end at once.

    Workers wait for work on a queue whose both ends they hold, and would never notice.
    """
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _apply(item: Any) -> Any:
    assert _function is not None
    return _function(item)
