"""Runs a sweep, and picks it up where it was stopped: a file per finished task says what is done.

Every task's rows are a file of their own under its id, written whole or not at all: what can be
read is done, and a task whose inputs changed has another id.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from bayesbias.constants import TASK_COLUMNS
from bayesbias.errors import ArgumentError, OutputError
from bayesbias.studies.sweep_file import Sweep, Task, load_sweep
from bayesbias.studies.sweep_result import SweepResult
from bayesbias.studies.sweep_tasks import COLUMNS, do_task
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import open_regular, read_text
from bayesbias.support.csv_files import write_csv
from bayesbias.support.processes import parallel_map
from bayesbias.support.progress import tracked
from bayesbias.support.whole_files import new_file

if TYPE_CHECKING:
    from pyarrow import Table

_LOST: Final = "its result cannot be read; run the sweep again"


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
        Show a bar; by default in a terminal or a notebook, and elsewhere a line for every tenth.

    Raises
    ------
    ArgumentError
        If the file is wrong, a package that is needed is missing, or a process died.
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
    try:
        for name in ("results", "failures"):
            (place / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{place}: cannot be made ({error.strerror})") from error
    tasks = {checked.task_id(task): task for task in checked.tasks()}
    known = {key: table for key in tasks if (table := _read_result(place, key)) is not None}
    left = {
        key: task
        for key, task in tasks.items()
        if key not in known and (retry or not _read_failure(place, key))
    }

    def outcome(item: tuple[str, Task]) -> tuple[str, dict[str, Any]]:
        return item[0], do_task(checked, item[1])

    outcomes = parallel_map(outcome, left.items(), jobs, scheduler=scheduler, ordered=False)
    for key, found in tracked(outcomes, "Sweeping", progress, len(left), in_lines=True):
        _keep(place, key, found)
    result = _collected(place, tasks, known, len(left))
    _write_summary(place, result)
    return result


def _read_result(place: Path, key: str) -> "Table | None":
    """Return a task's rows; None where there are none, or the file is damaged.

    Small files by the thousand: pandas would take six times as long to read each.
    """
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with (
            open_regular(_result(place, key), OutputError) as stream,
            ParquetFile(stream, page_checksum_verification=True) as file,
        ):
            return file.read(use_threads=False)
    except (OutputError, OSError, ArrowException, ValueError):
        return None


def _read_failure(place: Path, key: str) -> str:
    """Return why a task failed; nothing where it did not."""
    try:
        return read_text(_failure(place, key), OutputError).strip()
    except OutputError:
        return ""


def _keep(place: Path, key: str, outcome: Mapping[str, Any]) -> None:
    """Write a task's rows, with checksums, or the reason why there are none."""
    from pyarrow import Table
    from pyarrow.parquet import write_table

    if "rows" not in outcome:
        with new_file(_failure(place, key)) as temporary:
            temporary.write_text(outcome["reason"] + "\n", encoding="utf-8", errors="replace")
        return
    table = Table.from_pandas(pd.DataFrame(outcome["rows"]), preserve_index=False)
    with new_file(_result(place, key)) as temporary:
        write_table(table, temporary, write_page_checksum=True)
    _failure(place, key).unlink(missing_ok=True)


def _result(place: Path, key: str) -> Path:
    return place / "results" / f"{key}.parquet"


def _failure(place: Path, key: str) -> Path:
    return place / "failures" / f"{key}.txt"


def _collected(
    place: Path, tasks: Mapping[str, Task], known: "Mapping[str, Table]", n_done: int
) -> SweepResult:
    """Return what there is of the sweep's tasks, in its order; `known` has been read."""
    from pyarrow import concat_tables

    parts, failures = [], []
    for key, task in tasks.items():
        table = known[key] if key in known else _read_result(place, key)
        if table is not None:
            parts.append(table)
        else:
            failures.append({**task.names, "reason": _read_failure(place, key) or _LOST})
    # A column can be empty in one task and hold numbers in another.
    table = (
        concat_tables(parts, promote_options="permissive").to_pandas()
        if parts
        else pd.DataFrame(columns=[*TASK_COLUMNS, *COLUMNS, "trusted"])
    )
    return SweepResult(table, pd.DataFrame(failures, columns=[*TASK_COLUMNS, "reason"]), n_done)


def _write_summary(place: Path, result: SweepResult) -> None:
    """Write tables and the heat map of the tasks; take away those that are no longer true."""
    for old in (*place.glob("heatmap*.png"), place / "summary.csv"):
        old.unlink(missing_ok=True)
    with new_file(place / "failures.csv") as temporary:
        write_csv(result.failures, temporary)
    with new_file(place / "results.parquet") as temporary:
        result.table.to_parquet(temporary, index=False)
    if result.has_contrasts:
        with new_file(place / "summary.csv") as temporary:
            write_csv(result.summary, temporary, digits=6)
        with new_file(place / "heatmap.png") as temporary:
            result.plot().savefig(temporary, dpi=160)
