"""Which model explains the distances best: leave-one-out and marginal likelihoods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.errors import ArgumentError
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.inference.diagnostics import PARETO_K_LIMIT
from bayesbias.inference.model_files import load_model
from bayesbias.inference.predictive import thinned
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.compatibility import loo_pointwise

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class ModelComparison:
    """How well several models explain the same pairs, best first.

    Parameters
    ----------
    table : DataFrame
        Columns ``model``; ``elpd_loo``, the expected log-density of a pair left out, summed over
        pairs, and its standard error ``se``; ``p_loo``, the effective number of parameters;
        ``n_bad_k``, pairs whose Pareto k is above 0.7, for which LOO is not to be trusted;
        ``elpd_diff`` to the best model and ``diff_se``; ``log_marginal_likelihood`` (missing for
        NUTS fits) and ``log_bayes_factor`` against the largest of them.
    fits : mapping of str to Fit
    """

    table: pd.DataFrame
    fits: Mapping[str, Fit]

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        rows: dict[str, Any] = {"models": self.table.to_dict("records")}
        return rows

    def plot(self) -> "Figure":
        """Draw the differences to the best model."""
        from bayesbias.studies.models_figure import plot_comparison

        return plot_comparison(self.table)

    def __repr__(self) -> str:
        """Show the table."""
        return self.table.round(2).to_string(index=False)


def compare_models(
    frame: pd.DataFrame,
    models: Sequence[str | Path | ModelSpec],
    *,
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> ModelComparison:
    """Fit several models to the same pairs and compare how well they explain them.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.
    models : sequence of str, Path or ModelSpec
        At least two, of one response.
    seed : int or Generator, optional
    **options
        Passed on to `fit`.

    Returns
    -------
    ModelComparison

    Raises
    ------
    ArgumentError
        If there are fewer than two models, two of one name, or models of different responses.

    Notes
    -----
    LOO is Pareto-smoothed (Vehtari, Gelman and Gabry 2017), on 1,000 draws. It leaves out one pair
    at a time, whose word and attribute stay in other pairs: it asks how well a model predicts a
    new pair of known words, not a new word.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.compare_models(frame, ["paper", "crossed"], seed=1)  # doctest: +SKIP
    """
    specs = [load_model(model) for model in models]
    names = [spec.name for spec in specs]
    if len(specs) < 2 or len(set(names)) < len(names):
        raise ArgumentError("compare at least two models, of different names")
    if len({spec.response for spec in specs}) > 1:
        raise ArgumentError("models that explain different columns cannot be compared")
    rng = np.random.default_rng(seed)
    fits = {spec.name: fit(frame, model=spec, seed=rng, **options) for spec in specs}
    rows, pointwise = [], {}
    for name, fitted in fits.items():
        few = xr.DataTree.from_dict(
            {
                "posterior": thinned(fitted.posterior, 1000),
                "log_likelihood": fitted.log_likelihood,
            }
        )
        elpd, pareto_k, effective = loo_pointwise(few)
        pointwise[name] = elpd
        rows.append(
            {
                "model": name,
                "elpd_loo": elpd.sum(),
                "se": _error(elpd),
                "p_loo": effective,
                "n_bad_k": int((pareto_k > PARETO_K_LIMIT).sum()),
                "log_marginal_likelihood": fitted.settings.get("log_marginal_likelihood", np.nan),
            }
        )
    return ModelComparison(_ranked(pd.DataFrame(rows), pointwise), fits)


def _ranked(table: pd.DataFrame, pointwise: dict[str, np.ndarray]) -> pd.DataFrame:
    """Sort by LOO and add differences to the best."""
    table = table.sort_values("elpd_loo", ascending=False, ignore_index=True)
    best = pointwise[table["model"].iloc[0]]
    differences = [pointwise[name] - best for name in table["model"]]
    table.insert(5, "elpd_diff", [d.sum() for d in differences])
    table.insert(6, "diff_se", [_error(d) for d in differences])
    evidence = table["log_marginal_likelihood"]
    table["log_bayes_factor"] = evidence - evidence.max()
    return table


def _error(pointwise: np.ndarray) -> float:
    return float(np.sqrt(len(pointwise)) * pointwise.std(ddof=1))
