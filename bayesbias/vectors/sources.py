"""What is known of the source of vectors: facts that the vectors carry with them, into copies too.

Vectors are often a few words of a large file. Of the whole file they keep where it is, how many of
its words have capital letters, and its first words, which tell how alike words are (`samples`).
"""

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from bayesbias.errors import EmbeddingError
from bayesbias.support.arguments import KeyedVectors
from bayesbias.support.bounded_files import file_checksum

_FACTS: Final = "source_facts"
_FEW: Final = 1e-3
"""Share of a vocabulary below which words with capitals are marks such as ``<UNK>`` and slips."""

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


def remember_file(vectors: KeyedVectors, file: Path, **facts: Any) -> None:
    """Note from which file vectors were read, and how; facts that are None are left out."""
    facts = {name: fact for name, fact in facts.items() if fact is not None}
    remember(vectors, origin=(facts, str(file.resolve()), _version(str(file))))


def origin_of(vectors: KeyedVectors) -> dict[str, Any]:
    """Return where vectors were read from, as plain data; empty where they were made in memory.

    The checksum is computed when it is first asked for, about a second per GB, and left out where
    the file has changed since.
    """
    facts, file, version = known_of(vectors, "origin") or ({}, "", None)
    if version is None or _version(file) != version:
        return dict(facts)
    return {**facts, "embedding_sha256": _checksum(file, version)}


def _version(file: str) -> _Version:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


@lru_cache(maxsize=64)
def _checksum(file: str, version: _Version) -> str:
    return file_checksum(file, EmbeddingError)


def count_capitalised(words: Iterable[str]) -> int:
    """Return how many words have capital letters."""
    return sum(word != word.lower() for word in words)


def capitals_of(vectors: KeyedVectors) -> tuple[int, int]:
    """Return how many words have capitals, and of how many: of the vectors' source or their own."""
    words = vectors.index_to_key
    counts: tuple[int, int] | None = known_of(vectors, "capitals")
    return (count_capitalised(words), len(words)) if counts is None else counts


def lacks_capitals(vectors: KeyedVectors) -> bool:
    """Tell whether next to no word of the vectors' source has capitals."""
    n_capitalised, n_words = capitals_of(vectors)
    return n_capitalised < _FEW * n_words
