"""Everything that commands say of a fit: the one place that asks a `Fit` for its answers."""

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayesbias.constants import CONNECTION, GROUP, INNER_PROB, PROTECTED_WORD
from bayesbias.support.text_tables import Blocks, Table, interval_label

if TYPE_CHECKING:
    import pandas as pd

    from bayesbias.fits.fit_result import Fit


def check_decision(arguments: argparse.Namespace) -> None:
    """Check seed, intervals and the rule of verdicts before any work."""
    from bayesbias.inference.decision import DecisionRule
    from bayesbias.support.seeds import seed_as_integer

    DecisionRule(arguments.rope, arguments.prob, arguments.interval)
    seed_as_integer(arguments.seed)


def summary_blocks(fit: "Fit", arguments: argparse.Namespace) -> Blocks:
    """Return a fit's means, contrasts, predictive check and diagnostics, to be shown."""
    chosen = _chosen(arguments)
    probs = tuple({arguments.prob: 0, INNER_PROB: 0})
    coverage = fit.coverage(probs=probs, interval=arguments.interval)
    inside = ", ".join(
        f"{row.inside:.1%} of pairs inside the {100 * row.prob:g}% interval"
        for row in coverage[coverage[CONNECTION] == "all"].itertuples()
    )
    return [
        "Mean cosine distance (0 same direction, 1 unrelated, 2 opposite):",
        "",
        _means(fit.group_summary(**chosen)),
        "",
        *(_word_blocks(fit, chosen) if arguments.words else []),
        *_contrast_blocks(fit, arguments),
        f"Predictive check: {inside}.",
        fit.diagnostics.sentence,
        *([fit.caution] if fit.caution else []),
    ]


def json_content(fit: "Fit", arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what ``--json`` prints of a fit."""
    from bayesbias.fits.contrasts import can_compare
    from bayesbias.pairs.provenance import missing_of

    chosen = _chosen(arguments)
    contrasts = None
    if can_compare(fit.design):
        contrasts = fit.contrasts(rope=arguments.rope, **chosen).to_dict()
    return {
        "fit": fit.id,
        "model": fit.spec.name,
        "seed": fit.seed,
        "groups": fit.group_summary(**chosen),
        "words": fit.word_summary(**chosen),
        "contrasts": contrasts,
        "coverage": fit.coverage(interval=arguments.interval),
        "diagnostics": fit.diagnostics.to_dict(),
        "caution": fit.caution,
        "missing_words": missing_of(fit.frame),
        "record": fit.record,
    }


def recovery(fit: "Fit", planted: Mapping[str, float], arguments: argparse.Namespace) -> str:
    """Return, line by line, whether intervals of means hold the values that were planted."""
    lines = [f"Planted and recovered ({interval_label(arguments.prob, arguments.interval)}):"]
    for row in fit.group_summary(**_chosen(arguments)).itertuples():
        truth = planted[row.connection]
        found = "inside" if row.low <= truth <= row.high else "outside"
        lines.append(
            f"  {row.connection:<10}  planted {truth:.2f}, recovered {row.mean:.3f} "
            f"[{row.low:.3f}, {row.high:.3f}]: {found}"
        )
    return "\n".join(lines)


def _chosen(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"prob": arguments.prob, "interval": arguments.interval}


def _means(table: "pd.DataFrame", label: str = CONNECTION) -> Table:
    """Return means as a table to be shown, a row per connection, or per word and connection."""
    import pandas as pd

    names = [label] if label == CONNECTION else [label, CONNECTION]
    shown = table[names].rename(columns={PROTECTED_WORD: "protected word"})
    more = {
        "pairs": table["n_pairs"].map("{:,}".format),
        "mean": table["mean"].map("{:.3f}".format),
        "sd": table["sd"].map("{:.3f}".format),
        interval_label(table["prob"].iloc[0], table["interval"].iloc[0]): [
            f"{row.low:.3f} to {row.high:.3f}" for row in table.itertuples()
        ],
        "ESS": [_or_dash(value, ",.0f") for value in table["ess_bulk"]],
        "R-hat": [_or_dash(value, ".3f") for value in table["r_hat"]],
    }
    columns = pd.DataFrame(more, index=shown.index)
    return Table(pd.concat([shown, columns], axis=1), left=len(names))


def _word_blocks(fit: "Fit", chosen: dict[str, Any]) -> Blocks:
    """Return the means of words, under a heading for each protected group."""
    words = fit.word_summary(**chosen)
    group_of = fit.pairs.drop_duplicates(PROTECTED_WORD).set_index(PROTECTED_WORD)[GROUP]
    blocks: list[str | Table] = ["Mean cosine distance of each protected word:", ""]
    for group, part in words.groupby(words[PROTECTED_WORD].map(group_of), sort=False):
        blocks += [f"Protected group {group}:", "", _means(part, PROTECTED_WORD), ""]
    return blocks


def _contrast_blocks(fit: "Fit", arguments: argparse.Namespace) -> Blocks:
    """Return the contrasts with their rule; nothing where there is nothing to compare."""
    from bayesbias.fits.contrasts import can_compare

    if not can_compare(fit.design):
        return []
    contrasts = fit.contrasts(rope=arguments.rope, **_chosen(arguments))
    return ["Differences between them:", "", *contrasts.blocks, ""]


def _or_dash(value: float, form: str) -> str:
    """Write a number; one chain has no R-hat, and a handful of draws neither that nor an ESS."""
    return "–" if value != value else format(value, form)  # NaN alone differs from itself
