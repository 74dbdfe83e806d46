"""The command ``classifier plan``."""

import argparse

from bayesbias.cli.classifier_inputs import (
    add_bound_options,
    add_cost_options,
    costs_and_groups,
    disparity_of,
    variance_of,
)
from bayesbias.cli.command import Command
from bayesbias.cli.options import add_speech_options, add_value, number, whole_number
from bayesbias.cli.output import show
from bayesbias.errors import ArgumentError
from bayesbias.support.text_tables import counted, percent


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what is asked, and what is known."""
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="a .csv file to take variance and shares from; without it, --gamma and --variance",
    )
    text = "an estimated difference of mean costs, to be distinguished from 0"
    add_value(parser, "disparity", "D", text, number)
    add_value(parser, "n", "N", "a number of annotated persons instead", whole_number)
    add_cost_options(parser)
    add_bound_options(parser)
    add_speech_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print how many to annotate, or what a number of annotated persons can tell."""
    from bayesbias.classifiers import detectable_disparity, required_n

    if (arguments.disparity is None) == (arguments.n is None):
        raise ArgumentError("give either --disparity or --n")
    gamma, variance, lines = _known(arguments)
    known = {"confidence": arguments.confidence, "gamma": gamma, "variance": variance}
    known["max_cost"] = arguments.max_cost
    if arguments.n is None:
        n, disparity = required_n(disparity=arguments.disparity, **known), arguments.disparity
        what = f"an estimated disparity of {disparity:g}"
    else:
        n, disparity = arguments.n, detectable_disparity(n=arguments.n, **known)
        what = f"estimated disparities above {disparity:.4f}"
    lines.append(
        f"{counted(n, 'annotated person')} can distinguish {what} from 0 "
        f"({percent(arguments.confidence)} confidence, γ = {gamma:g}, σ² = {variance:g}, "
        f"C = {arguments.max_cost:g})"
    )
    show(arguments, lines, {"n": n, "disparity": disparity, **known})


COMMAND = Command(
    "plan",
    "say how many persons to annotate, or what a number of them can tell",
    "bayesbias classifier plan --disparity 0.05",
    add_options,
    run,
)


def _known(arguments: argparse.Namespace) -> tuple[float, float, list[str]]:
    """Return the least share and the variance, and where they come from."""
    from bayesbias.classifiers import largest_variance
    from bayesbias.classifiers.bernstein import check_gamma

    if arguments.file is not None:
        found = disparity_of(arguments, *costs_and_groups(arguments))
        line = (
            f"From {arguments.file} ({found.variance_from} variance): γ = {found.gamma:.4f}, "
            f"σ² = {found.variance:.4f}"
        )
        return found.gamma, found.variance, [line]
    for name in ("true", "pred", "positive", "cost", "group", "group_names", "protected"):
        if getattr(arguments, name) is not None:
            raise ArgumentError(f"{name}= goes with a file of predictions; give FILE first")
    gamma = 0.5 if arguments.gamma is None else float(check_gamma(arguments.gamma))
    wanted = variance_of(arguments.variance, "maximal")
    if wanted == "sample":
        raise ArgumentError("--variance sample: needs a file")
    if isinstance(wanted, str):
        return gamma, largest_variance(gamma=gamma, max_cost=arguments.max_cost), []
    return gamma, wanted, []
