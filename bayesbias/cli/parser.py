"""What can be typed: all commands in one parser. Imports nothing heavy.

argparse, and not cyclopts or another library: its help takes .09 CPU seconds with all commands,
theirs .12 to .20; no option of theirs can do without its value (``--figures``, ``--placebo``), and
they take nan and 2.0 for numbers and seeds.
"""

import argparse
import difflib
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

from bayesbias import __version__
from bayesbias.cli.command import Command, Group, add_options
from bayesbias.cli.inputs import call_meant
from bayesbias.errors import suggest
from bayesbias.support.text_tables import printable

_FILES: Final = (
    *("analyze", "demo", "compare", "report", "measures", "facts", "debias", "convert", "plan"),
    *("simulate", "sweep", "check", "runs", "analogy", "classifier", "wordlists", "models", "cite"),
)
COMMANDS: Final[tuple[Command | Group, ...]] = tuple(
    import_module(f"bayesbias.cli.{file}").COMMAND for file in _FILES
)
"""All commands, in the order of ``bayesbias --help``: to add one, write its file and list it."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name in (None, "store"):
            self.register("action", name, _StoreOnce)

    @property
    def subparsers(self) -> "Mapping[str, Parser]":
        """The parsers of the commands below this one."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return action.choices
        return {}

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with 2."""
        text = printable(message.removeprefix("argument ").replace("\n", " "))
        self.exit(2, f"bayesbias: error: {text}; see '{self.prog} --help'\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print; argparse would not say that a disk is full."""
        if message:
            (file or sys.stderr).write(message)

    def check_spelling(self, words: Sequence[str]) -> None:
        """Refuse an unknown command or option; argparse would first ask for missing ones."""
        options = {text: action for action in self._actions for text in action.option_strings}
        rest = iter(words)
        positions: list[str] = []
        given: dict[str, str] = {}
        for word in rest:
            name, _, value = word.partition("=")
            if word == "--":
                return
            if name in options:
                if options[name].nargs != 0 and not value:
                    value = next(rest, "")
                given[name] = value
            elif name.startswith("--") and " " not in name:
                self._refuse_unknown(name, options)
            elif not word.startswith("-") and self.subparsers:
                if word not in self.subparsers:
                    self.error(f"no command {word!r}{suggest(word, self.subparsers)}")
                return self.subparsers[word].check_spelling(list(rest))
            else:
                positions.append(word)
        if said := call_meant(self, positions, given):
            self.error(said)

    def _refuse_unknown(self, name: str, options: Mapping[str, argparse.Action]) -> NoReturn:
        """Refuse an option that is none, with the nearest one or the place that it has instead."""
        if any(a.dest == name[2:] and not a.option_strings for a in self._actions):
            self.error(f"no option {name}: write its value without it, first: {self.prog} VALUE")
        close = difflib.get_close_matches(name, options, n=1)
        self.error(f"no option {name}" + (f"; did you mean {close[0]}?" if close else ""))


class _StoreOnce(argparse._StoreAction):
    """Keeps an option's value, and refuses a second one: argparse would keep the last alone."""

    _taken: tuple[argparse.Namespace, Any] | None = None

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store the value, or exit with 2."""
        if option_string and self._taken and self._taken[0] is namespace:
            first = self._taken[1]
            said = f"both times {values}" if first == values else f"as {first} and as {values}"
            parser.error(f"{option_string} is given twice, {said}; give it once")
        self._taken = namespace, values
        super().__call__(parser, namespace, values, option_string)


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
            shells = ", ".join(shtab.SUPPORTED_SHELLS)
            parser.error(f"--print-completion: {values!r} is not one of {shells}")
        print(shtab.complete(parser, values))
        parser.exit(0)


def build_parser() -> Parser:
    """Return the parser of all commands; each parsed command carries ``run`` and ``parser``."""
    parser = Parser(
        prog="bayesbias",
        description="How biased is a word embedding, and how sure can you be?",
        epilog="Start with: bayesbias demo --out demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"bayesbias {__version__}")
    parser.add_argument(
        "--print-completion",
        metavar="SHELL",
        action=_PrintCompletion,
        help="print completions for bash, fish, zsh or another shell that shtab knows, and exit",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for entry in COMMANDS:
        _add(commands, entry)
    return parser


def _add(commands: Any, entry: Command | Group) -> None:
    """Add a command, or a group with its commands, below a parser."""
    parser = commands.add_parser(
        entry.name,
        help=entry.summary,
        description=f"{entry.summary[0].upper()}{entry.summary[1:]}.",
        epilog=f"example: {entry.example}",
        allow_abbrev=False,
    )
    if isinstance(entry, Group):
        names = ", ".join(action.name for action in entry.actions)
        actions = parser.add_subparsers(required=True, metavar="ACTION", help=names)
        for action in entry.actions:
            _add(actions, action)
    else:
        add_options(parser, entry.options)
        parser.set_defaults(run=entry.run, parser=parser)
