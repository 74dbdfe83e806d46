"""A fit as ArviZ takes it, with the groups that follow from its draws."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xarray as xr

from bayesbias.engine.predictive import (
    draw_predictive,
    draw_prior,
    laws_given_others,
    log_likelihood,
)
from bayesbias.support.compatibility import has_inferencedata, quiet_imports

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit

_MOST_NUMBERS: Final = 20_000_000
_FEWEST: Final = 100


def inference_data(fit: "Fit") -> Any:
    """Everything in ArviZ's schema, as the installed ArviZ takes it; made when first asked for.

    An ``InferenceData`` for ArviZ before 1.0, a ``DataTree`` for later ones, with the same names;
    ``idata.posterior["word_mean"]`` and ``idata["posterior"]`` work on both. Groups ``posterior``,
    ``sample_stats``, ``prior``, ``posterior_predictive``, ``log_likelihood``, ``observed_data`` and
    ``constant_data``, with the same draws, all of them where pairs × draws are at most 20 million.
    """
    few = fit.few_draws(max(_FEWEST, _MOST_NUMBERS // len(fit.frame)))
    # One independent stream per use, so that adding one never changes another.
    of_prior, of_data = np.random.default_rng([fit.seed, 1]).spawn(2)
    response, pair = fit.spec.response, np.arange(len(fit.frame))
    laws = laws_given_others(few, fit.design, fit.spec)
    predicted = draw_predictive(few, laws, rng=of_data)
    likelihood = log_likelihood(few, laws, fit.design.response)
    statistics = fit.sample_stats
    if "draw" in statistics.dims:
        statistics = statistics.sel(draw=few["draw"], chain=few["chain"])
    prior = draw_prior(fit.spec, fit.design, draws=1000, rng=of_prior)
    texts = {
        f"pair_{name}": ("pair", fit.frame[name].to_numpy(dtype=object))
        for name in ("protected_word", "group", "attribute", "attribute_set", "connection")
    }
    observed = xr.Dataset({response: ("pair", fit.design.response)}, coords={"pair": pair})
    groups = {
        "posterior": few.reset_coords(drop=True),
        "sample_stats": statistics,
        "prior": prior.reset_coords(drop=True),
        "posterior_predictive": predicted.to_dataset(name=response),
        "log_likelihood": likelihood.to_dataset(name=response),
        "observed_data": observed,
        # PyMC would take a column called as a dimension for that dimension's length.
        "constant_data": xr.Dataset(texts, coords={"pair": pair}),
    }
    tree = xr.DataTree.from_dict(groups)
    if not has_inferencedata():
        return tree
    with quiet_imports():
        import arviz as az
    return az.from_datatree(tree)
