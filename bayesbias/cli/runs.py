"""The command ``runs``."""

import argparse

from bayesbias.cli.command import Command
from bayesbias.cli.options import (
    add_flag,
    add_jobs,
    add_quiet,
    add_value,
    add_wordlist,
    whole_number,
)
from bayesbias.cli.output import asked_of, say
from bayesbias.support.text_tables import counted

_SETTINGS = ("vector_size", "window", "min_count", "epochs")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the corpus, how it is trained on, and where the runs go."""
    parser.add_argument(
        "corpus",
        metavar="CORPUS",
        help="text file with a sentence per line, its words separated by spaces; or demo",
    )
    add_value(parser, "seeds", "N", "runs to train (default 10)", whole_number, 10)
    parser.add_argument(
        "--out", required=True, metavar="DIR", help="folder for the vectors; goes on with its runs"
    )
    add_flag(
        parser,
        "shuffled",
        "train on the same words dealt to other sentences: what is found in them is not what the "
        "text says",
    )
    add_wordlist(parser, note="; also write its distances in all runs")
    for name, default in zip(_SETTINGS, (100, 5, 5, 5), strict=True):
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=whole_number,
            default=default,
            metavar="N",
            help=f"of word2vec (default {default})",
        )
    add_jobs(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> None:
    """Train the runs that are not there yet, and write a list's distances."""
    from bayesbias.pairs.files import write_distances
    from bayesbias.pairs.runs import distances_of_runs
    from bayesbias.pairs.word_lists import load_wordlist
    from bayesbias.vectors.seeded_runs import training_runs

    wordlist = None if arguments.wordlist is None else load_wordlist(arguments.wordlist)
    settings = {name: getattr(arguments, name) for name in _SETTINGS}
    try:
        runs = training_runs(
            arguments.corpus, arguments.out, **asked_of(training_runs, arguments, **settings)
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; finished runs are kept in {arguments.out}, and the same command goes on "
            f"from there"
        ) from None
    of = " of shuffled text" if arguments.shuffled else ""
    say(arguments, f"{counted(len(runs), 'training run')}{of} in {arguments.out}")
    if wordlist is not None:
        place = f"{arguments.out}/{wordlist.name}.csv"
        write_distances(distances_of_runs(runs, wordlist), place)
        say(arguments, f"next: bayesbias analyze {place} --model runs")


COMMAND = Command(
    "runs",
    "train word2vec on a corpus with several seeds, to see what retraining changes",
    "bayesbias runs corpus.txt --seeds 10 --out out/runs --wordlist gender",
    add_options,
    run,
)
