"""From which file vectors were read, remembered beside the vectors and not in them.

A copy of the vectors, or what debiasing makes of them, is another object and has no origin.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from bayesbias.errors import EmbeddingError
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.types import KeyedVectors

_Version = tuple[int, int, int]
"""Size, time of the last change in ns, and inode of a file."""


@dataclass(frozen=True)
class Origin:
    """The file, store or catalogue entry that vectors were read from, and what it is known by."""

    facts: Mapping[str, Any]
    file: Path | None
    version: _Version | None


_ORIGINS: Final["WeakKeyDictionary[KeyedVectors, Origin]"] = WeakKeyDictionary()


def remember_origin(
    vectors: KeyedVectors, facts: Mapping[str, Any], file: Path | None = None
) -> KeyedVectors:
    """Note where vectors were read from; return them. Facts that are None are left out."""
    known = {key: value for key, value in facts.items() if value is not None}
    version = None if file is None else _version(file)
    _ORIGINS[vectors] = Origin(known, None if file is None else file.resolve(), version)
    return vectors


def same_origin(vectors: KeyedVectors, *, as_of: KeyedVectors) -> None:
    """Note that vectors are of the file that others were read from."""
    if (origin := _ORIGINS.get(as_of)) is not None:
        _ORIGINS[vectors] = origin


def origin_of(vectors: KeyedVectors) -> dict[str, Any]:
    """Return where vectors were read from, as plain data; empty where they were made in memory.

    The checksum is computed when it is first asked for, about a second per GB, and left out where
    the file has changed since. Of a store, ``made_from`` says which file it was converted from.
    """
    origin = _ORIGINS.get(vectors)
    if origin is None:
        return {}
    if origin.file is None or origin.version is None or _version(origin.file) != origin.version:
        return dict(origin.facts)
    return {**origin.facts, "embedding_sha256": _checksum(origin.file, origin.version)}


def _version(file: Path) -> _Version | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


@lru_cache(maxsize=64)
def _checksum(file: Path, version: _Version) -> str:
    return file_checksum(file, EmbeddingError)
