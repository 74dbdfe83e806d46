"""Checks a frame of distances before it is analysed."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    CHANGE,
    CONNECTION,
    CONNECTIONS,
    DISTANCE,
    DISTANCE_TOLERANCE,
    EMBEDDING,
    GROUP,
    PAIR_COLUMNS,
    PROTECTED_WORD,
    TEXT_COLUMNS,
)
from bayesbias.errors import DistancesError, short

_HALF: Final = re.compile("[\ud800-\udfff]")


def validate_distances(
    frame: pd.DataFrame,
    *,
    where: str = "the frame",
    response: str = DISTANCE,
    within: Sequence[str] = (),
) -> None:
    """Check that a frame of distances can be analysed.

    `where`: what messages call the frame. `response`: the column to analyse; a change is from −2 to
    2. `within`: as in `repeated_pairs`; only with ``embedding`` may there be several embeddings.
    """
    if not isinstance(frame, pd.DataFrame):
        raise DistancesError(f"{where}: is a {type(frame).__name__}, not a pandas DataFrame")
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DistancesError(f"{where}: has the column {twice!r} twice")
    needed = (*TEXT_COLUMNS, response)
    refuse_lacking(frame, needed, where)
    if frame.empty:
        raise DistancesError(f"{where}: has no rows")
    refuse_no_text(frame, TEXT_COLUMNS, where)
    unknown = ~frame[CONNECTION].isin(CONNECTIONS)
    _refuse_rows(frame, unknown, where, f"unknown connection; valid: {', '.join(CONNECTIONS)}")
    _refuse_swapped(frame, where)
    if not pd.api.types.is_float_dtype(frame[response]):
        raise DistancesError(f"{where}: column {response!r} must hold floating-point numbers")
    lowest, what = (0, "a cosine distance") if response == DISTANCE else (-2, "a change")
    values = frame[response].to_numpy(dtype=float, na_value=np.nan)
    _refuse_rows(
        frame,
        np.isnan(values),
        where,
        f"{response} is missing; drop such rows, by frame.dropna(subset=[{response!r}])",
    )
    outside = ~((values >= lowest - DISTANCE_TOLERANCE) & (values <= 2 + DISTANCE_TOLERANCE))
    advice = "; of similarities, write 1 − similarity" if response == DISTANCE else ""
    _refuse_rows(frame, outside, where, f"{what} must be a number from {lowest} to 2{advice}")
    several = EMBEDDING in frame.columns and (~frame[EMBEDDING].duplicated()).sum() > 1
    if several and EMBEDDING not in within:
        raise DistancesError(
            f"{where}: holds several embeddings; analyse one at a time: "
            f"frame[frame.{EMBEDDING} == {frame[EMBEDDING].iloc[0]!r}]"
        )
    for column, what in ((PROTECTED_WORD, "protected words"), (ATTRIBUTE, "attributes")):
        if frame[column].nunique() < 2:
            raise DistancesError(
                f"{where}: has only one of the {what} ({short(frame[column].iloc[0])}); the spread "
                f"between words needs at least two"
            )


def refuse_lacking(frame: pd.DataFrame, needed: Sequence[str], where: str, more: str = "") -> None:
    """Refuse a frame that lacks columns; all of them are told, and those that it has."""
    lacking = [column for column in needed if column not in frame.columns]
    if lacking:
        columns = "column" if len(lacking) == 1 else "columns"
        raise DistancesError(
            f"{where}: lacks the {columns} {', '.join(map(repr, lacking))}; needed: "
            f"{', '.join(needed)}{more}; it has {', '.join(map(short, frame.columns[:20]))}"
        )


def _refuse_swapped(frame: pd.DataFrame, where: str) -> None:
    """Refuse protected words that are all in several groups, as attributes of swapped columns are.

    A single word may be: groups are of rows.
    """
    pairs = frame[[PROTECTED_WORD, GROUP]].drop_duplicates()
    if len(pairs) and pairs[PROTECTED_WORD].duplicated(keep=False).all():
        word = pairs[PROTECTED_WORD].iloc[0]
        groups = pairs.loc[pairs[PROTECTED_WORD] == word, GROUP]
        raise DistancesError(
            f"{where}: protected word {short(word)} is in the groups "
            f"{' and '.join(map(short, groups[:2]))}, and so is every other; are "
            f"{PROTECTED_WORD} and {ATTRIBUTE} swapped?"
        )


def refuse_no_text(frame: pd.DataFrame, columns: Iterable[str], where: str) -> None:
    """Refuse a row that has no text where one must be."""
    for name in columns:
        column = frame[name]
        if isinstance(column.dtype, pd.StringDtype):
            bad = column.isna() | (column == "").fillna(True)
        elif pd.api.types.infer_dtype(column, skipna=False) == "string":
            # Half of a character, a lone surrogate, cannot be written.
            bad = (column == "") | column.isin([w for w in column.unique() if _HALF.search(w)])
        else:
            bad = column.map(lambda value: not isinstance(value, str) or not value).astype(bool)
        _refuse_rows(frame, bad, where, f"column {name!r} is empty or not a text")


def place_of(table: "pd.DataFrame | pd.Series[Any]", row: int) -> str:
    """Say in which line or row of its file a row is, if the index says so, else which row it is."""
    name = table.index.name
    of_file = name in ("line", "row") and pd.api.types.is_integer_dtype(table.index)
    return f"{name} {table.index[row]:,}" if of_file else f"row {row + 1:,}"


def _refuse_rows(frame: pd.DataFrame, bad: Any, where: str, message: str) -> None:
    if bad.any():
        row = int(np.flatnonzero(np.asarray(bad))[0])
        shown_columns = [c for c in (*PAIR_COLUMNS, CHANGE) if c in frame.columns]
        values = frame[shown_columns].iloc[[row]].to_dict("records")[0]
        shown = ", ".join(f"{key} {short(value)}" for key, value in values.items())
        raise DistancesError(f"{where}: {place_of(frame, row)} ({shown}): {message}")
