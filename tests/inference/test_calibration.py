"""Some simulated worlds per model of ``benchmarks/calibration.py``, which runs a thousand."""

import numpy as np
import pytest
from samples import load_benchmark
from scipy import stats

from bayesbias.inference.model_files import load_model
from bayesbias.inference.priors import Prior

calibration = load_benchmark("calibration")
calibrate = calibration.calibrate
_FEW = 60


@pytest.mark.parametrize(
    ("model", "n", "parameters", "panels"),
    [
        ("paper", 40, 5 + 4 + 4 + 24 + 24, 6),
        pytest.param("crossed", 60, 5 + 4 + 4 + 3 + 24 + 24 + 28, 8, marks=pytest.mark.slow),
        pytest.param("student-t", 15, 6 + 4 + 4 + 24 + 24, 7, marks=pytest.mark.slow),
    ],
)
def test_ranks_are_uniform_and_intervals_hold_the_truth(model, n, parameters, panels):
    found = calibrate(model, simulations=n, seed=3)
    table = found.summary()
    assert len(table) == parameters
    # The smallest of many p-values, by Bonferroni, at one in a thousand.
    assert table[["p_uniform", "p_spread"]].min(axis=None) > 0.001 / parameters
    for prob in (0.5, 0.89):
        inside = n * table[f"inside_{prob:g}"]
        # Ends of the binomial distribution that one parameter in 10,000 would leave.
        low, high = stats.binom.interval(1 - 1e-4, n, prob)
        assert inside.between(low - 1, high).all()
    assert len(calibration.plot_ranks(found.ranks).axes) == panels


def test_a_wrong_posterior_is_found_out(monkeypatch):
    """Intervals half as wide as they should be do not pass."""
    real = calibration._collapsed

    def overconfident(*given):
        sample = real(*given)

        def narrowed(data, seed):
            draws = sample(data, seed)
            return draws.mean("draw") + 0.5 * (draws - draws.mean("draw"))

        return narrowed

    monkeypatch.setattr(calibration, "_collapsed", overconfident)
    table = calibrate("paper", simulations=25, seed=3).summary()
    assert np.median(table["p_spread"]) < 0.001
    assert table["inside_0.89"].median() < 0.75


@pytest.mark.slow
def test_a_posterior_that_takes_the_connections_for_independent_is_found_out(monkeypatch):
    """Associated and different share the words' effects, and so the errors of their means."""
    spec = load_model("maximal").without_similarity()
    spec = spec.without(["attribute", "protected_attribute", "group_attribute", "group_list"])
    # On the published files a word's own effects on the lists are a third of what they share.
    spec = spec.replace(priors={"word_list_sd": Prior("exponential", rate=50.0)})
    real, made = calibration._collapsed, {}

    def once(*given):
        sample = real(*given)

        def kept(data, seed):
            made[seed] = sample(data, seed)
            return made[seed]

        return kept

    def shuffled(*given):
        def without_dependence(data, seed):
            draws = made[seed]
            means = draws["connection_mean"].to_numpy().copy()
            different = list(draws["connection"].to_numpy()).index("different")
            rng = np.random.default_rng(seed)
            means[0, :, different] = rng.permutation(means[0, :, different])
            return draws.assign(connection_mean=(draws["connection_mean"].dims, means))

        return without_dependence

    contrast = "connection_mean[associated] − connection_mean[different]"
    monkeypatch.setattr(calibration, "_collapsed", once)
    honest = calibrate(spec, simulations=_FEW, seed=3).summary().set_index("parameter")
    monkeypatch.setattr(calibration, "_collapsed", shuffled)
    wrong = calibrate(spec, simulations=_FEW, seed=3).summary().set_index("parameter")
    assert honest.loc[contrast, "p_spread"] > 0.01
    assert wrong.loc[contrast, "p_spread"] < 1e-4
    assert wrong.loc[contrast, "inside_0.5"] > 0.65
    # Each mean by itself is as it was: only their difference shows what is wrong.
    for name in ("associated", "different"):
        assert wrong.loc[f"connection_mean[{name}]", "p_spread"] > 0.01
