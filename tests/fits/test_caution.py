"""The caution below an answer: when it speaks, and what it says."""

import re

import numpy as np
import pandas as pd
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.fits.caution import _evidence


def test_a_fit_without_the_effects_that_the_data_ask_for_says_so():
    frame = make_frame()
    effects = np.random.default_rng(1).normal(0, 0.2, frame["attribute"].nunique())
    codes, _ = pd.factorize(frame["attribute"])
    frame["cosine_distance"] += effects[codes]
    paper, crossed = (bb.fit(frame, model=m, seed=1) for m in ("paper", "crossed"))
    gain = crossed.log_marginal_likelihood - paper.log_marginal_likelihood
    said = paper.caution
    assert "model 'paper' treats pairs as independent" in said
    found = float(re.search(r"by ([0-9,]+) log units", said)[1].replace(",", ""))
    assert found == pytest.approx(gain, abs=1)  # the evidence of 'crossed' is an estimate
    assert crossed.caution == ""


def test_a_fit_that_lacks_nothing_says_nothing(frame):
    assert bb.fit(frame, model="paper", seed=1).caution == ""


def test_no_caution_where_telling_would_take_long(monkeypatch):
    """With pairs missing at random every effect is a case of its own: a large matrix."""
    frame = make_frame(n_words=60, n_attributes={"associated": 60}).sample(frac=0.8, random_state=1)
    fit = bb.fit(frame, model="paper", seed=1)
    monkeypatch.setattr("bayesbias.fits.caution._evidence", None)  # must not be asked
    assert fit.caution == ""


@pytest.mark.sampling
def test_the_caution_does_not_depend_on_the_engine(small_fit, frame):
    again = bb.fit(frame, model="paper", seed=1).log_marginal_likelihood
    assert _evidence(small_fit.design, small_fit.spec, small_fit.seed) == pytest.approx(
        again, abs=1e-6
    )
