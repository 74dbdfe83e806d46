"""All commands, in the order of ``bayesbias --help``: to add one, write its file and list it."""

from importlib import import_module
from typing import Final

from bayesbias.cli.command import Command, Group

_FILES: Final = (
    *("analyze", "demo", "compare", "report", "measures", "facts", "debias", "convert", "plan"),
    *("simulate", "sweep", "check", "runs", "analogy", "classifier", "wordlists", "models", "cite"),
)

COMMANDS: Final[tuple[Command | Group, ...]] = tuple(
    import_module(f"bayesbias.cli.{file}").COMMAND for file in _FILES
)
