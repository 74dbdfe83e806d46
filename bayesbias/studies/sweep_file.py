"""What a sweep is to do: sources × debiasing steps × word lists × models, from a TOML file."""

import hashlib
import inspect
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

from bayesbias.debias import find_method
from bayesbias.errors import ArgumentError, BayesBiasError, DistancesError, suggest
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.measures import MEASURES
from bayesbias.pairs.word_lists import WordList, load_wordlist
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.progress import LARGE_FILE
from bayesbias.support.toml_files import TomlFile
from bayesbias.vectors.lookup import FALLBACKS
from bayesbias.vectors.samples import common_words

_KEYS: Final = (
    *("seed", "prob", "interval", "rope", "models", "wordlists", "measures"),
    *("embeddings", "distances", "debias", "undebiased"),
)
_EMBEDDING_KEYS: Final = ("path", "limit", "fallbacks", "trusted")
_NOT_STEPS: Final = ("vectors", "wordlist")
_FORMAT: Final = 3
"""Of what a task computes and keeps: a new number makes every task a new one."""

DOWNLOADED: Final = "gensim:"
"""What the name of a model of gensim's downloader begins with."""

ABSENT: Final = "absent"


@dataclass(frozen=True)
class Source:
    """A file of vectors, or of distances (`kind`), and options of `load_embedding`."""

    name: str
    path: str
    kind: str
    limit: int | None = None
    fallbacks: tuple[str, ...] | None = None
    trusted: bool = False


@dataclass(frozen=True)
class Step:
    """A debiasing step: a method and its options, a `chain` of steps, or neither, which leaves all.

    `wordlists` are those that it is for; empty for all.
    """

    name: str
    method: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    wordlists: tuple[str, ...] = ()
    chain: "tuple[Step, ...]" = ()

    @property
    def parts(self) -> "tuple[Step, ...]":
        """The steps with a method, in the order in which they are taken; none leaves all."""
        return (self,) if self.method else self.chain


@dataclass(frozen=True)
class Task:
    """One fit of a sweep; a file of distances has no word list.

    The seed follows from the sweep's seed and the task's names; `content` is what the source's
    files held when the sweep began.
    """

    source: Source
    step: Step
    wordlist: str
    model: str
    seed: int
    content: str

    @property
    def names(self) -> dict[str, str]:
        """What tells the task from others, as columns of the results."""
        return {
            "source": self.source.name,
            "step": self.step.name,
            "wordlist": self.wordlist,
            "model": self.model,
        }


@dataclass(frozen=True)
class Sweep:
    """A checked sweep; the rule is that of its intervals and verdicts."""

    sources: tuple[Source, ...]
    steps: tuple[Step, ...]
    wordlists: Mapping[str, WordList]
    models: Mapping[str, ModelSpec]
    measures: tuple[str, ...] = ()
    seed: int = 1
    rule: DecisionRule = field(default_factory=DecisionRule)

    def tasks(self) -> Iterator[Task]:
        """Yield all tasks, those of one source together, with the files as they are now."""
        for source in self.sources:
            content = content_of(source.path)
            for step, wordlist in self._work_on(source):
                for model in self.models:
                    key = [self.seed, source.name, step.name, wordlist, model]
                    digest = hashlib.sha256(json.dumps(key).encode()).digest()
                    seed = int.from_bytes(digest[:4]) >> 1
                    yield Task(source, step, wordlist, model, seed, content)

    def _work_on(self, source: Source) -> list[tuple[Step, str]]:
        """Return the steps and word lists of a source."""
        if source.kind == "distances":
            return [(Step("none"), "")]
        return [
            (step, name)
            for step in self.steps
            for name in self.wordlists
            if not step.wordlists or name in step.wordlists
        ]

    def task_id(self, task: Task) -> str:
        """Return sixteen hex digits that change with anything that changes the task's result."""
        parts: list[Any] = [
            _FORMAT,
            *task.names.values(),
            task.seed,
            task.content,
            task.source.kind,
            task.source.limit,
            task.source.fallbacks,
            task.step.method,
            dict(task.step.options),
            self.words_id(task),
            self.models[task.model].id,
            asdict(self.rule),
        ]
        # What a sweep may lack, so that the results of one without it keep their ids.
        chain = [(part.method, dict(part.options)) for part in task.step.chain]
        parts += [more for more in (chain, self.measures) if more]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    def words_id(self, task: Task) -> str:
        """Return what changes with a task's words, and with the defining sets that a step reads."""
        if not task.wordlist:
            return ""
        wordlist = self.wordlists[task.wordlist]
        sets = wordlist.defining_sets if task.step.parts else ()
        return f"{wordlist.checksum()} {json.dumps(sets)}"

    def words(self, source: Source) -> list[str]:
        """Return the words that lists and steps name, and common ones, which steps treat too."""
        words = [word for wordlist in self.wordlists.values() for word in wordlist.words]
        for step in self.steps:
            words += (word for option in step.options.values() for word in _words_in(option))
        return list(dict.fromkeys([*words, *common_words()]))


