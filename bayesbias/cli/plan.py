"""The command ``plan``."""

import argparse
from pathlib import Path

from bayesbias.cli.command import Command
from bayesbias.cli.options import (
    add_decision_options,
    add_output_options,
    add_value,
    number,
    whole_number,
)
from bayesbias.cli.options import whole_numbers as numbers
from bayesbias.cli.output import asked_of, check_out, show, write_tables


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the target width and the sizes to try."""
    parser.add_argument(
        "fit",
        nargs="?",
        metavar="FIT",
        help="a fit.nc, or a folder with one; without it, what words and attributes scatter in the "
        "published files",
    )
    add_value(parser, "width", "D", "target width of the interval (default 0.05)", number, 0.05)
    for name, default, what in (
        ("words", (6, 14, 25, 50, 100), "protected words"),
        ("attributes", (10, 25, 50), "stereotype attributes"),
    ):
        text = f"{what} in all to try (default {','.join(map(str, default))})"
        add_value(parser, name, "N,N", text, numbers, default, dest=f"n_{name}")
    add_value(parser, "simulations", "N", "worlds per combination (default 40)", whole_number, 40)
    text = "of crossed groups, two by two: what one has beyond both its levels; a row tells how"
    add_value(parser, "interaction", "D", f"{text} often it is found", number)
    add_output_options(parser)
    add_decision_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Simulate lists of different lengths, print and write what they would tell."""
    from bayesbias.fits.loading import load_fit
    from bayesbias.studies.planning import plan_wordlist

    check_out(arguments)
    basis = None
    if arguments.fit is not None:
        path = Path(arguments.fit)
        basis = load_fit(path / "fit.nc" if path.is_dir() else path)
    found = plan_wordlist(basis, **asked_of(plan_wordlist, arguments))
    show(arguments, found.blocks, found.to_dict())
    tables = {"plan": found.table, "needed": found.needed}
    manifest = {"seed": arguments.seed, "basis": found.basis}
    write_tables(arguments, tables, {"plan": found.plot}, manifest)


COMMAND = Command(
    "plan",
    "say how many words it takes for intervals of a given width",
    "bayesbias plan out/religion --width 0.05",
    add_options,
    run,
)
