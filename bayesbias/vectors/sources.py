"""What is known of the source of vectors: facts that the vectors carry with them, into copies too.

Vectors are often a few words of a large file. Of the whole file they keep where it is, how many of
its words have capital letters, and its first words, which tell how alike words are (`samples`).
"""

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from bayesbias.errors import EmbeddingError
from bayesbias.support.arguments import KeyedVectors
from bayesbias.support.bounded_files import file_checksum

_FACTS: Final = "source_facts"
_Version = tuple[int, int, int] | None  # size, time of change in ns, and inode of a file


def remember(vectors: KeyedVectors, **facts: Any) -> None:
    """Note facts of the source of vectors, or functions that find them out when asked."""
    setattr(vectors, _FACTS, {**getattr(vectors, _FACTS, {}), **facts})


def known_of(vectors: KeyedVectors, name: str) -> Any:
    """Return a fact of the source of vectors; None where it is not known."""
    facts = getattr(vectors, _FACTS, {})
    if callable(facts.get(name)):
        facts[name] = facts[name]()
    return facts.get(name)


def same_source(vectors: KeyedVectors, *names: str, as_of: KeyedVectors) -> None:
    """Note that vectors come from the source of others."""
    facts = getattr(as_of, _FACTS, {})
    remember(vectors, **{name: facts[name] for name in names if name in facts})


def remember_origin(
    vectors: KeyedVectors, facts: Mapping[str, Any], file: Path | None = None
) -> KeyedVectors:
    """Note where vectors were read from; return them. Facts that are None are left out."""
    place = None if file is None else (str(file.resolve()), _version(str(file)))
    remember(vectors, origin=({k: v for k, v in facts.items() if v is not None}, place))
    return vectors


def origin_of(vectors: KeyedVectors) -> dict[str, Any]:
    """Return where vectors were read from, as plain data; empty where they were made in memory.

    The checksum is computed when it is first asked for, about a second per GB, and left out where
    the file has changed since.
    """
    facts, place = known_of(vectors, "origin") or ({}, None)
    if place is None or place[1] is None or _version(place[0]) != place[1]:
        return dict(facts)
    return {**facts, "embedding_sha256": _checksum(*place)}


def _version(file: str) -> _Version:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


@lru_cache(maxsize=64)
def _checksum(file: str, version: _Version) -> str:
    return file_checksum(file, EmbeddingError)


_FEW: Final = 1e-3
"""Share of a vocabulary below which words with capitals are marks such as ``<UNK>`` and slips."""


class Capitals(NamedTuple):
    """How many words of a vocabulary have capital letters: from A to Z, and of any alphabet.

    Some text is lower-cased from A to Z alone.
    """

    n_words: int = 0
    n_latin: int = 0
    n_any: int = 0

    def lack(self, word: str) -> bool:
        """Tell whether the vocabulary has next to no capitals of the kind that a word has."""
        n = self.n_latin if word.isascii() else self.n_any
        return self.n_words > 0 and n < _FEW * self.n_words

    def __str__(self) -> str:
        return f"{self.n_any:,} of {self.n_words:,} words"


def capital_counts(words: Iterable[str], before: Capitals = Capitals()) -> Capitals:  # noqa: B008
    """Count the words with capitals, with those that were counted before."""
    listed = list(words)
    capitalised = [word for word in listed if word != word.lower()]
    latin = [word for word in capitalised if any("A" <= letter <= "Z" for letter in word)]
    n = before.n_words + len(listed)
    return Capitals(n, before.n_latin + len(latin), before.n_any + len(capitalised))


def capitals_of(vectors: KeyedVectors) -> Capitals:
    """Return the capitals of the vocabulary that vectors come from, or of their own."""
    counts: Capitals | None = known_of(vectors, "capitals")
    return capital_counts(vectors.index_to_key) if counts is None else counts
