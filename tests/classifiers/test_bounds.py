"""Bernstein-bounded unfairness: the paper's numbers, hand-worked cases, and the coverage that
``benchmarks/interval_coverage.py`` simulates: is a known truth inside?
"""

import math

import numpy as np
import pandas as pd
import pytest
from samples import load_benchmark, shows_itself

from bayesbias import classifiers
from bayesbias.classifiers.counts import FAIRNESS_MEASURES
from bayesbias.errors import ArgumentError, DataWarning


def test_the_papers_numbers():
    paper = {"confidence": 0.95, "gamma": 0.5, "variance": 4, "max_cost": 1}
    assert classifiers.required_n(disparity=0.05, **paper) == 11903
    assert classifiers.required_n(disparity=0.05) == 11903  # the largest variance is the default
    # "0.0975 or higher": .0975 is resolved, and so is all from .0974195 on.
    assert classifiers.required_n(disparity=0.0975, **paper) <= 3160
    assert classifiers.required_n(disparity=0.0974, **paper) > 3160
    assert classifiers.detectable_disparity(n=3160, **paper) == pytest.approx(0.0974195, abs=1e-7)
    winobias = 3160
    assert round(classifiers.required_n(disparity=0.05) / winobias, 1) == 3.8
    # With the variance at its largest the range alone says more than Bernstein does.
    assert classifiers.hoeffding_half_width(11805).item() < 0.05
    assert classifiers.bernstein_half_width(11805, variance=4).item() > 0.05


@pytest.mark.parametrize("confidence", [0.0, 0.5, 0.999])
@pytest.mark.parametrize(("gamma", "max_cost"), [(0.05, 1.0), (0.5, 3.0)])
def test_the_half_width_solves_bernsteins_inequality(confidence, gamma, max_cost):
    n, variance = 731, 2.3
    options = {"confidence": confidence, "gamma": gamma, "max_cost": max_cost}
    t = classifiers.bernstein_half_width(n, variance=variance, **options)
    bound = 2 * np.exp(-n * t**2 / (2 * variance + 2 * max_cost / (3 * gamma) * t))
    assert bound == pytest.approx(1 - confidence, rel=1e-9)
    h = classifiers.hoeffding_half_width(n, **options)
    range_ = 2 * max_cost / gamma
    assert 2 * np.exp(-2 * n * h**2 / range_**2) == pytest.approx(1 - confidence, rel=1e-9)


def test_the_required_number_is_the_smallest():
    options = {"variance": 1.7, "gamma": 0.3, "max_cost": 1.0}
    for disparity in (0.01, 0.07, 0.4, 1.0):
        n = classifiers.required_n(disparity=disparity, **options)
        assert classifiers.bernstein_half_width(n, **options) < disparity
        assert n == 1 or classifiers.bernstein_half_width(n - 1, **options) >= disparity


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("gamma", 0.0), ("gamma", 0.6), ("confidence", 1.0), ("confidence", math.nan)),
        *(("variance", -1.0), ("max_cost", 0.0), ("n", 0), ("n", 2.5), ("n", "many")),
        *(("disparity", value) for value in (0.0, 1.5, math.nan, 1e-300)),
    ],
)
def test_arguments_out_of_range(name, value):
    function = classifiers.required_n if name == "disparity" else classifiers.detectable_disparity
    options = {} if name == "disparity" else {"n": 100}
    with pytest.raises(ArgumentError, match=f"{name}={value!r}: "):
        function(**{**options, name: value})


def test_too_few_examples_distinguish_nothing():
    """Ten examples have an interval of ± 1.98, and a disparity is 1 at most."""
    assert classifiers.bernstein_half_width(10, variance=4).item() == pytest.approx(1.98, abs=0.01)
    with pytest.raises(ArgumentError, match=r"n=10: no disparity .* ± 1\.981 .* max_cost=1$"):
        classifiers.detectable_disparity(n=10)
    least = classifiers.required_n(disparity=1.0)
    assert classifiers.detectable_disparity(n=least) < 1
    with pytest.raises(ArgumentError, match="no disparity"):
        classifiers.detectable_disparity(n=least - 1)


def test_a_true_disparity_of_that_size_is_distinguished_in_half_of_the_samples():
    """What `required_n` says is about the estimate."""
    n = classifiers.required_n(disparity=0.2)
    half, rng = n // 2, np.random.default_rng(1)
    first, second = (rng.binomial(half, 0.5 + d, 4000) / half for d in (0.1, -0.1))
    width = classifiers.bernstein_half_width(n, variance=4).item()
    assert (first - second > width).mean() == pytest.approx(0.5, abs=0.05)


