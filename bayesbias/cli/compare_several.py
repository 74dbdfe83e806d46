"""What ``compare`` does with several embeddings side by side, or over time."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bayesbias.cli.options import flag, option
from bayesbias.cli.output import asked_of, show, write_tables
from bayesbias.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd


SEVERAL: Final = (
    option("others MORE", "further files: several embeddings side by side", nargs="*"),
    flag(
        "--embeddings",
        "the files are several embeddings, also if they are two, not before and after",
    ),
    option("--names A,B", "what the files are called (default: the files' own names)"),
    option(
        "--order T,U,V",
        "the files are of these times, numbers such as 1900,1910,1920 or names in their order",
    ),
)
"""Further files, and what several files are."""

DEFAULT_MODEL: Final = "change-maximal"
"""The model of two files, in whose place several have one of their own."""


def files_of(arguments: argparse.Namespace) -> list[str]:
    """Return all files that are compared."""
    return [arguments.before, arguments.after, *arguments.others]


def are_several(arguments: argparse.Namespace) -> bool:
    """Tell whether files are several embeddings or times; two are before and after by default."""
    return bool(arguments.others or arguments.embeddings or arguments.order)


def check_several(arguments: argparse.Namespace) -> None:
    """Refuse, before any work, names that do not fit the files, and what is of a change alone."""
    if not are_several(arguments):
        if arguments.names is not None:
            raise ArgumentError(
                "--names is of several embeddings; give --embeddings too, or leave it out: two "
                "files are before and after"
            )
        return
    if arguments.report:
        raise ArgumentError("--report is about a change from before to after; leave it out")
    if arguments.order and (arguments.names or arguments.embeddings):
        raise ArgumentError("--order names the files by their times; leave the other names out")
    _names(arguments)


def compare_several(arguments: argparse.Namespace, frames: "list[pd.DataFrame]") -> None:
    """Compare several embeddings or times, print the answer and write it."""
    from bayesbias.studies import across_embeddings, over_time

    given = dict(zip(_names(arguments), frames, strict=True))
    module: Any = over_time if arguments.order else across_embeddings
    function = over_time.over_time if arguments.order else across_embeddings.compare_embeddings
    chosen = asked_of(function, arguments, engine=arguments.engine)
    if arguments.model == DEFAULT_MODEL:  # of two files
        chosen.pop("model")
    found: Any = function(given, **chosen)
    show(arguments, found.blocks, found.to_dict() if arguments.json else {})
    if arguments.out is None:
        return
    tables = {name: getattr(found, name) for name in module.TABLES}
    figure = "over_time" if arguments.order else "embeddings"
    joint = found.line if arguments.order else found.joint
    manifest = {
        "embeddings": dict(zip(given, files_of(arguments), strict=True)),
        "model": joint.spec.name,
        "notes": joint.notes,
        "seed": joint.seed,
        "intervals": {"prob": found.rule.prob, "interval": found.rule.interval},
    }
    write_tables(arguments, tables, {figure: found.plot}, manifest)


def _names(arguments: argparse.Namespace) -> list[str]:
    """Return the names of all files: times, given names, or what tells the files apart."""
    files = files_of(arguments)
    option = "--order" if arguments.order else "--names"
    text = arguments.order or arguments.names
    if text is None:
        names = [Path(file).name.split(".")[0] for file in files]
        names = names if len(set(names)) == len(names) else files
    else:
        names = [part.strip() for part in text.split(",")]
    if len(names) != len(files) or not all(names):
        raise ArgumentError(
            f"{option} {text}: {len(names)} for {len(files)} files; give one for each file, with "
            f"commas between them"
        )
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ArgumentError(f"{option}: two files are called {repeated[0]!r}; name them apart")
    return names
