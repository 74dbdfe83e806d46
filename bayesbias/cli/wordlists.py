"""The commands ``wordlists list``, ``show`` and ``check``."""

import argparse
import textwrap

from bayesbias.embeddings import load_embedding
from bayesbias.frames import coverage
from bayesbias.wordlists import WordList, list_wordlists, load_wordlist

_WIDTH = 96


def run_list(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print the shipped lists, one a line."""
    for name in list_wordlists():
        wordlist = load_wordlist(name)
        stereotypes = [s for s in wordlist.attribute_sets if s.kind == "stereotype"]
        n_attributes = sum(len(s.words) for s in stereotypes)
        print(f"{name:<9} {len(wordlist.protected_words):>3} protected words, "
              f"{n_attributes:>2} attributes  {wordlist.title}")  # fmt: skip


def run_show(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print a list's source, notes and words."""
    wordlist = load_wordlist(arguments.wordlist)
    print(f"{wordlist.name}: {wordlist.title}")
    print(_wrapped("source", " ".join((wordlist.source, wordlist.url)).strip()))
    if wordlist.notes:
        print(_wrapped("notes", " ".join(wordlist.notes.split())))
    _print_words(wordlist)


def _print_words(wordlist: WordList) -> None:
    for group in wordlist.groups:
        print(f"\nprotected words {group.name!r}, associated with {', '.join(group.associated)}")
        print(_indented(", ".join(group.words)))
    for attribute_set in wordlist.attribute_sets:
        print(f"\n{attribute_set.kind} attributes {attribute_set.name!r}")
        print(_indented(", ".join(attribute_set.words)))


def run_check(arguments: argparse.Namespace, given: list[str]) -> None:
    """Check a list and, with an embedding, which of its words are there."""
    wordlist = load_wordlist(arguments.wordlist)
    print(f"{wordlist.name}: {len(wordlist.protected_words)} protected words and "
          f"{len(wordlist.attributes)} attributes, no faults found")  # fmt: skip
    if arguments.embedding is None:
        return
    vectors = load_embedding(
        arguments.embedding,
        words=wordlist.words,
        fallbacks=arguments.fallback,
        trusted=arguments.trusted,
    )
    table = coverage(vectors, wordlist, fallbacks=arguments.fallback)
    for (role, name), part in table.groupby(["role", "list"], sort=False):
        missing = part.loc[part["found_as"] == "", "word"]
        print(f"{role:<9} {name:<22} {len(part) - len(missing):>3} of {len(part):>3} found")
        if len(missing):
            print(_indented("missing: " + ", ".join(missing)))


def _wrapped(label: str, text: str) -> str:
    return textwrap.fill(f"{label}: {text}", _WIDTH, subsequent_indent="  ")


def _indented(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
