"""Tells what a file of word vectors is from how it begins, and reads word2vec's and GloVe's.

Text (word2vec with a header, GloVe without, fastText ``.vec``) and word2vec's binary are read
record by record; all else is a table, a static model, gensim's pickle, or refused with what to do.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from bayesbias.errors import EmbeddingError, short
from bayesbias.support.bounded_files import CHUNK, ByteStream, refuse_archive
from bayesbias.vectors.records import NOT_FINITE, Block, Reading, Vectors, is_number, matrix_of

SNIFFED: Final = 1 << 16  # bytes that are looked at
LONGEST_WORD: Final = 4096  # bytes of a word: phrases of word2vec have up to some hundred
_LONGEST_VECTOR: Final = 1_000_000
_LONGEST_NUMBER: Final = 64  # bytes of a number as text: float64 in full takes 25
_FEW: Final = 5  # rows from which a rule is read
_KINDS: Final = {  # how files begin
    "parquet": rb"PAR1",
    "arrow": rb"ARROW1|\xff\xff\xff\xff",  # the second a stream of record batches
    "npy": rb"\x93NUMPY",
    "npz": rb"PK\x03\x04.{,248}\.npy",
    "fasttext": rb"\xba\x16\x4f\x2f",
    "safetensors": rb"...[\0-\7]\0\0\0\0{",  # the length of the record that follows
    "gensim": rb"\x80[\x02-\x05]|[(]?[dl]p\d+\n|[}\]]q.",  # or another pickle
    "json": rb"(?m:\s*[{\[]\s*(?:[\"{\[\d-]|$))",
}
_NO_VECTORS: Final = {  # how files begin that hold none
    rb"(?i:<!doctype|<html)": "is a web page; fetch the file of vectors itself",
    rb"version https://git-lfs": "is a pointer of Git LFS; fetch the file: git lfs pull",
    rb"\Z": "is empty; fetch it again",
    rb"[\s\0]+\Z": "its first {:,} bytes are blank or zero; fetch it again",
}

DELIMITERS: Final = "\t,; "  # of tables, whose kind they are
_HEADER: Final = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s*")
_COUNT_FIRST: Final = re.compile(rb"\s*\S+\s+(\d+)(?:\s+[^\s.e]*[.e]\S*){2,}\s*")
_CONTROL: Final = re.compile(rb"[\0-\x08\x0e-\x1f]")  # in floats as bytes, and in no text
_NO_WORD: Final = re.compile(rb"\n*+(?:( )|[^ \n\0]*+[\n\0])")  # of a record
_FEWEST_LENGTHS: Final = 10  # of which a median is taken
_EXPLODED: Final = 1e4  # times the median length: bytes that were read as the wrong numbers
_SHIFTED: Final = "has NaN, infinity or a length that no training gives; fetch the file again"


class VectorFormat(NamedTuple):
    """A file's kind, or the delimiter of a table; of text and binary what the header promises."""

    kind: str
    dim: int = 0
    n_vectors: int | None = None


def detect_format(path: Path) -> VectorFormat:
    """Detect a file's format from its first bytes."""
    with ByteStream(path, EmbeddingError) as stream:
        start = stream.read(SNIFFED)
    for beginning, what in _NO_VECTORS.items():
        if re.match(beginning, start):
            raise EmbeddingError(what.format(len(start)))
    for kind, beginning in _KINDS.items():
        if re.match(beginning, start, re.DOTALL):
            if stream.is_packed and kind != "json":
                raise EmbeddingError(f"can be read only unpacked: gunzip -k '{path}'")
            return VectorFormat(kind)
    refuse_archive(path, start, EmbeddingError)
    return _with_lines(start.lstrip())


def _with_lines(start: bytes) -> VectorFormat:
    """Detect the format of what begins with a line."""
    lines = [line for line in start.split(b"\n") if line.strip()]
    lines = lines[:-1] if len(lines) > 2 and start[-1:] != b"\n" else lines  # it may be cut
    n_vectors = None
    if header := _HEADER.fullmatch(lines[0]):
        n_vectors, dim = map(int, header.groups())
        if not 0 < dim <= _LONGEST_VECTOR:
            raise EmbeddingError(f"line 1: the header promises vectors of {dim:,} numbers")
        body = start.partition(b"\n")[2]
        if _n_numbers(body.partition(b"\n")[0]) < dim and _CONTROL.search(body[:LONGEST_WORD]):
            return VectorFormat("binary", dim, n_vectors)
        lines = lines[1:]
    elif delimiter := _delimiter(lines[:_FEW]):
        return VectorFormat(delimiter)
    else:
        dim = _dimension(lines[:_FEW])
    counts = [match[1].decode() for line in lines if (match := _COUNT_FIRST.fullmatch(line))]
    if len(counts) == len(lines) >= _FEW:  # they would drown all other numbers
        raise EmbeddingError(
            f"the first number of every line is whole ({', '.join(counts[:3])}) where others are "
            f"not, as counts are: delete this column; if it is a component, write it with a point"
        )
    return VectorFormat("text", dim, n_vectors)


