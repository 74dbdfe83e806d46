"""The command ``facts``."""

import argparse
from typing import TYPE_CHECKING

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command, as_number
from bayesbias.cli.fit_output import check_decision
from bayesbias.cli.inputs import frame_of, print_missing
from bayesbias.cli.output import call_with_options, check_out, in_steps, say, show, write_to_out
from bayesbias.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd


def run(arguments: argparse.Namespace) -> None:
    """Fit the pairs, and set the associations of words against the table's numbers."""
    from bayesbias.fits.fact_lines import numbers_of

    check_decision(arguments)
    check_out(arguments)
    bb.load_model(arguments.model)
    table = _table(arguments)
    numbers_of(table, arguments.column, arguments.error, arguments.by)
    words = next((table[name] for name in ("word", "attribute") if name in table), None)
    if arguments.by != "attribute" or words is None:
        frame = frame_of(arguments)
    else:  # of vectors and the table's own words
        frame = frame_of(arguments, lambda of: of.with_attributes(list(words), arguments.column))
    fitted = bb.fit(frame, arguments.model, seed=arguments.seed)
    found = call_with_options(bb.facts, arguments, fitted, table, column=arguments.column)
    show(arguments, found.screen(folder=arguments.out or "", typed=True), found.to_dict())
    say(arguments, "")
    print_missing(arguments, frame)
    tables = {"line": found.table, "words": found.words}
    if len(found.left_out):
        tables["left_out"] = found.left_out
    manifest = {"seed": arguments.seed, "fit": fitted.id}
    write_to_out(arguments, tables, {"facts": found.plot}, manifest)
    steps = [
        "Look at every word: add --out DIR --figures.",
        "Ask what the list's own attributes say: bayesbias analyze VECTORS --wordlist LIST.",
    ]
    if found.table["verdict"].iloc[0] != "undecided":
        del steps[arguments.out is not None]
    say(arguments, in_steps(steps))


def _table(arguments: argparse.Namespace) -> "pd.DataFrame":
    """Read the table, its numbers as numbers; an empty cell is a number that is not known."""
    from bayesbias.support.csv_files import read_csv_texts, without_apostrophes

    table = read_csv_texts(arguments.table, ArgumentError).apply(without_apostrophes)
    for name in (arguments.column, arguments.error):
        if name in table:
            texts = zip(table.index, table[name], strict=True)
            table[name] = [_value(text, f"{arguments.table}: line {n}") for n, text in texts]
    return table.reset_index(drop=True)


def _value(text: str, where: str) -> float:
    if not text.strip():
        return float("nan")
    try:
        return as_number(text)
    except argparse.ArgumentTypeError as problem:
        raise ArgumentError(f"{where}: {problem}") from None


COMMAND = Command(
    "facts",
    "set the associations of words against numbers of them, such as the share of women",
    "bayesbias facts jobs.csv googlenews.bin --wordlist gender --column share --groups woman,man",
    f"""
table TABLE  file of words (column word) and numbers
{shared.VECTORS_OR_DISTANCES}
--column NAME!  column of the numbers, such as share
--error NAME  column of their standard errors (default: exact numbers)
--by BY = attribute  whose numbers: attribute (default; with vectors the table's words take the
    place of the list's attributes), or word, for the list's protected words
--groups GROUP,GROUP  two groups; numbers above 0 are closer to the first (default: the list's two)
{shared.WORDLIST}
{shared.REFERENCE}
{shared.LOOKING_UP}
{shared.DUPLICATES}
{shared.MODEL}
{shared.OUTPUT}
{shared.SEED}
{shared.intervals()}
""",
    run,
)
