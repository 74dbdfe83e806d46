"""Draw the figures that open the pages of evidence, from saved results and published posteriors."""

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
from random_lists import WEAT
from saved_results import DATA, read

import bayesbias as bb
from bayesbias.show import style as look

METHODS = {
    WEAT: "WEAT, p < .05",
    "plain t": "plain t-interval",
    "maximal": "model maximal",
}
NOMINAL = {WEAT: 5, "plain t": 11, "maximal": 11}


def dots(rows: pd.DataFrame, looks: dict[str, look.Look], title: str, label: str) -> Any:
    """Draw `x` of rows with `label`, `kind` and, where there are, ends `low` and `high`."""
    names, kinds = list(dict.fromkeys(rows["label"])), list(looks)
    height = 0.9 + 0.25 * len(names)
    with look.rows_figure(title, names, height, None, None) as (figure, axis, inches):
        for row in rows.itertuples():
            y = names.index(row.label) + 0.5 * ((kinds.index(row.kind) + 0.5) / len(kinds) - 0.5)
            mark = looks[row.kind]
            if "low" in rows:
                axis.plot([row.low, row.high], [y, y], color=mark.colour, linewidth=1)
            axis.plot([row.x], [y], linestyle="none", **mark.options)
        axis.set_yticks(range(len(names)), names)
        axis.invert_yaxis()
        axis.set_xlabel(label)
        look.legend_above(axis, looks, inches)
    return figure


def error_rates() -> Any:
    """Show the share of random lists that each method calls biased, by vectors and design."""
    rows = read("random-lists")[0].rename(columns={"false %": "x", "method": "kind"})
    rows["label"] = rows["vectors"] + ", " + rows["design"]
    weat, ours = (rows.loc[rows["kind"] == kind, "x"].round() for kind in (WEAT, "maximal"))
    looks = {METHODS[k]: mark for k, mark in look.category_looks(list(METHODS)).items()}
    title = (
        f"Without any bias WEAT is significant in {weat.min():.0f} to {weat.max():.0f}% of lists; "
        f"89% intervals of the model exclude 0 in {ours.min():.0f} to {ours.max():.0f}%"
    )
    label = "% of lists called biased (dotted: nominal, 5 and 11%)"
    figure = dots(rows.assign(kind=rows["kind"].map(METHODS)), looks, title, label)
    for share in sorted(set(NOMINAL.values())):
        figure.axes[0].axvline(share, color=look.EDGE, linestyle=":", linewidth=1, zorder=0)
    figure.axes[0].set_xlim(0, None)
    return figure


def posteriors() -> Any:
    """Show the nine published posteriors beside those of the model `paper`, by connection."""
    published = pd.read_csv(DATA / "posteriors" / "paper_posteriors.csv")
    published = published[published["level"] == "overall"]
    rows, most = [], 0.0
    for name, theirs in published.groupby("file", sort=False):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bb.BayesBiasWarning)
            frame = bb.read_distances(DATA / "distances" / name, duplicates="keep")
            ours = bb.fit(frame, "paper", seed=1).summary(ci_kind="eti")
        theirs = theirs.rename(columns={"low89": "low", "high89": "high"})
        both = [table.set_index("connection")[["mean", "low", "high"]] for table in (theirs, ours)]
        most = max(most, float(np.abs(both[0] - both[1].loc[both[0].index]).to_numpy().max()))
        label = str(name).removesuffix(".csv").removesuffix("_dataset").replace("_group", "")
        label = ", ".join(label.replace("weat_", "weat ").split("_"))
        for kind, table in zip(("published", "model paper"), both, strict=True):
            rows.append(table.assign(label=label, kind=kind).rename(columns={"mean": "x"}))
    looks = {
        "published": look.Look("o", look.CATEGORIES[0]),
        "model paper": look.Look("s", look.CATEGORIES[1]),
    }
    bound = math.ceil(most * 1000) / 1000
    title = f"The nine published posteriors come back: no mean or end differs by over {bound}"
    return dots(pd.concat(rows), looks, title, "mean cosine distance, with 89% intervals")


PICTURES = {"error-rates": error_rates, "posteriors": posteriors}
