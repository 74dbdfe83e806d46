"""Accuracy on analogy questions, with and without the inputs as answers."""

from typing import Final, Unpack

import pandas as pd

from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest, Mark, Row, plot_forests
from bayesbias.support.types import Figure

_SETTINGS: Final = ("constrained", "unconstrained")


def plot_accuracy(
    categories: pd.DataFrame, summary: pd.DataFrame, **place: Unpack[Place]
) -> Figure:
    """Draw accuracy by category, a panel per method; a line joins the two settings."""
    asked = categories[categories["n_questions"] > 0]
    forests = []
    for method, part in asked.groupby("method", sort=False):
        rows = [_row(str(name), p, "accuracy") for name, p in part.groupby("category", sort=False)]
        macro = _row("macro average", summary[summary["method"] == method], "macro", strong=True)
        axis = "share answered correctly"
        forests.append(Forest(str(method), "", axis, (*rows, macro), (-0.03, 1.03)))
    return plot_forests([forests], width=2.4 + 2.4 * len(forests), **place)


def _row(name: str, part: pd.DataFrame, column: str, *, strong: bool = False) -> Row:
    found = part.set_index("setting")[column]
    marks = tuple(Mark(s, found[s], found[s], found[s]) for s in _SETTINGS)
    return Row(name, marks, strong=strong, joined=True)
