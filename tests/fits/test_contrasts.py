"""Contrasts: differences of joint draws, and what is said of them."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from samples import FEW, make_frame
from scipy.stats import binomtest, norm

import bayesbias as bb
from bayesbias.constants import CONNECTIONS
from bayesbias.errors import ArgumentError, FitError
from bayesbias.fits.contrasts import contrasts_of, summarise_contrasts
from bayesbias.fits.quantities import FitContext, Quantities
from bayesbias.inference.conditional import NormalMixture
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.report import write_report


@pytest.fixture
def known():
    """A posterior whose draws are known: associated and different move together."""
    frame = make_frame(n_words=3)
    design = Design.from_frame(frame, bb.load_model("paper"))
    rng = np.random.default_rng(0)
    shared = rng.normal(0, 0.3, 1000)
    own = 0.01 * rng.standard_normal(1000)
    means = np.stack([0.8 + shared, 0.9 + shared + own, 0.97 + 0 * shared, 1.0 + 0 * shared], 1)
    effects = np.array([0.1 * int(label[4]) for label in design.terms[0].labels])  # of word0 …
    posterior = xr.Dataset(
        {
            "connection_mean": (("chain", "draw", "connection"), means.reshape(2, 500, 4)),
            "word_effect": (
                ("chain", "draw", "word_level"),
                np.broadcast_to(effects, (2, 500, len(effects))),
            ),
            "word_sd": (("chain", "draw", "connection"), np.full((2, 500, 4), 0.1)),
            "noise_sd": (("chain", "draw", "connection"), np.full((2, 500, 4), 0.1)),
        },
        coords={"connection": list(CONNECTIONS)},
    )
    return FitContext(posterior, design, bb.load_model("paper"), chains=2), shared, own


NAMES = ["associated − different", "associated − human", "associated − neutral", "human − neutral"]


def test_contrasts_of_known_draws(known):
    fitted, shared, own = known
    rule = DecisionRule(0.05, 0.89, "eti", scale=0.2)
    groups = contrasts_of(fitted, "connection", rule).table.set_index("contrast")
    assert list(groups.index) == NAMES
    # The shared part cancels draw by draw; subtracting marginal draws would leave it in.
    row = groups.loc["associated − different"]
    assert row["mean"] == pytest.approx(-0.1 - own.mean())
    assert row["sd"] == pytest.approx(own.std(ddof=1))
    np.testing.assert_allclose([row["low"], row["high"]], np.quantile(-0.1 - own, [0.055, 0.945]))
    assert row["verdict"] == "closer"
    row, difference = groups.loc["associated − human"], -0.17 + shared
    for name, share in {
        "p_below_zero": difference < 0,
        "below_rope": difference < -0.05,
        "inside_rope": np.abs(difference) <= 0.05,
        "above_rope": difference > 0.05,
    }.items():
        assert row[name] == pytest.approx(share.mean())
    assert row["p_direction"] == max(row["p_below_zero"], 1 - row["p_below_zero"])
    assert row["verdict"] == "undecided"
    assert groups.loc["human − neutral", "verdict"] == "closer, practically equal"
    np.testing.assert_allclose(groups["standardised"], groups["mean"] / 0.2)
    np.testing.assert_allclose(groups["standardised_low"], groups["low"] / 0.2)
    assert groups.loc["human − neutral", "mean"] == pytest.approx(-0.03)


def test_words_and_groups_have_contrasts_of_their_own(known):
    """A group's is that of its words."""
    fitted, _, own = known
    by = ("connection", "group", "word")
    whole, groups, words = (contrasts_of(fitted, one, DecisionRule(0.05)).table for one in by)
    assert len(words) == 12
    rows = words[words["contrast"] == "associated − different"]
    np.testing.assert_allclose(rows["mean"], -0.1 - own.mean())
    assert rows["n_pairs"].tolist() == [5, 5, 5]
    assert whole["n_pairs"].tolist() == [15, 15, 15, 45]
    assert groups["group"].unique().tolist() == ["group0", "group1"]
    expected = words.groupby(["group", "contrast"], sort=False)["mean"].mean()
    found = groups.set_index(["group", "contrast"])["mean"]
    np.testing.assert_allclose(found[expected.index], expected)
    # word0 and word2 are of group0: both have 5 associated and 6 different pairs.
    assert groups["n_pairs"].iloc[0] == 10


