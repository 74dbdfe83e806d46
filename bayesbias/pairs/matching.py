"""The same pairs in two frames of distances, before and after."""

from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    AFTER,
    ATTRIBUTE,
    ATTRIBUTE_SET,
    BEFORE,
    CHANGE,
    CONNECTION,
    DISTANCE,
    GROUP,
    PROTECTED_WORD,
)
from bayesbias.errors import DistancesError
from bayesbias.pairs.distance_frame import validate_distances

_KEY: Final = [PROTECTED_WORD, ATTRIBUTE, CONNECTION]
_SAME_DISTANCE: Final = 1e-6


def paired(before: pd.DataFrame, after: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Pair the rows of two frames of distances by their words and connection.

    Parameters
    ----------
    before, after : DataFrame

    Returns
    -------
    pairs : DataFrame
        One row per pair of both, in the order of `before` and with its groups and attribute sets:
        the usual columns with ``distance_before``, ``distance_after`` and ``change`` (after minus
        before, −2 to 2) in place of the distance. A pair that stands on one side several times
        counts once.
    unpaired : DataFrame
        ``protected_word``, ``attribute``, ``connection``, ``present_in``.

    Raises
    ------
    DistancesError
        As `compare_change`.
    """
    left, right = _once(before, "before"), _once(after, "after")
    both = left.rename(columns={DISTANCE: BEFORE}).merge(
        right[[*_KEY, DISTANCE]].rename(columns={DISTANCE: AFTER}),
        on=_KEY, how="outer", indicator="present_in", sort=False,
    )  # fmt: skip
    alone = both[both["present_in"] != "both"]
    unpaired = alone[_KEY].assign(
        present_in=np.where(alone["present_in"] == "left_only", "before", "after")
    )
    _refuse_disagreement(unpaired)
    pairs = left[_KEY].merge(both[both["present_in"] == "both"], on=_KEY)
    if pairs.empty:
        raise DistancesError(
            f"the two frames have no pair in common ({left[PROTECTED_WORD].iloc[0]!r} – "
            f"{left[ATTRIBUTE].iloc[0]!r} is only in the first); compute both with one word list"
        )
    pairs[CHANGE] = pairs[AFTER] - pairs[BEFORE]
    columns = [PROTECTED_WORD, GROUP, ATTRIBUTE, ATTRIBUTE_SET, CONNECTION, BEFORE, AFTER, CHANGE]
    pairs = pairs[columns]
    sources = {name: f.attrs.get("source", {}) for name, f in
               (("before", before), ("after", after))}  # fmt: skip
    missing = [
        {**row, "reason": f"{name}: {row['reason']}"}
        for name, f in (("before", before), ("after", after))
        for row in f.attrs.get("missing") or []
    ]
    recorded = "missing" in before.attrs and "missing" in after.attrs
    pairs.attrs = {"source": sources, **({"missing": missing} if recorded else {})}
    return pairs, unpaired.reset_index(drop=True)


def _once(frame: pd.DataFrame, where: str) -> pd.DataFrame:
    """Check a frame and keep every pair once."""
    validate_distances(frame, where=f"the frame {where}")
    spread = frame.groupby(_KEY, sort=False)[DISTANCE].agg(["min", "max"])
    differs = spread.index[(spread["max"] - spread["min"]).to_numpy() > _SAME_DISTANCE]
    if len(differs):
        word, attribute, _ = differs[0]
        raise DistancesError(
            f"the frame {where}: the pair {word!r} – {attribute!r} stands there with different "
            f"distances; keep one row of it"
        )
    return frame.drop_duplicates(_KEY)


def _refuse_disagreement(unpaired: pd.DataFrame) -> None:
    """Refuse a pair that has one connection before and another after."""
    words = [PROTECTED_WORD, ATTRIBUTE]
    sides = unpaired.groupby(words, sort=False)["present_in"].nunique()
    if (sides == 2).any():
        word, attribute = sides.index[(sides == 2).to_numpy()][0]
        raise DistancesError(
            f"the pair {word!r} – {attribute!r} has one connection before and another after; "
            f"compute both frames with one word list"
        )
