"""The command ``convert``."""

import argparse

from bayesbias.cli.inputs import progress_of, say
from bayesbias.vectors.conversion import convert_embedding


def run_convert(arguments: argparse.Namespace, given: list[str]) -> None:
    """Convert a file of vectors to a store."""
    n = convert_embedding(
        arguments.input, arguments.output, limit=arguments.limit, trusted=arguments.trusted,
        overwrite=arguments.overwrite, memory_mb=arguments.memory_mb,
        progress=progress_of(arguments),
    )  # fmt: skip
    say(arguments, f"{n:,} words are in {arguments.output}; name it wherever vectors are asked for")
