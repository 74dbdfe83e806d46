"""Tables of word vectors, read whole: frames, CSV and TSV, JSON, and ``.npz``."""

import csv
import io
import re
import warnings
import zipfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.errors import DataWarning, EmbeddingError, short
from bayesbias.support.bounded_files import LARGEST_TEXT, MOST_EXPANSION, ByteStream, open_regular
from bayesbias.support.csv_files import json_or_lines
from bayesbias.support.text_tables import counted
from bayesbias.vectors.formats import CUT, SAVE_IT, TABLES, counts_up, like_counts, refuse_counts
from bayesbias.vectors.spelling import Spelling, said_of_damage, said_of_repeats

WordTable = tuple[list[Any], NDArray[np.float32] | list[Any]]
"""Words, and a vector each: (n_words, dim), or a list of them."""

_LOOKED_AT: Final = 50  # rows from which it is told which column has the words

_FORMS: Final = (
    'vectors in JSON are {"he": [0.1, ...], ...}, or {"words": ["he", ...], "vectors": [[0.1, '
    '...], ...]}, or a list of {"word": "he", "vector": [0.1, ...]}'
)


def read_table(
    path: Path, kind: str, spelling: Spelling, asked: Collection[str] | None = None
) -> WordTable:
    """Return the words of a table and their vectors.

    A damaged line stops the reading unless it is of a word that nobody `asked` for.
    """
    if kind == "npz":
        words, vectors = _of_archive(path)
    else:
        text = _text(path, spelling)
        if kind == "json":
            words, vectors = _of_json(path, text)
        else:
            words, vectors = _of_lines(path, text, TABLES[kind], asked)
    words = [word.strip() if isinstance(word, str) else word for word in words]
    return _of_texts(words, vectors)


def _text(path: Path, spelling: Spelling) -> str:
    """Return a file's text; bytes that are none become U+FFFD, and their words are left out."""
    with ByteStream(path, EmbeddingError) as stream:
        content = stream.read_all(LARGEST_TEXT)
    encoding = spelling.encoding or "utf-8-sig"
    try:
        return content.decode(encoding, spelling.errors or "strict")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        where = f"{path}: line {line:,} has a byte that is not {error.encoding.upper()}"
        how = "say how the file is written, such as encoding='latin-1'"
        if spelling.errors == "strict":
            raise EmbeddingError(f"{where}; {how}") from None
    warnings.warn(
        f"{where}; words with such bytes are left out. If you need them, {how}",
        DataWarning,
        stacklevel=5,
    )
    return content.decode(encoding, "replace")


def _of_texts(words: list[Any], vectors: NDArray[np.float32] | list[Any]) -> WordTable:
    """Leave out words that are no text."""
    kept = [place for place, word in enumerate(words) if word != "" and "\ufffd" not in str(word)]
    if len(kept) == len(words):
        return words, vectors
    some = [vectors[place] for place in kept] if isinstance(vectors, list) else vectors[kept]
    return [words[place] for place in kept], some


def _of_lines(path: Path, text: str, between: str, asked: Collection[str] | None) -> WordTable:
    """Read a word and its numbers a line, under a line of names if the first has no numbers."""
    lines = io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n"), newline="\n")
    reader = csv.reader(lines, delimiter=between)
    _refuse_transposed(path, lines.getvalue())
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row)]
    except csv.Error as error:
        raise EmbeddingError(
            f"{path}: line {reader.line_num:,}: is no row of a table; look for a quote that is open"
        ) from error
    if all(len(row) > 2 and not row[-1] for _, row in rows[1:]):  # a column of nothing
        rows = [(number, row[:-1]) for number, row in rows]
    place, skip = _place_of_words(path, [row for _, row in rows[1:_LOOKED_AT]], between)
    if _is_head([row for _, row in rows[:2]], place, skip, between):
        rows = rows[1:]
    words, vectors, damaged = [], [], []
    if len(rows) > 2 and len(rows[-1][1]) < len(rows[-2][1]) and text[-1] not in "\r\n":
        number, row = rows.pop()
        word = row[place] if place < len(row) else ""
        what = f"has {counted(len(row), 'cell')} where others have {len(rows[-1][1])}{CUT}"
        damaged.append((word, f"line {number:,} ({short(word)}) {what}"))
    for number, row in rows:
        word = row[place] if place < len(row) else ""
        vector = _vector([*row[skip:place], *row[place + 1 :]], between)
        if vector is None or not np.isfinite(vector).all():
            what = "a cell that is no number" if vector is None else "NaN or infinite components"
            damaged.append((word, f"line {number:,} ({short(word)}) has {what}"))
            continue
        words.append(word)
        vectors.append(vector)
    _say_damaged(path, damaged, asked)
    lengths = {len(vector) for vector in vectors}
    if len(lengths) != 1 or not lengths.pop() or all(map(_FRACTION.fullmatch, words)):
        raise EmbeddingError(
            f"{path}: is no table of a word and as many numbers on every line; put the words into "
            f"the first column and delete columns that are no numbers"
        )
    matrix = np.array(vectors)
    _say_counts(path, matrix)
    return words, matrix


