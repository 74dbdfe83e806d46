"""Sensitivity to priors, against exact refits and ArviZ, and to single words, against refits."""

import dataclasses
import json
from itertools import chain, repeat

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from alike import list_frame
from samples import FEW, make_frame, with_pareto_k

import bayesbias as bb
from bayesbias.errors import FitError
from bayesbias.fits.refitted import RefittedContrasts
from bayesbias.fits.sensitivity import scale_names, with_scale
from bayesbias.inference.power_scaling import log_prior, power_scaled, sensitivity_to
from bayesbias.inference.priors import Prior
from bayesbias.pairs.profile_records import packed
from bayesbias.pairs.provenance import with_provenance


@pytest.fixture(scope="module")
def fit():
    sizes = {"associated": 3, "different": 2, "human": 3, "neutral": 4}
    frame = make_frame(n_words=4, n_attributes=sizes, word_sd=0.02)
    return bb.fit(frame, model="crossed", seed=1)


@pytest.fixture(scope="module")
def found(fit):
    return fit.sensitivity(rope=0.05, seed=2)


def scaled_spec(spec, power):
    """Return the specification with every prior raised to a power: these families allow it."""
    priors = {
        name: Prior("normal", mean=p.mean, sd=p.sd / np.sqrt(power))
        if p.distribution == "normal"
        else Prior("exponential", rate=p.rate * power)
        for name, p in spec.priors.items()
    }
    return spec.replace(name="scaled", priors=priors)


def test_reweighted_means_equal_refits_with_scaled_priors(fit, found):
    table = found.priors.set_index("quantity")
    for column, power in (("mean_half", 0.5), ("mean_double", 2.0)):
        refit = bb.fit(fit.frame, model=scaled_spec(fit.spec, power), seed=3).summary().table
        refit = refit.set_index("connection")
        # Two posteriors of some thousand effective draws each; importance weights cost some.
        error = 4 * refit["sd"] * np.sqrt(1 / 2000 + 1 / 4000)
        assert ((table.loc[refit.index, column] - refit["mean"]).abs() < error).all()


def test_a_stronger_prior_is_more_sensitive():
    frame, spec = make_frame(n_words=4, n_attributes=FEW), bb.load_model("paper")
    prior = {"connection_mean": Prior("normal", mean=2.0, sd=0.01)}
    weak, tight = (
        bb.fit(frame, model=one, seed=1, draws=8000).sensitivity(leave_out=False).priors[:4]
        for one in (spec, spec.replace(name="strong", priors=prior))
    )
    assert (tight["prior"] > 3 * weak["prior"]).all()
    assert (tight["diagnosis"] != "prior matters little").all()


def test_power_scaling_a_normal_prior_has_a_known_effect():
    """x ~ N(0, 1) scaled to the power 4: N(0, 1/4); what never varies moves nothing."""
    x = np.random.default_rng(1).standard_normal(200_000)
    weights, k = power_scaled(-0.5 * x**2, 4.0)
    assert k < 0.7
    assert weights @ x**2 == pytest.approx(0.25, abs=0.01)
    np.testing.assert_allclose(sensitivity_to(np.zeros(4000), x[:4000, None]), 0.0, atol=1e-6)


def test_sensitivities_are_those_of_arviz(fit):
    az = pytest.importorskip("arviz_stats", reason="ArviZ before 1.0 has no psense")
    tree = xr.DataTree.from_dict(
        {
            "posterior": fit.posterior[["connection_mean"]],
            "log_prior": xr.Dataset(
                {"lp": (("chain", "draw"), log_prior(fit.posterior, fit.spec).reshape(4, -1))}
            ),
        }
    )
    theirs = az.psense(tree, group="prior")["connection_mean"].to_numpy()
    means = fit.posterior["connection_mean"].transpose("chain", "draw", "connection").to_numpy()
    ours = sensitivity_to(log_prior(fit.posterior, fit.spec), means.reshape(-1, 4))
    np.testing.assert_allclose(ours, theirs, rtol=0.02)


