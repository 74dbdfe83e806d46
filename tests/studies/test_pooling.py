"""Random effects over estimates: against the closed form, and in the two limits."""

import numpy as np
import pytest

from bayesbias.errors import ArgumentError
from bayesbias.studies.pooling import pool


def test_equal_errors_shrink_towards_the_mean_by_the_known_share():
    """With many estimates τ is known, and each is drawn by s² / (s² + τ²)."""
    rng = np.random.default_rng(1)
    n = 80
    truth = rng.normal(0.1, 0.05, n)
    y = truth + rng.normal(0, 0.05, n)
    found = pool(y, np.full(n, 0.05))
    share = 0.05**2 / y.var(ddof=1)
    expected = y + share * (y.mean() - y)
    assert np.abs(found.table["shrunken"] - expected).max() < 0.01
    spread = found.spread.set_index("quantity")
    assert spread.loc["single", "mean"] == pytest.approx(np.sqrt(y.var(ddof=1) - 0.05**2), abs=0.01)
    assert spread.loc["overall", "mean"] == pytest.approx(y.mean(), abs=1e-3)
    inside = (found.table["low"] < truth) & (truth < found.table["high"])
    assert abs(inside.mean() - 0.89) < 3 * np.sqrt(0.89 * 0.11 / n)


def test_intervals_are_of_the_kind_asked_for():
    """A vague estimate among exact ones has a skewed posterior, so that the two kinds differ."""
    y, s = [0.0, 0.05, 0.1, 1.0], [0.01, 0.01, 0.01, 0.3]
    narrow = pool(y, s, prob=0.8)
    even = pool(y, s, prob=0.8, interval="eti")
    assert (narrow.interval, even.interval) == ("hpdi", "eti")
    last = [found.table.iloc[-1] for found in (narrow, even)]
    assert last[0]["shrunken"] == last[1]["shrunken"]
    assert last[0]["high"] - last[0]["low"] < last[1]["high"] - last[1]["low"] - 1e-4
    rows = pool([1.0, 2.0, 3.0], [1e-3, 1e-3, 1e-3], interval="eti", prob=0.9).table
    np.testing.assert_allclose(rows["high"] - rows["estimate"], 1.645e-3, rtol=0.01)
    for wrong in ({"interval": "etis"}, {"prob": 1.5}):
        with pytest.raises(ArgumentError):
            pool(y, s, **wrong)


def test_exact_estimates_stay_and_vague_ones_go_to_the_mean():
    y = [0.0, 0.1, 0.2, 5.0]
    table = pool(y, [1e-4, 1e-4, 1e-4, 50.0]).table
    np.testing.assert_allclose(table["shrunken"][:3], y[:3], atol=1e-4)
    assert abs(table["shrunken"][3] - 0.1) < 0.1


def test_a_factor_takes_what_its_levels_share():
    rng = np.random.default_rng(2)
    corpus = np.repeat(list("abcdef"), 5)
    y = np.repeat(rng.normal(0, 0.3, 6), 5) + rng.normal(0, 0.02, 30)
    spread = pool(y, np.full(30, 0.02), factors={"corpus": corpus}).spread.set_index("quantity")
    assert spread.loc["corpus", "low"] > 3 * spread.loc["single", "high"]


@pytest.mark.parametrize(
    ("estimate", "sd", "factors"),
    [
        ([1.0, 2.0], [1.0, 1.0], None),
        ([1.0, 2.0, 3.0], [1.0, 0.0, 1.0], None),
        ([1.0, np.nan, 3.0], [1.0, 1.0, 1.0], None),
        ([1.0, 2.0, 3.0], [1.0, 1.0, 1.0], {"corpus": ["a", "b"]}),
    ],
)
def test_what_cannot_be_pooled_is_refused(estimate, sd, factors):
    with pytest.raises(ArgumentError):
        pool(estimate, sd, factors=factors)
