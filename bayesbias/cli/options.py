"""What the descriptions of several commands share. Imports nothing heavy."""

import argparse
from importlib import import_module
from typing import Any, Final

from bayesbias.constants import HDPI_PROB, ROPE

ROPE_HELP: Final = f"differences up to this count as practically none (default {ROPE})"


def later(module: str, function: str) -> Any:
    """Name a command's function without importing its module yet."""
    return lambda arguments, given: getattr(import_module(module), function)(arguments, given)


def command(commands: Any, name: str, help_text: str, example: str) -> argparse.ArgumentParser:
    """Add a command with its help and an example."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help_text,
        description=help_text[0].upper() + help_text[1:] + ".",
        epilog=f"example: {example}",
        allow_abbrev=False,
    )
    return parser


def whole_numbers(text: str) -> tuple[int, ...]:
    """Read numbers with commas between them."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r}: give whole numbers with commas between them, such as 10,25"
        ) from None


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add how vectors and distances are read."""
    parser.add_argument(
        "--fallback",
        action="append",
        default=[],
        metavar="SPELLING",
        help="also try lower, title, upper or underscore for missing words; repeatable",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="use the file's first N words only")
    parser.add_argument(
        "--trusted", action="store_true", help="allow gensim's pickle format, which runs code"
    )
    parser.add_argument(
        "--duplicates", default="drop", help="repeated pairs of a file: drop (default) or keep"
    )


def add_output_options(parser: argparse.ArgumentParser, *, out_required: bool) -> None:
    """Add where results go."""
    where = "folder for the results" if out_required else "folder for the results; default: none"
    parser.add_argument("--out", required=out_required, metavar="DIR", help=where)
    parser.add_argument("--overwrite", action="store_true",
                        help="replace the results of an earlier run there")  # fmt: skip
    add_speech_options(parser)


def add_speech_options(parser: argparse.ArgumentParser) -> None:
    """Add how much is printed."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quiet", action="store_true", help="print nothing but errors and notes")
    add_json_option(how)


def add_json_option(parser: Any) -> None:
    """Add whether JSON is printed, to a parser or a group of options."""
    parser.add_argument(
        "--json", action="store_true", help="print the result as JSON and nothing else"
    )


def add_report_option(parser: argparse.ArgumentParser) -> None:
    """Add whether a page is written."""
    parser.add_argument("--report", action="store_true",
                        help="also write report.html, one page about everything")  # fmt: skip


def add_decision_options(parser: argparse.ArgumentParser, *, rope: float = ROPE) -> None:
    """Add seed, intervals and the region of practical equivalence."""
    parser.add_argument("--seed", type=int, default=1, help="seed of all random steps (default 1)")
    parser.add_argument("--prob", type=float, default=HDPI_PROB, metavar="P",
                        help=f"probability of the intervals (default {HDPI_PROB})")  # fmt: skip
    parser.add_argument(
        "--interval", default="hpdi", help="hpdi (default), or eti for equal-tailed intervals"
    )
    parser.add_argument(
        "--rope",
        type=float,
        default=rope,
        metavar="D",
        help=f"differences up to this count as practically none (default {rope})",
    )


def add_fit_options(parser: argparse.ArgumentParser, *, out_required: bool = True) -> None:
    """Add what to fit and how."""
    add_output_options(parser, out_required=out_required)
    add_report_option(parser)
    parser.add_argument("--model", default="paper", metavar="MODEL", help="a name or a .toml file")
    add_decision_options(parser)
    parser.add_argument("--engine", default="auto", help="auto (default), collapsed or nuts")
    parser.add_argument("--draws", type=int, default=2000, help="draws per chain (default 2000)")
    parser.add_argument(
        "--tune", type=int, default=1000, help="warm-up per chain of NUTS (default 1000)"
    )
    parser.add_argument("--chains", type=int, default=4, help="chains (default 4)")
    parser.add_argument("--cores", type=int, help="chains sampled at a time")
    parser.add_argument("--sampler", default="auto", help="of NUTS: auto (default), pymc or nutpie")
    parser.add_argument("--target-accept", type=float, default=0.97, metavar="P",
                        help="of NUTS: nearer to 1 means smaller steps (default 0.97)")  # fmt: skip
    parser.add_argument("--parametrisation", default="auto",
                        help="of NUTS: auto (default), centred or non-centred")  # fmt: skip
