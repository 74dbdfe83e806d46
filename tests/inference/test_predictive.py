import numpy as np
import pytest
import xarray as xr
from samples import make_frame
from scipy import stats

from bayesbias.inference.design import Design
from bayesbias.inference.model_files import load_model
from bayesbias.inference.predictive import (
    draw_predictive,
    draw_prior,
    log_likelihood,
    predictive_intervals,
    thinned,
)


@pytest.fixture(scope="module")
def design():
    return Design.from_frame(make_frame())


def fake_posterior(design, *, draws=1000, word_sd=0.01, seed=0):
    """Draws with known truth: word means near .9, noise sd exactly .1."""
    rng = np.random.default_rng(seed)
    shape = (4, draws // 4)
    n_words, n_connections = len(design.protected_words), len(design.connections)
    return xr.Dataset(
        {
            "word_mean": (
                ("chain", "draw", "protected_word", "connection"),
                rng.normal(0.9, word_sd, (*shape, n_words, n_connections)),
            ),
            "noise_sd": (("chain", "draw", "connection"), np.full((*shape, n_connections), 0.1)),
        },
        coords={"draw": np.arange(shape[1]), "chain": np.arange(4)},
    )


def test_design_indexes_words_and_connections_in_order(design):
    assert design.protected_words == tuple(f"word{i}" for i in range(6))
    assert design.connections == ("associated", "different", "human", "neutral")
    assert design.cell_counts.tolist() == [[5, 6, 15, 20]] * 6
    frame = make_frame()
    expected = frame.groupby(["protected_word", "connection"])["cosine_distance"].mean()
    np.testing.assert_allclose(design.cell_means[2, 3], expected["word2", "neutral"])


def test_log_likelihood_is_the_normal_density(design):
    posterior = fake_posterior(design, draws=8)
    values = log_likelihood(posterior, design)
    assert values.dims == ("chain", "draw", "pair")
    mean = posterior["word_mean"].to_numpy()[1, 0, design.word, design.connection]
    expected = stats.norm(mean, 0.1).logpdf(design.response)
    np.testing.assert_allclose(values[1, 0], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("prob", [0.5, 0.89, 0.95])
@pytest.mark.parametrize("interval", ["hpdi", "eti"])
@pytest.mark.parametrize("word_sd", [0.0, 0.02, 0.1])
def test_predictive_intervals_have_their_probability(design, prob, interval, word_sd):
    """With normal word means the predictive distribution is normal too, with known sd."""
    posterior = fake_posterior(design, draws=1000, word_sd=word_sd)
    values = predictive_intervals(posterior, design, prob=prob, interval=interval)
    truth = stats.norm(0.9, np.hypot(0.1, word_sd))
    covered = truth.cdf(values[:, 2]) - truth.cdf(values[:, 1])
    cells = np.unique(covered)
    assert cells.mean() == pytest.approx(prob, abs=0.004)
    assert np.abs(cells - prob).max() < 0.04
    assert values[:, 0] == pytest.approx(0.9, abs=0.02)


def test_predicted_draws_have_the_right_spread(design):
    posterior = fake_posterior(design, draws=400)
    draws = draw_predictive(posterior, design, rng=np.random.default_rng(1))
    assert draws.dtype == np.float32
    n = draws.size
    assert float(draws.std()) == pytest.approx(np.hypot(0.1, 0.01), rel=5 / np.sqrt(2 * n))


def test_the_prior_is_the_specifications(design):
    spec = load_model("paper")
    prior = draw_prior(spec, design, draws=4000, rng=np.random.default_rng(2))
    assert prior["word_mean"].sizes == {
        "chain": 1, "draw": 4000, "protected_word": 6, "connection": 4,
    }  # fmt: skip
    for name, law in {
        "group_mean": stats.norm(1.0, 0.3),
        "word_sd": stats.expon(scale=0.5),
        "noise_sd": stats.expon(scale=0.5),
    }.items():
        for c in range(4):
            assert stats.kstest(prior[name][0, :, c], law.cdf).pvalue > 1e-4, name
    # Given group mean and word sd, word means are standard normal offsets.
    z = (prior["word_mean"] - prior["group_mean"]) / prior["word_sd"]
    assert stats.kstest(z.to_numpy().ravel(), "norm").pvalue > 1e-4


def test_thinning_spreads_over_every_chain(design):
    posterior = fake_posterior(design, draws=400)
    few = thinned(posterior, 40)
    assert few.sizes["draw"] == 10
    assert few["draw"].to_numpy()[[0, -1]].tolist() == [0, 99]
    assert thinned(posterior, 10_000).sizes == posterior.sizes
