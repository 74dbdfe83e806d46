import numpy as np
import pytest
from samples import make_frame
from scipy import stats

from bayesbias.inference.design import Design
from bayesbias.inference.model_files import load_model
from bayesbias.inference.parameters import dimensions, labelled, samples
from bayesbias.inference.power_scaling import log_prior
from bayesbias.inference.predictive import (
    draw_predictive,
    draw_prior,
    log_likelihood,
    predictive_intervals,
    thinned,
)
from bayesbias.inference.priors import Prior
from bayesbias.inference.terms import NoiseSpec, TermSpec
from bayesbias.inference.word_means import derived


@pytest.fixture(scope="module")
def design():
    return Design.from_frame(make_frame(), load_model("paper"))


def fake_posterior(design, *, draws=1000, word_sd=0.01, seed=0):
    """Draws with known truth: word means near .9, noise sd exactly .1."""
    rng = np.random.default_rng(seed)
    values = {
        "connection_mean": np.full((draws, 4), 0.9),
        "word_sd": np.full((draws, 4), word_sd),
        "noise_sd": np.full((draws, 4), 0.1),
        "word_effect": rng.normal(0.0, word_sd, (draws, design.terms[0].n_levels)),
    }
    values |= derived(values, design, rng)
    return labelled(values, design, load_model("paper"), draws=draws // 4, chains=4)


def test_log_likelihood_is_the_normal_density(design):
    posterior = fake_posterior(design, draws=8)
    values = log_likelihood(posterior, design)
    assert values.dims == ("chain", "draw", "pair")
    mean = posterior["word_mean"].to_numpy()[1, 0, design.word, design.connection]
    expected = stats.norm(mean, 0.1).logpdf(design.response)
    np.testing.assert_allclose(values[1, 0], expected, rtol=1e-4, atol=1e-5)


def own_spec():
    """Two terms by a column of the user's own, one of which does not act on the controls."""
    prior = Prior("exponential", rate=10.0)
    terms = [
        TermSpec("run", ["run"], prior, connections=["associated", "different"]),
        TermSpec("group_run", ["group", "run"], prior, sd_by="group"),
    ]
    spec = load_model("student-t")
    return spec.replace(terms=terms, noise=NoiseSpec(prior, "run"))


@pytest.mark.parametrize("spec", [load_model("maximal"), load_model("no-pooling"), own_spec()])
def test_draws_and_densities_follow_the_terms(spec):
    """Against sums over the pairs, one by one."""
    frame = make_frame(n_words=3)
    frame["run"] = np.resize([1, 2, 3], len(frame))
    design = Design.from_frame(frame, spec)
    drawn = draw_prior(spec, design, draws=2, rng=np.random.default_rng(0))
    one = {name: v.to_numpy()[0, 1] for name, v in drawn.data_vars.items()}
    density = log_likelihood(drawn, design).to_numpy()[0, 1]
    for i in range(0, len(frame), 7):
        row = frame.loc[i]
        mean = design.fixed_mean
        if mean is None:
            mean = one["connection_mean"][design.connections.index(row.connection)]
        for term, found in zip(spec.terms, design.terms, strict=True):
            if term.acts_on(row.connection):
                label = " × ".join(str(row[column]) for column in term.by)
                mean += one[f"{term.name}_effect"][found.labels.index(label)]
        noise = np.atleast_1d(one["noise_sd"])[design.noise[i]]
        nu = one.get("degrees_of_freedom")
        law = stats.norm(mean, noise) if nu is None else stats.t(nu, mean, noise)
        assert density[i] == pytest.approx(law.logpdf(row.cosine_distance), rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("prob", [0.5, 0.89, 0.95])
@pytest.mark.parametrize("interval", ["hpdi", "eti"])
@pytest.mark.parametrize("word_sd", [0.0, 0.02, 0.1])
def test_predictive_intervals_have_their_probability(design, prob, interval, word_sd):
    """With normal word means the predictive distribution is normal too, with known sd."""
    posterior = fake_posterior(design, draws=1000, word_sd=word_sd)
    mean, (other, ends) = predictive_intervals(
        posterior, design, probs=(0.3, prob), interval=interval
    )
    truth = stats.norm(0.9, np.hypot(0.1, word_sd))
    covered = truth.cdf(ends[:, 1]) - truth.cdf(ends[:, 0])
    assert (truth.cdf(other[:, 1]) - truth.cdf(other[:, 0])).mean() == pytest.approx(0.3, abs=0.004)
    cells = np.unique(covered)
    assert cells.mean() == pytest.approx(prob, abs=0.004)
    assert np.abs(cells - prob).max() < 0.04
    assert mean == pytest.approx(0.9, abs=0.02)


def test_predicted_draws_have_the_right_spread(design):
    posterior = fake_posterior(design, draws=400)
    draws = draw_predictive(posterior, design, rng=np.random.default_rng(1))
    assert draws.dtype == np.float32
    n = draws.size
    assert float(draws.std()) == pytest.approx(np.hypot(0.1, 0.01), rel=5 / np.sqrt(2 * n))


def test_the_prior_is_the_specifications():
    spec = load_model("maximal")
    design = Design.from_frame(make_frame(), spec)
    prior = draw_prior(spec, design, draws=4000, rng=np.random.default_rng(2))
    assert list(prior.data_vars) == list(dimensions(design, spec))
    wide, middle, narrow = (stats.expon(scale=scale) for scale in (0.1, 0.05, 0.025))
    for name, law in {
        "connection_mean": stats.norm(1.0, 0.3),
        "word_sd": wide,
        "word_connection_sd": narrow,
        "attribute_sd": wide,
        "group_attribute_sd": middle,
        "noise_sd": wide,
    }.items():
        for values in samples(prior, name).reshape(4000, -1).T:
            assert stats.kstest(values, law.cdf).pvalue > 1e-4, name
    # Given the sds, effects are standard normal offsets.
    for term in design.terms:
        sds = samples(prior, f"{term.name}_sd").reshape(4000, -1)
        z = samples(prior, f"{term.name}_effect") / sds[:, term.sd]
        assert stats.kstest(z.ravel(), "norm").pvalue > 1e-4


def test_the_log_prior_is_that_of_the_stated_priors():
    for name in ("maximal", "no-pooling", "student-t"):
        spec = load_model(name)
        design = Design.from_frame(make_frame(), spec)
        drawn = draw_prior(spec, design, draws=3, rng=np.random.default_rng(2))
        expected = sum(
            prior.log_density(samples(drawn, parameter)).reshape(3, -1).sum(axis=1)
            for parameter, prior in spec.priors.items()
        )
        if name == "no-pooling":  # there the prior of the words is stated, as a fixed sd
            expected += stats.norm(0.0, 0.3).logpdf(samples(drawn, "word_effect")).sum(axis=1)
        np.testing.assert_allclose(log_prior(drawn, spec), expected)


def test_thinning_spreads_over_every_chain(design):
    posterior = fake_posterior(design, draws=400)
    few = thinned(posterior, 40)
    assert few.sizes["draw"] == 10
    assert few["draw"].to_numpy()[[0, -1]].tolist() == [0, 99]
    assert thinned(posterior, 10_000).sizes == posterior.sizes
