"""Tables of word vectors, of whatever container: one path from any of them to words and matrix.

CSV, TSV, Parquet, Feather, Arrow, JSON and JSON lines, frames of pandas, polars and pyarrow, dicts
of columns and lists of records all become columns of Arrow. The words and the vectors are found by
type: the words are the column of texts, the vectors a column of lists (or of texts such as
"[0.1, 0.2]") or the columns of numbers that one naming pattern counts, as d0, d1, …. All else is
passed over and named. Two candidates are an error: no column is a dimension by chance. numpy's
arrays stand with their words: in one ``.npz``, or as ``.npy`` beside ``words.txt``.
"""

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike

from bayesbias.errors import ArgumentError, BayesBiasError, EmbeddingError, short, suggest
from bayesbias.support.bounded_files import (
    LARGEST_TEXT,
    MOST_EXPANSION,
    ByteStream,
    open_regular,
    read_json,
    read_text,
    require_regular_file,
)
from bayesbias.vectors.formats import DELIMITERS, SNIFFED
from bayesbias.vectors.records import NOT_FINITE, Block, Reading, as_floats, is_number, matrix_of

_FREE: Final = 1 << 26  # bytes that a table may unpack to, however small its file is
_LOOKED_AT: Final = 100  # rows from which the kind of a column is told
_NUMBER: Final = r"(u?int\d+|halffloat|float|double|decimal\d+)\b"
_TYPES: Final = {  # of Arrow, as it writes them, by the kinds of columns
    "numbers": re.compile(_NUMBER),
    "lists": re.compile(rf"(large_|fixed_size_)?list<[^:]*: {_NUMBER}"),
    "texts": re.compile(r"(large_)?(string|binary)(_view)?$"),
}
_BRACKETED: Final = re.compile(r"\s*[\[(][^\[\]()]*[\])]\s*")
_CUT: Final = "is cut by ..., as numpy prints long arrays; save the table with vector.tolist()"
_COUNTED: Final = re.compile(r"(.*?)(\d{1,9})(\D*)", re.DOTALL)


def block_of_table(path: Path, kind: str, how: Reading) -> Block:
    """Read the words and vectors of a file."""
    if kind == "json":
        content = read_json(path, EmbeddingError, LARGEST_TEXT, how.encoding or "")
    elif kind in DELIMITERS:
        content = _csv(path, kind, how)
    elif kind == "parquet":
        content = read_parquet(path, EmbeddingError)
    else:  # Arrow's own: a file, as Feather's, or a stream
        with open_regular(path, EmbeddingError) as stream:
            is_file = stream.peek(6).startswith(b"ARROW1")
            content = (pa.ipc.open_file if is_file else pa.ipc.open_stream)(stream).read_all()
            content.validate(full=True)  # damaged offsets would be followed
    return block_of_object(content, how)


def read_parquet(path: Path, error: type[BayesBiasError], wanted: Container[str] = ()) -> pa.Table:
    """Read Parquet if its own record says that it fits; of wanted columns equal texts stay one."""
    from pyarrow import parquet

    with open_regular(path, error) as stream:
        size = stream.seek(0, io.SEEK_END)
        schema = parquet.read_schema(stream)
        names = [name for name in schema.names if wanted and name in wanted]
        texts = [name for name in names if _kind_of_type(schema.field(name).type) == "texts"]
        file = parquet.ParquetFile(stream, read_dictionary=texts, page_checksum_verification=True)
        # Not from the records of columns: to look at a damaged one ends the process.
        groups = [file.metadata.row_group(k) for k in range(file.num_row_groups)]
        least = 8 * file.metadata.num_columns
        unpacked = sum(max(group.total_byte_size, least * group.num_rows) for group in groups)
        if unpacked > max(MOST_EXPANSION * size, _FREE):
            raise error(
                f"{path}: unpacks to {unpacked:,}, as no honest table does; if you trust it, read "
                f"it yourself and give the frame"
            )
        return file.read(names if wanted else None, use_threads=False)