def _words_in(option: object) -> Iterator[str]:
    """Yield the texts of a list of words, or of sets of words; a text alone names no word."""
    if isinstance(option, list | tuple):
        for item in option:
            if isinstance(item, str):
                yield item
            else:
                yield from _words_in(item)


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
    file = TomlFile(as_path(path), ArgumentError)
    file.refuse_unknown(_KEYS)
    folder = Path(path).parent
    sources = tuple(_sources(file, folder))
    if not sources:
        raise file.fail("embeddings", "name at least one embedding or file of distances")
    has_vectors = any(source.kind == "embedding" for source in sources)
    wordlists = _named(file, "wordlists", load_wordlist, folder, required=has_vectors)
    models = _named(file, "models", load_model, folder, required=True)
    given, example = file.data.get("measures", []), ' of names, such as ["WEAT", "MAC"]'
    measures = _names(file, "measures", given, MEASURES, "no measure {}", example)
    sweep = Sweep(
        sources,
        tuple(_steps(file, wordlists)),
        wordlists,
        models,
        measures=tuple(dict.fromkeys(measures)),
        seed=whole(file, "seed", file.data.get("seed", 1), 0),
        rule=_rule(file),
    )
    for name, spec in models.items():
        if not spec.is_gaussian or spec.response == "change":
            raise file.fail(
                "models",
                f"{name!r} needs chains or explains changes; a sweep fits distances with the "
                f"collapsed engine",
            )
    if has_vectors and not sweep.steps:
        raise file.fail("undebiased", "is false, and there is no table [debias]: nothing to do")
    return sweep


def whole(file: TomlFile, key: str, value: Any, least: int) -> int:
    """Return a whole number, or refuse it by its key."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise file.fail(key, f"{value!r} must be a whole number, {least} or more")
    return value


def _truth(file: TomlFile, key: str, value: Any) -> bool:
    """Return what is true or false: a pickle is opened for true alone."""
    if not isinstance(value, bool):
        raise file.fail(key, f"{value!r} must be true or false, without quotes")
    return value


def _rule(file: TomlFile) -> DecisionRule:
    given = {key: file.data[key] for key in ("prob", "interval", "rope") if key in file.data}
    if not isinstance(given.get("interval", ""), str):
        raise file.fail("interval", "must be a text in quotes")
    try:
        return DecisionRule(**given)
    except ArgumentError as error:
        raise file.fail("prob, interval, rope", str(error)) from None


def _names(
    file: TomlFile, key: str, given: Any, valid: Iterable[str], no: str, example: str
) -> tuple[str, ...]:
    """Return a list of names that are valid; of another, say that it is `no`."""
    if not isinstance(given, list):
        raise file.fail(key, f"must be a list{example}")
    for name in given:
        if name not in tuple(valid):
            raise file.fail(key, f"{no.format(repr(name))}{suggest(str(name), valid)}")
    return tuple(given)


def _sources(file: TomlFile, folder: Path) -> Iterator[Source]:
    for name, value in file.table("embeddings", required=False).items():
        yield embedding_source(file, f"embeddings.{name}", name, value, folder)
    for name, value in file.table("distances", required=False).items():
        if not isinstance(value, str):
            raise file.fail(f"distances.{name}", "must be the path of a file of distances")
        if name in file.table("embeddings", required=False):
            raise file.fail(f"distances.{name}", "is the name of an embedding too")
        yield Source(name, _place(folder, value), "distances")


def embedding_source(file: TomlFile, where: str, name: str, value: Any, folder: Path) -> Source:
    """Return an embedding from a path or a table, every value of which is checked."""
    entry = {"path": value} if isinstance(value, str) else value
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
        raise file.fail(where, 'must be a path, or a table such as { path = "glove.txt" }')
    file.refuse_unknown(_EMBEDDING_KEYS, table=where, of=entry)
    limit = whole(file, f"{where}.limit", entry["limit"], 1) if "limit" in entry else None
    trusted = _truth(file, f"{where}.trusted", entry.get("trusted", False))
    fallbacks, key = None, f"{where}.fallbacks"
    if "fallbacks" in entry:
        example = ', such as ["lower"]'
        fallbacks = _names(file, key, entry["fallbacks"], FALLBACKS, "unknown {}", example)
        if len(set(fallbacks)) < len(fallbacks):
            raise file.fail(key, "names one more than once; once is enough")
    path = _place(folder, entry["path"])
    return Source(name, path, "embedding", limit, fallbacks, trusted)


def _place(folder: Path, path: str) -> str:
    return path if path.startswith(DOWNLOADED) else str(folder / path)


def _steps(file: TomlFile, wordlists: Mapping[str, WordList]) -> Iterator[Step]:
    if _truth(file, "undebiased", file.data.get("undebiased", True)):
        yield Step("none")
    found: dict[str, Step] = {}
    chains: dict[str, Mapping[str, Any]] = {}
    for name, value in file.table("debias", required=False).items():
        where = f"debias.{name}"
        is_chain = isinstance(value, dict) and "steps" in value
        if not isinstance(value, dict) or not (is_chain or isinstance(value.get("method"), str)):
            raise file.fail(
                where, 'must be a table such as { method = "hard" } or { steps = ["one", "two"] }'
            )
        if name == "none":
            raise file.fail(where, "'none' means no debiasing; choose another name")
        if is_chain:
            chains[name] = value
        else:
            found[name] = _step(file, where, name, dict(value), wordlists)
    yield from found.values()
    for name, value in chains.items():
        yield _chain(file, f"debias.{name}", name, value, found, wordlists)


def _chain(
    file: TomlFile,
    where: str,
    name: str,
    value: Mapping[str, Any],
    steps: Mapping[str, Step],
    wordlists: Mapping[str, WordList],
) -> Step:
    """Return a chain of steps that stand in the file, each with a method."""
    file.refuse_unknown(("steps", "wordlists"), table=where, of=value)
    key, example = f"{where}.steps", ' of two or more, such as ["one", "two"]'
    names = value["steps"]
    if not isinstance(names, list) or len(names) < 2:
        raise file.fail(key, f"must be a list{example}")
    _names(file, key, names, steps, "no step {}", example)
    lists = _lists(file, where, value.get("wordlists", []), wordlists)
    return Step(name, wordlists=lists, chain=tuple(steps[one] for one in names))


def _step(
    file: TomlFile,
    where: str,
    name: str,
    options: dict[str, Any],
    wordlists: Mapping[str, WordList],
) -> Step:
    """Return a step, its options checked against the method's signature."""
    method, lists = options.pop("method"), options.pop("wordlists", [])
    try:
        known = inspect.signature(find_method(method)).parameters
    except ArgumentError as error:
        raise file.fail(where, str(error)) from None
    for key, option in options.items():
        if key not in known or key in _NOT_STEPS:
            valid = ["wordlists", *(k for k in known if k not in _NOT_STEPS)]
            raise file.fail(f"{where}.{key}", f"unknown option{suggest(key, valid)}")
        if not _fits(option, known[key].annotation):
            raise file.fail(f"{where}.{key}", f"{option!r} is of the wrong type")
    return Step(name, method, options, _lists(file, where, lists, wordlists))


