"""Random effects over estimates: against the closed form, and in the two limits."""

from functools import cache

import numpy as np
import pytest
from alike import list_frame

from bayesbias.studies.pooling import RATE, error_correlations, influences, packed_influences, pool


def test_equal_errors_shrink_towards_the_mean_by_the_known_share():
    """With many estimates τ is known, and each is drawn by s² / (s² + τ²)."""
    rng = np.random.default_rng(1)
    n = 80
    truth = rng.normal(0.1, 0.05, n)
    y = truth + rng.normal(0, 0.05, n)
    found = pool(y, np.full(n, 0.05), rate=10.0)
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
    found = [pool(y, s, prob=0.8, interval=kind, rate=10.0) for kind in ("hpdi", "eti")]
    narrow, even = (one.table.iloc[-1] for one in found)
    assert narrow["shrunken"] == even["shrunken"]
    assert narrow["high"] - narrow["low"] < even["high"] - even["low"] - 1e-4
    rows = pool([1.0, 2.0, 3.0], [1e-3, 1e-3, 1e-3], interval="eti", prob=0.9).table
    np.testing.assert_allclose(rows["high"] - rows["estimate"], 1.645e-3, rtol=0.01)


def test_exact_estimates_stay_and_vague_ones_go_to_the_mean():
    y = [0.0, 0.1, 0.2, 5.0]
    table = pool(y, [1e-4, 1e-4, 1e-4, 50.0]).table
    np.testing.assert_allclose(table["shrunken"][:3], y[:3], atol=1e-4)
    assert abs(table["shrunken"][3] - 0.1) < 0.1


def test_a_factor_takes_what_its_levels_share():
    rng = np.random.default_rng(2)
    y = np.repeat(rng.normal(0, 0.3, 6), 5) + rng.normal(0, 0.02, 30)
    factors = {"corpus": np.repeat(list("abcdef"), 5)}
    spread = pool(y, np.full(30, 0.02), rate=10.0, factors=factors).spread.set_index("quantity")
    assert spread.loc["corpus", "low"] > 3 * spread.loc["single", "high"]


def of_lists(rho, n_lists=4, n_sources=4):
    """Correlations of errors of tasks that share a list."""
    code = np.repeat(np.arange(n_lists), n_sources)
    return np.where(code[:, None] == code, rho, 0.0) + (1 - rho) * np.eye(len(code))


def misses(rho, *, known, n=60, sd=0.3):
    """Share of 89% intervals that miss, in worlds of sixteen tasks that scatter by `sd`."""
    rng, correlation = np.random.default_rng(4), of_lists(rho)
    root, size = np.linalg.cholesky(correlation), len(correlation)
    found = []
    for _ in range(n):
        truth = rng.normal(0.2, sd, size)
        y = truth + sd * root @ rng.standard_normal(size)
        table = pool(y, np.full(size, sd), correlation=correlation if known else None).table
        found.append((truth < table["low"]) | (truth > table["high"]))
    return float(np.mean(found))


@pytest.mark.slow
def test_intervals_hold_where_tasks_err_apart():
    assert 0.07 < misses(0.0, known=True) < 0.15


def test_intervals_hold_where_tasks_of_a_list_err_together():
    """At 960 intervals that hang together within a world the standard error is about .012."""
    known = misses(0.5, known=True)
    assert 0.07 < known < 0.15
    assert misses(0.5, known=False) > known + 0.03  # as if the errors were independent


def test_an_error_that_all_share_does_not_cancel_in_their_mean():
    """Three tasks of one list: by hand, with τ → 0, the mean has the variance s²(1 + 2ρ) / 3."""
    found = pool([0.2, 0.2, 0.2], [0.1] * 3, correlation=of_lists(0.8, 1, 3), rate=1e4)
    low, high = found.spread.set_index("quantity").loc["overall", ["low", "high"]]
    expected = 2 * 1.598 * 0.1 * np.sqrt((1 + 2 * 0.8) / 3)
    assert high - low == pytest.approx(expected, rel=0.03)
    alone = pool([0.2, 0.2, 0.2], [0.1] * 3, rate=1e4).spread.set_index("quantity")
    assert high - low > 1.5 * (alone.loc["overall", "high"] - alone.loc["overall", "low"])


