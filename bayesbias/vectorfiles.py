"""Parses files of word vectors, telling their format from the content.

Text (word2vec with header, GloVe without, fastText ``.vec``) and word2vec binary, each plain,
``.gz`` or ``.bz2``. When only some words are wanted, only their vectors are parsed and kept:
the cost is one pass over the bytes, the memory that of the wanted words. Reading stops as soon
as every wanted word is found.

gensim reads the same files, but an error in one surfaces there as an ``EOFError`` or a broadcast
error from deep inside; here it names the file, the line and the word.
"""

import bz2
import gzip
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import EmbeddingError

_GZIP, _BZIP2, _ZIP = b"\x1f\x8b", b"BZh", b"PK\x03\x04"
_BOM = b"\xef\xbb\xbf"
_FASTTEXT = (793712314).to_bytes(4, "little")
_SNIFFED = 1 << 16
_CHUNK = 1 << 22
_LONGEST_WORD = 4096
_LONGEST_VECTOR = 1_000_000


@dataclass(frozen=True)
class VectorFormat:
    """What a file of vectors looks like from its first bytes.

    Parameters
    ----------
    kind : {"text", "binary", "gensim"}
        ``gensim`` is a pickle written by ``KeyedVectors.save``.
    dim : int
        Numbers per vector; 0 where unknown (``gensim``).
    count : int or None
        Number of vectors that the header promises; None without a header.
    """

    kind: str
    dim: int = 0
    count: int | None = None


def open_stream(path: Path) -> IO[bytes]:
    """Open a file for reading bytes, decompressing what is compressed, whatever its name."""
    compression = _compression(path)
    if compression == "gzip":
        return cast(IO[bytes], gzip.open(path, "rb"))
    if compression == "bzip2":
        return bz2.open(path, "rb")
    return path.open("rb", buffering=_CHUNK)


def _compression(path: Path) -> str:
    """Tell how a file is compressed from its first bytes: ``gzip``, ``bzip2`` or ``""``."""
    try:
        with path.open("rb") as raw:
            start = raw.read(4)
    except IsADirectoryError as error:
        raise EmbeddingError(f"{path}: is a folder; name the file of vectors in it") from error
    except OSError as error:
        raise EmbeddingError(f"{path}: cannot be opened ({error.strerror or error})") from error
    if start.startswith(_GZIP):
        return "gzip"
    return "bzip2" if start.startswith(_BZIP2) else ""


def detect_format(path: Path) -> VectorFormat:
    """Tell a file's format from its first bytes.

    Raises
    ------
    EmbeddingError
        If the file cannot be opened or holds no word vectors in a known format.
    """
    with open_stream(path) as stream:
        start = _guarded(path, stream, _SNIFFED)
    if not start:
        raise EmbeddingError(f"{path}: is empty")
    if start.startswith(_ZIP):
        raise EmbeddingError(f"{path}: is a zip archive; unpack it and name the file inside")
    if start.startswith(_FASTTEXT):
        raise EmbeddingError(
            f"{path}: is a fastText model; use its .vec file, or pass the KeyedVectors that "
            f"gensim.models.fasttext.load_facebook_vectors returns"
        )
    if start[0] == 0x80 and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return VectorFormat("gensim")
    first, _, rest = start.removeprefix(_BOM).partition(b"\n")
    header = first.split()
    if len(header) == 2 and all(_is_digits(token) for token in header):
        count, dim = int(header[0]), int(header[1])
        if not 0 < dim <= _LONGEST_VECTOR:
            raise EmbeddingError(f"{path}: line 1: the header promises vectors of {dim:,} numbers")
        return VectorFormat("text" if _is_text(rest, dim) else "binary", dim, count)
    return VectorFormat("text", _dim_without_header(path, first, rest))


def _is_digits(token: bytes) -> bool:
    return token.isdigit() and len(token) <= 18


def _is_text(rest: bytes, dim: int) -> bool:
    """Tell whether the first vector after a header is written in characters."""
    line = rest.partition(b"\n")[0].rstrip()
    fields = line.rsplit(None, dim)
    if len(fields) == dim + 1 and all(_is_number(f) for f in fields[1:]):
        return True
    # A damaged text line still reads as text; floats as bytes hold control characters.
    try:
        decoded = line[:_LONGEST_WORD].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return False
        decoded = line[: error.start].decode("utf-8")
    return len(line) > 2 and all(ch.isprintable() or ch.isspace() for ch in decoded)


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _dim_without_header(path: Path, first: bytes, rest: bytes) -> int:
    for line in (first, rest.partition(b"\n")[0]):
        fields = line.split()[1:]
        if fields and all(map(_is_number, fields)):
            return len(fields)
    shown = first[:40].decode("utf-8", "replace")
    raise EmbeddingError(
        f"{path}: line 1: neither 'count dimension' nor a word and its numbers ({shown!r}); "
        f"expected word2vec, GloVe or fastText vectors, text or binary"
    )


