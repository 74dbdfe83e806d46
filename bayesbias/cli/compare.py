"""The command ``compare``."""

import argparse
from typing import TYPE_CHECKING, Final

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.compare_several import (
    DEFAULT_MODEL,
    SEVERAL,
    are_several,
    check_several,
    compare_several,
    files_of,
)
from bayesbias.cli.fit_output import check_decision
from bayesbias.cli.inputs import (
    check_places,
    distances_frame,
    embedding_frame,
    named_wordlist,
    print_missing,
)
from bayesbias.cli.options import COST, option
from bayesbias.cli.output import called, check_out, show
from bayesbias.cli.report import check_report, write_everything
from bayesbias.errors import ArgumentError, DistancesError
from bayesbias.support.text_tables import Blocks, printable

if TYPE_CHECKING:
    import pandas as pd


_NOT_ASKED: Final = (
    "- What it cost in usefulness was not asked: --utility FILE, such as WordSim-353 or "
    "questions-words.txt"
)


def run(arguments: argparse.Namespace) -> None:
    """Compare two embeddings or two files of distances, print the answer and write it."""
    _check_before_work(arguments)
    frames = [_frame_of(path, arguments) for path in files_of(arguments)]
    if arguments.wordlist is not None:
        _print_missing(arguments, frames)
    if are_several(arguments):
        return compare_several(arguments, frames)
    before, after = frames
    change = called(bb.compare_change, arguments, before, after, engine=arguments.engine)
    blocks, content = _blocks(change), change.to_dict() if arguments.json else {}
    if arguments.files:
        cost = _cost(arguments)
        blocks = [*blocks, "", COST, "", *cost.blocks]
        content |= {"utility": cost.to_dict()}
    elif arguments.wordlist is not None:
        blocks = [*blocks, _NOT_ASKED]
    show(arguments, blocks, content)
    write_everything(change, arguments)


COMMAND = Command(
    "compare",
    "say what changed from one embedding to another, or compare several, or over time",
    "bayesbias compare before.bin after.bin --wordlist gender --out out/change",
    (
        option("before BEFORE", "file of word vectors, or of distances"),
        option("after AFTER", "the same after the change"),
        *SEVERAL,
        shared.wordlist(", for word vectors; without it both files are distances"),
        shared.REFERENCE,
        *shared.LOOKING_UP,
        *shared.UTILITY,
        shared.DUPLICATES,
        *shared.output(),
        shared.REPORT,
        shared.model(DEFAULT_MODEL),
        *shared.decision(),
        shared.ENGINE,
    ),
    run,
)


def _check_before_work(arguments: argparse.Namespace) -> None:
    check_decision(arguments)
    check_several(arguments)
    bb.load_model(arguments.model)
    if arguments.wordlist is not None:
        for path in files_of(arguments):
            check_places(path, arguments.wordlist)
        named_wordlist(arguments)
    _check_questions(arguments)
    check_report(arguments)
    check_out(arguments)


def _check_questions(arguments: argparse.Namespace) -> None:
    """Refuse files of questions that cannot be asked, before the work."""
    from bayesbias.debias.judgements import holds_questions

    if arguments.files and (arguments.wordlist is None or are_several(arguments)):
        raise ArgumentError(
            "files= asks two files of word vectors, given with --wordlist; not files of distances, "
            "nor several"
        )
    for file in arguments.files:
        holds_questions(file)


def _cost(arguments: argparse.Namespace) -> "bb.debias.Utility":
    """Ask the questions of both files, which are read whole."""
    sides = [called(bb.load_embedding, arguments, path) for path in files_of(arguments)]
    return called(bb.debias.utility, arguments, *sides, *arguments.files)


def _frame_of(path: str, arguments: argparse.Namespace) -> "pd.DataFrame":
    if arguments.wordlist is None:
        try:
            return distances_frame(path, arguments)
        except DistancesError as error:
            raise DistancesError(f"{error} (if these are word vectors, give --wordlist)") from error
    return embedding_frame(path, arguments)


def _print_missing(arguments: argparse.Namespace, frames: "list[pd.DataFrame]") -> None:
    """Print the missing words of every file; once for files that lack the same."""
    from bayesbias.pairs.provenance import missing_of

    alike: dict[str, list[int]] = {}
    for number, frame in enumerate(frames):
        alike.setdefault(repr(missing_of(frame)), []).append(number)
    paths = files_of(arguments)
    for numbers in alike.values():
        title = " and ".join(paths[number] for number in numbers)
        print_missing(arguments, frames[numbers[0]], title=title)


def _blocks(change: "bb.results.Change") -> Blocks:
    others = (sentence for sentence in change.answers if sentence != change.headline)
    sentences = [f"- {printable(sentence, lines=False)}" for sentence in others]
    lines = [*change.blocks, "", "In words:", *sentences]
    if len(change.unpaired):
        counts = change.unpaired["present_in"].value_counts()
        sides = ", ".join(f"{n:,} only {side}" for side, n in counts.items())
        lines.append(f"- pairs left out: {sides} (unpaired.csv lists them)")
    return lines
