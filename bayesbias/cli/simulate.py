"""The command ``simulate``."""

import argparse

from bayesbias.cli.command import Command
from bayesbias.cli.options import (
    add_jobs,
    add_output_options,
    add_rope,
    add_seed,
    add_value,
    number,
    whole_number,
)
from bayesbias.cli.output import asked_of, check_out, show, write_tables


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the methods and the worlds."""
    parser.add_argument(
        "--method",
        dest="methods",
        action="append",
        metavar="NAME",
        help="all (default) or a method's name; repeatable",
    )
    add_value(parser, "worlds", "N", "worlds per effect (default 1000)", whole_number, 1000)
    parser.add_argument(
        "--effect",
        dest="effects",
        type=number,
        action="append",
        metavar="D",
        help="by how much associated pairs are closer; repeatable (default 0, 0.05 and 0.1)",
    )
    for name, what in (
        ("words", "protected words in two groups"),
        ("attributes", "stereotype attributes in two sets"),
    ):
        add_value(parser, name, "N", f"{what} (default 16)", whole_number, 16, dest=f"n_{name}")
    add_jobs(parser)
    add_output_options(parser)
    add_seed(parser)
    add_rope(parser)


def run(arguments: argparse.Namespace) -> None:
    """Count false alarms and hits, print and write them."""
    from bayesbias.simulate import operating_characteristics
    from bayesbias.simulate.deciders import METHODS

    check_out(arguments)
    asked = arguments.methods or ["all"]
    methods = list(METHODS) if "all" in asked else list(dict.fromkeys(asked))
    options = asked_of(operating_characteristics, arguments, methods=methods)
    found = operating_characteristics(**options)
    content = found.to_dict()
    show(arguments, found.blocks, content)
    manifest = {k: v for k, v in content.items() if k != "table"}
    name = "characteristics"
    write_tables(arguments, {name: found.table}, {name: found.plot}, manifest)


COMMAND = Command(
    "simulate",
    "count how often each method says bias in worlds whose truth is known",
    "bayesbias simulate --method all --worlds 1000",
    add_options,
    run,
)
