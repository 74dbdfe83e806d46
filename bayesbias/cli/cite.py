"""The command ``cite``."""

import argparse

import bayesbias as bb
from bayesbias.cli.command import Command
from bayesbias.cli.options import JSON
from bayesbias.cli.output import show
from bayesbias.support.text_tables import printable


def run(arguments: argparse.Namespace) -> None:
    """Print BibTeX."""
    text = bb.cite(arguments.wordlist)
    if arguments.json:
        show(arguments, [], {"bibtex": text})
    else:
        print(printable(text))  # in lines as they are, to be pasted


COMMAND = Command(
    "cite",
    "print BibTeX for the package, its method and a word list",
    "bayesbias cite gender",
    f"""
wordlist LIST?  a shipped list's name or a .toml file, whose sources are added
{JSON}
""",
    run,
)
