"""Several embeddings or times as figures, in standard deviations of a neutral pair's distance."""

from collections.abc import Mapping
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, EMBEDDING, GROUP
from bayesbias.fits.contrasts import STANDARDISED
from bayesbias.fits.interval_figures import decision_mark, rows_forest
from bayesbias.support.figure_style import (
    DASHED,
    FAINT,
    INK,
    LOOKS,
    Place,
    finished,
    grid_lines,
    panels,
    set_title,
)
from bayesbias.support.forests import Forest, Row, plot_forests, span_of
from bayesbias.support.text_tables import bounds, label_of, typeset
from bayesbias.support.types import Axes, Figure

_WIDTH: Final = 2.5


def plot_embeddings(means: pd.DataFrame, contrasts: pd.DataFrame, **place: Unpack[Place]) -> Figure:
    """Draw mean distances (above) and contrasts (below), a panel each, a line per embedding."""
    span = span_of([*means["low"], *means["high"]])
    upper = [
        rows_forest(part, [EMBEDDING], str(name), span=span)
        for name, part in means.groupby(CONNECTION, sort=False)
    ]
    lower = forests_in_sds(contrasts, EMBEDDING, "contrast")
    width = 1.0 + _WIDTH * max(len(upper), len(lower))
    return plot_forests([upper, lower], width=width, **place)


def forests_in_sds(table: pd.DataFrame, key: str, panel: str) -> list[Forest]:
    """Return decisions with their ROPE: a forest for each value of `panel`, a row for each key."""
    seen = shown_in_sds(table)
    reach = 1.2 * float(seen["rope"].max())
    span, label = span_of([*seen["low"], *seen["high"]], -reach, reach), label_of(table)
    axis = f"difference in sd of a neutral pair, {label} (dashed: 0; grey: ROPE)"
    found = []
    for name, part in seen.groupby(panel, sort=False):
        names = part[key].astype(str)
        told = [
            f"{who}: {typeset(row.mean, 'sds')} sd, {label} {bounds(row, 'sds')}, {row.verdict}"
            for who, row in zip(names, part.itertuples(), strict=True)
        ]
        rows = [
            Row(who, (decision_mark(row, text),), rope=row.rope)
            for who, row, text in zip(names, part.itertuples(), told, strict=True)
        ]
        alt = f"{name}: {'; '.join(told)}"
        found.append(Forest(str(name), alt, axis, tuple(rows), span, (0.0,)))
    return found


def shown_in_sds(contrasts: pd.DataFrame) -> pd.DataFrame:
    """Return contrasts in standard deviations of a neutral pair's distance, with their ROPE."""
    mean, low, high = (contrasts[name] for name in STANDARDISED)
    rope = contrasts["rope"] * (high - low) / (contrasts["high"] - contrasts["low"])
    return contrasts.assign(mean=mean, low=low, high=high, rope=rope)


_COLUMNS: Final = 3


def plot_over_time(
    levels: pd.DataFrame, trend: pd.DataFrame, times: Mapping[str, float], **place: Unpack[Place]
) -> Figure:
    """Draw a contrast over time with its band, and its line: a panel for all groups and for each.

    `levels` and `trend` are those of `OverTime`, of one contrast, in sds of a neutral pair.
    """
    groups = list(levels[GROUP].unique())
    n, width = len(groups), 1.2 + 3.2 * min(len(groups), _COLUMNS)
    shared: dict[str, Any] = {"sharex": True, "sharey": True}
    axes = panels(n, place, width=width, height=2.5, least=2.0, most=_COLUMNS, **shared)
    for axis, group in zip(axes.flat, groups, strict=False):
        rows = levels[levels[GROUP] == group]
        _draw(axis, rows, trend[trend[GROUP] == group].iloc[0], times)
        set_title(axis, str(group))
    for axis in axes.flat[n - axes.shape[1] : n]:
        axis.tick_params(labelbottom=True)  # below it there may be no panel
    contrast, label = levels["contrast"].iloc[0], label_of(levels)
    for axis in axes[:, 0]:
        axis.set_ylabel(f"{contrast}, sd of a neutral pair, {label}")
    return finished(axes, place)


def _draw(axis: Axes, rows: pd.DataFrame, line: pd.Series, times: Mapping[str, float]) -> None:
    """Draw the means with their intervals as a band, the region of no difference, and the line."""
    x = np.array([times[name] for name in rows["time"]])
    seen = shown_in_sds(rows)
    mean, low, high = (seen[name].to_numpy() for name in ("mean", "low", "high"))
    look, rope = LOOKS["associated"], float(seen["rope"].iloc[0])
    axis.axhspan(-rope, rope, color=FAINT, alpha=0.55, linewidth=0, zorder=0)
    axis.axhline(0.0, **DASHED, zorder=0.5)
    axis.fill_between(x, low, high, color=look.colour, alpha=0.22, linewidth=0)
    axis.plot(x, mean, color=look.colour, marker=look.marker, markersize=5, linewidth=1.3)
    # Least squares go through the middle of the times.
    ends = np.array([x.min(), x.max()])
    share = (ends - x.mean()) / np.ptp(x)
    axis.plot(ends, mean.mean() + share * line["standardised"], color=INK, linestyle=":")
    if not all(name.replace(".", "", 1).lstrip("-").isdigit() for name in times):
        axis.set_xticks(list(times.values()), list(times))
    grid_lines(axis, "y")
