"""Runs the command line as ``python -m bayesbias``, and as ``bayesbias``."""

import gc
import sys

from bayesbias.cli import main
from bayesbias.support.machine import begin_on_one_thread


def command() -> int:
    """Run the command line in a process of its own, and return its exit code."""
    # Where dask is installed, xarray loads it with the first array, a tenth of a short command's
    # time, to know dask's arrays; in a process with no other program in it there are none.
    if not any(word.startswith("--scheduler") for word in sys.argv):
        sys.modules.setdefault("dask", None)  # type: ignore[arg-type]
    begin_on_one_thread()
    gc.set_threshold(300_000)  # modules and answers are no garbage: a twentieth of the time
    try:
        return main()
    finally:
        gc.freeze()  # what is left is freed with the process, not looked through first


if __name__ == "__main__":
    sys.exit(command())