def test_expected_false_discoveries_add_up(known):
    fitted, _, own = known
    found = contrasts_of(fitted, "word", DecisionRule(0.0, 0.5, "eti"))
    table = found.expected_false.set_index(["contrast", "direction"])
    row = table.loc[("associated − different", "closer")]
    assert row["n"] == 3
    wrong = 3 * (1 - (-0.1 - own < 0).mean())
    assert row["expected_false"] == pytest.approx(wrong)
    assert "of 3 words called closer" in repr(found)


def test_simultaneous_intervals_hold_jointly():
    rng = np.random.default_rng(3)
    draws = rng.standard_normal((20_000, 8))
    labels = pd.DataFrame({"contrast": ["a", "b"] * 4})
    found = Quantities(labels, draws)
    rule = DecisionRule(0.05, 0.89)
    joint = summarise_contrasts(found, rule, families=np.array([0, 1] * 4))
    for one in (0, 1):
        part = slice(one, None, 2)
        low, high = joint["low"].to_numpy()[part], joint["high"].to_numpy()[part]
        inside = ((draws[:, part] > low) & (draws[:, part] < high)).all(axis=1).mean()
        assert inside == pytest.approx(0.89, abs=0.001)
    single = summarise_contrasts(found, rule)
    assert (joint["high"] - joint["low"] > single["high"] - single["low"]).all()


def test_joint_intervals_are_called_so(frame):
    """They are neither the HPDI nor the equal-tailed interval of the rule."""
    fit = bb.fit(frame, "crossed", seed=1, draws=300)
    found = fit.contrasts("group", simultaneous=True, interval="eti")
    assert set(found.table["interval"]) == {"joint"}
    assert "89% joint interval" in str(found).splitlines()[0]
    assert "if the whole 89% joint interval is below" in found.caption
    assert "equal-tailed" not in str(found)
    assert "89% joint interval" in found.plot().get_supxlabel()
    alone = fit.contrasts("group", interval="eti")
    assert set(alone.table["interval"]) == {"eti"}
    assert "joint" not in str(alone)


def test_a_joint_end_has_an_error_of_its_own():
    """It comes from draws also where every row by itself is known without them."""
    draws, sets = np.random.default_rng(3).standard_normal((400, 8)), np.zeros(8, dtype=int)
    labels, rule = pd.DataFrame(index=range(8)), DecisionRule(0.0)

    def decided(centres):
        exact = tuple(NormalMixture(np.full(1, one), np.ones(1)) for one in centres)
        return summarise_contrasts(Quantities(labels, draws + centres, 0, exact), rule, sets)

    near = 0.06 - decided(np.zeros(8))["low"].to_numpy()  # 0.06 sd beyond 0
    table = decided(near)
    np.testing.assert_allclose(table["low"], 0.06)
    assert table["on_edge"].all()


def test_decisions_of_plain_draws():
    found = Quantities(pd.DataFrame(index=[0]), np.linspace(-1, 1, 1001)[:, None])
    row = summarise_contrasts(found, DecisionRule(0.5, 0.5, "eti")).iloc[0]
    assert row["p_below_zero"] == pytest.approx(500 / 1001)
    assert row["inside_rope"] == pytest.approx(501 / 1001)
    assert row["verdict"] == "practically equal"
    # The upper end of N(−1.6, 1)'s 89% interval is at −0.002: its Monte Carlo error is .03.
    draws = np.random.default_rng(4).standard_normal((2000, 2)) + np.array([-1.6, -4.0])
    found = Quantities(pd.DataFrame(index=range(2)), draws)
    assert summarise_contrasts(found, DecisionRule(0.0, 0.89, "eti"))["on_edge"].tolist() == [
        True,
        False,
    ]


def test_the_error_of_an_end_knows_that_draws_of_a_chain_are_alike():
    """Two errors from ten batches hold the true end, which is 0, in 92% (Student's t, 9 df)."""
    rng = np.random.default_rng(5)
    chains, steps, alike = 400, 4000, 0.9
    draws = np.empty((steps, chains))
    draws[0] = rng.standard_normal(chains)
    for step, noise in enumerate(rng.standard_normal((steps - 1, chains)), start=1):
        draws[step] = alike * draws[step - 1] + (1 - alike**2) ** 0.5 * noise
    found = Quantities(pd.DataFrame(index=range(chains)), draws + norm.isf(0.055))
    table = summarise_contrasts(found, DecisionRule(0.0, 0.89, "eti"))
    assert binomtest(int(table["on_edge"].sum()), chains, 0.92).pvalue > 0.001


