"""Tells what a file of word vectors is from how it begins, whatever its name.

Text (word2vec with a header, GloVe without, fastText ``.vec``) and word2vec's binary are read
record by record; all else is a table, a static model, gensim's pickle, or refused with what to do.
"""

import csv
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

from bayesbias.errors import EmbeddingError
from bayesbias.support.bounded_files import ByteStream, refuse_archive

BOM: Final = b"\xef\xbb\xbf"
SNIFFED: Final = 1 << 16  # bytes that are looked at
LONGEST_WORD: Final = 4096  # bytes of a word: phrases of word2vec have up to some hundred
_LONGEST_VECTOR: Final = 1_000_000
_FEW: Final = 5  # rows from which a rule is read
_STARTS: Final = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",  # a stream of record batches
    b"\x93NUMPY": "npy",
    (793712314).to_bytes(4, "little"): "fasttext",
}
_WEB_PAGE: Final = re.compile(rb"<!doctype|<html", re.IGNORECASE)
_PICKLE: Final = re.compile(rb"\x80[\x02-\x05]|[(]?[dl]p\d+\n|[}\]]q.")
_JSON: Final = re.compile(rb"\s*[{\[]\s*([\"{\[\d-]|$)")
_CONTROL: Final = re.compile(rb"[\0-\x08\x0e-\x1f]")  # in floats as bytes, and in no text
DELIMITERS: Final = {"tsv": "\t", "csv": ",", "semicolons": ";", "blanks": " "}


class VectorFormat(NamedTuple):
    """A file's kind; of text and binary the dimension, and how many vectors the header promises."""

    kind: str
    dim: int = 0
    n_vectors: int | None = None


def detect_format(path: Path) -> VectorFormat:
    """Detect a file's format from its first bytes."""
    with ByteStream(path, EmbeddingError) as stream:
        start, unpacking = stream.read(SNIFFED), stream.unpacking
    if not start.strip(b"\r\n \t\0"):
        what = "is empty" if not start else f"its first {len(start):,} bytes are blank or zero"
        raise EmbeddingError(f"{path}: {what}; fetch it again")
    if _WEB_PAGE.match(start):
        raise EmbeddingError(f"{path}: is a web page; fetch the file of vectors itself")
    if start.startswith(b"version https://git-lfs"):
        raise EmbeddingError(f"{path}: is a pointer of Git LFS; fetch the file: git lfs pull")
    kind = next((kind for magic, kind in _STARTS.items() if start.startswith(magic)), "")
    if start.startswith(b"PK\x03\x04") and b".npy" in start[:256]:
        kind = "npz"
    elif start[8:9] == b"{" and int.from_bytes(start[:8], "little") < 1 << 27:
        kind = "safetensors"
    elif _PICKLE.match(start):
        kind = "gensim"
    if kind and unpacking:
        raise EmbeddingError(f"{path}: can be read only unpacked: {unpacking}")
    if kind:
        return VectorFormat(kind)
    refuse_archive(path, start, EmbeddingError)
    return _with_lines(path, start.removeprefix(BOM).lstrip())


def _with_lines(path: Path, start: bytes) -> VectorFormat:
    """Detect the format of what begins with a line."""
    lines = [line for line in start.split(b"\n") if line.strip()]
    if len(lines) > 2 and not start.endswith(b"\n"):  # the last may be cut
        lines = lines[:-1]
    header, count = lines[0].split(), None
    if len(header) == 2 and all(field.isdigit() and len(field) <= 18 for field in header):
        count, dim = int(header[0]), int(header[1])
        if not 0 < dim <= _LONGEST_VECTOR:
            raise EmbeddingError(f"{path}: line 1: the header promises vectors of {dim:,} numbers")
        body = start.partition(b"\n")[2]
        if _n_numbers(body.partition(b"\n")[0]) < dim and _CONTROL.search(body[:LONGEST_WORD]):
            return VectorFormat("binary", dim, count)
        lines = lines[1:]
    elif _JSON.match(lines[0]):
        return VectorFormat("json")
    elif kind := _kind_of_table(lines[:_FEW]):
        return VectorFormat(kind)
    else:
        dim = _dimension(path, lines[:_FEW])
    _refuse_counts(path, lines)
    return VectorFormat("text", dim, count)


def is_number(field: Any) -> bool:
    """Tell whether bytes or a text are a number."""
    try:
        float(field)
    except (TypeError, ValueError):
        return False
    return True


def _n_numbers(line: bytes) -> int:
    """Return how many numbers follow a word; 0 where anything else does."""
    fields = line.split()[1:]
    return len(fields) if all(map(is_number, fields)) else 0


def names_columns(first: list[str], below: list[str]) -> bool:
    """Tell whether the first of two rows names the columns, or counts them from 0 or 1."""
    if any(cell[:1] in ("[", "(") for cell in first):
        return False
    numbers = [cell for cell in first[1:] if is_number(cell)]
    if not numbers or len(numbers) < sum(map(is_number, below[1:])):  # a word may be a number
        return True
    counts = any(numbers == [str(k + start) for k in range(len(numbers))] for start in (0, 1))
    return counts and (first[0] == "" or (len(numbers) > 2 and any("." in cell for cell in below)))


def _kind_of_table(lines: list[bytes]) -> str:
    """Return how the columns of a table are separated; "" of text.

    Words and numbers with blanks or tabs between them, and no names above, are text.
    """
    texts = [line.decode("latin-1").replace("\r", "") for line in lines]
    is_text = all(map(_n_numbers, lines[1:] or lines))
    for kind, between in DELIMITERS.items():
        first, *below = (next(csv.reader([text], delimiter=between), []) for text in texts)
        widths = {len(row) for row in below} or {len(first)}
        if min(widths) < 2 or len(first) < 2 or (between == " " and not is_text):
            continue
        named = bool(below) and (first[0] == "" or not any(map(is_number, first)))
        if not is_text or (named and between in " \t" and max(widths) - len(first) in (0, 1)):
            return kind
    return ""


def _dimension(path: Path, lines: list[bytes]) -> int:
    """Return how many numbers follow the words of lines without a header."""
    firsts = [line.split()[0] for line in lines]
    if all(is_number(first) and not first.lstrip(b"+-").isdigit() for first in firsts):
        raise EmbeddingError(
            f"{path}: line 1: begins with a number ({firsts[0].decode()}): the rows have no words, "
            f"which may stand in a file of their own, such as metadata.tsv; read both, and call "
            f"bb.load_embedding((words, matrix))"
        )
    dims = [_n_numbers(line) for line in lines]
    if dim := dims[0] or max(dims):  # the first word may have spaces; so may others
        return dim
    shown = lines[0].strip()[:40].decode("utf-8", "replace")
    raise EmbeddingError(
        f"{path}: line 1: neither 'count dimension' nor a word and its numbers ({shown!r}); "
        f"expected word2vec, GloVe or fastText vectors, a table, or JSON"
    )


def _refuse_counts(path: Path, lines: list[bytes]) -> None:
    """Refuse lines whose first number alone is whole: counts of words drown all other numbers."""
    rows = [line.split()[1:] for line in lines]
    if len(rows) >= _FEW and all(
        len(row) > 2 and row[0].isdigit() and all(b"." in x or b"e" in x for x in row[1:])
        for row in rows
    ):
        shown = ", ".join(row[0][:18].decode() for row in rows[:3])
        raise EmbeddingError(
            f"{path}: the first number of every line is whole ({shown}) where others are not, as "
            f"counts are: delete this column; if it is a component, write it with a point"
        )