def _lists(
    file: TomlFile, where: str, lists: Any, wordlists: Mapping[str, WordList]
) -> tuple[str, ...]:
    """Return the names of the lists that a step is for."""
    example = ' of names, such as ["gender"]'
    return _names(file, f"{where}.wordlists", lists, wordlists, "no list {} here", example)


def _fits(value: object, annotation: object) -> bool:
    """Tell whether a value of a TOML file is of an option's type; texts and lists nest."""
    kinds = set(get_args(annotation) or [annotation])
    if isinstance(value, bool):
        return bool in kinds
    if isinstance(value, int):
        return bool(kinds & {int, float})
    if isinstance(value, float):
        return float in kinds
    return not kinds & {bool, int, float} and _is_text(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(map(_is_text, value)))


def _named(file: TomlFile, key: str, load: Any, folder: Path, *, required: bool) -> dict[str, Any]:
    """Load lists or models, each by a shipped name or a path, and name them by their own name."""
    value = file.data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise file.fail(key, "must be a list of names or paths")
    if required and not value:
        raise file.fail(key, "name at least one")
    found: dict[str, Any] = {}
    for item in value:
        one = loaded(file, key, load, item, folder)
        if one.name in found:
            raise file.fail(key, f"has two of the name {one.name!r}")
        found[one.name] = one
    return found


def loaded(file: TomlFile, key: str, load: Any, name: Any, folder: Path) -> Any:
    """Load a list or model, by a shipped name or a path."""
    if not isinstance(name, str):
        raise file.fail(key, "must be a name or path in quotes")
    try:
        return load(folder / name if name.endswith(".toml") else name)
    except BayesBiasError as error:
        raise file.fail(key, str(error)) from None


def content_of(path: str) -> str:
    """Return sixteen hex digits that change with what a source's files hold; ``absent`` without.

    A file of up to 100 MB is known by its SHA-256, a larger one by size, time of change and
    inode. A store counts with all its files, as does a file in gensim's format.
    """
    if path.startswith(DOWNLOADED):
        return _digest([path])
    place = Path(path)
    try:
        if not place.exists():
            return ABSENT
        if place.is_dir():
            files = sorted(place.rglob("*"))
        else:
            beside = f"{place.name}."
            names = [p for p in place.parent.iterdir() if p.name.startswith(beside)]
            files = [place, *sorted(p for p in names if p.name.endswith(".npy"))]
        # A file is named as it differs from the whole, so that a moved folder stays the same.
        named = [(os.fspath(file).removeprefix(os.fspath(place)), _known(file)) for file in files]
        return _digest([part for parts in named for part in parts])
    except (OSError, ValueError, DistancesError):  # the task that needs it says why
        return "unreadable"


def _known(path: Path) -> str:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        return "no file"  # to open a pipe would wait for ever
    if found.st_size <= LARGE_FILE:
        return file_checksum(path, DistancesError)
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ino}"


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
