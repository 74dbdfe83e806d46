"""Runs a sweep on processes or a Dask cluster, and picks it up where it was killed."""

from collections.abc import Iterator
from concurrent.futures import Executor, Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bayesbias.errors import ArgumentError
from bayesbias.studies.sweep_file import Sweep, Task, load_sweep
from bayesbias.studies.sweep_folder import SweepFolder
from bayesbias.studies.sweep_result import SweepResult
from bayesbias.studies.sweep_tasks import do_task
from bayesbias.support.arguments import as_path
from bayesbias.support.processes import spawned_pool
from bayesbias.support.progress import tracked

if TYPE_CHECKING:
    from distributed import Client

_MOST_BREAKS: Final = 3
_DIED: Final = (
    "the process that worked on it died (killed, or out of memory); run the sweep with fewer jobs, "
    "then say --retry"
)


def run_sweep(
    sweep: Sweep | str | Path,
    folder: str | Path,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    retry: bool = False,
    progress: bool | None = None,
) -> SweepResult:
    """Run all tasks of a sweep that have no result yet.

    Parameters
    ----------
    sweep : Sweep, str or Path
        Or the path of its TOML file.
    folder : str or Path
        Gets a file per task in ``results`` or ``failures``, and of all tasks together
        ``results.parquet``, ``summary.csv``, ``failures.csv`` and ``heatmap.png``. Run again after
        a crash, the sweep goes on where it was.
    jobs : int
        Processes on this machine. With more than one, a script needs the guard
        ``if __name__ == "__main__":``.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``tcp://host:8786``, whose workers do the tasks
        instead; they must see the same paths.
    retry : bool
        Try again what failed before.
    progress : bool, optional
        Show a bar; by default in a terminal or a notebook.

    Raises
    ------
    ArgumentError
        If the file is wrong, or a package that is needed is missing.
    OutputError
        If the folder cannot be written.

    Notes
    -----
    A task's seed follows from the sweep's seed and the task's names, so that numbers depend
    neither on scheduler nor on order. A task with bad input fails alone, with its reason; it is
    tried again with `retry`, or once the input has changed. A result is known by what its input
    files hold, so that changed files are new tasks; the files of the old ones stay in ``results``.

    Examples
    --------
    >>> run_sweep("sweep.toml", "out/sweep", jobs=2)  # doctest: +SKIP
    """
    if jobs < 1:
        raise ArgumentError(f"jobs={jobs}: must be at least 1")
    place = as_path(folder)
    checked = sweep if isinstance(sweep, Sweep) else load_sweep(sweep)
    kept = SweepFolder(place)
    tasks = {checked.task_id(task): task for task in checked.tasks()}
    read = {key: kept.read_result(key, task) for key, task in tasks.items()}
    known = {key: table for key, table in read.items() if table is not None}
    left = {
        key: task
        for key, task in tasks.items()
        if key not in known and (retry or kept.read_failure(key) is None)
    }
    outcomes = _outcomes(checked, left, jobs, scheduler)
    for key, outcome in tracked(outcomes, "Sweeping", progress, len(left)):
        kept.keep(key, tasks[key], outcome)
    result = kept.collect(tasks, known, len(left))
    kept.write_summary(result)
    return result


def _outcomes(
    sweep: Sweep, left: dict[str, Task], jobs: int, scheduler: str | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every task's outcome as soon as it is there."""
    if scheduler is not None:
        with _dask(scheduler) as client:
            # Sent once and passed from worker to worker: with every task, it would be gigabytes.
            shared: Any = client.submit(_same, sweep, pure=False)
            yield from _submitted(client.get_executor(), shared, left)
    elif jobs == 1:
        for key, task in left.items():
            yield key, do_task(sweep, task)
    else:
        yield from _on_processes(sweep, left, jobs)


def _same(sweep: Sweep) -> Sweep:
    return sweep


def _on_processes(
    sweep: Sweep, left: dict[str, Task], jobs: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Do tasks on a pool; when a process dies, go on with a new pool.

    Nobody knows which task killed it: after several deaths each has a process of its own.
    """
    waiting, breaks = dict(left), 0
    while waiting and breaks < _MOST_BREAKS:
        with spawned_pool(jobs) as pool:
            for key, outcome in _submitted(pool, sweep, dict(waiting)):
                if outcome is not None:
                    del waiting[key]
                    yield key, outcome
        breaks += 1
    for key, task in waiting.items():
        with spawned_pool(1) as pool:
            ((_, outcome),) = _submitted(pool, sweep, {key: task})
        yield key, outcome or {"reason": _DIED}


def _submitted(
    executor: Executor, sweep: Sweep, left: dict[str, Task]
) -> Iterator[tuple[str, Any]]:
    """Submit tasks and yield outcomes; None for those lost with a broken pool."""
    futures: dict[Future[dict[str, Any]], str] = {
        executor.submit(do_task, sweep, task): key for key, task in left.items()
    }
    for future in as_completed(futures):
        try:
            yield futures[future], future.result()
        except BrokenProcessPool:
            yield futures[future], None
        except Exception as error:  # such as Dask's KilledWorker
            yield futures[future], {"reason": f"{_DIED} ({type(error).__name__})"}


@contextmanager
def _dask(address: str) -> "Iterator[Client]":
    """Connect to a Dask scheduler."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ArgumentError(
            "scheduler: needs Dask: pip install 'bayesbias[distributed]'"
        ) from error
    try:
        # A client that failed would stay the default, and no netCDF file could be written any more.
        client = Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ArgumentError(f"scheduler {address!r}: no answer ({error})") from error
    with client:
        yield client
