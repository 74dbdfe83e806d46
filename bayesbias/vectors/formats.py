"""Tells the format of a file of word vectors from its content.

Text (word2vec with header, GloVe without, fastText ``.vec``), word2vec binary, tables, and files of
other kinds, known by their first bytes, each of which is refused with what reads it.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from bayesbias.errors import EmbeddingError
from bayesbias.support.bounded_files import (
    COMPRESSED,
    ZIP,
    ByteStream,
    files_in_zip,
    open_regular,
    refuse_archive,
)

BOM: Final = b"\xef\xbb\xbf"
SNIFFED: Final = 1 << 16  # bytes that are looked at
CUT: Final = "; the last line is cut, so that the file may be cut short: fetch it again"
LONGEST_WORD: Final = 4096  # bytes of a word: phrases of word2vec have up to some hundred
_FASTTEXT: Final = (793712314).to_bytes(4, "little")
_PICKLE: Final = re.compile(rb"\x80[\x02-\x05]|[(]?[dl]p\d+\n|[}\]]q.")
_LONGEST_VECTOR: Final = 1_000_000
"""Numbers of a vector: the largest models of language have some ten thousand."""

_ROWS_LOOKED_AT: Final = 5

_LONGEST_COUNT: Final = 18
_SMALLEST_COUNT: Final = 10  # of a file's first word: components of vectors are smaller


@dataclass(frozen=True)
class VectorFormat:
    """What a file of vectors looks like from its first bytes."""

    kind: str
    """``text`` or ``binary``, which are read record by record; or, with a `dim` of 0, ``gensim``,
    a pickle, ``fasttext``, or a table that is read whole: those of `TABLES`, ``json``, ``npz``."""

    dim: int = 0
    count: int | None = None  # what the header promises
    heading: str = ""  # of text: a first line that is neither a header nor a vector
    note: str = ""  # what is odd about the vectors, though they can be read


def detect_format(path: Path) -> VectorFormat:
    """Detect a file's format from its first bytes."""
    with ByteStream(path, EmbeddingError) as stream:
        start, unpacking = stream.read(SNIFFED), stream.unpacking
    if not start:
        raise EmbeddingError(f"{path}: is empty")
    form = _detected(path, start) if not (unpacking and start.startswith(COMPRESSED)) else None
    # gensim opens a pickle itself, also a .gz; the others are read in places, not from the start.
    whole = ("npz", "fasttext", *["gensim"] * unpacking.startswith("python"))
    if form is None or (unpacking and form.kind in whole):
        raise EmbeddingError(
            f"{path}: is packed, and what is in it can be read only unpacked: {unpacking}"
        )
    return form


def _detected(path: Path, start: bytes) -> VectorFormat:
    """Return the format of a file, or of the only one in it, that begins so."""
    if refuse_foreign(path, start) == "npz":
        return VectorFormat("npz")
    if start.startswith(_FASTTEXT):
        return VectorFormat("fasttext")
    if _PICKLE.match(start):
        return VectorFormat("gensim")
    rest = start.removeprefix(BOM)
    lines = [line for line in rest.split(b"\n") if line.strip()]
    if not lines:
        raise EmbeddingError(
            f"{path}: its first {len(start):,} bytes are blank; delete blank lines, or fetch it "
            f"again"
        )
    if len(lines) > 2 and not start.endswith(b"\n"):  # the last may be cut
        lines = lines[:-1]
    header = lines[0].split()
    if len(header) == 2 and all(t.isdigit() and len(t) <= 18 for t in header):
        count, dim = int(header[0]), int(header[1])
        if not 0 < dim <= _LONGEST_VECTOR:
            raise EmbeddingError(f"{path}: line 1: the header promises vectors of {dim:,} numbers")
        rest = rest.lstrip().partition(b"\n")[2]
        kind = "text" if _is_text(rest, dim) else "binary"
        return VectorFormat(
            kind, dim, count, note=_of_counts(path, lines[1:]) if kind == "text" else ""
        )
    if _is_of_doubles(start):
        raise EmbeddingError(
            f"{path}: is in GloVe's own binary format, which has numbers without words; save the "
            f"vectors as text (glove -binary 0)"
        )
    return _without_header(path, lines)


_JSON: Final = re.compile(rb"\s*[{\[]\s*([\"{\[\d-]|$)")


