"""Processes for many small tasks, on this machine or on a Dask cluster."""

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from bayesbias.errors import ArgumentError

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def parallel_map(
    function: Callable[[Item], Answer],
    items: Iterable[Item],
    jobs: int,
    *,
    scheduler: str | None = None,
    ordered: bool = True,
) -> Iterator[Answer]:
    """Yield ``function(item)`` from several processes, in order or as soon as each is done.

    The function may be a closure. Processes have one thread each for products of matrices. With the
    address of a Dask scheduler its workers are the processes.
    """
    if jobs == 1 and scheduler is None:
        yield from map(function, items)
        return
    from joblib import Parallel, delayed

    form = "generator" if ordered else "generator_unordered"
    with _workers(jobs, scheduler) as n:
        # Arrays are copied: those that joblib maps into memory could not be written to.
        work = Parallel(n, return_as=form, batch_size=1, max_nbytes=None)
        yield from work(delayed(function)(item) for item in items)


@contextmanager
def _workers(jobs: int, scheduler: str | None) -> Iterator[int]:
    """Let joblib work in processes; give their number, -1 for those of a scheduler."""
    from joblib import parallel_config

    if scheduler is None:
        # Ctrl-C reaches all processes of a terminal: this one says so and ends the others, which
        # would each say it too.
        deaf = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}
        try:
            with parallel_config("loky", inner_max_num_threads=1, **deaf):
                yield jobs
        except BrokenProcessPool as error:
            raise ArgumentError(
                f"jobs={jobs}: a process died",
                advice="it was killed or had no memory; try again with fewer jobs",
            ) from error
        return
    try:
        from distributed import Client, KilledWorker
    except ImportError as error:
        raise ArgumentError(
            "scheduler: needs Dask: pip install 'bayesbias[distributed]'"
        ) from error
    try:
        # A client that failed would stay the default, and no netCDF file could be written any more.
        client = Client(scheduler, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ArgumentError(f"scheduler {scheduler!r}: no answer within 20 s") from error
    try:
        with client, parallel_config("dask", client=client):
            yield -1
    except KilledWorker as error:
        raise ArgumentError(f"scheduler {scheduler!r}: a task killed its workers") from error
