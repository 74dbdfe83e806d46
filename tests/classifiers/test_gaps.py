"""Gaps of GP, TPR and PP: by hand, against exact posteriors, of few people, on real data."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from samples import shows_itself
from scipy.stats import beta, binom, fisher_exact

from bayesbias import classifiers
from bayesbias.classifiers.counts import METRICS
from bayesbias.classifiers.estimates import (
    beta_draws,
    dirichlet_draws,
    exact_intervals,
    fisher_tails,
)
from bayesbias.engine.intervals import interval_of
from bayesbias.errors import ArgumentError
from bayesbias.show.style import verdict_look

COLUMNS = {"true": "y", "predicted": "p", "group": "g"}
REAL = {"true": "y_true", "predicted": "y_pred_lr", "group": "gender", "reference": 0}
RATES = [0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]


def table(counts):
    """Rows from "group truth prediction how-many", apart by commas."""
    parts = [part.split() for part in counts.split(",")]
    return pd.DataFrame([c[:3] for c in parts for _ in range(int(c[3]))], columns=["g", "y", "p"])


def sure(**right):
    """Everybody is of class 1; of each group so many of so many are predicted it: ``f=(3, 4)``."""
    parts = (f"{group} 1 1 {s}, {group} 1 0 {n - s}" for group, (s, n) in right.items())
    return table(", ".join(parts))


def cells(result, label="1", metric="TPR"):
    """Return the rows of a metric and class, by contrast."""
    rows = result.table.query("metric == @metric and `class` == @label").set_index("contrast")
    return rows.iloc[0] if len(rows) == 1 else rows


def outcome(s, n, s_ref, n_ref, **options):
    """Return the row of TPR for s of n, against s_ref of n_ref."""
    chosen = {"classes": [0, 1], "reference": "b", "seed": 1, "draws": 1000, **options}
    return cells(classifiers.gaps(sure(a=(s, n), b=(s_ref, n_ref)), **COLUMNS, **chosen))


def rate_of(verdicts, n, n_ref):
    """Return the share of samples in which a verdict is true, by common rate: exact."""
    ways = [(binom.pmf(range(n + 1), n, p), binom.pmf(range(n_ref + 1), n_ref, p)) for p in RATES]
    return np.array([first @ verdicts @ second for first, second in ways])


@pytest.fixture(scope="module")
def people():
    """Nurses and surgeons, ten women and ten men."""
    women = "female nurse nurse 6, female nurse surgeon 1, female surgeon nurse 2"
    men = "male nurse nurse 1, male nurse surgeon 2, male surgeon surgeon 7"
    return table(f"{women}, female surgeon surgeon 1, {men}")


def test_gaps_counted_by_hand(people):
    result = classifiers.gaps(people, **COLUMNS, method="exact")
    values = result.table.set_index(["metric", "class"])["gap"]
    assert set(result.table["contrast"]) == {"female − male"}
    assert values["GP", "nurse"] == pytest.approx(8 / 10 - 1 / 10)
    assert values["TPR", "nurse"] == pytest.approx(6 / 7 - 1 / 3)
    assert values["PP", "nurse"] == pytest.approx(6 / 8 - 1 / 1)
    assert values["GP", "surgeon"] == pytest.approx(2 / 10 - 9 / 10)
    assert values["TPR", "surgeon"] == pytest.approx(1 / 3 - 7 / 7)
    assert values["PP", "surgeon"] == pytest.approx(1 / 2 - 7 / 9)
    assert not result.rates["reason"].any()
    assert "seed" not in shows_itself(result)["settings"]
    turned = classifiers.gaps(people, **COLUMNS, method="exact", reference="female")
    np.testing.assert_allclose(turned.table["gap"], -result.table["gap"])
    assert set(turned.table["contrast"]) == {"male − female"}
    opposite = result.disagreements().set_index("class")["opposite"]
    assert opposite["nurse"] == "GP against PP, TPR against PP"
    assert opposite["surgeon"] == ""


@pytest.mark.parametrize("method", ["exact", "beta"])
def test_an_empty_denominator_is_undefined_with_a_reason_and_never_0(method):
    """No male dj, and no woman is predicted one: fairlearn and others make gaps of these."""
    frame = table("female dj poet 2, female poet poet 3, male poet poet 3, male poet dj 1")
    chosen = {"reference": "male", "method": method, "draws": 50, "seed": 1}
    result = classifiers.gaps(frame, **COLUMNS, **chosen)
    rows = result.table.set_index(["metric", "class"])
    assert rows.loc[("TPR", "dj"), "reason"] == "nobody of group male is of class dj"
    assert rows.loc[("PP", "dj"), "reason"] == "nobody of group female was predicted dj"
    assert rows.loc[[("TPR", "dj"), ("PP", "dj")], "gap"].isna().all()
    assert rows.loc[("GP", "dj"), "gap"] == pytest.approx(-0.25)
    assert rows.loc[("GP", "dj"), "reason"] == ""
    assert (result.rates["reason"] != "").sum() == 2
    assert [r["gap"] for r in shows_itself(result)["table"] if r["reason"]] == [None, None]
    assert rows.loc[("TPR", "dj"), "verdict"] == "undefined"
    assert np.isnan(rows.loc[("TPR", "dj"), "low"])
    crosses = [line for line in result.plot().axes[1].lines if line.get_marker() == "x"]
    assert len(crosses) == 1


def test_intervals_on_opposite_sides_whatever_was_observed():
    """With few persons the observed gap may have another sign than the whole interval."""
    result = classifiers.gaps(
        table("f 1 1 9, f 0 1 1, f 0 0 5, m 1 1 5, m 1 0 5"), **COLUMNS, seed=1
    )
    ends, of_class = result.table.copy(), result.table["class"] == "1"
    for metric, *numbers in (
        ("GP", 0.1, 0.1, 0.2, "higher"),
        ("TPR", 0.1, -0.2, -0.1, "lower, size undecided"),
        ("PP", -0.1, -0.2, 0.1, "undecided"),
    ):
        columns = ["gap", "low", "high", "verdict"]
        ends.loc[of_class & (ends["metric"] == metric), columns] = numbers
    row = dataclasses.replace(result, table=ends).disagreements().set_index("class").loc["1"]
    assert row["opposite"] == "GP against PP, TPR against PP"
    assert row["opposite_surely"] == "GP against TPR"


def test_beta_draws_have_the_exact_posterior():
    """Means and variances of Beta(a + s, b + n − s), to Monte Carlo error."""
    s, n = np.array([0, 3, 40]), np.array([0, 5, 41])
    a, b = 0.5, 2.0
    draws = beta_draws(s, n, prior=(a, b), draws=40_000, rng=np.random.default_rng(1))
    mean = (a + s) / (a + b + n)
    variance = mean * (1 - mean) / (a + b + n + 1)
    np.testing.assert_array_less(np.abs(draws.mean(0) - mean), 4 * np.sqrt(variance / 40_000))
    np.testing.assert_allclose(draws.var(0), variance, rtol=0.06)


def test_the_interval_of_a_gap_is_that_of_its_exact_posterior(people):
    """P(rate of women > rate of men) by quadrature over Beta densities."""
    result = classifiers.gaps(people, **COLUMNS, method="beta", draws=40_000, seed=3, rope=0.1)
    row = result.table.set_index(["metric", "class"]).loc[("TPR", "nurse")]
    x = (np.arange(20_000) + 0.5) / 20_000
    women, men = beta(1 + 6, 1 + 1), beta(1 + 1, 1 + 2)
    above = (women.pdf(x) * men.cdf(x)).mean()
    above_rope = (women.pdf(x) * men.cdf(x - 0.1)).mean()
    assert row["p_above_zero"] == pytest.approx(above, abs=4 * np.sqrt(above * (1 - above) / 4e4))
    assert row["above_rope"] == pytest.approx(above_rope, abs=0.01)
    assert row["mean"] == pytest.approx(women.mean() - men.mean(), abs=0.005)
    assert row[["below_rope", "inside_rope", "above_rope"]].sum() == pytest.approx(1)


def test_aggregated_counts_are_persons(people):
    """A row per combination of labels, with how many it stands for, is the table of all."""
    counts = people.groupby(["g", "y", "p"]).size().rename("n").reset_index()
    options = {**COLUMNS, "seed": 1}
    whole = classifiers.gaps(people, **options)
    for frame in (counts, counts.assign(n=counts["n"].astype(str))):  # as a file has them
        weighted = classifiers.gaps(frame, **options, weights="n")
        pd.testing.assert_frame_equal(weighted.table, whole.table)
        pd.testing.assert_frame_equal(weighted.rates, whole.rates)


def test_survey_weights_have_kishs_effective_size():
    """Of women 2 of 4 with weights 1, 3, 2, 2 are predicted: 4/8 of an effective 64/18 = 3.56."""
    women = pd.DataFrame({"g": "f", "y": 1, "p": [1, 1, 0, 0], "w": [1.0, 3.0, 2.0, 2.0]})
    men = pd.DataFrame({"g": "m", "y": 1, "p": [1, 0, 0, 0, 0], "w": 0.5})
    frame = pd.concat([women, men], ignore_index=True)
    options = {**COLUMNS, "weights": "w", "survey": True, "reference": "m", "seed": 1}
    options["classes"] = [0, 1]
    result = classifiers.gaps(frame, **options)
    row = result.table.set_index(["metric", "class"]).loc[("TPR", "1")]
    assert row["gap"] == pytest.approx(4 / 8 - 1 / 5)
    assert (row["n"], row["n_reference"]) == pytest.approx((64 / 18, 5))
    n, tail = 64 / 18, (1 - 0.89**0.5) / 2
    exact = classifiers.gaps(frame, **options, method="exact").table
    low = exact.set_index(["metric", "class"]).loc[("TPR", "1"), "low"]
    least, most = beta.ppf(tail, n / 2, n / 2 + 1), beta.ppf(1 - tail, 2, 4)  # Korn and Graubard
    assert low == pytest.approx(least - most)
    # The unit of the weights says nothing of how many were asked.
    pd.testing.assert_frame_equal(
        classifiers.gaps(frame.assign(w=10 * frame["w"]), **options).table, result.table
    )


def test_settings_reach_every_number(people):
    chosen = {"rope": 0.3, "prob": 0.5, "draws": 500}
    result, again = (classifiers.gaps(people, **COLUMNS, **chosen, seed=9) for _ in range(2))
    assert (result.table["rope"] == 0.3).all()
    assert (result.table["prob"] == 0.5).all()
    how = {"method": "beta", "weights": None, "survey": False, "draws": 500, "seed": 9}
    assert result.settings == how
    pd.testing.assert_frame_equal(result.table, again.table)
    wide = classifiers.gaps(people, **COLUMNS, prob=0.95, seed=9)
    width = lambda g: (g.table["high"] - g.table["low"]).mean()  # noqa: E731
    assert width(wide) > 1.5 * width(result)


def test_shares_of_classes_have_a_joint_posterior():
    """Beta(1, 1) for each of 28 classes expected 28 / 2 predictions a person."""
    rng = np.random.default_rng(1)
    counts = rng.multinomial(60, rng.dirichlet(np.full(28, 0.5)), size=2)
    shares = dirichlet_draws(counts, prior=0.5, draws=20_000, rng=rng)
    np.testing.assert_allclose(shares.sum(axis=-1), 1)
    alpha = 0.5 + counts
    total = alpha.sum(axis=-1, keepdims=True)
    mean = alpha / total
    sd = np.sqrt(mean * (1 - mean) / (total + 1))
    np.testing.assert_array_less(np.abs(shares.mean(0) - mean), 4.5 * sd / np.sqrt(20_000))
    np.testing.assert_allclose(shares.std(0), sd, rtol=0.1)
    classes = np.concatenate([np.repeat(np.arange(28), row) for row in counts])
    people = pd.DataFrame({"g": np.repeat(["f", "m"], 60), "p": classes, "y": classes})
    result = classifiers.gaps(people, **COLUMNS, classes=range(28), seed=1)
    part = result.table[result.table["metric"] == "GP"]
    assert part["mean"].sum() == pytest.approx(0, abs=1e-12)


def test_gaps_of_shares_over_many_classes_have_nominal_coverage():
    """28 classes, 25 persons a group: separate Beta(1, 1) intervals are too wide."""
    rng = np.random.default_rng(1)
    runs = 150
    shares = rng.dirichlet(60 * rng.dirichlet(np.full(28, 0.7)), size=2)
    true = np.tile(shares[0] - shares[1], runs)
    counts = np.stack([rng.multinomial(25, p, size=runs) for p in shares], axis=1)
    joint = dirichlet_draws(counts, prior=0.5, draws=500, rng=rng)
    separate = beta_draws(counts, np.full_like(counts, 25), prior=(1, 1), draws=500, rng=rng)
    narrow, wide = (
        interval_of(d[:, :, 0] - d[:, :, 1], 0.89, "hdi").reshape(-1, 2) for d in (joint, separate)
    )
    covered, too_often = (((e[:, 0] <= true) & (true <= e[:, 1])).mean() for e in (narrow, wide))
    assert 0.87 < covered < 0.95
    assert too_often > 0.96
    assert np.ptp(narrow, axis=1).mean() < 0.65 * np.ptp(wide, axis=1).mean()


def test_verdicts_use_words_for_rates():
    frame = table("a 1 1 500, b 1 1 250, b 1 0 250, c 1 1 501")
    rows = cells(classifiers.gaps(frame, **COLUMNS, reference="c", seed=1))
    assert all(map(verdict_look, rows["verdict"]))
    expected = {"a − c": "practically equal", "b − c": "lower", "a − b": "higher"}
    assert rows["verdict"].to_dict() == expected


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"method": "betta"}, "did you mean 'beta'"),
        ({"rope": -0.1}, "rope=-0.1: must be a difference of rates"),
        ({"draws": 1}, "draws=1"),
    ],
)
def test_arguments_out_of_range(people, options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        classifiers.gaps(people, **COLUMNS, **options)


@pytest.mark.parametrize(("n", "n_ref"), [(1, 1), (2, 2), (3, 3), (5, 5), (1, 20), (3, 12), (7, 7)])
def test_equal_rates_are_called_different_in_no_more_than_announced(n, n_ref):
    rows = [[outcome(s, n, t, n_ref) for t in range(n_ref + 1)] for s in range(n + 1)]
    differ = [[row["verdict"].startswith(("lower", "higher")) for row in line] for line in rows]
    assert rate_of(np.array(differ), n, n_ref).max() <= 0.11
    if n == n_ref == 3:  # what the interval alone says: the test can fail
        excluded = [[row["low"] > 0 or row["high"] < 0 for row in line] for line in rows]
        assert rate_of(np.array(excluded), n, n_ref).max() > 0.15


def test_the_test_holds_its_rate_for_every_pair_of_sizes_to_20_and_beyond():
    for n in range(1, 21):
        for n_ref in (*range(n, 21), 200, 2000):
            s, t = np.meshgrid(np.arange(n + 1), np.arange(n_ref + 1), indexing="ij")
            differ = (fisher_tails(s, n, t, n_ref) <= 0.055).any(axis=-1)
            assert rate_of(differ, n, n_ref).max() <= 0.11


def test_tails_are_those_of_scipys_test():
    for s, n, t, m in ((3, 3, 0, 3), (0, 1, 5, 9), (7, 20, 15, 20), (4, 4, 4, 4)):
        table = [[s, n - s], [t, m - t]]
        expected = [fisher_exact(table, alternative=side).pvalue for side in ("less", "greater")]
        np.testing.assert_allclose(fisher_tails(s, n, t, m), expected, rtol=1e-9)


def test_exact_intervals_by_hand():
    """0 of n has the bound 1 − tail^(1/n); all of n its mirror image."""
    low, high = exact_intervals(0, 10, 5, 5, prob=0.81)
    tail = (1 - 0.9) / 2
    assert low == pytest.approx(0 - 1)
    assert high == pytest.approx(1 - tail ** (1 / 10) - tail ** (1 / 5))
    turned = exact_intervals(5, 5, 0, 10, prob=0.81)
    np.testing.assert_allclose(turned, [-high, -low])
    row = outcome(30, 40, 10, 40, method="exact")
    assert row["verdict"] == "higher"
    ends = row[["low", "high"]].astype(float)
    np.testing.assert_allclose(ends, exact_intervals(30, 40, 10, 40, prob=0.89))
    assert outcome(3, 3, 0, 3, method="exact")["verdict"] == "undecided"


@pytest.mark.parametrize(("n", "n_ref"), [(1, 1), (3, 12), (10, 10), (20, 5), (40, 40)])
@pytest.mark.parametrize("prob", [0.5, 0.89])
def test_exact_intervals_hold_every_pair_of_rates(n, n_ref, prob):
    """Coverage over all outcomes, exactly."""
    s, t = np.meshgrid(np.arange(n + 1), np.arange(n_ref + 1), indexing="ij")
    low, high = np.moveaxis(exact_intervals(s, n, t, n_ref, prob=prob), -1, 0)
    for p in RATES:
        for q in RATES:
            inside = (low <= p - q) & (p - q <= high)
            weights = np.outer(binom.pmf(range(n + 1), n, p), binom.pmf(range(n_ref + 1), n_ref, q))
            assert (weights * inside).sum() >= prob


@pytest.mark.parametrize(
    ("first", "second", "prob", "verdict"),
    [
        ((1, 1), (0, 1), 0.89, "undecided"),
        ((1, 1), (0, 40), 0.89, "undecided"),  # a group of one, whatever the other is
        ((3, 3), (0, 3), 0.89, "higher"),
        ((3, 3), (0, 3), 0.95, "undecided"),  # p = .05 is above .025
        ((2, 3), (0, 3), 0.89, "undecided"),
        ((30, 40), (10, 40), 0.89, "higher"),
        ((10, 40), (30, 40), 0.89, "lower"),
    ],
)
def test_verdicts_of_few(first, second, prob, verdict):
    row = outcome(*first, *second, prob=prob)
    assert row["verdict"] == verdict
    if first == (3, 3):
        assert row["fisher_p"] == pytest.approx(0.05)


def test_every_pair_of_groups_and_the_largest_is_subtracted_first():
    result = classifiers.gaps(sure(a=(10, 40), b=(20, 40), c=(36, 40)), **COLUMNS, seed=1)
    rows = cells(result)
    assert rows.index.tolist() == ["a − c", "b − c", "a − b"]
    assert rows["gap"].tolist() == pytest.approx([-0.65, -0.4, -0.25])
    assert rows.loc["a − c", "verdict"] == "lower"
    assert rows.loc["a − b", "low"] == pytest.approx(outcome(10, 40, 20, 40)["low"], abs=0.02)
    assert len(result.plot().axes[0].get_yticklabels()) == 4  # those with the reference
    row = cells(classifiers.gaps(sure(a=(9, 30), z=(1, 2)), **COLUMNS, seed=1))
    assert (row.name, row["n"], row["n_reference"]) == ("z − a", 2, 30)
    assert classifiers.count_predictions(sure(a=(1, 2), b=(1, 2)), **COLUMNS).reference == "b"


@pytest.fixture(scope="module")
def real(data):
    return pd.read_csv(data / "fairness/biasbios_test_predictions.csv.gz")


@pytest.mark.parametrize("classifier", ["lr", "bert"])
def test_published_gaps_of_real_predictions(data, real, classifier):
    """Every gap of the summary that came with the predictions, both classifiers."""
    expected = pd.read_csv(data / "fairness/biasbios_occupations.csv").set_index("label")
    columns = REAL | {"predicted": f"y_pred_{classifier}"}
    result = classifiers.gaps(real, **columns, method="exact")
    assert set(result.table["contrast"]) == {"1 − 0"}
    for metric in METRICS:
        part = result.table[result.table["metric"] == metric].set_index("class")["gap"]
        column = expected[f"{metric}_gap_F_minus_M_{classifier}"]
        np.testing.assert_allclose(part[column.index.astype(str)], column, atol=5.1e-6)