def _refuse_transposed(path: Path, text: str) -> None:
    """Refuse a table of which the words are the names of columns: few rows under many of them."""
    head, _, below = text.partition("\n")
    between = max(TABLES.values(), key=below.partition("\n")[0].count)
    names = head.split(between)[1:]
    if len(names) <= below.count("\n") + 1:
        return
    firsts = [line.partition(between)[0].strip("\"'") for line in below.splitlines() if line]
    words = [name for name in names if name.strip() and not re.search(r"\d", name)]
    if counts_up(firsts) and len(words) > len(names) / 2:
        raise EmbeddingError(
            f"{path}: line 1: has the words, such as {short(words[0])}, above their numbers; "
            f"transpose the table, so that every line has a word and its numbers"
        )


def _place_of_words(path: Path, rows: list[list[str]], between: str) -> tuple[int, int]:
    """Return which column has the words, and how many before it are left out."""
    width = min(map(len, rows), default=0)
    texts = [
        place
        for place in range(width)
        if sum(
            row[place][:1] not in ("", "[", "(") and _number(row[place], between) is None
            for row in rows
        )
        > len(rows) / 2
    ]
    if not texts or texts[0] == 0:  # words may be whole numbers, as of graphs
        return 0, 0
    place = texts[0]
    if place == 1 and all(row[0].isdigit() for row in rows):
        warnings.warn(
            f"{path}: the first column has the numbers of rows, and was left out; the words are "
            f"those of the second",
            DataWarning,
            stacklevel=6,
        )
        return place, 1
    return place, 0


def _is_head(rows: list[list[str]], place: int, skip: int, between: str) -> bool:
    """Tell whether the first of two rows names columns, or counts them from 0 or 1."""
    row, below = rows[0], rows[-1]
    cells = [*row[skip:place], *row[place + 1 :]]
    counts_columns = counts_up(cells) and (not row[place] or not below[-1].isdigit())
    return _vector(cells, between) is None or counts_columns


def _say_counts(path: Path, matrix: NDArray[np.float32]) -> None:
    first, others = matrix[:_LOOKED_AT, 0], matrix[:_LOOKED_AT, 1:]
    if others.size and (first == first.round()).all() and (others != others.round()).all():
        refuse_counts(path, first.tolist())
        shown = ", ".join(f"{value:.0f}" for value in first[:3])
        warnings.warn(f"{path}: {like_counts(shown)}", DataWarning, stacklevel=6)


def _number(cell: str, between: str) -> float | None:
    """Read a number, with a decimal comma where commas are not between cells."""
    try:
        return float(cell.replace(",", ".") if between != "," else cell)
    except ValueError:
        return None


def _vector(cells: Sequence[str], between: str) -> NDArray[np.float32] | None:
    """Read a vector of cells, or of one cell such as [0.1, 0.2]; None if one is no number."""
    if len(cells) == 1 and cells[0][:1] in ("[", "("):
        cells = [cell for cell in re.split(r"[\s,;]+", cells[0].strip("[]() \n")) if cell]
    found = [_number(cell, between) for cell in cells]
    if not found or None in found:
        return None
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
        return np.array(found, dtype=np.float32)


def _say_damaged(path: Path, damaged: list[tuple[str, str]], asked: Collection[str] | None) -> None:
    """Refuse a damaged line of a word that was asked for; warn of others."""
    wanted = [what for word, what in damaged if asked is None or word in asked]
    if wanted:
        raise EmbeddingError(
            f"{path}: {wanted[0]}; every line needs a word and its numbers: repair or drop it"
        )
    if damaged:
        said = said_of_damage([what for _, what in damaged])
        warnings.warn(f"{path}: {said}", DataWarning, stacklevel=5)


