import numpy as np
import pytest
from alike import designed, list_frame, profiles_for
from densities import alike_levels, loadings_levels
from samples import make_frame
from scipy import stats

from bayesbias.engine.predictive import (
    draw_predictive,
    draw_prior,
    laws_given_others,
    log_likelihood,
    predictive_intervals,
    thinned,
)
from bayesbias.models.parameters import axes, samples


def repeated(drawn, times):
    """Every draw as often."""
    draws = np.repeat(np.arange(drawn.sizes["draw"]), times)
    return drawn.isel(draw=draws).assign_coords(draw=np.arange(len(draws)))


@pytest.fixture(scope="module")
def drawn():
    """Draws of a prior, and what they are of."""
    frame = list_frame(n_words=(3, 2), sizes=(4, 3), matched=True)
    design, spec = designed(frame, "maximal", profiles_for(frame))
    return draw_prior(spec, design, draws=2, rng=np.random.default_rng(3)), design, spec


def mixture_of(drawn, design, spec):
    """The probability of less than values (..., n_pairs), and the density of the responses."""
    laws = [stats.norm(*law) for law in zip(*laws_given_others(drawn, design, spec), strict=True)]
    return lambda x: np.mean([law.cdf(x) for law in laws], axis=0), laws


@pytest.mark.parametrize("prob", [0.3, 0.5, 0.89, 0.95])
@pytest.mark.parametrize("interval", ["hdi", "eti"])
def test_predictive_intervals_have_their_probability(drawn, prob, interval):
    """Also where draws differ much, so that the predictive distribution is a mixture."""
    middle, ends = predictive_intervals(
        repeated(drawn[0], 100), *drawn[1:], prob=prob, interval=interval
    )
    (below, _), (low, high) = mixture_of(*drawn), ends.T
    np.testing.assert_allclose(middle, laws_given_others(*drawn)[0].mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(below(high) - below(low), prob, atol=0.02)
    assert (below(high) - below(low)).mean() == pytest.approx(prob, abs=0.005)
    if interval == "eti":
        np.testing.assert_allclose(below(low), (1 - prob) / 2, atol=0.01)


def test_log_likelihood_and_draws_are_of_the_laws_given_others(drawn):
    n = 4000
    below, laws = mixture_of(*drawn)
    given = laws_given_others(*drawn)
    density = log_likelihood(drawn[0], given, drawn[1].response).to_numpy()[0]
    for found, law in zip(density, laws, strict=True):
        np.testing.assert_allclose(found, law.logpdf(drawn[1].response), rtol=1e-5, atol=1e-5)
    posterior = repeated(drawn[0], n // 2)
    repeatedly = laws_given_others(posterior, *drawn[1:])
    made = draw_predictive(posterior, repeatedly, rng=np.random.default_rng(7)).to_numpy()[0]
    z = stats.norm.ppf(below(made))
    assert np.abs(z.mean(axis=0)).max() < 5 / n**0.5
    assert np.abs(z.std(axis=0) - 1).max() < 5 / (2 * n) ** 0.5


def test_the_prior_is_the_specifications():
    design, spec = designed(make_frame(), "maximal")
    prior = draw_prior(spec, design, draws=4000, rng=np.random.default_rng(2))
    assert list(prior.data_vars) == list(axes(design))
    wide, middle, narrow = (
        stats.expon(scale=scale) for scale in (0.1 / 1.5, 0.05 / 1.5, 0.025 / 1.5)
    )
    for name, law in {
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


def test_effects_of_the_prior_are_as_alike_as_the_model_says():
    n, frame = 4000, list_frame(n_words=(3, 2), sizes=(4, 3), matched=True)
    design, spec = designed(frame, "maximal", profiles_for(frame))
    drawn = draw_prior(spec, design, draws=n, rng=np.random.default_rng(5))
    for term in (term for term in design.terms if term.similar):
        sds = samples(drawn, f"{term.name}_sd").reshape(n, -1)
        z = samples(drawn, f"{term.name}_effect")
        near = loadings_levels(design, term)
        of_draw = sds[:, term.sd, None] * alike_levels(design, term) * sds[:, None, term.sd]
        of_draw += near @ near.T
        size = np.sqrt(np.einsum("dii->di", of_draw))
        z /= size
        expected = (of_draw / size[:, None] / size[..., None]).mean(axis=0)
        np.testing.assert_allclose(z.T @ z / n, expected, atol=6 * 2.5 / n**0.5)


def test_thinning_spreads_over_every_chain():
    design, spec = designed(make_frame(), "paper")
    drawn = draw_prior(spec, design, draws=100, rng=np.random.default_rng(0))
    posterior = drawn.isel(chain=[0] * 4).assign_coords(chain=range(4))
    few = thinned(posterior, 40)
    assert few.sizes["draw"] == 10
    assert few["draw"].to_numpy()[[0, -1]].tolist() == [0, 99]
    assert thinned(posterior, 10_000).sizes == posterior.sizes
