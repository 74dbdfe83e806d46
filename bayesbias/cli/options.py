"""Options that several commands share. Imports nothing heavy.

What an option does not give is left to the library: a default stands here only where a command
needs it itself, or has another.
"""

import argparse
import math
from collections.abc import Callable
from typing import Any, Final

from bayesbias.cli.command import Option, Options
from bayesbias.constants import HDPI_PROB

_LARGEST: Final = 10**9
"""No count of words, draws or worlds is larger; beyond, numpy stops with its own errors."""


def whole_number(text: str) -> int:
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


def number(text: str) -> float:
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
    return tuple(number(part) for part in text.split(","))


def whole_numbers(text: str) -> tuple[int, ...]:
    """Read numbers with commas between them."""
    try:
        values = [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r}: give whole numbers with commas between them, such as 10,25"
        ) from None
    return tuple(whole_number(str(value)) for value in values)


def option(
    typed: str,
    text: str,
    read: Callable[[str], Any] | None = None,
    default: Any = None,
    **more: Any,
) -> Option:
    """Return an option with a value, or a positional argument: ``--limit N`` and its help."""
    name, _, metavar = typed.partition(" ")
    settings = {"metavar": metavar or None, "help": text, "type": read, "default": default, **more}
    return Option(name, {key: value for key, value in settings.items() if value is not None})


def several(typed: str, text: str, **more: Any) -> Option:
    """Return an option that can be given several times."""
    return option(typed, f"{text}; repeatable", action="append", **more)


def flag(name: str, text: str, **more: Any) -> Option:
    """Return an option without a value, which is by default true where it is given."""
    return Option(name, {"action": "store_true", "help": text, **more})


def wordlist(note: str = "", *, required: bool = False) -> Option:
    """Return the option of a word list."""
    text = f"a shipped list's name or a .toml file{note}"
    return option("--wordlist LIST", text, required=required)


def model(default: str) -> Option:
    """Return which model is fitted."""
    text = f"a model's name or a .toml file (default {default})"
    return option("--model MODEL", text, default=default)


NAMED_LIST: Final = option("wordlist LIST", "a shipped list's name or a .toml file")
VECTORS: Final = option("embedding EMBEDDING", "file of word vectors")
CHANGED_VECTORS: Final = option("input IN", "file of word vectors; it is not changed")
VECTORS_OR_DISTANCES: Final[Options] = (
    option(
        "embedding EMBEDDING",
        "file of word vectors, gensim:NAME, or a folder of 'bayesbias runs'",
        nargs="?",
    ),
    option("--distances FILE", "a file of distances instead"),
)
REFERENCE: Final = option(
    "--reference WORD[,WORD...]",
    "words of no group, such as person,people, in place of the list's reference words; '' for none",
)
READING: Final[Options] = (
    option("--limit N", "use the file's first N words only", whole_number),
    flag("--trusted", "allow gensim's pickle format, which runs code"),
)
LOOKING_UP: Final[Options] = (
    several(
        "--fallback SPELLING",
        "also try lower, title, upper or underscore for missing words; none for no other spelling "
        "(default: lower if the vectors have no capital letters)",
        dest="fallbacks",
    ),
    *READING,
)
"""How vectors are read, and words looked up in them."""

COST: Final = "What it cost:"
UTILITY: Final[Options] = (
    several(
        "--utility FILE",
        "also say what it cost, by a file of questions: pairs of words that people judged "
        "(WordSim-353, SimLex-999, MEN) or analogies (questions-words.txt)",
        dest="files",
        default=[],
    ),
    option("--restrict-vocab N", "of --utility: the first N words can answer", whole_number),
)
DUPLICATES: Final = option(
    "--duplicates", "repeated pairs of a file: drop (default) or keep", default="drop"
)
QUIET: Final = flag("--quiet", "print nothing but errors and notes")
JSON: Final = flag("--json", "print the result as JSON and nothing else")
SPEECH: Final[Options] = ((QUIET, JSON),)
"""How much is printed."""

REPORT: Final = flag("--report", "also write report.html, one page about everything")
SEED: Final = option("--seed", "seed of all random steps (default 1)", seed, 1)
JOBS: Final = option("--jobs N", "processes (default: one per core)", whole_number)
ENGINE: Final = option("--engine", "auto (default), collapsed, gibbs or nuts", default="auto")


def output(default_out: str = "") -> Options:
    """Return where results go, and how much is printed; a default folder is always replaced."""
    where, always = "none", ""
    if default_out:
        where, always = f"{default_out}, replaced by every run", " (only needed with --out)"
    return (
        option("--out DIR", f"folder for the results; default: {where}"),
        flag("--overwrite", f"replace the results of an earlier run there{always}"),
        option(
            "--figures FORMAT",
            "also draw figures there: png (if no format is given), pdf or svg",
            choices=("png", "pdf", "svg"),
            nargs="?",
            const="png",
        ),
        *SPEECH,
    )


def rope(default: float | None = None) -> Option:
    """Return the region of practical equivalence."""
    shown = "0.1 sd of a neutral pair's distance" if default is None else default
    text = f"differences up to this count as practically none (default {shown})"
    return option("--rope D", text, number, default)


def intervals(whose: str = "the intervals") -> Options:
    """Return probability and kind of intervals."""
    kinds = f"kind of {whose}: hpdi (default), or eti for equal-tailed ones"
    return (
        option("--prob P", f"probability of {whose} (default {HDPI_PROB})", number, HDPI_PROB),
        option("--interval", kinds, default="hpdi"),
    )


def decision(default_rope: float | None = None, whose: str = "the intervals") -> Options:
    """Return seed, intervals and the region of practical equivalence."""
    return (SEED, *intervals(whose), rope(default_rope))


def fitting(default_out: str = "") -> Options:
    """Return what to fit and how; the page is an option where there is no default folder."""
    return (
        *output(default_out),
        *(() if default_out else (REPORT,)),
        model("maximal"),
        flag("--words", "also print the mean distances of each protected word"),
        option(
            "--placebo N",
            "also fit N lists of random neutral words (100 if no N is given), about .1 s each",
            whole_number,
            nargs="?",
            const=100,
        ),
        *decision(),
        ENGINE,
        option("--draws N", "draws per chain (default 1000; 2000 with NUTS)", whole_number),
        option("--tune N", "warm-up per chain (default 1000 of NUTS, 300 of gibbs)", whole_number),
        option("--chains N", "chains (default 4)", whole_number),
        option("--cores N", "chains sampled at a time", whole_number),
        option("--sampler", "of NUTS: auto (default), pymc or nutpie"),
        option(
            "--target-accept P", "of NUTS: nearer to 1 means smaller steps (default 0.97)", number
        ),
        option("--parametrisation", "of NUTS: auto (default), centred or non-centred"),
    )