def _n_numbers(line: bytes) -> int:
    """Return how many numbers follow a word; 0 where anything else does."""
    fields = line.split()[1:]
    return len(fields) if all(map(is_number, fields)) else 0


def _delimiter(lines: list[bytes]) -> str:
    """Return what separates columns; "" of words and numbers with blanks and no names above."""
    texts = [line.decode("latin-1").replace("\r", "") for line in lines]
    is_text = all(map(_n_numbers, lines[1:] or lines))
    for between in "\t " if is_text else "\t,;":
        rows = [next(csv.reader([text], delimiter=between), []) for text in texts]
        is_named = len(rows) > 1 and (rows[0][:1] == [""] or not any(map(is_number, rows[0])))
        if min(map(len, rows)) > 1 and (is_named or not is_text):
            return between
    return ""


def _dimension(lines: list[bytes]) -> int:
    """Return how many numbers follow the words of lines without a header."""
    firsts = [line.split()[0].decode("latin-1") for line in lines]
    if all(is_number(first) and not first.lstrip("+-").isdigit() for first in firsts):
        raise EmbeddingError(
            f"line 1: begins with a number ({firsts[0]}): the rows have no words. Where these are "
            f"in another file, as metadata.tsv, call bb.load_embedding((words, matrix))"
        )
    dims = [_n_numbers(line) for line in lines]
    if not any(dims):
        shown = lines[0].strip()[:40].decode("utf-8", "replace")
        raise EmbeddingError(
            f"line 1: neither 'count dimension' nor a word and its numbers ({shown!r}); "
            f"expected word2vec, GloVe or fastText vectors, a table, or JSON"
        )
    return dims[0] or max(dims)  # the first word may have spaces; so may others


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
    at, n_header = 1, int(form.n_vectors is not None)
    for lines in stream.lines(LONGEST_WORD + _LONGEST_NUMBER * form.dim):
        places = [k for k, line in enumerate(lines) if line and not line.isspace()]
        places, n_header = places[n_header:], 0 if places else n_header
        numbers = [at + k for k in places]
        yield _block_of_lines([lines[k] for k in places], numbers, form.dim, how)
        at += len(lines)


def _block_of_lines(lines: list[bytes], numbers: list[int], dim: int, how: Reading) -> Block:
    """Divide lines at their words; those whose words are wanted are parsed."""
    parts = [_word_and_numbers(line, dim) for line in lines]

    def vectors_of(some: Sequence[int]) -> Vectors:
        return matrix_of(pa.array([parts[k][1].decode("latin-1") for k in some]), dim)

    def explain(k: int) -> str:
        fields = parts[k][1].decode("utf-8", "replace").split()
        if bad := [field for field in fields if not is_number(field)]:
            return f"has {short(bad[-1])}, which is not a number; a line has a word and {dim}"
        if len(fields) == dim:
            return NOT_FINITE
        what = f"has {len(fields)} numbers where others have {dim}"
        return f"{what}; correct it (blanks of a word become _), or fetch the file again"

    words = [_text(word, how) for word, _ in parts]
    return Block(words, vectors_of, explain, lambda k: f"line {numbers[k]:,}")


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
    size, n, longest = 4 * form.dim, 0, np.inf
    record = re.compile(rb"\n*+([^ \n\0]{1,%d}+) (.{%d})" % (LONGEST_WORD, size), re.DOTALL)

    def parse(vectors: list[bytes], some: Sequence[int]) -> Vectors:
        nonlocal longest
        matrix = np.frombuffer(bytearray().join([vectors[k] for k in some]), "<f4")
        matrix = matrix.reshape(-1, form.dim)
        with np.errstate(over="ignore"):
            lengths = np.sqrt(np.einsum("nd,nd->n", matrix, matrix))
        if longest == np.inf and (lengths > 0).sum() >= _FEWEST_LENGTHS:  # of the first vectors
            longest = _EXPLODED * float(np.median(lengths[lengths > 0]))
        matrix[~(lengths <= longest)] = np.nan
        return matrix

    buffer = stream.read(SNIFFED)
    start = buffer.find(b"\n") + 1
    while True:
        words, vectors = list[str](), list[bytes]()
        while match := record.match(buffer, start):
            words.append(_text(match[1], how))
            vectors.append(match[2])
            start = match.end()
        place = partial(lambda first, k: f"vector {first + k:,}", n + 1)
        yield Block(words, partial(parse, vectors), lambda k: _SHIFTED, place)
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
