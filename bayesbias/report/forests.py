"""The forests of a comparison's plain distances, before and after."""

from collections.abc import Sequence

import pandas as pd

from bayesbias.constants import AFTER, BEFORE, CONNECTION, CONNECTIONS, PROTECTED_WORD
from bayesbias.fits.forests import ALL_WORDS
from bayesbias.support.forests import Forest, Mark, Row, span_of
from bayesbias.support.text_tables import shown


def before_and_after(pairs: pd.DataFrame) -> tuple[Forest, Forest]:
    """Draw plain mean distances per connection and word, before and after, on one axis."""
    means = mean_distances(pairs, [PROTECTED_WORD, CONNECTION])
    whole = mean_distances(pairs, [CONNECTION])
    span = span_of([*means[BEFORE], *means[AFTER]])
    forests = []
    for column, side in ((BEFORE, "before"), (AFTER, "after")):
        rows = [Row(ALL_WORDS, _plain_marks(whole, column, ALL_WORDS), strong=True)]
        rows += [
            Row(str(word), _plain_marks(part, column, str(word)))
            for word, part in means.groupby(PROTECTED_WORD, sort=False)
        ]
        told = "; ".join(
            f"{c} {shown(v, 'distance')}"
            for c, v in zip(whole[CONNECTION], whole[column], strict=True)
        )
        alt, axis = f"Mean cosine distance {side}: {told}", "mean cosine distance of the pairs"
        forests.append(Forest(side, alt, axis, tuple(rows), span, lines=(1.0,)))
    return forests[0], forests[1]


def mean_distances(pairs: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the plain mean distance before and after, connections in their order."""
    columns = {BEFORE: "mean", AFTER: "mean", "change": "size"}
    means = pairs.groupby(list(by), sort=False).agg(columns).rename(columns={"change": "n_pairs"})
    means = means.reset_index()
    order = means[CONNECTION].map({c: i for i, c in enumerate(CONNECTIONS)})
    if PROTECTED_WORD in by:
        place = {w: i for i, w in enumerate(dict.fromkeys(pairs[PROTECTED_WORD]))}
        order = order + len(CONNECTIONS) * means[PROTECTED_WORD].map(place)
    return means.loc[order.sort_values(kind="stable").index].reset_index(drop=True)


def _plain_marks(means: pd.DataFrame, column: str, who: str) -> tuple[Mark, ...]:
    values = zip(means[CONNECTION], means[column], strict=True)
    return tuple(
        Mark(c, float(v), float(v), float(v), f"{who}, {c}: {shown(float(v), 'distance')}")
        for c, v in values
    )
