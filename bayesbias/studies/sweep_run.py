"""Runs a sweep on processes or a Dask cluster, and picks it up where it was killed.

Every task's rows are a file of their own under its id, written whole or not at all: the folder is
one Parquet data set, what is there is done, and a task whose inputs changed has another id.
"""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from bayesbias.errors import ArgumentError, OutputError
from bayesbias.studies.sweep_file import Sweep, Task, load_sweep
from bayesbias.studies.sweep_tasks import do_task
from bayesbias.support.csv_files import write_csv
from bayesbias.support.processes import spawned_pool
from bayesbias.support.progress import tracked
from bayesbias.support.whole_files import new_file

if TYPE_CHECKING:
    from distributed import Client
    from matplotlib.figure import Figure

_RESULTS: Final = "results"
_FAILURES: Final = "failures"
_MOST_BREAKS: Final = 3
_DIED: Final = (
    "the process that worked on it died (killed, or out of memory); run the sweep with fewer jobs, "
    "then say --retry"
)


@dataclass(frozen=True, repr=False)
class SweepResult:
    """What a sweep found.

    Made by `run_sweep`.

    Parameters
    ----------
    table : DataFrame
        Tidy: one row per task and group mean or contrast (columns ``table`` and ``what``).
        Columns ``source``, ``step``, ``wordlist``, ``model``; those of `Fit.contrasts`, empty
        where a group mean has none; ``log_marginal_likelihood``, ``n_missing``, ``trusted``,
        ``seed``, ``fit``, ``pairs_sha256``, ``notes``, ``seconds``.
    failures : DataFrame
        Tasks without a result: ``source``, ``step``, ``wordlist``, ``model``, ``reason``.
    n_done : int
        Tasks that this run did; the others were there.
    """

    table: pd.DataFrame
    failures: pd.DataFrame
    n_done: int

    @property
    def summary(self) -> pd.DataFrame:
        """One row per source, step and list, one column per model and contrast: the mean."""
        contrasts = self.table[self.table["table"] == "contrast"]
        wide = contrasts.pivot_table(
            index=["source", "step", "wordlist"], columns=["what", "model"], values="mean",
            sort=False,
        )  # fmt: skip
        wide.columns = [f"{what} ({model})" for what, model in wide.columns]
        return wide.reset_index()

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return results and failures as plain data."""
        return {
            "results": self.table.astype(object).where(self.table.notna(), None).to_dict("records"),
            "failures": self.failures.to_dict("records"),
            "n_done": self.n_done,
        }

    def plot(self, contrast: str = "associated − different") -> "Figure":
        """Draw a contrast of all tasks as a heat map, one panel per model."""
        from bayesbias.studies.sweep_figure import plot_sweep

        return plot_sweep(self.table, contrast)

    def __repr__(self) -> str:
        """Show how many tasks there are and what failed."""
        n_tasks = len(self.table.drop_duplicates(["source", "step", "wordlist", "model"]))
        lines = [f"Sweep: {n_tasks:,} tasks with results ({self.n_done:,} done now), "
                 f"{len(self.failures):,} failed"]  # fmt: skip
        for row in self.failures.head(20).itertuples():
            where = ", ".join(x for x in (row.source, row.step, row.wordlist, row.model) if x)
            lines.append(f"  {where}: {row.reason.strip().splitlines()[-1]}")
        return "\n".join(lines)


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
        Gets ``results/*.parquet``, one tidy data set; ``failures/*.json``; ``summary.csv``,
        ``failures.csv`` and ``heatmap.png``. Run again after a crash, it goes on where it was.
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

    Returns
    -------
    SweepResult

    Raises
    ------
    ArgumentError
        If the file is wrong, or a package that is needed is missing.
    OutputError
        If the folder cannot be written.

    Notes
    -----
    A task's seed follows from the sweep's seed and the task's names, so that numbers depend
    neither on scheduler nor on order. A task with bad input fails alone, with its reason.

    Examples
    --------
    >>> run_sweep("sweep.toml", "out/sweep", jobs=2)  # doctest: +SKIP
    """
    if jobs < 1:
        raise ArgumentError(f"jobs={jobs}: must be at least 1")
    _need_pyarrow()
    checked = sweep if isinstance(sweep, Sweep) else load_sweep(sweep)
    place = Path(folder)
    try:
        for name in (_RESULTS, _FAILURES):
            (place / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{place}: cannot be made ({error.strerror})") from error
    tasks = {checked.task_id(task): task for task in checked.tasks()}
    left = {
        key: task for key, task in tasks.items()
        if not (place / _RESULTS / f"{key}.parquet").exists()
        and (retry or not (place / _FAILURES / f"{key}.json").exists())
    }  # fmt: skip
    outcomes = _outcomes(checked, left, jobs, scheduler)
    for key, outcome in tracked(outcomes, "Sweeping", progress, len(left)):
        _keep(place, key, tasks[key], outcome)
    result = _collected(place, tasks, len(left))
    _write_summary(place, result)
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

    Nobody knows which task killed it. After several deaths the tasks that are left get a process
    each, and one that dies then is recorded as failed.
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
        client = Client(address, timeout="20s")
    except (OSError, ValueError) as error:
        raise ArgumentError(f"scheduler {address!r}: no answer ({error})") from error
    with client:
        yield client


def _need_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ArgumentError("a sweep needs pyarrow: pip install 'bayesbias[parquet]'") from error


def _keep(place: Path, key: str, task: Task, outcome: dict[str, Any]) -> None:
    """Write one task's rows, or the reason why there are none."""
    failure = place / _FAILURES / f"{key}.json"
    if "rows" in outcome:
        with new_file(place / _RESULTS / f"{key}.parquet") as temporary:
            pd.DataFrame(outcome["rows"]).to_parquet(temporary, index=False)
        failure.unlink(missing_ok=True)
        return
    with new_file(failure) as temporary:
        text = json.dumps({**task.names, **outcome}, ensure_ascii=False)
        temporary.write_text(text, encoding="utf-8")


def _collected(place: Path, tasks: dict[str, Task], n_done: int) -> SweepResult:
    """Read what is there of the sweep's tasks, in the sweep's order.

    Small files by the thousand: pandas would take six times as long to read each.
    """
    from pyarrow import concat_tables
    from pyarrow.parquet import ParquetFile

    parts, failures = [], []
    for key, task in tasks.items():
        result = place / _RESULTS / f"{key}.parquet"
        if result.exists():
            with ParquetFile(result) as file:
                parts.append(file.read(use_threads=False))
        else:
            text = (place / _FAILURES / f"{key}.json").read_text(encoding="utf-8")
            failures.append({**task.names, "reason": json.loads(text)["reason"]})
    columns = ["source", "step", "wordlist", "model"]
    # A column can be empty in one task and hold numbers in another.
    table = concat_tables(parts, promote_options="permissive").to_pandas() if parts else (
        pd.DataFrame(columns=[*columns, "table", "what", "mean"])
    )  # fmt: skip
    return SweepResult(table, pd.DataFrame(failures, columns=[*columns, "reason"]), n_done)


def _write_summary(place: Path, result: SweepResult) -> None:
    writers: list[tuple[str, Callable[[Path], Any]]] = [
        ("failures.csv", lambda path: write_csv(result.failures, path))
    ]
    if (result.table["table"] == "contrast").any():
        writers += [
            ("summary.csv", lambda path: write_csv(result.summary, path)),
            ("heatmap.png", lambda path: result.plot().savefig(path, dpi=160)),
        ]
    for name, write in writers:
        with new_file(place / name) as temporary:
            write(temporary)
