"""What differs between PyMC 5 with ArviZ 0.23 and PyMC 6 with ArviZ 1."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import numpy as np
import xarray as xr

FEWEST_DRAWS: Final = 4
"""Draws per chain below which nothing can be said of them."""


@cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that results depend on."""
    import platform

    names = ("bayesbias", "pymc", "pytensor", "nutpie", "arviz", "numpy", "scipy", "pandas",
             "xarray", "gensim", "matplotlib")  # fmt: skip
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
    """Return posterior and sample statistics from what `pymc.sample` returns.

    An ``InferenceData`` under PyMC 5, a ``DataTree`` under PyMC 6.
    """
    tree = result if isinstance(result, xr.DataTree) else result.to_datatree()
    return tree["posterior"].to_dataset(), tree["sample_stats"].to_dataset()


@contextmanager
def quiet_imports() -> Iterator[None]:
    """Silence what ArviZ 0.23 and PyTensor 2.38 say of themselves while they are imported."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\s*ArviZ is undergoing a major refactor", FutureWarning)
        warnings.filterwarnings("ignore", "PyTensor could not link to a BLAS", UserWarning)
        yield


def ess_and_rhat(draws: xr.DataArray) -> dict[str, xr.DataArray]:
    """Return bulk and tail ESS and split R-hat of an array with dimensions chain and draw.

    All are NaN for fewer than `FEWEST_DRAWS` draws, and R-hat for a single chain.
    """
    with quiet_imports():
        import arviz as az
    data = draws.to_dataset(name="x")
    chains, length = draws.sizes["chain"], draws.sizes["draw"]
    # Too few for ArviZ, which would say so on its own, once per array.
    unknown = xr.full_like(draws.isel(chain=0, draw=0, drop=True), np.nan, dtype=float)
    if length < FEWEST_DRAWS:
        return {"ess_bulk": unknown, "ess_tail": unknown, "r_hat": unknown}
    # A chain that never moved makes these 0 / 0; the NaN that comes of it is told as a problem.
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "More chains", UserWarning)
        return {
            "ess_bulk": az.ess(data, method="bulk")["x"],
            "ess_tail": az.ess(data, method="tail")["x"],
            "r_hat": az.rhat(data)["x"] if chains > 1 else unknown,
        }


def loo_pointwise(tree: xr.DataTree) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the pointwise LOO log-densities, their Pareto k, and the effective parameters.

    Parameters
    ----------
    tree : DataTree
        With groups ``posterior`` and ``log_likelihood``.
    """
    with quiet_imports(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # k is handed on, and told by the caller
        import arviz as az

        data = az.from_datatree(tree) if hasattr(az, "from_datatree") else tree
        found = az.loo(data, pointwise=True)
    new = hasattr(found, "elpd_i")
    elpd, effective = (found.elpd_i, found.p) if new else (found.loo_i, found.p_loo)
    return np.ravel(elpd), np.ravel(found.pareto_k), float(effective)
