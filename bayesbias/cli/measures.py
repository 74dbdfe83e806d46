"""The command ``measures``."""

import argparse
import textwrap

import pandas as pd

from bayesbias.cli.inputs import embedding_frame, print_missing, progress_of, show
from bayesbias.errors import ArgumentError
from bayesbias.fits.fitting import fit
from bayesbias.inference.intervals import check_rope, interval_of
from bayesbias.inference.model_files import load_model
from bayesbias.measures import MeasureResult, all_measures
from bayesbias.measures.reading import READINGS
from bayesbias.pairs.word_lists import load_wordlist
from bayesbias.support.text_tables import Blocks, Table
from bayesbias.vectors.loading import load_embedding

_WIDTH = 96


def run_measures(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print all measures of an embedding beside the posterior's contrasts."""
    interval_of([0.0, 1.0], arguments.prob, arguments.interval)
    check_rope(arguments.rope)
    spec = load_model(arguments.model)
    if arguments.wordlist is None:
        raise ArgumentError("measures need --wordlist; 'bayesbias wordlists list' shows some")
    wordlist = load_wordlist(arguments.wordlist)
    frame = embedding_frame(arguments.embedding, arguments)
    print_missing(arguments, frame)
    vectors = load_embedding(
        arguments.embedding, words=wordlist.words, limit=arguments.limit,
        trusted=arguments.trusted, progress=progress_of(arguments),
    )  # fmt: skip
    results = all_measures(vectors, wordlist, seed=arguments.seed)
    posterior = fit(frame, model=spec, seed=arguments.seed, progress=False)
    contrasts = posterior.contrasts(
        rope=arguments.rope, prob=arguments.prob, interval=arguments.interval
    )
    head = ["", f"Posterior of model {spec.name!r}, cosine distance:", ""]
    blocks = [*_blocks(results), *head, *contrasts.blocks, posterior.diagnostics.sentence]
    content = {"measures": [r.to_dict() for r in results], **contrasts.to_dict()}
    show(arguments, blocks, {**content, "record": posterior.record})


def _blocks(results: list[MeasureResult]) -> Blocks:
    """Return values as a table, then what each measure can say, then what was skipped."""
    found = [r for r in results if r.value is not None]
    rows = [(r.measure, _of(r), f"{r.value:+.4f}", _p(r)) for r in found]
    table = Table(pd.DataFrame(rows, columns=["measure", "of", "value", "p"]), left=2)
    lines = [""]
    for result in found:
        if result.p_value is not None:
            lines.append(f"p of {result.measure}: {result.p_method}.")
    for name in dict.fromkeys(r.measure for r in found):
        sentence = f"{name} {READINGS[name]}."
        lines.append(textwrap.fill(sentence, _WIDTH, subsequent_indent="  "))
    for result in results:
        if result.skipped:
            lines.append(textwrap.fill(repr(result), _WIDTH, subsequent_indent="  "))
    return [table, *dict.fromkeys(lines)]


def _of(result: MeasureResult) -> str:
    """Say what a measure was taken of: the names of its sets, or the numbers of its words."""
    names = result.details.get("names", {})
    if names:
        return ", ".join(f"{role}={name}" for role, name in names.items())
    return ", ".join(f"{len(words)} {role}" for role, words in result.words.items())


def _p(result: MeasureResult) -> str:
    return "" if result.p_value is None else f"{result.p_value:.3g}"
