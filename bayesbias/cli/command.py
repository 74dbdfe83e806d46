"""What a command is: how it is typed, beside what it runs. Imports nothing heavy."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command; its file holds everything about it, and `registry` lists it.

    Parameters
    ----------
    name : str
        What is typed.
    summary : str
        One line of ``--help``, without a full stop.
    example : str
        A whole command line.
    add_options : callable
        Adds arguments and options to a parser. The ``dest`` of an option is the name of the
        library's argument, so that `option_terms` can name the option in the library's errors.
    run : callable
        Takes what was parsed; returns an exit code, or None for 0. Heavy imports belong inside it:
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
