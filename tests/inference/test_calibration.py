"""A hundred simulated worlds per model; the command in benchmarks/ runs a thousand."""

import numpy as np
import pytest
from scipy import stats

import bayesbias.inference.calibration as calibration
from bayesbias.errors import ArgumentError
from bayesbias.inference.calibration import calibrate

_FEW = 40


@pytest.mark.parametrize(
    ("model", "parameters", "panels"),
    [("paper", 5 + 4 + 4 + 24 + 24, 6), ("crossed", 5 + 4 + 4 + 3 + 24 + 24 + 28, 8)],
)
def test_ranks_are_uniform_and_intervals_hold_the_truth(model, parameters, panels):
    found = calibrate(model, simulations=100, seed=3)
    table = found.summary()
    assert len(table) == parameters
    # The smallest of many p-values, by Bonferroni, at one in a thousand.
    assert table["p_uniform"].min() > 0.001 / parameters
    for prob in (0.5, 0.89):
        inside = 100 * table[f"inside_{prob:g}"]
        # Ends of the binomial distribution that one parameter in 10,000 would leave.
        low, high = stats.binom.interval(1 - 1e-4, 100, prob)
        assert inside.between(low - 1, high).all()
    assert len(found.plot().axes) == panels


def test_a_wrong_posterior_is_found_out(monkeypatch):
    """Intervals half as wide as they should be do not pass."""
    real = calibration._collapsed

    def overconfident(spec):
        sample = real(spec)

        def narrowed(data, seed):
            draws = sample(data, seed)
            return draws.mean("draw") + 0.5 * (draws - draws.mean("draw"))

        return narrowed

    monkeypatch.setattr(calibration, "_collapsed", overconfident)
    table = calibrate("paper", simulations=100, seed=3).summary()
    assert np.median(table["p_uniform"]) < 0.01
    assert table["inside_0.89"].median() < 0.75


def test_a_posterior_that_takes_the_connections_for_independent_is_found_out(monkeypatch):
    """Under `maximal` associated and different share the words' effects, and so their errors."""
    real = calibration._collapsed

    def shuffled(spec):
        sample = real(spec)

        def without_dependence(data, seed):
            draws = sample(data, seed)
            order = np.random.default_rng(seed).permutation(draws.sizes["draw"])
            means = draws["connection_mean"].copy()
            means.loc[{"connection": "different"}] = means.sel(connection="different")[:, order]
            return draws.assign(connection_mean=means)

        return without_dependence

    contrast = "connection_mean[associated] − connection_mean[different]"
    honest = calibrate("maximal", simulations=_FEW, seed=3).summary().set_index("parameter")
    monkeypatch.setattr(calibration, "_collapsed", shuffled)
    wrong = calibrate("maximal", simulations=_FEW, seed=3).summary().set_index("parameter")
    assert honest.loc[contrast, "p_uniform"] > 0.01
    assert wrong.loc[contrast, "p_uniform"] < 1e-4
    # Each mean by itself is as it was: only their difference shows what is wrong.
    for name in ("associated", "different"):
        assert wrong.loc[f"connection_mean[{name}]", "p_uniform"] > 0.01


def test_a_calibration_shows_itself():
    found = calibrate("complete-pooling", simulations=20)
    assert "20 simulations of model 'complete-pooling' with the collapsed engine" in repr(found)
    assert "<table" in found._repr_html_()
    assert found.to_frame().equals(found.covered)


def test_mistakes():
    with pytest.raises(ArgumentError, match="simulations=1"):
        calibrate(simulations=1)
    with pytest.raises(ArgumentError, match="Valid: collapsed, nuts"):
        calibrate(engine="stan")
