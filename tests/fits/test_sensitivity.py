"""Sensitivity to priors, against exact refits and ArviZ, and to single words, against refits."""

import json

import numpy as np
import pytest
import xarray as xr
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import FitError
from bayesbias.fits.refitted import RefittedContrasts
from bayesbias.inference.power_scaling import (
    log_prior,
    power_scaled,
    sensitivity_to,
)
from bayesbias.inference.predictive import total_log_likelihood
from bayesbias.inference.priors import Prior


@pytest.fixture(scope="module")
def fit():
    return bb.fit(make_frame(n_words=5), model="crossed", seed=1)


@pytest.fixture(scope="module")
def found(fit):
    return fit.sensitivity(rope=0.05, seed=2)


def scaled_spec(spec, power):
    """Return the specification with every prior raised to a power: these families allow it."""
    priors = {
        name: Prior("normal", mean=p.mean, sd=p.sd / np.sqrt(power))
        if p.distribution == "normal"
        else Prior("exponential", rate=p.rate * power)
        for name, p in spec.priors.items()
    }
    return spec.replace(name="scaled", priors=priors)


def test_log_prior_is_the_sum_over_parameters(fit):
    draw = fit.posterior.isel(chain=[1], draw=[7])
    expected = 0.0
    for name in ("connection_mean", "word_sd", "noise_sd", "attribute_sd"):
        expected += fit.spec.priors[name].log_density(draw[name].to_numpy()).sum()
    assert log_prior(draw, fit.spec).item() == pytest.approx(expected)


def test_log_likelihoods_are_summed_over_pairs(fit):
    total = total_log_likelihood(fit.posterior, fit.design)
    few = fit.log_likelihood["cosine_distance"]
    first = few.isel(chain=0, draw=0).to_numpy().astype(float).sum()
    assert total.shape == (fit.posterior.sizes["chain"] * fit.posterior.sizes["draw"],)
    assert total[0] == pytest.approx(first, rel=1e-5)


def test_reweighted_means_equal_refits_with_scaled_priors(fit, found):
    table = found.priors.set_index("quantity")
    for column, power in (("mean_half", 0.5), ("mean_double", 2.0)):
        refit = bb.fit(fit.pairs, model=scaled_spec(fit.spec, power), seed=3).summary().table
        refit = refit.set_index("connection")
        # Two posteriors of some thousand effective draws each; importance weights cost some.
        error = 4 * refit["sd"] * np.sqrt(1 / 2000 + 1 / 4000)
        assert ((table.loc[refit.index, column] - refit["mean"]).abs() < error).all()


def test_a_stronger_prior_is_more_sensitive():
    frame = make_frame(
        n_words=4, n_attributes={"associated": 3, "different": 3, "human": 4, "neutral": 4}
    )
    spec = bb.load_model("paper")
    strong = spec.replace(
        name="strong", priors={"connection_mean": Prior("normal", mean=2.0, sd=0.01)}
    )
    weak = bb.fit(frame, model=spec, seed=1, draws=8000).sensitivity(leave_out=False).priors
    tight = bb.fit(frame, model=strong, seed=1, draws=8000).sensitivity(leave_out=False).priors
    groups = slice(0, 4)
    assert (tight["prior"][groups] > 3 * weak["prior"][groups]).all()
    assert (tight["diagnosis"][groups] != "prior matters little").all()


def test_a_component_that_never_varies_moves_nothing():
    draws = np.random.default_rng(0).standard_normal((4000, 2))
    np.testing.assert_allclose(sensitivity_to(np.zeros(4000), draws), 0.0, atol=1e-6)


def test_power_scaling_a_normal_prior_has_a_known_effect():
    """x ~ N(0, 1) scaled to the power 4: N(0, 1/4)."""
    x = np.random.default_rng(1).standard_normal(200_000)
    weights, k = power_scaled(-0.5 * x**2, 4.0)
    assert k < 0.7
    assert weights @ x**2 == pytest.approx(0.25, abs=0.01)


