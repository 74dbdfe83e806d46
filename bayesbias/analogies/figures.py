"""Accuracy on analogy questions as a figure."""

import pandas as pd
from matplotlib.figure import Figure

from bayesbias.show import style as look
from bayesbias.show.style import Size


def plot_accuracy(
    table: pd.DataFrame, summary: pd.DataFrame, title: str, *, size: Size = None
) -> Figure:
    """Draw accuracy by category, a panel per method; a line joins the two settings."""
    methods = list(summary["method"].unique())
    categories = list(table["category"].unique())
    settings = {
        "constrained": look.Look("s", look.INK),
        "unconstrained": look.Look("o", look.INK, False),
    }
    width = look.width_of(size)
    columns = max(1, min(len(methods), int(width / 1.7)))
    lines = -(-len(methods) // columns)
    with look.style(width):
        height = look.title_height(title, width) + 0.7 + lines * (0.4 + 0.19 * len(categories))
        figure, axes = look.new_figure(lines, columns, size, height, sharey=True, sharex=True)
        for axis, method in zip(axes, methods, strict=False):
            own = table[table["method"] == method].pivot_table("accuracy", "category", "setting")
            macro = summary[summary["method"] == method].set_index("setting")["macro"]
            rows = own.reindex(categories)
            rows.loc["macro average"] = macro
            y = range(len(rows))
            axis.hlines(y, rows.min(axis=1), rows.max(axis=1), color=look.FAINT, linewidth=2.2)
            for setting, mark in settings.items():
                axis.plot(rows[setting], y, linestyle="none", **mark.options)
            axis.set_yticks(y, rows.index, parse_math=False)
            axis.set(xlim=(-0.03, 1.03), ylim=(len(rows) - 0.3, -0.7), title=str(method))
            axis.axhline(len(rows) - 1.5, color=look.INK, linewidth=0.6)
            axis.grid(axis="x")
        for axis in axes[len(methods) :]:
            axis.remove()
        text = "share answered correctly (■ constrained, ○ unconstrained)"
        figure.supxlabel(look.folded(text, width, 8), fontsize=8)
        look.set_title(figure, title)
    return figure
