"""Writes files and folders whole or not at all.

Everything is made under a temporary name beside its goal and renamed at the end, so a crash, a
full disk or Ctrl-C leaves nothing half-written under a final name.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bayesbias.errors import OutputError

MANIFEST: Final = "manifest.json"
"""The file that lists what a run wrote into its folder."""

_LATER: Final = frozenset({MANIFEST, "report.html"})


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
def new_folder(
    path: str | Path, *, overwrite: bool = False, files: frozenset[str] = frozenset()
) -> Iterator[Path]:
    """Give a temporary folder to fill; put its content in place when the block succeeds.

    Parameters
    ----------
    path : str or Path
        The folder's final place. An empty folder that stands there is filled; one that does not
        exist is made.
    overwrite : bool
        Replace a folder of results that stands there already; it stays until the new one is
        complete. A folder that holds anything else is never replaced.
    files : frozenset of str
        The files of such a folder, where it has no manifest that lists them.

    Raises
    ------
    OutputError
        If the place is taken and `overwrite` is false, or holds what this package did not write,
        or cannot be written.
    """
    check_folder(path, overwrite=overwrite, files=files)
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


def check_folder(path: str | Path, *, overwrite: bool, files: frozenset[str] = frozenset()) -> None:
    """Check, before any long work, that a result folder may be written.

    Parameters are those of `new_folder`.

    Raises
    ------
    OutputError
        If not, with what to do.
    """
    if not str(path):
        raise OutputError("the folder for the results has no name; give one")
    goal, taken = _place(path)
    if taken and not goal.is_dir():
        raise OutputError(f"{path}: is a file; choose another place for the results")
    empty = _is_empty_folder(goal)
    if taken and not empty:
        if not overwrite:
            raise OutputError(f"{path}: is not empty; choose another folder or say --overwrite")
        with _said_plainly(goal):
            _refuse_to_delete(path, goal, files)
    # An empty folder is filled; else a new folder is made beside its place.
    home = goal if empty else next((p for p in goal.parents if p.exists()), goal)
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


def _place(path: str | Path) -> tuple[Path, bool]:
    """Return where a folder shall be, and whether something is there."""
    goal = Path(path)
    try:
        goal = goal.resolve()
        goal.stat()
    except (FileNotFoundError, NotADirectoryError):
        return goal, False
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{path}: cannot be written ({reason})") from error
    return goal, True


def refuse_input_as_output(source: object, path: str | Path) -> None:
    """Refuse to write over the file or store that is being read.

    Raises
    ------
    OutputError
        If `source` names what `path` names.

    Examples
    --------
    >>> refuse_input_as_output("vectors.bin", "debiased.bin")
    """
    if not isinstance(source, str | Path):
        return
    try:
        same = os.path.samefile(source, path)
    except (OSError, ValueError):  # one is not there, and the reader or the writer says so
        return
    if same:
        raise OutputError(f"{path}: is what the vectors are read from; choose another place")


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _refuse_to_delete(path: str | Path, goal: Path, files: frozenset[str]) -> None:
    """Refuse to replace the folder that one stands in, or files of somebody else's."""
    if Path.cwd().is_relative_to(goal):
        raise OutputError(
            f"{path}: is the folder you are in, or one around it, and --overwrite would delete it; "
            f"choose another folder, or go elsewhere first"
        )
    strange = _strange_file(goal, files)
    if strange is not None:
        raise OutputError(
            f"{path}: holds {strange!r}, which is not of the results of an earlier run, and "
            f"--overwrite would delete it; choose another folder, or move or delete it yourself"
        )


def _strange_file(folder: Path, files: frozenset[str]) -> str | None:
    """Return a file that no run of this package wrote into a folder, or None."""
    own = files if files and all((folder / name).is_file() for name in files) else _listed(folder)
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        left_over = name.startswith(".") and name.partition("/")[0].endswith((".partial", ".claim"))
        if name not in own and not left_over and (path.is_symlink() or not path.is_dir()):
            return name
    return None


def _listed(folder: Path) -> frozenset[str]:
    """Return what a folder's manifest says was written there."""
    try:
        files = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return frozenset()
    return _LATER.union(files) if isinstance(files, dict) else frozenset()


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
