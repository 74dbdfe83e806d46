"""Runs a sweep on processes or a Dask cluster, and picks it up where it was killed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bayesbias.errors import ArgumentError
from bayesbias.studies.sweep_file import Sweep, Task, load_sweep
from bayesbias.studies.sweep_folder import SweepFolder
from bayesbias.studies.sweep_result import SweepResult
from bayesbias.studies.sweep_tasks import do_task
from bayesbias.support.arguments import as_path
from bayesbias.support.processes import mapped
from bayesbias.support.progress import tracked


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
        Processes on this machine.
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

    def outcome(item: tuple[str, Task]) -> tuple[str, dict[str, Any]]:
        return item[0], do_task(sweep, item[1])

    return mapped(outcome, left.items(), jobs, scheduler=scheduler, ordered=False)