def _without_header(path: Path, lines: list[bytes]) -> VectorFormat:
    """Detect text without a header, tables and JSON."""
    if len(lines) == 1 and lines[0].strip().count(b"\r") > 1:
        raise EmbeddingError(
            f"{path}: its lines end as on old Macs, in a carriage return alone; save it with the "
            f"line ends of Unix or Windows"
        )
    first, *others = (_numbers(line) for line in lines[:_ROWS_LOOKED_AT])
    if not first and _JSON.match(lines[0]):
        return VectorFormat("json")
    _refuse_odd_numbers(path, lines)
    if kind := _kind_of_table(lines):
        return VectorFormat(kind)
    _refuse_without_words(path, lines)
    is_heading = _is_heading(lines[0], first, others)
    dim = others[0] if is_heading or (others and not first) else first
    if not dim:
        shown = lines[0].strip()[:40].decode("utf-8", "replace")
        raise EmbeddingError(
            f"{path}: line 1: neither 'count dimension' nor a word and its numbers ({shown!r}); "
            f"expected word2vec, GloVe or fastText vectors, text or binary"
        )
    is_heading = is_heading or _counts_columns(lines)
    heading = lines[0].strip()[:40].decode("utf-8", "replace") if is_heading else ""
    note = _of_counts(path, lines[1:] if is_heading else lines)
    return VectorFormat("text", dim, heading=heading, note=note)


def _is_heading(line: bytes, n: int, below: list[int]) -> bool:
    """Tell whether a line of n numbers is of another kind than those below it, which agree.

    So are names of columns, and headers with a slip; a word with spaces has its numbers behind it.
    """
    if len(set(below)) != 1 or not below[0] or n == below[0] or (n and len(below) == 1):
        return False
    fields = line.rsplit(None, below[0])
    return len(fields) <= below[0] or not all(map(is_number, fields[1:]))


def _numbers(line: bytes) -> int:
    """Return how many numbers follow a word; 0 where anything else does."""
    fields = line.split()[1:]
    return len(fields) if all(map(is_number, fields)) else 0


def _counts_columns(lines: list[bytes]) -> bool:
    """Tell whether the first line numbers the columns below it, from 0 or 1."""
    fields = [field.decode("latin-1") for field in lines[0].split()[1:]]
    have_fractions = len(lines) > 1 and b"." in lines[1].split()[-1]
    return have_fractions and len(fields) > 2 and counts_up(fields)


def counts_up(texts: list[str]) -> bool:
    """Tell whether texts count from 0 or 1."""
    return any(texts == [str(k + start) for k in range(len(texts))] for start in (0, 1))


def _of_counts(path: Path, lines: list[bytes]) -> str:
    """Say that the first number of every line is whole, and others are not; refuse counts."""
    rows = [line.split()[1:] for line in lines]
    few = rows[:_ROWS_LOOKED_AT]
    if len(few) < _ROWS_LOOKED_AT or not all(len(row) > 2 and row[0].isdigit() for row in few):
        return ""
    if not all(b"." in field or b"e" in field for row in few for field in row[1:]):
        return ""
    if all(len(row) > 2 and row[0].isdigit() for row in rows):
        refuse_counts(path, [int(row[0]) for row in rows if len(row[0]) <= _LONGEST_COUNT])
    return like_counts(", ".join(row[0].decode() for row in few[:3]))


def refuse_counts(path: Path, first: Sequence[float]) -> None:
    """Refuse first numbers that are counts of words, in falling order: they drown all others."""
    falls = all(count >= following for count, following in pairwise(first))
    if len(first) >= _ROWS_LOOKED_AT and falls and first[0] > max(first[-1], _SMALLEST_COUNT):
        raise EmbeddingError(
            f"{path}: the first number of every line is a count or rank "
            f"({', '.join(f'{count:.0f}' for count in first[:3])}, in falling order), beside which "
            f"the others vanish; delete this column"
        )


def like_counts(shown: str) -> str:
    """Say that the first numbers of lines look like counts."""
    return (
        f"the first number of every line is whole ({shown}) where the others are not; if it is a "
        f"count or a row's number, delete it, for it is read as part of the vector"
    )


TABLES: Final = {"tsv": "\t", "ssv": ";", "psv": "|", "csv": ","}
"""What stands between the columns of a table."""


def _kind_of_table(lines: list[bytes]) -> str:
    """Return the kind of a table of separated columns; "" of anything else.

    Words and numbers with tabs between them and no names of columns are read as text.
    """
    texts = [line.decode("latin-1").rstrip("\r") for line in lines[:_ROWS_LOOKED_AT]]
    body = lines[1:_ROWS_LOOKED_AT] or lines[:1]
    spaced = all(map(_numbers, body))
    for kind, between in TABLES.items():
        try:
            rows = [next(csv.reader([text], delimiter=between), []) for text in texts]
        except csv.Error:
            continue
        widths = {len(row) for row in rows[1:]} or {len(rows[0])}
        if len(widths) != 1 or (width := widths.pop()) < 2 or width - len(rows[0]) not in (0, 1):
            continue
        is_wide = width > 2 or any("[" in cell for row in rows[1:] for cell in row)
        of_names = texts[0].startswith("\t") or not any(is_number(c.encode()) for c in rows[0])
        if is_wide and (not spaced or (kind == "tsv" and of_names)):
            return kind
    return ""


