"""Everything that commands say of a fit: the one place that asks a `Fit` for its answers."""

import argparse
from collections.abc import Mapping

import bayesbias as bb
from bayesbias.cli.output import call_with_options, in_steps
from bayesbias.fits.next_step import next_step
from bayesbias.support.text_tables import Blocks, interval_label


def rule_of(arguments: argparse.Namespace) -> "bb.DecisionRule":
    """Return the rule of verdicts."""
    return call_with_options(bb.DecisionRule, arguments)


def check_decision(arguments: argparse.Namespace) -> None:
    """Check seed, intervals and the rule of verdicts before any work."""
    from bayesbias.support.seeds import seed_as_integer

    rule_of(arguments)
    seed_as_integer(arguments.seed)


def summary_blocks(fit: "bb.results.Fit", arguments: argparse.Namespace) -> Blocks:
    """Return what is seen first of a fit, then its tables, the data and the checks."""
    rule = fit.rule(rule=rule_of(arguments))
    words: Blocks = []
    if arguments.words:
        words = ["Mean cosine distance of each protected word:", ""]
        words = [*words, *fit.summary("word", rule=rule).blocks, ""]
    contrasts = _contrast_blocks(fit, arguments)
    screen: Blocks = []
    if contrasts:
        found, folder = fit.first_screen(rule), arguments.out or ""
        asked = arguments.placebo is not None, arguments.words
        then = next_step("analysis", found.state, found.few, folder, *asked)
        if getattr(arguments, "is_demo", False):
            then = next_step("demo", folder)
        screen = [*found.blocks(then), *fit.group_blocks(rule)]
    return [
        *screen,
        *contrasts,
        "Mean cosine distance (0 same direction, 1 unrelated, 2 opposite):",
        "",
        *fit.summary(rule=rule).blocks[: -1 if contrasts else None],  # contrasts say of what too
        "",
        *words,
        *fit.data_and_checks(rule),
    ]


def further_steps(fit: "bb.results.Fit", arguments: argparse.Namespace) -> str:
    """Return what else to do after an analysis, by the options that were not given."""
    from bayesbias.fits.contrasts import can_compare

    rule = fit.rule(rule=rule_of(arguments))
    is_clear = can_compare(fit.design) and fit.first_screen(rule).state in ("clear", "common")
    page = "Open {out}/report.html: the same with figures, for each group and each word."
    if not arguments.report:
        page = "For tables, and a page with figures of each group and each word: add {options}."
    options = "--out DIR --report" if arguments.out is None else "--report --overwrite"
    steps = [page.format(out=arguments.out, options=options)]
    if not is_clear and arguments.placebo is None:
        steps.append("Before you report it, compare with lists of random words: add --placebo 200.")
    if not arguments.words and not (is_clear and arguments.placebo is not None):
        steps.append("See which words carry it: add --words.")
    return in_steps(steps)


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
    from bayesbias.fits.contrasts import about_edge, can_compare

    if not can_compare(fit.design):
        return []
    rule = rule_of(arguments)
    blocks = [
        "Over all groups: attributes associated with a word's own group by a stereotype, different "
        "ones, of another group, and the controls, human and neutral words (below 0: the first is "
        "closer):",
        "",
        *fit.contrasts(rule=rule).blocks,
        "",
    ]
    if "factor" in fit.contrast_levels:
        blocks += ["Crossed groups:", "", *fit.contrasts("factor", rule=rule).blocks[:-1], ""]
    if arguments.words:
        found = fit.contrasts("word", rule=rule)
        heading = "Differences of each protected word:"
        blocks += [heading, "", *found.blocks[:-2], *about_edge(found.table), ""]
    return blocks
