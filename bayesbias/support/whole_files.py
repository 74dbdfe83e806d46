"""Writes files and folders whole, or leaves what was there before.

Everything is made under a hidden name beside its goal, flushed to the disk, and renamed at the end:
an error, a full disk, Ctrl-C or a power cut leaves nothing half-written under a final name. A
folder that is replaced is first moved aside, comes back unless the new one stands, and is deleted
last.
"""

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from bayesbias.errors import OutputError
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import read_json

MANIFEST: Final = "manifest.json"  # the file that lists what a run wrote into its folder
_PARTIAL: Final = ".bayesbias-"  # what begins the name of a file or folder that is not whole yet


@contextmanager
def new_file(path: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to; rename it to `path` when the block succeeds.

    A file that stands there keeps its permissions, and a symbolic link keeps pointing to it.
    """
    goal, mode = _file_place(path)
    temporary = _beside(goal, Path(path).suffix[:20])  # a link's goal may lack one
    with _as_output_error(path), ExitStack() as at_end:
        # The system takes the umask off; to read it here would change it for other threads.
        temporary.touch(0o666 if mode is None else mode | 0o600, exist_ok=False)
        at_end.callback(temporary.unlink, missing_ok=True)
        yield temporary
        _flush(temporary)
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(goal)


@contextmanager
def new_folder(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder to fill; put it in its place when the block succeeds.

    With `overwrite` a folder of results is replaced. What no manifest of this package lists is
    never replaced. An empty folder is filled, since it may be a mount, or the one that we are in.
    """
    check_folder(path, overwrite=overwrite)
    goal = _resolved(path)
    is_filled, old = _is_empty_folder(goal), _beside(goal)
    temporary = _beside(goal / MANIFEST if is_filled else goal)
    try:
        with _as_output_error(path):
            temporary.mkdir(parents=True)
            yield temporary
            for file in filter(Path.is_file, temporary.rglob("*")):
                _flush(file)
            if goal.exists() and not (_is_empty_folder(goal) if is_filled else overwrite):
                raise OutputError(
                    f"{goal}: another run has filled it meanwhile; choose another folder"
                )
            if is_filled:
                for child in sorted(temporary.iterdir(), key=lambda file: file.name == MANIFEST):
                    child.rename(goal / child.name)  # the list of the files last
                return
            if goal.exists():
                shutil.copymode(goal, temporary)
                goal.rename(old)
            temporary.rename(goal)
    finally:
        if old.exists() and not goal.exists():
            old.rename(goal)
        for rest in (old, temporary):
            shutil.rmtree(rest, ignore_errors=True)


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


def _file_place(path: str | Path) -> tuple[Path, int | None]:
    """Return where a file shall be, links followed, and the permissions of the one there."""
    goal = _resolved(path)
    if not goal.parent.is_dir():
        raise OutputError(f"{path}: the folder {str(goal.parent)!r} does not exist; make it first")
    if not goal.exists():
        return goal, None
    mode = goal.stat().st_mode
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a device or a pipe"
        raise OutputError(f"{path}: is {what}; give the name of a file")
    return goal, stat.S_IMODE(mode)


def _resolved(path: str | Path) -> Path:
    """Return a path, links followed, that can be looked at, whether or not something is there."""
    name = as_path(path)
    try:
        goal = Path(os.path.realpath(name))  # Path.resolve fails on a loop of links
        with suppress(FileNotFoundError, NotADirectoryError):
            goal.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "a letter that names cannot have, or null"
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
    for file in goal.rglob("*"):
        name = file.relative_to(goal).as_posix()
        is_own = name in own or name.startswith(_PARTIAL)
        if not is_own and (file.is_symlink() or not file.is_dir()):
            raise OutputError(
                f"{path}: holds {name!r}, which is not from an earlier run, and --overwrite would "
                f"delete it; choose another folder, or move or delete it yourself"
            )


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
