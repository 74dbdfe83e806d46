"""A fit in the hands of PyMC and ArviZ, of either generation."""

import warnings

import numpy as np
import pytest
from samples import make_frame, posterior_of

import bayesbias as bb
from bayesbias.fits.checks import loo_of
from bayesbias.support.compatibility import leave_one_out

SLOW = pytest.param("paper", marks=pytest.mark.slow)


@pytest.fixture(scope="module", params=["maximal", "no-pooling", SLOW])
def fit(request):
    return bb.fit(make_frame(), request.param, seed=3, draws=300, chains=2)


@pytest.fixture
def data(fit):
    """What this generation of PyMC and ArviZ takes."""
    return fit.idata


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what ArviZ says of few draws
        yield


@pytest.mark.usefixtures("uncompiled")
def test_pymc_predicts_from_the_posterior_not_the_prior(fit, data):
    import pymc as pm
    from pymc.stats import compute_log_prior

    response, quiet = fit.design.response, {"extend_inferencedata": False, "progressbar": False}
    with fit.pymc_model():
        predicted = pm.sample_posterior_predictive(
            data, var_names=["cosine_distance"], progressbar=False, random_seed=1
        )
        assert compute_log_prior(data, **quiet) is not None
    draws = np.asarray(predicted["posterior_predictive"]["cosine_distance"])
    error = response.std() / np.sqrt(len(response))
    assert draws.mean() == pytest.approx(response.mean(), abs=4 * error)
    assert draws.std() == pytest.approx(response.std(), rel=0.1)


@pytest.mark.usefixtures("uncompiled")
def test_leave_one_out_is_that_of_the_closed_form_and_of_pymc(fit, data):
    """PyMC's likelihood is given the effects: from it importance sampling leaves these out too."""
    import arviz as az
    from pymc.stats import compute_log_likelihood

    def elpd(found):
        return float(found.elpd_loo if "elpd_loo" in found else found.elpd)

    ours = az.loo(data, pointwise=True)
    assert elpd(ours) == pytest.approx(loo_of(fit).elpd.sum(), abs=1)
    assert (ours.pareto_k > 0.7).sum() == 0
    with fit.pymc_model():
        found = compute_log_likelihood(data, extend_inferencedata=False, progressbar=False)
    theirs = found if "cosine_distance" in found else found["log_likelihood"]
    density = theirs["cosine_distance"].transpose("chain", "draw", "pair")
    pair = density.assign_coords({dim: data["log_likelihood"][dim] for dim in density.dims})
    given_effects = leave_one_out(
        pair, data["posterior_predictive"]["cosine_distance"], fit.design.response
    )
    good = given_effects.pareto_k < 0.7
    elpd_of = ours.loo_i if "loo_i" in ours else ours.elpd_i
    difference = np.asarray(elpd_of)[good] - given_effects.elpd[good]
    assert abs(difference.sum()) < 3


def test_arviz_summarises_and_compares(fit, data):
    import arviz as az

    table = az.summary(data, var_names=["connection_mean"], round_to="none")
    means = posterior_of(fit)["connection_mean"].mean(("chain", "draw")).to_numpy()
    assert table["mean"].astype(float).tolist() == pytest.approx(means.tolist())
    both = az.compare({"one": data, "two": data})
    assert set(both.index) == {"one", "two"}


def test_arviz_takes_every_variable(fit, data):
    """Also those whose levels are labelled by several columns."""
    import arviz as az

    n = sum(v[0, 0].size for v in posterior_of(fit).values())
    assert len(az.summary(data)) == n
    for name in ("ess", "rhat", "mcse"):
        found = getattr(az, name)(data)
        assert set(posterior_of(fit)) <= set(found)
    ends = az.hdi(data, **{"hdi_prob" if hasattr(az, "from_datatree") else "prob": 0.89})
    assert ends["connection_mean"].shape == (4, 2)
    assert az.extract(data, num_samples=50).sizes["sample"] == 50


NAMES = {"plot_ppc": "plot_ppc_dist", "plot_posterior": "plot_dist"}
"""What ArviZ 1 calls the figures of ArviZ 0."""


@pytest.mark.parametrize(
    "name", ["plot_forest", "plot_trace", "plot_posterior", "plot_loo_pit", "plot_ppc"]
)
def test_arviz_draws(fit, data, name):
    import arviz as az
    import matplotlib.pyplot as plt

    name = name if hasattr(az, name) else NAMES[name]
    of_data = ("plot_loo_pit", "plot_ppc", "plot_ppc_dist")
    options = {} if name in of_data else {"var_names": ["connection_mean"]}
    if name == "plot_loo_pit" and hasattr(az, "plot_ppc"):
        options = {"y": "cosine_distance"}
    if name == "plot_ppc":
        options = {"num_pp_samples": 20}  # a curve of each
    assert getattr(az, name)(data, **options) is not None
    plt.close("all")


SAMPLED = ("posterior", "posterior_predictive", "log_likelihood")


def test_groups_are_those_of_arvizs_schema_on_both_generations(fit, data):
    """With the same names, and as many draws in each that has the posterior's."""
    names = data.groups() if callable(data.groups) else data.groups
    expected = {*SAMPLED, "sample_stats", "prior", "observed_data", "constant_data"}
    assert {name.strip("/") for name in names} - {""} == expected
    sizes = {(data[group].sizes["chain"], data[group].sizes["draw"]) for group in SAMPLED}
    assert sizes == {(2, 300)}
    for group in (*SAMPLED, "prior", "observed_data"):
        assert set(getattr(data, group).data_vars) == set(data[group].data_vars)
    for group in SAMPLED[1:]:
        assert data[group]["cosine_distance"].sizes["pair"] == len(fit.frame)
    assert data.posterior["word_mean"].dims == ("chain", "draw", "protected_word", "connection")
