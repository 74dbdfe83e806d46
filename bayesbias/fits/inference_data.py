"""A fit as ArviZ takes it, with the groups that follow from its draws."""

from typing import Any, Final

import numpy as np

from bayesbias.fits.storage import FitData, plain_groups, tree_of
from bayesbias.inference.predictive import draw_predictive, draw_prior, log_likelihood, thinned
from bayesbias.support.compatibility import has_inferencedata, quiet_imports

_MOST_NUMBERS: Final = 20_000_000
_FEWEST: Final = 100


def inference_data(fit: FitData) -> Any:
    """Return all groups of ArviZ's schema, as the installed ArviZ takes them; see `Fit.idata`."""
    few = thinned(fit.posterior, max(_FEWEST, _MOST_NUMBERS // len(fit.frame)))
    kept = {"chain": few["chain"], "draw": few["draw"]}
    # One independent stream per use, so that adding one never changes another.
    of_prior, of_data = np.random.default_rng([fit.seed, 1]).spawn(2)
    response = fit.spec.response
    predicted = draw_predictive(few, fit.design, rng=of_data).astype(np.float32)
    likelihood = log_likelihood(few, fit.design).astype(np.float32)
    statistics = fit.sample_stats
    if "draw" in statistics.dims:
        statistics = statistics.sel({k: v for k, v in kept.items() if k in statistics.dims})
    prior = draw_prior(fit.spec, fit.design, draws=1000, rng=of_prior)
    groups = {
        **plain_groups(fit),
        "posterior": few.reset_coords(drop=True),
        "sample_stats": statistics,
        "prior": prior.reset_coords(drop=True),
        "posterior_predictive": predicted.to_dataset(name=response),
        "log_likelihood": likelihood.to_dataset(name=response),
    }
    tree = tree_of(fit, groups)
    if not has_inferencedata():
        return tree
    with quiet_imports():
        import arviz as az
    return az.from_datatree(tree)
