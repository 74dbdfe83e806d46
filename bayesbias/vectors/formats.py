"""Tells what a file of word vectors is from how it begins, and reads word2vec's and GloVe's.

Text (word2vec with a header, GloVe without, fastText ``.vec``) and word2vec's binary are read
record by record; all else is a table, a static model, gensim's pickle, or refused with what to do.
"""

import csv
import re
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from bayesbias.errors import EmbeddingError, short
from bayesbias.support.bounded_files import CHUNK, ByteStream, refuse_archive
from bayesbias.vectors.records import (
    NOT_FINITE,
    Block,
    Reading,
    Vectors,
    is_number,
    matrix_of_lists,
)

BOM: Final = b"\xef\xbb\xbf"
SNIFFED: Final = 1 << 16  # bytes that are looked at
LONGEST_WORD: Final = 4096  # bytes of a word: phrases of word2vec have up to some hundred
_LONGEST_VECTOR: Final = 1_000_000
_FEW: Final = 5  # rows from which a rule is read
_KINDS: Final = {
    "parquet": rb"PAR1",
    "arrow": rb"ARROW1|\xff\xff\xff\xff",  # the second a stream of record batches
    "npy": rb"\x93NUMPY",
    "npz": rb"PK\x03\x04.{,248}\.npy",
    "fasttext": rb"\xba\x16\x4f\x2f",
    "safetensors": rb"...[\0-\7]\0\0\0\0{",  # the length of the record that follows
    "gensim": rb"\x80[\x02-\x05]|[(]?[dl]p\d+\n|[}\]]q.",  # or another pickle
    "json": rb"(?m:\s*[{\[]\s*(?:[\"{\[\d-]|$))",
}
_NO_VECTORS: Final = {
    rb"(?i:<!doctype|<html)": "is a web page; fetch the file of vectors itself",
    rb"version https://git-lfs": "is a pointer of Git LFS; fetch the file: git lfs pull",
    rb"\Z": "is empty; fetch it again",
    rb"[\s\0]+\Z": "its first {:,} bytes are blank or zero; fetch it again",
}
"""How files begin that are of a kind, or no vectors at all."""

_HEADER: Final = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s*")
_NO_WORD: Final = re.compile(rb"\n*+(?:( )|[^ \n\0]*+[\n\0])")  # of a record
_CONTROL: Final = re.compile(rb"[\0-\x08\x0e-\x1f]")  # in floats as bytes, and in no text
DELIMITERS: Final = "\t,; "  # of tables, whose kind they are
_LONGEST_NUMBER: Final = 64  # bytes of a number as text: float64 in full takes 25
_FEWEST_LENGTHS: Final = 10  # of which a median is taken
_EXPLODED: Final = 1e4
"""Times the median length beyond which a vector is bytes that were read as the wrong numbers."""

_SHIFTED: Final = (
    "has NaN, infinity, or a length that no training gives: the file is damaged there or before; "
    "fetch it again, or drop the vector"
)


class VectorFormat(NamedTuple):
    """A file's kind, or the delimiter of a table; of text and binary what the header promises."""

    kind: str
    dim: int = 0
    n_vectors: int | None = None


def detect_format(path: Path) -> VectorFormat:
    """Detect a file's format from its first bytes."""
    with ByteStream(path, EmbeddingError) as stream:
        start = stream.read(SNIFFED).removeprefix(BOM)
    for beginning, what in _NO_VECTORS.items():
        if re.match(beginning, start):
            raise EmbeddingError(what.format(len(start)))
    for kind, beginning in _KINDS.items():
        if re.match(beginning, start, re.DOTALL):
            if stream.is_packed and kind != "json":
                command = f"gunzip -k {shlex.quote(str(path))}"
                raise EmbeddingError(f"can be read only unpacked: {command}")
            return VectorFormat(kind)
    refuse_archive(path, start, EmbeddingError)
    return _with_lines(start.lstrip())


