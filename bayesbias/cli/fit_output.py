"""Everything that commands say of a fit: the one place that asks a `Fit` for its answers."""

import argparse
from collections.abc import Mapping

import bayesbias as bb
from bayesbias.cli.output import called
from bayesbias.constants import CONNECTION, INNER_PROB
from bayesbias.support.text_tables import Blocks, interval_label


def rule_of(arguments: argparse.Namespace) -> "bb.DecisionRule":
    """Return the rule of verdicts."""
    return called(bb.DecisionRule, arguments)


def check_decision(arguments: argparse.Namespace) -> None:
    """Check seed, intervals and the rule of verdicts before any work."""
    from bayesbias.support.seeds import seed_as_integer

    rule_of(arguments)
    seed_as_integer(arguments.seed)


def summary_blocks(fit: "bb.results.Fit", arguments: argparse.Namespace) -> Blocks:
    """Return a fit's means, contrasts, predictive check and diagnostics, to be shown."""
    rule = rule_of(arguments)
    probs = tuple({arguments.prob: 0, INNER_PROB: 0})
    coverage = fit.coverage(probs=probs, interval=arguments.interval).table
    inside = ", ".join(
        f"{row.inside:.1%} of pairs inside the {100 * row.prob:g}% interval"
        for row in coverage[coverage[CONNECTION] == "all"].itertuples()
    )
    words: Blocks = []
    if arguments.words:
        words = ["Mean cosine distance of each protected word:", ""]
        words = [*words, *fit.summary("word", rule=rule).blocks, ""]
    contrasts = _contrast_blocks(fit, arguments)
    return [
        *([fit.finding(rule=rule), "", *fit.group_blocks(rule)] if contrasts else []),
        "Mean cosine distance (0 same direction, 1 unrelated, 2 opposite) to attributes "
        "associated with a word's own group by a stereotype, to different ones, of another group, "
        "and to the controls, human and neutral words:",
        "",
        *fit.summary(rule=rule).blocks[: -1 if contrasts else None],  # contrasts say of what too
        "",
        *words,
        *contrasts,
        f"Predictive check, in-sample: {inside}.",
        fit.diagnostics.sentence,
        *fit.notes,
    ]


def recovery(
    fit: "bb.results.Fit", planted: Mapping[str, float], arguments: argparse.Namespace
) -> str:
    """Return, line by line, whether intervals of means hold the values that were planted."""
    lines = [f"Planted and recovered ({interval_label(arguments.prob, arguments.interval)}):"]
    for row in fit.summary(rule=rule_of(arguments)).table.itertuples():
        truth = planted[row.connection]
        found = "inside" if row.low <= truth <= row.high else "outside"
        lines.append(
            f"  {row.connection:<10}  planted {truth:.2f}, recovered {row.mean:.3f} "
            f"[{row.low:.3f}, {row.high:.3f}]: {found}"
        )
    return "\n".join(lines)


def _contrast_blocks(fit: "bb.results.Fit", arguments: argparse.Namespace) -> Blocks:
    """Return the contrasts with their rule; nothing where there is nothing to compare."""
    from bayesbias.fits.contrasts import can_compare

    if not can_compare(fit.design):
        return []
    rule = rule_of(arguments)
    blocks = [
        "Differences between them (below 0: the first is closer):",
        "",
        *fit.contrasts(rule=rule).blocks,
        "",
    ]
    if "factor" in fit.contrast_levels:
        blocks += ["Crossed groups:", "", *fit.contrasts("factor", rule=rule).blocks[:-1], ""]
    if arguments.words:
        heading = "Differences of each protected word:"
        blocks += [heading, "", *fit.contrasts("word", rule=rule).blocks[:-2], ""]
    return blocks
