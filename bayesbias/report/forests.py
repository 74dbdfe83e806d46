"""The forests of a report: where marks stand, and what each says when it is pointed at."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from bayesbias.constants import AFTER, BEFORE, CONNECTION, CONNECTIONS, PROTECTED_WORD
from bayesbias.report.parts import Forest, Mark, Row, bounds, probability, shown, span_of
from bayesbias.support.text_tables import interval_label


def group_forest(groups: pd.DataFrame, title: str) -> Forest:
    """Draw the mean per connection."""
    label = _label(groups)
    rows = tuple(
        Row(r.connection, (_mean_mark(r, r.connection, label),)) for r in groups.itertuples()
    )
    alt = f"{title}, {label}: " + "; ".join(
        f"{r.connection} {shown(r.mean, 'distance')} ({bounds(r)})" for r in groups.itertuples()
    )
    span = span_of([*groups["low"], *groups["high"]])
    return Forest(title, alt, f"mean cosine distance, {label}", rows, span, reference=1.0)


def word_forest(words: pd.DataFrame, title: str, groups: dict[str, str]) -> Forest:
    """Draw the mean per protected word and connection."""
    label = _label(words)
    rows = []
    for word, part in words.groupby(PROTECTED_WORD, sort=False):
        marks = tuple(_mean_mark(r, f"{word}, {r.connection}", label) for r in part.itertuples())
        rows.append(Row(str(word), marks, groups.get(str(word), "")))
    alt = f"{title}, {label}; the table below has the numbers. " + _extremes(words)
    span = span_of([*words["low"], *words["high"]])
    return Forest(title, alt, f"mean cosine distance, {label}", tuple(rows), span, reference=1.0)


def decision_forests(
    groups: pd.DataFrame, words: pd.DataFrame, key: str, axis: str
) -> tuple[Forest, ...]:
    """Draw contrasts or changes, one forest each: the group mean first, then every word."""
    label, rope = _label(groups), float(groups["rope"].iloc[0])
    span = _decision_span(pd.concat([groups, words]), rope)
    forests = []
    for group in groups.itertuples():
        name = getattr(group, key)
        rows = [Row("group mean", (_decision_mark(group, f"group mean, {name}", label),),
                    strong=True)]  # fmt: skip
        part = words[words[key] == name]
        rows += [
            Row(r.protected_word, (_decision_mark(r, f"{r.protected_word}, {name}", label),))
            for r in part.itertuples()
        ]
        alt = f"{_told(group, name, label)} for the group. " + "; ".join(
            f"{r.protected_word} {shown(r.mean, 'signed')} ({bounds(r, 'signed')}) {r.verdict}"
            for r in part.itertuples()
        )
        forests.append(
            Forest(name, alt, f"{axis}, {label}", tuple(rows), span, reference=0.0, rope=rope)
        )
    return tuple(forests)


def group_decisions(groups: pd.DataFrame, key: str, title: str, axis: str) -> Forest:
    """Draw the contrasts or changes of the group alone."""
    label, rope = _label(groups), float(groups["rope"].iloc[0])
    rows = tuple(
        Row(getattr(r, key), (_decision_mark(r, getattr(r, key), label),))
        for r in groups.itertuples()
    )
    alt = f"{title}: " + "; ".join(
        _told(r, getattr(r, key), label) for r in groups.itertuples()
    )  # fmt: skip
    span = _decision_span(groups, rope)
    return Forest(title, alt, f"{axis}, {label}", rows, span, reference=0.0, rope=rope)


def before_and_after(pairs: pd.DataFrame) -> tuple[Forest, Forest]:
    """Draw plain mean distances per connection and word, before and after, on one axis."""
    means = mean_distances(pairs, [PROTECTED_WORD, CONNECTION])
    whole = mean_distances(pairs, [CONNECTION])
    span = span_of([*means[BEFORE], *means[AFTER]])
    forests = []
    for column, side in ((BEFORE, "before"), (AFTER, "after")):
        rows = [Row("all words", _plain_marks(whole, column, "all words"), strong=True)]
        rows += [
            Row(str(word), _plain_marks(part, column, str(word)))
            for word, part in means.groupby(PROTECTED_WORD, sort=False)
        ]
        told = "; ".join(
            f"{c} {shown(v, 'distance')}"
            for c, v in zip(whole[CONNECTION], whole[column], strict=True)
        )
        alt, axis = f"Mean cosine distance {side}: {told}", "mean cosine distance of the pairs"
        forests.append(Forest(side, alt, axis, tuple(rows), span, reference=1.0))
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


def _label(table: pd.DataFrame) -> str:
    return interval_label(table["prob"].iloc[0], table["interval"].iloc[0])


def _mean_mark(row: Any, who: str, label: str) -> Mark:
    """Return a mean with its interval; hollow for a word without pairs of its own."""
    own = "" if row.n_pairs else "; no pairs of its own"
    text = (
        f"{who}: {shown(row.mean, 'distance')}, {label} {bounds(row)}, {row.n_pairs:,} pairs{own}"
    )
    return Mark(row.connection, row.mean, row.low, row.high, text, filled=row.n_pairs > 0)


def _decision_mark(row: Any, who: str, label: str) -> Mark:
    return Mark(
        row.verdict, row.mean, row.low, row.high, _told(row, who, label),
        filled=row.verdict != "undecided",
    )  # fmt: skip


def _told(row: Any, who: str, label: str) -> str:
    return (
        f"{who}: {shown(row.mean, 'signed')}, {label} {bounds(row, 'signed')}, P(< 0) "
        f"{probability(row.p_below_zero)}, {shown(row.inside_rope, 'share')} in ROPE, "
        f"{row.verdict}"
    )


def _decision_span(table: pd.DataFrame, rope: float) -> tuple[float, float]:
    return span_of([*table["low"], *table["high"]], -1.2 * rope, 1.2 * rope, 0.0)


def _extremes(words: pd.DataFrame) -> str:
    """Name the nearest and the farthest word per connection."""
    said = []
    for connection, part in words.groupby(CONNECTION, sort=False):
        near, far = part.loc[part["mean"].idxmin()], part.loc[part["mean"].idxmax()]
        said.append(
            f"{connection}: from {shown(near['mean'], 'distance')} ({near[PROTECTED_WORD]}) to "
            f"{shown(far['mean'], 'distance')} ({far[PROTECTED_WORD]})"
        )
    return "; ".join(said)
