"""The command ``compare``."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli import output
from bayesbias.cli.app import Command, app
from bayesbias.errors import ArgumentError, DistancesError

if TYPE_CHECKING:
    import pandas as pd


@app.command(cls=Command)
@shared.with_groups
def compare(
    *,
    files: Annotated[
        list[str],
        Argument(metavar="FILES", help="Two or more files of vectors, or of distances without -w."),
    ],
    wordlist: shared.OptionalWordList = None,
    names: Annotated[
        str | None,
        Option(metavar="A,B,…", help="Names of the files; numbers are times. Two: before,after."),
    ] = None,
    baseline: Annotated[
        str | None, Option(metavar="NAME", help="Compare all others with this one.")
    ] = None,
    used: Annotated[
        str | None,
        Option(metavar="LIST", help="Words that debiasing used: a list or a record (OUT.json)."),
    ] = None,
    test: Annotated[
        str | None, Option(metavar="LIST", help="A list of words that debiasing did not use.")
    ] = None,
    as_json: shared.Json = False,
    log: shared.Log = None,
    fitting: shared.Fitting,
    results: shared.Results,
    reading: shared.Reading,
) -> None:
    """Say what differs between embeddings, or before and after."""
    from bayesbias.debias.record import words_used_of_file

    if len(files) < 2:
        raise ArgumentError("give two files or more to compare")
    labels = _names(files, names)
    bb.load_model(fitting.model)
    sources: Iterable[Any]
    if wordlist is None:
        sources = map(_distances, files)
    else:  # other lists may have the words that a method did not use
        lists = [wordlist, *bb.list_wordlists()]
        words = {word for name in lists for word in bb.load_wordlist(name).words}
        sources = (reading.load(path, words) for path in files)
    recorded = words_used_of_file(files[-1]) if used is None else None
    comparison = bb.compare(
        dict(zip(labels, sources, strict=True)),
        wordlist,
        baseline=baseline,
        model=fitting.model,
        used=used if recorded is None else sorted(recorded),
        test=test,
        rule=fitting.rule,
        seed=fitting.seed,
    )
    output.log(f"{len(comparison.levels)} conditions are compared")
    results.write(comparison)
    if as_json:
        output.show("", comparison.to_dict(command=output.command_line()), as_json=True)
    else:
        output.say(repr(comparison))


def _distances(path: str) -> "pd.DataFrame":
    """Read a file of distances, which a file of vectors without a word list is taken for."""
    try:
        return bb.read_distances(path)
    except DistancesError as error:
        raise DistancesError(f"{error} (for a file of vectors name --wordlist)") from None


def _names(files: list[str], names: str | None) -> list[Any]:
    """Return what the files are called: names that were given, before and after, or file names."""
    if names is None:
        stems = [Path(path).name.partition(".")[0] for path in files]
        alike = len(set(stems)) < len(stems)
        return ["before", "after"] if len(files) == 2 else [*map(str, files)] if alike else stems
    labels: list[Any] = [name.strip() for name in names.split(",")]
    if len(labels) != len(files):
        raise ArgumentError(f"--names: {len(labels)} names of {len(files)} files")
    try:
        return [float(label) if "." in label else int(label) for label in labels]
    except ValueError:
        return labels
