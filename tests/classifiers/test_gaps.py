"""Gaps of GP, TPR and PP: counted by hand, against exact posteriors, on real predictions."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from samples import ROOT, SEED

from bayesbias import classifiers
from bayesbias.classifiers import hierarchical
from bayesbias.classifiers.hierarchical import build_gap_model, centred_metrics, hierarchical_draws
from bayesbias.classifiers.rates import METRICS, beta_draws, bootstrap_draws, dirichlet_draws
from bayesbias.errors import ArgumentError, ConvergenceWarning, ModelError, PredictionsError
from bayesbias.inference.diagnostics import ChainDiagnostics
from bayesbias.inference.intervals import interval_of
from bayesbias.inference.model_files import list_models
from bayesbias.inference.nuts import NutsSettings
from bayesbias.inference.priors import Prior
from bayesbias.support.figure_style import LOOKS

COLUMNS = {"true": "y", "predicted": "p", "group": "g"}
REAL = {"true": "y_true", "predicted": "y_pred_lr", "group": "gender", "reference": 0}
POOLED = {"method": "hierarchical"}
SMALL = np.array([[[5, 1, 0], [2, 0, 0]]]), np.array([[[7, 2, 0], [8, 3, 1]]])
"""Successes and trials of three classes, of which one is nearly empty and one lacks a group."""
NAMED = {"classes": ("a", "b", "c"), "groups": ("f", "m")}
PLAIN = np.array([[False], [False]])


def table(counts):
    """Rows from "group truth prediction how-many", apart by commas."""
    cells = [one.split() for one in counts.split(",")]
    return pd.DataFrame([c[:3] for c in cells for _ in range(int(c[3]))], columns=["g", "y", "p"])


@pytest.fixture(scope="module")
def people():
    """Nurses and surgeons, ten women and ten men."""
    women = "female nurse nurse 6, female nurse surgeon 1, female surgeon nurse 2"
    men = "male nurse nurse 1, male nurse surgeon 2, male surgeon surgeon 7"
    return table(f"{women}, female surgeon surgeon 1, {men}")


def test_gaps_counted_by_hand(people):
    found = classifiers.gaps(people, **COLUMNS, method="point")
    values = found.table.set_index(["metric", "class"])["gap"]
    assert set(found.table["contrast"]) == {"female − male"}
    assert values["GP", "nurse"] == pytest.approx(8 / 10 - 1 / 10)
    assert values["TPR", "nurse"] == pytest.approx(6 / 7 - 1 / 3)
    assert values["PP", "nurse"] == pytest.approx(6 / 8 - 1 / 1)
    assert values["GP", "surgeon"] == pytest.approx(2 / 10 - 9 / 10)
    assert values["TPR", "surgeon"] == pytest.approx(1 / 3 - 7 / 7)
    assert values["PP", "surgeon"] == pytest.approx(1 / 2 - 7 / 9)
    assert found.undefined.empty
    assert found.seed is None
    turned = classifiers.gaps(people, **COLUMNS, method="point", reference="female")
    np.testing.assert_allclose(turned.table["gap"], -found.table["gap"])
    assert set(turned.table["contrast"]) == {"male − female"}
    opposite = found.disagreements().set_index("class")["opposite"]
    assert opposite["nurse"] == "GP against PP, TPR against PP"
    assert opposite["surgeon"] == ""


@pytest.mark.parametrize("method", ["point", "beta", "bootstrap"])
def test_an_empty_denominator_is_undefined_with_a_reason_and_never_0(method):
    """No male dj, and no woman is predicted one: fairlearn and others make gaps of these."""
    frame = table("female dj poet 2, female poet poet 3, male poet poet 3, male poet dj 1")
    chosen = {"reference": "male", "method": method, "draws": 50, "seed": 1}
    found = classifiers.gaps(frame, **COLUMNS, **chosen)
    rows = found.table.set_index(["metric", "class"])
    assert rows.loc[("TPR", "dj"), "reason"] == "nobody of group male is of class dj"
    assert rows.loc[("PP", "dj"), "reason"] == "nobody of group female was predicted dj"
    assert rows.loc[[("TPR", "dj"), ("PP", "dj")], "gap"].isna().all()
    assert rows.loc[("GP", "dj"), "gap"] == pytest.approx(-0.25)
    assert rows.loc[("GP", "dj"), "reason"] == ""
    assert len(found.undefined) == 2
    assert "undefined: TPR of class dj: nobody of group male is of class dj" in repr(found)
    assert [r["gap"] for r in found.to_dict()["gaps"] if r["reason"]] == [None, None]
    if method != "point":
        bad = rows.loc[("TPR", "dj")]
        assert bad["verdict"] == "undefined"
        assert np.isnan(bad["low"])
    crosses = [line for line in found.plot().axes[1].lines if line.get_marker() == "x"]
    assert len(crosses) == 1


def test_intervals_on_opposite_sides_are_told_whatever_was_observed():
    """With few persons the observed gap may have another sign than the whole interval."""
    found = classifiers.gaps(
        table("f 1 1 9, f 0 1 1, f 0 0 5, m 1 1 5, m 1 0 5"), **COLUMNS, seed=1
    )
    ends, of_class = found.table.copy(), found.table["class"] == "1"
    for metric, *numbers in (
        ("GP", 0.1, 0.1, 0.2, "higher"),
        ("TPR", 0.1, -0.2, -0.1, "lower, size undecided"),
        ("PP", -0.1, -0.2, 0.1, "undecided"),
    ):
        columns = ["gap", "low", "high", "verdict"]
        ends.loc[of_class & (ends["metric"] == metric), columns] = numbers
    told = dataclasses.replace(found, table=ends).disagreements().set_index("class").loc["1"]
    assert told["opposite"] == "GP against PP, TPR against PP"
    assert told["opposite_surely"] == "GP against TPR"


def test_more_than_two_groups():
    frame = table("a 1 1 3, a 0 0 1, b 1 1 1, b 1 0 1, c 1 0 2, c 0 1 2")
    found = classifiers.gaps(frame, **COLUMNS, method="beta", reference="a", seed=1)
    assert found.table["contrast"].unique().tolist() == ["b − a", "c − a"]
    values = found.table.set_index(["metric", "class", "group"])["gap"]
    assert values["TPR", "1", "b"] == pytest.approx(1 / 2 - 1)
    assert values["TPR", "1", "c"] == pytest.approx(0 - 1)
    assert len(found.table) == 3 * 2 * 2
    assert len(found.plot().axes[0].get_yticklabels()) == 4


def test_beta_draws_have_the_exact_posterior():
    """Means and variances of Beta(a + s, b + n − s), to Monte Carlo error."""
    s, n = np.array([0, 3, 40]), np.array([0, 5, 41])
    a, b = 0.5, 2.0
    draws = beta_draws(s, n, prior=(a, b), draws=40_000, rng=np.random.default_rng(1))
    alpha, beta = a + s, b + n - s
    mean = alpha / (alpha + beta)
    variance = mean * (1 - mean) / (alpha + beta + 1)
    np.testing.assert_array_less(np.abs(draws.mean(0) - mean), 4 * np.sqrt(variance / 40_000))
    np.testing.assert_allclose(draws.var(0), variance, rtol=0.06)


def test_the_interval_of_a_gap_is_that_of_its_exact_posterior(people):
    """P(rate of women > rate of men) by quadrature over Beta densities."""
    from scipy.stats import beta

    found = classifiers.gaps(people, **COLUMNS, method="beta", draws=40_000, seed=3, rope=0.1)
    row = found.table.set_index(["metric", "class"]).loc[("TPR", "nurse")]
    x = (np.arange(20_000) + 0.5) / 20_000
    women, men = beta(1 + 6, 1 + 1), beta(1 + 1, 1 + 2)
    above = (women.pdf(x) * men.cdf(x)).mean()
    above_rope = (women.pdf(x) * men.cdf(x - 0.1)).mean()
    assert row["p_above_zero"] == pytest.approx(above, abs=4 * np.sqrt(above * (1 - above) / 4e4))
    assert row["above_rope"] == pytest.approx(above_rope, abs=0.01)
    assert row["mean"] == pytest.approx(women.mean() - men.mean(), abs=0.005)
    assert row[["below_rope", "inside_rope", "above_rope"]].sum() == pytest.approx(1)


def test_the_bootstrap_resamples_persons_within_groups(people):
    """Means and spreads of the resampled rates are those of binomial sampling."""
    counted = classifiers.count_predictions(people, **COLUMNS)
    draws = bootstrap_draws(counted.counts, draws=20_000, rng=np.random.default_rng(1))
    assert draws.shape == (20_000, 3, 2, 2)
    gp = draws[:, 0, 0, 0]  # women predicted nurse: 8 of 10, and ten are drawn every time
    assert gp.mean() == pytest.approx(0.8, abs=4 * np.sqrt(0.016 / 20_000))
    assert gp.var() == pytest.approx(0.8 * 0.2 / 10, rel=0.05)
    empty = np.isnan(draws[:, 2, 1, 0]).mean()  # PP of men: nobody of ten is the one nurse
    assert empty == pytest.approx(0.9**10, abs=0.02)
    found = classifiers.gaps(people, **COLUMNS, method="bootstrap", draws=2000, seed=1)
    row = found.table.set_index(["metric", "class"]).loc[("PP", "nurse")]
    assert row["undefined_draws"] == pytest.approx(0.9**10, abs=0.05)
    assert "their intervals rest on the other samples" in repr(found)
    assert found.interval == "percentile"
    assert "89% bootstrap percentile interval" in found.caption


def test_settings_reach_every_number(people):
    chosen = {"prior": (0.5, 0.5), "rope": 0.3, "prob": 0.5, "interval": "eti", "draws": 500}
    found, again = (classifiers.gaps(people, **COLUMNS, **chosen, seed=9) for _ in range(2))
    assert (found.table["rope"] == 0.3).all()
    assert (found.table["prob"] == 0.5).all()
    priors = {"prior": "Beta(0.5, 0.5)", "class_prior": "Dirichlet(0.5)"}
    assert found.details == {"draws": 500, **priors}
    assert "50% equal-tailed interval" in repr(found)
    assert "±0.3" in found.caption
    pd.testing.assert_frame_equal(found.table, again.table)
    wide = classifiers.gaps(people, **COLUMNS, prob=0.95, seed=9)
    width = lambda g: (g.table["high"] - g.table["low"]).mean()  # noqa: E731
    assert width(wide) > 1.5 * width(found)


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
    found = classifiers.gaps(people, **COLUMNS, classes=range(28), seed=1)
    part = found.table[found.table["metric"] == "GP"]
    assert part["mean"].sum() == pytest.approx(0, abs=1e-12)
    few = dirichlet_draws(np.zeros((1, 40), int), prior=1e-4, draws=50, rng=rng)
    assert few.sum(-1) == pytest.approx(1)


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
        interval_of(d[:, :, 0] - d[:, :, 1], 0.89, "hpdi").reshape(-1, 2) for d in (joint, separate)
    )
    covered, too_often = (((e[:, 0] <= true) & (true <= e[:, 1])).mean() for e in (narrow, wide))
    assert 0.87 < covered < 0.95
    assert too_often > 0.96
    assert np.ptp(narrow, axis=1).mean() < 0.65 * np.ptp(wide, axis=1).mean()


def test_effects_on_a_line_are_not_written_centred():
    """Gaps that differ by the covariate alone have no deviations left to be centred around."""
    x = np.linspace(-1.7, 1.7, 12)
    rate = 1 / (1 + np.exp(-np.array([[0.6], [-0.6]]) * x))
    trials = np.full((1, 2, 12), 400)
    successes = np.round(trials * rate).astype(int)
    assert centred_metrics(successes, trials).tolist() == [[False], [True]]
    assert centred_metrics(successes, trials, x[:, None]).tolist() == [[False], [False]]


def log_density(model, place, **options):
    return float(model.compile_logp(mode="FAST_COMPILE", **options)(place))


def test_covariates_shift_classes_and_gaps_by_their_slopes():
    """Effects that are moved by slope × covariate have the likelihood of the model without one."""
    x = np.array([[-1.1, 0.3], [0.2, -0.9], [0.9, 0.6]])
    spec = classifiers.load_gap_model("gaps")
    plain, tilted = (
        build_gap_model(*SMALL, spec, covariates=given, centred=PLAIN, **NAMED)
        for given in (None, x)
    )
    rng = np.random.default_rng(2)
    point = {k: rng.normal(0, 0.5, v.shape) for k, v in tilted.initial_point().items()}
    slopes = {k: point[k] for k in ("class_slope", "group_contrast_slope")}
    moved = {k: v.copy() for k, v in point.items() if k not in slopes}
    class_sd, deviation_sd = (np.exp(point[f"{k}_log__"]) for k in ("class_sd", "deviation_sd"))
    moved["class_raw"] += slopes["class_slope"] @ x.T / class_sd[:, None]
    shift = np.einsum("kc,mcg->mkg", x, slopes["group_contrast_slope"])
    moved["deviation_raw"] += shift / deviation_sd[:, None, None]
    assert np.abs(shift).max() > 0.1
    with_slopes, without = (
        log_density(model, place, vars=model.observed_RVs)
        for model, place in ((tilted, point), (plain, moved))
    )
    assert with_slopes == pytest.approx(without, abs=1e-8)


@pytest.mark.sampling
@pytest.mark.slow
def test_covariates_take_the_place_of_a_common_mean():
    """Gaps that are a line in the covariate: its slope is found, and a rare class follows it."""
    rng = np.random.default_rng(1)
    x = np.linspace(-1.7, 1.7, 12)
    logit = 0.2 + np.array([[0.6], [-0.6]]) * x  # the gap's slope is 1.2
    trials = np.full((1, 2, 12), 400)
    trials[0, :, 11] = 2
    successes = rng.binomial(trials[0], 1 / (1 + np.exp(-logit)))[None]
    settings = NutsSettings(draws=5000, tune=1000, chains=4, target_accept=0.95)
    options = {"classes": tuple(map(str, range(12))), "groups": ("f", "m"), "settings": settings}
    options |= {"seed": 1 + SEED, "progress": False}
    spec = classifiers.load_gap_model("gaps")
    draws, slopes, diagnostics = hierarchical_draws(
        successes, trials, spec, covariates=x[:, None] / x.std(ddof=1), **options
    )
    assert diagnostics.problems == ()
    slope = (slopes[:, 0, 0, 0] - slopes[:, 0, 0, 1]) / x.std(ddof=1)
    assert abs(slope.mean() - 1.2) < 3 * slope.std()
    assert slope.std() < 0.2
    gap = draws[:, 0, 0, 11] - draws[:, 0, 1, 11]
    true = 1 / (1 + np.exp(-logit[:, 11]))
    assert abs(gap.mean() - (true[0] - true[1])) < 0.1
    lacking = {k: v for k, v in spec.priors.items() if k != "covariate_effect"}
    own = classifiers.GapSpec("own", "", lacking)
    with pytest.raises(ModelError, match="lack 'covariate_effect'"):
        hierarchical_draws(successes, trials, own, covariates=x[:, None], **options)


def test_verdicts_use_words_for_rates():
    frame = table("a 1 1 500, b 1 1 250, b 1 0 250, c 1 1 501")
    for reference, expected in (
        ("c", {"b": "lower", "a": "practically equal"}),
        ("b", {"a": "higher"}),
    ):
        found = classifiers.gaps(frame, **COLUMNS, reference=reference, seed=1).table
        words = found[(found["metric"] == "TPR") & (found["class"] == "1")].set_index("group")
        assert set(words["verdict"]) <= set(LOOKS)
        assert words["verdict"][list(expected)].to_dict() == expected


@pytest.mark.parametrize(
    ("change", "options", "complaint"),
    [
        ({}, {"true": "yy"}, "true='yy': no such column; did you mean 'y'"),
        ({"g": "male"}, {}, "has one group only, 'male'; a gap needs two"),
        ({}, {"reference": "mail"}, "reference='mail': no such group .*did you mean 'male'"),
        ({}, {"classes": ["nurse"]}, "'surgeon' in row 7 .*is not one of the classes"),
        ({}, {"classes": ["nurse", "nurse", "surgeon"]}, "each class once"),
        ({"y": None}, {}, "column 'y': row 0 is missing .*20 in all"),
        ({}, {"covariates": {"nurse": 1.0}, **POOLED}, "no row for class 'surgeon'"),
        (
            {},
            {"covariates": pd.Series([1, 2, 3], ["nurse", "surgeon", "nurse"]), **POOLED},
            "a class occurs twice",
        ),
    ],
)
def test_bad_tables(people, change, options, complaint):
    with pytest.raises(PredictionsError, match=complaint):
        classifiers.gaps(people.assign(**change), **{**COLUMNS, **options})


def test_a_table_without_rows(people):
    with pytest.raises(PredictionsError, match="no rows"):
        classifiers.gaps(people.head(0), **COLUMNS)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"method": "betta"}, "did you mean 'beta'"),
        ({"rope": -0.1}, "rope=-0.1: must be a difference of rates"),
        ({"prob": 1.5}, "prob=1.5"),
        ({"interval": "hdi"}, "interval='hdi'"),
        ({"draws": 1}, "draws=1"),
        ({"prior": (0, 1)}, "prior="),
        ({"prior": 3}, "prior=3"),
        ({"method": "bootstrap", "draws": 2.5}, "draws=2.5"),
        ({"method": "hierarchical", "nuts": {"warmup": 5}}, "nuts: unknown 'warmup'"),
        ({"seed": -1}, "seed=-1"),
        ({"class_prior": 0}, "class_prior=0"),
        ({"class_prior": "flat"}, "class_prior='flat'"),
        ({"covariates": {"nurse": 1, "surgeon": 2}}, "only method='hierarchical'"),
        ({"covariates": {"nurse": 1, "surgeon": 1}, **POOLED}, "must be finite"),
        ({"covariates": {"nurse": "x", "surgeon": 1}, **POOLED}, "must be numbers"),
    ],
)
def test_arguments_out_of_range(people, options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        classifiers.gaps(people, **COLUMNS, **options)


def test_the_model_is_a_file_of_its_own(tmp_path):
    assert "gaps" not in list_models()
    spec = classifiers.load_gap_model("gaps")
    text = (ROOT / "models/classifiers/gaps.toml").read_text()
    own = tmp_path / "own.toml"
    own.write_text(text.replace("rate = 1.0", "rate = 3.0"))
    changed = classifiers.load_gap_model(own)
    assert changed.priors["class_sd"].rate == 3.0
    assert changed.id != spec.id
    assert classifiers.load_gap_model(changed) is changed
    mean = 'class_mean = { distribution = "normal", mean = 0.0, sd = 2.5 }'
    for old, new, complaint in (
        ("class_sd", "clas_sd", "did you mean 'class_sd'"),
        ("mean = 0.0, sd = 0.5", "mean = 1.0, sd = 0.5", "must have mean 0"),
        ("[priors]", "pooling = 'none'\n[priors]", "pooling: unknown key"),
        (mean, "", "lacks 'class_mean'"),
    ):
        own.write_text(text.replace(old, new))
        with pytest.raises(ModelError, match=complaint):
            classifiers.load_gap_model(own)
    with pytest.raises(ModelError, match="did you mean 'gaps'"):
        classifiers.load_gap_model("gap")
    with pytest.raises(ModelError, match="must be a positive"):
        spec.replace(priors={"class_sd": Prior("normal", mean=0.0, sd=1.0)})


def by_importance(successes, trials, spec, size, rng):
    """Draw rates from the prior that the specification states and weigh them by likelihood."""
    n_groups, n_classes = trials.shape
    draw = {
        name: prior.draw(rng, (size, 1, 1))
        for name, prior in spec.priors.items()
        if name != "group_effect"
    }
    centred = lambda x: x - x.mean(axis=1, keepdims=True)  # noqa: E731
    of_class = draw["class_mean"] + draw["class_sd"] * rng.standard_normal((size, 1, n_classes))
    of_group = centred(spec.priors["group_effect"].draw(rng, (size, n_groups, 1)))
    deviation = draw["deviation_sd"] * centred(rng.standard_normal((size, n_groups, n_classes)))
    logit = of_class + of_group + deviation
    log_rate, log_rest = -np.logaddexp(0, -logit), -np.logaddexp(0, logit)
    weight = (successes * log_rate + (trials - successes) * log_rest).sum(axis=(1, 2))
    weight = np.exp(weight - weight.max())
    return 1 / (1 + np.exp(-logit)), weight / weight.sum()


@pytest.mark.slow
@pytest.mark.sampling
def test_the_sampler_finds_the_posterior_that_importance_sampling_finds():
    """Pooling has to work."""
    spec = classifiers.load_gap_model("gaps")
    settings = NutsSettings(draws=2000, tune=1000, chains=4, target_accept=0.95)
    options = {**NAMED, "settings": settings, "seed": 1 + SEED, "progress": False}
    draws, slopes, diagnostics = hierarchical_draws(*SMALL, spec, **options)
    assert slopes is None
    assert diagnostics.problems == ()
    broken = dataclasses.replace(diagnostics, divergences=2)
    assert "nuts={'target_accept'" in broken.sentence  # an argument that `gaps` has
    (successes,), (trials,) = SMALL
    rates, weight = by_importance(successes, trials, spec, 400_000, np.random.default_rng(1))
    effective = 1 / (weight**2).sum()
    assert effective > 5000
    exact = np.concatenate([rates.reshape(len(rates), -1), rates[:, 0] - rates[:, 1]], axis=1)
    drawn = draws[:, 0]
    sample = np.concatenate([drawn.reshape(len(drawn), -1), drawn[:, 0] - drawn[:, 1]], axis=1)
    mean = weight @ exact
    sd = np.sqrt(weight @ (exact - mean) ** 2)
    # Both are Monte Carlo: 2,000 effective draws of the chains at the least.
    error = sd * np.sqrt(1 / effective + 1 / 2000)
    np.testing.assert_array_less(np.abs(sample.mean(0) - mean), 4 * error)
    np.testing.assert_allclose(sample.std(0), sd, rtol=0.08)


def test_hierarchical_draws_become_gaps_and_slopes(people, monkeypatch):
    """Draws of known spread in the sampler's place: every number comes from the right cells."""
    shift = np.arange(12).reshape(3, 2, 2) / 100

    def fake(successes, trials, spec, *, classes, groups, settings, seed, progress, covariates):
        assert (classes, groups) == (("nurse", "surgeon"), ("female", "male"))
        assert (settings.draws, settings.chains, settings.target_accept) == (300, 3, 0.9)
        rng, slopes = np.random.default_rng(seed), None
        draws = rng.normal(0.5, 0.01, (900, 1, 1, 1)) + shift
        if covariates is not None:  # standardised, in the order of the classes
            np.testing.assert_allclose(covariates, [[-np.sqrt(0.5)], [np.sqrt(0.5)]])
            slopes = rng.normal([0.5, 0.2], 0.01, (900, 3, 1, 2))
        return draws, slopes, ChainDiagnostics(2, 1.0, 900.0, 900.0, "rate", 900, 3)

    monkeypatch.setattr(hierarchical, "hierarchical_draws", fake)
    options = {"method": "hierarchical", "draws": 300, "nuts": {"chains": 3}, "seed": 4}
    share = pd.DataFrame({"women": [-20.0, -80.0, -3.0]}, index=["surgeon", "nurse", "other"])
    for covariates in (None, share):
        with pytest.warns(ConvergenceWarning, match="2 of 900 draws were divergent"):
            found = classifiers.gaps(
                people, **COLUMNS, **options, covariates=covariates, progress=False
            )
        values = found.table.set_index(["metric", "class"])["mean"]
        assert values["PP", "surgeon"] == pytest.approx(shift[2, 0, 1] - shift[2, 1, 1])
        assert (found.slopes is None) == (covariates is None)
    assert found.slopes["mean"].tolist() == pytest.approx([0.3] * 3, abs=0.01)
    assert set(found.slopes["contrast"]) == {"female − male"}
    assert "women" in repr(found)
    assert found.details["model"] == "gaps"
    assert found.details["diagnostics"]["sentence"] in repr(found)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.sampling