def test_an_interval_worked_by_hand():
    """Four protected with costs 1, 1, 1, 0; six others with 1 and five zeros."""
    costs = [1, 1, 1, 0, 1, 0, 0, 0, 0, 0]
    groups = ["a"] * 4 + ["b"] * 6
    result = classifiers.bernstein_interval(costs, groups, confidence=0.9)
    bernstein, hoeffding = (row for _, row in result.table.iterrows())
    assert (bernstein["protected"], bernstein["reference"]) == ("a", "b")  # first − second
    estimate = 3 / 4 - 1 / 6
    assert bernstein["estimate"] == pytest.approx(estimate)
    assert bernstein[["cost_protected", "cost_reference"]].tolist() == pytest.approx([3 / 4, 1 / 6])
    assert bernstein[["gamma", "n_protected", "n_reference", "n"]].tolist() == [0.4, 4, 6, 10]
    # Amortised: 2.5 three times, 0 six times, −1/.6 once.
    squares = 3 * 2.5**2 + (1 / 0.6) ** 2
    variance = (squares - 10 * estimate**2) / 9
    assert bernstein["variance"] == pytest.approx(variance)
    log_term = -math.log(0.05)
    b = 2 / (3 * 0.4) * log_term
    t = (b + math.sqrt(b * b + 8 * 10 * variance * log_term)) / 20
    assert bernstein["half_width"] == pytest.approx(t)
    assert (bernstein["low"], bernstein["high"]) == pytest.approx((estimate - t, estimate + t))
    assert hoeffding["half_width"] == pytest.approx(2.5 * math.sqrt(2 * log_term / 10))
    options = {"confidence": 0.9, "gamma": 0.4, "variance": variance}
    assert bernstein["needed"] == classifiers.required_n(disparity=estimate, **options)
    assert shows_itself(result)["headline"].endswith("Bernstein's interval contains 0.")
    largest = classifiers.bernstein_interval(costs, groups, variance="maximal").table
    assert largest["variance"][0] == pytest.approx(6.25)
    sure = classifiers.bernstein_interval(np.repeat(costs, 100), np.repeat(groups, 100)).headline
    assert sure.endswith("excludes 0.")


def interval(*data, **options):
    """Return what is said of Bernstein's interval."""
    return classifiers.bernstein_interval(*data, **options).table.iloc[0]


AABB = ["a", "a", "b", "b"]


def test_groups_are_named_where_they_are_more_and_masked_examples_may_be_missing():
    costs, groups = [1, 0, 1, 0, 0, 0], [*AABB, "c", "c"]
    with pytest.raises(ArgumentError, match=r"3 groups .*a, b, c.*name the protected one"):
        classifiers.bernstein_interval(costs, groups)
    row = interval(costs, groups, protected="a")
    assert (row["reference"], row["n_reference"]) == ("others", 4)
    assert row["estimate"] == pytest.approx(0.25)
    two = interval(costs, groups, protected="a", reference="c")
    assert (two["n"], two["estimate"]) == (4, 0.5)
    costs[4:], groups[4:], masked = [math.nan] * 2, [None] * 2, [True] * 4 + [False] * 2
    assert interval(costs, groups, annotated=masked)["n"] == 4