def _with_lines(start: bytes) -> VectorFormat:
    """Detect the format of what begins with a line."""
    lines = [line for line in start.split(b"\n") if line.strip()]
    lines = lines[:-1] if len(lines) > 2 and start[-1:] != b"\n" else lines  # it may be cut
    count = None
    if header := _HEADER.fullmatch(lines[0]):
        count, dim = map(int, header.groups())
        if not 0 < dim <= _LONGEST_VECTOR:
            raise EmbeddingError(f"line 1: the header promises vectors of {dim:,} numbers")
        body = start.partition(b"\n")[2]
        if _n_numbers(body.partition(b"\n")[0]) < dim and _CONTROL.search(body[:LONGEST_WORD]):
            return VectorFormat("binary", dim, count)
        lines = lines[1:]
    elif kind := _kind_of_table(lines[:_FEW]):
        return VectorFormat(kind)
    else:
        dim = _dimension(lines[:_FEW])
    _refuse_counts(lines)
    return VectorFormat("text", dim, count)


def _n_numbers(line: bytes) -> int:
    """Return how many numbers follow a word; 0 where anything else does."""
    fields = line.split()[1:]
    return len(fields) if all(map(is_number, fields)) else 0


def _kind_of_table(lines: list[bytes]) -> str:
    """Return what separates columns; "" of words and numbers with blanks and no names above."""
    texts = [line.decode("latin-1").replace("\r", "") for line in lines]
    is_text = all(map(_n_numbers, lines[1:] or lines))
    for between in DELIMITERS:
        first, *below = (next(csv.reader([text], delimiter=between), []) for text in texts)
        widths = {len(row) for row in below} or {len(first)}
        if min(widths) < 2 or len(first) < 2 or (between == " " and not is_text):
            continue
        named = bool(below) and (first[0] == "" or not any(map(is_number, first)))
        if not is_text or (named and between in " \t" and max(widths) - len(first) in (0, 1)):
            return between
    return ""


def _dimension(lines: list[bytes]) -> int:
    """Return how many numbers follow the words of lines without a header."""
    firsts = [line.split()[0] for line in lines]
    if all(is_number(first) and not first.lstrip(b"+-").isdigit() for first in firsts):
        raise EmbeddingError(
            f"line 1: begins with a number ({firsts[0].decode()}): the rows have no words, "
            f"which may stand in a file of their own, such as metadata.tsv; read both, and call "
            f"bb.load_embedding((words, matrix))"
        )
    dims = [_n_numbers(line) for line in lines]
    if dim := dims[0] or max(dims):  # the first word may have spaces; so may others
        return dim
    shown = lines[0].strip()[:40].decode("utf-8", "replace")
    raise EmbeddingError(
        f"line 1: neither 'count dimension' nor a word and its numbers ({shown!r}); "
        f"expected word2vec, GloVe or fastText vectors, a table, or JSON"
    )


def _refuse_counts(lines: list[bytes]) -> None:
    """Refuse lines whose first number alone is whole: counts of words drown all other numbers."""
    rows = [line.split()[1:] for line in lines]
    if len(rows) >= _FEW and all(
        len(row) > 2 and row[0].isdigit() and all(b"." in x or b"e" in x for x in row[1:])
        for row in rows
    ):
        shown = ", ".join(row[0][:18].decode() for row in rows[:3])
        raise EmbeddingError(
            f"the first number of every line is whole ({shown}) where others are not, as "
            f"counts are: delete this column; if it is a component, write it with a point"
        )


