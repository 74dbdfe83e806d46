"""Opens every file that the package reads: ordinary ones, within bounds of time and memory.

What gzip compressed is read as what is in it; other archives are to be unpacked first.
Of the package's TOML files every error names the file, the key and what to do.
"""

import codecs
import gzip
import hashlib
import io
import json
import os
import re
import stat
import tomllib
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from bayesbias.errors import BayesBiasError, short, suggest
from bayesbias.support.arguments import as_path

T = TypeVar("T")

CHUNK: Final = 1 << 18  # bytes at a time: many, so that calls do not count, and still in the cache
LARGEST_TOML: Final = 1 << 18  # bytes: some 20,000 words
LARGEST_RECORD: Final = 1 << 26  # bytes of a record in JSON
LARGEST_TEXT: Final = 1 << 32  # bytes of a text or table that is read whole: forty million pairs
MOST_EXPANSION: Final = 100
"""Times its own size that a compressed file may unpack to, or a megabyte. Text vectors grow two- to
fourfold, quantised ones less than tenfold; bombs grow a thousandfold."""

_ARCHIVES: Final = (b"PK\x03\x04", b"BZh", b"\xfd7zXZ\0")  # how zip, bzip2 and xz begin

MOST_FAULTS: Final = 20  # that are looked for: a file of another kind has as many as it has words
# tomllib takes time and memory with the square of a dotted key's length; ours have two parts.
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DEEP_KEY: Final = re.compile(rf"(?m)(?:^|[{{,\[])[ \t]*+(?:{_PART}[ \t]*+\.[ \t]*+){{8}}")
_NEXT: Final = re.compile(r"\S|\Z")  # where the next value of JSON lines begins
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # of two slashes `Path` leaves one
_AT_ONCE: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)  # waits for no pipe


def open_regular(path: str | Path, error: type[BayesBiasError]) -> io.BufferedReader:
    """Open an ordinary file to be read; refuse all else with `error`."""
    try:
        stream = open(path, "rb", opener=lambda p, flags: os.open(p, flags | _AT_ONCE))  # noqa: SIM115
    except (OSError, ValueError) as problem:  # a name with a NUL byte is a ValueError
        what = f"cannot be read ({getattr(problem, 'strerror', None) or problem})"
        if _ADDRESS.match(str(path)):
            what = "addresses are not opened; download the file and give its path"
        elif os.path.isdir(path):
            what = "is a folder; name the file in it"
        raise error(f"{path}: {what}") from problem
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise error(f"{path}: is no ordinary file; save its content to one")
    return stream


def require_regular_file(path: Path, error: type[BayesBiasError]) -> Path:
    """Return a path that a library is about to open itself, once `open_regular` has opened it."""
    open_regular(path, error).close()
    return path