def test_words_without_pairs_are_marked():
    frame = make_frame(n_words=4)
    gone = (frame.protected_word == "word0") & (frame.connection == "different")
    words = bb.fit(frame[~gone], model="crossed", seed=1).contrasts("word").table
    row = words[(words.protected_word == "word0") & (words.contrast == "associated − different")]
    assert row["n_pairs"].item() == 0
    assert np.isfinite(row[["mean", "low", "high"]].to_numpy(dtype=float)).all()


def test_options_reach_every_number(frame):
    fit = bb.fit(frame, model="crossed", seed=1)
    options = {"rope": 0.123, "prob": 0.5, "interval": "eti"}
    found, words = (fit.contrasts(by, **options) for by in ("connection", "word"))
    for table in (found.table, words.table):
        assert {name: table[name].unique().tolist() for name in options} == {
            name: [value] for name, value in options.items()
        }
    assert "0.12" in found.caption
    label = "50% equal-tailed"
    assert label in found.caption
    assert label in repr(found)
    assert label in fit.plot_contrasts(**options).get_supxlabel()
    wide = fit.contrasts(prob=0.99).table
    assert (wide["high"] - wide["low"] > found.table["high"] - found.table["low"]).all()


def test_the_tables_travel(small_fit):
    found = small_fit.contrasts("word")
    assert found is small_fit.contrasts("word") is not small_fit.contrasts("word", prob=0.5)
    assert len(found.to_frame()) == 24
    assert not found.to_frame().isna().any().any()
    again = json.loads(json.dumps(found.to_dict()))
    assert len(again["table"]) == 24
    assert again["rule"]["rope"] is None
    assert "0.1 sd of a neutral pair's distance" in again["caption"]
    plain = small_fit.frame.groupby("connection")["cosine_distance"].mean()
    row = small_fit.contrasts().table.iloc[0]
    assert row["listed"] == pytest.approx(plain["associated"] - plain["different"])


def test_without_pooling_means_are_over_the_listed_words(tmp_path):
    """The mean of a connection is then that of the words, and nothing is known of others."""
    said = {"no-pooling": "Means are over the listed words alone,", "paper": "Means are over words"}
    for name in said:
        fit = bb.fit(make_frame(n_attributes=FEW), name, seed=1, draws=200)
        write_report(fit, tmp_path / f"{name}.html")
        page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        for n, text in ((2, page), *((1, repr(f)) for f in (fit, fit.summary(), fit.contrasts()))):
            assert {model: text.count(words) for model, words in said.items()} == {
                model: n * (model == name) for model in said
            }


def test_what_is_not_there_is_not_compared(frame, small_fit):
    fit = bb.fit(frame[frame.connection.isin(["associated", "neutral"])], "paper", seed=1)
    assert fit.contrasts().table["contrast"].tolist() == ["associated − neutral"]
    fit = bb.fit(frame[frame.connection == "human"], "paper", seed=1)
    with pytest.raises(FitError, match="has only the connections human; a contrast needs"):
        fit.contrasts()
    with pytest.raises(ArgumentError, match="rope=-1"):
        small_fit.contrasts(rope=-1)


def test_the_figure_marks_verdicts(small_fit):
    figure = small_fit.plot_contrasts()
    labels = [t.get_text() for t in figure.axes[0].get_yticklabels()]
    assert labels == ["all words", *[f"word{i}" for i in (0, 2, 4, 1, 3, 5)]]  # by group
    assert [axis.get_title() for axis in figure.axes] == NAMES
    shown = {text.get_text() for text in figure.legends[0].get_texts()}
    tables = [small_fit.contrasts().table, small_fit.contrasts("word").table]
    assert shown == set(pd.concat(tables)["verdict"])


@pytest.mark.parametrize("scale", ["human", "different"])
def test_without_neutral_pairs_the_rope_names_the_pairs_that_it_is_measured_in(frame, scale):
    kept = {"associated", "different", scale}
    part = frame[frame["connection"].isin(kept)].reset_index(drop=True)
    fit = bb.fit(part, "paper", seed=1)
    assert f"0.1 sd of a {scale} pair's distance" in fit.rule().caption
    said = " ".join(repr(fit).split())
    assert f"times the standard deviation of distances to {scale} " in said
    assert "neutral words (" not in said