def test_sensitivities_are_those_of_arviz(fit):
    az = pytest.importorskip("arviz_stats", reason="ArviZ before 1.0 has no psense")
    tree = xr.DataTree.from_dict(
        {
            "posterior": fit.posterior[["connection_mean"]],
            "log_prior": xr.Dataset(
                {"lp": (("chain", "draw"), log_prior(fit.posterior, fit.spec).reshape(4, -1))}
            ),
        }
    )
    theirs = az.psense(tree, group="prior")["connection_mean"].to_numpy()
    means = fit.posterior["connection_mean"].transpose("chain", "draw", "connection").to_numpy()
    ours = sensitivity_to(log_prior(fit.posterior, fit.spec), means.reshape(-1, 4))
    np.testing.assert_allclose(ours, theirs, rtol=0.02)


def test_leaving_a_word_out_is_a_fit_without_it(fit, found):
    frame = fit.pairs
    for word, column in (("word2", "protected_word"), ("human4", "attribute")):
        rows = found.left_out[found.left_out["removed"] == word].set_index("contrast")
        refit = bb.fit(frame[frame[column] != word], model="crossed", seed=9).contrasts()
        expected = refit.table.set_index("contrast")
        error = 4 * expected["sd"] * np.sqrt(1 / 4000 + 1 / 2000)
        assert ((rows["mean"] - expected["mean"]).abs() < error).all()


def test_every_word_is_left_out_once(fit, found):
    frame = fit.pairs
    n = frame["protected_word"].nunique() + frame["attribute"].nunique()
    assert len(found.left_out) == 4 * n
    assert found.skipped.empty
    whole = found.left_out.groupby("contrast")["verdict_all"].nunique()
    assert (whole == 1).all()


def test_the_word_that_carries_a_verdict_is_found():
    frame = make_frame(
        n_words=6,
        n_attributes={"associated": 8, "different": 8, "human": 20, "neutral": 20},
        word_sd=0.001,
        noise_sd=0.02,
        connection_mean={"associated": 0.9, "different": 0.9, "human": 0.95, "neutral": 0.95},
    )
    frame.loc[frame.attribute == "associated3", "cosine_distance"] += 0.4
    fit = bb.fit(frame, model="crossed", seed=1)
    changed = fit.sensitivity(rope=0.0, seed=1).changed
    assert "associated3" in set(changed["removed"])
    # Without it every difference to the controls is clear; with it, its effect hides the rest.
    row = changed[(changed.removed == "associated3") & (changed.contrast == "associated − neutral")]
    assert row["verdict"].item() == "closer"


def test_a_verdict_on_the_edge_is_not_blamed_on_words(fit):
    """With the ROPE's end just where the interval ends, Monte Carlo error would decide."""
    whole, _ = RefittedContrasts(fit.spec, fit.rule()).of_frame(fit.frame)
    row = whole.set_index("contrast").loc["associated − neutral"]
    found = fit.sensitivity(rope=-row["high"], seed=1)
    assert "associated − neutral" in found.on_edge
    assert "associated − neutral" not in set(found.changed["contrast"])
    assert "associated − neutral is on the edge" in repr(found)
    assert "so near to 0 or to an end of the ROPE that" in repr(found)


def test_words_that_cannot_be_left_out_are_said():
    frame = make_frame(n_attributes={"associated": 1, "different": 3, "human": 5, "neutral": 5})
    found = bb.fit(frame, model="paper", seed=1).sensitivity(seed=1)
    assert found.skipped["removed"].tolist() == ["associated0"]
    assert "all there is of connection associated" in found.skipped["reason"].item()
    assert "1 word could not be left out" in repr(found)


def test_options_and_tables(fit):
    found = fit.sensitivity(rope=0.3, prob=0.5, interval="eti", seed=1)
    assert set(found.left_out["prob"]) == {0.5}
    assert set(found.left_out["interval"]) == {"eti"}
    assert all(verdict.endswith("practically equal") for verdict in found.left_out["verdict"])
    assert found.changed["verdict"].str.endswith("practically equal").all()
    again = json.loads(json.dumps(found.to_dict()))
    assert again["seed"] == 1
    assert len(again["priors"]) == 8
    titles = [axis.get_title() for axis in found.plot().axes]
    assert titles[0] == "◆ priors  ○ likelihood"
    assert len(titles) == 5


def test_models_that_need_nuts_are_not_refitted(small_fit):
    gaussian = small_fit.sensitivity(leave_out=False)
    assert gaussian.left_out.empty
    assert "No word was left out" in repr(gaussian)
    from dataclasses import replace

    heavy = replace(small_fit, spec=bb.load_model("student-t"))
    with pytest.raises(FitError, match="sensitivity\\(leave_out=False\\)"):
        heavy.sensitivity()
