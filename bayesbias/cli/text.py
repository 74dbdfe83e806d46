"""Tables and sentences for the terminal."""

import pandas as pd

from bayesbias.constants import CONNECTION, INNER_PROB
from bayesbias.fits.contrasts import can_compare
from bayesbias.fits.fit_result import Fit
from bayesbias.support.text_tables import Blocks, Table, interval_label


def summary_blocks(fit: Fit, prob: float, interval: str, rope: float) -> Blocks:
    """Return a fit's group means, contrasts, predictive check and diagnostics, to be shown."""
    groups = fit.group_summary(prob=prob, interval=interval)
    coverage = fit.coverage(probs=tuple({prob: 0, INNER_PROB: 0}), interval=interval)
    shares = coverage[coverage[CONNECTION] == "all"]
    return [
            "Mean cosine distance (0 same direction, 1 unrelated, 2 opposite):",
            "",
            group_table(groups),
            "",
            *_contrast_blocks(fit, prob, interval, rope),
            "Predictive check: "
            + ", ".join(f"{r.inside:.1%} of pairs inside the {100 * r.prob:g}% interval"
                        for r in shares.itertuples())
            + ".",
            fit.diagnostics.sentence,
            *([fit.caution] if fit.caution else []),
    ]  # fmt: skip


def group_table(groups: pd.DataFrame) -> Table:
    """Return a group summary as a table to be shown."""
    label = interval_label(groups["prob"].iloc[0], groups["interval"].iloc[0])
    shown = pd.DataFrame(
        {
            "connection": groups[CONNECTION],
            "pairs": groups["n_pairs"].map("{:,}".format),
            "mean": groups["mean"].map("{:.3f}".format),
            "sd": groups["sd"].map("{:.3f}".format),
            label: [f"{r.low:.3f} to {r.high:.3f}" for r in groups.itertuples()],
            "ESS": [_or_dash(value, ",.0f") for value in groups["ess_bulk"]],
            "R-hat": [_or_dash(value, ".3f") for value in groups["r_hat"]],
        }
    )
    return Table(shown)


def _or_dash(value: float, form: str) -> str:
    """Write a number; one chain has no R-hat, and a handful of draws neither that nor an ESS."""
    return "–" if pd.isna(value) else format(value, form)


def _contrast_blocks(fit: Fit, prob: float, interval: str, rope: float) -> Blocks:
    """Return the contrasts with their rule; nothing where there is nothing to compare."""
    if not can_compare(fit.design):
        return []
    contrasts = fit.contrasts(rope=rope, prob=prob, interval=interval)
    return ["Differences between them:", "", *contrasts.blocks, ""]
