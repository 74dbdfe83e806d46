"""Reads plain and compressed files in pieces, within bounds of time and memory."""

import bz2
import gzip
import hashlib
import io
import stat
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from bayesbias.errors import BayesBiasError
from bayesbias.support.progress import watched

CHUNK: Final = 1 << 18
"""Bytes read at a time: so many that calls do not count, so few that they stay in the cache."""

MOST_EXPANSION: Final = 100
"""Times its own size that a compressed file may unpack to. Text vectors grow two- to fourfold,
quantised ones less than tenfold; bombs grow a thousandfold (gzip) and more (bzip2)."""

FREE_EXPANSION: Final = 1 << 20
"""Bytes that any compressed file may unpack to, since tiny files of like lines compress well."""

_GZIP, _BZIP2 = b"\x1f\x8b", b"BZh"


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
            raise self._error(
                f"{self._of.path}: damaged or cut short ({error}); fetch it again"
            ) from error
        buffer[: len(found)] = found
        if self._of.compression:
            self._left -= len(found)
            if self._left < 0:
                raise self._error(
                    f"{self._of.path}: unpacks to more than {MOST_EXPANSION} times its size, as no "
                    f"honest file does; if you trust it, unpack it yourself and name the result"
                )
        return len(found)


class ByteStream:
    """A file's bytes, decompressed where they are compressed, whatever the file's name.

    Parameters
    ----------
    path : Path
        An ordinary file; a pipe or a device could block or never end, and is refused.
    error : type of BayesBiasError
        The kind of error to raise.
    progress : bool or None
        Whether reading a large file shows a bar; None shows it where it can be seen.

    Raises
    ------
    BayesBiasError
        If the file cannot be opened; while reading, if it is damaged or unpacks to more than
        `MOST_EXPANSION` times its size.
    """

    def __init__(
        self, path: Path, error: type[BayesBiasError], *, progress: bool | None = False
    ) -> None:
        self.path = path
        self._error = error
        self.compression, self.size = self._looked_at()
        self._closing = ExitStack()
        file: Any = self._closing.enter_context(path.open("rb", buffering=0))
        raw: Any = self._closing.enter_context(
            watched(file, self.size, f"Reading {path.name}", progress)
        )
        if self.compression:
            unpacked: Any = gzip.open if self.compression == "gzip" else bz2.open
            raw = self._closing.enter_context(unpacked(raw, "rb"))
        self._stream = io.BufferedReader(_Bounded(self, raw, error), CHUNK)

    def _looked_at(self) -> tuple[str, int]:
        """Return how the file is compressed, by its first bytes, and its size."""
        try:
            status = self.path.stat()
            if stat.S_ISDIR(status.st_mode):
                raise self._error(f"{self.path}: is a folder; name the file in it")
            if not stat.S_ISREG(status.st_mode):
                raise self._error(f"{self.path}: is no ordinary file; save its content to one")
            with self.path.open("rb") as raw:
                start = raw.read(4)
        except (OSError, ValueError) as error:  # a name with a NUL byte is a ValueError
            reason = getattr(error, "strerror", None) or error
            raise self._error(f"{self.path}: cannot be read ({reason})") from error
        if start.startswith(_GZIP):
            return "gzip", status.st_size
        return "bzip2" if start.startswith(_BZIP2) else "", status.st_size

    @property
    def most_bytes(self) -> int:
        """Return an upper bound of the bytes that a sound file of this size unpacks to."""
        return 10 * self.size if self.compression else self.size

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer than `size` only at the end."""
        return self._stream.read(size)

    def read_all(self) -> bytes:
        """Return the bytes that are left."""
        return b"".join(iter(lambda: self.read(CHUNK), b""))

    def lines(self, longest: int) -> Iterator[bytes]:
        r"""Yield the lines that are left, with their ends (``\n``).

        Raises
        ------
        BayesBiasError
            If a line has more than `longest` bytes: it would have to be held in memory whole.
        """
        readline, number = self._stream.readline, 0
        while line := readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise self._error(
                    f"{self.path}: line {number:,} is longer than {longest:,} bytes; this is no "
                    f"file of vectors, or it is damaged"
                )
            yield line

    def __enter__(self) -> "ByteStream":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()
        self._closing.close()


def file_checksum(path: str | Path) -> str:
    """Return the SHA-256 of a file.

    Examples
    --------
    >>> len(file_checksum(__file__))
    64
    """
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
