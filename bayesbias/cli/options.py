"""What several commands take: arguments and options, and the vectors and tables they name."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer import Argument, Option

import bayesbias as bb
from bayesbias.cli import output
from bayesbias.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd

    from bayesbias.support.arguments import KeyedVectors

READING: Final = "Reading vectors"
FITTING: Final = "Fitting"
OUTPUT: Final = "Output"

Vectors = Annotated[str, Argument(metavar="VECTORS", help="File of word vectors.")]
WordListName = Annotated[
    str,
    Option(
        "--wordlist",
        "-w",
        metavar="LIST",
        help="Word list: a shipped name, or a TOML or JSON file.",
    ),
]
OptionalWordList = Annotated[
    str | None,
    Option("--wordlist", "-w", metavar="LIST", help="A shipped list, or a TOML or JSON file."),
]
Limit = Annotated[
    int | None,
    Option(metavar="N", help="Use the first N words of the file.", rich_help_panel=READING),
]
Trusted = Annotated[
    bool,
    Option("--trusted", help="Open gensim's pickle, which runs code.", rich_help_panel=READING),
]
Encoding = Annotated[
    str | None,
    Option(metavar="NAME", help="How words are written (utf-8).", rich_help_panel=READING),
]
WordColumn = Annotated[
    str | None,
    Option(metavar="NAME", help="Of a table: the column of words.", rich_help_panel=READING),
]
VectorColumn = Annotated[
    str | None,
    Option(metavar="NAME", help="Of a table: the column of vectors.", rich_help_panel=READING),
]
Model = Annotated[
    str,
    Option(metavar="MODEL", help="Model: a shipped name or a TOML file.", rich_help_panel=FITTING),
]
Seed = Annotated[int, Option(help="Seed of all random steps.", rich_help_panel=FITTING)]
Rope = Annotated[
    float | None,
    Option(
        metavar="D",
        help="Differences up to this distance do not matter (0.1 sd of a neutral pair).",
        rich_help_panel=FITTING,
    ),
]
CiProb = Annotated[
    float, Option(metavar="P", help="Probability of intervals.", rich_help_panel=FITTING)
]
Out = Annotated[
    Path | None,
    Option("--out", "-o", metavar="DIR", help="Write all results here.", rich_help_panel=OUTPUT),
]
Overwrite = Annotated[
    bool, Option("--overwrite", help="Replace what is there.", rich_help_panel=OUTPUT)
]
Report = Annotated[
    bool, Option("--report", help="Write the page report.html.", rich_help_panel=OUTPUT)
]
Json = Annotated[
    bool, Option("--json", help="Print JSON and nothing else.", rich_help_panel=OUTPUT)
]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Print nothing.", rich_help_panel=OUTPUT)]
Full = Annotated[bool, Option("--full", help="Print every row.", rich_help_panel=OUTPUT)]


def _log(context: typer.Context, path: Path | None) -> Path | None:
    """Write the log from here to the end of the command."""
    if path is not None and context.obj is not None:  # it is None where words are completed
        context.obj.enter_context(output.logged(path))
    return path


Log = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="Append what happens, with times, to this file.",
        callback=_log,
        rich_help_panel=OUTPUT,
    ),
]


def vectors_for(
    path: str,
    words: "Iterable[str] | None",
    *,
    limit: int | None = None,
    trusted: bool = False,
    encoding: str | None = None,
    word_column: str | None = None,
    vector_column: str | None = None,
) -> "KeyedVectors":
    """Load the vectors of some words, or all where words is None."""
    if path in bb.list_wordlists() or path.endswith(".toml"):
        raise ArgumentError(
            f"{path}: is a word list; give a file of vectors, and --wordlist {path}"
        )
    options: dict[str, Any] = {"limit": limit, "encoding": encoding}
    options |= {"word_column": word_column, "vector_column": vector_column}
    chosen = {name: value for name, value in options.items() if value is not None}
    loaded = bb.load_embedding(path, words=words, trusted=trusted, **chosen)
    output.log(f"{path}: {len(loaded):,} vectors are read")
    return loaded


def covariate_table(path: Path) -> "pd.DataFrame":
    """Read covariates by word: a CSV file whose first column is the word."""
    import pandas as pd

    from bayesbias.show.csv_files import read_csv_texts

    table = read_csv_texts(path, ArgumentError)
    numbers = table.iloc[:, 1:].apply(pd.to_numeric, errors="coerce")
    if numbers.isna().any(axis=None):
        row, column = next(zip(*numbers.isna().to_numpy().nonzero(), strict=True))
        raise ArgumentError(
            f"{path}: line {row + 2}, column {numbers.columns[column]!r}: is no number; fill it, "
            f"or leave the word out"
        )
    return numbers.set_axis(table.iloc[:, 0], axis=0)
