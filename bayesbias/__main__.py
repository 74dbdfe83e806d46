"""Runs the command line as ``python -m bayesbias``, and as ``bayesbias``."""

import gc
import sys

from bayesbias.cli import main


class _PandasAlone:
    """Refuses pyarrow to pandas while that is loaded; only files of Parquet need it, later.

    Pandas loads it wherever it is installed, for a fifteenth of a short command's time.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Find nothing, and let nothing else find pyarrow before pandas is whole."""
        pandas = sys.modules.get("pandas")
        if name == "pyarrow" and pandas is not None and not hasattr(pandas, "DataFrame"):
            raise ModuleNotFoundError(name)


def command() -> int:
    """Run the command line in a process of its own, and return its exit code."""
    # Where dask is installed, xarray loads it with the first array, a tenth of a short command's
    # time, to know dask's arrays; in a process with no other program in it there are none.
    if not any(word.startswith("--scheduler") for word in sys.argv):
        sys.modules.setdefault("dask", None)  # type: ignore[arg-type]
    sys.meta_path.insert(0, _PandasAlone)
    gc.set_threshold(50_000)  # hundreds of modules are no garbage: a twentieth of the time
    try:
        return main()
    finally:
        gc.freeze()  # what is left is freed with the process, not looked through first


if __name__ == "__main__":
    sys.exit(command())
