"""The command ``measures``."""

import argparse
from typing import TYPE_CHECKING

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.fit_output import check_decision
from bayesbias.cli.inputs import embedding_frame, named_wordlist, print_missing
from bayesbias.cli.output import called, show

if TYPE_CHECKING:
    from bayesbias.support.types import KeyedVectors


def run(arguments: argparse.Namespace) -> None:
    """Print all measures of an embedding beside the posterior's contrasts."""
    from bayesbias.vectors.loading import load_words

    check_decision(arguments)
    spec = bb.load_model(arguments.model)
    frame = embedding_frame(arguments.embedding, arguments)
    print_missing(arguments, frame)
    wordlist = named_wordlist(arguments)
    where, words = arguments.embedding, wordlist.words
    vectors = called(load_words, arguments, where, words=words, fallbacks=None)
    results = _results(vectors, wordlist, arguments)
    posterior = bb.fit(frame, model=spec, seed=arguments.seed, progress=False)
    contrasts = called(posterior.contrasts, arguments)
    head = ["", f"Posterior of model {spec.name!r}, cosine distance:", ""]
    checks = [posterior.diagnostics.sentence, *posterior.notes]
    blocks = [*results.blocks, *head, *contrasts.blocks, *checks]
    content = {"measures": [r.to_dict() for r in results], **contrasts.to_dict()}
    show(arguments, blocks, {**content, "record": posterior.record})


def _results(
    vectors: "KeyedVectors", wordlist: "bb.WordList", arguments: argparse.Namespace
) -> "bb.measures.Measures":
    """Compute the measures of the list's words; those of a whole vocabulary need all."""
    from bayesbias.measures.measure_result import skipped_measure
    from bayesbias.measures.registry import MEASURES

    names = [name for name, one in MEASURES.items() if not one.whole_vocabulary]
    found = bb.measures.all_measures(vectors, wordlist, names=names, seed=arguments.seed)
    others = [
        skipped_measure(
            name,
            f"looks at the whole vocabulary, of which this command reads the list's words alone; "
            f"in Python: bb.measures.{one.function.__name__}(bb.load_embedding(FILE), ...)",
        )
        for name, one in MEASURES.items()
        if one.whole_vocabulary
    ]
    order = list(MEASURES)
    return bb.measures.Measures(
        tuple(sorted([*found, *others], key=lambda result: order.index(result.measure)))
    )


COMMAND = Command(
    "measures",
    "print WEAT, MAC and other one-number measures beside the posterior's contrasts",
    "bayesbias measures googlenews.bin --wordlist weat7",
    f"""
{shared.VECTORS}
{shared.NEEDED_WORDLIST}
{shared.REFERENCE}
{shared.LOOKING_UP}
{shared.MODEL}
{shared.decision(whose="the posterior's intervals")}
{shared.SPEECH}
""",
    run,
)
