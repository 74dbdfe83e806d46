"""The command line: ``bayesbias analyze``, ``convert``, ``wordlists`` and the others.

Exit codes: 0 done, 2 the user's mistake (one line on stderr), 1 anything else.
"""

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from bayesbias.cli.parser import build_parser
from bayesbias.errors import BayesBiasError, BayesBiasWarning, MissingWordsWarning


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; by default those of the process.

    Examples
    --------
    >>> main(["wordlists", "show", "nonesuch"])
    2
    """
    arguments = build_parser().parse_args(argv)
    given = list(sys.argv[1:] if argv is None else argv)
    with warnings.catch_warnings():
        warnings.simplefilter("always", BayesBiasWarning)
        warnings.simplefilter("ignore", MissingWordsWarning)  # commands print the words themselves
        show = warnings.showwarning
        notes: set[str] = set()

        def note(message: Any, category: type[Warning], *rest: Any, **options: Any) -> None:
            if not issubclass(category, BayesBiasWarning):
                show(message, category, *rest, **options)
            elif str(message) not in notes:  # every figure says the same of its fonts
                notes.add(str(message))
                _say(f"note: {message}")

        warnings.showwarning = note
        try:
            return int(arguments.run(arguments, given) or 0)
        except BayesBiasError as error:
            _say(f"error: {' '.join(str(error).split())}")
            return 2
        except MemoryError as error:
            _say(f"error: not enough memory ({error}); ask for fewer draws, words or vectors")
            return 1
        except KeyboardInterrupt as stop:
            _say(str(stop) or "interrupted; nothing was written")
            return 1
        except BrokenPipeError:
            # The reader, such as head, has had enough: keep Python from complaining at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0


def _say(text: str) -> None:
    # No word of a stranger's file may drive the terminal.
    plain = "".join(ch if ch.isprintable() else repr(ch)[1:-1] for ch in text)
    print(f"bayesbias: {plain}", file=sys.stderr)
