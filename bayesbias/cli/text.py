"""Tables and sentences for the terminal."""

import pandas as pd

from bayesbias.constants import CONNECTION, INNER_PROB
from bayesbias.fits import Fit
from bayesbias.plots.style import interval_label


def summary_text(fit: Fit, prob: float, interval: str) -> str:
    """Return a fit's group means, predictive check and diagnostics as text."""
    groups = fit.group_summary(prob=prob, interval=interval)
    coverage = fit.coverage(probs=tuple({prob: 0, INNER_PROB: 0}), interval=interval)
    shares = coverage[coverage[CONNECTION] == "all"]
    return "\n".join(
        (
            "Mean cosine distance (0 same direction, 1 unrelated, 2 opposite):",
            "",
            group_table(groups),
            "",
            "Predictive check: "
            + ", ".join(f"{r.inside:.1%} of pairs inside the {100 * r.prob:g}% interval"
                        for r in shares.itertuples())
            + ".",
            fit.diagnostics.sentence,
        )
    )  # fmt: skip


def group_table(groups: pd.DataFrame) -> str:
    """Return a group summary as aligned text."""
    label = interval_label(groups["prob"].iloc[0], groups["interval"].iloc[0])
    shown = pd.DataFrame(
        {
            "connection": groups[CONNECTION],
            "pairs": groups["n_pairs"].map("{:,}".format),
            "mean": groups["mean"].map("{:.3f}".format),
            "sd": groups["sd"].map("{:.3f}".format),
            label: [f"{r.low:.3f} to {r.high:.3f}" for r in groups.itertuples()],
            "ESS": groups["ess_bulk"].map("{:,.0f}".format),
            "R-hat": groups["r_hat"].map("{:.3f}".format),
        }
    )
    return plain_table(shown)


def plain_table(table: pd.DataFrame) -> str:
    """Return a frame of texts as aligned text: first column left, the others right."""
    rows = [list(table.columns), *table.to_numpy().tolist()]
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(table.columns))]
    return "\n".join(
        "  ".join(
            str(cell).ljust(width) if i == 0 else str(cell).rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
