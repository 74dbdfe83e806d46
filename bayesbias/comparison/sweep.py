"""A grid of vectors × word lists × models from one TOML file, picked up where it was stopped.

A task is a cell of the grid: one analysis, with the digits of `bayesbias.analyze`. All tasks of a
file of vectors are one job, so that every file is read once a run. A finished task is a file whose
name changes with whatever changes its result (what the file of vectors holds, words, model, seed,
rule): what is there is not done again, whoever did it, on this machine or another.
"""

import hashlib
import json
import signal
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from glob import glob, has_magic
from itertools import groupby, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pandas as pd

from bayesbias import errors
from bayesbias.comparison.output import EQUAL
from bayesbias.comparison.pages import TASK, sweep_page
from bayesbias.fits.contrasts import COLUMNS
from bayesbias.fits.decision import DecisionRule
from bayesbias.fits.fitting import fit
from bayesbias.models.specification import ModelSpec, load_model
from bayesbias.show import answers, csv_files, page
from bayesbias.show.narrator import DIRECTIONS, joined
from bayesbias.show.result import plain
from bayesbias.support.arguments import Axes, Figure, as_path, seed_as_integer, whole_number
from bayesbias.support.bounded_files import TomlFile, file_checksum, read_text
from bayesbias.support.compatibility import versions
from bayesbias.support.machine import on_signal, parallel_map, tracked
from bayesbias.support.whole_files import new_file
from bayesbias.vectors.loading import load_embedding
from bayesbias.words.distance_frame import distances
from bayesbias.words.list_files import load_wordlist
from bayesbias.words.word_lists import WordList

if TYPE_CHECKING:
    from bayesbias.show.style import Size

Task: TypeAlias = tuple[str, str, str]

_LARGE_FILE: Final = 100_000_000  # bytes
_OF_RULE: Final = ("ci_prob", "ci_kind", "rope")
_FORMAT: Final = 5  # of what a task keeps: a new number makes every task a new one


@dataclass(frozen=True)
class Sweep:
    """A checked grid: paths of vectors, word lists and models by name."""

    vectors: Mapping[str, str]
    wordlists: Mapping[str, WordList]
    models: Mapping[str, ModelSpec]
    rule: DecisionRule
    seed: int

    def tasks(self) -> dict[str, Task]:
        """Return all tasks by ids, which change with whatever changes their results."""
        contents, tasks = {name: _content_of(path) for name, path in self.vectors.items()}, {}
        for task in product(self.vectors, self.wordlists, self.models):
            vectors, wordlist, model = task
            words, spec = self.wordlists[wordlist], self.models[model]
            parts = [_FORMAT, vectors, contents[vectors], self.seed, asdict(self.rule), wordlist]
            parts += [words.checksum(), words.matched, model, spec.id]
            digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
            tasks[digest.hexdigest()[:16]] = task
        return tasks


def read_sweep(path: Path) -> Sweep:
    """Read a grid from a TOML file; all faults of it are named."""
    file = TomlFile(path, errors.ArgumentError)
    keys = ("vectors", "wordlists", "models", "seed", *_OF_RULE)
    file.attempt(file.refuse_unknown, keys, otherwise=None)
    vectors: dict[str, str] = {}
    for name, value in file.attempt(file.table, "vectors", otherwise={}).items():
        for place in file.attempt(_places, file, f"vectors.{name}", value, otherwise=[]):
            own = place.name.partition(".")[0] if has_magic(value) else name
            if own in vectors:
                file.note_fault(f"vectors.{name}: another file has the name {own!r}; name each")
            vectors[own] = str(place)
    wordlists = _loaded(file, "wordlists", load_wordlist, [])
    models = _loaded(file, "models", load_model, ["maximal"])
    for spec in models.values():
        if spec.response == "change":
            file.note_fault(f"models: {spec.name!r} explains changes; take 'maximal'")
    seed = file.attempt(seed_as_integer, file.data.get("seed", 1), otherwise=1)
    chosen = {key: file.data[key] for key in _OF_RULE if key in file.data}
    rule = file.attempt(lambda: DecisionRule(**chosen), otherwise=DecisionRule())
    file.refuse_faults()
    return Sweep(vectors, wordlists, models, rule, seed)


def _places(file: TomlFile, where: str, path: Any) -> list[Path]:
    """Return the files that a path or a pattern stands for."""
    if not isinstance(path, str):
        raise file.fail(where, "must be a path or a pattern in quotes")
    folder = file.path.parent
    names = sorted(glob(path, root_dir=folder, recursive=True)) if has_magic(path) else [path]
    places = [folder / name for name in names if (folder / name).exists()]
    if not places:
        raise file.fail(where, f"{folder / path}: no such file; correct the path")
    return places


