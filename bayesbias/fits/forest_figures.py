"""Means and contrasts with intervals as forests: connections, groups, words, attributes, terms."""

from dataclasses import replace
from typing import Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, GROUP, PROTECTED_WORD
from bayesbias.fits.forests import decision_forest, decision_forests, mean_forest, rows_forest
from bayesbias.fits.quantities import RepeatRows
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest, plot_forests, span_of
from bayesbias.support.text_tables import label_of
from bayesbias.support.types import Figure

_WORDS_PER_COLUMN: Final = 25
_MOST_ROWS: Final = 60
_THICK: Final = ", thick: 50%"


def plot_rows(
    outer: pd.DataFrame, inner: pd.DataFrame, keys: list[str], **place: Unpack[Place]
) -> Figure:
    """Draw one line per row of a summary, of more than 60 the first and the last 30.

    `inner`: ``low`` and ``high`` of the thick line. `keys`: the columns that name a row.
    """
    if len(outer) > _MOST_ROWS:
        ends = np.r_[: _MOST_ROWS // 2, len(outer) - _MOST_ROWS // 2 : len(outer)]
        outer, inner = outer.iloc[ends], inner.iloc[ends]
    n = len(outer)
    size = (6.0, 0.8 + min(0.45, 0.16 + 1.2 / n) * n)
    forest = rows_forest(outer, keys, inner=inner)
    return plot_forests(
        [[forest]], size=size, note=f"{_THICK}{_dashed(forest)}", legend="none", **place
    )


def plot_repeats(
    outer: pd.DataFrame, inner: pd.DataFrame, by: str, **place: Unpack[Place]
) -> Figure:
    """Draw the first contrast in every context or run, nearest first, and over all of them."""
    rows, contrast = RepeatRows(by), outer["contrast"].iloc[0]
    outer = outer[outer["contrast"] == contrast]
    single = outer[outer["quantity"] == rows.each].sort_values("mean", kind="stable")
    over = outer[outer["quantity"] == rows.over]
    table = pd.concat([single, over.assign(**{by: rows.over})])
    forest = rows_forest(table, [by], inner=inner.loc[table.index])
    *each, last = forest.rows
    mark = replace(last.marks[0], look="overall")
    spread = outer.loc[outer["quantity"] == rows.spread, "mean"].iloc[0]
    forest = replace(
        forest,
        rows=(*each, replace(last, marks=(mark,), strong=True)),
        axis=f"{contrast}\n({label_of(table)}{_THICK}; {rows.spread} {spread:.3f}; dashed: 0)",
        span=span_of([*table["low"], *table["high"]], 0.0),
        lines=(0.0,),
    )
    return plot_forests([[forest]], size=(6.0, 0.8 + 0.3 * len(table)), legend="none", **place)


def plot_words(table: pd.DataFrame, **place: Unpack[Place]) -> Figure:
    """Draw the mean distance per protected word and connection, 25 words in a column."""
    whole = mean_forest(table, PROTECTED_WORD, "", {})
    columns = -(-len(whole.rows) // _WORDS_PER_COLUMN)
    n = -(-len(whole.rows) // columns)
    forests = [
        replace(whole, rows=whole.rows[start : start + n]) for start in range(0, len(whole.rows), n)
    ]
    size = (6.0 if columns == 1 else 4.6 * columns, 1.1 + 0.36 * n)
    return plot_forests([forests], size=size, note=_dashed(whole), sharex=True, **place)


def _dashed(forest: Forest) -> str:
    """Say what the dashed line at distance 1 is, where it is in sight."""
    return ", dashed: 1 (orthogonal)" if forest.lines_in_sight else ""


_WIDTH: Final = 2.6
_MOST_SHOWN: Final = 80
_DIFFERENCE: Final = "difference of mean cosine distance"
_GREY: Final = " (dashed: 0; grey: ROPE)"


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
    column = next((c for c in (PROTECTED_WORD, GROUP) if c in table), None)
    if column is None:
        forest = decision_forest(table, rule, key=key, title="", what=what)
        return plot_forests([[forest]], size=(6.0, 1.2 + 0.4 * len(table)), note=_GREY, **place)
    labels = _kept(table, column, key)
    parts = table.set_index(column).loc[labels].reset_index()
    whole = table.iloc[:0] if whole is None else whole
    forests = decision_forests(parts, rule, key=key, label=column, what=what, whole=whole)
    size = (1.4 + _WIDTH * len(forests), 1.9 + 0.19 * len(labels))
    return plot_forests([forests], size=size, note=_GREY, sharex=True, sharey=True, **place)


def plot_changes(
    table: pd.DataFrame, words: pd.DataFrame, rule: DecisionRule, **place: Unpack[Place]
) -> Figure:
    """Draw changes of distance, a panel per connection: all words on top, then every word."""
    what = "change of mean cosine distance, after − before"
    return plot_contrasts(words, rule, whole=table, key=CONNECTION, what=what, **place)


def _kept(table: pd.DataFrame, column: str, key: str) -> list[str]:
    """Return the rows that are drawn: all, or those farthest out in the first panel."""
    labels = list(dict.fromkeys(table[column]))
    if len(labels) <= _MOST_SHOWN:
        return labels
    first = table[table[key] == table[key].iloc[0]]
    ordered = first.sort_values("mean")[column].tolist()
    return [*ordered[: _MOST_SHOWN // 2], *ordered[-(_MOST_SHOWN // 2) :]]
