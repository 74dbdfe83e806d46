"""The command ``simulate``."""

import argparse

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.options import number, option, several, whole_number
from bayesbias.cli.output import called, check_out, show, write_tables


def run(arguments: argparse.Namespace) -> None:
    """Count false alarms and hits, print and write them."""
    from bayesbias.simulate.deciders import METHODS

    check_out(arguments)
    asked = arguments.methods or ["all"]
    methods = list(METHODS) if "all" in asked else list(dict.fromkeys(asked))
    found = called(bb.simulate.operating_characteristics, arguments, methods=methods)
    content = found.to_dict()
    show(arguments, found.blocks, content)
    manifest = {k: v for k, v in content.items() if k != "table"}
    name = "characteristics"
    write_tables(arguments, {name: found.table}, {name: found.plot}, manifest)


COMMAND = Command(
    "simulate",
    "count how often each method says bias in worlds whose truth is known",
    "bayesbias simulate --method all --worlds 1000",
    (
        several("--method NAME", "all (default) or a method's name", dest="methods"),
        option("--worlds N", "worlds per effect (default 1000)", whole_number),
        option(
            "--effect D",
            "by how much associated pairs are closer; repeatable (default 0, 0.05 and 0.1)",
            number,
            dest="effects",
            action="append",
        ),
        option(
            "--words N", "protected words in two groups (default 16)", whole_number, dest="n_words"
        ),
        option(
            "--attributes N",
            "stereotype attributes in two sets (default 16)",
            whole_number,
            dest="n_attributes",
        ),
        shared.JOBS,
        *shared.output(),
        shared.SEED,
        shared.rope(),
    ),
    run,
)
