"""Opens every file that the package reads: ordinary ones, within bounds of time and memory.

A zip that holds one file is read as that file; other archives are named with what unpacks them.
"""

import bz2
import codecs
import errno
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import shlex
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from bayesbias.errors import BayesBiasError
from bayesbias.support.arguments import as_path
from bayesbias.support.progress import watched

ZIP: Final = b"PK\x03\x04"
_TAR: Final = slice(257, 262)
_UNDER_A_PASSWORD: Final = 0x1
"""The bit of a member's flags (section 4.4.4 of the ZIP specification)."""

_SHOWN: Final = 5
_OF_OFFICE: Final = {"xl/": "an Excel file", "word/": "a Word document", "ppt/": "slides"}
_NOT_SHOWN: Final = ("__MACOSX/", ".DS_Store", "./._")
"""What systems put into archives beside the files."""


def file_in_zip(path: Path, stream: IO[bytes], error: type[BayesBiasError]) -> Any:
    """Return the stream of a zip's only file; None where there are several, or it is no such zip.

    An array of numpy's is none: as in ``.npz`` it is read by the name that it has there.
    """
    try:
        archive = zipfile.ZipFile(stream)
        members = [one for one in archive.infolist() if _is_file(one.filename)]
        if len(members) != 1 or members[0].filename.endswith(".npy"):
            return None
        if members[0].flag_bits & _UNDER_A_PASSWORD:
            raise error(
                f"{path}: is a zip archive under a password; unpack it with the program that made "
                f"it, and name the file inside"
            )
        return archive.open(members[0])
    except NotImplementedError as problem:  # what zipfile says of a compression that it lacks
        raise error(
            f"{path}: is a zip archive packed in a way that Python cannot read; unpack it with the "
            f"program that made it, and name the file inside"
        ) from problem
    except (zipfile.BadZipFile, OSError, ValueError):
        return None
    finally:
        stream.seek(0)


def files_in_zip(stream: IO[bytes]) -> list[str]:
    """Return the names of a zip's files; none if it is damaged."""
    try:
        with zipfile.ZipFile(stream) as archive:
            return [name for name in archive.namelist() if _is_file(name)]
    except (zipfile.BadZipFile, OSError, ValueError):
        return []


def _is_file(name: str) -> bool:
    return not name.endswith("/") and not any(part in name for part in _NOT_SHOWN)


def what_archive(path: Path, stream: IO[bytes], start: bytes) -> tuple[str, str]:
    """Return what a file is and what to do, if it begins as an archive of several; else ""."""
    if start[_TAR] == b"ustar":
        return (
            "a tar archive",
            f"unpack it (tar -xf {_quoted(path)}) and name {_first_in_tar(stream)}",
        )
    if not start.startswith(ZIP):
        return "", ""
    names = files_in_zip(stream)
    if not names:
        return "a zip archive, but damaged or cut short", "fetch it again"
    for folder, what in _OF_OFFICE.items():
        if any(name.startswith(folder) for name in names):
            return what, f"save it as {'CSV' if folder == 'xl/' else 'plain text'}"
    shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return (
        f"a zip archive ({shown})",
        f"unpack it (python -m zipfile -e {_quoted(path)} .) and name one of them",
    )


def _first_in_tar(stream: IO[bytes]) -> str:
    """Return the name of a tar's first file; those behind it may be far in a packed one."""
    try:
        with tarfile.open(fileobj=stream) as archive:
            names = (one.name for one in archive if one.isfile())
            return next(filter(_is_file, names), "the file inside")
    except (tarfile.TarError, EOFError, OSError, ValueError, zlib.error, lzma.LZMAError):
        return "the file inside"


def unpacking(path: Path, start: bytes) -> str:
    """Return the command that unpacks a file which begins so."""
    if start.startswith(ZIP):
        return f"python -m zipfile -e {_quoted(path)} ."
    tool = {b"\x1f": "gunzip", b"B": "bunzip2", b"\xfd": "unxz"}.get(start[:1], "unpack")
    return f"{tool} -k {_quoted(path)}"


