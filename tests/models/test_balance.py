"""Effects that sum to 0 over groups: their root, what draws and models make of it, and changes."""

import numpy as np
import pytest
from alike import (
    dense_covariance,
    designed,
    list_frame,
    named_sds,
    profiles_for,
    standard_deviations,
)
from densities import alike_levels, as_written
from scipy import stats

from bayesbias.engine.block import every_block
from bayesbias.engine.collapsed import integrate_blocks
from bayesbias.engine.predictive import draw_prior
from bayesbias.errors import ModelError
from bayesbias.fits.contrasts import contrasts_asked
from bayesbias.fits.decision import exact_posteriors
from bayesbias.models.design import Design, root_of_balanced
from bayesbias.models.parameters import samples
from bayesbias.models.pymc_models import pymc_model
from bayesbias.models.specification import with_term


def summing(spec, name="group_attribute"):
    return with_term(spec, name, sum_to_zero=("group",))


def design_of_three(*, alike):
    frame = list_frame(n_words=(3, 2, 2), sizes=(3, 3, 2))
    profiles = profiles_for(frame) if alike else None
    spec = summing(designed(frame, "maximal", profiles)[1])
    return Design(frame, spec, profiles), spec


def test_a_root_is_one_where_some_groups_are_missing_too():
    """Sets of three, two and one of three groups."""
    root = root_of_balanced(np.array([0, 1, 0, 2, 1, 0]), 3)
    expected = np.eye(6)
    for members in ([0, 2, 5], [1, 4]):
        for one in members:
            for other in members:
                expected[one, other] = 1.0 if one == other else -0.5
    found = root.toarray()
    np.testing.assert_allclose(found @ found, expected, atol=1e-15)
    np.testing.assert_allclose(found, found.T)
    z = np.random.default_rng(0).standard_normal((6, 4))
    assert np.abs((root @ z)[[0, 2, 5]].sum(axis=0)).max() < 1e-14


@pytest.mark.parametrize("alike", [True, False])
def test_prior_draws_sum_to_zero_over_groups(alike):
    """At every attribute; each has the variance sd²."""
    design, spec = design_of_three(alike=alike)
    n = 4000
    drawn = draw_prior(spec, design, draws=n, rng=np.random.default_rng(1))
    (term,) = [term for term in design.terms if term.name == "group_attribute"]
    sds = samples(drawn, f"{term.name}_sd").reshape(n, -1)[:, term.sd]
    z = samples(drawn, f"{term.name}_effect") / sds
    attribute = np.array(term.columns["attribute"])
    for one in set(attribute):
        at = attribute == one
        assert at.sum() == 3
        assert np.abs(z[:, at].sum(axis=1)).max() < 1e-12
    expected = alike_levels(design, term)
    size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(z.T @ z / n / size, expected / size, atol=6 * 1.5 / n**0.5)


@pytest.mark.parametrize("alike", [True, False])
def test_the_sampled_form_has_the_same_covariance(alike):
    """The effects as a linear map of independent numbers, whose products are the covariance."""
    design, spec = design_of_three(alike=alike)
    model = pymc_model(spec, design, non_centred=True)
    (term,) = [term for term in design.terms if term.name == "group_attribute"]
    inputs = [model["group_attribute_raw"], model["group_attribute_sd"]]
    of = model.compile_fn(
        model["group_attribute_effect"], inputs=inputs, mode=as_written(), point_fn=False
    )
    unit = np.ones(len(term.sd_labels))
    root = np.stack([of(z, unit) for z in np.eye(len(term.labels))], axis=1)
    np.testing.assert_allclose(root @ root.T, alike_levels(design, term), atol=1e-7)


def test_what_groups_share_is_no_scatter_of_single_groups():
    """Two groups whose attributes moved by x and −x: a contrast is √2 times as uncertain."""
    frame = list_frame(n_words=(8, 8), sizes=(8, 8), n_human=0, n_neutral=0)
    profiles = profiles_for(frame)
    rng = np.random.default_rng(3)
    moved = dict(zip(frame["attribute"].unique(), 0.05 * rng.standard_normal(16), strict=True))
    sign = np.where(frame["group"] == "group0", 1.0, -1.0)
    noise = 0.005 * rng.standard_normal(len(frame))
    frame["change"] = sign * frame["attribute"].map(moved) + noise
    sds, evidence = [], []
    for columns in (("group",), ()):
        _, spec = designed(frame, "change-maximal", profiles)
        spec = with_term(spec, "group_attribute", sum_to_zero=columns)
        design = Design(frame, spec, profiles)
        draws, _, record = integrate_blocks(design, spec, draws=1000, chains=1)
        _, weights, *_ = contrasts_asked(design)
        sds.append(exact_posteriors(draws, design, spec, weights)[0].sd)
        evidence.append(record["log_marginal_likelihood"])
    assert sds[0] / sds[1] == pytest.approx(2**0.5, rel=0.1)
    assert evidence[0] > evidence[1] + 5


def test_words_have_changes_on_lists_of_nobody():
    """Five groups, two lists: the density is that of what the pairs of a word share."""
    frame = list_frame(n_words=(2, 1, 2, 1, 2), sizes=(3, 2), n_human=0, n_neutral=0)
    frame = frame.assign(connection="unassigned", change=frame["cosine_distance"] - 1)
    design, spec = designed(frame, "change-maximal")
    (block,) = every_block(design, spec)
    effects, noise = standard_deviations(block, seed=4)
    sds = named_sds(design, block, effects[:, 0], noise[:, 0])
    assert sds["word"][""] > 0
    covariance = dense_covariance(frame, spec, sds)
    law = stats.multivariate_normal(np.zeros(len(frame)), covariance)
    expected = law.logpdf(frame["change"])
    assert block.log_likelihood(effects, noise)[0] == pytest.approx(expected, rel=1e-8)


def test_several_standard_deviations_are_refused():
    frame = list_frame()
    spec = designed(frame, "maximal")[1]
    spec = with_term(spec, "group_attribute", sd_by="group", sum_to_zero=("group",))
    with pytest.raises(ModelError, match="have several standard deviations"):
        Design(frame, spec)
