"""What a command is: how it is typed, beside what it runs. Imports nothing heavy."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Option:
    """An option, or without dashes a positional argument, as `add_argument` takes it."""

    name: str
    settings: Mapping[str, Any]


Options = Sequence[Option | Sequence[Option]]
"""What can be typed behind a command, in this order; options in a tuple exclude each other."""


@dataclass(frozen=True)
class Command:
    """A command; its file holds everything about it, and `registry` lists it.

    The ``dest`` of each option is the name of the library's argument, so that `option_terms` can
    name the option in the library's errors. `run` takes what was parsed and returns an exit code,
    or None for 0; heavy imports belong inside it, since ``bayesbias --help`` loads every file.
    """

    name: str
    summary: str
    example: str
    options: Options
    run: Callable[[argparse.Namespace], int | None]


@dataclass(frozen=True)
class Group:
    """Commands under one name, such as ``wordlists list`` and ``wordlists show``."""

    name: str
    summary: str
    example: str
    actions: tuple[Command, ...]
