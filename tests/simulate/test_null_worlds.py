"""Worlds without association against what is known of them analytically."""

import json

import numpy as np
import pytest
from scipy import stats

from bayesbias.errors import ArgumentError
from bayesbias.simulate import null_sample, null_weat
from bayesbias.simulate.null_figures import plot_null_distances, plot_null_weat, plot_repartitions


@pytest.fixture(scope="module")
def worlds():
    return null_weat(n_samples=50_000, seed=20)


def share(worlds, quantity, threshold):
    option = {"effect_size": "effect_sizes", "statistic": "statistics"}[quantity]
    other = {"effect_sizes": (), "statistics": ()}
    return worlds.tail_shares(**{**other, option: [threshold]}).iloc[0]


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
    table = worlds.tail_shares(effect_sizes=[0.0, 99.0], statistics=[])
    assert table["count"].tolist() == [50_000, 0]
    assert table["share"].tolist() == [1.0, 0.0]
    row = share(worlds, "statistic", 0.2)
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


def test_one_sample_in_full():
    sample = null_sample(n_words=8, n_attributes=5, seed=6, prob=0.9)
    s = sample.to_a.mean(axis=1) - sample.to_b.mean(axis=1)
    assert sample.statistic == pytest.approx(s[:4].sum() - s[4:].sum())
    assert sample.partition_statistics[0] == pytest.approx(sample.statistic)
    assert sample.partition_effect_sizes[0] == pytest.approx(sample.effect_size)
    assert len(sample.partition_statistics) == 70
    # Every partition has its mirror image, and the sample's p-value can be read off.
    assert np.sort(sample.partition_statistics) == pytest.approx(
        np.sort(-sample.partition_statistics)
    )
    as_extreme = np.abs(sample.partition_statistics) >= abs(sample.statistic) - 1e-12
    assert sample.permutation.p_value == pytest.approx(as_extreme.mean())
    known = stats.ttest_ind(sample.to_b[:4].ravel(), sample.to_b[4:].ravel(), equal_var=False)
    assert sample.raw_tests["B"].p_value == pytest.approx(known.pvalue)
    assert (sample.raw_tests["B"].low, sample.raw_tests["B"].high) == pytest.approx(
        tuple(known.confidence_interval(0.9))
    )
    frame = sample.distances()
    assert len(frame) == 80
    assert frame.loc[frame["word"] == "Y1", "distance"].iloc[0] == 1 - sample.to_a[4, 0]
    assert set(frame["group"]) == {"X", "Y"}
    assert json.loads(json.dumps(sample.to_dict()))["n_tried"] == 1


def test_an_extreme_sample_says_how_long_it_was_looked_for():
    sample = null_sample(least_effect=1.267, seed=1)
    assert abs(sample.effect_size) >= 1.267
    assert sample.n_tried > 1
    assert f"Sample {sample.n_tried} of" in repr(sample)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: null_weat(n_words=7), "n_words=7"),
        (lambda: null_weat(n_attributes=0), "n_attributes=0"),
        (lambda: null_weat(sd=0.0), "sd=0"),
        (lambda: null_weat(n_samples=0), "n_samples=0"),
        (lambda: null_weat(seed=-1), "seed=-1"),
        (lambda: null_sample(n_words=24), "n_words=24"),
        (lambda: null_sample(n_words=2, n_attributes=1), "no variance"),
    ],
)
def test_worlds_that_cannot_be_are_refused(call, match):
    with pytest.raises(ArgumentError, match=match):
        call()


def bars_beyond(axis, at):
    """Return how much the bars in the tails count."""
    tails = [b for b in axis.patches if abs(b.get_x() + b.get_width() / 2) > at]
    assert len({b.get_facecolor() for b in tails}) == 1
    assert tails[0].get_facecolor() != axis.patches[len(axis.patches) // 2].get_facecolor()
    return sum(b.get_height() for b in tails)


def test_figures_count_what_the_tables_count(worlds):
    left, right = plot_null_weat(worlds, effect_size=1.267, statistic=0.386).axes
    table = worlds.tail_shares(effect_sizes=[1.267], statistics=[0.386]).set_index("quantity")
    assert bars_beyond(left, 0.386) == table.loc["statistic", "count"]
    assert bars_beyond(right, 1.267) == table.loc["effect_size", "count"]
    assert left.get_title("left") == f"{table.loc['statistic', 'share']:.2%} beyond ±0.386"
    assert sum(b.get_height() for b in left.patches) == 50_000


def test_figures_of_one_sample():
    sample = null_sample(n_words=8, n_attributes=5, seed=6)
    left, right = plot_repartitions(sample).axes
    for axis in (left, right):
        assert sum(b.get_height() for b in axis.patches) == 70
    left, axis = plot_null_distances(sample).axes
    assert [t.get_text() for t in left.get_yticklabels()][:5] == ["X1", "X2", "X3", "X4", "Y1"]
    points = [line.get_xdata() for line in axis.lines if len(line.get_xdata()) == 5]
    assert np.concatenate(points) == pytest.approx(1 - sample.to_b.ravel())
    # Distances are 1 − similarities, so the difference changes its sign.
    shown = f"{-sample.raw_tests['B'].difference:+.3f}".replace("-", "−")
    assert f"to B: X − Y = {shown}" in axis.get_title("left")
    assert f"raw p = {sample.raw_tests['B'].p_value:.3f}" in axis.get_title("left")
    assert ", 95% confidence" in axis.get_title("left")
    sure = null_sample(n_words=8, n_attributes=5, seed=6, prob=0.975)
    assert ", 97.5% confidence" in plot_null_distances(sure).axes[0].get_title("left")
    assert ", 97.5% confidence [" in repr(sure)
