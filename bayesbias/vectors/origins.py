"""From which file vectors were read, remembered beside the vectors and not in them.

A copy of the vectors, or what debiasing makes of them, is another object and has no origin.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from bayesbias.support.bounded_files import file_checksum

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

_Version = tuple[int, int, int]
"""Size, time of the last change in ns, and inode of a file."""


@dataclass(frozen=True)
class Origin:
    """The file, store or catalogue entry that vectors were read from.

    Parameters
    ----------
    facts : mapping
        What is known without reading the file again, ``embedding`` being its name.
    file : Path or None
        The file whose checksum identifies the vectors.
    version : tuple of int or None
        Of `file`, when it was read.
    """

    facts: Mapping[str, Any]
    file: Path | None
    version: _Version | None


_ORIGINS: Final["WeakKeyDictionary[KeyedVectors, Origin]"] = WeakKeyDictionary()


def remember_origin(
    vectors: "KeyedVectors", facts: Mapping[str, Any], file: Path | None = None
) -> "KeyedVectors":
    """Note where vectors were read from; return them.

    Parameters
    ----------
    vectors : KeyedVectors
    facts : mapping
        Plain data; what is None is left out.
    file : Path, optional
        The file whose checksum identifies the vectors.
    """
    known = {key: value for key, value in facts.items() if value is not None}
    version = None if file is None else _version(file)
    _ORIGINS[vectors] = Origin(known, None if file is None else file.resolve(), version)
    return vectors


def origin_of(vectors: "KeyedVectors") -> dict[str, Any]:
    """Return where vectors were read from, as plain data; empty where they were made in memory.

    Returns
    -------
    dict
        ``embedding`` (a name), ``embedding_sha256`` of its file, unless this has changed since it
        was read, and ``limit`` where there was one. Of a store ``made_from`` and
        ``made_from_sha256`` say which file it was converted from.

    Notes
    -----
    The checksum is computed when it is first asked for: about a second per GB.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> origin_of(load_embedding({"he": [1.0, 0.0]}))
    {}
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
    return file_checksum(file)
