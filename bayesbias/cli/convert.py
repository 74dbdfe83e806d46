"""The command ``convert``."""

import argparse

from bayesbias.cli.command import Command
from bayesbias.cli.options import add_quiet, add_value, add_vector_options, number
from bayesbias.cli.output import asked_of, say
from bayesbias.support.text_tables import counted


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what is read, and where the store goes."""
    parser.add_argument("input", metavar="IN", help="file of word vectors; it is not changed")
    parser.add_argument("output", metavar="OUT", help="folder to make, such as NAME.bbv")
    add_vector_options(parser, fallbacks=False)
    add_value(
        parser, "memory-mb", "MB", "vectors held in memory at a time (default 64 MB)", number, 64
    )
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it is a store")
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> None:
    """Convert a file of vectors to a store."""
    from bayesbias.vectors.conversion import convert_embedding

    n = convert_embedding(
        arguments.input, arguments.output, **asked_of(convert_embedding, arguments)
    )
    verb = "is" if n == 1 else "are"
    say(
        arguments,
        f"{counted(n, 'word')} {verb} in {arguments.output}; name it wherever vectors are asked "
        f"for",
    )


COMMAND = Command(
    "convert",
    "convert word vectors to a store, a folder that opens at once whatever its size",
    "bayesbias convert googlenews.bin googlenews.bbv",
    add_options,
    run,
)
