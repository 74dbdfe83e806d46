"""The defaults of `Assumptions` are what the published files say."""

import warnings

import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.simulate.assumptions import Assumptions


def posterior_means(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.BayesBiasWarning)
        fit = bb.fit(bb.read_distances(path), "maximal", seed=1)
    sds = fit.summary("term").table.set_index(["parameter", "applies_to"])["mean"]
    means = fit.summary("connection").table.set_index("connection")["mean"]
    return pd.concat([sds, pd.concat({"connection_mean": means})])


@pytest.mark.data
@pytest.mark.slow
def test_defaults_are_medians_over_the_published_files(data):
    paths = sorted((data / "distances").glob("*.csv"))
    files = [path for path in paths if not path.name.startswith("debiased")]
    assert len(files) == 15
    medians = pd.concat([posterior_means(path) for path in files], axis=1).median(axis=1)
    assumed = {
        (parameter, label or "all"): value
        for parameter, values in Assumptions().parameters.items()
        for label, value in values.items()
    }
    assert medians.to_dict() == pytest.approx(assumed, abs=6e-4)  # rounded to .001
