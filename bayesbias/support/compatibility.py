"""What differs between PyMC 5 with ArviZ 0.23 and PyMC 6 with ArviZ 1."""

import datetime
import os
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import numpy as np
import xarray as xr

from bayesbias.errors import BayesBiasWarning

FEWEST_DRAWS: Final = 4  # draws per chain below which nothing can be said about them


_PACKAGES: Final = (
    *("bayesbias", "pymc", "pytensor", "nutpie", "arviz", "numpy", "scipy", "pandas", "xarray"),
    *("gensim", "matplotlib"),
)


@cache
def versions(names: tuple[str, ...] = _PACKAGES) -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    import platform

    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def has_inferencedata() -> bool:
    """Tell whether the installed ArviZ is of the generation before 1.0."""
    return versions().get("arviz", "1").startswith("0.")


def sampled_groups(result: Any) -> tuple[xr.Dataset, xr.Dataset]:
    """Return posterior and sample statistics of `pymc.sample`, in the form of either generation."""
    tree = result if isinstance(result, xr.DataTree) else result.to_datatree()
    return tree["posterior"].to_dataset(), tree["sample_stats"].to_dataset()


@contextmanager
def quiet_imports() -> Iterator[None]:
    """Import ArviZ and PyMC, wherever it may be for the first time, without notes."""
    use_writable_caches()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\s*ArviZ is undergoing a major refactor", FutureWarning)
        warnings.filterwarnings("ignore", "PyTensor could not link to a BLAS", UserWarning)
        yield


@cache
def use_writable_caches() -> None:
    """Keep the caches of libraries in a temporary folder where the home folder is read-only.

    ArviZ 0.23 and PyTensor cannot be imported without one; what the user chose is left alone.
    """
    from platformdirs import user_cache_path

    moved = []
    if not _can_write(user_cache_path("arviz", "arviz")):
        os.environ["XDG_CACHE_HOME"] = str(_own_temporary_folder())
        os.environ.setdefault("MPLCONFIGDIR", str(_own_temporary_folder() / "matplotlib"))
        os.environ.setdefault("NUMBA_CACHE_DIR", str(_own_temporary_folder() / "numba"))
        moved.append("caches")
    flags = os.environ.get("PYTENSOR_FLAGS", "")
    if "compiledir" not in flags and not _can_write(Path(os.path.expanduser("~"), ".pytensor")):
        folder = f"base_compiledir={_own_temporary_folder() / 'pytensor'}"
        os.environ["PYTENSOR_FLAGS"] = ",".join(filter(None, (flags, folder)))
        moved.append("compiled models")
    if moved:
        warnings.warn(
            f"the home folder cannot be written: {' and '.join(moved)} are kept in "
            f"{_own_temporary_folder()}; set HOME or XDG_CACHE_HOME to keep them elsewhere",
            BayesBiasWarning,
            stacklevel=3,
        )
    _stamp_arviz(user_cache_path("arviz", "arviz"))


def _stamp_arviz(folder: Path) -> None:
    """Write the day's stamp of ArviZ 0.23; two first imports at once would break each other's."""
    with suppress(OSError, PackageNotFoundError):
        if not version("arviz").startswith("0."):
            return
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(datetime.date.today().isoformat())
        os.replace(name, folder / "daily_warning")


def _can_write(folder: Path) -> bool:
    """Tell whether a folder is there, or can be made, and takes files."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@cache
def _own_temporary_folder() -> Path:
    """Return a folder for caches, which are run: one that nobody else could have made."""
    if not hasattr(os, "getuid"):  # Windows: temporary folders are the user's own
        folder = Path(tempfile.gettempdir()) / "bayesbias"
        folder.mkdir(exist_ok=True)
        return folder
    folder = Path(tempfile.gettempdir()) / f"bayesbias-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
        return folder
    return Path(tempfile.mkdtemp(prefix="bayesbias-"))


def ess_and_rhat(draws: xr.DataArray) -> dict[str, xr.DataArray]:
    """Return bulk and tail ESS and split R-hat of (chain, draw, …); NaN where draws are too few."""
    with quiet_imports():
        import arviz as az
    data = draws.to_dataset(name="x")
    chains, length = draws.sizes["chain"], draws.sizes["draw"]
    # Too few for ArviZ, which would warn once per array.
    unknown = xr.full_like(draws.isel(chain=0, draw=0, drop=True), np.nan, dtype=float)
    if length < FEWEST_DRAWS:
        return {"ess_bulk": unknown, "ess_tail": unknown, "r_hat": unknown}
    # A chain that never moved makes these 0 / 0; the resulting NaN is reported as a problem.
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "More chains", UserWarning)
        return {
            "ess_bulk": az.ess(data, method="bulk")["x"],
            "ess_tail": az.ess(data, method="tail")["x"],
            "r_hat": az.rhat(data)["x"] if chains > 1 else unknown,
        }
