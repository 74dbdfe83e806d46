"""What a frame of distances must be, and which columns make a row of it a pair of its own.

Two words have one distance in each context, layer and embedding, whatever the connection between
them; a row is that pair under one connection. Averages of pairs over contexts stand here too.
"""

import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CHANGE,
    CONNECTION,
    CONNECTIONS,
    CONTEXT,
    DISTANCE,
    DISTANCE_TOLERANCE,
    EMBEDDING,
    GROUP,
    KIND_OF_CONNECTION,
    OPTIONAL_COLUMNS,
    PAIR_COLUMNS,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
    TEXT_COLUMNS,
)
from bayesbias.errors import DataWarning, DistancesError, short
from bayesbias.support.arguments import Mask
from bayesbias.words.provenance import source_of

HALF: Final = re.compile("[\ud800-\udfff]")  # of a character
_MOST_LOST: Final = 0.1
"""Share of a kind's pairs that may be left out with words that lack some."""


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
    _refuse_two_groups(frame, where)
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


def _refuse_two_groups(frame: pd.DataFrame, where: str) -> None:
    """Refuse a protected word in two groups; all are where columns have been swapped."""
    pairs = frame[[PROTECTED_WORD, GROUP]].drop_duplicates()
    is_twice = pairs[PROTECTED_WORD].duplicated(keep=False)
    if is_twice.any():
        word = pairs.loc[is_twice, PROTECTED_WORD].iloc[0]
        groups = pairs.loc[pairs[PROTECTED_WORD] == word, GROUP]
        advice = "; keep it in one"
        if is_twice.all():
            advice = f", and so is every other; are {PROTECTED_WORD} and {ATTRIBUTE} swapped?"
        raise DistancesError(
            f"{where}: protected word {short(word)} is in the groups "
            f"{' and '.join(map(short, groups[:2]))}{advice}"
        )


def refuse_no_text(frame: pd.DataFrame, columns: Iterable[str], where: str) -> None:
    """Refuse a row that has no text where one must be."""
    for name in columns:
        column = frame[name]
        if isinstance(column.dtype, pd.StringDtype):
            bad = column.isna() | (column == "").fillna(True)
        elif pd.api.types.infer_dtype(column, skipna=False) == "string":
            # Half of a character, a lone surrogate, cannot be written.
            bad = (column == "") | column.isin([w for w in column.unique() if HALF.search(w)])
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


