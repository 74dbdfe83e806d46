"""Reads the package's TOML files; every error names the file, the key and what to do."""

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from bayesbias.errors import BayesBiasError, short, suggest
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import read_text

T = TypeVar("T")

LARGEST_TOML: Final = 1 << 18  # bytes: some 20,000 words
MOST_FAULTS: Final = 20  # that are looked for: a file of another kind has as many as it has words

# tomllib takes time and memory with the square of a dotted key's length; ours have two parts.
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DEEP_KEY: Final = re.compile(
    rf"(?:^|[{{,\[])[ \t]*+(?:{_PART}[ \t]*+\.[ \t]*+){{8}}", re.MULTILINE
)


@cache
def data_folder(name: str) -> Path:
    """Return the folder of shipped data, ``wordlists`` or ``models``."""
    package = Path(str(files("bayesbias")))
    for folder in (package / "_data" / name, package.parent / name):  # in a wheel; in a checkout
        if folder.is_dir():
            return folder
    raise BayesBiasError(
        f"this installation of bayesbias lacks its {name!r} folder; reinstall the package"
    )


def shipped_or_own(
    name: str | Path, folder: Path, shipped: Sequence[str], what: str, error: type[BayesBiasError]
) -> Path:
    """Return the TOML file that a shipped name, without its ending, or a path means."""
    if not isinstance(name, str | Path):
        raise error(
            f"{type(name).__name__} is not a {what}: give a name, or the path of a .toml file; "
            f"names: {', '.join(shipped)}"
        )
    if str(name) in shipped:
        return folder / f"{name}.toml"
    path = as_path(name)
    if not (path.suffix or os.path.exists(path)):
        raise error(
            f"no {what} called {str(name)!r}{suggest(str(name), shipped)}; give your own by "
            f"the path of its .toml file"
        )
    return path


class TomlFile:
    """A parsed TOML file that reports what is wrong with its keys, as errors of one kind."""

    def __init__(
        self, path: Path, error: type[BayesBiasError], data: Mapping[str, Any] | None = None
    ) -> None:
        self.path = path
        self._error = error
        self.faults: list[str] = []
        self.data = self._parsed() if data is None else dict(data)

    def _parsed(self) -> dict[str, Any]:
        """Parse the file; of what is no TOML name the line, and how lines are written."""
        text = read_text(self.path, self._error, most=LARGEST_TOML).replace("\r\n", "\n")
        if deep := _DEEP_KEY.search(text):
            line = text.count("\n", 0, deep.start() + 1) + 1
            raise self._error(f"{self.path}: line {line:,}: a key has too many parts")
        try:
            return tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError
            place = re.search(r" \(at line (\d+)", str(error))
            lines = text.rstrip().split("\n")  # a text that is not closed ends with the file
            number = min(int(place[1]) if place else len(lines), len(lines))
            raise self._error(
                f"{self.path}: line {number:,} ({short(lines[number - 1].strip())}) is not valid "
                f'TOML ({str(error).partition(" (at ")[0]}); write key = "text" or key = '
                f'["word", "word"] a line, each key once, with straight quotes and commas'
            ) from error

    def fail(self, key: str, message: str) -> BayesBiasError:
        """Return the error for a key, to be raised by the caller."""
        return self._error(f"{self.path}: {key}: {message}")

    def attempt(self, read: Callable[..., T], *args: Any, otherwise: Any) -> T:
        """Return what `read` returns; where it raises, note the fault, and return `otherwise`."""
        try:
            return read(*args)
        except self._error as fault:
            if len(self.faults) >= MOST_FAULTS:  # it is all of them
                raise
            self.note_fault(str(fault).removeprefix(f"{self.path}: "))
            return cast("T", otherwise)

    def note_fault(self, fault: str) -> None:
        """Note a fault, but raise once there are many."""
        self.faults.append(fault)
        if len(self.faults) >= MOST_FAULTS:
            self.refuse_faults()

    def refuse_faults(self) -> None:
        """Raise if faults were noted: one as it is, several numbered, with a line each."""
        faults = list(dict.fromkeys(self.faults))
        if len(faults) > 1:
            numbered = [f"({number}) {fault}" for number, fault in enumerate(faults, start=1)]
            first = "the first " if len(self.faults) >= MOST_FAULTS else ""
            faults = ["\n  ".join([f"{first}{len(faults)} faults:", *numbered])]
        if faults:
            raise self._error(f"{self.path}: {faults[0]}")

    def refuse_unknown(
        self, valid: tuple[str, ...], *, table: str = "", of: Mapping[str, Any] | None = None
    ) -> None:
        """Raise if the file, or `of`, the content of its table, has a key not in `valid`."""
        for key in self.data if of is None else of:
            if key not in valid:
                place = f"{table}.{key}" if table else key
                raise self.fail(place, f"unknown key{suggest(key, valid)}")

    def text(self, key: str, *, required: bool = False) -> str:
        """Return a text, stripped, or ``""`` where it may be absent."""
        value = self.data.get(key, "")
        if not isinstance(value, str):
            raise self.fail(key, "must be a text in quotes")
        if required and not value.strip():
            raise self.fail(key, "is required and must be a text")
        return value.strip()

    def table(self, key: str, *, required: bool = True) -> Mapping[str, Any]:
        """Return a table, empty where it may be absent."""
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            raise self.fail(key, f"must be a table, written [{key}]")
        if required and not value:
            raise self.fail(key, f"is missing or empty; the file needs a table [{key}]")
        return value
