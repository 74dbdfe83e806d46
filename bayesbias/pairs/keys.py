"""Which columns make a row of a frame a pair of its own: the one place that says so.

Two words have one distance in each training run, context, layer and embedding, whatever the
connection between them; a row is that pair under one connection.
"""

from collections.abc import Iterable, Sequence

import pandas as pd

from bayesbias.constants import ATTRIBUTE, CONNECTION, OPTIONAL_COLUMNS, PROTECTED_WORD, REPEATING


def repeated_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns in each of whose values a pair of the frame has a distance of its own.

    Runs and contexts are told apart wherever they are named; an embedding or a layer that is the
    same in all rows tells nothing apart.
    """
    here = [column for column in OPTIONAL_COLUMNS if column in frame.columns]
    return [c for c in here if c in REPEATING or (~frame[c].duplicated()).sum() > 1]


def distance_key(columns: Iterable[str] = ()) -> list[str]:
    """Return the columns that fix one distance: the words, and what tells their copies apart."""
    return list(dict.fromkeys((PROTECTED_WORD, ATTRIBUTE, *columns)))


def pair_key(columns: Iterable[str] = ()) -> list[str]:
    """Return the columns that fix one row: those of its distance, and the connection."""
    return [*distance_key(columns), CONNECTION]


def drop_repeats(frame: pd.DataFrame, key: Sequence[str] | None = None) -> pd.DataFrame:
    """Keep the first row of every pair, or of every value of another key."""
    return frame[~frame.duplicated(pair_key(repeated_columns(frame)) if key is None else list(key))]
