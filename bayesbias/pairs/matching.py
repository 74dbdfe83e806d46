"""The same pairs in two frames of distances, before and after."""

from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    AFTER,
    ATTRIBUTE,
    BEFORE,
    CHANGE,
    CONNECTION,
    DISTANCE,
    PROTECTED_WORD,
    REFERENCE,
    RUN,
    TEXT_COLUMNS,
)
from bayesbias.errors import DistancesError
from bayesbias.pairs.checks import repeated_pairs, validate_distances
from bayesbias.pairs.keys import distance_key, pair_key, repeats
from bayesbias.pairs.profiles import averaged, coordinates_agree
from bayesbias.pairs.provenance import kinds_of_words, missing_of, source_of, with_provenance
from bayesbias.pairs.reference import reference_last, without_reference
from bayesbias.support.arguments import refuse_no_frame

COORDINATES: Final = "coordinates_agree"
"""Part of the record of a change: see `profiles.coordinates_agree`."""

_NOUN: Final = {RUN: "training run"}
"""What a column that repeats pairs is called in messages, where its name is not enough."""


def paired(before: pd.DataFrame, after: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Pair the rows of two frames of distances by their words and connection.

    Returns `pairs`, one row per pair of both, in the order of `before` and with its other columns:
    ``distance_before``, ``distance_after`` and ``change`` (after minus before) are in the place of
    the distance; and `unpaired`: the key of a pair of protected words and ``present_in``.
    """
    for frame in (before, after):
        refuse_no_frame(frame)
    copies = repeats(before)
    _refuse_one_sided(copies, repeats(after))
    key = pair_key(copies)
    left, right = _once(before, "before", copies), _once(after, "after", copies)
    known = kinds_of_words(before)
    kinds = list(dict.fromkeys([*known, *kinds_of_words(after)]))
    both = left.rename(columns={DISTANCE: BEFORE}).merge(
        right[[*key, DISTANCE, *kinds[len(known) :]]].rename(columns={DISTANCE: AFTER}),
        on=key,
        how="outer",
        indicator="present_in",
        sort=False,
    )
    alone = both[both["present_in"] != "both"]
    unpaired = alone[key].assign(
        present_in=np.where(alone["present_in"] == "left_only", "before", "after")
    )
    _refuse_disagreement(unpaired, copies)
    for column in copies:
        if not set(left[column]) & set(right[column]):
            noun = _NOUN.get(column, column)
            raise DistancesError(
                f"the two frames have no {noun} in common; name every {noun} alike on both sides: "
                f"those of two corpora that belong to no pairs may be paired in any order"
            )
    unpaired = unpaired[unpaired[CONNECTION] != REFERENCE]
    pairs = reference_last(left[key].merge(both[both["present_in"] == "both"], on=key))
    if without_reference(pairs).empty:
        raise DistancesError(
            f"the two frames have no pair in common ({left[PROTECTED_WORD].iloc[0]!r} – "
            f"{left[ATTRIBUTE].iloc[0]!r} is only in the first); compute both with one word list"
        )
    pairs[CHANGE] = pairs[AFTER] - pairs[BEFORE]
    pairs = pairs[[*TEXT_COLUMNS, BEFORE, AFTER, CHANGE, *copies, *kinds]]
    _record_both(pairs, before, after)
    return pairs, unpaired.reset_index(drop=True)


def _record_both(pairs: pd.DataFrame, before: pd.DataFrame, after: pd.DataFrame) -> None:
    """Record on the pairs where both sides came from."""
    sides = {"before": before, "after": after}
    missing = {name: missing_of(frame) for name, frame in sides.items()}
    rows = [
        {**row, "reason": f"{name}: {row['reason']}"}
        for name, found in missing.items()
        for row in found or ()
    ]
    agreement = coordinates_agree(before, after)
    with_provenance(
        pairs,
        source={
            **{name: source_of(frame) for name, frame in sides.items()},
            **({} if agreement is None else {COORDINATES: agreement}),
        },
        missing=None if None in missing.values() else rows,
        profiles=averaged([before, after], signs=(-1, 1)),
    )


def _refuse_one_sided(before: list[str], after: list[str]) -> None:
    """Refuse pairs that repeat on one side only."""
    for column in dict.fromkeys([*before, *after]):
        if column in before and column in after:
            continue
        has, lacks = ("before", "after") if column in before else ("after", "before")
        noun = _NOUN.get(column, column)
        raise DistancesError(
            f"the frame {has} has several {noun}s and the frame {lacks} has not, so that nothing "
            f"tells the difference between {noun}s from the change; give them on both sides (runs: "
            f"pairs.distances_of_runs), or one {noun} of each without the column {column!r}"
        )


def _once(frame: pd.DataFrame, where: str, copies: list[str]) -> pd.DataFrame:
    """Check a frame and keep every pair once."""
    validate_distances(frame, where=f"the frame {where}")
    return frame[~repeated_pairs(frame, where=f"the frame {where}", within=copies)]


def _refuse_disagreement(unpaired: pd.DataFrame, copies: list[str]) -> None:
    """Refuse a pair that has one connection before and another after."""
    sides = unpaired.groupby(distance_key(copies), sort=False)["present_in"].nunique()
    if (sides == 2).any():
        word, attribute = sides.index[(sides == 2).to_numpy()][0][:2]
        raise DistancesError(
            f"the pair {word!r} – {attribute!r} has one connection before and another after; "
            f"compute both frames with one word list"
        )
