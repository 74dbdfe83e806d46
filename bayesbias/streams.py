"""Reads plain and compressed files in pieces, within bounds of time and memory."""

import bz2
import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Final, cast

from bayesbias.errors import BayesBiasError

CHUNK: Final = 1 << 22
"""Bytes read at a time: large enough that the calls do not count, small beside any embedding."""

MOST_EXPANSION: Final = 100
"""Times its own size that a compressed file may unpack to. Text vectors grow two- to fourfold,
quantised ones less than tenfold; bombs grow a thousandfold (gzip) and more (bzip2)."""

FREE_EXPANSION: Final = 1 << 20
"""Bytes that any compressed file may unpack to, since tiny files of like lines compress well."""

_GZIP, _BZIP2 = b"\x1f\x8b", b"BZh"


def is_file(path: str | Path) -> bool:
    """Tell whether a path leads to an ordinary file; a name that no file can have does not.

    Examples
    --------
    >>> is_file("nowhere"), is_file("a" * 10_000), is_file(".")
    (False, False, False)
    """
    return os.path.isfile(path)


class ByteStream:
    """A file's bytes, decompressed where they are compressed, whatever the file's name.

    Parameters
    ----------
    path : Path
        An ordinary file; a pipe or a device could block or never end, and is refused.
    error : type of BayesBiasError
        The kind of error to raise.

    Raises
    ------
    BayesBiasError
        If the file cannot be opened; while reading, if it is damaged or unpacks to more than
        `MOST_EXPANSION` times its size.
    """

    def __init__(self, path: Path, error: type[BayesBiasError]) -> None:
        self.path = path
        self._error = error
        self.compression, self.size = self._looked_at()
        self._left = max(MOST_EXPANSION * self.size, FREE_EXPANSION)
        if self.compression == "gzip":
            self._stream = cast(IO[bytes], gzip.open(path, "rb"))  # noqa: SIM115, closed in __exit__
        elif self.compression == "bzip2":
            self._stream = bz2.open(path, "rb")  # noqa: SIM115
        else:
            self._stream = path.open("rb")

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
        try:
            found = self._stream.read(size)
        except (EOFError, zlib.error, OSError) as error:
            raise self._error(
                f"{self.path}: damaged or cut short ({error}); fetch it again"
            ) from error
        if self.compression:
            self._left -= len(found)
            if self._left < 0:
                raise self._error(
                    f"{self.path}: unpacks to more than {MOST_EXPANSION} times its size, as no "
                    f"honest file does; if you trust it, unpack it yourself and name the result"
                )
        return found

    def read_all(self) -> bytes:
        """Return the bytes that are left."""
        return b"".join(iter(lambda: self.read(CHUNK), b""))

    def lines(self, longest: int) -> Iterator[bytes]:
        r"""Yield the lines that are left, without their ends (``\n``).

        Raises
        ------
        BayesBiasError
            If a line has more than `longest` bytes: it would have to be held in memory whole.
        """
        rest, number = b"", 0
        while chunk := self.read(CHUNK):
            found = (rest + chunk).split(b"\n")
            rest = found.pop()
            number += len(found)
            yield from found
            if len(rest) > longest:
                raise self._error(
                    f"{self.path}: line {number + 1:,} is longer than "
                    f"{longest:,} bytes; this is no file of vectors, or it is damaged"
                )
        if rest:
            yield rest

    def __enter__(self) -> "ByteStream":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()
