"""Says what stands in the files of a sweep, so that no result outlives the data it came from."""

import hashlib
import os
import stat
from pathlib import Path
from typing import Final

from bayesbias.errors import DistancesError
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.progress import LARGE_FILE

DOWNLOADED: Final = "gensim:"
"""What the name of a model of gensim's downloader begins with."""

ABSENT: Final = "absent"


def content_of(path: str) -> str:
    """Return sixteen hex digits that change with what a source's files hold; ``absent`` without.

    A file of up to 100 MB is known by its SHA-256, a larger one by size, time of change and
    inode. A store counts with all its files, as does a file in gensim's format.
    """
    if path.startswith(DOWNLOADED):
        return _digest([path])
    place = Path(path)
    try:
        if not place.exists():
            return ABSENT
        if place.is_dir():
            files = sorted(place.rglob("*"))
        else:
            beside = f"{place.name}."
            names = [p for p in place.parent.iterdir() if p.name.startswith(beside)]
            files = [place, *sorted(p for p in names if p.name.endswith(".npy"))]
        # A file is named as it differs from the whole, so that a moved folder stays the same.
        named = [(os.fspath(file).removeprefix(os.fspath(place)), _known(file)) for file in files]
        return _digest([part for parts in named for part in parts])
    except (OSError, ValueError, DistancesError):  # the task that needs it says why
        return "unreadable"


def _known(path: Path) -> str:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        return "no file"  # to open a pipe would wait for ever
    if found.st_size <= LARGE_FILE:
        return file_checksum(path, DistancesError)
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ino}"


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