def read_vectors(
    path: Path,
    form: VectorFormat,
    *,
    words: Collection[str] | None = None,
    limit: int | None = None,
) -> tuple[list[str], NDArray[np.float32], int]:
    """Read words and vectors from a text or binary file.

    Parameters
    ----------
    path : Path
        The file.
    form : VectorFormat
        What `detect_format` found.
    words : collection of str, optional
        Read only these; reading stops when all are found.
    limit : int, optional
        Look only at the first so many vectors of the file.

    Returns
    -------
    words : list of str
        In the file's order, each once.
    vectors : ndarray of float32, shape (n_words, dim)
    n_repeated : int
        How many vectors were left out because their word had come before.

    Raises
    ------
    EmbeddingError
        If the file is damaged; the message names the line or the word.
    """
    _refuse_impossible_count(path, form)
    wanted = None if words is None else {word.encode("utf-8") for word in words}
    records = _text_records if form.kind == "text" else _binary_records
    rows = _Rows(path, form.dim, _expected_rows(path, form, wanted, limit))
    with open_stream(path) as stream:
        found = records(path, stream, form, wanted)
        for number, raw, vector in found if limit is None else islice(found, limit):
            if vector is not None:
                rows.add(number, raw, vector)
                if wanted is not None and len(rows.words) == len(wanted):
                    break
    return rows.words, rows.vectors(), rows.n_repeated


def _refuse_impossible_count(path: Path, form: VectorFormat) -> None:
    """Refuse a header that the size of an uncompressed file already contradicts."""
    if form.count is None or _compression(path):
        return
    smallest = 4 * form.dim + 2 if form.kind == "binary" else 2 * form.dim + 1
    size = path.stat().st_size
    if form.count * smallest > size:
        raise EmbeddingError(
            f"{path}: line 1: the header promises {form.count:,} vectors of {form.dim} numbers, "
            f"more than {size:,} bytes can hold; the file is cut short or its header is wrong"
        )