_FRACTION: Final = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
"""A number with a fraction, which is no word."""


def _of_json(path: Path, text: str) -> WordTable:
    repeated: list[str] = []

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:  # json would keep the last
            if key in found:
                repeated.append(key)
            found.setdefault(key, value)
        return found

    try:
        content = json_or_lines(text, object_pairs_hook=distinct)
    except (ValueError, RecursionError) as error:
        raise EmbeddingError(f"{path}: begins as JSON does, but is not sound; {_FORMS}") from error
    found = _in_json(content)
    if found is None:
        raise EmbeddingError(f"{path}: is JSON, but not of vectors; {_FORMS}")
    if again := sorted(set(repeated) & set(map(str, found[0]))):
        warnings.warn(f"{path}: {said_of_repeats(again)}", DataWarning, stacklevel=6)
    return found


def _in_json(content: Any) -> WordTable | None:
    """Return words and vectors of any of the forms that JSON has them in; None of others."""
    if isinstance(content, list):
        return _of_records(content)
    if not isinstance(content, dict) or not content:
        return None
    if all(_is_vector(vector) for vector in content.values()):
        return list(content), list(content.values())
    if all(isinstance(v, dict) and all(map(_is_real, v.values())) for v in content.values()):
        lists = [list(vector.values()) for vector in content.values()]  # of DataFrame.to_json
        keys = {tuple(vector) for vector in content.values()}
        return (list(content), lists) if len(keys) == 1 and len(lists[0]) > 1 else None
    lists = [value for value in content.values() if isinstance(value, list) and value]
    words = [one for one in lists if all(isinstance(word, str) for word in one)]
    matrices = [one for one in lists if all(map(_is_vector, one))]
    pairs = [(w, m) for w in words for m in matrices if len(w) == len(m)]
    if len(pairs) == 1:
        return pairs[0]
    inner = [  # {"vectors": {"he": [0.1, ...], ...}}
        (list(value), list(value.values()))
        for value in content.values()
        if isinstance(value, dict) and value and all(map(_is_vector, value.values()))
    ]
    return inner[0] if len(inner) == 1 and not matrices else None


def _of_records(rows: list[Any]) -> WordTable | None:
    """Read {"word": "he", "vector": [0.1, ...]}, {"he": [0.1, ...]} or ["he", [0.1, ...]]."""
    words, vectors = [], []
    for row in rows:
        cells: list[Any] = list(row.values() if isinstance(row, dict) else row) if row else []
        if isinstance(row, dict) and len(row) == 1:
            cells = [next(iter(row)), *cells]
        texts = [cell for cell in cells if isinstance(cell, str)]
        inner = [cell for cell in cells if _is_vector(cell)]
        numbers = [cell for cell in cells if _is_real(cell)]
        if not isinstance(row, dict | list) or len(texts) != 1 or bool(inner) == bool(numbers):
            return None
        words.append(texts[0])
        vectors.append(inner[0] if inner else numbers)
    return (words, vectors) if words else None


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_vector(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_real, value))