def read_vectors(path: Path, form: VectorFormat, how: Reading) -> Iterator[Block]:
    """Read a file of text, or of word2vec's binary; a header may be a little off, as some are."""
    blocks, n, promised = _lines if form.kind == "text" else _records, 0, form.n_vectors
    with ByteStream(path, EmbeddingError) as stream:
        for block in blocks(stream, form, how):
            yield block
            n += len(block.words)
    is_whole = how.limit is None or n < how.limit
    if promised is not None and is_whole and abs(promised - n) > max(1, n // 100):
        what = f"the header promises {promised:,} vectors and the file has {n:,}"
        raise EmbeddingError(f"line 1: {what}; correct the line, or fetch it again")


def _text(raw: bytes, how: Reading) -> str:
    """Return a word's bytes as a text; "" where they are none."""
    try:
        return raw.decode(how.encoding or "utf-8")
    except UnicodeDecodeError:
        return ""


def _lines(stream: ByteStream, form: VectorFormat, how: Reading) -> Iterator[Block]:
    """Yield lines of a word and its numbers."""
    at, has_header = 1, form.n_vectors is not None
    for lines in stream.lines(LONGEST_WORD + _LONGEST_NUMBER * form.dim):
        if at == 1:
            lines[0] = lines[0].removeprefix(BOM)
        places = [k for k, line in enumerate(lines) if line and not line.isspace()]
        if places and has_header:
            places, has_header = places[1:], False
        numbers = [at + k for k in places]
        yield _block_of_lines([lines[k] for k in places], numbers, form.dim, how)
        at += len(lines)


def _block_of_lines(lines: list[bytes], numbers: list[int], dim: int, how: Reading) -> Block:
    """Divide lines at their words; those whose words are wanted are parsed."""
    parts = [_word_and_numbers(line, dim) for line in lines]

    def vectors_of(some: Sequence[int]) -> Vectors:
        return matrix_of_lists(pa.array([parts[k][1].decode("latin-1") for k in some]), dim)

    def explain(k: int) -> str:
        fields = parts[k][1].decode("utf-8", "replace").split()
        if bad := [field for field in fields if not is_number(field)]:
            what = f"has {short(bad[-1])}, which is not a number"
            return f"{what}: a line is a word and {dim} numbers"
        if len(fields) != dim:
            what = f"has {len(fields)} numbers where others have {dim}"
            return f"{what}; correct it (blanks of a word become _), or fetch the file again"
        return NOT_FINITE

    return Block([_text(word, how) for word, _ in parts], vectors_of, explain, "line", numbers)


def _word_and_numbers(line: bytes, dim: int) -> tuple[bytes, bytes]:
    """Divide a line behind its word. GloVe has words with blanks, such as ". . ."."""
    word, rest = (*line.split(None, 1), b"")[:2]
    if not is_number(rest[:_LONGEST_NUMBER].partition(b" ")[0]):
        fields = line.rsplit(None, dim)
        if len(fields[0].split()) > 1:
            return fields[0].strip(), b" ".join(fields[1:])
    return word, rest


def _records(stream: ByteStream, form: VectorFormat, how: Reading) -> Iterator[Block]:
    """Yield word2vec's records of a word, a space and little-endian floats."""
    size, n, usual = 4 * form.dim, 0, list[float]()
    record = re.compile(rb"\n*+([^ \n\0]{1,%d}+) (.{%d})" % (LONGEST_WORD, size), re.DOTALL)
    buffer = stream.read(SNIFFED)
    start = buffer.find(b"\n") + 1
    while True:
        words, rows = list[str](), list[bytes]()
        while match := record.match(buffer, start):
            words.append(_text(match[1], how))
            rows.append(match[2])
            start = match.end()
        parse = partial(_parsed_records, rows, form.dim, usual)
        yield Block(words, parse, lambda k: _SHIFTED, "vector", range(n + 1, n + len(words) + 1))
        n += len(words)
        rest, more = buffer[start:], stream.read(max(CHUNK, size))
        if not (more or rest.strip()):
            return
        bad = _NO_WORD.match(rest)
        if bad or not more or b" " not in (rest + more)[: LONGEST_WORD + 2]:
            what = "the file is cut short or damaged"
            if bad:
                what = f"a word has {'no letters' if bad[1] else 'a line break or NUL in it'}"
            raise EmbeddingError(
                f"{what} in number {n + 1:,} of the {form.n_vectors:,} vectors of {form.dim} "
                f"numbers that the header promises; fetch it again, or correct the header"
            )
        buffer, start = rest + more, 0


def _parsed_records(
    rows: list[bytes], dim: int, usual: list[float], some: Sequence[int]
) -> Vectors:
    """Return the vectors (n_rows, dim) of records; NaN of a length that no training gives."""
    matrix = np.frombuffer(bytearray().join([rows[k] for k in some]), "<f4").reshape(-1, dim)
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.einsum("nd,nd->n", matrix, matrix))
    if not usual and (lengths > 0).sum() >= _FEWEST_LENGTHS:
        usual.append(float(np.median(lengths[lengths > 0])))  # of the first ones
    if usual:
        matrix[~(lengths <= _EXPLODED * usual[0])] = np.nan
    return matrix