def test_the_prior_is_in_the_unit_of_the_sweep():
    """Half a standard deviation of a neutral pair's distance: the mode of Gamma(2, rate = 2)."""
    assert RATE == 2.0
    y, s = [0.0, 0.4, 0.8, 1.2], [0.2] * 4
    assert pool(y, s).table.equals(pool(y, s, rate=2.0).table)
    in_distances = pool(0.1 * np.array(y), 0.1 * np.array(s), rate=20.0).table
    np.testing.assert_allclose(10 * in_distances["shrunken"], pool(y, s).table["shrunken"])


@cache
def listed():
    """A list's frame, and the numbers of its words and attributes, pair by pair."""
    frame = list_frame(n_words=(8, 8), sizes=(12, 12), seed=1)
    words = ("protected_word", "attribute")
    return frame, {name: frame.groupby(name, sort=False).ngroup().to_numpy() for name in words}


def two_tasks(rng, rho):
    """Frames of one list in two embeddings whose words' effects correlate by rho."""
    first, codes = listed()
    effects = {
        column: [
            np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.standard_normal(len(shared))
            for shared in [rng.standard_normal(first[column].nunique())] * 2
        ]
        for column in codes
    }
    frames, errors = [], []
    for task in range(2):
        frame = first.assign(cosine_distance=1 + rng.normal(0, 0.02, len(first)))
        moved = sum(effects[column][task][code] for column, code in codes.items())
        frame["cosine_distance"] += 0.1 * moved * (frame["connection"] == "associated")
        means = frame.groupby("connection")["cosine_distance"].mean()
        frames.append(frame)
        errors.append(means["associated"] - means["different"])
    return frames, errors


PAIR = ("associated", "different")


def correlations_of(frames):
    """The correlations of the errors of tasks, from what a sweep keeps of each."""
    of_words = [packed_influences(influences(frame, PAIR)) for frame in frames]
    return error_correlations(*zip(*(one.values() for one in of_words), strict=True))


@pytest.mark.parametrize("rho", [pytest.param(0.0, marks=pytest.mark.slow), 0.5])
def test_the_correlation_of_errors_is_found_from_the_words(rho):
    """Against that of the contrasts themselves over worlds; .5 to two standard errors of 150."""
    rng = np.random.default_rng(1)
    worlds = [two_tasks(rng, rho) for _ in range(150)]
    true = np.corrcoef(np.array([errors for _, errors in worlds]).T)[0, 1]
    found = np.mean([correlations_of(frames)[0, 1] for frames, _ in worlds])
    assert abs(true - rho) < 0.16
    assert abs(found - rho) < 0.06


def test_tasks_without_a_word_in_common_err_apart():
    frame = list_frame(n_words=(3, 3), seed=1)
    names = {name: frame[name] + "x" for name in ("protected_word", "attribute")}
    found = correlations_of([frame, frame.assign(**names), frame])
    assert found[0, 1] == 0.0
    assert 0.99 < found[0, 2] < 1.0


def test_influences_are_what_dropping_a_word_would_change():
    """Of an infinitely small part of a word's weight, by the derivative of the weighted means."""
    frame = list_frame(n_words=(3, 4), sizes=(4, 3), n_reference=3, seed=2)
    found = influences(frame, PAIR)

    def contrast(lighter, column):
        weight = np.where(frame[column] == lighter, 1 - 1e-6, 1.0)
        rows = frame.assign(w=weight, wd=weight * frame["cosine_distance"])
        rows = rows[rows["connection"] != "reference"]
        sums = rows.groupby(["group", "connection"])[["w", "wd"]].sum()
        means = (sums["wd"] / sums["w"]).unstack()
        return float((means["associated"] - means["different"]).mean())

    for column, word, name in (
        ("protected_word", "word01", "protected group0 word01"),
        ("attribute", "s02", "attribute list0 s02"),
    ):
        slope = (contrast("nobody", column) - contrast(word, column)) / 1e-6
        assert found[name] == pytest.approx(slope, abs=1e-6)
