"""What is known of the source of vectors, remembered beside the vectors and not in them.

Of the whole vocabulary that vectors of some words were taken from: its capitals, a sample, other
spellings of the words, and their ranks; and from which file they were read. A copy of the vectors
is another object, of which nothing is known.
"""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from bayesbias.errors import EmbeddingError
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.types import KeyedVectors

_Version = tuple[int, int, int]
"""Size, time of the last change in ns, and inode of a file."""

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