def _csv(path: Path, between: str, how: Reading) -> pa.Table:
    """Read separated values, below names if there are any."""
    from pyarrow import csv as arrow_csv

    with ByteStream(path, EmbeddingError, LARGEST_TEXT) as stream:
        content = stream.read_all()
    if how.encoding or content.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = content.decode(how.encoding or "utf-16").encode()
    lines = content[:SNIFFED].decode("utf-8", "replace").splitlines()
    first, below = (next(csv.reader([row], delimiter=between)) for row in (lines[:2] * 2)[:2])
    has_names = _names_columns(first, below)
    if has_names and len(below) == len(first) + 1:  # R leaves out the name of the words
        content = between.encode() + content
    commas = between == ";" and any(cell.count(",") == 1 for cell in below)
    return arrow_csv.read_csv(
        pa.py_buffer(content),
        arrow_csv.ReadOptions(use_threads=False, autogenerate_column_names=not has_names),
        arrow_csv.ParseOptions(delimiter=between, newlines_in_values=b'"' in content),
        arrow_csv.ConvertOptions(null_values=[""], decimal_point="," if commas else "."),
    )


def _names_columns(first: list[str], below: list[str]) -> bool:
    """Tell whether the first of two rows names the columns, or counts them from 0 or 1."""
    if any(cell[:1] in ("[", "(") for cell in first):
        return False
    numbers = [cell for cell in first[1:] if is_number(cell)]
    if not numbers or len(numbers) < sum(map(is_number, below[1:])):  # a word may be a number
        return True
    counts = any(numbers == [str(k + start) for k in range(len(numbers))] for start in (0, 1))
    return counts and (first[0] == "" or (len(numbers) > 2 and any("." in cell for cell in below)))


def read_npz(path: Path) -> Block:
    """Read the one array of words and the one matrix of an archive."""
    with open_regular(path, EmbeddingError) as stream:
        archive = np.load(stream, allow_pickle=False)
        unpacked = sum(member.file_size for member in archive.zip.infolist())
        if unpacked > MOST_EXPANSION * os.fstat(stream.fileno()).st_size:
            raise ValueError(f"it unpacks to more than {MOST_EXPANSION} times its size")
        arrays = list(archive.values())
    (words,) = (array for array in arrays if array.dtype.kind in "US" and array.ndim == 1)
    (matrix,) = (array for array in arrays if array.dtype.kind in "fiu" and array.ndim == 2)
    if words.dtype.kind == "S":
        words = np.char.decode(words, "utf-8", "replace")
    return block_of(words.tolist(), matrix)


def read_npy(path: Path) -> Block:
    """Map a matrix into memory, whose words stand in ``words.txt`` beside it, one a line."""
    beside = path.parent / "words.txt"
    if not beside.is_file():
        raise EmbeddingError(
            "has no words; put them into words.txt beside it, or bb.load_embedding((words, matrix))"
        )
    words = read_text(beside, EmbeddingError).replace("\r\n", "\n").rstrip("\n").split("\n")
    # Only the rows that are looked up come from the disk.
    matrix = np.load(require_regular_file(path, EmbeddingError), "r", allow_pickle=False)
    return block_of(words, matrix, f"words in {beside.name}: ")


def block_of_object(content: Any, how: Reading) -> Block:
    """Return the rows of a mapping, of columns by their names, of records, or of a frame."""
    if isinstance(content, tuple) and len(content) == 2:
        return block_of(list(content[0]), content[1])
    if isinstance(content, pd.Series):
        content = content.to_dict()
    if isinstance(content, Mapping):
        values = list(content.values())
        inner = [value for value in values if _are_records(value)]
        firsts = [next(iter(value), None) if _is_column(value) else None for value in values]
        if len(inner) == 1:  # an answer of a service, with what it says beside the data
            content = inner[0]
        elif values and all(isinstance(first, float | int | np.number) for first in firsts):
            return block_of(list(content), values)
        elif all(isinstance(value, Mapping) for value in values):
            content = {key: list(value.values()) for key, value in content.items()}
    if _are_records(content):
        content = pd.DataFrame([dict(_flat(record, "")) for record in content])
    if isinstance(content, pd.DataFrame) and content.index.dtype.kind not in "iu":
        content = content.reset_index()
    columns: Iterable[tuple[Any, Any]] = ()
    if isinstance(content, pd.DataFrame | Mapping):
        columns = content.items()
    elif hasattr(content, "__arrow_c_stream__"):
        table = pa.table(content)
        columns = zip(table.column_names, table.columns, strict=True)
    elif not isinstance(content, list):
        raise EmbeddingError(
            f"cannot read vectors from {type(content).__name__!r}; give a path, (words, matrix), a "
            f"mapping, a frame, records, KeyedVectors, a spaCy pipeline, or a model with encode"
        )
    return _block_of_columns(list(columns), how)


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes | Mapping)