_PRINTED: Final = re.compile(rb"[,;\t|]\"?\[[^\],\"]*(?:\.\.\.|$)")
"""A cell of an array as numpy prints it: over several lines, or with dots in it."""

_DECIMAL_COMMA: Final = re.compile(rb"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")


def _refuse_odd_numbers(path: Path, lines: list[bytes]) -> None:
    """Refuse text of which the numbers have decimal commas, or stand in brackets."""
    if any(_PRINTED.search(line.rstrip()) for line in lines[1:_ROWS_LOOKED_AT]):
        raise EmbeddingError(
            f"{path}: its cells hold arrays as numpy prints them, in brackets, with line ends or "
            f"dots among the numbers; save the vectors anew, with a column for every number"
        )
    line = lines[1] if len(lines) > 1 else lines[0]
    fields = line.split()[1:] if line.count(b"\t") < 2 else []
    if fields and sum(bool(_DECIMAL_COMMA.fullmatch(field)) for field in fields) > len(fields) / 2:
        raise EmbeddingError(
            f"{path}: its numbers have decimal commas ({fields[0].decode()}); write points for them"
        )
    if len(fields) > 1 and fields[0].startswith(b"[") and fields[-1].endswith(b"]"):
        raise EmbeddingError(
            f"{path}: its numbers stand in brackets; delete these, and commas between the numbers"
        )


