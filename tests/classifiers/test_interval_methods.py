"""Intervals side by side: each against its own definition, and coverage in simulation."""

import math

import numpy as np
import pandas as pd
import pytest
from samples import load_benchmark

from bayesbias import classifiers
from bayesbias.classifiers.interval_methods import INTERVAL_METHODS, gap_intervals
from bayesbias.errors import ArgumentError

COSTS = [1, 1, 1, 0, 0] * 4 + [1, 0, 0, 0, 0] * 6
GROUPS = ["a"] * 20 + ["b"] * 30


BOUNDS = {"Bernstein, sample σ²": "sample", "Bernstein, largest σ²": "maximal"}


@pytest.mark.parametrize("known", [{}, {"gamma": 0.2, "max_cost": 1.5}])
def test_bounds_are_those_of_bernstein_interval(known):
    """With what is known of groups and costs; the other intervals do not use it."""
    found = classifiers.compare_intervals(COSTS, GROUPS, seed=1, **known)
    table = found.table.set_index("method")
    for name, variance in BOUNDS.items():
        alone = classifiers.bernstein_interval(COSTS, GROUPS, variance=variance, **known)
        assert tuple(table.loc[name, ["low", "high"]]) == pytest.approx((alone.low, alone.high))
    assert table.loc["Hoeffding", "width"] == pytest.approx(2 * alone.hoeffding_half_width)
    told = "γ = 0.200 and C = 1.5" if known else "γ = 0.400 and C = 1"
    assert repr(found).endswith(f"with {told}")
    observed = classifiers.compare_intervals(COSTS, GROUPS, seed=1)
    rest = list(INTERVAL_METHODS[3:])
    pd.testing.assert_frame_equal(table.loc[rest], observed.table.set_index("method").loc[rest])


def test_draws_have_the_spread_that_theory_gives():
    found = classifiers.compare_intervals(COSTS, GROUPS, seed=1, draws=20_000)
    table = found.table.set_index("method")
    assert found.estimate == pytest.approx(0.6 - 0.2)
    sd = math.sqrt(0.6 * 0.4 / 20 + 0.2 * 0.8 / 30)
    assert table.loc["bootstrap", "width"] == pytest.approx(2 * 1.96 * sd, rel=0.07)

    def beta_sd(s, n, a):
        mean = (s + a) / (n + 2 * a)
        return mean * (1 - mean) / (n + 2 * a + 1)

    for name, a in (("uniform", 1.0), ("Jeffreys", 0.5)):
        sd = math.sqrt(beta_sd(12, 20, a) + beta_sd(6, 30, a))
        assert table.loc[f"Beta-Binomial, {name}", "width"] == pytest.approx(3.92 * sd, rel=0.03)
    assert list(table.index) == list(INTERVAL_METHODS)
    assert "95% interval" in repr(found)
    sure = classifiers.compare_intervals(COSTS, GROUPS, seed=1, prob=0.999)
    assert "99.9% interval" in repr(sure)
    assert found.to_dict()["protected"] == "a"


def test_the_bootstrap_of_no_events_is_a_point():
    trials = np.array([[5, 45]])
    options = {"prob": 0.95, "draws": 500, "rng": np.random.default_rng(1)}
    found = gap_intervals(np.array([[0, 0]]), trials, **options)
    assert found["bootstrap"].tolist() == [[0.0, 0.0]]
    assert np.ptp(found["Beta-Binomial, uniform"]) > 0.3
    assert np.ptp(found["Bernstein, sample σ²"]) > 0.5


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"prob": 1.0}, "prob=1"),
        ({"draws": 1}, "draws=1"),
        ({"max_cost": 0}, "max_cost=0"),
        ({"costs": [0.5] * 50}, "0 or 1"),
    ],
)
def test_impossible_intervals(options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        classifiers.compare_intervals(**{"costs": COSTS, "groups": GROUPS, **options})


# The experiments of ``benchmarks/interval_coverage.py``, small: is a known truth inside?


@pytest.fixture(scope="module")
def study():
    return load_benchmark("interval_coverage")


def test_intervals_hold_the_truth_of_genres(study):
    """The paper: all of them, 20 runs per genre, from 100 examples on."""
    people = study.genre_population()
    means = people.groupby("genre")["cost"].mean()
    assert means.to_dict() == pytest.approx(study.GENRE_COSTS, abs=1e-9)
    found = study.of_population(people.cost, people.genre, sizes=[100, 500])
    table = study.coverage_table(found)
    assert table["intervals"].tolist() == [200, 200]
    assert (table["coverage"] > 0.95).all()
    assert table["width"].iloc[0] > 1.8 * table["width"].iloc[1]  # n grows fivefold
    government = found.query("group == 'government'")["true"].iloc[0]
    assert government == pytest.approx(0.029, abs=0.0012)  # Table 1
    assert len(study.plot_population(found, "government").axes) == 1


def test_a_plugged_in_variance_can_fail(study):
    """Rare costs: most samples see none, and the interval forgets them; the largest σ² does not."""
    costs = np.repeat([1.0, 0.0], [600, 19_400])
    groups = np.repeat(["a", "b"], 10_000)
    options = {"sizes": [20], "gammas": [0.5], "runs": 100, "confidence": 0.05}
    plugged, strict = (
        study.coverage_table(study.of_population(costs, groups, variance=variance, **options))
        for variance in ("sample", "maximal")
    )
    assert strict["coverage"].iloc[0] == 1 > plugged["coverage"].iloc[0]


def test_coverage_of_rates_in_simulation(study):
    """At small n the bootstrap fails for rare events; bounds are safe and wide; HPDIs hold."""
    found = study.of_rates(
        [(0.3, 0.2), (0.05, 0.02)], sizes=[50], shares=[0.5, 0.1], runs=400, draws=400
    )
    table = found.set_index(["rate_protected", "share", "method"]).sort_index()
    for rate in (0.3, 0.05):
        for share in (0.5, 0.1):
            rows = table.loc[(rate, share)]
            for name in INTERVAL_METHODS[:3]:
                assert rows.loc[name, "coverage_high"] >= 0.95
            assert rows.loc["Beta-Binomial, uniform", "coverage_high"] > 0.93
            narrow = rows.loc["Beta-Binomial, uniform", "width"]
            assert rows.loc["Bernstein, sample σ²", "width"] > 1.3 * narrow
    assert table.loc[(0.05, 0.1, "bootstrap"), "coverage_high"] < 0.5
    assert len(study.plot_rates(found).axes) == 8
