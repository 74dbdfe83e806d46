"""What is known of the source of vectors, remembered beside the vectors and not in them.

Of the whole vocabulary that vectors of some words were taken from: its capitals, a sample, other
spellings of the words, and at which rows they stand; and from which file they were read. A copy of
the vectors is another object, of which nothing is known.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

from bayesbias.errors import EmbeddingError
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.types import KeyedVectors

_Version = tuple[int, int, int]  # size, time of the last change in ns, and inode of a file
_SOURCES: Final["WeakKeyDictionary[KeyedVectors, dict[str, Any]]"] = WeakKeyDictionary()


def remember(vectors: KeyedVectors, **known: Any) -> None:
    """Note what is known of the source of vectors, or functions that find it out when asked."""
    _SOURCES.setdefault(vectors, {}).update(known)


def known_of(vectors: KeyedVectors, what: str) -> Any:
    """Return what is known of the source of vectors; None where nothing is."""
    known = _SOURCES.get(vectors, {})
    if callable(known.get(what)):
        known[what] = known[what]()
    return known.get(what)


def same_source(vectors: KeyedVectors, *what: str, as_of: KeyedVectors) -> None:
    """Note that vectors come from the source of others."""
    known = _SOURCES.get(as_of, {})
    remember(vectors, **{name: known[name] for name in what if name in known})


def remember_origin(
    vectors: KeyedVectors, facts: Mapping[str, Any], file: Path | None = None
) -> KeyedVectors:
    """Note where vectors were read from; return them. Facts that are None are left out."""
    kept = {key: value for key, value in facts.items() if value is not None}
    place = None if file is None else (file.resolve(), _version(file))
    remember(vectors, origin=(kept, place))
    return vectors


def origin_of(vectors: KeyedVectors) -> dict[str, Any]:
    """Return where vectors were read from, as plain data; empty where they were made in memory.

    The checksum is computed when it is first asked for, about a second per GB, and left out where
    the file has changed since. Of a store, ``made_from`` says which file it was converted from.
    """
    facts, place = known_of(vectors, "origin") or ({}, None)
    if place is None or place[1] is None or _version(place[0]) != place[1]:
        return dict(facts)
    return {**facts, "embedding_sha256": _checksum(*place)}


def _version(file: Path) -> _Version | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


@lru_cache(maxsize=64)
def _checksum(file: Path, version: _Version) -> str:
    return file_checksum(file, EmbeddingError)


_FEW: Final = 1e-3
"""Share of a vocabulary below which words with capitals are marks such as ``<UNK>`` and slips."""


@dataclass
class Capitals:
    """How many words of a vocabulary have capital letters."""

    n_words: int = 0
    n_latin: int = 0  # words with a letter from A to Z

    n_any: int = 0
    """Words with a capital of any alphabet; some text is lower-cased from A to Z alone."""

    def add(self, text: str) -> None:
        """Count a word."""
        word = text.encode("utf-8", "surrogatepass")
        is_latin = word.lower() != word  # of bytes, from A to Z
        self.n_words += 1
        self.n_latin += is_latin
        self.n_any += is_latin or (not word.isascii() and text != text.lower())

    def lack(self, word: str) -> bool:
        """Tell whether the vocabulary has next to no capitals of the kind that a word has."""
        found = self.n_latin if word.isascii() else self.n_any
        return self.n_words > 0 and found < _FEW * self.n_words

    def __str__(self) -> str:
        return f"{self.n_any:,} of {self.n_words:,} words"


def capital_counts(words: Iterable[str]) -> Capitals:
    """Count the capitals of words."""
    found = Capitals()
    for word in words:
        found.add(word)
    return found


def capitals_of(vectors: KeyedVectors) -> Capitals:
    """Return the capitals of the vocabulary that vectors come from, or of their own."""
    found: Capitals | None = known_of(vectors, "capitals")
    return capital_counts(cast("Sequence[str]", vectors.index_to_key)) if found is None else found


_FREQUENT: Final = """
the of and to in for that is on with was by as at from he it an are be his have has but
not they this or who you had were their been its one more would about will there when
she her we all out what up if can so no my them me him your other some could than then
only into now over just like also how first after our any these time very even because
"""

FREQUENT: Final = frozenset(_FREQUENT.split())
"""Words that are among the most frequent of any English text."""


@dataclass
class Ranks:
    """Rows of a source, counted from 0."""

    rows: Mapping[str, int]  # of the words that were loaded
    n_words: int  # of the source

    frequent: dict[str, int] = field(default_factory=dict)
    """Of those of the most frequent English words that the source has."""


def ranks_of(vectors: KeyedVectors) -> Ranks:
    """Return at which rows of their source, or of the vectors themselves, words stand."""
    found: Ranks | None = known_of(vectors, "ranks")
    return ranks_in(vectors.key_to_index) if found is None else found


def ranks_in(index: Mapping[str, int]) -> Ranks:
    """Return the ranks of a whole vocabulary."""
    return Ranks(index, len(index), {word: index[word] for word in FREQUENT if word in index})
