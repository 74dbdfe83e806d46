"""Contrasts: differences of joint draws, and what is said of them."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from samples import make_frame

import bayesbias as bb
from bayesbias.constants import CONNECTIONS
from bayesbias.errors import ArgumentError, FitError
from bayesbias.fits.contrasts import contrasts_of, decisions
from bayesbias.inference.design import Design


@pytest.fixture
def known():
    """A posterior whose draws are known: associated and different move together."""
    frame = make_frame(n_words=3)
    design = Design.from_frame(frame)
    rng = np.random.default_rng(0)
    shared = rng.normal(0, 0.3, 1000)
    own = 0.01 * rng.standard_normal(1000)
    means = np.stack([0.8 + shared, 0.9 + shared + own, 0.97 + 0 * shared, 1.0 + 0 * shared], 1)
    words = means[:, None, :] + np.array([0.0, 0.1, 0.2])[:, None]
    posterior = xr.Dataset(
        {
            "group_mean": (("chain", "draw", "connection"), means.reshape(2, 500, 4)),
            "word_mean": (
                ("chain", "draw", "protected_word", "connection"), words.reshape(2, 500, 3, 4),
            ),
        },
        coords={"connection": list(CONNECTIONS), "protected_word": list(design.protected_words)},
    )  # fmt: skip
    return posterior, design, shared, own


def test_contrasts_of_known_draws(known):
    posterior, design, shared, own = known
    found = contrasts_of(posterior, design, rope=0.05, prob=0.89, interval="eti")
    groups = found.groups.set_index("contrast")
    assert list(groups.index) == [
        "associated − different", "associated − human", "associated − neutral", "human − neutral",
    ]  # fmt: skip
    # The shared part cancels draw by draw; subtracting marginal draws would leave it in.
    row = groups.loc["associated − different"]
    assert row["mean"] == pytest.approx(-0.1 - own.mean())
    assert row["sd"] == pytest.approx(own.std(ddof=1))
    np.testing.assert_allclose([row["low"], row["high"]], np.quantile(-0.1 - own, [0.055, 0.945]))
    assert row["verdict"] == "closer"
    row = groups.loc["associated − human"]
    difference = -0.17 + shared
    assert row["p_below_zero"] == pytest.approx((difference < 0).mean())
    assert row["p_direction"] == pytest.approx(
        max((difference < 0).mean(), (difference > 0).mean())
    )
    assert row["below_rope"] == pytest.approx((difference < -0.05).mean())
    assert row["inside_rope"] == pytest.approx((np.abs(difference) <= 0.05).mean())
    assert row["above_rope"] == pytest.approx((difference > 0.05).mean())
    assert row["verdict"] == "undecided"
    assert groups.loc["human − neutral", "verdict"] == "practically equal"
    assert groups.loc["human − neutral", "mean"] == pytest.approx(-0.03)


def test_words_have_contrasts_of_their_own(known):
    posterior, design, _, own = known
    found = contrasts_of(posterior, design, rope=0.0, prob=0.5, interval="hpdi")
    assert len(found.words) == 12
    rows = found.words[found.words["contrast"] == "associated − different"]
    np.testing.assert_allclose(rows["mean"], -0.1 - own.mean())
    assert rows["n_pairs"].tolist() == [5, 5, 5]
    assert found.groups["n_pairs"].tolist() == [15, 15, 15, 45]


def test_words_without_pairs_are_marked():
    frame = make_frame(n_words=4)
    gone = (frame.protected_word == "word0") & (frame.connection == "different")
    words = bb.fit(frame[~gone], model="crossed", seed=1).contrasts().words
    row = words[(words.protected_word == "word0") & (words.contrast == "associated − different")]
    assert row["n_pairs"].item() == 0
    assert np.isfinite(row[["mean", "low", "high"]].to_numpy(dtype=float)).all()


def test_options_reach_every_number(frame):
    fit = bb.fit(frame, model="crossed", seed=1)
    found = fit.contrasts(rope=0.123, prob=0.5, interval="eti")
    for table in (found.groups, found.words):
        assert set(table["rope"]) == {0.123}
        assert set(table["prob"]) == {0.5}
        assert set(table["interval"]) == {"eti"}
    assert "0.123" in found.caption
    assert "50% equal-tailed" in found.caption
    assert "50% equal-tailed" in repr(found)
    figure = fit.plot_contrasts(rope=0.123, prob=0.5, interval="eti")
    assert "50% equal-tailed" in figure.get_supxlabel()
    wide = fit.contrasts(prob=0.99).groups
    assert (wide["high"] - wide["low"] > found.groups["high"] - found.groups["low"]).all()


def test_the_tables_travel(frame):
    found = bb.fit(frame, seed=1).contrasts()
    table = found.to_frame()
    assert table["level"].value_counts().to_dict() == {"word": 24, "group": 4}
    assert not table.isna().any().any()
    again = json.loads(json.dumps(found.to_dict()))
    assert len(again["contrasts"]) == 28
    assert again["rope"] == 0.05


def test_nothing_to_compare_is_said(frame):
    fit = bb.fit(frame[frame.connection == "human"], seed=1)
    with pytest.raises(FitError, match="has only the connections human; a contrast needs"):
        fit.contrasts()
    with pytest.raises(ArgumentError, match="rope=-1"):
        bb.fit(frame, seed=1).contrasts(rope=-1)


def test_some_connections_give_some_contrasts(frame):
    fit = bb.fit(frame[frame.connection.isin(["associated", "neutral"])], seed=1)
    assert fit.contrasts().groups["contrast"].tolist() == ["associated − neutral"]


def test_decisions_of_plain_draws():
    draws = xr.DataArray(np.linspace(-1, 1, 1001).reshape(1, -1), dims=("chain", "draw"))
    row = decisions(draws, rope=0.5, prob=0.5, interval="eti").iloc[0]
    assert row["p_below_zero"] == pytest.approx(500 / 1001)
    assert row["inside_rope"] == pytest.approx(501 / 1001)
    assert row["verdict"] == "practically equal"


def test_the_figure_marks_verdicts(frame):
    figure = bb.fit(frame, seed=1).plot_contrasts()
    labels = [t.get_text() for t in figure.axes[0].get_yticklabels()]
    assert labels == ["group mean", *[f"word{i}" for i in range(6)]]
    assert [axis.get_title() for axis in figure.axes] == [
        "associated − different", "associated − human", "associated − neutral", "human − neutral",
    ]  # fmt: skip
    shown = {text.get_text() for text in figure.legends[0].get_texts()}
    found = bb.fit(frame, seed=1).contrasts()
    assert shown == set(pd.concat([found.groups, found.words])["verdict"])
