"""The command line: ``bayesbias analyze``, ``convert``, ``wordlists`` and the others.

Exit codes: 0 done, 1 done and something failed that was checked (a rule, a word list, a task of a
sweep), 2 an error (one line on stderr), 130 Ctrl-C; `check` has 3 besides. A traceback is a fault
of ours, and Python then ends with 1.
Importing this loads nothing, so that `main` hears a Ctrl-C while everything else is loaded.
"""

import signal
import sys
from collections.abc import Sequence
from contextlib import suppress


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; arguments are by default those of the process."""
    heard: list[int] = []

    def hear(number: int, frame: object) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    def unraisable(found: "sys.UnraisableHookArgs") -> None:
        """Ask for a Ctrl-C again that came in a finaliser, which cannot raise."""
        if not issubclass(found.exc_type, KeyboardInterrupt):
            return unraisable_before(found)
        import _thread
        from threading import Timer

        Timer(0.05, _thread.interrupt_main).start()

    before, unraisable_before = signal.getsignal(signal.SIGINT), sys.unraisablehook
    # A shell has programs in the background ignore Ctrl-C, and only the main thread hears signals.
    hears = before is signal.default_int_handler
    with suppress(ValueError):
        if hears:
            signal.signal(signal.SIGINT, hear)
            sys.unraisablehook = unraisable
    try:
        from bayesbias.cli.running import run

        code = run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt as stop:
        code = _interrupted(str(stop))
    except Exception:
        if not heard:
            raise
        code = _interrupted()  # some libraries make another exception of a Ctrl-C
    finally:
        with suppress(ValueError):
            if hears:
                # The process ends, and what it has done stands: nothing is left to be interrupted.
                signal.signal(signal.SIGINT, signal.SIG_IGN if argv is None else before)
                sys.unraisablehook = unraisable_before
    return code


def _interrupted(text: str = "") -> int:
    # Python ends by the signal itself, even if all went on, if a Ctrl-C came while it ran a text,
    # as `dataclass` does. The next text that it runs makes it forget that.
    exec("")
    with suppress(OSError, ValueError):  # nobody reads
        print(f"bayesbias: {text or 'interrupted; nothing was written'}", file=sys.stderr)
    return 130
