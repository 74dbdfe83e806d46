"""Bernstein-bounded unfairness: the paper's numbers, hand-worked cases, coverage."""

import math

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias import classifiers
from bayesbias.classifiers.costs import FAIRNESS_MEASURES
from bayesbias.classifiers.disparity import amortised_disparities
from bayesbias.errors import ArgumentError, DataWarning


def test_the_papers_numbers():
    paper = {"confidence": 0.95, "gamma": 0.5, "variance": 4, "max_cost": 1}
    assert bb.classifiers.required_n(disparity=0.05, **paper) == 11903
    assert classifiers.required_n(disparity=0.05) == 11903  # the largest variance is the default
    unrounded = (2 * 4 + 2 / (3 * 0.5) * 0.05) * -math.log(0.025) / 0.05**2
    assert unrounded == pytest.approx(11902.8, abs=0.05)
    # "0.0975 or higher": .0975 is resolved, and so is all from .0974195 on.
    assert classifiers.required_n(disparity=0.0975, **paper) <= 3160
    assert classifiers.required_n(disparity=0.0974, **paper) > 3160
    assert classifiers.detectable_disparity(n=3160, **paper) == pytest.approx(0.0974195, abs=1e-7)
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
    ("change", "complaint"),
    [
        ({"gamma": 0.0}, "gamma=0"),
        ({"gamma": 0.6}, "gamma=0.6"),
        ({"gamma": math.nan}, "gamma=nan"),
        ({"confidence": 1.0}, "confidence=1"),
        ({"confidence": -0.1}, "confidence=-0.1"),
        ({"confidence": math.nan}, "confidence=nan"),
        ({"variance": -1.0}, "variance=-1"),
        ({"max_cost": 0.0}, "max_cost=0"),
        ({"n": 0}, "n=0"),
        ({"n": -3}, "n=-3"),
        ({"n": 2.5}, "n=2.5"),
        ({"n": "many"}, "n='many'"),
    ],
)
def test_arguments_out_of_range(change, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        classifiers.detectable_disparity(**{"n": 100, **change})


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


@pytest.mark.parametrize(
    ("disparity", "complaint"),
    [
        *(
            (value, f"disparity={value}: must not be 0, and at most")
            for value in (0.0, 1.5, math.nan)
        ),
        *((value, "is too near to 0 to be distinguished from it") for value in (1e-300, -1e-160)),
    ],
)
def test_a_disparity_that_cannot_be_told(disparity, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        classifiers.required_n(disparity=disparity)


def test_an_interval_worked_by_hand():
    """Four protected with costs 1, 1, 1, 0; six others with 1 and five zeros."""
    costs = [1, 1, 1, 0, 1, 0, 0, 0, 0, 0]
    groups = ["a"] * 4 + ["b"] * 6
    found = classifiers.bernstein_interval(costs, groups, confidence=0.9)
    assert (found.protected, found.reference) == ("a", "b")  # first − second
    assert found.estimate == pytest.approx(3 / 4 - 1 / 6)
    assert found.gamma == 0.4
    # Amortised: 2.5 three times, 0 six times, −1/.6 once.
    squares = 3 * 2.5**2 + (1 / 0.6) ** 2
    variance = (squares - 10 * found.estimate**2) / 9
    assert found.variance == pytest.approx(variance)
    log_term = -math.log(0.05)
    b = 2 / (3 * 0.4) * log_term
    t = (b + math.sqrt(b * b + 8 * 10 * variance * log_term)) / 20
    assert found.half_width == pytest.approx(t)
    assert (found.low, found.high) == pytest.approx((found.estimate - t, found.estimate + t))
    assert "  90% Bernstein interval" in repr(found)
    sure = repr(classifiers.bernstein_interval(costs, groups, confidence=0.975))
    assert "97.5% Bernstein interval" in sure
    assert "97.5% Hoeffding interval" in sure
    assert found.hoeffding_half_width == pytest.approx(2.5 * math.sqrt(2 * log_term / 10))
    assert found.to_dict()["n"] == 10
    assert f"{found.needed:,} examples" in repr(found)
    largest = classifiers.bernstein_interval(costs, groups, variance="maximal")
    assert largest.variance == pytest.approx(6.25)


def test_amortised_disparities_and_examples_of_neither_group():
    """With them n grows and the shares fall: B / n stays and σ² / n changes by δ² (1/n − 1/n')."""
    costs = np.array([1.0, 0, 1, 0, 0, 0, 1, 0] * 10)
    first = np.array([True, True, True, True, False, False, False, False] * 10)
    short = amortised_disparities(costs, first)
    assert short.mean() == pytest.approx(costs[first].mean() - costs[~first].mean())
    padded = np.concatenate([costs * np.where(first, 1, -1) / 0.25, np.zeros(80)])  # shares 1/4
    assert padded.mean() == pytest.approx(short.mean())
    difference = short.var() / 80 - padded.var() / 160
    assert difference == pytest.approx(-(short.mean() ** 2) * (1 / 80 - 1 / 160))


AABB = ["a", "a", "b", "b"]


def test_groups_are_named_where_they_are_more_and_masked_examples_may_be_missing():
    costs, groups = [1, 0, 1, 0, 0, 0], [*AABB, "c", "c"]
    with pytest.raises(ArgumentError, match=r"3 groups .*a, b, c.*name the protected one"):
        classifiers.bernstein_interval(costs, groups)
    found = classifiers.bernstein_interval(costs, groups, protected="a")
    assert (found.reference, found.n_reference) == ("others", 4)
    assert found.estimate == pytest.approx(0.25)
    two = classifiers.bernstein_interval(costs, groups, protected="a", reference="c")
    assert (two.n, two.estimate) == (4, 0.5)
    costs[4:], groups[4:], masked = [math.nan] * 2, [None] * 2, [True] * 4 + [False] * 2
    assert classifiers.bernstein_interval(costs, groups, annotated=masked).n == 4


@pytest.mark.parametrize(
    ("costs", "groups", "options", "complaint"),
    [
        ([1, 0, 1.5, 0], AABB, {}, r"costs\[2\] = 1.5: must be from 0 to max_cost"),
        ([1, 0, -0.5, 0], AABB, {}, r"costs\[2\] = -0.5"),
        ([1, math.nan, 1, 0], AABB, {}, r"costs\[1\] is missing"),
        ([1, 0, 1, 0], ["a", "a", None, "b"], {}, r"groups\[2\] is missing"),
        ([1, 0, 1, 0], ["a"] * 4, {}, "all annotated examples are of one group"),
        ([1, 0, 1, 0], AABB, {"protected": "aa"}, "did you mean 'a'"),
        ([1, 0, 1, 0], AABB, {"protected": "a", "reference": "a"}, "two groups"),
        ([1, 0, 1, 0], AABB, {"annotated": [False] * 4}, "no example is annotated"),
        ([1, 0, 1, 0], AABB, {"annotated": [1, 1, 1, 1]}, "true or false"),
        ([1, 0], ["a", "b"], {}, "at least three"),
        ([1, 0, 1], ["a", "b"], {}, "shapes"),
        ([1, 0, 1, 0], AABB, {"variance": "small"}, "variance='small'"),
        (["x", 0, 1, 0], AABB, {}, "must be numbers"),
    ],
)
def test_bad_data(costs, groups, options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        classifiers.bernstein_interval(costs, groups, **options)


def test_a_share_below_gamma_is_told():
    with pytest.warns(DataWarning, match="share of 0.2000"):
        classifiers.bernstein_interval([1, 0, 1, 0, 1], list("abbbb"), gamma=0.5)
    exact = classifiers.bernstein_interval([1, 0] * 5, list("aaaaaaaaab"), gamma=0.1)
    assert exact.gamma == 0.1


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
        options = {"annotated": counted, "protected": "a"}
        found = classifiers.bernstein_interval(costs, frame["group"], **options)
        assert found.estimate == pytest.approx(value), name


@pytest.mark.parametrize(
    ("name", "predicted", "positive", "complaint"),
    [
        ("equal-oportunity", [1], 1, "did you mean 'equal-opportunity'"),
        ("equal-opportunity", [1], 7, "positive=7"),
        ("equal-opportunity", [1, 2], 1, "shapes"),
    ],
)
def test_what_has_no_costs(name, predicted, positive, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        classifiers.costs_of(name, [1], predicted, positive=positive)


def test_equal_error_rates_may_hide_unequal_odds():
    """Why equalised odds needs equal opportunity and predictive equality both."""
    true = np.array([1, 1, 0, 0, 1, 1, 0, 0])
    predicted = np.array([1, 0, 0, 0, 1, 1, 1, 0])  # a misses one, b raises one false alarm
    groups = list("aaaabbbb")
    error, _ = classifiers.costs_of("equalised-odds", true, predicted, positive=1)
    assert classifiers.bernstein_interval(error, groups).estimate == 0
    for name in ("equal-opportunity", "predictive-equality"):
        costs, counted = classifiers.costs_of(name, true, predicted, positive=1)
        found = classifiers.bernstein_interval(costs, groups, annotated=counted)
        assert abs(found.estimate) == 0.5
