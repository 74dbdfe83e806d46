"""False alarms and hits as a figure."""

from typing import Final, Unpack

import pandas as pd

from bayesbias.support.figure_style import INK, LOOKS, Look, Place
from bayesbias.support.forests import Forest, Mark, Row, plot_forests
from bayesbias.support.types import Figure

_FACES: Final = ("w", "#AAAAAA", INK)


def plot_characteristics(table: pd.DataFrame, **place: Unpack[Place]) -> Figure:
    """Draw how often each method says bias, of a `Characteristics`, a panel per effect."""
    kinds = list(dict.fromkeys(table["components"]))
    looks = {f"effects of {k}": Look("o", INK, f) for k, f in zip(kinds, _FACES, strict=False)}
    looks["nominal"] = LOOKS["nominal"]
    forests = [_forest(effect, part) for effect, part in table.groupby("effect", sort=False)]
    return plot_forests([forests], width=4.2 + 2.2 * len(forests), looks=looks, **place)


def _forest(effect: float, table: pd.DataFrame) -> Forest:
    rows = []
    for _, part in table.groupby("method", sort=False):
        marks = [
            Mark(f"effects of {r.components}", r.says_bias, r.low, r.high)
            for r in part.itertuples()
        ]
        nominal = part["nominal"].astype(float).iloc[0]
        if nominal == nominal:
            marks.insert(len(marks) // 2 + 1, Mark("nominal", nominal, nominal, nominal))
        first = part.iloc[0]
        rows.append(Row(f"{first['rule']} ({first['question']})", tuple(marks)))
    title = "no association" if effect == 0 else f"associated closer by {effect:g}"
    axis = "share of worlds in which the method says bias"
    return Forest(title, "", axis, tuple(rows), (-0.03, 1.03))
