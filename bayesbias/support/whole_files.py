"""Writes files and folders whole or not at all.

Everything is made under a hidden name beside its goal, flushed to the disk, and renamed at the end:
a crash, a full disk, Ctrl-C or a power cut leaves nothing half-written under a final name.
"""

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from bayesbias.errors import OutputError
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import read_json

MANIFEST: Final = "manifest.json"  # the file that lists what a run wrote into its folder

_PARTIAL: Final = ".bayesbias-"
"""What the name of a file or folder begins with that is not whole yet."""

_LONGEST_SUFFIX: Final = 20
_NO_NAME: Final = "its name has a null byte, or a letter that names cannot have here"
_FILLED: Final = "another run has filled it meanwhile; choose another folder"


@contextmanager
def new_file(path: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to; rename it to `path` when the block succeeds.

    A file that stands there keeps its permissions, and a symbolic link keeps pointing to it.
    """
    goal, mode = _file_place(path)
    suffix = Path(path).suffix  # what was asked for: a link's goal may lack one
    temporary = _beside(goal, suffix if len(suffix) <= _LONGEST_SUFFIX else "")
    with _as_output_error(path):
        # The system takes the umask off; to read it here would change it for other threads.
        temporary.touch(0o666 if mode is None else mode | 0o600, exist_ok=False)
    try:
        with _as_output_error(path):
            yield temporary
            _flush(temporary)
            if mode is not None:
                temporary.chmod(mode)
            temporary.replace(goal)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def new_folder(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder to fill; put it in its place when the block succeeds.

    With `overwrite` a folder of results is replaced. What no manifest of this package lists is
    never replaced. An empty folder is filled, since it may be a mount, or the one that we are in.
    """
    check_folder(path, overwrite=overwrite)
    goal = _resolved(path)
    is_filled = _is_empty_folder(goal)
    temporary = _beside(goal / MANIFEST if is_filled else goal)
    try:
        with _as_output_error(path):
            temporary.mkdir(parents=True)
            yield temporary
            for file in temporary.rglob("*"):
                if file.is_file():
                    _flush(file)
            if not is_filled:
                _put(temporary, goal, overwrite=overwrite)
                return
            if not _is_empty_folder(goal):
                raise OutputError(f"{goal}: {_FILLED}")
            for child in sorted(temporary.iterdir(), key=lambda one: one.name == MANIFEST):
                child.rename(goal / child.name)  # the list of the files last
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_folder(path: str | Path, *, overwrite: bool) -> None:
    """Refuse, before any long work, a place that `new_folder` could not fill."""
    if not str(path):
        raise OutputError("the folder for the results has no name; give one")
    goal = _resolved(path)
    if goal.exists() and not goal.is_dir():
        raise OutputError(f"{path}: is a file; choose another place for the results")
    with _as_output_error(path):
        is_filled = _is_empty_folder(goal)
        if goal.exists() and not is_filled:
            if not overwrite:
                raise OutputError(f"{path}: is not empty; choose another folder or say --overwrite")
            _refuse_to_delete(path, goal)
    # An empty folder is filled; else a new folder is made beside its place.
    home = goal if is_filled else next((p for p in goal.parents if p.exists()), goal)
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise OutputError(f"{path}: cannot be written, since {home} is not a writable folder")


def check_file(path: str | Path, *, overwrite: bool) -> None:
    """Refuse a file that is there already, or whose folder is not, before any work is done."""
    _, mode = _file_place(path)
    if mode is not None and not overwrite:
        raise OutputError(f"{path}: already exists; say overwrite=True (--overwrite) to replace it")


def refuse_input_as_output(source: object, path: str | Path) -> None:
    """Refuse to write over the file or store that is being read."""
    if not isinstance(source, str | Path):
        return
    if os.path.exists(source) and os.path.exists(path) and os.path.samefile(source, path):
        raise OutputError(f"{path}: is what the vectors are read from; choose another place")


def _file_place(path: str | Path) -> tuple[Path, int | None]:
    """Return where a file shall be, links followed, and the permissions of the one there."""
    goal = _resolved(path)
    if not goal.parent.is_dir():
        raise OutputError(f"{path}: the folder {str(goal.parent)!r} does not exist; make it first")
    if not goal.exists():
        return goal, None
    found = goal.stat()
    if stat.S_ISDIR(found.st_mode):
        raise OutputError(f"{path}: is a folder; give the name of a file")
    if not stat.S_ISREG(found.st_mode):
        raise OutputError(f"{path}: is a device or a pipe; give the name of a file")
    return goal, stat.S_IMODE(found.st_mode)


def _resolved(path: str | Path) -> Path:
    """Return a path, links followed, that can be looked at, whether or not something is there."""
    name = as_path(path)
    try:
        goal = Path(os.path.realpath(name))  # Path.resolve fails on a loop of links
        with suppress(FileNotFoundError, NotADirectoryError):
            goal.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or _NO_NAME
        raise OutputError(f"{path}: cannot be written ({reason})") from error
    return goal


def _is_empty_folder(path: Path) -> bool:
    """Tell whether a folder contains nothing but what a killed run has left in it."""
    return path.is_dir() and all(child.name.startswith(_PARTIAL) for child in path.iterdir())


def _refuse_to_delete(path: str | Path, goal: Path) -> None:
    """Refuse to replace the current folder, one around it, or other people's files."""
    if Path.cwd().is_relative_to(goal):
        raise OutputError(
            f"{path}: is the folder you are in, or one around it, and --overwrite would delete it; "
            f"choose another folder, or go elsewhere first"
        )
    try:
        own = {MANIFEST, "report.html", *dict(read_json(goal / MANIFEST, OutputError)["files"])}
    except (OutputError, KeyError, TypeError, ValueError):
        own = set()
    for found in goal.rglob("*"):
        name = found.relative_to(goal).as_posix()
        is_plain_folder = found.is_dir() and not found.is_symlink()
        if not (is_plain_folder or name in own or name.startswith(_PARTIAL)):
            raise OutputError(
                f"{path}: holds {name!r}, which is not from an earlier run, and --overwrite would "
                f"delete it; choose another folder, or move or delete it yourself"
            )


def _put(temporary: Path, goal: Path, *, overwrite: bool) -> None:
    """Move a finished folder to its place; the old one goes once it is out of the way."""
    if goal.exists() and overwrite:
        shutil.copymode(goal, temporary)
        old = _beside(goal)
        goal.rename(old)
        try:
            temporary.rename(goal)
        except OSError:
            if not goal.exists():
                old.rename(goal)
            raise
        finally:
            shutil.rmtree(old, ignore_errors=True)
        return
    try:
        temporary.rename(goal)
    except OSError as error:
        if goal.exists():
            raise OutputError(f"{goal}: {_FILLED}") from error
        raise


def _beside(goal: Path, suffix: str = "") -> Path:
    """Return a new hidden name beside a goal; writers may look at its suffix."""
    return goal.with_name(f"{_PARTIAL}{secrets.token_hex(4)}{suffix}")


def _flush(path: Path) -> None:
    """Have the system write a file to the disk, before it gets its name."""
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())


@contextmanager
def _as_output_error(path: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{path}: cannot be written ({reason})") from error
