"""Means and decisions with intervals as forests, which figures and the page draw."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE_SET, CONNECTION, GROUP, PROTECTED_WORD
from bayesbias.fits.quantities import repeat_labels
from bayesbias.fits.sentences import chance_clause
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.figure_style import LOOKS, Place
from bayesbias.support.forests import Forest, Mark, Row, plot_forests, span_of
from bayesbias.support.text_tables import bounds, label_of, probability, typeset, verdict_shown
from bayesbias.support.types import Figure

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
            replace(m, inner=thick, note=typeset(m.mean, "distance") if few else "")
            for m, thick in zip(marks, ends, strict=True)
        ]
        if "n_pairs" in table:
            counts = table["n_pairs"]
            labels = [f"{name} ({n:,} pairs)" for name, n in zip(names, counts, strict=True)]
    told = "; ".join(
        f"{name} {typeset(r.mean, 'distance')} ({bounds(r)})"
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
            group = str(getattr(row, GROUP, "")) if label == PROTECTED_WORD else ""
            rows.append(Row(who, (decision_mark(row, _told(row, f"{who}, {name}", rule)),), group))
            told.append(
                f"{who} {typeset(row.mean, 'signed')} ({bounds(row, 'signed')}) "
                f"{verdict_shown(row)}"
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
    text = f"{who}: {typeset(row.mean, 'distance')}, {label} {bounds(row)}{pairs}{own}"
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
    sds = (
        "" if row.standardised != row.standardised else f" ({typeset(row.standardised, 'sds')} sd)"
    )
    return (
        f"{who}: {typeset(row.mean, 'signed')}{sds}, {rule.label} {bounds(row, 'signed')}, P(< 0) "
        f"{probability(row.p_below_zero)}, {typeset(row.inside_rope, 'share')} in ROPE, "
        f"{verdict_shown(row)}{chance_clause(row)}"
    )


def _decision_span(table: pd.DataFrame, rule: DecisionRule) -> tuple[float, float]:
    return span_of([*table["low"], *table["high"]], -1.2 * rule.width, 1.2 * rule.width, 0.0)


def _extremes(table: pd.DataFrame, key: str) -> str:
    """Name the nearest and the farthest row per connection."""
    said = []
    for connection, part in table.groupby(CONNECTION, sort=False):
        near, far = part.loc[part["mean"].idxmin()], part.loc[part["mean"].idxmax()]
        said.append(
            f"{connection}: from {typeset(near['mean'], 'distance')} ({near[key]}) to "
            f"{typeset(far['mean'], 'distance')} ({far[key]})"
        )
    return "; ".join(said)


_WORDS_PER_COLUMN: Final = 25
_MOST_ROWS: Final = 60
_THICK: Final = ", thick: 50%"


def plot_rows(
    outer: pd.DataFrame, inner: pd.DataFrame, keys: list[str], **place: Unpack[Place]
) -> Figure:
    """Draw a line per row of a summary, of more than 60 the 30 at each end; `inner`: thick ones."""
    if len(outer) > _MOST_ROWS:
        ends = np.r_[: _MOST_ROWS // 2, len(outer) - _MOST_ROWS // 2 : len(outer)]
        outer, inner = outer.iloc[ends], inner.iloc[ends]
    forest = rows_forest(outer, keys, inner=inner)
    return plot_forests([[forest]], note=f"{_THICK}{_dashed(forest)}", legend=False, **place)


def plot_repeats(
    outer: pd.DataFrame, inner: pd.DataFrame, by: str, **place: Unpack[Place]
) -> Figure:
    """Draw the first contrast in every context or run, nearest first, and over all of them."""
    (in_each, over_all, sd_between), contrast = repeat_labels(by), outer["contrast"].iloc[0]
    outer = outer[outer["contrast"] == contrast]
    single = outer[outer["quantity"] == in_each].sort_values("mean", kind="stable")
    over = outer[outer["quantity"] == over_all]
    table = pd.concat([single, over.assign(**{by: over_all})])
    forest = rows_forest(table, [by], inner=inner.loc[table.index])
    *each, last = forest.rows
    mark = replace(last.marks[0], look="overall")
    spread = outer.loc[outer["quantity"] == sd_between, "mean"].iloc[0]
    forest = replace(
        forest,
        rows=(*each, replace(last, marks=(mark,), strong=True)),
        axis=f"{contrast}\n({label_of(table)}{_THICK}; {sd_between} {spread:.3f}; dashed: 0)",
        span=span_of([*table["low"], *table["high"]], 0.0),
        lines=(0.0,),
    )
    return plot_forests([[forest]], legend=False, **place)


def plot_words(table: pd.DataFrame, **place: Unpack[Place]) -> Figure:
    """Draw the mean distance per protected word and connection, 25 words in a column."""
    groups = dict(zip(table[PROTECTED_WORD], table[GROUP], strict=True)) if GROUP in table else {}
    whole = mean_forest(table, PROTECTED_WORD, "", groups)
    columns = -(-len(whole.rows) // _WORDS_PER_COLUMN)
    n = -(-len(whole.rows) // columns)
    forests = [
        replace(whole, rows=whole.rows[start : start + n]) for start in range(0, len(whole.rows), n)
    ]
    width = 6.0 if columns == 1 else 4.6 * columns
    return plot_forests([forests], width=width, note=_dashed(whole), **place)


def _dashed(forest: Forest) -> str:
    """Say what the dashed line at distance 1 is, where it is in sight."""
    return ", dashed: 1 (orthogonal)" if forest.lines_in_sight else ""


_WIDTH: Final = 2.6
_MOST_SHOWN: Final = 80
_DIFFERENCE: Final = "difference of mean cosine distance"
GREY: Final = " (dashed: 0; grey: ROPE)"


def plot_contrasts(
    table: pd.DataFrame,
    rule: DecisionRule,
    *,
    whole: pd.DataFrame | None = None,
    key: str = "contrast",
    what: str = _DIFFERENCE,
    **place: Unpack[Place],
) -> Figure:
    """Draw decisions, a panel per contrast (`key`), of more than 80 rows the 40 at both ends."""
    column = next((c for c in (PROTECTED_WORD, ATTRIBUTE_SET, GROUP) if c in table), None)
    if column is None:
        forest = decision_forest(table, rule, key=key, title="", what=what)
        return plot_forests([[forest]], note=GREY, **place)
    labels = _kept(table, column, key)
    parts = table.set_index(column).loc[labels].reset_index()
    whole = table.iloc[:0] if whole is None else whole
    forests = decision_forests(parts, rule, key=key, label=column, what=what, whole=whole)
    return plot_forests([forests], width=1.4 + _WIDTH * len(forests), note=GREY, **place)


def plot_changes(
    table: pd.DataFrame, words: pd.DataFrame, rule: DecisionRule, **place: Unpack[Place]
) -> Figure:
    """Draw changes of distance, a panel per connection: all words on top, then every word."""
    what = "change of mean cosine distance, after − before"
    return plot_contrasts(words, rule, whole=table, key=CONNECTION, what=what, **place)


def _kept(table: pd.DataFrame, column: str, key: str) -> list[str]:
    """Return the rows that are drawn: all, or those farthest out in the first panel; by group."""
    labels = list(dict.fromkeys(table[column]))
    if len(labels) > _MOST_SHOWN:
        first = table[table[key] == table[key].iloc[0]]
        ordered = first.sort_values("mean")[column].tolist()
        return [*ordered[: _MOST_SHOWN // 2], *ordered[-(_MOST_SHOWN // 2) :]]
    if column == PROTECTED_WORD and GROUP in table:
        group = table.drop_duplicates(column).set_index(column)[GROUP]
        return list(group.iloc[np.argsort(pd.factorize(group)[0], kind="stable")].index)
    return labels
