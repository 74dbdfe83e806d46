"""Archives: a zip that holds one file is read as that file; others are named with what unpacks."""

import lzma
import os
import shlex
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any, Final

from bayesbias.errors import BayesBiasError

ZIP: Final = b"PK\x03\x04"
_TAR: Final = slice(257, 262)
_UNDER_A_PASSWORD: Final = 0x1
"""The bit of a member's flags (section 4.4.4 of the ZIP specification)."""

_SHOWN: Final = 5
_OF_OFFICE: Final = {"xl/": "an Excel file", "word/": "a Word document", "ppt/": "slides"}
_NOT_SHOWN: Final = ("__MACOSX/", ".DS_Store", "./._")
"""What systems put into archives beside the files."""


def file_in_zip(path: Path, stream: IO[bytes], error: type[BayesBiasError]) -> Any:
    """Return the stream of a zip's only file; None where there are several, or it is no such zip.

    An array of numpy's is none: as in ``.npz`` it is read by the name that it has there.
    """
    try:
        archive = zipfile.ZipFile(stream)
        members = [one for one in archive.infolist() if _is_file(one.filename)]
        if len(members) != 1 or members[0].filename.endswith(".npy"):
            return None
        if members[0].flag_bits & _UNDER_A_PASSWORD:
            raise error(
                f"{path}: is a zip archive under a password; unpack it with the program that made "
                f"it, and name the file inside"
            )
        return archive.open(members[0])
    except NotImplementedError as problem:  # what zipfile says of a compression that it lacks
        raise error(
            f"{path}: is a zip archive packed in a way that Python cannot read; unpack it with the "
            f"program that made it, and name the file inside"
        ) from problem
    except (zipfile.BadZipFile, OSError, ValueError):
        return None
    finally:
        stream.seek(0)


def files_in_zip(stream: IO[bytes]) -> list[str]:
    """Return the names of a zip's files; none if it is damaged."""
    try:
        with zipfile.ZipFile(stream) as archive:
            return [name for name in archive.namelist() if _is_file(name)]
    except (zipfile.BadZipFile, OSError, ValueError):
        return []


def _is_file(name: str) -> bool:
    return not name.endswith("/") and not any(part in name for part in _NOT_SHOWN)


def what_archive(path: Path, stream: IO[bytes], start: bytes) -> tuple[str, str]:
    """Return what a file is and what to do, if it begins as an archive of several; else ""."""
    if start[_TAR] == b"ustar":
        return (
            "a tar archive",
            f"unpack it (tar -xf {_quoted(path)}) and name {_first_in_tar(stream)}",
        )
    if not start.startswith(ZIP):
        return "", ""
    names = files_in_zip(stream)
    if not names:
        return "a zip archive, but damaged or cut short", "fetch it again"
    for folder, what in _OF_OFFICE.items():
        if any(name.startswith(folder) for name in names):
            return what, f"save it as {'CSV' if folder == 'xl/' else 'plain text'}"
    shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return (
        f"a zip archive ({shown})",
        f"unpack it (python -m zipfile -e {_quoted(path)} .) and name one of them",
    )


def _first_in_tar(stream: IO[bytes]) -> str:
    """Return the name of a tar's first file; those behind it may be far in a packed one."""
    try:
        with tarfile.open(fileobj=stream) as archive:
            names = (one.name for one in archive if one.isfile())
            return next(filter(_is_file, names), "the file inside")
    except (tarfile.TarError, EOFError, OSError, ValueError, zlib.error, lzma.LZMAError):
        return "the file inside"


def unpacking(path: Path, start: bytes) -> str:
    """Return the command that unpacks a file which begins so."""
    if start.startswith(ZIP):
        return f"python -m zipfile -e {_quoted(path)} ."
    tool = {b"\x1f": "gunzip", b"B": "bunzip2", b"\xfd": "unxz"}.get(start[:1], "unpack")
    return f"{tool} -k {_quoted(path)}"


def _quoted(path: Path) -> str:
    return shlex.quote(os.fspath(path))
