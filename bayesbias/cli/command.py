"""What a command is: a table of what can be typed, beside what it runs. Imports nothing heavy.

A line of a table is an option, or without dashes a positional argument, two spaces, and its help,
which goes on in indented lines::

    --limit N       with a value; the name of the value says how it is read (`READ`)
    --json          without a value: true where it is given
    --out DIR!      must be given
    --top N = 10    10 where it is not given; elsewhere the default is left to the library
    --keep WORD*    may be given several times; of a positional argument, any number of values
    --placebo N?100 the value may be left out, and is 100 then; a positional argument N? may
    --words N -> n_words     fills the argument n_words of the library
    --no-plot -> plot=False  fills it with this
    | --json        excludes the option above it
"""

import argparse
import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

_LARGEST: Final = 10**9
"""No count of words, draws or worlds is larger; beyond, numpy stops with its own errors."""


def as_whole_number(text: str) -> int:
    """Read a whole number, such as a count."""
    value = seed(text)
    if abs(value) > _LARGEST:
        raise argparse.ArgumentTypeError(f"{text} is too large; the most is {_LARGEST:,}")
    return value


def seed(text: str) -> int:
    """Read a whole number of any size."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def as_number(text: str) -> float:
    """Read a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return value


def numbers(text: str) -> tuple[float, ...]:
    """Read numbers with commas between them."""
    return tuple(as_number(part) for part in text.split(","))


def whole_numbers(text: str) -> tuple[int, ...]:
    """Read whole numbers with commas between them."""
    try:
        return tuple(as_whole_number(str(int(part))) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r}: give whole numbers with commas between them, such as 10,25"
        ) from None


def words(text: str) -> tuple[str, ...]:
    """Read words with commas between them; an empty text is none."""
    found = tuple(part.strip() for part in text.split(",")) if text.strip() else ()
    if not all(found):
        raise argparse.ArgumentTypeError(
            f"{text!r}: give words with commas between them, such as person,people"
        )
    return found


READ: Final[Mapping[str, Callable[[str], Any]]] = {
    **{"N": as_whole_number, "N,N": whole_numbers, "SEED": seed, "A,B,...": numbers},
    **dict.fromkeys(("C", "D", "G", "P", "X"), as_number),
    **dict.fromkeys(("WORD[,WORD...]", "GROUP,GROUP", "A,B", "T,U,V"), words),
}
"""How a value is read, by its name; all others are texts."""

CHOICES: Final = {"FORMAT": ("png", "pdf", "svg")}  # what a value may be, by its name

_LINE: Final = re.compile(
    r"(?:\| )?(?P<name>[\w-]+)(?: (?P<value>[^\s*!?]+)(?P<many>\*)?(?P<must>!)?"
    r"(?P<may>\?)?(?P<const>\S+)?(?: = (?P<default>\S+))?)?"
    r"(?: -> (?P<dest>\w+)(?:=(?P<is>\S+))?)?  (?P<help>\S.*)"
)


@dataclass(frozen=True)
class Command:
    """A command; its file holds everything about it, and `parser` lists it.

    The ``dest`` of each option is the name of the library's argument, so that `option_terms` can
    name the option in the library's errors. `run` takes what was parsed and returns an exit code,
    or None for 0; heavy imports belong inside it, since ``bayesbias --help`` loads every file.
    """

    name: str
    summary: str
    example: str
    options: str
    run: Callable[[argparse.Namespace], int | None]


@dataclass(frozen=True)
class Group:
    """Commands under one name, such as ``wordlists list`` and ``wordlists show``."""

    name: str
    summary: str
    example: str
    actions: tuple[Command, ...]


def add_options(parser: argparse.ArgumentParser, table: str) -> None:
    """Add what a table says to a parser."""
    for lines in _alternatives(re.sub(r"\n +", " ", table.strip()).splitlines()):
        place = parser if len(lines) == 1 else parser.add_mutually_exclusive_group()
        for line in lines:
            found = _LINE.fullmatch(line)
            assert found is not None, line
            place.add_argument(found["name"], **_settings(found))


def _alternatives(lines: list[str]) -> Iterator[list[str]]:
    """Yield lines that exclude each other together, all others alone; empty ones are left out."""
    together: list[str] = []
    for line in filter(None, lines):
        if together and not line.startswith("| "):
            yield together
            together = []
        together.append(line)
    if together:
        yield together


def _settings(found: re.Match[str]) -> dict[str, Any]:
    """Return what `add_argument` takes for a line."""
    value, dest = found["value"], found["dest"]
    said = {"help": found["help"], **({"dest": dest} if dest else {})}
    if value is None and found["name"].startswith("--"):
        if found["is"] is None:
            return {**said, "action": "store_true"}
        return {**said, "action": "store_const", "const": ast.literal_eval(found["is"])}
    read = READ.get(value, str)
    said |= {"metavar": value, "type": read, "choices": CHOICES.get(value)}
    if found["default"]:
        said["default"] = read(found["default"])
    if found["may"]:
        said |= {"nargs": "?", "const": found["const"] and read(found["const"])}
    if not found["name"].startswith("--"):
        return {**said, "nargs": "*"} if found["many"] else said
    if found["many"]:
        said["action"] = "append"
    return {**said, "required": bool(found["must"])}