def repeated_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns in each of whose values a pair of the frame has a distance of its own.

    Contexts are told apart wherever they are named; an embedding or a layer that is the
    same in all rows tells nothing apart.
    """
    here = [column for column in OPTIONAL_COLUMNS if column in frame.columns]
    return [c for c in here if c == CONTEXT or (~frame[c].duplicated()).sum() > 1]


def distance_key(columns: Iterable[str] = ()) -> list[str]:
    """Return the columns that fix one distance: the words, and what tells their copies apart."""
    return list(dict.fromkeys((PROTECTED_WORD, ATTRIBUTE, *columns)))


def pair_key(columns: Iterable[str] = ()) -> list[str]:
    """Return the columns that fix one row: those of its distance, and the connection."""
    return [*distance_key(columns), CONNECTION]


def drop_repeats(frame: pd.DataFrame, key: Sequence[str] | None = None) -> pd.DataFrame:
    """Keep the first row of every pair, or of every value of another key."""
    return frame[~frame.duplicated(pair_key(repeated_columns(frame)) if key is None else list(key))]


def repeated_pairs(
    frame: pd.DataFrame,
    *,
    where: str = "the frame",
    response: str = DISTANCE,
    within: Sequence[str] = (),
) -> Mask:
    """Return which rows repeat an earlier pair, (n_pairs,); refuse a pair with two distances.

    `within`: columns in each of whose levels two words have a distance of their own.
    """
    code = frame.groupby(distance_key(within), sort=False, dropna=False).ngroup().to_numpy()
    order = np.argsort(code, kind="stable")
    first = np.flatnonzero(np.diff(code[order], prepend=-1))
    values = frame[response].to_numpy(dtype=float)[order]
    spread = np.maximum.reduceat(values, first) - np.minimum.reduceat(values, first)
    if (spread > DISTANCE_TOLERANCE).any():
        row = frame.iloc[int(order[first[int(np.argmax(spread))]])]
        what = "distance" if response == DISTANCE else "change"
        raise DistancesError(
            f"{where}: the pair {short(row[PROTECTED_WORD])} – {short(row[ATTRIBUTE])} has "
            f"different {what}s in different rows; keep one row of it, from one embedding"
        )
    repeated: Mask = frame.duplicated(pair_key(within)).to_numpy()
    return repeated


def refuse_repeated_pairs(
    frame: pd.DataFrame, response: str = DISTANCE, *, also: Sequence[str] = ()
) -> None:
    """Refuse pairs with two distances before a fit, and warn of pairs that count twice."""
    again = int(repeated_pairs(frame, response=response, within=also).sum())
    if again and source_of(frame).get("duplicates") != "keep":
        warnings.warn(
            f"{again:,} rows repeat a pair, and each is one observation counted again; drop them "
            f"with frame.drop_duplicates()",
            DataWarning,
            stacklevel=4,
        )


def whole_tables(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Leave out words and attributes that lack pairs, so that every word meets every attribute.

    Of each kind of list, those with most gaps for what they have, one after the other. Returns the
    rest and what was left out; all of it, and nothing, where a kind would lose more than a tenth.
    """
    kind, lost = frame[CONNECTION].map(KIND_OF_CONNECTION), list[tuple[str, str, str]]()
    for name, part in frame.groupby(kind, sort=False):
        pairs = part[[PROTECTED_WORD, ATTRIBUTE]].drop_duplicates()
        if (n := len(pairs)) == pairs.nunique().prod():  # counted in a tenth of the time
            continue
        table = pd.crosstab(pairs[PROTECTED_WORD], pairs[ATTRIBUTE]) > 0
        while not table.all(axis=None):
            gaps = [(~table).sum(axis=axis) / table.sum(axis=axis) for axis in (1, 0)]
            axis = int(gaps[1].max() > gaps[0].max())
            word = gaps[axis].idxmax()
            table = table.drop(word, axis=axis)
            lost.append((str(name), (PROTECTED_WORD, ATTRIBUTE)[axis], word))
        if table.to_numpy().sum() < (1.0 - _MOST_LOST) * n:
            return frame, []
    for name, column, word in lost:
        frame = frame[(frame[CONNECTION].map(KIND_OF_CONNECTION) != name) | (frame[column] != word)]
    return frame.reset_index(drop=True), [word for *_, word in lost]


def pairs_of_sets(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs that MAC averages: of stereotypes, once for each set of the attribute."""
    stereotypes = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    if stereotypes.empty:
        raise DistancesError("MAC needs stereotype attributes; the frame has only control words")
    repeated_pairs(stereotypes, within=repeated_columns(frame))  # refuses those with two distances
    return drop_repeats(stereotypes, [*distance_key(repeated_columns(frame)), ATTRIBUTE_SET])


def averaged_over_contexts(
    frame: pd.DataFrame, response: str = DISTANCE, own: Sequence[str] = ()
) -> tuple[pd.DataFrame, int]:
    """Return a frame with every pair once, its numbers the means over contexts, and how many.

    Unchanged, and 0, where all rows are of one context or one of the model's `own` columns is that
    of contexts. A pair with two distances in a context is refused.
    """
    n = frame[CONTEXT].nunique() if CONTEXT in frame.columns and CONTEXT not in own else 0
    if n < 2:
        return frame, 0
    copies = [column for column in own if column in frame]
    repeated_pairs(frame, response=response, within=[CONTEXT, *copies])
    further = [c for c in repeated_columns(frame) if c != CONTEXT]
    key = list(dict.fromkeys((*TEXT_COLUMNS, *further, *copies)))
    numbers = [c for c in frame.select_dtypes("number") if c not in key]
    means = frame.groupby(key, sort=False, dropna=False)[numbers].mean()
    once = frame.drop(columns=CONTEXT).drop_duplicates(key).reset_index(drop=True)
    once[numbers] = means.to_numpy()  # groups are in the order in which they appear
    return once, n