def _quoted(path: Path) -> str:
    return shlex.quote(os.fspath(path))


AnyPath = TypeVar("AnyPath", str, Path)

CHUNK: Final = 1 << 18
"""Bytes read at a time: so many that calls do not count, so few that they stay in the cache."""

LARGEST_RECORD: Final = 1 << 26
"""Bytes of a record in JSON: the manifest of a million pairs has fewer."""

LARGEST_TEXT: Final = 1 << 32
"""Bytes of a text or table that is read whole, unpacked: forty million pairs."""

MOST_EXPANSION: Final = 100
"""Times its own size that a compressed file may unpack to. Text vectors grow two- to fourfold,
quantised ones less than tenfold; bombs grow a thousandfold (gzip) and more (bzip2)."""

FREE_EXPANSION: Final = 1 << 20
"""Bytes that any compressed file may unpack to, since tiny files of like lines compress well."""

_UNPACKED: Final[dict[bytes, Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
COMPRESSED: Final = (*_UNPACKED, ZIP)  # what files begin with that are unpacked
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # of two slashes `Path` leaves one
_AT_ONCE: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""A pipe without a writer would be waited for."""


def open_regular(
    path: str | Path, error: type[BayesBiasError], *, most: int | None = None
) -> io.BufferedReader:
    """Open an ordinary file of at most so many bytes to be read; refuse all else with `error`."""
    try:
        stream = open(path, "rb", opener=lambda p, flags: os.open(p, flags | _AT_ONCE))  # noqa: SIM115
    except (OSError, ValueError) as problem:  # a name with a NUL byte is a ValueError
        refuse_address(path, error)
        if os.path.isdir(path):
            raise error(f"{path}: is a folder; name the file in it") from problem
        if getattr(problem, "errno", 0) == errno.ENXIO:
            raise error(f"{path}: is no ordinary file; save its content to one") from problem
        reason = getattr(problem, "strerror", None) or problem
        raise error(f"{path}: cannot be read ({reason})") from problem
    status = os.fstat(stream.fileno())
    if not stat.S_ISREG(status.st_mode):
        stream.close()
        raise error(f"{path}: is no ordinary file; save its content to one")
    if most is not None and status.st_size > most:
        stream.close()
        raise error(f"{path}: has {status.st_size:,} bytes where at most {most:,} are read")
    return stream


def refuse_address(path: str | Path, error: type[BayesBiasError]) -> None:
    """Refuse the address of a file that is elsewhere."""
    if _ADDRESS.match(str(path)):
        raise error(f"{path}: addresses are not opened; download the file and give its path")


def require_regular_file(path: AnyPath, error: type[BayesBiasError]) -> AnyPath:
    """Return a path that a library is about to open itself, once `open_regular` has opened it."""
    open_regular(path, error).close()
    return path


def read_json(path: Path, error: type[BayesBiasError]) -> Any:
    """Return what a record in JSON contains; its texts are valid Unicode, its keys distinct."""

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):  # json would keep the last alone
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise error(f"{path}: is damaged: the key {twice[:40]!r} is there twice; delete one")
        return found

    with open_regular(path, error, most=LARGEST_RECORD) as stream:
        content = stream.read(LARGEST_RECORD) or b""  # None where a file of /proc would block
    try:
        found = json.loads(content, object_pairs_hook=distinct)
        if b"\\u" in content:  # only an escape can be half of a character
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as problem:
        raise error(
            f"{path}: byte {problem.start:,} is not UTF-8; save the file as text in UTF-8"
        ) from problem
    except (ValueError, RecursionError) as problem:
        line = getattr(problem, "lineno", None)
        where = "" if line is None else f" from line {line:,} on"
        raise error(f"{path}: is damaged: is no JSON{where}") from problem
    return found


def refuse_archive(path: Path, start: bytes, error: type[BayesBiasError]) -> None:
    """Refuse a file that begins as an archive of several files, with the command that unpacks."""
    with open_regular(path, error) as file:
        what, advice = what_archive(path, file, start)
    if what:
        raise error(f"{path}: is {what}; {advice}")


def read_text(path: str | Path, error: type[BayesBiasError]) -> str:
    """Return the text of a file, plain or compressed, in UTF-8 or marked as UTF-16.

    Addresses are not fetched.
    """
    with ByteStream(as_path(path), error) as stream:
        content = stream.read_all(LARGEST_TEXT)
    refuse_archive(as_path(path), content, error)
    try:
        is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return content.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(
            f"{path}: byte {problem.start} is not UTF-8; save the file as text in UTF-8, unpacked "
            f"if it is an archive"
        ) from problem


def file_checksum(path: str | Path, error: type[BayesBiasError] = BayesBiasError) -> str:
    """Return the SHA-256 of a file."""
    with open_regular(path, error) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class ByteStream(AbstractContextManager["ByteStream"]):
    """A file's bytes, decompressed whatever its name, while they are sound and not too many.

    `progress` None shows a bar where it can be seen.
    """

    def __init__(
        self, path: Path, error: type[BayesBiasError], *, progress: bool | None = False
    ) -> None:
        self.path, self._error = path, error
        with ExitStack() as closing:  # a Ctrl-C in here leaves no file open
            file = closing.enter_context(open_regular(path, error))
            self.size = os.fstat(file.fileno()).st_size
            start = file.peek(6)
            unpack = next((f for magic, f in _UNPACKED.items() if start.startswith(magic)), None)
            bar = watched(file, self.size, f"Reading {path.name}", progress)
            raw: Any = closing.enter_context(bar)
            inner = unpack(raw, "rb") if unpack is not None else None
            if start.startswith(ZIP):
                inner = file_in_zip(path, raw, error)
            self.unpacking = "" if inner is None else unpacking(path, start)
            self._stream = io.BufferedReader(closing.enter_context(inner or raw), CHUNK)
            self._closing = closing.pop_all()
        free = max(MOST_EXPANSION * self.size, FREE_EXPANSION)
        self._left = free if self.is_compressed else float("inf")

    @property
    def is_compressed(self) -> bool:
        """Tell whether the file is unpacked; `unpacking` is the command that would do it."""
        return bool(self.unpacking)

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer than `size` only at the end."""
        with self._sound():
            return self._counted(self._stream.read(size))

    def read_all(self, most: int) -> bytes:
        """Return the bytes that are left, if they are not too many."""
        found: list[bytes] = []
        while chunk := self.read(CHUNK):
            found.append(chunk)
            if len(found) * CHUNK > most + CHUNK or self.size > most:
                raise self._error(f"{self.path}: has more than {most:,} bytes; split it")
        return b"".join(found)

    def lines(self, longest: int) -> Iterator[bytes]:
        r"""Yield the lines that are left, with their ends (``\n``), unless one is too long."""
        readline, number = self._stream.readline, 0
        with self._sound():
            while line := readline(longest + 1):
                number += 1
                if len(line) > longest:
                    raise self._error(
                        f"{self.path}: line {number:,} is longer than {longest:,} bytes; the file "
                        f"is of another kind, or damaged"
                    )
                yield self._counted(line) if self.is_compressed else line

    def _counted(self, found: bytes) -> bytes:
        """Refuse bytes that are more than an honest file unpacks to."""
        self._left -= len(found)
        if self._left < 0:
            raise self._error(
                f"{self.path}: unpacks to more than {MOST_EXPANSION} times its size, as no honest "
                f"file does; if you trust it, unpack it yourself and name the result"
            )
        return found

    @contextmanager
    def _sound(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError) as problem:
            raise self._error(f"{self.path}: damaged or cut short; fetch it again") from problem

    def __exit__(self, *raised: object) -> None:
        self._stream.close()
        self._closing.close()
