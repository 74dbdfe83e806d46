"""The real contrast among those of placebo lists, as a figure."""

from typing import Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.fits.refitted import ALL_GROUPS
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.charts import Chart, Layer, line, plot_charts, region
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import span_of
from bayesbias.support.text_tables import percent, typeset
from bayesbias.support.types import Figure

_PLACEBO: Final = "#5F6B73"
_HEIGHTS: Final = (-0.15, 1.15)

KEY: Final = "line: real list; filled: placebo interval excludes 0; dashed: 0; grey: ROPE"


def plot_placebo(
    table: pd.DataFrame, lists: pd.DataFrame, rule: DecisionRule, **place: Unpack[Place]
) -> Figure:
    """Draw every contrast, the real one over the distribution of the placebo ones."""
    charts = placebo_charts(table, lists, rule)
    label = f"difference of mean cosine distance ({KEY})"
    return plot_charts(charts, width=6.4, height=1.45, most=1, label=label, **place)


def placebo_charts(
    table: pd.DataFrame, lists: pd.DataFrame, rule: DecisionRule
) -> tuple[Chart, ...]:
    """Return every contrast, the real one over the placebo ones, on one axis."""
    reach = 1.2 * rule.width
    span = span_of([*lists["mean"], *table["mean"], -reach, reach])
    charts = []
    for row in table.itertuples():
        part = lists[(lists["contrast"] == row.contrast) & (lists["group"] == row.group)]
        whose = "" if row.group == ALL_GROUPS else f"{row.group}, "
        values = np.sort(part["mean"].to_numpy())
        excludes = ((part["low"] > 0) | (part["high"] < 0)).to_numpy()[np.argsort(part["mean"])]
        height = np.modf(np.arange(len(values)) * 0.618034)[0]  # spread evenly, without chance
        dots = [
            Layer("points", values[k], height[k], colour=_PLACEBO, filled=filled, width=1.5)
            for k, filled in ((excludes, True), (~excludes, False))
        ]
        real = typeset(row.mean, "signed")
        charts.append(
            Chart(
                "",
                "",
                span,
                _HEIGHTS,
                (
                    region(-rule.width, rule.width, _HEIGHTS),
                    line([0, 0], _HEIGHTS, width=0.8, dashed=True),
                    *dots,
                    line([row.mean] * 2, _HEIGHTS, width=2.0),
                ),
                f"{whose}{row.contrast}\nreal {real}, p = {row.p:.3f}; {row.share:.1%} of "
                f"{row.n} placebo lists exclude 0 (nominal {percent(row.nominal)})",
                height=96.0,
            )
        )
    return tuple(charts)
