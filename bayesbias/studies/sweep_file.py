"""What a sweep is to do: sources × debiasing steps × word lists × models, from a TOML file."""

import hashlib
import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from bayesbias.constants import HDPI_PROB, ROPE
from bayesbias.debias import find_method
from bayesbias.errors import ArgumentError, BayesBiasError, suggest
from bayesbias.inference.intervals import check_rope, interval_of
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.word_lists import WordList, load_wordlist
from bayesbias.support.toml_files import TomlFile
from bayesbias.vectors.lookup import spellings

_KEYS: Final = ("seed", "prob", "interval", "rope", "models", "wordlists", "embeddings",
                "distances", "debias", "undebiased")  # fmt: skip
_EMBEDDING_KEYS: Final = ("path", "limit", "fallbacks", "trusted")
_NOT_STEPS: Final = ("vectors", "wordlist")


@dataclass(frozen=True)
class Source:
    """Where distances come from: a file of vectors, or one of distances.

    Parameters
    ----------
    name : str
    path : str
    kind : {"embedding", "distances"}
    limit : int or None
        Look only at the first so many vectors.
    fallbacks : tuple of str
        Other spellings to try for missing words.
    trusted : bool
        Allow gensim's pickle format.
    """

    name: str
    path: str
    kind: str
    limit: int | None = None
    fallbacks: tuple[str, ...] = ()
    trusted: bool = False


@dataclass(frozen=True)
class Step:
    """A debiasing step: a method of `bayesbias.debias` and its options; no method leaves all.

    Parameters
    ----------
    name : str
    method : str
        Empty for the vectors as they are.
    options : mapping
    """

    name: str
    method: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """One fit of a sweep.

    Parameters
    ----------
    source : Source
    step : Step
    wordlist : str
        Name of the list in the sweep; empty for a file of distances.
    model : str
    seed : int
        Follows from the sweep's seed and the task's names alone, so that order, scheduler and the
        other tasks do not matter.
    """

    source: Source
    step: Step
    wordlist: str
    model: str
    seed: int

    @property
    def names(self) -> dict[str, str]:
        """What tells the task from others, as columns of the results."""
        return {"source": self.source.name, "step": self.step.name, "wordlist": self.wordlist,
                "model": self.model}  # fmt: skip


@dataclass(frozen=True)
class Sweep:
    """A checked sweep.

    Parameters
    ----------
    sources : tuple of Source
    steps : tuple of Step
    wordlists : mapping of str to WordList
    models : mapping of str to ModelSpec
    seed : int
    prob, interval, rope
        As in `Fit.contrasts`.
    """

    sources: tuple[Source, ...]
    steps: tuple[Step, ...]
    wordlists: Mapping[str, WordList]
    models: Mapping[str, ModelSpec]
    seed: int = 1
    prob: float = HDPI_PROB
    interval: str = "hpdi"
    rope: float = ROPE

    def tasks(self) -> Iterator[Task]:
        """Yield all tasks, those of one source together."""
        for source in self.sources:
            if source.kind == "distances":
                pairs = [(Step("none"), "")]
            else:
                pairs = [(step, name) for step in self.steps for name in self.wordlists]
            for step, wordlist in pairs:
                for model in self.models:
                    key = [self.seed, source.name, step.name, wordlist, model]
                    digest = hashlib.sha256(json.dumps(key).encode()).digest()
                    yield Task(source, step, wordlist, model, int.from_bytes(digest[:4]) >> 1)

    def task_id(self, task: Task) -> str:
        """Return sixteen hex digits that change with anything that changes the task's result."""
        wordlist = self.wordlists[task.wordlist].checksum() if task.wordlist else ""
        parts = [asdict(task), wordlist, self.models[task.model].id, self.prob, self.interval,
                 self.rope]  # fmt: skip
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    def words(self, source: Source) -> list[str]:
        """Return the words that a source's vectors are needed for, in all spellings."""
        words = [word for wordlist in self.wordlists.values() for word in wordlist.words]
        return spellings(dict.fromkeys(words), source.fallbacks)


