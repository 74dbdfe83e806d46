"""Writes files and folders whole or not at all.

Everything is made under a temporary name beside its goal, flushed to the disk, and renamed at the
end: a crash, a full disk, Ctrl-C or a power cut leaves nothing half-written under a final name.
"""

import ctypes
import errno
import json
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from bayesbias.errors import OutputError
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import read_json

MANIFEST: Final = "manifest.json"
"""The file that lists what a run wrote into its folder."""

_LATER: Final = frozenset({MANIFEST, "report.html"})
_CLAIM: Final = ".bayesbias.claim"
_ITSELF: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_LONGEST_NAME: Final = 255  # bytes, on every file system in common use
_LONGEST_SUFFIX: Final = 20
_CURRENT_FOLDER: Final = -100  # AT_FDCWD
_SWAP: Final = 2  # RENAME_EXCHANGE on Linux, RENAME_SWAP on macOS


@contextmanager
def new_file(path: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to; rename it to `path` when the block succeeds.

    A file that stands there keeps its permissions, and a symbolic link keeps pointing to it.
    """
    goal, mode = _file_place(path)
    temporary = _beside(goal, Path(path).suffix)  # what was asked for: a link's goal may lack one
    with _said_plainly(path):
        # The system takes the umask off; to read it here would change it for other threads.
        first = 0o666 if mode is None else mode | 0o600
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, first))
    try:
        with _said_plainly(path):
            yield temporary
            if mode is not None:
                temporary.chmod(mode)
            _flush(temporary)
            temporary.replace(goal)
            _flush(goal.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def new_folder(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder to fill; put its content in place when the block succeeds.

    With `overwrite` a folder of results is replaced in one step. What no manifest of this package
    lists is never replaced.
    """
    check_folder(path, overwrite=overwrite)
    goal, _ = _place(path)
    beside = not _is_empty_folder(goal)
    temporary = _beside(goal if beside else goal / goal.name)
    with _said_plainly(path):
        temporary.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
    try:
        with _said_plainly(path):
            yield temporary
            _keep_modes(goal, temporary)
            _flush_all(temporary)
            if beside:
                _put(temporary, goal, overwrite=overwrite)
            else:
                _fill(temporary, goal)
            _flush(goal.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_folder(path: str | Path, *, overwrite: bool) -> None:
    """Refuse, before any long work, a place that `new_folder` could not fill."""
    if not str(path):
        raise OutputError("the folder for the results has no name; give one")
    goal, taken = _place(path)
    if taken and not goal.is_dir():
        raise OutputError(f"{path}: is a file; choose another place for the results")
    empty = _is_empty_folder(goal)
    if taken and not empty:
        if not overwrite:
            raise OutputError(f"{path}: is not empty; choose another folder or say --overwrite")
        with _said_plainly(path):
            _refuse_to_delete(path, goal)
    # An empty folder is filled; else a new folder is made beside its place.
    home = goal if empty else next((p for p in goal.parents if p.exists()), goal)
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise OutputError(f"{path}: cannot be written, since {home} is not a writable folder")


def check_file(path: str | Path, *, overwrite: bool) -> None:
    """Refuse a file that is there already, or whose folder is not, before any work is done."""
    _, mode = _file_place(path)
    if mode is not None and not overwrite:
        raise OutputError(f"{path}: already exists; say overwrite=True (--overwrite) to replace it")


_NO_NAME: Final = "its name has a null byte, or a letter that names cannot have here"


def _file_place(path: str | Path) -> tuple[Path, int | None]:
    """Return where a file shall be, links followed, and the permissions of the one there."""
    goal = as_path(path)
    with _said_plainly(path):
        try:
            goal = Path(os.path.realpath(goal) if goal.is_symlink() else goal)
            if not goal.parent.is_dir():
                raise OutputError(
                    f"{path}: the folder {str(goal.parent)!r} does not exist; make it first"
                )
            found = goal.stat()
        except FileNotFoundError:
            return goal, None
        except ValueError as error:  # a null byte, or a letter that names have not in this locale
            raise OutputError(f"{path}: cannot be written ({_NO_NAME})") from error
    if stat.S_ISDIR(found.st_mode):
        raise OutputError(f"{path}: is a folder; give the name of a file")
    if not stat.S_ISREG(found.st_mode):
        raise OutputError(f"{path}: is a device or a pipe; give the name of a file")
    return goal, stat.S_IMODE(found.st_mode)


def _place(path: str | Path) -> tuple[Path, bool]:
    """Return where a folder shall be, and whether something is there."""
    goal = as_path(path)
    try:
        goal = Path(os.path.realpath(goal))  # Path.resolve raises RuntimeError on a loop of links
        goal.stat()
    except (FileNotFoundError, NotADirectoryError):
        return goal, False
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or _NO_NAME
        raise OutputError(f"{path}: cannot be written ({reason})") from error
    return goal, True


def refuse_input_as_output(source: object, path: str | Path) -> None:
    """Refuse to write over the file or store that is being read."""
    if not isinstance(source, str | Path):
        return
    try:
        same = os.path.samefile(source, path)
    except (OSError, ValueError):  # one is not there, and the reader or the writer says so
        return
    if same:
        raise OutputError(f"{path}: is what the vectors are read from; choose another place")


def _is_empty_folder(path: Path) -> bool:
    """Tell whether a folder holds nothing but what a killed run has left in it."""
    if not path.is_dir():
        return False
    claimed = _claimed(path)
    return all(_is_left_over(child.name) or child.name in claimed for child in path.iterdir())


def _is_left_over(name: str) -> bool:
    return name.startswith(".") and name.endswith((".partial", ".claim"))


def _refuse_to_delete(path: str | Path, goal: Path) -> None:
    """Refuse to replace the current folder, one around it, or other people's files."""
    if Path.cwd().is_relative_to(goal):
        raise OutputError(
            f"{path}: is the folder you are in, or one around it, and --overwrite would delete it; "
            f"choose another folder, or go elsewhere first"
        )
    strange = _strange_file(goal)
    if strange is not None:
        raise OutputError(
            f"{path}: holds {strange!r}, which is not from an earlier run, and "
            f"--overwrite would delete it; choose another folder, or move or delete it yourself"
        )


def _strange_file(folder: Path) -> str | None:
    """Return a file that no run of this package wrote into a folder, or None."""
    own = _listed(folder)
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if _is_left_over(name.partition("/")[0]) or name in own:
            continue
        if path.is_symlink() or not path.is_dir():
            return name
    return None


def _listed(folder: Path) -> frozenset[str]:
    """Return what a folder's manifest says was written there."""
    try:
        files = read_json(folder / MANIFEST, OutputError)["files"]
    except (OutputError, KeyError, TypeError):
        return frozenset()
    return _LATER.union(files) if isinstance(files, dict) else frozenset()


def _keep_modes(old: Path, new: Path) -> None:
    """Give a new folder, and the files that it replaces, the permissions of the old ones."""
    for path in (new, *new.rglob("*")):
        with suppress(OSError):  # there was no such file before
            path.chmod(stat.S_IMODE((old / path.relative_to(new)).stat().st_mode))


def _put(temporary: Path, goal: Path, *, overwrite: bool) -> None:
    """Move a finished folder to its place, in exchange for the one that may stand there."""
    if not overwrite:
        _put_first(temporary, goal)
    elif not goal.exists():
        temporary.rename(goal)
    elif not _exchange(temporary, goal):
        _rename_twice(temporary, goal)


def _put_first(temporary: Path, goal: Path) -> None:
    """Move a folder to a place that was free, unless another run has taken it since."""
    try:
        temporary.rename(goal)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        raise OutputError(
            f"{goal}: another run has filled it meanwhile; choose another folder"
        ) from error


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in a single step, so that neither is ever missing; False if impossible."""
    sys.audit("bayesbias.exchange", str(one), str(other))
    names = os.fsencode(one), os.fsencode(other)
    if os.name != "posix":
        return False
    with suppress(OSError, AttributeError):  # an old C library
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return library.renamex_np(*names, _SWAP) == 0
        return library.renameat2(_CURRENT_FOLDER, names[0], _CURRENT_FOLDER, names[1], _SWAP) == 0
    return False


def _rename_twice(temporary: Path, goal: Path) -> None:
    """Move the old folder out of the way, then the new one to its place."""
    old = _beside(goal)
    goal.rename(old)
    try:
        temporary.rename(goal)
    except OSError:
        old.rename(goal)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _fill(temporary: Path, goal: Path) -> None:
    """Move what is finished into the empty folder around it, the list of its files last.

    The claim keeps out other runs for as long as this process lives, and afterwards names the
    files that a killed run had moved, so that the next run may replace them.
    """
    names = sorted((child.name for child in temporary.iterdir()), key=lambda n: (n == MANIFEST, n))
    with _claim(goal) as claim:
        for name in _claimed(goal):
            _remove(goal / name)
        if [child for child in goal.iterdir() if not _is_left_over(child.name)]:
            raise OutputError(f"{goal}: another run has filled it meanwhile; choose another folder")
        claim.truncate(0)
        claim.write(json.dumps(names))
        claim.flush()
        try:
            for name in names:
                (temporary / name).rename(goal / name)
        except BaseException:
            for name in names:
                _remove(goal / name)
            raise
        _flush(goal)


@contextmanager
def _claim(goal: Path) -> Iterator[Any]:
    """Lock a folder for this process; the lock ends with the process, however that ends."""
    path = goal / _CLAIM
    with open(path, "a", encoding="utf-8", opener=_open_claim) as claim:
        if fcntl:
            try:
                fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OutputError(
                    f"{goal}: another run is filling it; choose another folder"
                ) from None
        try:
            yield claim
        finally:
            path.unlink(missing_ok=True)


def _open_claim(path: str, flags: int) -> int:
    """Open a claim without waiting for a pipe's reader, and never what a link leads to."""
    return os.open(path, flags | _ITSELF, 0o666)


def _claimed(goal: Path) -> frozenset[str]:
    """Return the files that a killed run was moving into a folder, unless it moved them all."""
    try:
        names = read_json(goal / _CLAIM, OutputError)
    except OutputError:
        return frozenset()
    if not isinstance(names, list) or (goal / MANIFEST).exists():
        return frozenset()
    return frozenset(n for n in names if isinstance(n, str) and n and os.path.basename(n) == n)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _beside(goal: Path, suffix: str = "") -> Path:
    """Return a new hidden name beside a goal; writers may look at its suffix."""
    ending = suffix if len(os.fsencode(suffix)) <= _LONGEST_SUFFIX else ""
    end = f".{secrets.token_hex(4)}.partial{ending}"
    start = os.fsencode(f".{goal.name}")[: _LONGEST_NAME - len(os.fsencode(end))]
    return goal.with_name(start.decode("utf-8", "ignore") + end)


def _flush_all(folder: Path) -> None:
    for place, _, names in os.walk(folder):
        for name in names:
            _flush(Path(place, name))
        _flush(Path(place))


def _flush(path: Path) -> None:
    """Have the system write a file, or the names in a folder, to the disk."""
    folder = path.is_dir()
    try:
        handle = os.open(path, os.O_RDWR if os.name == "nt" and not folder else os.O_RDONLY)
    except PermissionError:  # a folder on Windows, or a file that nobody may read
        return
    try:
        os.fsync(handle)
    except OSError:
        if not folder:  # some file systems cannot flush a folder; of a file it is a full disk
            raise
    finally:
        os.close(handle)


@contextmanager
def _said_plainly(path: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{path}: cannot be written ({reason})") from error
