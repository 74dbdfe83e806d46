"""How commands speak: texts, ruled tables in a terminal, JSON, and folders of results.

The library's messages are said in the terms of the command line: ``--prob 2`` for ``prob=2``.
"""

import argparse
import ast
import json
import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bayesbias.support.readers import in_terms
from bayesbias.support.text_tables import THEN, Blocks, as_text, in_lines, plain_table, printable
from bayesbias.support.types import Figure

if TYPE_CHECKING:
    import pandas as pd

Answer = TypeVar("Answer")
_WIDTH: Final = 96  # letters of a line of a paragraph, at most


def in_option_terms(message: str, parser: argparse.ArgumentParser) -> str:
    """Return a message of the library with options in place of arguments, as ``name=value``.

    A name alone is replaced if it is no plain word, or begins the message ("limit must be ..."). A
    clause of advice that still asks for Python is left out: this command has no such option.
    """

    def option(found: re.Match[str]) -> str:
        name, value = found.groups()
        begins = message.startswith(f"{name} must ") and found.start() == 0
        if not ("=" in found[0] or "_" in name or begins):
            return found[0]
        for action in parser._actions:
            if action.dest == name and (action.nargs != 0 or value in (None, repr(action.const))):
                return _typed(action, value)
        return found[0]

    # Advice for both: overwrite=True (--overwrite).
    return re.sub(r"(--[\w-]+) \(\1\)", r"\1", in_terms(message, option))


def _typed(action: argparse.Action, value: str | None) -> str:
    """Return an option or a positional argument with a value, as one would type it."""
    name = action.option_strings[0] if action.option_strings else str(action.metavar or action.dest)
    if value is None or action.nargs == 0:
        return name
    try:
        read = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return f"{name} {value}"
    if isinstance(read, list | tuple) and isinstance(action, argparse._AppendAction):
        return " ".join(f"{name} {shlex.quote(str(one))}" for one in read)
    if isinstance(read, list | tuple):
        return f"{name} {','.join(map(str, read))}"
    return f"{name} {shlex.quote(read) if isinstance(read, str) else value}"


def is_silent(arguments: argparse.Namespace) -> bool:
    """Tell whether nothing but the result, or not even that, is to be printed."""
    return bool(getattr(arguments, "quiet", False) or getattr(arguments, "json", False))


def options_for(
    function: Callable[..., Any], arguments: argparse.Namespace, **more: Any
) -> dict[str, Any]:
    """Return the options given, by ``dest``, for a function's optional and named arguments."""
    # Bars are shown where they can be seen, unless the command is to be silent.
    given = {**vars(arguments), "progress": False if is_silent(arguments) else None}
    if "jobs" in given:
        given["jobs"] = given["jobs"] or os.cpu_count() or 1
    named = {
        name
        for name, one in signature(function).parameters.items()
        if one.kind is one.KEYWORD_ONLY or one.default is not one.empty
    }
    return {k: value for k, value in given.items() if k in named and value is not None} | more


def call_with_options(
    function: Callable[..., Answer], arguments: argparse.Namespace, *given: Any, **more: Any
) -> Answer:
    """Call a function of the library with what options say, and with what is given besides."""
    return function(*given, **options_for(function, arguments, **more))


def say(arguments: argparse.Namespace, text: str) -> None:
    """Print unless asked to be quiet, or for JSON alone."""
    if not is_silent(arguments):
        print(printable(text))
        sys.stdout.flush()


def mention(arguments: argparse.Namespace, text: str) -> None:
    """Say what is being done to who waits for it: on standard error, where that is a terminal."""
    if not is_silent(arguments) and sys.stderr.isatty():
        print(printable(text), file=sys.stderr, flush=True)


