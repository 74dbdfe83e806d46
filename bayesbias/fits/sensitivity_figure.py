"""Sensitivity to priors and to single words as a figure."""

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from bayesbias.fits.contrast_figures import draw_decisions, verdict_legend
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.figure_style import FAINT, INK, difference_axis, new_figure
from bayesbias.support.text_tables import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_WORDS: Final = 8
_SENSITIVE: Final = 0.05


def plot_sensitivity(priors: pd.DataFrame, left_out: pd.DataFrame, rule: DecisionRule) -> "Figure":
    """Draw prior sensitivities, and per contrast the words whose absence moves it most.

    Parameters
    ----------
    priors, left_out : DataFrame
        Of a `Sensitivity`.
    rule : DecisionRule
        The ends of its region of practical equivalence are marked where they are in sight.

    Returns
    -------
    matplotlib.figure.Figure
    """
    contrasts = list(dict.fromkeys(left_out["contrast"]))
    columns = 3
    rows = -(-(1 + len(contrasts)) // columns)
    figure, axes = new_figure(rows, columns, size=(10.2, 0.5 + 2.5 * rows))
    panels: list[Axes] = list(axes.flat)  # type: ignore[arg-type]
    _priors(panels[0], priors)
    for axis, contrast in zip(panels[1:], contrasts, strict=False):
        part = left_out[left_out["contrast"] == contrast]
        order = part["shift"].abs().sort_values(ascending=False).index[:_MOST_WORDS]
        shown = part.loc[order]
        middle = float((part["mean"] - part["shift"]).iloc[0])
        draw_decisions(axis, shown, np.arange(len(shown)))
        axis.axvline(middle, color=INK, linewidth=0.9)
        axis.set_yticks(range(len(shown)), [f"without {w}" for w in shown["removed"]])
        axis.set_ylim(len(shown) - 0.4, -0.6)
        axis.set_title(contrast)
        label = label_of(shown)
        difference_axis(axis, 0.0, f"difference, {label} (line: with all)")
        low, high = axis.get_xlim()
        for edge in (-rule.width, rule.width):
            if low < edge < high:
                axis.axvline(edge, color=INK, linewidth=0.9, linestyle=":")
    for axis in panels[1 + len(contrasts) :]:
        figure.delaxes(axis)
    if contrasts:
        verdict_legend(figure, [left_out])
    return figure


def _priors(axis: "Axes", priors: pd.DataFrame) -> None:
    heights = np.arange(len(priors))
    axis.axvspan(0, _SENSITIVE, color=FAINT, alpha=0.55, linewidth=0)
    axis.plot(
        priors["likelihood"],
        heights,
        "o",
        color="#5F6B73",
        markerfacecolor="white",
        markersize=5,
    )
    axis.plot(priors["prior"], heights, "D", color="#D55E00", markersize=5)
    axis.set_yticks(heights, priors["quantity"])
    axis.set_ylim(len(priors) - 0.4, -0.6)
    axis.set_xlim(0, 1.15 * max(_SENSITIVE, priors[["prior", "likelihood"]].max().max()))
    axis.set_xlabel("power-scaling sensitivity (grey: does not count)")
    axis.set_title("◆ priors  ○ likelihood")
    axis.tick_params(length=0)
