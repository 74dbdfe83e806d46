import dataclasses

import numpy as np
import pytest
from alike import absolute, designed, list_frame, with_profiles
from densities import alike_levels, loadings_levels, noise_covariance
from samples import make_frame
from scipy import stats

from bayesbias.inference.design import Design
from bayesbias.inference.model_files import load_model
from bayesbias.inference.parameters import derived, dimensions, labelled, samples
from bayesbias.inference.power_scaling import log_prior
from bayesbias.inference.predictive import (
    draw_predictive,
    draw_prior,
    likelihood_and_probability,
    log_likelihood,
    predictive_intervals,
    thinned,
)


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
        "word_effect": rng.normal(0.0, word_sd, (draws, len(design.terms[0].labels))),
    }
    values |= derived(values, design, rng)
    return labelled(values, design, load_model("paper"), draws=draws // 4, chains=4)


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


def test_the_prior_of_draws_is_that_of_what_they_have():
    """A specification asks for more than its data could give; that raised a KeyError."""
    design, spec = designed(make_frame(), "maximal")
    drawn = draw_prior(spec, design, draws=3, rng=np.random.default_rng(2))
    asked = absolute("maximal")
    assert set(asked.priors) - set(spec.priors) == {
        "protected_attribute_sd",
        "noise_total_sd",
        "noise_similar_share",
    }
    np.testing.assert_array_equal(log_prior(drawn, asked), log_prior(drawn, spec))


def test_the_prior_is_the_specifications():
    design, spec = designed(make_frame(), "maximal")
    prior = draw_prior(spec, design, draws=4000, rng=np.random.default_rng(2))
    assert list(prior.data_vars) == list(dimensions(design, spec))
    wide, middle, narrow = (
        stats.expon(scale=scale) for scale in (0.1 / 1.5, 0.05 / 1.5, 0.025 / 1.5)
    )
    for name, law in {
        "connection_mean": stats.norm(1.0, 1.0),
        "word_sd": wide,
        "word_list_sd": narrow,
        "attribute_sd": wide,
        "group_attribute_sd": middle,
        "noise_sd": wide,
    }.items():
        for values in samples(prior, name).reshape(4000, -1).T:
            assert stats.kstest(values, law.cdf).pvalue > 1e-4, name
    # Given the sds, effects are standard normal offsets.
    for term in design.terms:
        fixed = np.full((4000, 1), term.fixed_sd)
        sds = fixed if term.prior is None else samples(prior, f"{term.name}_sd").reshape(4000, -1)
        z = samples(prior, f"{term.name}_effect") / sds[:, term.sd]
        assert stats.kstest(z.ravel(), "norm").pvalue > 1e-4


def test_the_log_prior_is_that_of_the_stated_priors():
    for name in ("maximal", "no-pooling", "student-t"):
        design, spec = designed(make_frame(), name)
        drawn = draw_prior(spec, design, draws=3, rng=np.random.default_rng(2))
        expected = sum(
            prior.log_density(samples(drawn, parameter)).reshape(3, -1).sum(axis=1)
            for parameter, prior in spec.priors.items()
        )
        if name == "no-pooling":  # there the prior of the words is stated, as a fixed sd
            expected += stats.norm(0.0, 0.3).logpdf(samples(drawn, "word_effect")).sum(axis=1)
        if name == "maximal":  # and that of the groups
            of_groups = samples(drawn, "group_list_effect")
            expected += stats.norm(0.0, 0.05).logpdf(of_groups).sum(axis=1)
        np.testing.assert_allclose(log_prior(drawn, spec), expected)


def test_thinning_spreads_over_every_chain(design):
    posterior = fake_posterior(design, draws=400)
    few = thinned(posterior, 40)
    assert few.sizes["draw"] == 10
    assert few["draw"].to_numpy()[[0, -1]].tolist() == [0, 99]
    assert thinned(posterior, 10_000).sizes == posterior.sizes


@pytest.fixture(scope="module")
def alike():
    """A frame with profiles, its model, its design, and draws of its prior."""
    frame = with_profiles(list_frame(n_words=(3, 2), sizes=(4, 3), n_reference=2))
    spec = absolute("maximal")
    design = Design.from_frame(frame, spec)
    drawn = draw_prior(spec, design, draws=6, rng=np.random.default_rng(3))
    return frame, spec, design, drawn


def dense_law(drawn, design, draw):
    """Mean and covariance of all responses under a draw."""
    one = {str(name): v.to_numpy()[0, draw] for name, v in drawn.data_vars.items()}
    mean = one["connection_mean"][design.connection]
    for term in design.terms:
        mean = mean + np.where(term.acts, one[f"{term.name}_effect"][term.level], 0.0)
    return mean, noise_covariance(one, design)


def test_a_part_of_the_pairs_may_have_noise_that_is_not_alike(alike):
    """The neutral list of maximal, say; its pairs are then independent."""
    frame, spec, _, _ = alike
    listed = ("associated", "different", "human", "reference")
    spec = spec.replace(noise=dataclasses.replace(spec.noise, similar_connections=listed))
    design = Design.from_frame(frame, spec)
    drawn = draw_prior(spec, design, draws=3, rng=np.random.default_rng(4))
    assert drawn["noise_similar_sd"].shape == (1, 3, 3)
    plain = np.flatnonzero(design.noise == design.noise_labels.index("neutral"))
    mean, covariance = dense_law(drawn, design, 1)
    expected = stats.norm(mean, np.sqrt(np.diag(covariance))).logpdf(design.response)[plain]
    found = log_likelihood(drawn, design).to_numpy()[0, 1, plain]
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


def test_leaving_one_out_is_the_density_given_the_words_other_pairs(alike):
    """Density and probability of every pair, from the dense conditional of the word's pairs."""
    _, _, design, drawn = alike
    density = log_likelihood(drawn, design).to_numpy()[0]
    both, below = likelihood_and_probability(drawn, design)
    np.testing.assert_allclose(both, density, rtol=1e-6)
    for draw in (0, 4):
        mean, covariance = dense_law(drawn, design, draw)
        rest = design.response - mean
        for pair in range(0, len(rest), 3):
            others = np.flatnonzero(design.word == design.word[pair])
            others = others[others != pair]
            gain = np.linalg.solve(covariance[np.ix_(others, others)], covariance[others, pair])
            sd = np.sqrt(covariance[pair, pair] - gain @ covariance[others, pair])
            law = stats.norm(gain @ rest[others], sd)
            assert density[draw, pair] == pytest.approx(law.logpdf(rest[pair]), rel=1e-3, abs=2e-3)
            assert below[draw, pair] == pytest.approx(law.cdf(rest[pair]), abs=1e-3)


def test_what_is_drawn_is_as_alike_as_the_model_says(alike):
    """Effects of the prior and predicted noise, from many draws."""
    _, spec, design, _ = alike
    n = 4000
    drawn = draw_prior(spec, design, draws=n, rng=np.random.default_rng(5))
    for term in design.terms[3:]:
        sds = samples(drawn, f"{term.name}_sd").reshape(n, -1)
        z = samples(drawn, f"{term.name}_effect")
        near = loadings_levels(design, term)
        of_draw = sds[:, term.sd, None] * alike_levels(design, term) * sds[:, None, term.sd]
        of_draw += near @ near.T
        size = np.sqrt(np.einsum("dii->di", of_draw))
        z /= size
        expected = (of_draw / size[:, None] / size[..., None]).mean(axis=0)
        np.testing.assert_allclose(z.T @ z / n, expected, atol=6 * 2.5 / n**0.5)
    one = drawn.isel(draw=np.zeros(n, dtype=int)).assign_coords(draw=np.arange(n))
    predicted = draw_predictive(one, design, rng=np.random.default_rng(6)).to_numpy()[0]
    assert predicted.dtype == np.float32
    mean, covariance = dense_law(drawn, design, 0)
    sd = np.sqrt(np.diag(covariance))
    assert (np.abs(predicted.mean(axis=0) - mean) < 5 * sd / np.sqrt(n)).all()
    error = np.abs(np.cov(predicted.T) - covariance) / np.outer(sd, sd)
    assert error.max() < 6 * np.sqrt(2 / n)


def test_predictive_intervals_know_the_words_other_pairs(alike):
    """All draws the same: a pair is normal, with the dense conditional given the word's others."""
    _, _, design, drawn = alike
    one = drawn.isel(draw=np.zeros(1000, dtype=int)).assign_coords(draw=np.arange(1000))
    middle, (ends,) = predictive_intervals(one, design, probs=(0.89,), interval="eti")
    mean, covariance = dense_law(drawn, design, 0)
    precision = np.linalg.inv(covariance)
    expected = design.response - precision @ (design.response - mean) / np.diag(precision)
    np.testing.assert_allclose(middle, expected, rtol=1e-4)
    truth = stats.norm(expected, np.diag(precision) ** -0.5)
    covered = truth.cdf(ends[:, 1]) - truth.cdf(ends[:, 0])
    np.testing.assert_allclose(covered, 0.89, atol=0.01)
