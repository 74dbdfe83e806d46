"""The command ``runs``."""

import argparse

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.output import call_with_options, kept_if_interrupted, say
from bayesbias.support.text_tables import counted

_SETTINGS = ("vector_size", "window", "min_count", "epochs")


def run(arguments: argparse.Namespace) -> None:
    """Train the runs that are not there yet, and write a list's distances."""
    wordlist = None if arguments.wordlist is None else bb.load_wordlist(arguments.wordlist)
    settings = {name: getattr(arguments, name) for name in _SETTINGS}
    with kept_if_interrupted("runs", arguments):
        runs = call_with_options(
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
    f"""
corpus CORPUS  text file with a sentence per line, its words separated by spaces
--seeds N  runs to train (default 10)
--out DIR!  folder for the vectors; goes on with its runs
--shuffled  train on the same words dealt to other sentences: what is found in them is not what the
    text says
{shared.WORDLIST}; also write its distances in all runs
--vector-size N = 100  of word2vec (default 100)
--window N = 5  of word2vec (default 5)
--min-count N = 5  of word2vec (default 5)
--epochs N = 5  of word2vec (default 5)
{shared.JOBS}
{shared.QUIET}
""",
    run,
)
