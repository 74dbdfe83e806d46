"""The command ``demo``."""

import argparse

from bayesbias.cli.analyze import check_before_work, fit_and_write
from bayesbias.cli.command import Command
from bayesbias.cli.fit_output import recovery
from bayesbias.cli.inputs import print_missing
from bayesbias.cli.options import add_fit_options
from bayesbias.cli.output import say

_PLANTED_SIMILARITY = 0.2


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add which vectors are analysed, and how."""
    parser.add_argument(
        "--planted",
        action="store_true",
        help="use made-up vectors with a known association instead, and show it recovered",
    )
    add_fit_options(parser, out_required=False)


def run(arguments: argparse.Namespace) -> None:
    """Analyse the demo's own vectors."""
    from bayesbias.pairs.distance_frame import distances
    from bayesbias.pairs.word_lists import load_wordlist
    from bayesbias.vectors.demo_corpus import demo_embedding

    check_before_work(arguments)
    if arguments.planted:
        _run_planted(arguments)
        return
    say(
        arguments,
        "Training Word2Vec on the 530,000 words of text in gensim's wheel (once; about 15 "
        "seconds) ...",
    )
    frame = distances(demo_embedding(), load_wordlist("gender"))
    print_missing(arguments, frame)
    fit_and_write(frame, arguments)
    say(
        arguments,
        "So little text gives noisy vectors and wide intervals. For a real answer take\n"
        "pre-trained vectors: bayesbias analyze VECTORS --wordlist gender --out DIR",
    )


COMMAND = Command(
    "demo",
    "analyse a small embedding trained here on text that gensim carries; needs no network",
    "bayesbias demo --out demo",
    add_options,
    run,
)


def _run_planted(arguments: argparse.Namespace) -> None:
    from bayesbias.pairs.distance_frame import distances
    from bayesbias.pairs.word_lists import load_wordlist
    from bayesbias.simulate import planted_embedding

    wordlist = load_wordlist("gender")
    say(
        arguments,
        f"Made-up vectors: associated pairs have cosine distance {1 - _PLANTED_SIMILARITY:.2f} on "
        f"average, all others 1.00.\n",
    )
    planted = planted_embedding(wordlist, similarity=_PLANTED_SIMILARITY, seed=arguments.seed)
    result = fit_and_write(distances(planted.vectors, wordlist), arguments)
    say(arguments, recovery(result, planted.expected_distance, arguments))
