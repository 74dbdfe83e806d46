"""Every answer of a fit against dense algebra, on designs at random.

Given the standard deviations, a design is one multivariate normal: with X the effects of all terms
and their prior covariance P, distances are y ~ N(μ, V), V = Z P Zᵀ + noise, and an answer L X has
the mean L P Zᵀ V⁻¹ (y − μ) and the covariance L P Lᵀ − L P Zᵀ V⁻¹ Z P Lᵀ.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from alike import absolute, list_frame, profiles_for
from densities import alike_levels, loadings_levels, noise_covariance
from scipy import stats

from bayesbias.engine.adapting import adapt_model_to_data
from bayesbias.engine.block import every_block
from bayesbias.engine.predictive import draw_prior, laws_given_others
from bayesbias.fits.contrasts import contrasts_asked
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import with_covariates
from bayesbias.models.design import Design
from bayesbias.models.parameters import sds_of

MAXIMAL = absolute("maximal")


def some_frame(rng):
    """Groups of unequal sizes, lists with one owner, several or none, matched words or not.

    In one frame of three some pairs are missing, or one is repeated.
    """
    n_groups, n_lists = rng.integers(1, 7), rng.integers(1, 4)
    frame = list_frame(
        n_words=rng.integers(2, 5, n_groups) - (rng.random(n_groups) < 0.1),
        sizes=rng.integers(2, 6, n_lists),
        n_human=int(rng.integers(0, 5)),
        n_neutral=int(rng.integers(2, 6)),
        matched=rng.random() < 0.6,
        seed=int(rng.integers(1000)),
    )
    owner = rng.random((n_groups, n_lists)) < 0.4
    group = frame["group"].str[5:].astype(int).to_numpy()
    of_lists = frame["attribute_set"].str.startswith("list").to_numpy()
    lists = frame.loc[of_lists, "attribute_set"].str[4:].astype(int).to_numpy()
    names = np.where(owner[group[of_lists], lists], "associated", "different")
    names[~owner.any(axis=0)[lists]] = "unassigned"
    frame.loc[of_lists, "connection"] = names
    if rng.random() < 1 / 3:
        attrs = frame.attrs
        frame = frame[rng.random(len(frame)) < 0.9]
        frame = pd.concat([frame, frame.iloc[[3]]], ignore_index=True)
        frame.attrs = attrs
    return frame


def some_fit(seed):
    """A fit whose draws are two draws of the standard deviations from their priors."""
    rng = np.random.default_rng(seed)
    frame, spec = some_frame(rng), MAXIMAL
    if rng.random() < 0.5:
        for column, of in (("rare", "attribute"), ("long", "protected_word")):
            code, words = pd.factorize(frame[of])
            frame[column] = rng.standard_normal(len(words))[code]
        frame, spec = with_covariates(frame, spec, ["rare", "long"])
    profiles = profiles_for(frame, seed=seed) if rng.random() < 0.8 else None
    spec, _ = adapt_model_to_data(spec, frame, profiles)
    design = Design(frame, spec, profiles)
    drawn = draw_prior(spec, design, draws=2, rng=rng)
    names = [str(name) for name in drawn if str(name).endswith("_sd")]
    # Where the noise is a millionth of an effect, dense algebra has no digits left.
    draws = xr.Dataset({name: drawn[name].clip(0.01, 0.3) for name in names})
    settings = {"engine": "collapsed"}
    return Fit(
        spec=spec,
        frame=frame,
        design=design,
        draws=draws,
        sample_stats=xr.Dataset(),
        settings=settings,
        seed=1,
    )


def dense_parts(fit, draw):
    """Regressors and prior covariance of all effects, and the covariance of the noise."""
    design = fit.design
    point = {str(name): v.to_numpy()[0, draw] for name, v in fit.draws.data_vars.items()}
    point.pop("noise_total_sd", None)  # its two parts are used
    columns, blocks = [], []
    for term in design.terms:
        z = np.zeros((len(design.response), len(term.labels)))
        on = np.flatnonzero(term.acts)
        z[on, term.level[on]] = 1.0 if term.x is None else term.x[on]
        sd = np.atleast_1d(point.get(f"{term.name}_sd", term.fixed_sd)).ravel()[term.sd]
        near = loadings_levels(design, term)
        columns.append(z)
        blocks.append(np.outer(sd, sd) * alike_levels(design, term) + near @ near.T)
    prior = np.zeros((sum(map(len, blocks)),) * 2)
    start = 0
    for block in blocks:
        at = slice(start, start := start + len(block))
        prior[at, at] = block
    return np.hstack(columns), prior, noise_covariance(point, design)


def dense_answers(fit, draw, part):
    """Means and sds of linear functions, given the standard deviations of one draw."""
    design = fit.design
    z, prior, noise = dense_parts(fit, draw)
    covariance = z @ prior @ z.T + noise
    of_means = len(design.connections)
    rows = part.toarray()[:, of_means:]
    gain = np.linalg.solve(covariance, z @ prior @ rows.T).T
    mean = gain @ (design.response - design.fixed_mean)
    variance = np.einsum("fi,ij,fj->f", rows, prior, rows)
    variance -= np.einsum("fp,pf->f", gain, z @ prior @ rows.T)
    return mean + part[:, :of_means].sum(axis=1) * design.fixed_mean, np.sqrt(variance)


def compare(seed):
    fit = some_fit(seed)
    design = fit.design
    centre, scale = laws_given_others(fit.draws, design, fit.spec)
    for draw in (0, 1):
        z, prior, noise = dense_parts(fit, draw)
        covariance, from_mean = z @ prior @ z.T + noise, design.response - design.fixed_mean
        law = stats.multivariate_normal(np.full(len(z), design.fixed_mean), covariance)
        precision = np.linalg.inv(covariance)
        np.testing.assert_allclose(scale[draw], np.diag(precision) ** -0.5, rtol=1e-10)
        others = design.response - precision @ from_mean / np.diag(precision)
        np.testing.assert_allclose(centre[draw], others, atol=1e-10)
        found = log_likelihood_of_sds(fit, draw)
        assert found == pytest.approx(law.logpdf(design.response), abs=1e-6)
    _, weights, *_ = contrasts_asked(design, pairs=True)
    table = fit.contrasts(pairs=True)
    assert len(table) == weights.shape[0]
    mean, sd = np.stack([dense_answers(fit, draw, weights) for draw in (0, 1)], axis=1)
    answered = (table["withheld"] == "").to_numpy()
    np.testing.assert_allclose(table["mean"][answered], mean.mean(axis=0)[answered], atol=1e-6)
    total = np.sqrt((sd**2).mean(axis=0) + mean.var(axis=0))
    np.testing.assert_allclose(table["sd"][answered], total[answered], atol=1e-6)
    return answered.sum()


def log_likelihood_of_sds(fit, draw):
    """The engine's log density of the distances given the standard deviations, over blocks."""
    sds = sds_of(fit.draws, fit.design)[:, [draw]]
    return sum(
        float(block.log_likelihood(sds[block.sds], sds[block.noise_sds])[0])
        for block in every_block(fit.design, fit.spec)
    )


def test_answers_are_those_of_dense_algebra():
    assert sum(compare(seed) for seed in range(12)) > 100


@pytest.mark.slow
def test_answers_of_many_designs_are_those_of_dense_algebra():
    assert sum(compare(seed) for seed in range(100, 300)) > 2000
