"""Every moment at which a program can be killed while it writes.

A kill leaves the files as they are before the next operation on them; what a program holds in its
own buffers is lost. So the states of a folder before each operation are the states that kills can
leave, and one run of a program gives them all. To be sure that this is so, `run_and_kill` kills a
program in earnest.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

State = dict[str, bytes | None]
"""From path to content; None for a folder."""

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    *("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "os.link"),
    *("os.symlink", "bayesbias.exchange"),
}
_before: Callable[[], None] | None = None


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _before is None:
        return
    if event in _CHANGES or (
        event == "open" and isinstance(flags := arguments[2], int) and flags & _WRITES
    ):
        _before()


@contextmanager
def before_each(act: Callable[[], None]) -> Iterator[None]:
    """Call something before every operation that changes a file or folder."""
    global _before

    def once() -> None:
        global _before
        _before = None  # what `act` does itself does not count
        try:
            act()
        finally:
            _before = once

    if not getattr(sys, "_file_operations_hook", False):
        sys.addaudithook(_hook)  # for good: Python has no way to take one off
        sys._file_operations_hook = True
    _before = once
    try:
        yield
    finally:
        _before = None


def state_of(folder: Path) -> State:
    """Return all that a folder holds."""
    return {
        path.relative_to(folder).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def restore(state: State, folder: Path) -> Path:
    """Make a new folder that holds a state."""
    folder.mkdir()
    for name, content in state.items():
        if content is None:
            (folder / name).mkdir(parents=True, exist_ok=True)
        else:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    return folder


def states_of_kills(folder: Path, run: Callable[[], object]) -> list[State]:
    """Run something, and return the distinct states that a kill could leave, in order."""
    states: list[State] = []

    def note() -> None:
        state = state_of(folder)
        if not states or state != states[-1]:
            states.append(state)

    with before_each(note):
        run()
    note()
    return states


def run_and_kill(operation: int, run: Callable[[], object]) -> bool:
    """Run something in a fork, killed before its n-th operation; say whether it came that far."""
    child = os.fork()
    if child == 0:
        left = [operation]

        def count() -> None:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1

        try:
            with before_each(count):
                run()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def without_leftovers(state: State) -> State:
    """Return a state without what a killed run leaves under hidden names."""

    def hidden(name: str) -> bool:
        return any(
            part.startswith(".") and (".partial" in part or part.endswith(".claim"))
            for part in name.split("/")
        )

    return {name: content for name, content in state.items() if not hidden(name)}
