"""Sensitivity to priors and to single words as a figure."""

from typing import Final, Unpack

import pandas as pd

from bayesbias.fits.interval_figures import decision_mark, region_of
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest, Mark, Row, plot_forests, span_of
from bayesbias.support.text_tables import label_of
from bayesbias.support.types import Figure

_MOST_WORDS: Final = 8
_SENSITIVE: Final = 0.05
_COLUMNS: Final = 3


def plot_sensitivity(
    priors: pd.DataFrame, left_out: pd.DataFrame, rule: DecisionRule, **place: Unpack[Place]
) -> Figure:
    """Draw prior sensitivities, and per contrast the words whose absence moves it most."""
    forests = [
        _priors(priors),
        *(_words(str(name), part, rule) for name, part in left_out.groupby("contrast", sort=False)),
    ]
    return plot_forests([forests], width=10.2, most=_COLUMNS, **place)


def _words(contrast: str, part: pd.DataFrame, rule: DecisionRule) -> Forest:
    """Return the words whose absence moves a contrast most."""
    order = part["shift"].abs().sort_values(ascending=False).index[:_MOST_WORDS]
    table = part.loc[order]
    rows = [Row(f"without {r.removed}", (decision_mark(r),)) for r in table.itertuples()]
    middle = float((part["mean"] - part["shift"]).iloc[0])
    axis = f"difference, {label_of(table)} (dashed: 0 and with all words; grey: ROPE)"
    span = span_of([*table["low"], *table["high"]], middle)
    return Forest(contrast, "", axis, tuple(rows), span, (middle, 0.0), region_of(rule))


def _priors(priors: pd.DataFrame) -> Forest:
    rows = [
        Row(
            r.quantity if r.applies_to == "all" else r.applies_to,
            tuple(
                Mark(name, v, v, v)
                for name, v in (("likelihood", r.likelihood), ("prior", r.prior))
            ),
            joined=True,
        )
        for r in priors.itertuples()
    ]
    axis = "power-scaling sensitivity (grey: does not count)"
    if (priors["applies_to"] != "all").any():
        axis = axis.replace(")", "; groups: associated − different)")
    high = 1.15 * max(_SENSITIVE, priors[["prior", "likelihood"]].max().max())
    title = "weight of priors and data"
    return Forest(title, "", axis, tuple(rows), (-0.02 * high, high), (), (0.0, _SENSITIVE))
