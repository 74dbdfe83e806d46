"""The command line: ``bayesbias analyze``, ``compare``, ``wordlists`` and the others.

Exit codes: 0 done; 1 done, and something that was checked failed (a rule, a word list, a task of a
sweep); 2 an error (one line on stderr); 130 Ctrl-C. A traceback is a fault of ours. Files are
written before anything is printed, so that a closed pipe or a full screen costs no result.
Importing this loads nothing, so that `main` hears a Ctrl-C while everything else is loaded.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress

INTERRUPTED = "interrupted; nothing was written"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; arguments are by default those of the process."""
    try:
        from bayesbias.cli.app import run

        return run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        with suppress(OSError, ValueError):  # nobody reads
            print(f"bayesbias: {INTERRUPTED}", file=sys.stderr)
        return 130
