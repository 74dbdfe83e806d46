"""The arithmetic of WEAT against hand-worked cases and counting one by one."""

from itertools import combinations

import numpy as np
import pytest

from bayesbias.errors import ArgumentError
from bayesbias.measures import association as core

FIG_1 = [0.5, 0.3, -0.6, -0.3]  # the Bayesian paper's Fig. 1


def test_figure_1_by_hand():
    # s(he): (.6 + .7)/2 − (.2 + .1)/2 = .5
    assert core.association([[0.6, 0.7]], [[0.2, 0.1]]) == pytest.approx([0.5])
    assert core.test_statistic(FIG_1, 2) == pytest.approx(1.7)
    assert core.mean_difference(FIG_1, 2) == pytest.approx(0.85)
    assert core.effect_size(FIG_1, 2) == pytest.approx(0.85 / np.sqrt(0.7875 / 3))
    assert core.effect_size(FIG_1, 2) == pytest.approx(1.659, abs=5e-4)
    assert core.effect_size(FIG_1, 2, ddof=0) == pytest.approx(1.916, abs=5e-4)
    # Groups of unequal size.
    assert core.test_statistic([1.0, 2.0, 4.0], 1) == pytest.approx(-5.0)
    assert core.mean_difference([1.0, 2.0, 4.0], 1) == pytest.approx(-2.0)


def test_worlds_are_computed_apart():
    s = np.random.default_rng(0).normal(size=(3, 4, 7))
    for function in (core.test_statistic, core.mean_difference, core.effect_size):
        together = function(s, 3)
        assert together.shape == (3, 4)
        assert together[2, 1] == pytest.approx(function(s[2, 1], 3))


def count_one_by_one(s, n_x, alternative):
    """Count partitions whose mean difference is as extreme, with no cleverness at all."""
    s = np.asarray(s)
    differences = []
    for chosen in combinations(range(len(s)), n_x):
        rest = [i for i in range(len(s)) if i not in chosen]
        differences.append(s[list(chosen)].mean() - s[rest].mean())
    d, observed = np.array(differences), differences[0]
    extreme = {
        "greater": d >= observed - 1e-12,
        "less": d <= observed + 1e-12,
        "two-sided": np.abs(d) >= abs(observed) - 1e-12,
    }[alternative]
    return int(extreme.sum()), len(d)


@pytest.mark.parametrize("alternative", core.ALTERNATIVES)
@pytest.mark.parametrize(("n_x", "n_y"), [(1, 1), (1, 4), (4, 1), (3, 3), (2, 5), (5, 2), (5, 5)])
def test_the_exact_count_is_the_count(n_x, n_y, alternative):
    rng = np.random.default_rng([n_x, n_y])
    for s in (rng.normal(size=n_x + n_y), rng.integers(-1, 2, n_x + n_y) / 10, np.zeros(n_x + n_y)):
        test = core.permutation_test(s, n_x, alternative=alternative)
        assert test.exact
        assert (test.n_extreme, test.n_partitions) == count_one_by_one(s, n_x, alternative)
        assert test.p_value == test.n_extreme / test.n_partitions


@pytest.mark.parametrize("alternative", core.ALTERNATIVES)
@pytest.mark.parametrize("n_x", [9, 3])
def test_draws_agree_with_the_exact_count(n_x, alternative):
    s = np.random.default_rng(3).normal(size=12 + n_x) + np.r_[np.full(n_x, 0.5), np.zeros(12)]
    exact, drawn = (
        core.permutation_test(s, n_x, alternative=alternative, seed=5, **options)
        for options in ({}, {"draws": 400, "most_exact": 1})
    )
    assert (exact.exact, drawn.exact, drawn.n_partitions) == (True, False, 400)
    assert drawn.p_value == (drawn.n_extreme + 1) / 401
    error = np.sqrt(exact.p_value * (1 - exact.p_value) / 400)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=4 * error + 1 / 401)


def test_drawing_all_but_the_observed_gives_the_exact_count():
    """Without replacement: 19 draws from the 20 partitions of 3 + 3 leave out one only."""
    s = np.array([3.0, 1.0, 0.5, 0.2, 0.1, 0.0])
    sums = core._draw_sums(s, 3, 19, np.random.default_rng(0))
    assert len(np.unique(np.round(sums, 12))) == 19
    assert sums.max() < s[:3].sum()


def test_draws_repeat_with_their_seed_and_record_it():
    s = np.random.default_rng(4).normal(size=50)
    test = core.permutation_test(s, 25, seed=9)
    assert test == core.permutation_test(s, 25, seed=9)
    assert test.seed == 9
    assert not test.exact
    chosen = core.permutation_test(s, 25)
    assert chosen == core.permutation_test(s, 25, seed=chosen.seed)
    assert "10,000 of 126,410,606,437,752 partitions drawn" in test.method


def test_the_exact_count_goes_further_when_asked():
    s = np.r_[np.arange(16) + 100.0, np.arange(16)]
    test = core.permutation_test(s, 16, most_exact=10**9)
    assert (test.n_extreme, test.n_partitions) == (1, 601_080_390)
    with pytest.raises(ArgumentError, match="partial sums in memory"):
        core.permutation_test(np.arange(64.0), 32, most_exact=10**19)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: core.effect_size([0.5, 0.5, 0.5], 1), "same association"),
        (lambda: core.effect_size(FIG_1, 2, ddof=2), "ddof=2"),
        (lambda: core.test_statistic(FIG_1, 0), "n_x=0"),
        (lambda: core.mean_difference([0.1, np.nan], 1), "NaN"),
        (lambda: core.permutation_test(FIG_1, 2, alternative="greatr"), "did you mean 'greater'"),
        (lambda: core.permutation_test(FIG_1, 2, draws=0), "draws=0"),
        (lambda: core.permutation_test([FIG_1], 2), "one dimension"),
    ],
)
def test_what_cannot_be_computed_is_refused(call, match):
    with pytest.raises(ArgumentError, match=match):
        call()
