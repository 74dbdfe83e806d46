"""How commands speak: texts, ruled tables in a terminal, JSON, and folders of results."""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from bayesbias.support.text_tables import Blocks, Table, as_text, printable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from rich.console import Console
    from rich.table import Table as RichTable


_LONGEST: Final = 24
"""Letters of a row label that are never wrapped."""


def is_silent(arguments: argparse.Namespace) -> bool:
    """Tell whether nothing but the result, or not even that, is to be printed."""
    return bool(getattr(arguments, "quiet", False) or getattr(arguments, "json", False))


def progress_of(arguments: argparse.Namespace) -> bool | None:
    """Return whether bars are shown: where they can be seen, unless the command is to be silent."""
    return False if is_silent(arguments) else None


def say(arguments: argparse.Namespace, text: str) -> None:
    """Print unless asked to be quiet, or for JSON alone."""
    if not is_silent(arguments):
        print(printable(text))
        sys.stdout.flush()


def show(arguments: argparse.Namespace, blocks: Blocks, content: Mapping[str, Any]) -> None:
    """Print a result: as JSON if asked for, with ruled tables in a terminal, else as plain text."""
    from rich.console import Console

    if getattr(arguments, "json", False):
        print(_as_json(content))
        return
    if getattr(arguments, "quiet", False):
        return
    console = Console()
    if not console.is_terminal:
        print(printable(as_text(blocks)))
        return
    for block in blocks:
        if isinstance(block, str):
            console.print(printable(block), markup=False, highlight=False)
        else:
            for ruled in _ruled(block, console):
                console.print(ruled)


def check_out(arguments: argparse.Namespace) -> None:
    """Check, before any work, that the folder asked for, if any, may be written."""
    from bayesbias.support.whole_files import check_folder

    if arguments.out is not None:
        check_folder(arguments.out, overwrite=arguments.overwrite)


def write_tables(
    arguments: argparse.Namespace,
    tables: "Mapping[str, pd.DataFrame]",
    figures: "Mapping[str, Figure]",
    manifest: Mapping[str, Any],
) -> None:
    """Write tables, figures and a manifest into the folder asked for, if any, and say so."""
    from bayesbias.report import folder_writing
    from bayesbias.support.compatibility import versions
    from bayesbias.support.whole_files import new_folder

    if arguments.out is None:
        return
    with new_folder(arguments.out, overwrite=arguments.overwrite) as place:
        folder_writing.write_tables(place, tables)
        for name, figure in figures.items():
            folder_writing.save_figure(figure, place / f"{name}.{arguments.figure_format}")
        fixed = {"command": arguments.command_line, "versions": versions()}
        folder_writing.write_manifest(place, {**fixed, **manifest})
    what = "Tables and figures" if figures else "Tables"
    say(arguments, f"{what} are in {arguments.out}")


def _as_json(content: Mapping[str, Any]) -> str:
    """Return JSON that shows every character it holds; the others are written as escapes."""
    from bayesbias.support.result import plain

    text = json.dumps(plain(content), ensure_ascii=False, indent=1, default=str)
    # JSON itself has escaped what comes before the space; its own line breaks stay.
    return re.sub(
        r"[^\x00-~]", lambda c: c[0] if printable(c[0]) == c[0] else json.dumps(c[0])[1:-1], text
    )


def _ruled(table: Table, console: "Console") -> "Iterator[RichTable]":
    """Yield a table for the terminal; one that is too wide in parts, each with the row labels."""
    names = list(range(len(table.frame.columns)))
    labels, rest = names[: table.left], names[table.left :]
    part: list[int] = []
    for number in rest:
        if part and not _fits(table, [*labels, *part, number], console):
            yield _part(table, [*labels, *part])
            part = []
        part.append(number)
    yield _part(table, [*labels, *part])


def _fits(table: Table, columns: list[int], console: "Console") -> bool:
    from rich.measure import Measurement

    unlimited = console.options.update(width=10_000)
    return Measurement.get(console, unlimited, _part(table, columns)).minimum <= console.width


def _part(table: Table, columns: list[int]) -> "RichTable":
    """Return some columns of a table, ruled; words wrap, numbers do not."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    ruled = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for number in columns:
        name, is_text = str(table.frame.columns[number]), number < table.left
        words = " ".join([name, *map(str, table.frame.iloc[:, number])]).split()
        ruled.add_column(
            Text(printable(name, lines=False)),
            justify="left" if is_text else "right",
            no_wrap=not is_text,
            overflow="fold",
            # Labels wrap between words; rich alone would shrink them to nothing.
            min_width=min(_LONGEST, max(map(len, words))) if is_text and words else None,
        )
    for row in table.frame.iloc[:, columns].itertuples(index=False):
        ruled.add_row(*(Text(printable(str(cell), lines=False)) for cell in row))
    return ruled
