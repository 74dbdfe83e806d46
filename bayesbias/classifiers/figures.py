"""Gaps and the resampling protocol as figures."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bayesbias.show import style as look
from bayesbias.show.figures import draw_forest
from bayesbias.show.style import EDGE, INK, Size


def plot_gaps(table: pd.DataFrame, title: str, label: str, *, size: Size = None) -> Figure:
    """Draw gaps, a panel per metric, rows as the first one orders them; × is an undefined gap."""
    metrics = list(dict.fromkeys(table["metric"]))
    several = len(table["contrast"].unique()) > 1
    # A mark is the posterior mean, which the prior pulls away from the observed gap.
    is_posterior = "mean" in table
    mean = table["mean" if is_posterior else "gap"]
    names = table["class"] + (", " + table["contrast"] if several else "")
    table = table.assign(row=names, mean=mean)
    order = table[table["metric"] == metrics[0]].sort_values("gap")["row"].tolist()
    rope = float(table["rope"].iloc[0])
    contrast = "" if several else f" {table['contrast'].iloc[0]}"
    what = f"{'posterior mean of the gap' if is_posterior else 'gap'}{contrast}, {label}"
    width = look.width_of(size)
    columns = max(1, min(len(metrics), int(width / 1.7)))
    lines = -(-len(metrics) // columns)
    with look.style(width):
        height = look.title_height(title, width) + 0.8 + lines * (0.5 + 0.19 * len(order))
        figure, axes = look.new_figure(lines, columns, size, height, sharey=True, sharex=True)
        for axis, (metric, part) in zip(axes, table.groupby("metric", sort=False), strict=False):
            rows = part.set_index("row").loc[order].reset_index()
            rows["y"] = np.arange(len(rows), dtype=float)
            defined = rows["reason"] == ""
            draw_forest(axis, rows[defined], rows.loc[defined, "row"].tolist(), rope=rope)
            axis.plot(np.zeros((~defined).sum()), rows.loc[~defined, "y"], "x", color=EDGE)
            axis.set_yticks(rows["y"], rows["row"], parse_math=False)
            axis.set_ylim(len(rows) - 0.3, -0.7)
            axis.grid(axis="x")
            axis.set_title(str(metric))
            look.fewer_ticks(axis, 0.7 * width / columns)
        for axis in axes[len(metrics) :]:
            axis.remove()
        text = f"◄ lower    {what}{', grey: ROPE' if rope else ''}    higher ►"
        figure.supxlabel(look.folded(text, width, 8), fontsize=8)
        look.set_title(figure, title)
    return figure


def plot_protocol(scores: pd.DataFrame, title: str, *, size: Size = None) -> Figure:
    """Draw box plots of scores per size of the subsamples: metrics across, classes down."""
    metrics = scores["metric"].unique()
    lines = scores[["class", "contrast"]].drop_duplicates().to_numpy().tolist()
    line = {"color": "#6B6B6B"}
    boxes: dict[str, Any] = {"boxprops": line, "whiskerprops": line, "capprops": line}
    boxes |= {"widths": 0.55, "medianprops": {"color": INK}}
    boxes |= {"flierprops": {"markersize": 3, "markeredgecolor": line["color"]}}
    width = look.width_of(size)
    with look.style(width):
        height = look.title_height(title, width) + 0.5 + 1.6 * len(lines)
        shape = len(lines), len(metrics)
        figure, axes = look.new_figure(*shape, size, height, sharey="row", sharex=True)
        for axis, ((label, contrast), metric) in zip(axes, product(lines, metrics), strict=True):
            keys = scores[["class", "contrast", "metric"]] == [label, contrast, metric]
            by_size = dict(list(scores[keys.all(axis=1)].groupby("size")["value"]))
            values = [part.dropna().to_numpy() for part in by_size.values()]
            axis.boxplot(values, positions=range(len(values)), **boxes)
            axis.set_xticks(range(len(by_size)), [f"{n:,}" for n in by_size])
            axis.grid(axis="y")
            axis.set_title(f"{label}: {metric}" if label else metric)
            if contrast:
                axis.axhline(0, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
            if metric == metrics[0]:
                axis.set_ylabel(f"gap {contrast}" if contrast else "score")
        figure.supxlabel("rows per subsample, training and test together", fontsize=8)
        look.set_title(figure, title)
    return figure
