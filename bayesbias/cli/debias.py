"""The command ``debias``."""

import argparse
import shlex
from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any, Final

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.options import COST
from bayesbias.cli.output import called, say, show
from bayesbias.errors import ArgumentError, WordListError
from bayesbias.support.text_tables import Table, counted
from bayesbias.support.threads import on_all_threads

_SOME: Final = ("k", "lam", "alpha", "equalise")
"""Options that only some methods have."""


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
    options = _options(arguments, wordlist.protected_words)
    for file in arguments.files or ():
        holds_questions(file)  # a file that cannot be read is told of before the work
    vectors = called(bb.load_embedding, arguments, arguments.input)
    result = method(vectors, wordlist=wordlist, **options)
    result.save(arguments.output)
    blocks, content = _lines(result.record, Path(arguments.output)), result.record.to_dict()
    if arguments.files:
        cost = called(
            on_all_threads(bb.debias.utility), arguments, vectors, result.vectors, *arguments.files
        )
        blocks += ["", COST, "", *cost.blocks]
        content |= {"utility": cost.to_dict()}
    show(arguments, blocks, content)
    paths = [arguments.input, arguments.output]
    again = shlex.join(["bayesbias", "compare", *paths, "--wordlist", arguments.wordlist])
    say(arguments, f"What it changed: {again}")


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
--lam X  weight of the association (soft; default 0.2)
--alpha X  ridge penalty (half_sibling; default 2)
--all-words  neutralise every word but the protected ones, not only the list's stereotype
    attributes (two_means, inlp and leace project every word by default)
--keep WORD*  with --all-words: leave this word too; repeatable
--no-equalise -> equalise=()  do not equalise the defining sets (hard, multiclass, double_hard)
{shared.READING}
--memory-mb MB  keep larger results in a temporary file; IN should then be a store (see convert)
--overwrite  replace OUT if it exists
{shared.UTILITY}
{shared.SPEECH}
""",
    run,
)


def _options(arguments: argparse.Namespace, protected: Sequence[str]) -> dict[str, Any]:
    """Return the method's options that were given; refuse those that it does not have."""
    from bayesbias.debias.words import EVERY

    given = {name: getattr(arguments, name) for name in _SOME}
    options: dict[str, Any] = {k: value for k, value in given.items() if value is not None}
    for name, value in options.items():
        fitting = [m for m, method in bb.debias.METHODS.items() if name in method.options]
        if arguments.method not in fitting:
            raise ArgumentError(
                f"{name}={value!r} does not go with {arguments.method}, only with "
                f"{' and '.join(fitting)}"
            )
    if arguments.memory_mb is not None:
        options["memory_mb"] = arguments.memory_mb
    if arguments.all_words:
        options["neutralise"] = "all"
        options["keep"] = [*protected, *(arguments.keep or ())]
    elif arguments.keep:
        method = bb.debias.METHODS[arguments.method]
        neutralise = signature(method.function).parameters["neutralise"]
        without = (
            f"{arguments.method} projects every word"
            if neutralise.default == EVERY
            else "only the list's stereotype attributes are neutralised"
        )
        raise ArgumentError(f"--keep goes with --all-words; without it {without}")
    return options


def _lines(record: "bb.debias.DebiasRecord", path: Path) -> list[str | Table]:
    shares = ", ".join(f"{share:.3f}" for share in record.explained_variance)
    left_out = dict.fromkeys(f"{', '.join(d.words)} ({d.reason})" for d in record.dropped)
    return [
        f"{record.method}: {counted(len(record.defining_sets), 'defining set')}, a subspace of "
        f"{counted(len(record.basis), 'dimension')} (explained variance {shares})",
        f"{counted(record.n_neutralised, 'word')} neutralised, "
        f"{counted(len(record.equalised), 'set')} equalised",
        *(f"left out: {words}" for words in left_out),
        *record.notes,
        f"Vectors are in {path}, the record in {path.name}.json",
    ]
