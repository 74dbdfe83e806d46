"""The command ``demo``: a real finding at once, from the vectors that the package ships."""

import argparse
from typing import Final

import bayesbias as bb
from bayesbias.cli.analyze import check_before_work, fit_and_write
from bayesbias.cli.command import Command
from bayesbias.cli.fit_output import recovery
from bayesbias.cli.inputs import print_missing
from bayesbias.cli.options import fitting
from bayesbias.cli.output import mention, say

_PLANTED_SIMILARITY: Final = 0.2
_OUT: Final = "bayesbias-demo"

_THEN: Final = """Then
  1. Use vectors of your own, or pre-trained ones:
       GloVe     https://nlp.stanford.edu/projects/glove/
       fastText  https://fasttext.cc/docs/en/english-vectors.html
       word2vec  https://code.google.com/archive/p/word2vec/
       bayesbias analyze VECTORS --wordlist gender --out out/gender --report
  2. Take another word list ('bayesbias wordlists list' shows them), or one of your own
     ('bayesbias wordlists new')."""


def run(arguments: argparse.Namespace) -> None:
    """Analyse the demo's own vectors."""
    arguments.report = arguments.is_demo = True
    if arguments.out is None:
        arguments.out, arguments.overwrite = _OUT, True  # replaces what an earlier demo wrote
    check_before_work(arguments)
    wordlist = bb.load_wordlist("gender")
    if arguments.planted:
        say(
            arguments,
            f"Made-up vectors: associated pairs have cosine distance {1 - _PLANTED_SIMILARITY:.2f} "
            f"on average, all others 1.00.\n",
        )
        planted = bb.simulate.planted_embedding(
            wordlist, similarity=_PLANTED_SIMILARITY, seed=arguments.seed
        )
        vectors = planted.vectors
    else:
        from bayesbias.vectors.loading import load_shipped, load_words

        mention(
            arguments,
            "Word list 'gender' in a slice of GloVe (Common Crawl, 840 billion tokens) that the "
            "package ships.",
        )
        vectors = load_shipped(load_words)
    frame = bb.distances(vectors, wordlist)
    result = fit_and_write(frame, arguments)
    say(arguments, "")
    print_missing(arguments, frame)  # after the answer, which is what is read first
    if arguments.planted:
        say(arguments, recovery(result, planted.expected_distance, arguments))
    say(arguments, _THEN)


COMMAND = Command(
    "demo",
    "analyse a slice of GloVe that the package ships; needs no network",
    "bayesbias demo",
    f"""
--planted  use made-up vectors with a known association instead, and show it recovered
{fitting(default_out=_OUT)}
""",
    run,
)
