"""The command ``debias``."""

import argparse
import shlex
from inspect import signature
from pathlib import Path
from typing import Any, Final

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.options import ASK_COST, COST
from bayesbias.cli.output import call_with_options, in_steps, say, show
from bayesbias.errors import ArgumentError, WordListError
from bayesbias.fits.next_step import next_step
from bayesbias.support.text_tables import with_step
from bayesbias.support.threads import on_all_threads

_SOME: Final = ("k", "lam", "alpha", "equalise")  # options that only some methods have


def run(arguments: argparse.Namespace) -> None:
    """Debias a file of vectors and write the new vectors with a record."""
    from bayesbias.debias.judgements import holds_questions
    from bayesbias.support.whole_files import check_file, refuse_input_as_output

    method = on_all_threads(bb.debias.find_method(arguments.method))
    wordlist = bb.load_wordlist(arguments.wordlist)
    if not wordlist.defining_sets:
        raise WordListError(
            f"--wordlist {arguments.wordlist}: has no defining sets, which say what the bias is; "
            f'give a list of your own the key defining_sets = [["he", "she"], ...], sets of its '
            f"protected words that differ only in what is protected (wordlists/SCHEMA.md)"
        )
    refuse_input_as_output(arguments.input, arguments.output)
    check_file(arguments.output, overwrite=arguments.overwrite)
    options = _options(arguments, wordlist)
    for file in arguments.files or ():
        holds_questions(file)  # a file that cannot be read is told of before the work
    vectors = call_with_options(bb.load_embedding, arguments, arguments.input)
    result = method(vectors, wordlist=wordlist, **options)
    result.save(arguments.output)
    name = Path(arguments.output).name
    written = f"Vectors are in {arguments.output}, the record of what was done in {name}.json."
    blocks, content = [*result.record.blocks, "", written], result.record.to_dict()
    paths = [arguments.input, arguments.output]
    again = shlex.join(["bayesbias", "compare", *paths, "--wordlist", arguments.wordlist])
    blocks = with_step(blocks, next_step("debias", again))
    if arguments.files:
        cost = call_with_options(
            on_all_threads(bb.debias.utility), arguments, vectors, result.vectors, *arguments.files
        )
        blocks += ["", COST, "", *cost.blocks]
        content |= {"utility": cost.to_dict()}
    show(arguments, blocks, content)
    if not arguments.files:
        say(arguments, f"\n{in_steps([ASK_COST])}")


COMMAND = Command(
    "debias",
    "debias a file of word vectors",
    "bayesbias debias hard googlenews.bin debiased.bin --wordlist gender",
    f"""
method METHOD  hard, multiclass, soft, subspace, two_means, inlp, leace, double_hard or half_sibling
{shared.CHANGED_VECTORS}
output OUT  word2vec binary file to write
{shared.NEEDED_WORDLIST}; it needs defining sets
--k N  dimensions of the subspace (multiclass, soft)
--lam X  weight of the association (soft; by default large enough to remove nearly all of it; the
    published 0.2 removes next to nothing in many words)
--alpha X  ridge penalty (half_sibling; default 2)
--all-words  neutralise every word but the protected ones; by default those stay too that the list
    calls specific to a group (two_means, inlp and leace project every word)
--words WHICH -> neutralise  neutralise these words alone: listed (the list's stereotype
    attributes), or a text file with a word a line
--keep WORD*  leave this word too; repeatable
--no-equalise -> equalise=()  do not equalise the defining sets (hard, multiclass, double_hard)
{shared.READING}
--overwrite  replace OUT if it exists
{shared.UTILITY}
{shared.SPEECH}
""",
    run,
)


def _options(arguments: argparse.Namespace, wordlist: "bb.WordList") -> dict[str, Any]:
    """Return the method's options that were given; refuse those that it does not have."""
    from bayesbias.debias.words import chosen_by

    given = {name: getattr(arguments, name) for name in _SOME}
    options: dict[str, Any] = {k: value for k, value in given.items() if value is not None}
    for name, value in options.items():
        fitting = [m for m, method in bb.debias.METHODS.items() if name in method.options]
        if arguments.method not in fitting:
            raise ArgumentError(
                f"{name}={value!r} does not go with {arguments.method}, only with "
                f"{' and '.join(fitting)}"
            )
    if arguments.neutralise and (arguments.all_words or arguments.keep):
        raise ArgumentError(
            "--words names the words to neutralise; --all-words and --keep are for all others"
        )
    if arguments.neutralise:
        return options | {"neutralise": _words(arguments.neutralise)}
    options["keep"] = arguments.keep or []
    if arguments.all_words:
        options |= {"neutralise": "all", "keep": [*wordlist.protected_words, *options["keep"]]}
    function = bb.debias.METHODS[arguments.method].function
    default = signature(function).parameters["neutralise"].default
    chosen_by(options.get("neutralise", default), wordlist)  # refuses before vectors are read
    return options


def _words(which: str) -> str | list[str]:
    """Return what says that the list's words are meant, or the words of a file."""
    from bayesbias.support.bounded_files import read_text

    if which == "listed":
        return which
    lines = (line.strip() for line in read_text(which, ArgumentError).splitlines())
    words = list(dict.fromkeys(line for line in lines if line))
    if not words:
        raise ArgumentError(f"--words {which}: has no words; give a word a line")
    return words