def test_both_ways_of_writing_effects_are_one_density():
    """Centred effects are mean + sd · raw: the log-densities differ by the Jacobian."""
    spec = classifiers.load_gap_model("gaps")
    models = [build_gap_model(*SMALL, spec, centred=form, **NAMED) for form in (PLAIN, ~PLAIN)]
    rng = np.random.default_rng(1)
    point = {k: rng.normal(0, 0.5, v.shape) for k, v in models[0].initial_point().items()}
    sds = [np.exp(point[f"{name}_log__"]) for name in ("class_sd", "deviation_sd")]
    moved = {
        **point,
        "class_raw": point["class_mean"][:, None] + sds[0][:, None] * point["class_raw"],
        "deviation_raw": point["group_contrast_effect"][:, None]
        + sds[1][:, None, None] * point["deviation_raw"],
    }
    plain, centred = map(log_density, models, (point, moved))
    jacobian = 3 * np.log(sds[0][0]) + 3 * np.log(sds[1][0])
    assert centred == pytest.approx(plain - jacobian, abs=1e-8)


@pytest.fixture(scope="module")
def real(data):
    return pd.read_csv(data / "fairness/biasbios_test_predictions.csv.gz")


@pytest.mark.parametrize("classifier", ["lr", "bert"])
def test_published_gaps_of_real_predictions(data, real, classifier):
    """Every gap of the summary that came with the predictions, both classifiers."""
    expected = pd.read_csv(data / "fairness/biasbios_occupations.csv").set_index("label")
    columns = REAL | {"predicted": f"y_pred_{classifier}"}
    found = classifiers.gaps(real, **columns, method="point")
    assert set(found.table["contrast"]) == {"1 − 0"}
    for metric in METRICS:
        part = found.table[found.table["metric"] == metric].set_index("class")["gap"]
        column = expected[f"{metric}_gap_F_minus_M_{classifier}"]
        np.testing.assert_allclose(part[column.index.astype(str)], column, atol=5.1e-6)
