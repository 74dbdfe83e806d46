"""What is said of few people: rates of verdicts, coverage of ratios, sizes of groups."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom, fisher_exact

from bayesbias import classifiers
from bayesbias.classifiers.exact import fisher_tails, ratio_intervals
from bayesbias.cli import main
from bayesbias.errors import PredictionsError

COLUMNS = {"true": "y", "predicted": "p", "group": "g"}
RATES = [0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]


def people(**right):
    """Everybody is of class 1; of each group so many of so many are found: ``f=(3, 4)``."""
    rows = [(g, 1, int(i < s)) for g, (s, n) in right.items() for i in range(n)]
    return pd.DataFrame(rows, columns=["g", "y", "p"])


def outcome(s, n, s_ref, n_ref, **options):
    """Return the row of TPR for s of n found, against s_ref of n_ref."""
    frame = people(a=(s, n), b=(s_ref, n_ref))
    chosen = {"classes": [0, 1], "reference": "b", "seed": 1, "draws": 1000, **options}
    table = classifiers.gaps(frame, **COLUMNS, **chosen).table
    return table[(table["metric"] == "TPR") & (table["class"] == "1")].iloc[0]


def rate_of(said, n, n_ref):
    """Return the share of samples in which something is said, by common rate: exact."""
    ways = [(binom.pmf(range(n + 1), n, p), binom.pmf(range(n_ref + 1), n_ref, p)) for p in RATES]
    return np.array([first @ said @ second for first, second in ways])


@pytest.mark.parametrize(("n", "n_ref"), [(1, 1), (2, 2), (3, 3), (5, 5), (1, 20), (3, 12), (7, 7)])
def test_equal_rates_are_called_different_in_no_more_than_announced(n, n_ref):
    rows = [[outcome(s, n, t, n_ref) for t in range(n_ref + 1)] for s in range(n + 1)]
    told = [[row["verdict"].startswith(("lower", "higher")) for row in line] for line in rows]
    assert rate_of(np.array(told), n, n_ref).max() <= 0.11
    if n == n_ref == 3:  # what the interval alone says: the test can fail
        excluded = [[row["low"] > 0 or row["high"] < 0 for row in line] for line in rows]
        assert rate_of(np.array(excluded), n, n_ref).max() > 0.15


def test_the_test_holds_its_rate_for_every_pair_of_sizes_to_20_and_beyond():
    for n in range(1, 21):
        for n_ref in (*range(n, 21), 200, 2000):
            s, t = np.meshgrid(np.arange(n + 1), np.arange(n_ref + 1), indexing="ij")
            told = (fisher_tails(s, n, t, n_ref) <= 0.055).any(axis=-1)
            assert rate_of(told, n, n_ref).max() <= 0.11


def test_tails_are_those_of_scipys_test():
    for s, n, t, m in ((3, 3, 0, 3), (0, 1, 5, 9), (7, 20, 15, 20), (4, 4, 4, 4)):
        table = [[s, n - s], [t, m - t]]
        expected = [fisher_exact(table, alternative=side).pvalue for side in ("less", "greater")]
        np.testing.assert_allclose(fisher_tails(s, n, t, m), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ((1, 1), (0, 1), "undecided"),
        ((1, 1), (0, 40), "undecided"),  # a group of one, whatever the other is
        ((3, 3), (0, 3), "higher"),
        ((2, 3), (0, 3), "undecided"),
        ((30, 40), (10, 40), "higher"),
        ((10, 40), (30, 40), "lower"),
    ],
)
def test_verdicts_of_few(first, second, verdict):
    assert outcome(*first, *second)["verdict"] == verdict


def test_the_rule_is_said_and_the_hierarchical_model_is_exempt():
    found = classifiers.gaps(people(a=(3, 4), b=(1, 9)), **COLUMNS, seed=1)
    assert "Fisher's exact test must agree (one-sided p up to 0.055)" in found.caption
    assert "Fisher" in repr(found)
    row = outcome(3, 3, 0, 3, prob=0.95)
    assert row["verdict"] == "undecided"  # p = .05 is above .025
    assert row["fisher_p"] == pytest.approx(0.05)


def test_melded_intervals_exclude_1_where_the_test_rejects():
    for n, m in ((1, 1), (3, 3), (4, 9), (12, 7), (20, 50)):
        s, t = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
        some = s + t > 0
        low, high = np.moveaxis(ratio_intervals(s, n, t, m, 0.89), -1, 0)
        is_lower, is_higher = np.moveaxis(fisher_tails(s, n, t, m) <= 0.055, -1, 0)
        assert ((low > 1) == is_higher)[some].all()
        assert ((high < 1) == is_lower)[some].all()


def test_a_melded_interval_by_draws():
    """The low end is a quantile of Beta(s, n − s + 1) / Beta(t + 1, m − t), by simulation."""
    rng = np.random.default_rng(1)
    s, n, t, m = 6, 15, 20, 30
    low, high = ratio_intervals(s, n, t, m, 0.89)
    bottom = beta.rvs(s, n - s + 1, size=400_000, random_state=rng)
    bottom /= beta.rvs(t + 1, m - t, size=400_000, random_state=rng)
    top = beta.rvs(s + 1, n - s, size=400_000, random_state=rng)
    top /= beta.rvs(t, m - t + 1, size=400_000, random_state=rng)
    for found, values, q in ((low, bottom, 0.055), (high, top, 0.945)):
        below = (values < found).mean()
        assert abs(below - q) < 4 * np.sqrt(q * (1 - q) / 400_000) + 1e-4
    assert ratio_intervals(0, 5, 3, 5, 0.89)[0] == 0
    assert ratio_intervals(3, 5, 0, 5, 0.89)[1] == np.inf


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 5), (4, 4), (6, 12)])
@pytest.mark.parametrize("ratio", [0.5, 0.8, 1.0])
def test_intervals_of_ratios_hold_the_truth(n, m, ratio):
    """By enumeration, for every rate of the reference; the ratio is not defined for none."""
    s, t = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
    low, high = np.moveaxis(ratio_intervals(s, n, t, m, 0.89), -1, 0)
    held = (low <= ratio) & (ratio <= high)
    for p in RATES:
        first, second = binom.pmf(range(n + 1), n, ratio * p), binom.pmf(range(m + 1), m, p)
        assert first @ held @ second >= 0.89


def test_ratios_of_the_four_fifths_rule():
    """Forty of a hundred against eighty is below four fifths; a rate of 0 of both has no ratio."""
    found = classifiers.gaps(people(f=(40, 100), m=(80, 100)), **COLUMNS, classes=[0, 1, 2], seed=1)
    rows = found.ratios.set_index(["metric", "class"])
    first = rows.loc[("GP", "1")]
    assert (first["ratio_of"], first["ratio"], first["four_fifths"]) == ("f / m", 0.5, "below")
    assert first["high"] < 0.8
    assert (first["n"], first["n_reference"]) == (100, 100)
    assert rows.loc[("GP", "0"), "ratio_of"] == "m / f"
    assert rows.loc[("GP", "2"), "reason"] == "both rates are 0"
    assert rows.loc[("GP", "2"), "four_fifths"] == "undefined"
    assert "Ratios of GP" in repr(found)
    near = classifiers.gaps(people(f=(500, 1000), m=(510, 1000)), **COLUMNS, seed=1).ratios
    assert near.set_index(["metric", "class"]).loc[("GP", "1"), "four_fifths"] == "kept"


def test_sizes_are_in_table_and_terminal_and_the_largest_group_is_subtracted():
    found = classifiers.gaps(people(a=(9, 30), z=(1, 2)), **COLUMNS, seed=1)
    assert set(found.table["contrast"]) == {"z − a"}
    row = found.table[(found.table["metric"] == "TPR") & (found.table["class"] == "1")].iloc[0]
    assert (row["n"], row["n_reference"]) == (2, 30)
    line = next(line for line in repr(found).splitlines() if line.startswith("TPR     1"))
    assert line.split()[5:7] == ["2", "30"]
    equal = classifiers.count_predictions(people(a=(1, 2), b=(1, 2)), **COLUMNS)
    assert equal.reference == "b"


def test_every_pair_and_the_largest_gap():
    frame = people(a=(10, 40), b=(20, 40), c=(36, 40))
    found = classifiers.gaps(frame, **COLUMNS, seed=1)
    assert found.pairs["contrast"].unique().tolist() == ["a − c", "b − c", "a − b"]
    first = found.largest.set_index(["metric", "class"]).loc[("TPR", "1")]
    assert (first["contrast"], first["verdict"]) == ("a − c", "lower")
    # The largest gap is that of a and c if b is between them: by simulation of the posterior.
    rng = np.random.default_rng(2)
    a, b, c = (rng.beta(1 + s, 41 - s, 100_000) for s in (10, 20, 36))
    widest = np.abs([a - c, b - c, a - b]).argmax(axis=0) == 0
    assert abs(first["p_largest"] - widest.mean()) < 4 * np.sqrt(0.25 / 4000)
    two = classifiers.gaps(people(a=(1, 4), b=(3, 4)), **COLUMNS, seed=1)
    assert two.pairs is None
    assert two.largest is None


def test_measurements_are_cut_and_not_taken_for_groups():
    frame = pd.DataFrame({"y": [0, 1] * 40, "p": [0, 1, 1, 0] * 20, "g": range(20, 100)})
    with pytest.raises(PredictionsError, match=r"80 different numbers.*cut=\(46.0, 73.0\)"):
        classifiers.gaps(frame, **COLUMNS)
    found = classifiers.count_predictions(frame, **COLUMNS, cut=(46, 73))
    assert found.groups == ("below 46", "46 to below 73", "73 or more")
    assert found.counts.sum(axis=(1, 2)).tolist() == [26, 27, 27]
    codes = frame.assign(g=[i % 6 for i in range(80)])  # six codes are groups
    assert len(classifiers.count_predictions(codes, **COLUMNS).groups) == 6
    for bad in ((3, 1), (), ("x",), (float("nan"),)):
        with pytest.raises(PredictionsError, match="cut="):
            classifiers.count_predictions(frame, **COLUMNS, cut=bad)
    words = frame.assign(g=["a", "b"] * 40)
    with pytest.raises(PredictionsError, match="cut="):
        classifiers.count_predictions(words, **COLUMNS, cut=(1,))


def test_columns_are_crossed():
    frame = people(f=(3, 8), m=(6, 8)).assign(r=["n", "s"] * 8)
    chosen = {**COLUMNS, "group": ["g", "r"]}
    found = classifiers.count_predictions(frame, **chosen)
    assert found.groups == ("f, n", "f, s", "m, n", "m, s")
    assert found.counts.sum(axis=(1, 2)).tolist() == [4, 4, 4, 4]
    by_hand = frame.assign(both=frame["g"] + ", " + frame["r"])
    expected = classifiers.count_predictions(by_hand, **{**COLUMNS, "group": "both"})
    assert (found.counts == expected.counts).all()
    with pytest.raises(PredictionsError, match="each once"):
        classifiers.count_predictions(frame, **{**COLUMNS, "group": ["g", "g"]})


def test_commands_cross_and_cut(tmp_path, capsys):
    frame = people(f=(3, 20), m=(12, 20)).assign(age=[*range(20, 40), *range(30, 50)])
    frame.to_csv(tmp_path / "p.csv", index=False)
    given = ["classifier", "gaps", str(tmp_path / "p.csv"), "--true", "y", "--pred", "p"]
    assert main([*given, "--group", "age"]) == 2
    error = capsys.readouterr().err
    assert "--cut 31.0,38.0" in error
    assert "cut=" not in error
    assert (
        main([*given, "--group", "g", "--group", "age", "--cut", "35", "--out", f"{tmp_path}/o"])
        == 0
    )
    said = capsys.readouterr().out
    assert "f, 35 or more" in said
    assert "Largest gap of any two groups" in said
    for name in ("ratios", "pairs", "largest"):
        assert (tmp_path / "o" / f"{name}.csv").exists()
