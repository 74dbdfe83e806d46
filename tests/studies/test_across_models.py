"""Which model explains the same pairs best."""

import json

import numpy as np
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import ArgumentError
from bayesbias.inference.predictive import log_likelihood, thinned


@pytest.fixture(scope="module")
def comparison():
    """Data with strong attribute effects: the same words meet every protected word."""
    frame = make_frame(n_words=8)
    rng = np.random.default_rng(1)
    effects = {word: rng.normal(0, 0.15) for word in frame["attribute"].unique()}
    frame["cosine_distance"] += frame["attribute"].map(effects)
    return bb.compare_models(frame, ["complete-pooling", "paper", "crossed"], seed=1, draws=500)


def test_the_model_that_made_the_data_wins(comparison):
    table = comparison.to_frame()
    assert table["model"].iloc[0] == "crossed"
    assert table["elpd_diff"].iloc[0] == 0
    assert (table["elpd_diff"].iloc[1:] < -2 * table["diff_se"].iloc[1:]).all()
    assert table["log_bayes_factor"].iloc[0] == 0
    assert table["log_bayes_factor"].iloc[1] < -10


@pytest.mark.filterwarnings("ignore::bayesbias.errors.DataWarning")
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # ArviZ's own, with the newest pandas
@pytest.mark.filterwarnings("ignore:Estimated shape parameter")  # LOO leans on single pairs
def test_arviz_compares_models_of_the_same_observations():
    import arviz as az

    frame = bb.distances(bb.example_embedding(), "weat7")
    with pytest.raises(ValueError, match="observations"):
        az.compare({model: bb.fit(frame, model, seed=1).idata for model in ("maximal", "paper")})
    found = bb.compare_models(frame, ["maximal", "paper"], seed=1)
    theirs = az.compare(found.idata)
    assert list(theirs.index) == found.table["model"].tolist()
    assert {len(fit.frame) for fit in found.fits.values()} == {len(found.fits["paper"].frame)}


def test_every_model_has_its_contrasts(comparison):
    found = comparison.contrasts
    assert found.columns[:2].tolist() == ["model", "contrast"]
    assert len(found) == 3 * 4
    for name, part in found.groupby("model"):
        own = comparison.fits[name].contrasts().table
        assert part.drop(columns="model").reset_index(drop=True).equals(own)
    # Where the same attributes meet all words, a model without their effects is too sure.
    widths = (found["high"] - found["low"]).groupby([found["model"], found["contrast"]]).first()
    assert widths["crossed", "human − neutral"] > 1.5 * widths["paper", "human − neutral"]


def test_elpd_is_the_sum_of_predictive_densities(comparison):
    """For a model of few parameters LOO is near the in-sample density less the parameters."""
    row = comparison.table.set_index("model").loc["complete-pooling"]
    fit = comparison.fits["complete-pooling"]
    values = log_likelihood(thinned(fit.posterior, 1000), fit.design).to_numpy()
    values = values.reshape(1000, -1).astype(float)
    in_sample = (np.logaddexp.reduce(values, axis=0) - np.log(1000)).sum()
    assert row["p_loo"] == pytest.approx(in_sample - row["elpd_loo"], rel=0.02)
    assert 4 < row["p_loo"] < 14  # four means and four standard deviations
    assert row["n_bad_k"] == 0


def test_it_can_be_read_and_drawn(comparison):
    assert "crossed" in repr(comparison)
    again = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert (len(again["models"]), len(again["contrasts"])) == (3, 12)
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
