"""What can be typed: all commands in one parser. Imports nothing heavy."""

import argparse
from typing import Any, NoReturn

from bayesbias import __version__
from bayesbias.cli import parse_classifiers, parse_fits, parse_vectors


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"bayesbias: error: {message}; see '{self.prog} --help'\n")


class _PrintCompletion(argparse.Action):
    """Prints a shell's completion script for all commands."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Print and exit."""
        import shtab

        if values not in shtab.SUPPORTED_SHELLS:
            parser.error(f"--print-completion: {values!r} is none of "
                         f"{', '.join(shtab.SUPPORTED_SHELLS)}")  # fmt: skip
        print(shtab.complete(parser, values))
        parser.exit(0)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; each parsed command carries ``run``."""
    parser = _Parser(
        prog="bayesbias",
        description="How biased is a word embedding, and how sure can you be?",
        epilog="Start with: bayesbias demo --out demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"bayesbias {__version__}")
    parser.add_argument("--print-completion", metavar="SHELL", action=_PrintCompletion,
                        help="print completions for bash, zsh or tcsh, and exit")  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    parse_fits.add_analyze(commands)
    parse_fits.add_demo(commands)
    parse_fits.add_compare(commands)
    parse_fits.add_report(commands)
    parse_vectors.add_measures(commands)
    parse_vectors.add_debias(commands)
    parse_vectors.add_convert(commands)
    parse_fits.add_plan(commands)
    parse_fits.add_simulate(commands)
    parse_fits.add_sweep(commands)
    parse_vectors.add_analogy(commands)
    parse_classifiers.add_classifier(commands)
    parse_vectors.add_wordlists(commands)
    parse_vectors.add_models(commands)
    return parser
