"""The command ``compare``."""

import argparse
import shlex

import pandas as pd

from bayesbias.cli.inputs import distances_frame, embedding_frame, print_missing, say, show
from bayesbias.cli.report import check_report, report_adder
from bayesbias.errors import DistancesError
from bayesbias.inference.intervals import check_rope, interval_of
from bayesbias.inference.model_files import load_model
from bayesbias.pairs.word_lists import load_wordlist
from bayesbias.report.folder_writing import write_change
from bayesbias.studies.change import Change, compare_change
from bayesbias.support.text_tables import Blocks
from bayesbias.support.whole_files import check_folder


def run_compare(arguments: argparse.Namespace, given: list[str]) -> None:
    """Compare two embeddings or two files of distances, print the answer and write it."""
    interval_of([0.0, 1.0], arguments.prob, arguments.interval)
    check_rope(arguments.rope)
    load_model(arguments.model)
    if arguments.wordlist is not None:
        load_wordlist(arguments.wordlist)
    check_report(arguments)
    if arguments.out is not None:
        check_folder(arguments.out, overwrite=arguments.overwrite)
    before, after = (_frame_of(path, arguments) for path in (arguments.before, arguments.after))
    change = compare_change(
        before, after, model=arguments.model, rope=arguments.rope, prob=arguments.prob,
        interval=arguments.interval, seed=arguments.seed, engine=arguments.engine,
    )  # fmt: skip
    show(arguments, _blocks(change), change.to_dict())
    if arguments.out is not None:
        command = shlex.join(["bayesbias", *given])
        write_change(
            change, arguments.out, command=command, overwrite=arguments.overwrite,
            also=report_adder(change, arguments, command),
        )  # fmt: skip
        say(arguments, f"Tables, figures and the posterior are in {arguments.out}")


def _frame_of(path: str, arguments: argparse.Namespace) -> pd.DataFrame:
    if arguments.wordlist is None:
        try:
            return distances_frame(path, arguments)
        except DistancesError as error:
            raise DistancesError(f"{error} (if these are word vectors, give --wordlist)") from error
    frame = embedding_frame(path, arguments)
    print_missing(arguments, frame, title=path)
    return frame


def _blocks(change: Change) -> Blocks:
    lines = [*change.blocks, "", "In words:", *(f"- {sentence}" for sentence in change.answers)]
    if len(change.unpaired):
        counts = change.unpaired["present_in"].value_counts()
        sides = ", ".join(f"{n:,} only {side}" for side, n in counts.items())
        lines.append(f"- pairs left out: {sides} (unpaired.csv lists them)")
    return lines
