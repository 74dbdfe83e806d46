"""What several commands do: read vectors and lists, report what is missing, speak."""

import argparse
import sys
from pathlib import Path

import pandas as pd

from bayesbias.embeddings import load_embedding
from bayesbias.framefiles import file_checksum
from bayesbias.frames import distances, missing_words
from bayesbias.wordlists import load_wordlist

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
    )
    frame = distances(vectors, wordlist, fallbacks=arguments.fallback)
    file = Path(path)
    frame.attrs["source"]["embedding"] = file.name
    if file.is_file():
        frame.attrs["source"]["embedding_sha256"] = file_checksum(file)
    return frame


def print_missing(frame: pd.DataFrame, quiet: bool, *, title: str = "") -> None:
    """Print the words that a frame could not use."""
    if quiet or not frame.attrs.get("missing"):
        return
    if title:
        print(f"{title}:")
    missing = missing_words(frame)
    for (role, name), part in missing.groupby(["role", "list"], sort=False):
        words = ", ".join(part["word"])
        where = f" of {name}" if name else ""
        print(f"missing {role} words{where} ({len(part)}): {_shortened(words)}")
    print()


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDTH else text[:_WIDTH].rsplit(",", 1)[0] + ", ..."


def say(arguments: argparse.Namespace, text: str) -> None:
    """Print unless asked to be quiet."""
    if not arguments.quiet:
        print(text)
        sys.stdout.flush()
