"""The real contrast among those of placebo lists, as a figure."""

from typing import TYPE_CHECKING, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.fits.refitted import ALL_GROUPS
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.figure_style import INK, Place, difference_axis, new_figure, whole
from bayesbias.support.text_tables import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PLACEBO: Final = "#5F6B73"


def plot_placebo(
    table: pd.DataFrame, lists: pd.DataFrame, rule: DecisionRule, **place: Unpack[Place]
) -> "Figure":
    """Draw every contrast, the real one over the distribution of the placebo ones.

    Parameters
    ----------
    table, lists : DataFrame
        Of a `Placebo`.
    rule : DecisionRule
    **place
        Axes to draw on, or the size of the figure.

    Returns
    -------
    matplotlib.figure.Figure
    """
    size = (6.4, 0.6 + 1.45 * len(table))
    figure, axes = new_figure(len(table), 1, size=size, sharex=True, **place)
    for axis, row in zip(axes[:, 0], table.itertuples(), strict=True):
        part = lists[(lists["contrast"] == row.contrast) & (lists["group"] == row.group)]
        whose = "" if row.group == ALL_GROUPS else f"{row.group}, "
        values = np.sort(part["mean"].to_numpy())
        excludes = ((part["low"] > 0) | (part["high"] < 0)).to_numpy()[np.argsort(part["mean"])]
        height = np.modf(np.arange(len(values)) * 0.618034)[0]  # spread evenly, without chance
        for chosen, face in ((excludes, _PLACEBO), (~excludes, "white")):
            axis.plot(
                values[chosen],
                height[chosen],
                "o",
                color=_PLACEBO,
                markerfacecolor=face,
                markersize=3.5,
                markeredgewidth=0.6,
            )
        axis.axvline(row.mean, color=INK, linewidth=2)
        real = f"{row.mean:+.3f}".replace("-", "−")
        axis.set_title(
            f"{whose}{row.contrast}\nreal {real}, p = {row.p:.3f}; {row.share:.1%} of "
            f"{row.n} placebo lists exclude 0 (nominal {percent(row.nominal)})",
            fontsize=9,
            color=INK,
        )
        axis.set_yticks([])
        axis.set_ylim(-0.15, 1.15)
    for axis in axes[:, 0]:  # only now do the shared limits hold every contrast
        difference_axis(axis, rule.width, "")
    axes[-1, 0].set_xlabel(
        "difference of mean cosine distance (line: real list; filled: placebo interval\n"
        "excludes 0; dashed: 0; grey: ROPE)"
    )
    return whole(figure)
