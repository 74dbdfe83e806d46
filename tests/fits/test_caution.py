"""The caution below an answer: when it speaks, and what it says."""

import re

import numpy as np
import pandas as pd
import pytest
from samples import FEW, make_frame

import bayesbias as bb
from bayesbias.inference.adapting import adapt_model_to_data


@pytest.fixture(scope="module")
def crossed_frame():
    """A frame whose attributes have effects of their own."""
    frame = make_frame(n_attributes=FEW)
    effects = np.random.default_rng(1).normal(0, 0.2, frame["attribute"].nunique())
    codes, _ = pd.factorize(frame["attribute"])
    frame["cosine_distance"] += effects[codes]
    return frame


def test_a_fit_without_the_terms_that_the_data_ask_for_names_them(crossed_frame):
    means = bb.load_model("paper").connection_mean
    alike = adapt_model_to_data(bb.load_model("maximal"), crossed_frame)[0].replace(
        connection_mean=means
    )
    paper, maximal = (bb.fit(crossed_frame, m, seed=1) for m in ("paper", alike))
    said = paper.caution
    assert "lacks the terms" in said
    assert "attribute (an attribute that is close" in said
    found = float(re.search(r"by ([0-9,]+) log units", said)[1].replace(",", ""))
    gain = maximal.log_marginal_likelihood - paper.log_marginal_likelihood
    assert found == pytest.approx(gain, abs=1)  # the evidence of 'maximal' is an estimate
    assert maximal.caution == ""
    assert said in repr(paper)


def test_a_fit_that_lacks_nothing_says_nothing(frame):
    assert bb.fit(frame, "paper", seed=1).caution == ""


@pytest.mark.sampling
@pytest.mark.slow
def test_the_caution_does_not_depend_on_the_engine(crossed_frame):
    quick = {"draws": 200, "tune": 300, "chains": 2, "progress": False}
    with pytest.warns(bb.BayesBiasWarning):
        sampled = bb.fit(crossed_frame, "paper", seed=1, engine="nuts", **quick)
    exact = bb.fit(crossed_frame, "paper", seed=1)
    gains = [re.search(r"by ([0-9,]+) log", fit.caution)[1] for fit in (sampled, exact)]
    assert float(gains[0]) == pytest.approx(float(gains[1]), abs=1)


@pytest.mark.parametrize("noise", [1e-7, 1e-8, 1e-10])
def test_no_number_is_said_that_is_rounding(noise):
    """It was 2,712,720,256,672 log units, or an error where the fit itself was sound."""
    frame, rng = make_frame(n_attributes=FEW), np.random.default_rng(1)
    effects = {word: rng.normal(0, 0.05) for word in frame["attribute"].unique()}
    frame["cosine_distance"] = (
        1 + frame["attribute"].map(effects) + rng.normal(0, noise, len(frame))
    )
    said = bb.fit(frame, "paper", seed=1).caution
    assert "cannot be told, since 'maximal' cannot be fitted: the distances of" in said


def test_a_gain_beyond_meaning_is_said_in_words(crossed_frame, monkeypatch):
    from bayesbias.fits import caution

    fit = bb.fit(crossed_frame, "paper", seed=1)
    monkeypatch.setattr(caution, "log_marginal_likelihood", lambda *a, **k: 1e18)
    assert "by more than 10,000 log units" in fit.caution


def test_a_fit_of_many_groups_says_how_its_time_grows(frame, monkeypatch):
    """12 groups with a list each took half a minute, and nothing said so before."""
    from bayesbias.fits import fitting

    def begun(*arguments, **options):
        raise InterruptedError  # it would take long

    monkeypatch.setattr(fitting, "sample_collapsed", begun)
    many = make_frame(n_words=24, n_attributes=FEW)
    many["group"] = "group" + (many["protected_word"].str[4:].astype(int) % 12).astype(str)
    with (
        pytest.warns(bb.BayesBiasWarning, match="12 groups: effects of each group on each attrib"),
        pytest.raises(InterruptedError),
    ):
        bb.fit(many, seed=1)
    for sides, model in ((many, "paper"), (frame, "maximal")):  # a warning would be an error
        with pytest.raises(InterruptedError):
            bb.fit(sides, model, seed=1)
