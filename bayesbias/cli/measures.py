"""The command ``measures``."""

import argparse

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.fit_output import check_decision
from bayesbias.cli.inputs import embedding_frame, named_wordlist, print_missing
from bayesbias.cli.output import called, show


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
    results = bb.measures.all_measures(vectors, wordlist, seed=arguments.seed)
    posterior = bb.fit(frame, model=spec, seed=arguments.seed, progress=False)
    contrasts = called(posterior.contrasts, arguments)
    head = ["", f"Posterior of model {spec.name!r}, cosine distance:", ""]
    checks = [posterior.diagnostics.sentence, *posterior.notes]
    blocks = [*results.blocks, *head, *contrasts.blocks, *checks]
    content = {"measures": [r.to_dict() for r in results], **contrasts.to_dict()}
    show(arguments, blocks, {**content, "record": posterior.record})


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
