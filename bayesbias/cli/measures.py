"""The command ``measures``."""

import argparse

from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.fit_output import check_decision
from bayesbias.cli.inputs import embedding_frame, named_wordlist, print_missing
from bayesbias.cli.output import asked_of, show


def run(arguments: argparse.Namespace) -> None:
    """Print all measures of an embedding beside the posterior's contrasts."""
    from bayesbias.fits.fitting import fit
    from bayesbias.inference.model_files import load_model
    from bayesbias.measures import all_measures
    from bayesbias.vectors.loading import load_words

    check_decision(arguments)
    spec = load_model(arguments.model)
    frame = embedding_frame(arguments.embedding, arguments)
    print_missing(arguments, frame)
    wordlist = named_wordlist(arguments)
    options = asked_of(load_words, arguments, words=wordlist.words, fallbacks=())
    vectors = load_words(arguments.embedding, **options)
    results = all_measures(vectors, wordlist, seed=arguments.seed)
    posterior = fit(frame, model=spec, seed=arguments.seed, progress=False)
    contrasts = posterior.contrasts(**asked_of(posterior.contrasts, arguments))
    head = ["", f"Posterior of model {spec.name!r}, cosine distance:", ""]
    checks = [posterior.diagnostics.sentence, *posterior.notes]
    blocks = [*results.blocks, *head, *contrasts.blocks, *checks]
    content = {"measures": [r.to_dict() for r in results], **contrasts.to_dict()}
    show(arguments, blocks, {**content, "record": posterior.record})


COMMAND = Command(
    "measures",
    "print WEAT, MAC and other one-number measures beside the posterior's contrasts",
    "bayesbias measures googlenews.bin --wordlist weat7",
    (
        shared.VECTORS,
        shared.wordlist(required=True),
        shared.REFERENCE,
        *shared.LOOKING_UP,
        shared.model("maximal"),
        *shared.decision(whose="the posterior's intervals"),
        *shared.SPEECH,
    ),
    run,
)