def test_leaving_a_word_out_is_a_fit_without_it(fit, found):
    frame = fit.frame
    for word, column in (("word2", "protected_word"), ("human2", "attribute")):
        rows = found.left_out[found.left_out["removed"] == word].set_index("contrast")
        refit = bb.fit(frame[frame[column] != word], model="crossed", seed=9).contrasts()
        expected = refit.table.set_index("contrast")
        error = 4 * expected["sd"] * np.sqrt(1 / 4000 + 1 / 2000)
        assert ((rows["mean"] - expected["mean"]).abs() < error).all()


def test_every_word_is_left_out_once(fit, found):
    frame = fit.frame
    n = frame["protected_word"].nunique() + frame["attribute"].nunique()
    assert len(found.left_out) == 4 * n
    assert found.skipped.empty
    whole = found.left_out.groupby("contrast")["verdict_all"].nunique()
    assert (whole == 1).all()


def test_the_word_that_carries_a_verdict_is_found():
    frame = make_frame(
        n_words=4,
        n_attributes={"associated": 5, "different": 5, "neutral": 8},
        word_sd=0.001,
        noise_sd=0.02,
        connection_mean={"associated": 0.9, "different": 0.9, "neutral": 0.95},
    )
    frame.loc[frame.attribute == "associated3", "cosine_distance"] += 0.4
    fit = bb.fit(frame, model="crossed", seed=1)
    changed = fit.sensitivity(rope=0.0, seed=1).changed
    assert "associated3" in set(changed["removed"])
    # Without it the difference to the controls is clear; with it, its effect hides the rest.
    row = changed[(changed.removed == "associated3") & (changed.contrast == "associated − neutral")]
    assert row["verdict"].item() == "closer"


def test_a_verdict_on_the_edge_is_not_blamed_on_words(fit):
    """With the ROPE's end just where the interval ends, Monte Carlo error would decide."""
    whole, _ = RefittedContrasts(fit.spec, fit.rule()).of_frame(fit.frame)
    row = whole.set_index("contrast").loc["associated − neutral"]
    found = fit.sensitivity(rope=-row["high"], seed=1)
    assert "associated − neutral" in found.on_edge
    assert "associated − neutral" not in set(found.changed["contrast"])
    assert "associated − neutral is on the edge" in repr(found)
    assert "so near to 0 or to an end of the ROPE that" in repr(found)


def test_words_that_cannot_be_left_out_are_said():
    sizes = {"associated": 1, "different": 2, "human": 2, "neutral": 2}
    frame = make_frame(n_words=3, n_attributes=sizes)
    found = bb.fit(frame, model="paper", seed=1).sensitivity(seed=1)
    assert found.skipped["removed"].tolist() == ["associated0"]
    assert "all there is of connection associated" in found.skipped["reason"].item()
    assert "1 word could not be left out" in repr(found)


def test_options_and_tables(fit):
    found = fit.sensitivity(rope=0.3, prob=0.5, interval="eti", seed=1)
    assert set(found.left_out["prob"]) == {0.5}
    assert set(found.left_out["interval"]) == {"eti"}
    assert all(verdict.endswith("practically equal") for verdict in found.left_out["verdict"])
    assert found.changed["verdict"].str.endswith("practically equal").all()
    again = json.loads(json.dumps(found.to_dict()))
    assert again["seed"] == 1
    assert len(again["priors"]) == 8
    titles = [axis.get_title() for axis in found.plot().axes]
    assert titles[0] == "weight of priors and data"
    assert len(titles) == 5


def test_models_that_need_nuts_are_not_refitted(small_fit):
    gaussian = small_fit.sensitivity(leave_out=False)
    assert gaussian.left_out.empty
    assert "No word was left out" in repr(gaussian)
    heavy = dataclasses.replace(small_fit, spec=bb.load_model("student-t"))
    with pytest.raises(FitError, match="sensitivity\\(leave_out=False\\)"):
        heavy.sensitivity()


def with_word_profiles(frame, pairs_alike=True):
    """Let the frame know how alike its words are: protected words in twos, or each by itself."""
    words = pd.unique(frame[["protected_word", "attribute"]].to_numpy().ravel("F")).tolist()
    protected = frame["protected_word"].unique().tolist()
    rng = np.random.default_rng(3)
    profiles = rng.standard_normal((300, len(words)))
    for first, second in zip(protected[::2], protected[1::2], strict=False):
        if pairs_alike:
            noise = 0.2 * rng.standard_normal(300)
            profiles[:, words.index(second)] = profiles[:, words.index(first)] + noise
    record = packed(words, [f"common{i}" for i in range(300)], profiles)
    return with_provenance(frame.copy(), source={"made": "by a test"}, profiles=record)


