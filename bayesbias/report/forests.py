"""The forests of a report: where marks stand, and what each says when it is pointed at."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from bayesbias.constants import AFTER, BEFORE, CONNECTION, CONNECTIONS, PROTECTED_WORD
from bayesbias.fits.contrasts import verdict_shown
from bayesbias.inference.decision import DecisionRule
from bayesbias.report.parts import Forest, Mark, Row, bounds, probability, span_of
from bayesbias.support.figure_style import VERDICT_LOOKS
from bayesbias.support.text_tables import label_of, shown

ALL_WORDS: Final = "all words"


def connection_forest(table: pd.DataFrame, title: str) -> Forest:
    """Draw the mean per connection.

    Parameters
    ----------
    table : DataFrame
        Of ``Fit.summary("connection")``.
    title : str
    """
    label = label_of(table)
    rows = tuple(
        Row(r.connection, (_mean_mark(r, r.connection, label),)) for r in table.itertuples()
    )
    alt = f"{title}, {label}: " + "; ".join(
        f"{r.connection} {shown(r.mean, 'distance')} ({bounds(r)})" for r in table.itertuples()
    )
    span = span_of([*table["low"], *table["high"]])
    return Forest(title, alt, f"mean cosine distance, {label}", rows, span, reference=1.0)


def mean_forest(table: pd.DataFrame, key: str, title: str, groups: dict[str, str]) -> Forest:
    """Draw the mean per protected group or word, and connection.

    Parameters
    ----------
    table : DataFrame
        Of ``Fit.summary("group")`` or ``("word")``.
    key : str
        The column that names a row.
    title : str
    groups : dict
        The group of every word, for the filter.
    """
    label = label_of(table)
    rows = []
    for name, part in table.groupby(key, sort=False):
        marks = tuple(_mean_mark(r, f"{name}, {r.connection}", label) for r in part.itertuples())
        rows.append(Row(str(name), marks, groups.get(str(name), "")))
    alt = f"{title}, {label}; the table below has the numbers. {_extremes(table, key)}"
    span = span_of([*table["low"], *table["high"]])
    return Forest(title, alt, f"mean cosine distance, {label}", tuple(rows), span, reference=1.0)


def decision_forests(
    parts: pd.DataFrame, rule: DecisionRule, *, key: str, label: str, what: str, whole: pd.DataFrame
) -> tuple[Forest, ...]:
    """Draw contrasts or changes, a forest each: all words first, then every group or word.

    Parameters
    ----------
    parts : DataFrame
        Decisions per group or word.
    rule : DecisionRule
    key : str
        The column that names a forest.
    label : str
        The column that names a row.
    what : str
        The axis.
    whole : DataFrame
        Decisions for all words together; empty for none.
    """
    span = _decision_span(pd.concat([whole, parts]) if len(whole) else parts, rule)
    forests = []
    for name, part in parts.groupby(key, sort=False):
        rows, told = [], []
        for row in whole[whole[key] == name].itertuples() if len(whole) else ():
            text = _told(row, f"{ALL_WORDS}, {name}", rule)
            rows.append(Row(ALL_WORDS, (_decision_mark(row, text),), strong=True))
            told.append(text)
        for row in part.itertuples():
            who = str(getattr(row, label))
            rows.append(Row(who, (_decision_mark(row, _told(row, f"{who}, {name}", rule)),)))
            told.append(
                f"{who} {shown(row.mean, 'signed')} ({bounds(row, 'signed')}) {verdict_shown(row)}"
            )
        axis = f"{what}, {rule.label}"
        forests.append(Forest(str(name), "; ".join(told), axis, tuple(rows), span, 0.0, rule.width))
    return tuple(forests)


def decision_forest(
    table: pd.DataFrame, rule: DecisionRule, *, key: str, title: str, what: str
) -> Forest:
    """Draw the contrasts or changes of all words together."""
    texts = [_told(r, getattr(r, key), rule) for r in table.itertuples()]
    rows = tuple(
        Row(getattr(r, key), (_decision_mark(r, text),))
        for r, text in zip(table.itertuples(), texts, strict=True)
    )
    alt, axis = f"{title}: {'; '.join(texts)}", f"{what}, {rule.label}"
    return Forest(title, alt, axis, rows, _decision_span(table, rule), 0.0, rule.width)


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


def _mean_mark(row: Any, who: str, label: str) -> Mark:
    """Return a mean with its interval; hollow for a word without pairs of its own."""
    own = "" if row.n_pairs else "; no pairs of its own"
    pairs = f"{row.n_pairs:,.0f} pairs{own}"
    text = f"{who}: {shown(row.mean, 'distance')}, {label} {bounds(row)}, {pairs}"
    return Mark(row.connection, row.mean, row.low, row.high, text, filled=row.n_pairs > 0)


def _decision_mark(row: Any, text: str) -> Mark:
    filled = VERDICT_LOOKS[row.verdict][2]
    return Mark(row.verdict, row.mean, row.low, row.high, text, filled=filled)


def _told(row: Any, who: str, rule: DecisionRule) -> str:
    sds = "" if row.standardised != row.standardised else f" ({shown(row.standardised, 'sds')} sd)"
    return (
        f"{who}: {shown(row.mean, 'signed')}{sds}, {rule.label} {bounds(row, 'signed')}, P(< 0) "
        f"{probability(row.p_below_zero)}, {shown(row.inside_rope, 'share')} in ROPE, "
        f"{verdict_shown(row)}"
    )


def _decision_span(table: pd.DataFrame, rule: DecisionRule) -> tuple[float, float]:
    return span_of([*table["low"], *table["high"]], -1.2 * rule.width, 1.2 * rule.width, 0.0)


def _extremes(table: pd.DataFrame, key: str) -> str:
    """Name the nearest and the farthest row per connection."""
    said = []
    for connection, part in table.groupby(CONNECTION, sort=False):
        near, far = part.loc[part["mean"].idxmin()], part.loc[part["mean"].idxmax()]
        said.append(
            f"{connection}: from {shown(near['mean'], 'distance')} ({near[key]}) to "
            f"{shown(far['mean'], 'distance')} ({far[key]})"
        )
    return "; ".join(said)
