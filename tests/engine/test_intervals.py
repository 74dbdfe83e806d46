import numpy as np
import pytest
from scipy import stats

from bayesbias.constants import VERDICTS
from bayesbias.engine.intervals import interval_of, verdicts
from bayesbias.errors import ArgumentError
from bayesbias.fits.decision import DecisionRule


def test_hpdi_of_a_skewed_law_starts_at_its_mode():
    """An exponential's narrowest interval is [0, its quantile]."""
    draws = stats.expon.ppf((np.arange(20_000) + 0.5) / 20_000)
    low, high = interval_of(draws, 0.89, "hdi")
    assert low == pytest.approx(0.0, abs=1e-3)
    assert high == pytest.approx(stats.expon.ppf(0.89), abs=2e-3)


@pytest.mark.parametrize("interval", ["hdi", "eti"])
@pytest.mark.parametrize("prob", [0.5, 0.89, 0.95])
def test_both_kinds_agree_for_a_normal(interval, prob):
    draws = stats.norm.ppf((np.arange(100_000) + 0.5) / 100_000)
    expected = stats.norm.interval(prob)
    np.testing.assert_allclose(interval_of(draws, prob, interval), expected, atol=0.01)


def test_by_hand():
    # Five draws, 60%: windows of four; the narrowest is 1, 1.5, 2, 3.
    assert interval_of([0.0, 1.0, 1.5, 2.0, 3.0], 0.6, "hdi").tolist() in ([0.0, 2.0], [1.0, 3.0])
    assert interval_of([9.0, 1.0, 1.5, 2.0, 3.0], 0.6, "hdi").tolist() == [1.0, 3.0]
    assert interval_of(np.arange(101.0), 0.9, "eti").tolist() == pytest.approx([5.0, 95.0])


def test_shapes():
    draws = np.random.default_rng(0).standard_normal((500, 3, 2))
    assert interval_of(draws, 0.5, "hdi").shape == (3, 2, 2)
    np.testing.assert_array_equal(
        interval_of(draws, 0.5, "hdi")[1, 0], interval_of(draws[:, 1, 0], 0.5, "hdi")
    )


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: interval_of([1.0, 2.0], 1.0, "hdi"), "prob=1.0"),
        (lambda: interval_of([1.0, 2.0], 0.0, "eti"), "prob=0.0"),
        (lambda: interval_of([1.0], 0.89, "hdi"), "at least two draws"),
        (lambda: interval_of([1.0, 2.0], 0.5, "hpdi"), "did you mean 'hdi'"),
    ],
)
def test_mistakes(call, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        call()


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
