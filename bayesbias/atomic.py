"""Writes files and folders whole or not at all.

Everything is made under a temporary name beside its goal and renamed at the end, so a crash, a
full disk or Ctrl-C leaves nothing half-written under a final name.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bayesbias.errors import OutputError


@contextmanager
def new_file(path: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to; rename it to `path` when the block succeeds.

    Raises
    ------
    OutputError
        If the folder does not exist or cannot be written.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with new_file(Path(folder) / "a.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     os.listdir(folder)
    ['a.txt']
    """
    goal = Path(path)
    with _said_plainly(goal):
        handle, name = tempfile.mkstemp(
            prefix=f".{goal.name}.", suffix=f".partial{goal.suffix}", dir=goal.parent
        )
        os.close(handle)
    temporary = Path(name)
    try:
        with _said_plainly(goal):
            yield temporary
            # mkstemp makes files private; give the usual permissions of a new file.
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(goal)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def new_folder(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder to fill; put its content in place when the block succeeds.

    Parameters
    ----------
    path : str or Path
        The folder's final place. An empty folder that stands there is filled; one that does not
        exist is made.
    overwrite : bool
        Replace a folder that stands there already; it stays until the new one is complete.

    Raises
    ------
    OutputError
        If the place is taken and `overwrite` is false, or cannot be written.
    """
    check_folder(path, overwrite=overwrite)
    goal = Path(path).resolve()
    beside = not _is_empty_folder(goal)
    with _said_plainly(goal):
        home = goal.parent if beside else goal
        home.mkdir(parents=True, exist_ok=True)
        name = tempfile.mkdtemp(prefix=f".{goal.name}.", suffix=".partial", dir=home)
    temporary = Path(name)
    try:
        with _said_plainly(goal):
            yield temporary
            temporary.chmod(0o777 & ~_umask())
            if beside:
                _swap(temporary, goal)
            else:
                _fill(temporary, goal)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_folder(path: str | Path, *, overwrite: bool) -> None:
    """Check, before any long work, that a result folder may be written.

    Raises
    ------
    OutputError
        If not, with what to do.
    """
    goal = Path(path).resolve()
    if goal.exists() and not goal.is_dir():
        raise OutputError(f"{path}: is a file; choose another place for the results")
    empty = _is_empty_folder(goal)
    if goal.is_dir() and not empty and not overwrite:
        raise OutputError(f"{path}: is not empty; choose another folder or say --overwrite")
    # An empty folder is filled; else a new folder is made beside its place.
    home = goal if empty else next(p for p in goal.parents if p.exists())
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise OutputError(f"{path}: cannot be written, since {home} is not a writable folder")


def check_file(path: str | Path, *, overwrite: bool) -> None:
    """Refuse a file that is there already, or whose folder is not, before any work is done.

    Raises
    ------
    OutputError
        If the file could not be written.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_file(Path(folder) / "new.bin", overwrite=False)
    """
    goal = Path(path)
    if not goal.parent.is_dir():
        raise OutputError(f"{goal}: the folder {str(goal.parent)!r} does not exist; make it first")
    if goal.is_dir():
        raise OutputError(f"{goal}: is a folder; give the name of a file")
    if goal.exists() and not overwrite:
        raise OutputError(
            f"{goal}: is there already; say overwrite=True (--overwrite) to replace it"
        )


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _fill(temporary: Path, goal: Path) -> None:
    """Move what is finished into the folder around it, unless another run was there first."""
    claim = goal / f".{goal.name}.claim"
    claim.mkdir()  # one run alone can make it
    try:
        if [p for p in goal.iterdir() if p.suffix not in (".partial", ".claim")]:
            raise OutputError(f"{goal}: another run has filled it meanwhile; choose another folder")
        for child in sorted(temporary.iterdir()):
            child.rename(goal / child.name)
    finally:
        claim.rmdir()


def _swap(temporary: Path, goal: Path) -> None:
    """Move the finished folder to its place, the old one (if any) out of the way first."""
    if not goal.exists():
        temporary.rename(goal)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{goal.name}.", suffix=".old", dir=goal.parent))
    kept = old / "kept"
    try:
        goal.rename(kept)
        temporary.rename(goal)
    except OSError:
        if kept.exists() and not goal.exists():
            kept.rename(goal)
        raise
    finally:
        if goal.exists():
            shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _said_plainly(goal: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{goal}: cannot be written ({reason})") from error


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
