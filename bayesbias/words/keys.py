"""Which columns make a row of a frame a pair of its own: the one place that says so.

Two words have one distance in each context, layer and embedding, whatever the connection between
them; a row is that pair under one connection. Plain averages of pairs stand here too: MAC, and
distances over contexts.
"""

import warnings
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    CONTEXT,
    DISTANCE,
    DISTANCE_TOLERANCE,
    KIND_OF_CONNECTION,
    OPTIONAL_COLUMNS,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
    TEXT_COLUMNS,
)
from bayesbias.errors import DataWarning, DistancesError, short
from bayesbias.support.arguments import Mask
from bayesbias.words.provenance import source_of

_MOST_LOST: Final = 0.1
"""Share of a kind's pairs that may be left out with words that lack some."""


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
        table = pd.crosstab(part[PROTECTED_WORD], part[ATTRIBUTE]) > 0
        n = int(table.to_numpy().sum())
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


def mean_average_distance(frame: pd.DataFrame) -> float:
    """Return MAC, the mean average cosine distance.

    The mean, over protected words and attribute sets, of a word's mean distance to the words of a
    set. Control words do not count. A pair that is in the frame twice counts once; in every
    context it has a distance of its own.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`, with stereotype attributes.

    Examples
    --------
    >>> rows = [("he", "x", "m", "associated", 0.2), ("he", "y", "m", "associated", 0.4),
    ...         ("he", "z", "w", "different", 0.9)]
    >>> columns = ["protected_word", "attribute", "attribute_set", "connection", "cosine_distance"]
    >>> round(mean_average_distance(pd.DataFrame(rows, columns=columns)), 6)
    0.6
    """
    pairs = pairs_of_sets(frame)
    return float(pairs.groupby([PROTECTED_WORD, ATTRIBUTE_SET])[DISTANCE].mean().mean())


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
