"""Contrasts between connections as figures."""

from typing import Final, Unpack

import pandas as pd

from bayesbias.constants import CONNECTION, GROUP, PROTECTED_WORD
from bayesbias.fits.forests import decision_forest, decision_forests
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import plot_forests
from bayesbias.support.types import Figure

_WIDTH: Final = 2.6
_MOST_ROWS: Final = 80
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
    """Draw decisions, one panel per contrast.

    `table`: of a `Contrasts`, of any level. More than 80 rows a panel are cut to the first 40 and
    the last 40 by mean. `whole`: rows for the mean over all words, drawn on top of those of single
    words. `key`: the column that names a panel. `what`: the axis.
    """
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
    """Draw changes of distance, a panel per connection: all words on top, then every word.

    `table`, `words`: of a `Change`.
    """
    what = "change of mean cosine distance, after − before"
    return plot_contrasts(words, rule, whole=table, key=CONNECTION, what=what, **place)


def _kept(table: pd.DataFrame, column: str, key: str) -> list[str]:
    """Return the rows that are drawn: all, or those farthest out in the first panel."""
    labels = list(dict.fromkeys(table[column]))
    if len(labels) <= _MOST_ROWS:
        return labels
    first = table[table[key] == table[key].iloc[0]]
    ordered = first.sort_values("mean")[column].tolist()
    return [*ordered[: _MOST_ROWS // 2], *ordered[-(_MOST_ROWS // 2) :]]
