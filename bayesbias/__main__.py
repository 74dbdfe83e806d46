"""Runs the command line as ``python -m bayesbias``, and as ``bayesbias``."""

import gc
import os
import sys

from bayesbias.cli import main


def command() -> int:
    """Run the command line in a process of its own, and return its exit code."""
    # Where dask is installed, xarray loads it with the first array, a tenth of a short command's
    # time, to know dask's arrays; in a process with no other program in it there are none.
    if not any(word.startswith("--scheduler") for word in sys.argv):
        sys.modules.setdefault("dask", None)  # type: ignore[arg-type]
    # OpenBLAS, which numpy and SciPy of PyPI come with, is not loaded yet: unless the user said how
    # many, it starts no threads. They spin while they wait for the next small product: half of a
    # short command's processor time.
    names = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
    if not any(name in os.environ for name in names):
        os.environ[names[0]] = "1"
    gc.set_threshold(300_000)  # modules and answers are no garbage: a twentieth of the time
    try:
        return main()
    finally:
        gc.freeze()  # what is left is freed with the process, not looked through first


if __name__ == "__main__":
    sys.exit(command())