def _expected_rows(
    path: Path, form: VectorFormat, wanted: set[bytes] | None, limit: int | None
) -> int:
    """Return how many rows to make room for; never trusts a header beyond reason."""
    if wanted is not None:
        return max(len(wanted), 1)
    room = form.count if form.count is not None else path.stat().st_size // (form.dim * 6 + 2)
    if limit is not None:
        room = min(room, limit)
    return max(min(room, (1 << 28) // form.dim), 1)


class _Rows:
    """Grows a matrix of vectors and remembers the words; the first of a repeated word stays."""

    def __init__(self, path: Path, dim: int, room: int) -> None:
        self.path = path
        self.words: list[str] = []
        self.n_repeated = 0
        self._seen: set[bytes] = set()
        self._matrix = np.empty((room, dim), dtype=np.float32)

    def add(self, number: int, raw: bytes, vector: NDArray[np.float32]) -> None:
        if raw in self._seen:
            self.n_repeated += 1
            return
        try:
            word = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise EmbeddingError(
                f"{self.path}: vector {number:,}: the word {raw[:40]!r} is not UTF-8; re-save the "
                f"file as UTF-8, or read only the words that you need with words=[...]"
            ) from error
        if not np.isfinite(vector).all():
            raise EmbeddingError(
                f"{self.path}: vector {number:,} ({word!r}) has NaN or infinite components; "
                f"remove or repair it"
            )
        if len(self.words) == len(self._matrix):
            grown = np.empty((2 * len(self._matrix), self._matrix.shape[1]), dtype=np.float32)
            grown[: len(self._matrix)] = self._matrix
            self._matrix = grown
        self._matrix[len(self.words)] = vector
        self._seen.add(raw)
        self.words.append(word)

    def vectors(self) -> NDArray[np.float32]:
        filled = self._matrix[: len(self.words)]
        return filled if len(self.words) == len(self._matrix) else filled.copy()


_Record = tuple[int, bytes, NDArray[np.float32] | None]


def _text_records(
    path: Path, stream: IO[bytes], form: VectorFormat, wanted: set[bytes] | None
) -> Iterator[_Record]:
    """Yield (number, word, vector) per line; the vector is None where it is not wanted."""
    first_line = 1 if form.count is None else 2
    if form.count is not None:
        stream.readline()
    number = 0
    # GloVe has words with spaces, such as ". . .": a wanted one is recognised by its first part.
    heads = None if wanted is None else {word.partition(b" ")[0] for word in wanted}
    for line in _guarded_lines(path, stream):
        if line.isspace():
            continue
        if number == 0:
            line = line.removeprefix(_BOM)
        number += 1
        if heads is not None and line.split(None, 1)[0] not in heads:
            yield number, b"", None
            continue
        word, vector = _parse_line(path, number + first_line - 1, line, form.dim)
        yield number, word, vector if wanted is None or word in wanted else None
    _check_count(path, form, number)


def _parse_line(
    path: Path, line_number: int, line: bytes, dim: int
) -> tuple[bytes, NDArray[np.float32]]:
    fields = line.rstrip().rsplit(None, dim)
    try:
        if len(fields) != dim + 1 or all(map(_is_number, fields[0].split()[1:] or [b"no"])):
            raise ValueError  # a word may hold spaces, but "b 3" is a word and a number too many
        return fields[0], np.array(list(map(float, fields[1:])), dtype=np.float32)
    except ValueError:
        raise EmbeddingError(_line_complaint(path, line_number, line, dim)) from None


def _line_complaint(path: Path, line_number: int, line: bytes, dim: int) -> str:
    where = f"{path}: line {line_number:,}"
    fields = line.split()
    word = fields[0].decode("utf-8", "replace")
    numbers = 0
    while numbers < len(fields) - 1 and _is_number(fields[-1 - numbers]):
        numbers += 1
    bad = fields[-1 - numbers].decode("utf-8", "replace")
    if numbers == len(fields) - 1:
        return f"{where} ({word!r}) has {numbers} numbers where the file's first has {dim}"
    return (
        f"{where} ({word!r}): {bad[:40]!r} is not a number; every line needs a word and {dim} "
        f"numbers"
    )


def _binary_records(
    path: Path, stream: IO[bytes], form: VectorFormat, wanted: set[bytes] | None
) -> Iterator[_Record]:
    """Yield (number, word, vector) per record: word, space, ``dim`` little-endian floats."""
    stream.readline()
    size = 4 * form.dim
    buffer, start = b"", 0
    count = cast(int, form.count)
    for number in range(1, count + 1):
        space = buffer.find(b" ", start)
        while space < 0 or space + 1 + size > len(buffer):
            more = _guarded(path, stream, max(_CHUNK, size))
            if not more or (space < 0 and len(buffer) - start > _LONGEST_WORD):
                raise EmbeddingError(
                    f"{path}: the header promises {count:,} vectors but the file is cut short or "
                    f"damaged in number {number:,}; fetch it again"
                )
            buffer, start = buffer[start:] + more, 0
            space = buffer.find(b" ", start)
        word = buffer[start:space].lstrip(b"\n")
        start = space + 1 + size
        keep = wanted is None or word in wanted
        vector = np.frombuffer(buffer, "<f4", form.dim, space + 1) if keep else None
        yield number, word, vector
    if (buffer[start:] + _guarded(path, stream, 1)).strip():
        raise EmbeddingError(
            f"{path}: the header promises {count:,} vectors of {form.dim} numbers but more data "
            f"follow; the header is wrong"
        )


def _check_count(path: Path, form: VectorFormat, number: int) -> None:
    if form.count is not None and form.count != number:
        raise EmbeddingError(
            f"{path}: line 1: the header promises {form.count:,} vectors but the file has "
            f"{number:,}; correct the header or fetch the file again"
        )


def _guarded(path: Path, stream: IO[bytes], size: int) -> bytes:
    """Read from a stream that may be a damaged archive."""
    try:
        return stream.read(size)
    except (EOFError, zlib.error, OSError) as error:
        raise _damaged(path, error) from error


def _guarded_lines(path: Path, stream: IO[bytes]) -> Iterator[bytes]:
    try:
        yield from stream
    except (EOFError, zlib.error, OSError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> EmbeddingError:
    return EmbeddingError(f"{path}: damaged or cut short ({error}); fetch it again")