def _of_archive(path: Path) -> WordTable:
    """Read words and their matrix, or an array for every word."""
    try:
        with open_regular(path, EmbeddingError) as stream:
            size = stream.seek(0, io.SEEK_END)
            unpacked = sum(member.file_size for member in zipfile.ZipFile(stream).infolist())
            if unpacked > MOST_EXPANSION * size:
                raise EmbeddingError(
                    f"{path}: unpacks to more than {MOST_EXPANSION} times its size"
                )
            stream.seek(0)
            with np.load(stream, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
    except EmbeddingError:
        raise
    except Exception as error:  # a damaged archive may raise anything at all
        objects = "its words are Python objects, a pickle"
        why = objects if "pickle" in str(error) else "it is damaged or cut short"
        raise EmbeddingError(
            f"{path}: cannot be read as arrays ({why})",
            advice="save np.savez(file, words=np.array(words, dtype=str), vectors=matrix)",
            typed=SAVE_IT,
        ) from error
    texts = [array for array in arrays.values() if array.dtype.kind in "US" and array.ndim == 1]
    matrices = [array for array in arrays.values() if array.dtype.kind in "fiu" and array.ndim == 2]
    if len(texts) == len(matrices) == 1 and len(texts[0]) == len(matrices[0]):
        words = np.char.decode(texts[0], "utf-8") if texts[0].dtype.kind == "S" else texts[0]
        return words.tolist(), matrices[0].astype(np.float32)
    if arrays and all(array.dtype.kind in "fiu" and array.ndim == 1 for array in arrays.values()):
        return list(arrays), list(arrays.values())
    shown = ", ".join(f"{name} {array.shape}" for name, array in list(arrays.items())[:5])
    raise EmbeddingError(
        f"{path}: needs one array of words and one matrix with a row for each, or an array for "
        f"each word; it has {shown or 'nothing'}"
    )


def of_frame(frame: pd.DataFrame) -> WordTable:
    """Return a frame's words, of its index or first column, and the numbers (n_words, dim)."""
    if frame.empty:
        raise EmbeddingError("the frame holds no vectors: it needs words and at least one number")
    frame = _words_first(_without_row_numbers(frame))
    first_is_numbers = _is_numbers(frame.iloc[:, 0])
    has_vectors = not first_is_numbers and _are_vectors(frame.iloc[:, 0])
    if isinstance(frame.index[0], str) and not first_is_numbers and not has_vectors:
        raise EmbeddingError(
            f"the frame has texts in its index and in its first column {frame.columns[0]!r}; "
            f"which are the words? Drop the column, or say frame.reset_index(drop=True)"
        )
    in_index = first_is_numbers or has_vectors
    words = list(frame.index if in_index else frame.iloc[:, 0])
    numbers = frame if in_index else frame.iloc[:, 1:]
    for row, word in enumerate(words, start=1):
        if not isinstance(word, str) or not word:
            raise EmbeddingError(
                f"row {row:,} of the frame has {short(word)} for a word; words must be texts, in "
                f'the index or the first column (pandas reads the words "nan" and "null" as '
                f"missing unless keep_default_na=False is set)"
            )
    if not numbers.shape[1]:
        raise EmbeddingError(
            f"the frame has words such as {words[0][:40]!r}, but no column of numbers; if its file "
            f"has semicolons between cells, read it with pd.read_csv(file, sep=';', decimal=',')"
        )
    if numbers.shape[1] == 1 and _are_vectors(numbers.iloc[:, 0]):
        return words, list(numbers.iloc[:, 0])
    for name, column in numbers.items():
        if not _is_numbers(column):
            commas = column.astype(str).str.fullmatch(r"[+-]?\d+,\d+").any()
            raise EmbeddingError(
                f"column {name!r} of the frame holds {column.dtype}, not numbers; "
                + ("read it with decimal=','" if commas else "drop it")
            )
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused below
        matrix = numbers.to_numpy(dtype=np.float32, na_value=np.nan)
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        row, column = (int(k) for k in bad[0])
        raise EmbeddingError(
            f"column {numbers.columns[column]!r} of the frame is NaN, infinite or too large in the "
            f"row of {short(words[row])}; repair or drop the row"
        )
    return words, matrix


def _without_row_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Drop the first column if it counts the rows and the words stand in the second."""
    if frame.shape[1] < 3 or isinstance(frame.index[0], str):
        return frame
    first, second = frame.iloc[:, 0], frame.iloc[:, 1]
    counts = pd.api.types.is_integer_dtype(first.dtype) and first.is_unique
    if not counts or _is_numbers(second) or not isinstance(second.iloc[0], str):
        return frame
    warnings.warn(
        f"column {frame.columns[0]!r} of the frame has the numbers of rows, and was left out; the "
        f"words are those of {frame.columns[1]!r}",
        DataWarning,
        stacklevel=4,
    )
    return frame.iloc[:, 1:]


def _words_first(frame: pd.DataFrame) -> pd.DataFrame:
    """Put the only column of texts before the numbers, where the index has no words."""
    texts = [i for i in range(frame.shape[1]) if not _is_numbers(frame.iloc[:, i])]
    if isinstance(frame.index[0], str) or len(texts) != 1 or not texts[0]:
        return frame
    others = [i for i in range(frame.shape[1]) if i != texts[0]]
    return frame.iloc[:, [*texts, *others]]


def _are_vectors(column: "pd.Series[Any]") -> bool:
    return all(isinstance(cell, list | tuple | np.ndarray) for cell in column)


def _is_numbers(column: "pd.Series[Any]") -> bool:
    kind = column.dtype
    return pd.api.types.is_float_dtype(kind) or pd.api.types.is_integer_dtype(kind)
