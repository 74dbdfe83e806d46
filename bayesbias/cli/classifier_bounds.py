"""The command ``classifier bounds``."""

import argparse
from typing import Any

from bayesbias.cli.classifier_inputs import (
    add_bound_options,
    add_cost_options,
    costs_and_groups,
    disparity_of,
)
from bayesbias.cli.command import Command
from bayesbias.cli.options import add_flag, add_seed, add_speech_options
from bayesbias.cli.output import asked_of, show


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the file, its columns, and the bounds."""
    parser.add_argument("file", metavar="FILE", help="a .csv or .csv.gz file, one row per person")
    add_cost_options(parser)
    add_bound_options(parser)
    add_flag(parser, "compare", "also print bootstrap and Bayesian intervals (costs of 0 and 1)")
    add_seed(parser)
    add_speech_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the bounds of a disparity."""
    from bayesbias.classifiers import compare_intervals

    costs, groups, annotated = costs_and_groups(arguments)
    found = disparity_of(arguments, costs, groups, annotated)
    blocks: list[Any] = [_reading(arguments), *repr(found).splitlines()]
    content: dict[str, Any] = {"disparity": found.to_dict()}
    if arguments.compare:
        more = {"annotated": annotated, "prob": arguments.confidence}
        options = asked_of(compare_intervals, arguments, **more)
        compared = compare_intervals(costs, groups, **options)
        blocks += ["", *compared.blocks]
        content["compared"] = compared.to_dict()
    show(arguments, blocks, content)


COMMAND = Command(
    "bounds",
    "bound the difference of two groups' mean costs (Bernstein-bounded unfairness)",
    "bayesbias classifier bounds predictions.csv --true y --pred p --group gender --positive nurse "
    "--measure equal-opportunity",
    add_options,
    run,
)


def _reading(arguments: argparse.Namespace) -> str:
    """Say what the difference means."""
    from bayesbias.classifiers.costs import find_measure

    if arguments.cost is not None:
        return f"Difference of mean {arguments.cost}:"
    measure = find_measure(arguments.measure)
    return f"{measure.name} of class {arguments.positive}: {measure.reads}"
