"""Options that several commands share. Imports nothing heavy."""

import argparse
import math
from collections.abc import Callable
from typing import Any, Final

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
    """Read a whole number of any size.

    Examples
    --------
    >>> seed("20240131235959")
    20240131235959
    """
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


def whole_numbers(text: str) -> tuple[int, ...]:
    """Read numbers with commas between them.

    Examples
    --------
    >>> whole_numbers("10,25")
    (10, 25)
    """
    try:
        values = [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r}: give whole numbers with commas between them, such as 10,25"
        ) from None
    return tuple(whole_number(str(value)) for value in values)


def add_value(
    parser: Any,
    name: str,
    metavar: str,
    text: str,
    read: Callable[[str], Any] | None = None,
    default: Any = None,
    *,
    dest: str | None = None,
) -> None:
    """Add an option with a value; `text` says the default."""
    more = {} if dest is None else {"dest": dest}
    parser.add_argument(f"--{name}", metavar=metavar, help=text, type=read, default=default, **more)


def add_flag(parser: Any, name: str, text: str) -> None:
    """Add an option without a value."""
    parser.add_argument(f"--{name}", action="store_true", help=text)


def add_wordlist(
    parser: argparse.ArgumentParser, *, required: bool = False, note: str = ""
) -> None:
    """Add which word list is used."""
    text = f"a shipped list's name or a .toml file{note}"
    parser.add_argument("--wordlist", required=required, metavar="LIST", help=text)


def add_vectors_or_distances(parser: argparse.ArgumentParser) -> None:
    """Add a file of vectors, or one of distances."""
    text = "file of word vectors, gensim:NAME, or a folder of 'bayesbias runs'"
    parser.add_argument("embedding", nargs="?", metavar="EMBEDDING", help=text)
    add_value(parser, "distances", "FILE", "a file of distances instead")


def add_reference(parser: argparse.ArgumentParser) -> None:
    """Add which reference words are used in place of the list's."""
    text = "words of no group, such as person,people, in place of the list's reference words; ''"
    add_value(parser, "reference", "WORD[,WORD...]", f"{text} for none")


def add_vector_options(parser: argparse.ArgumentParser, *, fallbacks: bool = True) -> None:
    """Add how word vectors are read."""
    if fallbacks:
        parser.add_argument(
            "--fallback",
            dest="fallbacks",
            action="append",
            default=[],
            metavar="SPELLING",
            help="also try lower, title, upper or underscore for missing words; repeatable",
        )
    add_value(parser, "limit", "N", "use the file's first N words only", whole_number)
    add_flag(parser, "trusted", "allow gensim's pickle format, which runs code")


COST: Final = "What it cost:"


def add_utility(parser: argparse.ArgumentParser) -> None:
    """Add the files of questions that tell what a change of vectors cost."""
    parser.add_argument(
        "--utility",
        dest="files",
        action="append",
        default=[],
        metavar="FILE",
        help="also say what it cost, by a file of questions: pairs of words that people judged "
        "(WordSim-353, SimLex-999, MEN) or analogies (questions-words.txt); repeatable",
    )
    text = "of --utility: the first N words can answer"
    add_value(parser, "restrict-vocab", "N", text, whole_number)


def add_duplicates(parser: argparse.ArgumentParser) -> None:
    """Add what happens to repeated pairs of a file of distances."""
    text = "repeated pairs of a file: drop (default) or keep"
    parser.add_argument("--duplicates", default="drop", help=text)


def add_output_options(
    parser: argparse.ArgumentParser, *, default_out: str | None = None, figures: bool = True
) -> None:
    """Add where results go, and how much is printed; a default folder is always replaced."""
    where, always = "folder for the results; default: none", ""
    if default_out is not None:
        where = f"folder for the results; default: {default_out}, replaced by every run"
        always = " (only needed with --out)"
    parser.add_argument("--out", metavar="DIR", help=where)
    add_flag(parser, "overwrite", f"replace the results of an earlier run there{always}")
    if figures:
        parser.add_argument(
            "--figures",
            choices=("png", "pdf", "svg"),
            nargs="?",
            const="png",
            help="also draw figures there: png (if no format is given), pdf or svg",
            metavar="FORMAT",
        )
    add_speech_options(parser)


