"""Reads word vectors from a pandas frame: one row per word, one column per dimension."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.errors import EmbeddingError


def words_and_matrix(frame: pd.DataFrame) -> tuple[list[str], NDArray[np.float32]]:
    """Return a frame's words, of its index or first column, and the numbers (n_words, dim).

    Examples
    --------
    >>> words, matrix = words_and_matrix(pd.DataFrame([[1.0, 0.0]], index=["he"]))
    >>> words, matrix.shape
    (['he'], (1, 2))
    """
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
