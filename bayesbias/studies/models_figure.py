"""Model comparison as a figure."""

from dataclasses import replace
from typing import Unpack

import pandas as pd

from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest, Mark, Row, plot_forests, span_of
from bayesbias.support.types import Figure


def plot_comparison(table: pd.DataFrame, **place: Unpack[Place]) -> Figure:
    """Draw differences to the best model, by leave-one-out and by marginal likelihood."""
    low, high = (table["elpd_diff"] + sign * 2 * table["diff_se"] for sign in (-1, 1))
    left = _forest(table, "estimate", table["elpd_diff"], low, high)
    forests = [(left, "expected log-density of a pair left out, difference to the best (± 2 s.e.)")]
    if table["log_marginal_likelihood"].notna().any():
        value = table["log_bayes_factor"]
        right = _forest(table, "overall", value, value, value)
        forests.append((right, "log marginal likelihood, difference to the best"))
    grid = [[replace(forest, axis=axis) for forest, axis in forests]]
    return plot_forests(grid, width=8.6 if len(forests) > 1 else 5.0, legend=False, **place)


def _forest(
    table: pd.DataFrame, look: str, mean: pd.Series, low: pd.Series, high: pd.Series
) -> Forest:
    rows = zip(table["model"], mean, low, high, strict=True)
    marks = [Row(str(name), (Mark(look, *numbers),)) for name, *numbers in rows]
    return Forest("", "", "", tuple(marks), span_of([*low, *high], 0.0), (0.0,))