def add_speech_options(parser: argparse.ArgumentParser) -> None:
    """Add how much is printed."""
    how = parser.add_mutually_exclusive_group()
    add_quiet(how)
    add_json(how)


def add_quiet(parser: Any) -> None:
    """Add whether anything is printed, to a parser or a group of options."""
    add_flag(parser, "quiet", "print nothing but errors and notes")


def add_json(parser: Any) -> None:
    """Add whether JSON is printed, to a parser or a group of options."""
    add_flag(parser, "json", "print the result as JSON and nothing else")


def add_report_option(parser: argparse.ArgumentParser) -> None:
    """Add whether a page is written."""
    add_flag(parser, "report", "also write report.html, one page about everything")


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add the seed."""
    parser.add_argument("--seed", type=seed, default=1, help="seed of all random steps (default 1)")


def add_rope(parser: argparse.ArgumentParser, *, rope: float | None = None) -> None:
    """Add the region of practical equivalence."""
    default = "0.1 sd of a neutral pair's distance" if rope is None else rope
    text = f"differences up to this count as practically none (default {default})"
    add_value(parser, "rope", "D", text, number, rope)


def add_decision_options(
    parser: argparse.ArgumentParser, *, rope: float | None = None, whose: str = "the intervals"
) -> None:
    """Add seed, intervals and the region of practical equivalence; `whose` are the intervals."""
    add_seed(parser)
    add_interval_options(parser, whose=whose)
    add_rope(parser, rope=rope)


def add_interval_options(parser: argparse.ArgumentParser, *, whose: str = "the intervals") -> None:
    """Add probability and kind of intervals."""
    text = f"probability of {whose} (default {HDPI_PROB})"
    add_value(parser, "prob", "P", text, number, HDPI_PROB)
    text = f"kind of {whose}: hpdi (default), or eti for equal-tailed ones"
    parser.add_argument("--interval", default="hpdi", help=text)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the number of processes."""
    add_value(parser, "jobs", "N", "processes (default: one per core)", whole_number)


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add which engine fits."""
    parser.add_argument("--engine", default="auto", help="auto (default), collapsed, gibbs or nuts")


def add_model(parser: argparse.ArgumentParser, default: str) -> None:
    """Add which model is fitted."""
    text = f"a model's name or a .toml file (default {default})"
    parser.add_argument("--model", default=default, metavar="MODEL", help=text)


def add_fit_options(
    parser: argparse.ArgumentParser, *, default_out: str | None = None, report: bool = True
) -> None:
    """Add what to fit and how; `report` says whether the page is an option."""
    add_output_options(parser, default_out=default_out)
    if report:
        add_report_option(parser)
    add_model(parser, "maximal")
    add_flag(parser, "words", "also print the mean distances of each protected word")
    parser.add_argument(
        "--placebo",
        type=whole_number,
        nargs="?",
        const=100,
        metavar="N",
        help="also fit N lists of random neutral words (100 if no N is given), about .1 s each",
    )
    add_decision_options(parser)
    add_engine(parser)
    for name, default, text in (
        ("draws", None, "draws per chain (default 1000; 2000 with NUTS)"),
        ("tune", 1000, "warm-up per chain of NUTS (default 1000)"),
        ("chains", 4, "chains (default 4)"),
        ("cores", None, "chains sampled at a time"),
    ):
        parser.add_argument(f"--{name}", type=whole_number, default=default, metavar="N", help=text)
    parser.add_argument("--sampler", default="auto", help="of NUTS: auto (default), pymc or nutpie")
    text = "of NUTS: nearer to 1 means smaller steps (default 0.97)"
    add_value(parser, "target-accept", "P", text, number, 0.97)
    text = "of NUTS: auto (default), centred or non-centred"
    parser.add_argument("--parametrisation", default="auto", help=text)
