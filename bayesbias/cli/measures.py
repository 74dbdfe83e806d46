"""The command ``measures``."""

import argparse
from typing import TYPE_CHECKING

from bayesbias.cli.command import Command
from bayesbias.cli.fit_output import check_decision
from bayesbias.cli.inputs import embedding_frame, named_wordlist, print_missing
from bayesbias.cli.options import (
    add_decision_options,
    add_model,
    add_reference,
    add_speech_options,
    add_vector_options,
    add_wordlist,
)
from bayesbias.cli.output import asked_of, show
from bayesbias.support.text_tables import Blocks, Column, Table, interval_column

if TYPE_CHECKING:
    from bayesbias.measures import MeasureResult


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add vectors, the word list, and the model of the contrasts."""
    parser.add_argument("embedding", metavar="EMBEDDING", help="file of word vectors")
    add_wordlist(parser, required=True)
    add_reference(parser)
    add_vector_options(parser)
    add_model(parser, "maximal")
    add_decision_options(parser, whose="the posterior's intervals")
    add_speech_options(parser)


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
    blocks = [
        *_blocks(results),
        *head,
        *contrasts.blocks,
        posterior.diagnostics.sentence,
        *posterior.notes,
    ]
    content = {"measures": [r.to_dict() for r in results], **contrasts.to_dict()}
    show(arguments, blocks, {**content, "record": posterior.record})


COMMAND = Command(
    "measures",
    "print WEAT, MAC and other one-number measures beside the posterior's contrasts",
    "bayesbias measures googlenews.bin --wordlist weat7",
    add_options,
    run,
)


def _blocks(results: "list[MeasureResult]") -> Blocks:
    """Return values as a table, then what each measure can say, then what was skipped."""
    import pandas as pd

    from bayesbias.measures import MEASURES

    found = [r for r in results if r.value is not None]
    rows = [(r.measure, _sets(r), r.value, *(r.interval or (None, None)), r.p_value) for r in found]
    table = Table(
        pd.DataFrame(rows, columns=["measure", "applies_to", "value", "low", "high", "p"]),
        [
            "measure",
            "applies_to",
            Column("value", form="+z.4f"),
            interval_column("interval", "+z.4f"),
            Column("p", form="p", yields=1),
        ],
    )
    lines = [""]
    for result in found:
        if result.p_value is not None:
            lines.append(f"p of {result.measure}: {result.p_method}.")
        if result.interval is not None:
            lines.append(f"interval of {result.measure}: {result.interval_method}.")
    for name in dict.fromkeys(r.measure for r in found):
        lines.append(f"{name} {MEASURES[name].reading}.")
    lines += [repr(result) for result in results if result.skipped]
    return [table, *dict.fromkeys(lines)]


def _sets(result: "MeasureResult") -> str:
    """Say what a measure compares: the names of its sets, or the numbers of its words."""
    names = result.details.get("names", {})
    if names:
        return ", ".join(f"{role}={name}" for role, name in names.items())
    return ", ".join(f"{len(words)} {role}" for role, words in result.words.items())