def read_json(
    path: Path, error: type[BayesBiasError], most: int = LARGEST_RECORD, encoding: str = ""
) -> Any:
    """Return what JSON contains, or a list of its lines; texts are Unicode, keys distinct."""
    text = read_text(path, error, most, encoding).strip()
    decoder = json.JSONDecoder(object_pairs_hook=_distinct_keys)
    values, at = list[Any](), 0
    try:
        while at < len(text) or not values:
            value, at = decoder.raw_decode(text, at)
            values.append(value)
            at = next(_NEXT.finditer(text, at)).start()
        if "\\u" in text:  # only an escape can be half of a character
            json.dumps(values, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as problem:
        raise error(f"{path}: is damaged: is no sound JSON ({problem})") from problem
    return values if len(values) > 1 else values[0]


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, of which json would keep the last of two keys that are the same."""
    content = dict(pairs)
    if len(content) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {short(twice)} is there twice; delete one")
    return content


def read_text(
    path: str | Path, error: type[BayesBiasError], most: int = LARGEST_TEXT, encoding: str = ""
) -> str:
    """Return the text of a file, plain or compressed, in UTF-8 or marked as UTF-16."""
    with ByteStream(as_path(path), error, most) as stream:
        content = stream.read_all()
    refuse_archive(stream.path, content, error)
    try:
        is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return content.decode(encoding or ("utf-16" if is_wide else "utf-8"))
    except UnicodeDecodeError as problem:
        raise error(
            f"{path}: byte {problem.start} is not UTF-8; save the file as text in UTF-8, unpacked"
        ) from problem


def file_checksum(path: str | Path, error: type[BayesBiasError] = BayesBiasError) -> str:
    """Return the SHA-256 of a file."""
    with open_regular(path, error) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def refuse_archive(path: Path, start: bytes, error: type[BayesBiasError]) -> None:
    """Refuse a file that begins as an archive, or as what Excel writes, which is one."""
    if start.startswith(_ARCHIVES) or start[257:262] == b"ustar":
        raise error(
            f"{path}: is an archive or an Excel file; unpack it, or save it as CSV, and name that"
        )


class ByteStream(ExitStack):
    """A file's bytes, unpacked and without a BOM, while they are sound and not too many."""

    def __init__(self, path: Path, error: type[BayesBiasError], most: float = float("inf")) -> None:
        super().__init__()
        self.path, self._error, self._most, self._n = path, error, most, 0
        self._stream: Any = self.enter_context(open_regular(path, error))
        self._size = os.fstat(self._stream.fileno()).st_size
        self.is_packed = self._stream.peek(2).startswith(b"\x1f\x8b")
        if self.is_packed:
            self._stream = self.enter_context(gzip.GzipFile(fileobj=self._stream))

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer than `size` only at the end."""
        try:
            chunk: bytes = self._stream.read(size)
        except (EOFError, zlib.error, OSError) as problem:
            raise self._error(f"{self.path}: damaged or cut short; fetch it again") from problem
        chunk = chunk if self._n else chunk.removeprefix(codecs.BOM_UTF8)
        self._n += len(chunk)
        if max(self._n, self._size) > self._most:
            raise self._error(f"{self.path}: has more than {self._most:,} bytes; split it")
        if self.is_packed and self._n > max(MOST_EXPANSION * self._size, 1 << 20):
            raise self._error(
                f"{self.path}: unpacks to more than {MOST_EXPANSION} times its size, as no honest "
                f"file does; if you trust it, unpack it yourself and name the result"
            )
        return chunk

    def read_all(self) -> bytes:
        """Return the bytes that are left."""
        return b"".join(iter(partial(self.read, CHUNK), b""))

    def lines(self, longest: int) -> Iterator[list[bytes]]:
        """Yield the lines that are left, some hundred at a time."""
        rest = b""
        while chunk := self.read(CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            if max(map(len, lines), default=0) > longest or len(rest) > longest:
                raise self._error(
                    f"{self.path}: has a line of more than {longest:,} bytes; the file is of "
                    f"another kind, or damaged"
                )
            yield lines
        if rest:
            yield [rest]


@cache
def data_folder(name: str) -> Path:
    """Return the folder of shipped data, ``wordlists`` or ``models``."""
    package = Path(str(files("bayesbias")))
    for folder in (package / "_data" / name, package.parent / name):  # in a wheel; in a checkout
        if folder.is_dir():
            return folder
    raise BayesBiasError(f"this installation of bayesbias lacks its {name!r} folder; reinstall it")


def shipped_or_own(
    name: str | Path, folder: Path, shipped: Sequence[str], what: str, error: type[BayesBiasError]
) -> Path:
    """Return the TOML file that a shipped name, without its ending, or a path means."""
    if not isinstance(name, str | Path):
        needed = "give a name, or the path of a .toml file; names: " + ", ".join(shipped)
        raise error(f"{type(name).__name__} is not a {what}: {needed}")
    if str(name) in shipped:
        return folder / f"{name}.toml"
    if not (Path(name).suffix or os.path.exists(name)):
        raise error(f"no {what} called {str(name)!r}{suggest(str(name), shipped)}; or give a path")
    return Path(name)


class TomlFile:
    """A parsed TOML file that reports what is wrong with its keys, as errors of one kind."""

    def __init__(
        self, path: Path, error: type[BayesBiasError], data: Mapping[str, Any] | None = None
    ) -> None:
        self.path, self._error, self.faults = path, error, list[str]()
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