def test_intervals_at_other_scales_are_those_of_refits(fit, found):
    names = {"connection_mean", "word_sd", "attribute_sd", "noise_sd"}
    assert set(found.scales["prior"]) == names
    assert len(found.scales) == 4 * 2 * 4
    for name, factor in (("connection_mean", 0.5), ("word_sd", 2.0)):
        rows = found.scales.query("prior == @name and factor == @factor").set_index("contrast")
        refit = bb.fit(fit.frame, with_scale(fit.spec, name, factor), seed=3)
        expected = refit.contrasts(rope=0.05).table.set_index("contrast")
        for end in ("mean", "low", "high"):
            assert ((rows[end] - expected[end]).abs() < 0.06 * expected["sd"]).all()
        assert (rows["pareto_k"] < 0.7).all()
    assert "with the scale of one prior at half and at twice" in repr(found)


def test_a_fixed_sd_is_a_prior_too():
    frame = list_frame(n_words=(3, 3), n_reference=3, n_human=0, n_neutral=0)
    fit = bb.fit(frame, seed=1, draws=100)
    found = fit.sensitivity(leave_out=False)
    rows = found.scales[found.scales["prior"] == "group_list_sd"]
    assert rows["factor"].unique().tolist() == [0.5, 2.0]


def test_groups_at_other_scales_of_their_prior_are_those_of_refits():
    """It decides how far lists share an answer, and groups too where there are no reference words.

    Of the mean over groups nothing hangs on it.
    """
    frame = list_frame(n_words=(3, 3), n_human=0, n_neutral=0)
    fit = bb.fit(frame, seed=1)
    found = fit.sensitivity(leave_out=False)
    assert found.groups["prior"].unique().tolist() == ["group_list_sd"]
    assert found.groups["factor"].unique().tolist() == [0.5, 10.0]
    assert len(found.groups) == 2 * (2 + 2 + 6)
    columns = {"list": "attribute_set", "group": "group", "word": "protected_word"}
    assert list(dict.fromkeys(found.groups["by"])) == list(columns)
    for by, column in columns.items():
        rows = found.groups[found.groups["by"] == by]
        for factor, part in rows.groupby("factor"):
            refit = bb.fit(frame, with_scale(fit.spec, "group_list_sd", factor), seed=3)
            table = refit.contrasts(by).table.set_index(column)
            asked = "between groups" if by == "list" else "associated − different"
            expected = table[table["contrast"] == asked]
            part = part.set_index("applies_to")
            for end in ("mean", "low", "high"):
                off = (part[end] - expected[end].loc[part.index]) / expected["sd"]
                assert off.abs().max() < 0.06
    of_groups = found.priors[found.priors["applies_to"] != "all"]
    assert of_groups["applies_to"].tolist() == ["group0", "group1"]
    assert (of_groups["diagnosis"] != "prior matters little").all()
    assert "with group_list_sd at half and at ten times" in repr(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_check_and_sensitivity_agree_on_clusters():
    """The check passed where sensitivity found 92.6 log units for what clusters share."""
    frame = list_frame(n_words=(24, 24), sizes=(6, 6), n_human=0, n_neutral=0, seed=3)
    twin = frame["protected_word"].str.replace(r"(\d+)$", lambda m: str(int(m[1]) // 2), regex=True)
    rng = np.random.default_rng(1)
    of_list = frame.groupby([frame["group"] + twin, "attribute_set"]).ngroup().to_numpy()
    plain = frame.copy()
    frame["cosine_distance"] += 0.15 * rng.standard_normal(of_list.max() + 1)[of_list]
    asked, not_asked = (
        bb.fit(with_word_profiles(rows), "maximal", seed=1) for rows in (frame, plain)
    )
    gain = asked.sensitivity(leave_out=False).clusters["gain"].iloc[0]
    found = asked.check().table.set_index("check").loc["model"]
    assert (found["verdict"], gain > 5) == ("warn", True)
    assert f"the data prefer, by {gain:.1f} log units, a model in which clusters" in found["found"]
    assert f"The data prefer, by {gain:.1f} log units" in repr(asked.sensitivity(leave_out=False))
    said = not_asked.sensitivity(leave_out=False)
    assert (said.clusters["gain"] < 5).all()
    assert "The data prefer" not in repr(said)
    assert "clusters" not in not_asked.check().table.set_index("check").loc["model", "found"]


def test_clusters_of_words_that_share_effects_widen_the_interval():
    """Words in twos that differ by next to nothing: half as many words, and the data say so."""
    frame = list_frame(n_words=(24, 24), sizes=(6, 6), n_human=0, n_neutral=0, seed=3)
    twin = frame["protected_word"].str.replace(r"(\d+)$", lambda m: str(int(m[1]) // 2), regex=True)
    rng = np.random.default_rng(1)
    of_list = frame.groupby([frame["group"] + twin, "attribute_set"]).ngroup().to_numpy()
    frame["cosine_distance"] += 0.15 * rng.standard_normal(of_list.max() + 1)[of_list]
    fit = bb.fit(with_word_profiles(frame), "crossed", seed=1, draws=100)
    found = fit.sensitivity(leave_out=False)
    row, whole = found.clusters.iloc[0], fit.contrasts().table.iloc[0]
    assert row["clusters"] == "48 protected words in 24 clusters of words that are alike"
    assert row["gain"] > 5
    assert row["high"] - row["low"] > 1.1 * (whole["high"] - whole["low"])
    assert "which share effects" in repr(found)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda frame: frame, "the frame does not know how alike these are"),
        (lambda frame: with_word_profiles(frame, False), "they are the groups, or single"),
    ],
)
def test_where_clusters_say_nothing_they_are_not_offered(make, why):
    frame = make(make_frame(n_attributes=FEW))
    found = bb.fit(frame, "paper", seed=1, draws=100).sensitivity(leave_out=False)
    assert found.clusters.empty
    assert f"Clusters of protected words are not tried: {why}" in repr(found)


def test_reference_words_stay_and_are_left_out_in_turn():
    spec = bb.load_model("crossed").replace(name="with them", reference_words=True)
    sizes = {"n_words": (2, 2), "sizes": (3, 2), "n_human": 0, "n_neutral": 0}
    frame = list_frame(**sizes, n_reference=4)
    fit = bb.fit(frame, spec, seed=1, draws=100)
    found = fit.sensitivity()
    rows = found.left_out[found.left_out["role"] == "reference"]
    assert rows["removed"].unique().tolist() == ["person0", "person1", "person2", "person3"]
    row = rows[rows["removed"] == "person1"].set_index("contrast").loc["associated − different"]
    rest = frame[frame["protected_word"] != "person1"]
    expected = bb.fit(rest, fit.spec, seed=1).contrasts().table.set_index("contrast")
    expected = expected.loc["associated − different"]
    assert abs(row["mean"] - expected["mean"]) < 0.06 * expected["sd"]
    few = bb.fit(list_frame(**sizes, n_reference=3), spec, seed=1, draws=100)
    skipped = few.sensitivity().skipped.set_index("removed")["reason"]
    assert skipped["person0"] == "fewer than 3 reference words would be left"


def test_refits_that_failed_are_named(monkeypatch):
    fit = bb.fit(make_frame(n_words=3, n_attributes=FEW), model="paper", seed=1, draws=100)
    n_whole = 1 + 2 * len(scale_names(fit.spec))  # as it is, and with every prior's scales
    with_pareto_k(monkeypatch, chain([0.2] * n_whole, repeat(0.9)))
    found = fit.sensitivity()
    assert (found.left_out["pareto_k"] == 0.9).all()
    assert (found.scales["pareto_k"] == 0.2).all()
    assert "could not be fitted well (Pareto k above 0.7): word0 protected, " in repr(found)
    said = [line for line in repr(found).splitlines() if line.startswith("Of ")]
    assert len(said) == 1
    assert said[0].endswith("left_out has the k of each.")
