"""The folder of a sweep: a file per finished task, and what is made of all of them.

Every task's rows are a file of their own under its id, written whole or not at all: what can be
read is done, and a task whose inputs changed has another id.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from bayesbias.errors import OutputError
from bayesbias.studies.sweep_file import Task
from bayesbias.studies.sweep_result import TASK_COLUMNS, SweepResult
from bayesbias.support.bounded_files import opened, read_json
from bayesbias.support.csv_files import write_csv
from bayesbias.support.whole_files import new_file

if TYPE_CHECKING:
    from pyarrow import Table

_RESULTS: Final = "results"
_FAILURES: Final = "failures"
_SEAL: Final = b"bayesbias_sha256"


class SweepFolder:
    """A sweep's folder, made if it is not there; an OutputError if it cannot be made."""

    def __init__(self, place: Path) -> None:
        self.place = place
        try:
            for name in (_RESULTS, _FAILURES):
                (place / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{place}: cannot be made ({error.strerror})") from error

    def read_result(self, key: str, task: Task) -> "Table | None":
        """Return a task's rows; None where there are none, or the file is damaged.

        Small files by the thousand: pandas would take six times as long to read each.
        """
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

        try:
            with (
                opened(self._result(key), OutputError) as stream,
                ParquetFile(stream) as file,
            ):
                table = file.read(use_threads=False)
            first = table.slice(0, 1).to_pylist()
        except (OutputError, OSError, ArrowException, ValueError):
            return None
        names = {name: value for row in first for name, value in row.items() if name in task.names}
        kept = (table.schema.metadata or {}).get(_SEAL)
        return table if names == task.names and kept == _seal(key, table) else None

    def read_failure(self, key: str) -> str | None:
        """Return why a task failed; None where it did not, or the file is damaged."""
        try:
            reason = read_json(self._failure(key), OutputError)["reason"]
        except (OutputError, KeyError, TypeError):
            return None
        return reason if isinstance(reason, str) else None

    def keep(self, key: str, task: Task, outcome: Mapping[str, Any]) -> None:
        """Write a task's rows with their checksum, or the reason why there are none."""
        from pyarrow import Table
        from pyarrow.parquet import write_table

        if "rows" in outcome:
            with new_file(self._result(key)) as temporary:
                table = Table.from_pandas(pd.DataFrame(outcome["rows"]), preserve_index=False)
                facts = {**(table.schema.metadata or {}), _SEAL: _seal(key, table)}
                write_table(table.replace_schema_metadata(facts), temporary)
            self._failure(key).unlink(missing_ok=True)
            return
        with new_file(self._failure(key)) as temporary:
            text = json.dumps({**task.names, **outcome}, ensure_ascii=False)
            temporary.write_text(text, encoding="utf-8", errors="replace")

    def collect(
        self, tasks: Mapping[str, Task], known: "Mapping[str, Table]", n_done: int
    ) -> SweepResult:
        """Return what there is of the sweep's tasks, in its order; `known` has been read."""
        from pyarrow import concat_tables

        parts, failures = [], []
        for key, task in tasks.items():
            table = known[key] if key in known else self.read_result(key, task)
            if table is not None:
                parts.append(table)
                continue
            reason = self.read_failure(key) or "its result cannot be read; run the sweep again"
            failures.append({**task.names, "reason": reason})
        # A column can be empty in one task and hold numbers in another.
        table = (
            concat_tables(parts, promote_options="permissive").to_pandas()
            if parts
            else pd.DataFrame(columns=[*TASK_COLUMNS, "table", "what", "mean"])
        )
        return SweepResult(table, pd.DataFrame(failures, columns=[*TASK_COLUMNS, "reason"]), n_done)

    def write_summary(self, result: SweepResult) -> None:
        """Write tables and the heat map of the tasks; take away those that are no longer true."""
        writers = self._writers(result)
        for path in (*self.place.glob("heatmap*.png"), self.place / "summary.csv"):
            if path.name not in writers:
                path.unlink(missing_ok=True)
        for name, write in writers.items():
            with new_file(self.place / name) as temporary:
                write(temporary)

    def _writers(self, result: SweepResult) -> dict[str, Callable[[Path], Any]]:
        writers: dict[str, Callable[[Path], Any]] = {
            "results.parquet": lambda path: result.table.to_parquet(path, index=False),
            "failures.csv": lambda path: write_csv(result.failures, path),
        }
        if not (result.table["table"] == "contrast").any():
            return writers
        writers["summary.csv"] = lambda path: write_csv(result.summary, path, digits=6)
        writers["heatmap.png"] = lambda path: result.plot().savefig(path, dpi=160)
        return writers

    def _result(self, key: str) -> Path:
        return self.place / _RESULTS / f"{key}.parquet"

    def _failure(self, key: str) -> Path:
        return self.place / _FAILURES / f"{key}.json"


def _seal(key: str, table: "Table") -> bytes:
    """Return a checksum of a task's rows: Parquet has none of its own."""
    return hashlib.sha256(repr([key, table.to_pydict()]).encode()).hexdigest().encode()
