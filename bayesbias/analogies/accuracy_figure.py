"""Accuracy on analogy questions, with and without the inputs as answers."""

from typing import TYPE_CHECKING, Final

import pandas as pd

from bayesbias.support.figure_style import FAINT, INK, grid_lines, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LOOKS: Final = {"constrained": ("s", "#0072B2"), "unconstrained": ("o", "#D55E00")}


def plot_accuracy(
    categories: pd.DataFrame, summary: pd.DataFrame, *, figsize: tuple[float, float] | None = None
) -> "Figure":
    """Draw accuracy by category, a panel per method; a line joins the two settings."""
    asked = categories[categories["n_questions"] > 0]
    names = list(dict.fromkeys(asked["category"]))
    methods = list(dict.fromkeys(asked["method"]))
    size = figsize or (2.4 + 2.4 * len(methods), 1.5 + 0.24 * len(names))
    figure, axes = new_figure(1, len(methods), size=size, sharey=True)
    rows = [*names, "macro average"]
    for axis, method in zip(axes[0], methods, strict=True):
        part = asked[asked["method"] == method]
        table = part.set_index(["setting", "category"])["accuracy"]
        table = pd.DataFrame({s: table.loc[s].loc[names] for s in _LOOKS})
        total = summary[summary["method"] == method].set_index("setting")["macro"]
        table.loc["macro average"] = total
        for y, (low, high) in enumerate(zip(table.min(axis=1), table.max(axis=1), strict=True)):
            axis.plot([low, high], [y, y], color=FAINT, linewidth=2.2, zorder=1)
        for setting, (marker, colour) in _LOOKS.items():
            axis.plot(
                table[setting],
                range(len(rows)),
                marker,
                color=colour,
                markersize=5,
                linestyle="none",
                label=setting,
                zorder=2,
            )
        axis.axhline(len(names) - 0.5, color=INK, linewidth=0.6)
        axis.set_xlim(-0.03, 1.03)
        axis.set_title(method)
        axis.set_xlabel("share answered correctly")
        grid_lines(axis, "x")
    axes[0][0].set_yticks(range(len(rows)), rows)
    axes[0][0].set_ylim(len(rows) - 0.4, -0.6)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
    return figure
