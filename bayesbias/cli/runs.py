"""The command ``runs``."""

import argparse

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.options import flag, option, whole_number
from bayesbias.cli.output import called, kept_if_interrupted, say
from bayesbias.support.text_tables import counted

_SETTINGS = {"vector_size": 100, "window": 5, "min_count": 5, "epochs": 5}


def run(arguments: argparse.Namespace) -> None:
    """Train the runs that are not there yet, and write a list's distances."""
    wordlist = None if arguments.wordlist is None else bb.load_wordlist(arguments.wordlist)
    settings = {name: getattr(arguments, name) for name in _SETTINGS}
    with kept_if_interrupted("runs", arguments):
        runs = called(
            bb.vectors.training_runs, arguments, arguments.corpus, arguments.out, **settings
        )
    of = " of shuffled text" if arguments.shuffled else ""
    say(arguments, f"{counted(len(runs), 'training run')}{of} in {arguments.out}")
    if wordlist is not None:
        place = f"{arguments.out}/{wordlist.name}.csv"
        bb.write_distances(bb.pairs.distances_of_runs(runs, wordlist), place)
        given = f"{arguments.out} --wordlist {arguments.wordlist}"
        say(arguments, f"next: bayesbias analyze {given} --model runs")


COMMAND = Command(
    "runs",
    "train word2vec on a corpus with several seeds, to see what retraining changes",
    "bayesbias runs corpus.txt --seeds 10 --out out/runs --wordlist gender",
    (
        option(
            "corpus CORPUS",
            "text file with a sentence per line, its words separated by spaces",
        ),
        option("--seeds N", "runs to train (default 10)", whole_number),
        option("--out DIR", "folder for the vectors; goes on with its runs", required=True),
        flag(
            "--shuffled",
            "train on the same words dealt to other sentences: what is found in them is not what "
            "the text says",
        ),
        shared.wordlist("; also write its distances in all runs"),
        *(
            option(
                f"--{name.replace('_', '-')} N",
                f"of word2vec (default {default})",
                whole_number,
                default,
            )
            for name, default in _SETTINGS.items()
        ),
        shared.JOBS,
        shared.QUIET,
    ),
    run,
)
