"""What differs between PyMC 5 with ArviZ 0.23 and PyMC 6 with ArviZ 1."""

import atexit
import datetime
import os
import platform
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, NamedTuple

import numpy as np
import xarray as xr

from bayesbias.errors import BayesBiasWarning
from bayesbias.support.arguments import Array

_FEWEST_DRAWS: Final = 4  # draws per chain below which nothing can be said about them
_PACKAGES: Final = (
    *("bayesbias", "pymc", "pytensor", "nutpie", "arviz", "numpy", "scipy", "pandas", "xarray"),
    *("gensim", "matplotlib"),
)


@cache
def versions(names: tuple[str, ...] = _PACKAGES) -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    there = {"python": platform.python_version()}
    for name in names:
        with suppress(PackageNotFoundError):
            there[name] = version(name)
    return there


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
    """Keep the caches of libraries in a temporary folder where the home folder cannot be written.

    ArviZ 0.23 and PyTensor cannot be imported without one; what the user chose is left alone.
    """
    home, flags = os.path.expanduser("~"), os.environ.get("PYTENSOR_FLAGS", "")
    is_chosen = "XDG_CACHE_HOME" in os.environ and "compiledir" in flags
    if not (is_chosen or os.access(os.path.join(home, ""), os.W_OK)):  # "/": it is a folder
        folder = tempfile.mkdtemp(prefix="bayesbias-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        for name in ("XDG_CACHE_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR"):
            os.environ.setdefault(name, folder)
        if "compiledir" not in flags:
            os.environ["PYTENSOR_FLAGS"] = f"{flags},base_compiledir={folder}".lstrip(",")
        warnings.warn(
            f"the home folder cannot be written: caches and compiled models are in {folder} while "
            f"this runs; set HOME to a folder of yours to keep them",
            BayesBiasWarning,
            stacklevel=3,
        )
    if has_inferencedata():
        _stamp_arviz()


def _stamp_arviz() -> None:
    """Write the day's stamp of ArviZ 0.23; two first imports at once would break each other's."""
    from platformdirs import user_cache_path

    with suppress(OSError):
        folder = user_cache_path("arviz", "arviz", ensure_exists=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as stream:
            stream.write(datetime.date.today().isoformat())
        os.replace(stream.name, folder / "daily_warning")


def ess_and_rhat(draws: xr.DataArray) -> dict[str, xr.DataArray]:
    """Return bulk and tail ESS and split R-hat of (chain, draw, …); NaN where draws are too few."""
    with quiet_imports():
        import arviz as az
    data = draws.to_dataset(name="x")
    unknown = xr.full_like(draws.isel(chain=0, draw=0, drop=True), np.nan, dtype=float)
    if draws.sizes["draw"] < _FEWEST_DRAWS:  # ArviZ would warn once per array
        return dict.fromkeys(("ess_bulk", "ess_tail", "r_hat"), unknown)
    # A chain that never moved makes these 0 / 0; the resulting NaN is reported as a problem.
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "More chains", UserWarning)
        bulk, tail = (az.ess(data, method=method)["x"] for method in ("bulk", "tail"))
        r_hat = az.rhat(data)["x"] if draws.sizes["chain"] > 1 else unknown
    return {"ess_bulk": bulk, "ess_tail": tail, "r_hat": r_hat}


class Loo(NamedTuple):
    """Leave-one-out predictions (n_pairs,), pair by pair, as ArviZ computes them.

    `elpd`: expected log-density of every pair given all others. `pareto_k`: above 0.7 a pair's elpd
    cannot be relied on. `pit`: probability that a prediction of it is below its value.
    """

    elpd: Array
    pareto_k: Array
    pit: Array


def leave_one_out(log_likelihood: xr.DataArray, predicted: xr.DataArray, observed: Array) -> Loo:
    """Leave out one pair at a time (Vehtari, Gelman and Gabry 2017), by ArviZ.

    `log_likelihood`, `predicted` (chain, draw, pair): the log-density of every pair under every
    draw, and a draw of the pair. ArviZ smooths the weights, once for both predictions.
    """
    with quiet_imports():
        import arviz
    az: Any = arviz  # of either generation, whose arguments differ
    density, draws = (
        of.transpose("pair", ...).to_numpy().reshape(len(observed), -1).astype(np.float64)
        for of in (log_likelihood, predicted)
    )
    with warnings.catch_warnings(action="ignore"):  # Pareto k is reported by whoever asks
        if has_inferencedata():
            weights, k = az.psislw(-density, reff=1.0)
        else:
            likelihood = log_likelihood.astype(np.float64).to_dataset(name="y")
            groups = {"posterior": likelihood.isel(pair=0, drop=True), "log_likelihood": likelihood}
            loo = az.loo(xr.DataTree.from_dict(groups), pointwise=True, reff=1.0, var_name="y")
            weights = loo.log_weights.transpose("pair", ...).to_numpy().reshape(density.shape)
            k = loo.pareto_k.to_numpy()
    below = np.exp(weights) * (draws <= observed[:, None])
    elpd = np.logaddexp.reduce(weights + density, axis=1)
    return Loo(np.asarray(elpd), np.asarray(k, float), np.minimum(below.sum(axis=1), 1.0))
