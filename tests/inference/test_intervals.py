import numpy as np
import pytest
from scipy import stats

from bayesbias.constants import VERDICTS
from bayesbias.errors import ArgumentError
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.intervals import binomial_interval, interval_of, rope_shares, verdicts


def test_hpdi_of_a_skewed_law_starts_at_its_mode():
    """An exponential's narrowest interval is [0, its quantile]."""
    draws = stats.expon.ppf((np.arange(20_000) + 0.5) / 20_000)
    low, high = interval_of(draws, 0.89, "hpdi")
    assert low == pytest.approx(0.0, abs=1e-3)
    assert high == pytest.approx(stats.expon.ppf(0.89), abs=2e-3)


@pytest.mark.parametrize("interval", ["hpdi", "eti"])
@pytest.mark.parametrize("prob", [0.5, 0.89, 0.95])
def test_both_kinds_agree_for_a_normal(interval, prob):
    draws = stats.norm.ppf((np.arange(100_000) + 0.5) / 100_000)
    expected = stats.norm.interval(prob)
    np.testing.assert_allclose(interval_of(draws, prob, interval), expected, atol=0.01)


def test_by_hand():
    # Five draws, 60%: windows of four; the narrowest is 1, 1.5, 2, 3.
    assert interval_of([0.0, 1.0, 1.5, 2.0, 3.0], 0.6, "hpdi").tolist() in ([0.0, 2.0], [1.0, 3.0])
    assert interval_of([9.0, 1.0, 1.5, 2.0, 3.0], 0.6, "hpdi").tolist() == [1.0, 3.0]
    assert interval_of(np.arange(101.0), 0.9, "eti").tolist() == pytest.approx([5.0, 95.0])


def test_shapes():
    draws = np.random.default_rng(0).standard_normal((500, 3, 2))
    assert interval_of(draws, 0.5, "hpdi").shape == (3, 2, 2)
    np.testing.assert_array_equal(
        interval_of(draws, 0.5, "hpdi")[1, 0], interval_of(draws[:, 1, 0], 0.5, "hpdi")
    )


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: interval_of([1.0, 2.0], 1.0, "hpdi"), "prob=1.0"),
        (lambda: interval_of([1.0, 2.0], 0.0, "eti"), "prob=0.0"),
        (lambda: interval_of([1.0], 0.89, "hpdi"), "at least two draws"),
        (lambda: interval_of([1.0, 2.0], 0.5, "hdi"), "did you mean 'hpdi'"),
    ],
)
def test_mistakes(call, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        call()


def test_shares_of_a_rope_by_hand():
    draws = np.array([[-0.2, 0.0], [-0.05, 0.06], [0.05, 0.07], [0.3, -0.01]])
    np.testing.assert_allclose(rope_shares(draws, 0.05), [[0.25, 0.5, 0.25], [0.0, 0.5, 0.5]])


@pytest.mark.parametrize(
    ("low", "high", "rope", "expected"),
    [
        (-0.2, -0.06, 0.05, "closer"),
        (-0.2, -0.05, 0.05, "closer, size undecided"),  # touches the region
        (0.01, 0.06, 0.05, "farther, size undecided"),
        (-0.04, -0.01, 0.05, "closer, practically equal"),
        (0.01, 0.04, 0.05, "farther, practically equal"),
        (0.06, 0.2, 0.05, "farther"),
        (-0.05, 0.05, 0.05, "practically equal"),  # the region's ends belong to it
        (-0.06, 0.06, 0.05, "undecided"),
        (-0.2, -0.01, 0.0, "closer"),
        (-0.2, 0.01, 0.0, "undecided"),
    ],
)
def test_verdicts_follow_the_rule(low, high, rope, expected):
    assert str(verdicts(low, high, rope)) == expected
    assert expected in VERDICTS


@pytest.mark.parametrize("rope", [-0.01, np.nan, np.inf])
def test_a_rope_is_a_width(rope):
    with pytest.raises(ArgumentError, match="rope="):
        DecisionRule(rope=rope)


def test_binomial_intervals_cover_as_they_say():
    """Exact coverage of a probability, summed over the binomial distribution."""
    n, p = 60, 0.08
    k = np.arange(n + 1)
    bounds = binomial_interval(k, n, 0.89)
    inside = (bounds[:, 0] <= p) & (p <= bounds[:, 1])
    assert stats.binom.pmf(k[inside], n, p).sum() == pytest.approx(0.89, abs=0.04)
    assert bounds[0, 0] == 0.0
    assert bounds[-1, 1] == 1.0