@pytest.mark.parametrize(
    ("costs", "groups", "options", "complaint"),
    [
        ([1, 0, 1.5, 0], AABB, {}, r"costs\[2\] = 1.5: must be from 0 to max_cost"),
        ([1, math.nan, 1, 0], AABB, {}, r"costs\[1\] is missing"),
        ([1, 0, 1, 0], ["a", "a", None, "b"], {}, r"groups\[2\] is missing"),
        ([1, 0, 1, 0], ["a"] * 4, {}, r"1 groups? among the annotated .*needs two"),
        ([1, 0, 1, 0], AABB, {"protected": "aa"}, "did you mean 'a'"),
        ([1, 0, 1, 0], AABB, {"protected": "a", "reference": "a"}, "two groups"),
        ([1, 0, 1, 0], AABB, {"annotated": [False] * 4}, "and true for some"),
        ([1, 0], ["a", "b"], {}, "at least three"),
        ([1, 0, 1], ["a", "b"], {}, "shapes"),
        ([1, 0, 1, 0], AABB, {"variance": "small"}, "variance='small'"),
        (["x", 0, 1, 0], AABB, {}, "must be numbers"),
    ],
)
def test_bad_data(costs, groups, options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        classifiers.bernstein_interval(costs, groups, **options)


def test_a_share_below_gamma_is_warned_of():
    with pytest.warns(DataWarning, match="share of 0.2000"):
        classifiers.bernstein_interval([1, 0, 1, 0, 1], list("abbbb"), gamma=0.5)
    assert interval([1, 0] * 5, list("aaaaaaaaab"), gamma=0.1)["gamma"] == 0.1


def test_fairness_measures_are_differences_of_rates():
    """Truth and predictions of two groups, with every rate counted by hand."""
    cells = [("a", 1, 1, 3), ("a", 1, 0, 1), ("a", 0, 1, 2), ("a", 0, 0, 4)]
    cells += [("b", 1, 1, 1), ("b", 1, 0, 4), ("b", 0, 1, 1), ("b", 0, 0, 4)]
    rows = [cell[:3] for cell in cells for _ in range(cell[3])]
    frame = pd.DataFrame(rows, columns=["group", "true", "predicted"])
    expected = {
        "demographic-parity": 5 / 10 - 8 / 10,
        "equal-opportunity": 1 / 4 - 4 / 5,
        "predictive-equality": 2 / 6 - 1 / 5,
        "equalised-odds": 3 / 10 - 5 / 10,
    }
    assert set(expected) == set(FAIRNESS_MEASURES)
    for name, value in expected.items():
        costs, counted = classifiers.costs_of(name, frame["true"], frame["predicted"], positive=1)
        row = interval(costs, frame["group"], annotated=counted, protected="a")
        assert row["estimate"] == pytest.approx(value), name
    for name, predicted, positive, complaint in (
        ("equal-oportunity", [1], 1, "did you mean 'equal-opportunity'"),
        ("equal-opportunity", [1], 7, "positive=7"),
        ("equal-opportunity", [1, 2], 1, "shapes"),
    ):
        with pytest.raises(ArgumentError, match=complaint):
            classifiers.costs_of(name, [1], predicted, positive=positive)


@pytest.fixture(scope="module")
def study():
    return load_benchmark("interval_coverage")


def test_intervals_hold_the_truth_of_genres(study):
    """The paper: all of them, 20 runs per genre, from 100 examples on."""
    people = study.genre_population()
    means = people.groupby("genre")["cost"].mean()
    assert means.to_dict() == pytest.approx(study.GENRE_COSTS, abs=1e-9)
    runs = study.of_population(people.cost, people.genre, sizes=[100, 500])
    table = study.coverage_table(runs)
    assert table["intervals"].tolist() == [200, 200]
    assert (table["coverage"] > 0.95).all()
    assert table["width"].iloc[0] > 1.8 * table["width"].iloc[1]  # n grows fivefold
    government = runs.query("group == 'government'")["true"].iloc[0]
    assert government == pytest.approx(0.029, abs=0.0012)  # Table 1
    assert len(study.plot_population(runs, "government").axes) == 1


def test_coverage_of_rates_in_simulation(study):
    """At small n the bootstrap fails for rare events; bounds are safe and wide; HPDIs hold."""
    runs = study.of_rates(
        [(0.3, 0.2), (0.05, 0.02)], sizes=[50], shares=[0.5, 0.1], runs=400, draws=400
    )
    table = runs.set_index(["rate_protected", "share", "method"]).sort_index()
    for rate in (0.3, 0.05):
        for share in (0.5, 0.1):
            rows = table.loc[(rate, share)]
            for name in study.INTERVAL_METHODS[:3]:
                assert rows.loc[name, "coverage_high"] >= 0.95
            assert rows.loc["Beta-Binomial, uniform", "coverage_high"] > 0.93
            narrow = rows.loc["Beta-Binomial, uniform", "width"]
            assert rows.loc["Bernstein, sample σ²", "width"] > 1.3 * narrow
    assert table.loc[(0.05, 0.1, "bootstrap"), "coverage_high"] < 0.5
    assert len(study.plot_rates(runs).axes) == 8


def test_bounds_are_those_of_bernstein_interval(study):
    """Of 12 in 20 against 6 in 30, beside the bootstrap and posteriors, by their variances."""
    costs, groups = [1, 1, 1, 0, 0] * 4 + [1, 0, 0, 0, 0] * 6, ["a"] * 20 + ["b"] * 30
    rng = np.random.default_rng(1)
    runs = study.gap_intervals(
        np.array([12, 6]), np.array([20, 30]), prob=0.95, draws=20_000, rng=rng
    )
    for name, variance in (("sample", "sample"), ("largest", "maximal")):
        bounds = classifiers.bernstein_interval(costs, groups, variance=variance).table
        ends = bounds.loc[0, ["low", "high"]].astype(float)
        assert tuple(runs[f"Bernstein, {name} σ²"]) == pytest.approx(tuple(ends))
    width = {name: np.ptp(ends) for name, ends in runs.items()}
    assert width["Hoeffding"] == pytest.approx(2 * bounds.loc[1, "half_width"])
    sd = np.sqrt(0.6 * 0.4 / 20 + 0.2 * 0.8 / 30)
    assert width["bootstrap"] == pytest.approx(2 * 1.96 * sd, rel=0.07)
    for name, a in (("uniform", 1.0), ("Jeffreys", 0.5)):
        means = [((s + a) / (n + 2 * a), n + 2 * a + 1) for s, n in ((12, 20), (6, 30))]
        sd = np.sqrt(sum(mean * (1 - mean) / n for mean, n in means))
        assert width[f"Beta-Binomial, {name}"] == pytest.approx(3.92 * sd, rel=0.03)