def load_sweep(path: str | Path) -> Sweep:
    """Read a sweep from a TOML file; paths in it are relative to the file.

    Raises
    ------
    ArgumentError
        If a key is unknown or its value is wrong; the message names the file and the key. Whether
        the vectors can be read is found out by the tasks that need them.

    Examples
    --------
    >>> load_sweep("sweep.toml")  # doctest: +SKIP
    """
    file = TomlFile(Path(path), ArgumentError)
    file.refuse_unknown(_KEYS)
    folder = Path(path).parent
    sources = tuple(_sources(file, folder))
    if not sources:
        raise file.fail("embeddings", "name at least one embedding or file of distances")
    has_vectors = any(source.kind == "embedding" for source in sources)
    wordlists = _named(file, "wordlists", load_wordlist, folder, required=has_vectors)
    models = _named(file, "models", load_model, folder, required=True)
    numbers = {
        key: file.data[key] for key in ("seed", "prob", "rope", "interval") if key in file.data
    }
    sweep = Sweep(sources, tuple(_steps(file)), wordlists, models, **numbers)
    _check(file, sweep)
    return sweep


def _check(file: TomlFile, sweep: Sweep) -> None:
    if not isinstance(sweep.seed, int) or isinstance(sweep.seed, bool) or sweep.seed < 0:
        raise file.fail("seed", f"{sweep.seed!r} must be a whole number, 0 or more")
    try:
        check_rope(sweep.rope)
        interval_of([0.0, 1.0], sweep.prob, sweep.interval)
    except (BayesBiasError, TypeError) as error:
        raise file.fail("prob, interval, rope", str(error)) from None
    for name, spec in sweep.models.items():
        if not spec.is_gaussian or spec.response == "change":
            raise file.fail(
                "models", f"{name!r} needs NUTS or explains changes; a sweep fits distances with "
                f"the collapsed engine"
            )  # fmt: skip


def _sources(file: TomlFile, folder: Path) -> Iterator[Source]:
    for name, value in file.table("embeddings", required=False).items():
        entry = {"path": value} if isinstance(value, str) else value
        where = f"embeddings.{name}"
        if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
            raise file.fail(where, 'must be a path, or a table such as { path = "glove.txt" }')
        for key in entry:
            if key not in _EMBEDDING_KEYS:
                raise file.fail(f"{where}.{key}", f"unknown key{suggest(key, _EMBEDDING_KEYS)}")
        fallbacks = entry.get("fallbacks", [])
        if not isinstance(fallbacks, list):
            raise file.fail(f"{where}.fallbacks", 'must be a list, such as ["lower"]')
        yield Source(name, _place(folder, entry["path"]), "embedding", entry.get("limit"),
                     tuple(fallbacks), bool(entry.get("trusted", False)))  # fmt: skip
    for name, value in file.table("distances", required=False).items():
        if not isinstance(value, str):
            raise file.fail(f"distances.{name}", "must be the path of a file of distances")
        if name in file.table("embeddings", required=False):
            raise file.fail(f"distances.{name}", "is the name of an embedding too")
        yield Source(name, _place(folder, value), "distances")


def _place(folder: Path, path: str) -> str:
    return path if path.startswith("gensim:") else str(folder / path)


def _steps(file: TomlFile) -> Iterator[Step]:
    if file.data.get("undebiased", True):
        yield Step("none")
    for name, value in file.table("debias", required=False).items():
        where = f"debias.{name}"
        if not isinstance(value, dict) or not isinstance(value.get("method"), str):
            raise file.fail(where, 'must be a table such as { method = "hard" }')
        if name == "none":
            raise file.fail(where, "'none' means no debiasing; choose another name")
        options = {key: option for key, option in value.items() if key != "method"}
        try:
            known = inspect.signature(find_method(value["method"])).parameters
        except ArgumentError as error:
            raise file.fail(where, str(error)) from None
        for key in options:
            if key not in known or key in _NOT_STEPS:
                valid = [k for k in known if k not in _NOT_STEPS]
                raise file.fail(f"{where}.{key}", f"unknown option{suggest(key, valid)}")
        yield Step(name, value["method"], options)


def _named(file: TomlFile, key: str, load: Any, folder: Path, *, required: bool) -> dict[str, Any]:
    """Load lists or models, each by a shipped name or a path, and name them by their own name."""
    value = file.data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise file.fail(key, "must be a list of names or paths")
    if required and not value:
        raise file.fail(key, "name at least one")
    found: dict[str, Any] = {}
    for item in value:
        try:
            loaded = load(folder / item if item.endswith(".toml") else item)
        except BayesBiasError as error:
            raise file.fail(key, str(error)) from None
        if loaded.name in found:
            raise file.fail(key, f"has two of the name {loaded.name!r}")
        found[loaded.name] = loaded
    return found
