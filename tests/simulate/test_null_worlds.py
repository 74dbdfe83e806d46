"""Worlds without association against what is known of them analytically."""

import json

import numpy as np
import pytest
from scipy import stats

from bayesbias.errors import ArgumentError
from bayesbias.simulate import null_weat


@pytest.fixture(scope="module")
def worlds():
    return null_weat(n_samples=50_000, seed=20)


def share(worlds, quantity, threshold):
    return worlds.tail_shares().set_index(["quantity", "at_least"]).loc[(quantity, threshold)]


@pytest.mark.parametrize("threshold", [0.1, 0.2, 0.386])
def test_the_statistic_is_normal(worlds, threshold):
    """A sum of 16 differences of two means of 8: variance 16 · 2 · .08² / 8."""
    known = 2 * stats.norm.sf(threshold, scale=0.08 * np.sqrt(16 * 2 / 8))
    row = share(worlds, "statistic", threshold)
    assert row["share"] == pytest.approx(known, abs=4 * row["standard_error"])


@pytest.mark.parametrize("threshold", [0.5, 0.8, 1.267])
def test_the_effect_size_is_a_t_statistic_in_disguise(worlds, threshold):
    """The spread over all words holds the difference, so d² = 4·15·t² / (16·(t² + 14))."""
    t = np.sqrt(14 * threshold**2 / (15 / 4 - threshold**2))
    row = share(worlds, "effect_size", threshold)
    known = 2 * stats.t.sf(t, 14)
    assert row["share"] == pytest.approx(known, abs=4 * row["standard_error"])


def test_the_papers_sample_is_rare(worlds):
    """The paper prints 38%; that is what a first word in place of its group's mean would give."""
    row = share(worlds, "effect_size", 1.267)
    assert row["share"] == pytest.approx(0.006, abs=0.001)
    s = np.random.default_rng(3).normal(size=(50_000, 16))
    first_words = np.abs(s[:, 0] - s[:, 8]) / s.std(axis=1, ddof=1) >= 1.267
    known = stats.beta.sf(1.267**2 / 30, 1 / 2, 7)  # one of 15 squares, over their sum
    assert known == pytest.approx(0.3887, abs=5e-5)
    assert first_words.mean() == pytest.approx(known, abs=4 * (known * (1 - known) / 50_000) ** 0.5)


def test_the_effect_size_does_not_know_the_spread_of_the_data():
    one, two = null_weat(n_samples=50, seed=4), null_weat(n_samples=50, seed=4, sd=0.8)
    assert one.effect_size == pytest.approx(two.effect_size)
    assert 10 * one.statistic == pytest.approx(two.statistic)


def test_samples_do_not_depend_on_how_many_are_drawn_at_once(monkeypatch):
    whole = null_weat(n_samples=40, seed=4)
    monkeypatch.setattr("bayesbias.simulate.null_worlds._CHUNK", 2 * 16 * 8 * 7)
    assert null_weat(n_samples=40, seed=4).statistic == pytest.approx(whole.statistic)


def test_tail_shares_count(worlds):
    row = share(worlds, "statistic", 0.2)
    assert row["count"] == np.sum((worlds.statistic >= 0.2) | (worlds.statistic <= -0.2))
    assert row["share"] == row["count"] / 50_000
    assert row["standard_error"] == pytest.approx(
        np.sqrt(row["share"] * (1 - row["share"]) / 50_000)
    )
    plain = json.loads(json.dumps(worlds.to_dict()))
    assert plain["seed"] == 20
    assert plain["tail_shares"][3]["at_least"] == 1.267
    assert "50,000 worlds without association: 8 + 8 words" in repr(worlds)
    assert len(worlds.to_frame()) == 7
    with pytest.raises(ValueError, match="read-only"):
        worlds.statistic[0] = 0


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: null_weat(n_words=7), "n_words=7"),
        (lambda: null_weat(n_attributes=0), "n_attributes=0"),
        (lambda: null_weat(sd=0.0), "sd=0"),
        (lambda: null_weat(n_samples=0), "n_samples=0"),
        (lambda: null_weat(seed=-1), "seed=-1"),
    ],
)
def test_worlds_that_cannot_be_are_refused(call, match):
    with pytest.raises(ArgumentError, match=match):
        call()
