"""The commands ``wordlists list``, ``show`` and ``check``."""

import argparse
import textwrap
from dataclasses import asdict
from typing import Any

import pandas as pd

from bayesbias.cli.inputs import progress_of, show
from bayesbias.pairs.distance_frame import coverage
from bayesbias.pairs.word_lists import WordList, list_wordlists, load_wordlist
from bayesbias.support.text_tables import Blocks, Table
from bayesbias.vectors.loading import load_embedding

_WIDTH = 96


def run_list(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print the shipped lists, one a line."""
    rows = []
    for name in list_wordlists():
        wordlist = load_wordlist(name)
        stereotypes = [s for s in wordlist.attribute_sets if s.kind == "stereotype"]
        rows.append({
            "name": name,
            "title": wordlist.title,
            "protected words": len(wordlist.protected_words),
            "attributes": sum(len(s.words) for s in stereotypes),
        })  # fmt: skip
    show(arguments, [Table(pd.DataFrame(rows), left=2)], {"wordlists": rows})


def run_show(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print a list's source, notes and words."""
    wordlist = load_wordlist(arguments.wordlist)
    lines = [f"{wordlist.name}: {wordlist.title}"]
    lines.append(_wrapped("source", " ".join((wordlist.source, wordlist.url)).strip()))
    if wordlist.notes:
        lines.append(_wrapped("notes", " ".join(wordlist.notes.split())))
    for group in wordlist.groups:
        lines.append(
            f"\nprotected words {group.name!r}, associated with {', '.join(group.associated)}"
        )
        lines.append(_indented(", ".join(group.words)))
    for attribute_set in wordlist.attribute_sets:
        lines.append(f"\n{attribute_set.kind} attributes {attribute_set.name!r}")
        lines.append(_indented(", ".join(attribute_set.words)))
    show(arguments, lines, {**asdict(wordlist), "sha256": wordlist.checksum()})


def run_check(arguments: argparse.Namespace, given: list[str]) -> None:
    """Check a list and, with an embedding, which of its words are there."""
    wordlist = load_wordlist(arguments.wordlist)
    n_protected, n_attributes = len(wordlist.protected_words), len(wordlist.attributes)
    blocks: list[str | Table] = [
        f"{wordlist.name}: {n_protected} protected words and {n_attributes} attributes, no faults "
        f"found"
    ]
    content: dict[str, Any] = {
        "name": wordlist.name, "protected_words": n_protected, "attributes": n_attributes,
        "sha256": wordlist.checksum(),
    }  # fmt: skip
    if arguments.embedding is not None:
        found, content["coverage"] = _coverage(arguments, wordlist)
        blocks += found
    show(arguments, blocks, content)


def _coverage(
    arguments: argparse.Namespace, wordlist: WordList
) -> tuple[Blocks, list[dict[str, Any]]]:
    """Return how many words of each set the vectors have, and which are missing."""
    vectors = load_embedding(
        arguments.embedding,
        words=wordlist.words,
        fallbacks=arguments.fallback,
        trusted=arguments.trusted,
        progress=progress_of(arguments),
    )
    table = coverage(vectors, wordlist, fallbacks=arguments.fallback)
    rows = [
        {"role": role, "list": name, "found": int((part["found_as"] != "").sum()),
         "of": len(part), "missing": part.loc[part["found_as"] == "", "word"].tolist()}
        for (role, name), part in table.groupby(["role", "list"], sort=False)
    ]  # fmt: skip
    counts = pd.DataFrame(rows)[["role", "list", "found", "of"]]
    missing = [_wrapped(f"missing of {row['list']}", ", ".join(row["missing"]))
               for row in rows if row["missing"]]  # fmt: skip
    return ["", Table(counts, left=2), *([""] if missing else []), *missing], rows


def _wrapped(label: str, text: str) -> str:
    return textwrap.fill(f"{label}: {text}", _WIDTH, subsequent_indent="  ")


def _indented(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