def _loaded(file: TomlFile, key: str, load: Any, usual: list[str]) -> dict[str, Any]:
    """Load lists or models, each by a shipped name, a path or a pattern."""
    names, loaded = file.data.get(key, usual), dict[str, Any]()
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        file.note_fault(f"{key}: must be a list of names or paths, with at least one")
        return {}
    for name in names:
        is_path = name.endswith((".toml", ".json")) or has_magic(name)
        for place in file.attempt(_places, file, key, name, otherwise=[]) if is_path else [name]:
            try:
                content = load(place)
            except errors.BayesBiasError as error:
                file.note_fault(f"{key}: {error}")
            else:
                if content.name in loaded:
                    file.note_fault(f"{key}: has two of the name {content.name!r}")
                loaded[content.name] = content
    return loaded


def _content_of(path: str) -> list[Any]:
    """Return SHA-256s of a file or folder of vectors; of large files size and time of change."""
    place, parts = Path(path), list[Any]()
    for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
        with suppress(OSError, errors.BayesBiasError):  # the task that needs it says why
            state = file.stat()
            is_small = file.is_file() and state.st_size <= _LARGE_FILE
            parts.append(file_checksum(file) if is_small else [state.st_size, state.st_mtime_ns])
    return parts


@dataclass(frozen=True, eq=False, repr=False)
class SweepResult:
    """What a grid says; made by `run_sweep`.

    Parameters
    ----------
    table : DataFrame
        The contrasts of all tasks: ``vectors``, ``wordlist``, ``model``, then the columns of
        `Fit.contrasts`; ``pareto_k`` and ``trusted``, whether the draws can be.
    tasks : DataFrame
        ``vectors``, ``wordlist``, ``model``, ``status`` (done, not applicable, failed), ``reason``.
    rule : DecisionRule
    """

    table: pd.DataFrame
    tasks: pd.DataFrame
    rule: DecisionRule

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the tasks say over all, and how many are done."""
        rows = self.table[(self.table["level"] == "over all") & (self.table["withheld"] == "")]
        ways = rows["direction"].mask(rows["verdict"] == EQUAL, EQUAL)
        n = {way: int((ways == way).sum()) for way in (*DIRECTIONS, EQUAL, "undecided")}
        of = errors.counted(len(rows), "task")
        parts = [f"In {n['closer']} of {of} groups are closer than others to their own lists"]
        parts += [f"in {n[way]} {way}" for way in ("farther", EQUAL, "undecided") if n[way]]
        status = joined([f"{m:,} {s}" for s, m in self.tasks["status"].value_counts().items()])
        tasks = f"{errors.counted(len(self.tasks), 'task')}: {status}."
        return (f"{'; '.join(parts)}.", tasks) if len(rows) else (tasks,)

    def rows(self) -> pd.DataFrame:
        """Return the table as files and JSON have it, with the columns of every command."""
        others = self.table.columns.difference(COLUMNS, sort=False)
        return pd.concat([self.table[others], answers.contrast_rows(self.table)], axis=1)

    def to_dict(self, *, command: str | None = None) -> dict[str, Any]:
        """Return everything that is said as plain data."""
        content = {"answers": self.sentences, "contrasts": self.rows(), "tasks": self.tasks}
        return {"bayesbias": versions().get("bayesbias"), "command": command, **plain(content)}

    def report(self, path: str | Path, *, command: str | None = None) -> None:
        """Write the page of the sweep: one HTML file that needs nothing else."""
        page.write_page(sweep_page(self, command), path)

    def plot(
        self, *, figsize: "Size" = None, ax: "Axes | None" = None, title: str | None = None
    ) -> Figure:
        """Draw the atlas: word lists × vectors, the contrast over all in colour and numbers."""
        from bayesbias.show import drawing

        names = ["wordlist", "vectors"]
        lists, vectors = (list(self.tasks[name].unique()) for name in names)
        rows = self.table[self.table["level"] == "over all"].drop_duplicates(names)
        cells = rows.astype({"standardised": float}).assign(sure=rows["direction"].isin(DIRECTIONS))
        sizes, sure = (
            cells.pivot_table(value, *names).reindex(index=lists, columns=vectors)
            for value in ("standardised", "sure")
        )
        if title is None:
            n, of = int((sure == 1.0).to_numpy().sum()), int(sizes.notna().to_numpy().sum())
            title = f"{n} of {of} associations are closer or farther (bold)."
        what = "associated − different in sd"
        return drawing.atlas_figure(sizes, sure == 1.0, title, what, figsize, ax)

    def __repr__(self) -> str:
        failed = self.tasks[self.tasks["status"] == "failed"][:20].itertuples()
        lines = (f"{r.vectors}, {r.wordlist}: {r.reason}" for r in failed)
        return "\n".join([*self.sentences, *lines])


def run_sweep(
    sweep: str | Path,
    folder: str | Path,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: bool | None = None,
) -> SweepResult:
    """Do all tasks of a grid that have no result yet.

    Parameters
    ----------
    sweep : str or Path
        A TOML file with the keys ``vectors``, a table of name to path; ``wordlists``, shipped names
        or paths; and, if you like, ``models``, ``seed``, ``ci_prob``, ``ci_kind``, ``rope``. Paths
        are relative to the file. A pattern, such as ``vectors/*.bin``, stands for all files that it
        matches, each named like its file.
    folder : str or Path
        Gets a file for each task in ``tasks``, ``contrasts.csv`` and ``tasks.csv`` of all. Run
        again after a crash, it goes on where it was, and tries again what failed.
    jobs : int
        Processes on this machine; each takes one file of vectors after the other.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``tcp://host:8786``, whose workers do the tasks
        instead; they must see the same paths.
    progress : bool, optional
        Show a bar; by default in a terminal or a notebook.

    Returns
    -------
    SweepResult

    Raises
    ------
    ArgumentError, OutputError
        If the file is wrong (all its faults are named), a package that is needed is missing, a
        process died, or the folder cannot be written.

    Notes
    -----
    A list whose words a file lacks, or that a model is not about, is *not applicable*. What else a
    task raises is its failure, and the others go on. SIGTERM is a KeyboardInterrupt.
    """
    whole_number(jobs, "jobs", "processes", least=1)
    grid, place = read_sweep(as_path(sweep)), as_path(folder).absolute()
    if place.is_dir() and any(place.iterdir()) and not (place / "tasks").is_dir():
        raise errors.OutputError(f"{place}: is not empty, and no folder of a sweep; choose another")
    try:
        (place / "tasks").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise errors.OutputError(f"{place}: cannot be made ({error.strerror})") from error
    tasks = grid.tasks()
    to_do = [(k, of) for k, of in tasks.items() if _read(place, k)["status"] in ("", "failed")]
    work = [[*of_file] for _, of_file in groupby(to_do, key=lambda task: task[1][0])]
    with on_signal(signal.SIGTERM, signal.default_int_handler):  # it ends workers too
        done = parallel_map(partial(_do_tasks, grid, place), work, jobs, scheduler=scheduler)
        for _ in tracked(done, "Sweeping", progress, len(work), in_lines=True):
            pass
    parts, rows = [], []
    for key, task in tasks.items():
        content = _read(place, key)
        rows.append((*task, content["status"] or "failed", content["reason"]))
        if content["status"] == "done":
            names = dict(zip(TASK, task, strict=True))
            parts.append(pd.DataFrame({**names, **content["rows"]}))
    columns = [*TASK, *COLUMNS, "pareto_k", "trusted"]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    of_tasks = pd.DataFrame(rows, columns=[*TASK, "status", "reason"])
    result = SweepResult(table[columns], of_tasks, grid.rule)
    for name, table in (("contrasts", result.rows()), ("tasks", of_tasks)):
        with new_file(place / f"{name}.csv") as temporary:
            csv_files.write_csv(table, temporary)
    return result


def _do_tasks(grid: Sweep, place: Path, work: Sequence[tuple[str, Task]]) -> None:
    """Open a file of vectors and do its tasks; each result is written as soon as it is there."""
    path = grid.vectors[work[0][1][0]]
    words = dict.fromkeys(word for wordlist in grid.wordlists.values() for word in wordlist.words)
    opened = _outcome(lambda: {"vectors": load_embedding(path, words=list(words))})
    for key, (_, wordlist, model) in work:
        outcome = opened
        if "vectors" in opened:
            outcome = _outcome(partial(_analysis, grid, opened["vectors"], wordlist, model))
        with new_file(place / "tasks" / f"{key}.json") as temporary:
            temporary.write_text(json.dumps(outcome), encoding="utf-8")


def _outcome(do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a part of the work gives, or why it gives nothing."""
    try:
        with warnings.catch_warnings(action="ignore", category=errors.BayesBiasWarning):
            return {"status": "done", "reason": "", **do()}
    except errors.BayesBiasError as error:
        is_other = isinstance(error, errors.WordListError | errors.ModelError)
        reason = " ".join(str(error).split())
        return {"status": "not applicable" if is_other else "failed", "reason": reason}
    except Exception:  # one task's defect must not stop the others; it is kept whole
        return {"status": "failed", "reason": traceback.format_exc()}


def _analysis(grid: Sweep, vectors: Any, wordlist: str, model: str) -> dict[str, Any]:
    """Analyse one list with one model; a doubtful fit is kept as such, and no chains are run."""
    frame = distances(vectors, grid.wordlists[wordlist])
    result = fit(frame, grid.models[model], vectors=vectors, seed=grid.seed, engine="collapsed")
    k, trusted = float(result.sample_stats["pareto_k"].max()), not result.diagnostics.problems
    table = result.contrasts(rule=grid.rule).assign(pareto_k=k, trusted=trusted)
    return {"rows": table.to_dict("list")}


def _read(place: Path, key: str) -> dict[str, Any]:
    """Return what became of a task; its status is "" where it is not done, or its file damaged."""
    try:
        content = json.loads(read_text(place / "tasks" / f"{key}.json", errors.OutputError))
        return {"status": content["status"], "reason": content["reason"], **content}
    except (errors.OutputError, ValueError, KeyError, TypeError):
        return {"status": "", "reason": "its result cannot be read; run the sweep again"}
