"""The command ``simulate``."""

import argparse

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.output import call_with_options, check_out, show, write_to_out


def run(arguments: argparse.Namespace) -> None:
    """Count false alarms and hits, print and write them."""
    from bayesbias.simulate.deciders import METHODS

    check_out(arguments)
    asked = arguments.methods or ["all"]
    methods = list(METHODS) if "all" in asked else list(dict.fromkeys(asked))
    found = call_with_options(bb.simulate.operating_characteristics, arguments, methods=methods)
    content = found.to_dict()
    show(arguments, found.blocks, content)
    manifest = {k: v for k, v in content.items() if k != "table"}
    name = "characteristics"
    write_to_out(arguments, {name: found.table}, {name: found.plot}, manifest)


COMMAND = Command(
    "simulate",
    "count how often each method says bias in worlds whose truth is known",
    "bayesbias simulate --method all --worlds 1000",
    f"""
--method NAME* -> methods  all (default) or a method's name; repeatable
--worlds N  worlds per effect (default 1000)
--effect D* -> effects  by how much associated pairs are closer; repeatable (default 0, 0.05 and
    0.1)
--words N -> n_words  protected words in two groups (default 16)
--attributes N -> n_attributes  stereotype attributes in two sets (default 16)
{shared.JOBS}
{shared.OUTPUT}
{shared.SEED}
{shared.ROPE}
""",
    run,
)
