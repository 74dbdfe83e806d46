"""Intervals side by side: each against its own definition, and coverage in simulation."""

import math

import numpy as np
import pandas as pd
import pytest

from bayesbias import classifiers
from bayesbias.classifiers.comparison import coverage_of, gap_intervals
from bayesbias.errors import ArgumentError, DataWarning

COSTS = [1, 1, 1, 0, 0] * 4 + [1, 0, 0, 0, 0] * 6
GROUPS = ["a"] * 20 + ["b"] * 30


def test_bounds_are_those_of_bernstein_interval():
    found = classifiers.compare_intervals(COSTS, GROUPS, seed=1).table.set_index("method")
    for name, variance in (
        ("Bernstein, sample σ²", "sample"),
        ("Bernstein, largest σ²", "maximal"),
    ):
        alone = classifiers.bernstein_interval(COSTS, GROUPS, variance=variance)
        assert found.loc[name, "low"] == pytest.approx(alone.low)
        assert found.loc[name, "high"] == pytest.approx(alone.high)
    half = alone.hoeffding_half_width
    assert found.loc["Hoeffding", "width"] == pytest.approx(2 * half)


def test_the_bounds_take_what_is_known_of_groups_and_costs():
    known = {"gamma": 0.2, "max_cost": 1.5}
    found = classifiers.compare_intervals(COSTS, GROUPS, seed=1, **known)
    table = found.table.set_index("method")
    for name, variance in (
        ("Bernstein, sample σ²", "sample"),
        ("Bernstein, largest σ²", "maximal"),
    ):
        alone = classifiers.bernstein_interval(COSTS, GROUPS, variance=variance, **known)
        assert tuple(table.loc[name, ["low", "high"]]) == pytest.approx((alone.low, alone.high))
    half = alone.hoeffding_half_width
    assert table.loc["Hoeffding", "width"] == pytest.approx(2 * half)
    assert repr(found).endswith("with γ = 0.200 and C = 1.5")
    observed = classifiers.compare_intervals(COSTS, GROUPS, seed=1)
    assert repr(observed).endswith("with γ = 0.400 and C = 1")
    rest = list(classifiers.INTERVAL_METHODS[3:])
    pd.testing.assert_frame_equal(table.loc[rest], observed.table.set_index("method").loc[rest])
    with pytest.warns(DataWarning, match=r"share of 0\.4000"):
        classifiers.compare_intervals(COSTS, GROUPS, seed=1, gamma=0.5)
    with pytest.raises(ArgumentError, match="max_cost=0"):
        classifiers.compare_intervals(COSTS, GROUPS, seed=1, max_cost=0)


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
    assert list(table.index) == list(classifiers.INTERVAL_METHODS)
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


def test_coverage_in_simulation():
    """At small n the bootstrap fails for rare events; bounds are safe and wide; HPDIs hold."""
    found = classifiers.interval_coverage(
        [(0.3, 0.2), (0.05, 0.02)], sizes=[50], shares=[0.5, 0.1], runs=400, draws=400, seed=1
    )
    table = found.table.set_index(["rate_protected", "share", "method"]).sort_index()
    for rate in (0.3, 0.05):
        for share in (0.5, 0.1):
            rows = table.loc[(rate, share)]
            for name in classifiers.INTERVAL_METHODS[:3]:
                assert rows.loc[name, "coverage_high"] >= 0.95
            assert rows.loc["Beta-Binomial, uniform", "coverage_high"] > 0.93
            narrow = rows.loc["Beta-Binomial, uniform", "width"]
            assert rows.loc["Bernstein, sample σ²", "width"] > 1.3 * narrow
    assert table.loc[(0.05, 0.1, "bootstrap"), "coverage_high"] < 0.5
    figure = found.plot()
    assert len(figure.axes) == 8
    assert figure.axes[0].get_title() == "rates 0.3 and 0.2, share 0.5"
    again = classifiers.interval_coverage(
        [(0.3, 0.2), (0.05, 0.02)], sizes=[50], shares=[0.5, 0.1], runs=400, draws=400, seed=1
    )
    assert again.to_dict() == found.to_dict()
    assert "coverage" in repr(found)


def test_coverage_is_counted_by_hand():
    ends = np.array([[0.0, 1.0], [0.2, 0.3], [-1.0, 0.1], [-1.0, -0.5]])
    covered, low, high, width, sure, n = coverage_of(ends, 0.25)
    assert (covered, n, sure) == (0.5, 4, 0.5)
    assert low < 0.5 < high
    assert width == pytest.approx((1 + 0.1 + 1.1 + 0.5) / 4)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"rates": [(0.3, 1.2)]}, "rates:"),
        ({"rates": [0.3]}, "rates:"),
        ({"sizes": [0]}, "n="),
        ({"sizes": [1]}, "at least two examples"),
        ({"shares": [1.0]}, "shares="),
        ({"runs": 0}, "runs=0"),
        ({"prob": 1.0}, "prob=1"),
        ({"draws": 1}, "draws=1"),
    ],
)
def test_impossible_simulations(options, complaint):
    given = {"rates": [(0.3, 0.2)], "sizes": [20], "runs": 5, "draws": 20, "seed": 1, **options}
    with pytest.raises(ArgumentError, match=complaint):
        classifiers.interval_coverage(**given)


def test_costs_between_0_and_1_are_no_rates():
    with pytest.raises(ArgumentError, match="0 or 1"):
        classifiers.compare_intervals([0.5, 0, 1, 0], list("aabb"))