def show(arguments: argparse.Namespace, blocks: Blocks, content: Mapping[str, Any]) -> None:
    """Print a result: as JSON if asked for, with ruled tables in a terminal, else as plain text.

    JSON has ``answers`` always: where a result has none of its own, the sentences that are shown.
    ``arguments.collected`` takes it instead where it is a part of another.
    """
    from rich.console import Console

    if getattr(arguments, "json", False):
        said = [block.strip() for block in blocks if isinstance(block, str)]
        answers = [text for text in said if text.endswith(".") and not text.startswith("Next: ")]
        if (of_several := getattr(arguments, "collected", None)) is not None:
            of_several.update({"answers": answers, **content})
        else:
            print(_as_json({"answers": answers, **content}))
        return
    if getattr(arguments, "quiet", False):
        return
    console = Console()
    blocks = [
        in_option_terms(block, arguments.parser) if isinstance(block, str) else block
        for block in blocks
    ]
    if not console.is_terminal:
        print(printable(as_text(blocks)))
        return
    for block in blocks:
        if isinstance(block, str):
            lines = in_lines(printable(block), console.width)
            console.print(lines, markup=False, highlight=False)
        else:
            print(plain_table(block, width=console.width, rule="─"))


def wrapped(text: str, *, indent: str = "") -> str:
    """Return a long text in lines that the terminal holds, all but the first indented."""
    width = min(_WIDTH, shutil.get_terminal_size((_WIDTH, 0)).columns)
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent="  ")


def in_steps(steps: Sequence[str]) -> str:
    """Return what else to do, a numbered step each, in lines that fit; "" of none."""
    width = min(_WIDTH, shutil.get_terminal_size((_WIDTH, 0)).columns)
    lines = [
        textwrap.fill(
            step,
            width,
            initial_indent=f"  {n}. ",
            subsequent_indent="     ",
            break_long_words=False,  # a path stays one
            break_on_hyphens=False,
        )
        for n, step in enumerate(steps, 1)
    ]
    return "\n".join([THEN, *lines]) if lines else ""


@contextmanager
def kept_if_interrupted(what: str, arguments: argparse.Namespace) -> Iterator[None]:
    """Say after a Ctrl-C what is kept of work that goes on where it was."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; finished {what} are kept in {arguments.out}, and the same command goes "
            f"on from there"
        ) from None


def check_out(arguments: argparse.Namespace) -> None:
    """Check, before any work, that the folder asked for, if any, may be written."""
    from bayesbias.support.whole_files import check_folder

    if arguments.out is not None:
        check_folder(arguments.out, overwrite=arguments.overwrite)


def write_to_out(
    arguments: argparse.Namespace,
    tables: "Mapping[str, pd.DataFrame]",
    figures: "Mapping[str, Callable[[], Figure]]",
    manifest: Mapping[str, Any],
    page: "Callable[[Path], None] | None" = None,
) -> None:
    """Write tables, figures if asked for, a page and a manifest into the folder asked for."""
    from bayesbias.report import folder_writing
    from bayesbias.support.compatibility import versions
    from bayesbias.support.whole_files import new_folder

    if arguments.out is None:
        return
    with new_folder(arguments.out, overwrite=arguments.overwrite) as place:
        folder_writing.write_tables(place, tables)
        for name, draw in figures.items() if arguments.figures else ():
            folder_writing.save_figure(draw(), place / f"{name}.{arguments.figures}")
        if page is not None:
            page(place)
        fixed = {"command": arguments.command_line, "versions": versions()}
        folder_writing.write_manifest(place, {**fixed, **manifest})
    what = "Tables and figures" if figures and arguments.figures else "Tables"
    say(arguments, f"{what} are in {arguments.out}")


def _as_json(content: Mapping[str, Any]) -> str:
    """Return JSON that shows every character that can be seen; the others are escapes."""
    from bayesbias.support.result import plain

    text = json.dumps(plain(content), ensure_ascii=False, indent=1, default=str)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(json.loads(text), indent=1)
    # JSON itself has escaped what comes before the space; its own line breaks stay.
    return re.sub(
        r"[^\x00-~]", lambda c: c[0] if printable(c[0]) == c[0] else json.dumps(c[0])[1:-1], text
    )
