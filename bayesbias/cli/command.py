"""What a command is: how it is typed, beside what it runs. Imports nothing heavy."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command; its file holds everything about it, and `registry` lists it.

    `add_options` adds options to a parser; the ``dest`` of each is the name of the library's
    argument, so that `option_terms` can name the option in the library's errors. `run` takes what
    was parsed and returns an exit code, or None for 0; heavy imports belong inside it, since
    ``bayesbias --help`` loads every command's file.
    """

    name: str
    summary: str
    example: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int | None]


@dataclass(frozen=True)
class Group:
    """Commands under one name, such as ``wordlists list`` and ``wordlists show``."""

    name: str
    summary: str
    example: str
    actions: tuple[Command, ...]
