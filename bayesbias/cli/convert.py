"""The command ``convert``."""

import argparse

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.output import call_with_options, say
from bayesbias.support.text_tables import counted


def run(arguments: argparse.Namespace) -> None:
    """Convert a file of vectors to a store."""
    places = arguments.input, arguments.output
    n = call_with_options(bb.vectors.convert_embedding, arguments, *places)
    where = f"{'is' if n == 1 else 'are'} in {arguments.output}"
    say(arguments, f"{counted(n, 'word')} {where}; name it wherever vectors are asked for")


COMMAND = Command(
    "convert",
    "convert word vectors to a store, a folder that opens at once whatever its size",
    "bayesbias convert googlenews.bin googlenews-store",
    f"""
{shared.CHANGED_VECTORS}
output OUT  folder to make, such as NAME
{shared.READING}
--overwrite  replace OUT if it is a store
{shared.QUIET}
""",
    run,
)
