"""The defaults of `Assumptions` are what the published files say."""

import warnings

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.simulate.assumptions import Assumptions


def posterior_means(path):
    """Per parameter; means of connections without the error of the draws."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.BayesBiasWarning)
        fit = bb.fit(bb.read_distances(path), model="maximal", seed=1)
    means = {
        name: np.atleast_1d(fit.posterior[name].mean(("chain", "draw")))
        for name in Assumptions().parameters
    }
    return means | {"connection_mean": fit.summary().table["mean"].to_numpy()}


@pytest.mark.slow
def test_the_defaults_are_the_published_medians(data):
    """A change of the model's priors must not leave them behind."""
    files = [f for f in (data / "distances").glob("*.csv") if "debiased" not in f.name]
    assert len(files) == 15
    found = [posterior_means(f) for f in files]
    for name, values in Assumptions().parameters.items():
        median = np.median([means[name] for means in found], axis=0)
        # They are rounded to the third digit.
        assert median.tolist() == pytest.approx(list(values.values()), abs=0.0006), name
