"""The command ``debias``."""

import os
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Final

from typer import Argument, Option

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli import output
from bayesbias.cli.app import app
from bayesbias.errors import ArgumentError, OutputError

_METHODS: Final = "hard, multiclass, subspace, inlp, leace or double_hard"


@app.command()
@shared.with_groups
def debias(
    *,
    method: Annotated[str, Argument(metavar="METHOD", help=f"{_METHODS}.")],
    vectors: shared.Vectors,
    result: Annotated[Path, Argument(metavar="OUT", help="File to write: .txt, .bin or .kv.")],
    wordlist: shared.WordListName,
    k: Annotated[
        int | None, Option("--k", metavar="N", help="Dimensions of the subspace (multiclass).")
    ] = None,
    all_words: Annotated[
        bool, Option("--all-words", help="Neutralise every word but the protected ones.")
    ] = False,
    words: Annotated[
        Path | None, Option(metavar="FILE", help="Neutralise these words alone, a word a line.")
    ] = None,
    keep: Annotated[
        list[str] | None, Option(metavar="WORD", help="Leave this word too; repeatable.")
    ] = None,
    no_equalise: Annotated[
        bool, Option("--no-equalise", help="Do not equalise the matched words.")
    ] = False,
    overwrite: shared.Overwrite = False,
    as_json: shared.Json = False,
    log: shared.Log = None,
    reading: shared.Reading,
) -> None:
    """Debias a file of vectors; a record of what was done is written beside it."""
    from bayesbias.support.bounded_files import read_text
    from bayesbias.support.whole_files import check_file

    function = bb.debias.find_method(method)
    wanted = bb.load_wordlist(wordlist)
    if os.path.exists(vectors) and result.exists() and result.samefile(vectors):
        raise OutputError(f"{result}: is what the vectors are read from; choose another place")
    check_file(result, overwrite=overwrite)
    options: dict[str, Any] = {} if k is None else {"k": k}
    if no_equalise:
        options["equalise"] = ()
    if words is not None:
        if all_words or keep:
            raise ArgumentError(
                "--words names all that is neutralised; omit --all-words and --keep"
            )
        lines = map(str.strip, read_text(words, ArgumentError).splitlines())
        options["neutralise"] = list(filter(None, lines))
    elif all_words:
        options |= {"neutralise": "all", "keep": [*wanted.protected_words, *(keep or ())]}
    elif keep:
        options["keep"] = keep
    for name in options:
        if name not in signature(function).parameters:
            raise ArgumentError(f"{name}: does not go with this method")
    debiased = function(reading.load(vectors, None), wordlist=wanted, **options)
    debiased.save(result)
    text = (
        f"{debiased.record!r}\n\nVectors are in {result}, the record of what was done in "
        f"{result.name}.json.\nWhat it changed: bayesbias compare {vectors} {result} -w {wordlist}"
    )
    output.show(text, debiased.record.to_dict(), as_json=as_json)
