"""The command ``debias``."""

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bayesbias.cli.inputs import progress_of, say, show
from bayesbias.debias import METHODS, DebiasRecord, find_method
from bayesbias.errors import ArgumentError
from bayesbias.pairs.word_lists import load_wordlist
from bayesbias.support.whole_files import check_file, refuse_input_as_output
from bayesbias.vectors.loading import load_embedding

_FLAGS: Final = {
    "k": ("--k", "k"),
    "lam": ("--lam", "lam"),
    "equalise": ("--no-equalise", "equalise"),
}
"""Options that some methods have: the name, the flag and the argument."""


def run_debias(arguments: argparse.Namespace, given: list[str]) -> None:
    """Debias a file of vectors and write the new vectors with a record."""
    method = find_method(arguments.method)
    wordlist = load_wordlist(arguments.wordlist)
    refuse_input_as_output(arguments.input, arguments.output)
    check_file(arguments.output, overwrite=arguments.overwrite)
    options = _options(arguments, wordlist.protected_words)
    known = METHODS[arguments.method].options
    for name, (flag, _) in _FLAGS.items():
        if name in options and name not in known:
            fitting = [m for m, f in METHODS.items() if name in f.options]
            raise ArgumentError(f"{flag} does not go with {arguments.method}, only with "
                                f"{' and '.join(fitting)}")  # fmt: skip
    vectors = load_embedding(
        arguments.input,
        limit=arguments.limit,
        trusted=arguments.trusted,
        progress=progress_of(arguments),
    )
    result = method(vectors, wordlist=wordlist, memory_mb=arguments.memory_mb, **options)
    result.save(arguments.output)
    text = _text(result.record, Path(arguments.output))
    show(arguments, text.splitlines(), result.record.to_dict())
    again = ["bayesbias", "compare", arguments.input, arguments.output, "--wordlist",
             arguments.wordlist]  # fmt: skip
    say(arguments, f"What it changed: {shlex.join(again)}")


def _options(arguments: argparse.Namespace, protected: Sequence[str]) -> dict[str, Any]:
    """Return the method's options that were given."""
    given = {name: getattr(arguments, argument) for name, (_, argument) in _FLAGS.items()}
    options = {name: value for name, value in given.items() if value is not None}
    if arguments.all_words:
        options["neutralise"] = "all"
        options["keep"] = [*protected, *arguments.keep]
    elif arguments.keep:
        raise ArgumentError("--keep goes with --all-words; without it only the list's stereotype "
                            "attributes are neutralised")  # fmt: skip
    return options


def _text(record: DebiasRecord, path: Path) -> str:
    shares = ", ".join(f"{share:.3f}" for share in record.explained_variance)
    lines = [
        f"{record.method}: {len(record.defining_sets)} defining sets, a subspace of "
        f"{len(record.basis)} dimensions (explained variance {shares})",
        f"{record.n_neutralised:,} words neutralised, {len(record.equalised)} sets equalised",
        *(f"left out: {', '.join(d.words)} ({d.reason})" for d in record.dropped),
        *record.notes,
        f"Vectors are in {path}, the record in {path.name}.json",
    ]
    return "\n".join(lines)
