"""False alarms and hits as a figure."""

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from bayesbias.support.figure_style import grid_lines, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BLUE: Final = "#0072B2"


def plot_characteristics(table: pd.DataFrame) -> "Figure":
    """Draw how often each method says bias, a panel per effect.

    Parameters
    ----------
    table : DataFrame
        Of a `Characteristics`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    effects = list(dict.fromkeys(table["effect"]))
    methods = table.drop_duplicates("method").reset_index(drop=True)
    heights = {name: i for i, name in enumerate(methods["method"])}
    figure, axes = new_figure(
        1,
        len(effects),
        size=(4.2 + 2.2 * len(effects), 1.4 + 0.3 * len(methods)),
        sharex=True,
        sharey=True,
    )
    kinds = list(dict.fromkeys(table["components"]))
    shifts = np.linspace(-0.22, 0.22, len(kinds)) if len(kinds) > 1 else [0.0]
    faces = dict(zip(kinds, ["white", "#9CC9E8", _BLUE][: len(kinds)], strict=False))
    for axis, effect in zip(axes[0], effects, strict=True):
        for kind, shift in zip(kinds, shifts, strict=True):
            part = table[(table["effect"] == effect) & (table["components"] == kind)]
            y = part["method"].map(heights).to_numpy() + shift
            axis.hlines(y, part["low"], part["high"], color=_BLUE, linewidth=1.2)
            axis.plot(
                part["says_bias"],
                y,
                "o",
                color=_BLUE,
                markerfacecolor=faces.get(kind, _BLUE),
                markersize=5,
                label=f"effects of {kind}",
            )
        nominal = part["nominal"].astype(float)
        axis.plot(
            nominal,
            np.round(y),
            "|",
            color="#D55E00",
            markersize=11,
            markeredgewidth=1.6,
            label="nominal",
        )
        axis.set_title("no association" if effect == 0 else f"associated closer by {effect:g}")
        grid_lines(axis, "x")
        axis.set_xlim(-0.03, 1.03)
    labels = [f"{m.rule} ({m.question})" for m in methods.itertuples()]
    axes[0, 0].set_yticks(range(len(methods)), labels)
    axes[0, 0].set_ylim(len(methods) - 0.5, -0.5)
    figure.supxlabel("share of worlds in which the method says bias", fontsize=9)
    handles, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=2, frameon=False)
    return figure
