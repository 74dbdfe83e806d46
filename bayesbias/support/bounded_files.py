"""Opens every file that the package reads, and reads it within bounds of time and memory."""

import bz2
import errno
import gzip
import hashlib
import io
import json
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from bayesbias.errors import BayesBiasError
from bayesbias.support.progress import watched

Place = TypeVar("Place", str, Path)

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

_GZIP, _BZIP2 = b"\x1f\x8b", b"BZh"
_AT_ONCE: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def opened(
    path: str | Path, error: type[BayesBiasError], *, most: int | None = None
) -> io.BufferedReader:
    """Open an ordinary file of at most so many bytes to be read; refuse all else with `error`.

    It is looked at once it is open, since it could be exchanged after a look at its name.
    """
    try:
        stream = open(path, "rb", opener=_open_at_once)  # noqa: SIM115
    except (OSError, ValueError) as problem:  # a name with a NUL byte is a ValueError
        if os.path.isdir(path):
            raise error(f"{path}: is a folder; name the file in it") from problem
        if getattr(problem, "errno", 0) == errno.ENXIO:
            raise error(f"{path}: is no ordinary file; save its content to one") from problem
        reason = getattr(problem, "strerror", None) or problem
        raise error(f"{path}: cannot be read ({reason})") from problem
    status = os.fstat(stream.fileno())
    if stat.S_ISREG(status.st_mode) and (most is None or status.st_size <= most):
        return stream
    stream.close()
    if not stat.S_ISREG(status.st_mode):
        raise error(f"{path}: is no ordinary file; save its content to one")
    raise error(f"{path}: has {status.st_size:,} bytes where at most {most:,} are read")


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | _AT_ONCE)


def ordinary(path: Place, error: type[BayesBiasError]) -> Place:
    """Return a path that a library is about to open itself, once `opened` has opened it."""
    opened(path, error).close()
    return path


def read_json(path: Path, error: type[BayesBiasError], *, most: int = LARGEST_RECORD) -> Any:
    """Return what a record in JSON holds; its texts are valid Unicode."""
    with opened(path, error, most=most) as stream:
        content = stream.read(most) or b""  # None where a file of /proc would block
    try:
        found = json.loads(content)
        if b"\\u" in content:  # only an escape can be half of a character
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as problem:
        line = getattr(problem, "lineno", None)
        where = "" if line is None else f" from line {line:,} on"
        raise error(f"{path}: is damaged: is no JSON{where}") from problem
    return found


class _Bounded(io.RawIOBase):
    """Hands bytes on, as long as they are sound and not too many."""

    def __init__(self, stream: "ByteStream", raw: IO[bytes], error: type[BayesBiasError]) -> None:
        self._of, self._raw, self._error = stream, raw, error
        self._left = max(MOST_EXPANSION * stream.size, FREE_EXPANSION)

    def readable(self) -> bool:
        """Say that it can be read, as `io` asks."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes; return how many there were."""
        try:
            found = self._raw.read(len(buffer))
        except (EOFError, zlib.error, OSError) as error:
            raise self._error(f"{self._of.path}: damaged or cut short; fetch it again") from error
        buffer[: len(found)] = found
        if self._of.compression:
            self._left -= len(found)
            if self._left < 0:
                raise self._error(
                    f"{self._of.path}: unpacks to more than {MOST_EXPANSION} times its size, as no "
                    f"honest file does; if you trust it, unpack it yourself and name the result"
                )
        return len(found)


class ByteStream(AbstractContextManager["ByteStream"]):
    """A file's bytes, decompressed whatever its name, while they are sound and not too many.

    `progress` None shows a bar where it can be seen.
    """

    def __init__(
        self, path: Path, error: type[BayesBiasError], *, progress: bool | None = False
    ) -> None:
        self.path = path
        self._error = error
        with ExitStack() as closing:  # a Ctrl-C in here leaves no file open
            file = closing.enter_context(opened(path, error))
            self.size = os.fstat(file.fileno()).st_size
            start = file.peek(4)
            packed = {_GZIP: "gzip", _BZIP2: "bzip2"}
            self.compression = next((name for m, name in packed.items() if start.startswith(m)), "")
            raw: Any = closing.enter_context(
                watched(file, self.size, f"Reading {path.name}", progress)
            )
            if self.compression:
                unpacked: Any = gzip.open if self.compression == "gzip" else bz2.open
                raw = closing.enter_context(unpacked(raw, "rb"))
            self._stream = io.BufferedReader(_Bounded(self, raw, error), CHUNK)
            self._closing = closing.pop_all()

    @property
    def most_bytes(self) -> int:
        """Return an upper bound of the bytes that a sound file of this size unpacks to."""
        return 10 * self.size if self.compression else self.size

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer than `size` only at the end."""
        return self._stream.read(size)

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
        while line := readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise self._error(
                    f"{self.path}: line {number:,} is longer than {longest:,} bytes; the file is "
                    f"of another kind, or damaged"
                )
            yield line

    def __exit__(self, *raised: object) -> None:
        self._stream.close()
        self._closing.close()


def file_checksum(path: str | Path, error: type[BayesBiasError] = BayesBiasError) -> str:
    """Return the SHA-256 of a file."""
    with opened(path, error) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
