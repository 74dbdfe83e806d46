"""The forests of means and of decisions, which figures and the page draw."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from bayesbias.constants import CONNECTION
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.figure_style import LOOKS
from bayesbias.support.forests import Forest, Mark, Row, span_of
from bayesbias.support.text_tables import bounds, label_of, probability, shown, verdict_shown

_FEW: Final = 8
"""Rows that have their numbers written out, at most."""

ALL_WORDS: Final = "all words"


def rows_forest(
    table: pd.DataFrame,
    keys: Sequence[str],
    title: str = "",
    *,
    inner: pd.DataFrame | None = None,
    span: tuple[float, float] | None = None,
) -> Forest:
    """Draw one line per row of a summary; with `inner` thick lines, numbers of pairs, and means."""
    label = label_of(table)
    is_mean = CONNECTION in table
    names = [", ".join(map(str, row)) for row in table[list(keys)].itertuples(index=False)]
    marks = [_mean_mark(r, name, label) for r, name in zip(table.itertuples(), names, strict=True)]
    labels = names
    if inner is not None:
        ends = inner[["low", "high"]].itertuples(index=False, name=None)
        few = len(table) <= _FEW
        marks = [
            replace(m, inner=thick, note=shown(m.mean, "distance") if few else "")
            for m, thick in zip(marks, ends, strict=True)
        ]
        if "n_pairs" in table:
            counts = table["n_pairs"]
            labels = [f"{name} ({n:,} pairs)" for name, n in zip(names, counts, strict=True)]
    told = "; ".join(
        f"{name} {shown(r.mean, 'distance')} ({bounds(r)})"
        for name, r in zip(names, table.itertuples(), strict=True)
    )
    return Forest(
        title,
        f"{title}, {label}: {told}",
        f"{'mean ' if is_mean else ''}cosine distance, {label}",
        tuple(Row(name, (mark,)) for name, mark in zip(labels, marks, strict=True)),
        span or span_of([*table["low"], *table["high"]]),
        (1.0,),
    )


def mean_forest(table: pd.DataFrame, key: str, title: str, groups: dict[str, str]) -> Forest:
    """Draw the mean per group or word (`key`), and connection; `groups` are of words, to filter."""
    label = label_of(table)
    rows = []
    for name, part in table.groupby(key, sort=False):
        marks = tuple(_mean_mark(r, f"{name}, {r.connection}", label) for r in part.itertuples())
        rows.append(Row(str(name), marks, groups.get(str(name), "")))
    alt = f"{title}, {label}; the table below has the numbers. {_extremes(table, key)}"
    span = span_of([*table["low"], *table["high"]])
    return Forest(title, alt, f"mean cosine distance, {label}", tuple(rows), span, (1.0,))


def decision_forests(
    parts: pd.DataFrame, rule: DecisionRule, *, key: str, label: str, what: str, whole: pd.DataFrame
) -> tuple[Forest, ...]:
    """Draw decisions, a forest for each `key`: those of `whole` first, then a row per `label`."""
    every = pd.concat([whole, parts]) if len(whole) else parts
    span, axis = _decision_span(every, rule), f"{what}, {label_of(parts)}"
    forests = []
    for name, part in parts.groupby(key, sort=False):
        rows, told = [], []
        for row in whole[whole[key] == name].itertuples() if len(whole) else ():
            text = _told(row, f"{ALL_WORDS}, {name}", rule)
            rows.append(Row(ALL_WORDS, (decision_mark(row, text),), strong=True))
            told.append(text)
        for row in part.itertuples():
            who = str(getattr(row, label))
            rows.append(Row(who, (decision_mark(row, _told(row, f"{who}, {name}", rule)),)))
            told.append(
                f"{who} {shown(row.mean, 'signed')} ({bounds(row, 'signed')}) {verdict_shown(row)}"
            )
        alt = "; ".join(told)
        forests.append(Forest(str(name), alt, axis, tuple(rows), span, (0.0,), region_of(rule)))
    return tuple(forests)


def decision_forest(
    table: pd.DataFrame, rule: DecisionRule, *, key: str, title: str, what: str
) -> Forest:
    """Draw the contrasts or changes of all words together."""
    texts = [_told(r, getattr(r, key), rule) for r in table.itertuples()]
    rows = tuple(
        Row(getattr(r, key), (decision_mark(r, text),))
        for r, text in zip(table.itertuples(), texts, strict=True)
    )
    alt, axis = f"{title}: {'; '.join(texts)}", f"{what}, {rule.label}"
    return Forest(title, alt, axis, rows, _decision_span(table, rule), (0.0,), region_of(rule))


def _mean_mark(row: Any, who: str, label: str) -> Mark:
    """Return a mean with its interval; hollow for a word without pairs of its own."""
    n_pairs = getattr(row, "n_pairs", None)
    pairs = "" if n_pairs is None else f", {n_pairs:,.0f} pairs"
    own = "; no pairs of its own" if n_pairs == 0 else ""
    text = f"{who}: {shown(row.mean, 'distance')}, {label} {bounds(row)}{pairs}{own}"
    look = getattr(row, CONNECTION, "estimate")
    return Mark(look, row.mean, row.low, row.high, text, filled=n_pairs != 0)


def decision_mark(row: Any, text: str = "") -> Mark:
    """Return a decision's mean and interval; the mark shows the verdict."""
    filled = LOOKS[row.verdict].is_filled
    return Mark(row.verdict, row.mean, row.low, row.high, text, filled=filled)


def region_of(rule: DecisionRule) -> tuple[float, float] | None:
    """Return the ends of the region of practical equivalence; None if it has no width."""
    return (-rule.width, rule.width) if rule.width else None


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
