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
from bayesbias.cli.output import asked_of, kept_if_interrupted, say
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
    text = "folder for the vectors; goes on with its runs"
    parser.add_argument("--out", required=True, metavar="DIR", help=text)
    text = "train on the same words dealt to other sentences: what is found in them is not what the"
    add_flag(parser, "shuffled", f"{text} text says")
    add_wordlist(parser, note="; also write its distances in all runs")
    for name, default in zip(_SETTINGS, (100, 5, 5, 5), strict=True):
        text = f"of word2vec (default {default})"
        add_value(parser, name.replace("_", "-"), "N", text, whole_number, default)
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
    options = asked_of(training_runs, arguments, **settings)
    with kept_if_interrupted("runs", arguments):
        runs = training_runs(arguments.corpus, arguments.out, **options)
    of = " of shuffled text" if arguments.shuffled else ""
    say(arguments, f"{counted(len(runs), 'training run')}{of} in {arguments.out}")
    if wordlist is not None:
        place = f"{arguments.out}/{wordlist.name}.csv"
        write_distances(distances_of_runs(runs, wordlist), place)
        given = f"{arguments.out} --wordlist {arguments.wordlist}"
        say(arguments, f"next: bayesbias analyze {given} --model runs")


COMMAND = Command(
    "runs",
    "train word2vec on a corpus with several seeds, to see what retraining changes",
    "bayesbias runs corpus.txt --seeds 10 --out out/runs --wordlist gender",
    add_options,
    run,
)
