import re

import numpy as np
import pytest
from conftest import make_frame

import bayesbias as bb
from bayesbias.errors import ArgumentError


@pytest.fixture(scope="module")
def comparison():
    """Data with strong attribute effects: the same words meet every protected word."""
    frame = make_frame(n_words=8)
    rng = np.random.default_rng(1)
    effects = {word: rng.normal(0, 0.15) for word in frame["attribute"].unique()}
    frame["cosine_distance"] += frame["attribute"].map(effects)
    return bb.compare_models(frame, ["complete-pooling", "paper", "crossed"], seed=1)


def test_the_model_that_made_the_data_wins(comparison):
    table = comparison.to_frame()
    assert table["model"].iloc[0] == "crossed"
    assert table["elpd_diff"].iloc[0] == 0
    assert (table["elpd_diff"].iloc[1:] < -2 * table["diff_se"].iloc[1:]).all()
    assert table["log_bayes_factor"].iloc[0] == 0
    assert table["log_bayes_factor"].iloc[1] < -10


def test_elpd_is_the_sum_of_predictive_densities(comparison):
    """For a model of few parameters LOO is near the in-sample density less the parameters."""
    row = comparison.table.set_index("model").loc["complete-pooling"]
    fit = comparison.fits["complete-pooling"]
    values = fit.log_likelihood["cosine_distance"].to_numpy().reshape(1000, -1).astype(float)
    in_sample = (np.logaddexp.reduce(values, axis=0) - np.log(1000)).sum()
    assert row["p_loo"] == pytest.approx(in_sample - row["elpd_loo"], rel=0.02)
    assert 4 < row["p_loo"] < 14  # four means and four standard deviations
    assert row["n_bad_k"] == 0


def test_a_fit_without_the_effects_that_the_data_ask_for_says_so(comparison):
    evidence = {n: f.log_marginal_likelihood for n, f in comparison.fits.items()}
    gain = evidence["crossed"] - evidence["paper"]
    said = comparison.fits["paper"].caution
    assert "model 'paper' takes every pair" in said
    found = float(re.search(r"by ([0-9,]+) log units", said)[1].replace(",", ""))
    assert found == pytest.approx(gain, abs=1)  # the evidence of 'crossed' is an estimate
    assert comparison.fits["crossed"].caution == ""


def test_a_fit_that_lacks_nothing_says_nothing(frame):
    assert bb.fit(frame, model="paper", seed=1).caution == ""


def test_no_caution_where_telling_would_take_long(monkeypatch):
    """With pairs missing at random every effect is a case of its own: a large matrix."""
    frame = make_frame(n_words=60, n_attributes={"associated": 60}).sample(frac=0.8, random_state=1)
    fit = bb.fit(frame, model="paper", seed=1)
    monkeypatch.setattr("bayesbias.compare._evidence", None)  # must not be asked
    assert fit.caution == ""


@pytest.mark.sampling
def test_the_caution_does_not_depend_on_the_engine(small_fit, frame):
    from bayesbias.compare import _evidence

    again = bb.fit(frame, model="paper", seed=1).log_marginal_likelihood
    assert _evidence(small_fit, small_fit.spec) == pytest.approx(again, abs=1e-6)


def test_it_can_be_read_and_drawn(comparison):
    assert "crossed" in repr(comparison)
    assert len(comparison.to_dict()["models"]) == 3
    left, right = comparison.plot().axes
    assert [t.get_text() for t in left.get_yticklabels()] == comparison.table["model"].tolist()
    assert "marginal likelihood" in right.get_xlabel()


@pytest.mark.parametrize(
    ("models", "complaint"),
    [
        (["paper"], "at least two models"),
        (["paper", "paper"], "of different names"),
        (["paper", "change"], "explain different columns"),
    ],
)
def test_what_cannot_be_compared(frame, models, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        bb.compare_models(frame, models)