def _flat(value: Any, name: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of a record, those of records in it with dots between."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
        value = value[0]
    if isinstance(value, Mapping) and depth < 10:
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key), depth + 1)
    else:
        yield name, value


def block_of(words: Sequence[Any], vectors: ArrayLike, where: str = "") -> Block:
    """Return words and as many vectors of one length."""
    if odd := [word for word in words if not isinstance(word, str)]:
        raise EmbeddingError(f"{where}{short(odd[0])} is not a text; words must be texts")
    try:
        with np.errstate(over="ignore"):
            matrix = np.asarray(vectors).astype(np.float32, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        what = f"the vectors are not numbers, or not of one length ({str(error)[:100]})"
        raise EmbeddingError(f"{where}{what}") from error
    if matrix.ndim != 2 or len(matrix) != len(words) or matrix.size == 0:
        needed = f"{len(words)} words need a matrix of shape ({len(words)}, dimension)"
        raise EmbeddingError(f"{where}{needed}, not {matrix.shape}")
    return Block(list(map(str, words)), matrix.__getitem__)  # numpy has texts of its own


def _block_of_columns(columns: list[tuple[Any, Any]], how: Reading) -> Block:
    """Return the words and their vectors; name the columns that are neither."""
    names = [str(name) for name, _ in columns]
    arrays = [_array(cells) for _, cells in columns if _is_column(cells)]
    if len(arrays) < len(names) or len(set(map(len, arrays))) != 1 or not len(arrays[0]):
        raise EmbeddingError(
            'holds no vectors with words; vectors are {"he": [0.1, ...], ...}, a list of '
            '{"word": "he", "vector": [0.1, ...]}, or columns by their names'
        )
    cells = dict(zip(names, arrays, strict=True))
    if len(cells) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise EmbeddingError(f"column {short(twice)} is there twice; rename one")
    texts = [_existing(name, cells) for name in (how.word_column, how.context_column) if name]
    kinds = {name: _kind(array) for name, array in cells.items() if name not in texts}
    vectors = _vector_columns(cells, kinds, how.vector_column)
    rest = [name for name in kinds if name not in vectors]
    word = how.word_column or _word_column(cells, kinds, rest)
    passed = [short(name) for name in rest if name != word]
    shown = ", ".join(passed[:5] + ["…"] * (len(passed) > 5))
    note = f"passed over {shown}: neither the words ({short(word)}) nor part of the vectors"
    column = cells[vectors[0]]
    if len(vectors) > 1 or kinds[vectors[0]] == "numbers":
        matrix = np.column_stack([as_floats(cells[name]) for name in vectors])
    elif _kind_of_type(column.type) == "lists":
        matrix = matrix_of(column)
    else:
        texts = _texts(column)
        matrix = matrix_of(pa.array([text.strip("[]()").replace(",", " ") for text in texts]))
    return Block(
        _texts(cells[word]),
        matrix.__getitem__,
        explain=lambda k: _CUT if "..." in str(column[k]) else NOT_FINITE,
        contexts=_texts(cells[how.context_column]) if how.context_column else None,
        note=note if passed else "",
    )


def _vector_columns(
    cells: Mapping[str, pa.Array], kinds: Mapping[str, str], chosen: str | Sequence[str] | None
) -> list[str]:
    """Return the names of the columns that are the vectors, as chosen or the only ones."""
    listed = [chosen] if isinstance(chosen, str) else list(chosen or ())
    if len(listed) > 1 or kinds.keys() & listed:
        for name in listed:
            if not kinds[_existing(name, kinds)]:
                what = f"has no numbers or lists of them: {cells[name].type}"
                raise EmbeddingError(f"the column {short(name)} {what}")
        return listed
    candidates = _candidates(kinds, whole=bool(listed))
    if listed:
        return candidates[_existing(listed[0], candidates)]
    if len(candidates) == 1:
        return next(iter(candidates.values()))
    if candidates:
        ends = [dict.fromkeys((names[0], names[-1])) for names in candidates.values()]
        several = ", ".join(" to ".join(map(short, names)) for names in ends[:5])
        raise EmbeddingError(
            f"{several} can all be the vectors; choose with "
            f"vector_column={next(iter(candidates))!r} (--vector-column)"
        )
    types = ", ".join(f"{short(name)} ({cells[name].type})" for name in [*kinds][:5])
    raise EmbeddingError(
        f"no column of lists, and no columns of numbers whose names count, as d0, d1, …: {types}. "
        f"Name them so, say vector_column=[…], or transpose a table with the words above numbers"
    )


def _word_column(cells: Mapping[str, pa.Array], kinds: Mapping[str, str], rest: list[str]) -> str:
    """Return the name of the only column of texts that are not one and the same."""
    texts = [name for name in rest if kinds[name] == "texts"]
    if len(texts) > 1:  # as the name of a model
        texts = [name for name in texts if len(pc.unique(cells[name])) > 1] or texts
    if len(texts) == 1:
        return texts[0]
    shown = ", ".join(map(short, (texts or rest)[:5])) or "nothing beside the vectors"
    what = "can all be the words" if texts else "is no column of words: they need one of texts"
    word = (texts or ["…"])[0]
    raise EmbeddingError(f"{shown} {what}; choose with word_column={word!r} (--word-column)")


def _existing(name: str, columns: Mapping[str, Any]) -> str:
    if name not in columns:
        raise ArgumentError(f"there is no column {name!r}{suggest(name, columns)}")
    return name


def _array(cells: Any) -> pa.Array:
    """Return a column in one piece, without dictionary or extension; of mixed types as texts."""
    array = cells
    if not isinstance(cells, pa.ChunkedArray):
        listed = cells if getattr(cells, "ndim", 0) == 1 else list(cells)
        try:
            array = pa.array(listed, from_pandas=True)
        except (pa.ArrowException, ValueError, TypeError, OverflowError):  # odd rows are told later
            array = pa.array([None if cell is None else str(cell) for cell in cells])
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    array = array.storage if isinstance(array, pa.ExtensionArray) else array
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _kind_of_type(kind: pa.DataType) -> str:
    return next((name for name, types in _TYPES.items() if types.match(str(kind))), "")


def _kind(column: pa.Array) -> str:
    """Return a column's kind: of texts as "0.1" or "[0.1, 0.2]" what most of the first are."""
    kind = _kind_of_type(column.type)
    if kind != "texts":
        return kind
    texts = [text for text in _texts(column.slice(0, _LOOKED_AT)) if text]
    for kind, test in (("numbers", is_number), ("lists", _BRACKETED.fullmatch)):
        if 2 * sum(bool(test(text)) for text in texts) > len(texts):
            return kind
    return "texts" if texts else ""


def _texts(column: pa.Array) -> list[str]:
    """Return a column as texts, "" where there is none or where bytes are no text."""
    cells = ["" if cell is None else cell for cell in column.to_pylist()]
    texts = [c.decode("utf-8", "replace") if isinstance(c, bytes) else str(c) for c in cells]
    return ["" if "\ufffd" in text else text.strip() for text in texts]


def _candidates(kinds: Mapping[str, str], *, whole: bool) -> dict[str, list[str]]:
    """Return columns of lists, and of numbers whose names count, without a gap unless `whole`."""
    candidates = {name: [name] for name, kind in kinds.items() if kind == "lists"}
    patterns: dict[tuple[str, str], dict[int, str]] = {}
    for name, kind in kinds.items():
        if kind == "numbers" and (match := _COUNTED.fullmatch(name)):
            patterns.setdefault((match[1], match[3]), {}).setdefault(int(match[2]), name)
    for (prefix, _), names in patterns.items():
        at = np.sort(list(names))
        gaps = at[:0] if whole else np.flatnonzero(np.diff(at) > 1) + 1
        for run in ([names[number] for number in numbers] for numbers in np.split(at, gaps)):
            if len(run) > 1:
                candidates[run[0] if prefix in candidates else prefix] = run
    return candidates
