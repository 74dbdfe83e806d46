"""Runs the command line as ``python -m bayesbias``, and as ``bayesbias``."""

import gc
import sys
from importlib.machinery import ModuleSpec

from bayesbias.cli import main
from bayesbias.support.threads import begin_on_one_thread


class _LoadedAlone:
    """Keeps pandas from loading pyarrow and SciPy from loading f2py, which they do not use.

    Only files of Parquet need pyarrow, later. It takes a fifteenth of a short command's time, and
    f2py, which SciPy copies with all else that NumPy has, a fortieth.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Find nothing but an empty f2py, and no pyarrow before pandas is whole."""
        pandas = sys.modules.get("pandas")
        if name == "pyarrow" and pandas is not None and not hasattr(pandas, "DataFrame"):
            raise ModuleNotFoundError(name)
        return ModuleSpec(name, None, is_package=True) if name == "numpy.f2py" else None


def command() -> int:
    """Run the command line in a process of its own, and return its exit code."""
    # Where dask is installed, xarray loads it with the first array, a tenth of a short command's
    # time, to know dask's arrays; in a process with no other program in it there are none.
    if not any(word.startswith("--scheduler") for word in sys.argv):
        sys.modules.setdefault("dask", None)  # type: ignore[arg-type]
    begin_on_one_thread()
    sys.meta_path.insert(0, _LoadedAlone)
    gc.set_threshold(300_000)  # modules and answers are no garbage: a twentieth of the time
    try:
        return main()
    finally:
        gc.freeze()  # what is left is freed with the process, not looked through first


if __name__ == "__main__":
    sys.exit(command())