def _is_of_doubles(start: bytes) -> bool:
    """Tell whether a file is of float64 alone, of the size that trained vectors have."""
    if start[:LONGEST_WORD].isascii():
        return False
    numbers = np.frombuffer(start[: len(start) // 8 * 8], dtype="<f8")
    size = np.abs(numbers)
    return len(numbers) > 0 and bool((np.isfinite(numbers) & (size < 1e3) & (size > 1e-9)).all())


def _refuse_without_words(path: Path, lines: list[bytes]) -> None:
    """Refuse rows that begin with a number, unless words may be whole numbers."""
    rows = [line.split() for line in lines[:_ROWS_LOOKED_AT]]
    firsts = [row[0] for row in rows]
    if all(len(row) > 2 and row[0].isdigit() and not is_number(row[1]) for row in rows[1:]) and (
        len(rows) > 2 and all(map(_numbers, (line.split(None, 1)[1] for line in lines[1:5])))
    ):
        raise EmbeddingError(
            f"{path}: line 2: begins with the number of its row ({rows[1][0].decode()}), which "
            f"stands before the word; delete the first column"
        )
    if all(is_number(first) and not first.lstrip(b"+-").isdigit() for first in firsts):
        raise EmbeddingError(
            f"{path}: line 1: begins with a number ({firsts[0].decode()}): the rows have no words, "
            f"which may stand in a file of their own, such as metadata.tsv. Put each word before "
            f"its numbers"
        )


def _is_text(rest: bytes, dim: int) -> bool:
    """Return whether the first vector after a header is written in characters."""
    line = rest.lstrip().partition(b"\n")[0].rstrip()
    fields = line.rsplit(None, dim)
    if len(fields) == dim + 1 and all(is_number(f) for f in fields[1:]):
        return True
    # A damaged text line still reads as text; floats as bytes hold control characters, though
    # not always before the first byte that would end a line.
    start = rest[:LONGEST_WORD]
    try:
        decoded = start.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return False
        decoded = start[: error.start].decode("utf-8")
    return len(line) > 2 and all(ch.isprintable() or ch.isspace() for ch in decoded)


def is_number(field: bytes) -> bool:
    """Tell whether bytes are a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


OPEN_IT: Final = (
    "open it in Python with what wrote it, and pass bb.load_embedding a mapping from word to vector"
)
SAVE_IT: Final = "save its words and numbers as text or CSV with the program that wrote it"
_FRAME: Final = "read it as bb.load_embedding(pd.{}(file))"
_UNPACK: Final = "unpack it and name the file inside"

_KINDS: Final[tuple[tuple[bytes, str, str, str], ...]] = (
    (b"PAR1", "a Parquet table", _FRAME.format("read_parquet"), "save it as CSV"),
    (b"ARROW1", "a Feather table", _FRAME.format("read_feather"), "save it as CSV"),
    (b"\x89HDF", "an HDF5 file", OPEN_IT, SAVE_IT),
    (
        b"SQLite format 3\0",
        "a database of SQLite, as pymagnitude's are",
        "pass bb.load_embedding the mapping {word: vector for word, vector in Magnitude(file)}",
        SAVE_IT,
    ),
    (b"(\xb5/\xfd", "packed by zstd", _UNPACK, _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _UNPACK, _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK, _UNPACK),
    (b"%PDF", "a PDF", *2 * ("fetch the file of vectors itself",)),
    (b"<!DOCTYPE", "a web page", *2 * ("fetch the file of vectors itself",)),
    (b"<html", "a web page", *2 * ("fetch the file of vectors itself",)),
    (b"version https://git-lfs", "a pointer of Git LFS", *2 * ("fetch the file: git lfs pull",)),
    (b"X\n\0\0\0", "an R object (.rds)", *2 * ("save it in R with write.csv",)),
    (b"RDX", "an R workspace", *2 * ("save the vectors in R with write.csv",)),
)
"""First bytes, what they are of, and what to do in Python and in a terminal."""

_NUMPY: Final = b"\x93NUMPY"


def refuse_foreign(path: Path, start: bytes) -> str:
    """Refuse a file of another kind; return ``npz`` for numpy's archives and else ""."""
    for magic, what, advice, typed in _KINDS:
        if start[: len(magic)].lower() == magic.lower():
            raise EmbeddingError(f"{path}: is {what}", advice=advice, typed=typed)
    if start.startswith(ZIP):
        return _refuse_zip(path, start)
    refuse_archive(path, start, EmbeddingError)
    if start.startswith(_NUMPY) and b"|O" in start[:128]:
        raise EmbeddingError(
            f"{path}: is an array of numpy's of Python objects, a pickle",
            advice="if you trust its maker, pass bb.load_embedding what np.load(file, "
            "allow_pickle=True).item() gives, if that is a mapping from word to vector",
            typed=SAVE_IT,
        )
    if start.startswith(_NUMPY):
        raise EmbeddingError(
            f"{path}: is an array of numpy's, without words; put the words into words.txt beside "
            f"it, one a line, call it vectors.npy, and name the folder"
        )
    if start[8:10] == b'{"' and start[4:8] == bytes(4):
        raise EmbeddingError(f"{path}: is in safetensors format", advice=OPEN_IT, typed=SAVE_IT)
    _refuse_hashed(path, start)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or _is_wide(start):
        raise EmbeddingError(
            f"{path}: is written in UTF-16 or UTF-32, as by 'Unicode' in Windows; save it in UTF-8 "
            f"(iconv -f UTF-16 -t UTF-8)"
        )
    return ""


def _refuse_zip(path: Path, start: bytes) -> str:
    """Refuse a zip archive of several files, unless they are arrays."""
    with open_regular(path, EmbeddingError) as file:
        names = files_in_zip(file)
    if names and all(name.endswith(".npy") for name in names):
        return "npz"
    if any(name.endswith("data.pkl") for name in names):
        raise EmbeddingError(
            f"{path}: is a file of PyTorch, a pickle", advice=OPEN_IT, typed=SAVE_IT
        )
    if "[Content_Types].xml" in names and any(name.startswith("xl/") for name in names):
        advice = _FRAME.format("read_excel")
        raise EmbeddingError(f"{path}: is an Excel file", advice=advice, typed="save it as CSV")
    refuse_archive(path, start, EmbeddingError)
    return ""


def _refuse_hashed(path: Path, start: bytes) -> None:
    """Refuse floret's table: buckets of hashed parts of words, under eight facts."""
    header = start.partition(b"\n")[0].split()
    marks = header[6:]  # where words begin and end; numbers are names of columns
    if len(marks) == 2 and all(part.isdigit() for part in header[:6]) and not marks[0].isdigit():
        raise EmbeddingError(
            f"{path}: is a floret table, whose rows are hashed parts of words and not words; make "
            f"a spaCy pipeline of it (spacy init vectors --mode floret) and pass that in Python"
        )


def _is_wide(start: bytes) -> bool:
    """Tell whether every second byte of a text is zero."""
    even, odd = start[0:64:2], start[1:64:2]
    return any(
        len(zeros) > 4 and not zeros.strip(b"\0") and letters.isascii() and b"\0" not in letters
        for letters, zeros in ((even, odd), (odd, even))
    )
