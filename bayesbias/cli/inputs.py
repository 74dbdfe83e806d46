"""What several commands do: read vectors and lists, report what is missing, speak."""

import argparse
import json
import sys
from typing import Any

import numpy as np
import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from bayesbias.errors import ArgumentError
from bayesbias.pairs.distance_frame import distances
from bayesbias.pairs.files import read_distances
from bayesbias.pairs.provenance import missing_of, missing_words
from bayesbias.pairs.word_lists import load_wordlist
from bayesbias.support.text_tables import Blocks, Table, as_text, printable
from bayesbias.vectors.loading import load_embedding

_WIDTH = 160


def embedding_frame(path: str, arguments: argparse.Namespace) -> pd.DataFrame:
    """Return the distances of a file of vectors and the word list of the arguments."""
    wordlist = load_wordlist(arguments.wordlist)
    vectors = load_embedding(
        path,
        words=wordlist.words,
        fallbacks=arguments.fallback,
        limit=arguments.limit,
        trusted=arguments.trusted,
        progress=progress_of(arguments),
    )
    return distances(vectors, wordlist, fallbacks=arguments.fallback)


def distances_frame(path: str, arguments: argparse.Namespace) -> pd.DataFrame:
    """Return the distances of a file, and refuse options that only vectors have."""
    for name in ("fallback", "limit", "trusted"):
        if getattr(arguments, name) not in (None, [], False):
            raise ArgumentError(f"--{name} goes with word vectors; {path} is read as distances")
    return read_distances(path, duplicates=arguments.duplicates)


def print_missing(arguments: argparse.Namespace, frame: pd.DataFrame, *, title: str = "") -> None:
    """Print the words that a frame could not use, unless the command is to be silent."""
    if is_silent(arguments) or not missing_of(frame):
        return
    if title:
        print(f"{title}:")
    missing = missing_words(frame)
    for (role, name), part in missing.groupby(["role", "list"], sort=False):
        words = ", ".join(part["word"])
        where = f" of {name}" if name else ""
        print(f"missing {role} words{where} ({len(part)}): {printable(_shortened(words))}")
    print()


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDTH else text[:_WIDTH].rsplit(",", 1)[0] + ", ..."


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


def show(arguments: argparse.Namespace, blocks: Blocks, content: dict[str, Any]) -> None:
    """Print a result: as JSON if asked for, with ruled tables in a terminal, else as plain text."""
    if getattr(arguments, "json", False):
        print(json.dumps(_finite(content), ensure_ascii=False, indent=1, default=str))
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
            console.print(_ruled(block))


def _ruled(table: Table) -> RichTable:
    """Return a table for the terminal; words wrap, numbers do not."""
    ruled = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(table.frame.columns):
        is_text = number < table.left
        ruled.add_column(str(name), justify="left" if is_text else "right", no_wrap=not is_text)
    for row in table.frame.itertuples(index=False):
        ruled.add_row(*(Text(printable(str(cell))) for cell in row))
    return ruled


def _finite(value: Any) -> Any:
    """Turn what JSON has no word for, NaN and infinities, into null."""
    if isinstance(value, dict):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
