"""Student-t noise by Gibbs: against dense algebra, quadrature, the normal limit, and NUTS."""

import numpy as np
import pytest
from alike import absolute
from samples import SEED, irregular_frame, make_frame
from scipy import stats

import bayesbias as bb
from bayesbias.errors import SamplingInterrupted
from bayesbias.inference.block import Block, blocks_of
from bayesbias.inference.design import Design
from bayesbias.inference.gibbs import sample_gibbs
from bayesbias.inference.parameters import samples
from bayesbias.inference.weighted import WeightedEffects
from bayesbias.support.compatibility import ess_and_rhat


def block_of_stereotypes(frame):
    spec = absolute("maximal")
    design = Design.from_frame(frame, spec)
    return Block(design, spec, blocks_of(design)[0])


@pytest.mark.parametrize("regular", [True, False])
def test_effects_have_the_dense_conditional(regular):
    """5,000 draws at once: mean within 5 standard errors, variance within 5% of the dense one."""
    frame = make_frame(n_words=6) if regular else irregular_frame(2)
    block = block_of_stereotypes(frame)
    structure, n = block.whole().structure, len(block.response)
    rng = np.random.default_rng(3)
    weight, precision = rng.gamma(2.0, 100.0, n), rng.gamma(2.0, 50.0, structure.n_effects)
    z = np.zeros((n, structure.n_effects))
    for column in structure.columns:
        acts = np.flatnonzero(column >= 0)
        z[acts, column[acts]] += 1.0
    y = block.response - block.mean
    covariance = np.linalg.inv(np.diag(precision) + z.T @ (weight[:, None] * z))
    expected = covariance @ z.T @ (weight * y)
    draws = 5_000
    found = WeightedEffects(structure).draw(
        np.repeat(precision[:, None], draws, axis=1),
        np.repeat(weight[:, None], draws, axis=1),
        y[:, None],
        rng,
    )
    sd = np.sqrt(np.diag(covariance))
    assert (np.abs(found.mean(axis=1) - expected) < 5 * sd / np.sqrt(draws)).all()
    np.testing.assert_allclose(found.std(axis=1), sd, rtol=0.05)
    correlation = covariance / np.outer(sd, sd)
    np.testing.assert_allclose(np.corrcoef(found), correlation, atol=5 / np.sqrt(draws))


def effective(posterior, name):
    return float(ess_and_rhat(posterior[name])["ess_bulk"].min())


def test_one_connection_is_the_integral():
    """A mean, a noise and degrees of freedom, integrated on a grid."""
    frame = make_frame(n_words=4, n_attributes={"human": 12}, seed=4)
    rng = np.random.default_rng(4)
    frame["cosine_distance"] = 1.0 + 0.05 * rng.standard_t(3, len(frame))
    spec = absolute("maximal-student-t").replace(terms=())
    design = Design.from_frame(frame, spec)
    posterior, _, _ = sample_gibbs(design, spec, draws=800, tune=50, chains=4, seed=1 + SEED)
    mean = np.linspace(0.93, 1.07, 51)[:, None, None]
    log_noise = np.linspace(np.log(0.015), np.log(0.15), 51)[None, :, None]
    log_nu = np.linspace(np.log(0.3), np.log(120), 51)[None, None, :]
    noise, nu = np.exp(log_noise), np.exp(log_nu)
    density = stats.norm.logpdf(mean, 1.0, 0.3) + spec.noise.prior.log_density(noise) + log_noise
    density = density + spec.degrees_of_freedom.log_density(nu) + log_nu
    for y in design.response:
        density = density + stats.t.logpdf(y, nu, mean, noise)
    density = np.exp(density - density.max())
    for name, grid in (
        ("connection_mean", mean),
        ("noise_sd", log_noise),
        ("degrees_of_freedom", log_nu),
    ):
        centre = (density * grid).sum() / density.sum()
        sd = np.sqrt((density * (grid - centre) ** 2).sum() / density.sum())
        draws = samples(posterior, name).ravel()
        draws = draws if name == "connection_mean" else np.log(draws)
        ess = effective(posterior, name)
        assert draws.mean() == pytest.approx(centre, abs=4 * sd / np.sqrt(ess))
        assert draws.std() == pytest.approx(sd, rel=4 / np.sqrt(2 * ess) + 0.01)


def test_ctrl_c_keeps_the_draws(monkeypatch):
    """At the fifth kept sweep; before the first there is nothing to keep."""
    from bayesbias.inference import gibbs

    frame = make_frame(n_words=4)
    for sweep, kept in ((7, 5), (1, 0)):

        def interrupted(items, *_, last=sweep):
            yield from list(items)[:last]
            raise KeyboardInterrupt

        monkeypatch.setattr(gibbs, "tracked", interrupted)
        with pytest.raises(SamplingInterrupted) as stop:
            bb.fit(frame, "maximal-student-t", seed=1, draws=20, tune=2)
        partial = stop.value.partial
        assert (0 if partial is None else partial.posterior.sizes["draw"]) == kept


@pytest.mark.sampling
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.errors.ConvergenceWarning")  # its error is counted
def test_agrees_with_nuts():
    frame = irregular_frame(6, n_words=6)
    gibbs = bb.fit(frame, "maximal-student-t", seed=1 + SEED, draws=2000)
    options = {"engine": "nuts", "seed": 2 + SEED, "progress": False}
    nuts = bb.fit(frame, "maximal-student-t", **options)
    for name in ("connection_mean", "word_mean", "noise_sd", "word_sd", "attribute_sd"):
        one, two = (ess_and_rhat(fit.posterior[name])["ess_bulk"] for fit in (gibbs, nuts))
        a, b = samples(gibbs.posterior, name), samples(nuts.posterior, name)
        error = np.sqrt(a.var(axis=0) / one.to_numpy() + b.var(axis=0) / two.to_numpy())
        assert (np.abs(a.mean(axis=0) - b.mean(axis=0)) < 4.5 * error).all(), name
