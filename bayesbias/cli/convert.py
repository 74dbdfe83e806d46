"""The command ``convert``."""

import argparse

from bayesbias.cli.command import Command
from bayesbias.cli.options import add_flag, add_quiet, add_value, add_vector_options, number
from bayesbias.cli.output import asked_of, say
from bayesbias.support.text_tables import counted


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what is read, and where the store goes."""
    parser.add_argument("input", metavar="IN", help="file of word vectors; it is not changed")
    parser.add_argument("output", metavar="OUT", help="folder to make, such as NAME.bbv")
    add_vector_options(parser, fallbacks=False)
    text = "vectors held in memory at a time (default 64 MB)"
    add_value(parser, "memory-mb", "MB", text, number, 64)
    add_flag(parser, "overwrite", "replace OUT if it is a store")
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> None:
    """Convert a file of vectors to a store."""
    from bayesbias.vectors.conversion import convert_embedding

    options = asked_of(convert_embedding, arguments)
    n = convert_embedding(arguments.input, arguments.output, **options)
    where = f"{'is' if n == 1 else 'are'} in {arguments.output}"
    say(arguments, f"{counted(n, 'word')} {where}; name it wherever vectors are asked for")


COMMAND = Command(
    "convert",
    "convert word vectors to a store, a folder that opens at once whatever its size",
    "bayesbias convert googlenews.bin googlenews.bbv",
    add_options,
    run,
)
