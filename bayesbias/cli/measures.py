"""The command ``measures``."""

import argparse
from typing import TYPE_CHECKING, Final

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.fit_output import check_decision, rule_of
from bayesbias.cli.inputs import embedding_frame, named_wordlist, print_missing
from bayesbias.cli.output import call_with_options, in_steps, options_for, say, show
from bayesbias.fits.next_step import next_step

if TYPE_CHECKING:
    from bayesbias.support.types import KeyedVectors

_SKIPPED: Final = "For the measures that were skipped: add --all-words, which takes longer."


def run(arguments: argparse.Namespace) -> None:
    """Print the posterior's finding, and all measures of the embedding beside its contrasts."""
    from bayesbias.vectors.loading import load_words

    check_decision(arguments)
    spec = bb.load_model(arguments.model)
    frame = embedding_frame(arguments.embedding, arguments)
    wordlist = named_wordlist(arguments)
    where = arguments.embedding
    before = None
    if arguments.before is not None:
        before = call_with_options(bb.load_embedding, arguments, arguments.before, fallbacks=None)
    reading = options_for(bb.load_embedding, arguments, fallbacks=None)
    if arguments.all_words or before is not None:
        vectors = bb.load_embedding(where, **reading)
    else:
        vectors = load_words(where, words=wordlist.words, **reading)
    results = _results(vectors, wordlist, arguments, before)
    posterior = bb.fit(frame, model=spec, seed=arguments.seed, progress=False)
    contrasts = call_with_options(posterior.contrasts, arguments)
    rule = posterior.rule(rule=rule_of(arguments))
    then = next_step("measures", arguments.embedding, arguments.wordlist)
    screen = posterior.first_screen(rule).blocks(then)
    measures = ["One-number measures of the same words, each of the listed words alone:", ""]
    head = ["", f"Posterior of model {spec.name!r}, cosine distance:", ""]
    checks = ["", *posterior.data_and_checks(rule)]
    tables = [*posterior.group_blocks(rule), *contrasts.blocks]
    blocks = [*screen, *measures, *results.blocks, *head, *tables, *checks]
    content = {"measures": [r.to_dict() for r in results], **contrasts.to_dict()}
    show(arguments, blocks, {**content, "record": posterior.record, "notes": posterior.notes})
    say(arguments, "")
    print_missing(arguments, frame)
    if not arguments.all_words and before is None:
        say(arguments, in_steps([_SKIPPED]))


def _results(
    vectors: "KeyedVectors",
    wordlist: "bb.WordList",
    arguments: argparse.Namespace,
    before: "KeyedVectors | None",
) -> "bb.measures.Measures":
    """Compute the measures of the list's words; those of a whole vocabulary need all."""
    from bayesbias.measures.measure_result import skipped_measure
    from bayesbias.measures.registry import MEASURES

    whole = [name for name, one in MEASURES.items() if one.whole_vocabulary]
    left_out = [] if arguments.all_words or before is not None else whole
    names = [name for name in MEASURES if name not in left_out]
    found = bb.measures.all_measures(
        vectors, wordlist, names=names, before=before, seed=arguments.seed
    )
    others = [
        skipped_measure(name, "looks at the whole vocabulary, which --all-words reads")
        for name in left_out
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
--all-words  read the whole vocabulary, for measures that look at neighbours and clusters
--before FILE  the vectors before debiasing, whose bias these two look for; implies --all-words
{shared.decision(whose="the posterior's intervals")}
{shared.SPEECH}
""",
    run,
)
