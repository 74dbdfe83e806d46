"""Tables of word vectors, read whole: frames, CSV and TSV, JSON, and ``.npz``."""

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.errors import EmbeddingError
from bayesbias.support.bounded_files import LARGEST_TEXT, MOST_EXPANSION, ByteStream, opened
from bayesbias.vectors.formats import TABLES
from bayesbias.vectors.spelling import Spelling

_WORDS: Final = ("words", "vocab", "vocabulary", "keys", "tokens", "index_to_key")
_HEADS: Final = ("", "word", "words", "token", "tokens")
"""What stands above a column of words."""

_FORMS: Final = '{"he": [0.1, ...], ...}, or {"words": ["he", ...], "vectors": [[0.1, ...], ...]}'


def read_table(
    path: Path, kind: str, spelling: Spelling
) -> tuple[list[str], NDArray[np.float32] | list[Any]]:
    """Return the words of a table and their vectors, (n_words, dim)."""
    if kind == "npz":
        return _of_archive(path)
    with ByteStream(path, EmbeddingError) as stream:
        content = stream.read_all(LARGEST_TEXT)
    text = content.decode(spelling.encoding or "utf-8-sig", spelling.errors or "replace")
    if kind == "json":
        return _of_json(path, text)
    return _of_lines(path, text, TABLES[kind].decode())


def _of_lines(path: Path, text: str, between: str) -> tuple[list[str], NDArray[np.float32]]:
    """Read a word and its numbers a line, under a line of names if the first has no numbers."""
    words, rows = [], []
    for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=between), start=1):
        if not row:
            continue
        try:
            vector = np.array(row[1:], dtype=np.float32)
        except ValueError:
            vector = np.empty(0, dtype=np.float32)
        if number == 1 and (not vector.size or row[0].lower() in _HEADS):
            continue
        if not vector.size:
            raise EmbeddingError(
                f"{path}: line {number:,} ({row[0]!r}) has a cell that is no number; every line "
                f"needs a word and its numbers"
            )
        if not np.isfinite(vector).all():
            raise EmbeddingError(
                f"{path}: line {number:,} ({row[0]!r}) has NaN or infinite components; repair or "
                f"drop it"
            )
        words.append(row[0])
        rows.append(vector)
    lengths = {len(row) for row in rows}
    if len(lengths) != 1 or not lengths.pop() or all(map(_is_fraction, words)):
        raise EmbeddingError(
            f"{path}: is no table of a word and as many numbers on every line; put the words into "
            f"the first column and delete columns that are no numbers"
        )
    return words, np.array(rows)


def _is_fraction(text: str) -> bool:
    """Tell whether a text is a number with a fraction, and so no word."""
    return "." in text and text.replace(".", "").replace("e-", "").strip("+-").isdigit()


def _of_json(path: Path, text: str) -> tuple[list[str], list[Any]]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EmbeddingError(
            f"{path}: begins as JSON does, but is not sound ({error}); vectors in JSON are {_FORMS}"
        ) from error
    if isinstance(content, dict):
        named = next((content[name] for name in _WORDS if name in content), None)
        if isinstance(named, list) and isinstance(content.get("vectors"), list):
            return named, content["vectors"]
        if content and all(isinstance(vector, list) for vector in content.values()):
            return list(content), list(content.values())
    raise EmbeddingError(f"{path}: is JSON, but not of vectors; these are {_FORMS}")


def _of_archive(path: Path) -> tuple[list[str], NDArray[np.float32] | list[Any]]:
    """Read words and their matrix, or an array for every word."""
    try:
        with opened(path, EmbeddingError) as stream:
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
        why = "its words are Python objects, a pickle" if "pickle" in str(error) else str(error)
        raise EmbeddingError(
            f"{path}: cannot be read as arrays ({why}); save np.savez(file, words=np.array(words, "
            f"dtype=str), vectors=matrix)"
        ) from error
    texts = [array for array in arrays.values() if array.dtype.kind == "U" and array.ndim == 1]
    matrices = [array for array in arrays.values() if array.dtype.kind in "fiu" and array.ndim == 2]
    if len(texts) == len(matrices) == 1:
        return texts[0].tolist(), matrices[0].astype(np.float32)
    if arrays and all(array.dtype.kind in "fiu" and array.ndim == 1 for array in arrays.values()):
        return list(arrays), list(arrays.values())
    shown = ", ".join(f"{name} {array.shape}" for name, array in list(arrays.items())[:5])
    raise EmbeddingError(
        f"{path}: needs one array of words and one matrix of their vectors, or an array for each "
        f"word; it has {shown or 'nothing'}"
    )


def of_frame(frame: pd.DataFrame) -> tuple[list[str], NDArray[np.float32]]:
    """Return a frame's words, of its index or first column, and the numbers (n_words, dim)."""
    if frame.empty:
        raise EmbeddingError("the frame holds no vectors: it needs words and at least one number")
    first_is_numbers = _is_numbers(frame.iloc[:, 0])
    if isinstance(frame.index[0], str) and not first_is_numbers:
        raise EmbeddingError(
            f"the frame has texts in its index and in its first column {frame.columns[0]!r}; "
            f"which are the words? Drop the column, or say frame.reset_index(drop=True)"
        )
    words = list(frame.index if first_is_numbers else frame.iloc[:, 0])
    numbers = frame if first_is_numbers else frame.iloc[:, 1:]
    for row, word in enumerate(words, start=1):
        if not isinstance(word, str) or not word:
            raise EmbeddingError(
                f"row {row:,} of the frame has {word!r} for a word; words must be texts, in the "
                f'index or the first column (pandas reads the words "nan" and "null" as missing '
                f"unless keep_default_na=False is set)"
            )
    for name, column in numbers.items():
        if not _is_numbers(column):
            raise EmbeddingError(
                f"column {name!r} of the frame holds {column.dtype}, not numbers; drop it"
            )
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused below
        matrix = numbers.to_numpy(dtype=np.float32, na_value=np.nan)
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        row, column = (int(k) for k in bad[0])
        raise EmbeddingError(
            f"column {numbers.columns[column]!r} of the frame is NaN, infinite or too large in the "
            f"row of {words[row]!r}; repair or drop the row"
        )
    return words, matrix


def _is_numbers(column: "pd.Series") -> bool:
    kind = column.dtype
    return pd.api.types.is_float_dtype(kind) or pd.api.types.is_integer_dtype(kind)
