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
    """Give a temporary folder to fill; rename it to `path` when the block succeeds.

    Parameters
    ----------
    path : str or Path
        The folder's final place.
    overwrite : bool
        Replace a folder that stands there already; it stays until the new one is complete.

    Raises
    ------
    OutputError
        If the place is taken and `overwrite` is false, or cannot be written.
    """
    goal = Path(path)
    check_folder(goal, overwrite=overwrite)
    with _said_plainly(goal):
        goal.parent.mkdir(parents=True, exist_ok=True)
        name = tempfile.mkdtemp(prefix=f".{goal.name}.", suffix=".partial", dir=goal.parent)
    temporary = Path(name)
    try:
        with _said_plainly(goal):
            yield temporary
            temporary.chmod(0o777 & ~_umask())
            _swap(temporary, goal)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_folder(path: str | Path, *, overwrite: bool) -> None:
    """Check, before any long work, that a result folder may be written.

    Raises
    ------
    OutputError
        If not, with what to do.
    """
    goal = Path(path)
    if goal.exists() and not goal.is_dir():
        raise OutputError(f"{goal}: is a file; choose another place for the results")
    if goal.is_dir() and any(goal.iterdir()) and not overwrite:
        raise OutputError(f"{goal}: is not empty; choose another folder or say --overwrite")
    parent = next(p for p in (goal, *goal.absolute().parents) if p.exists())
    if not os.access(parent, os.W_OK | os.X_OK) or not parent.is_dir():
        raise OutputError(f"{goal}: cannot be written, since {parent} is not a writable folder")


def _swap(temporary: Path, goal: Path) -> None:
    """Move the finished folder to its place, the old one (if any) out of the way first."""
    if not goal.exists():
        temporary.rename(goal)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{goal.name}.", suffix=".old", dir=goal.parent))
    goal.replace(old / goal.name)
    try:
        temporary.rename(goal)
    except OSError:
        (old / goal.name).rename(goal)
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
