"""The model as PyMC sees it: its log-density is scipy's, its variables are the fit's.

Nothing is sampled.
"""

import dataclasses

import numpy as np
import pytest
from alike import absolute, designed, list_frame, profiles_for
from densities import as_written, density_of, likelihood_of, point_of
from samples import in_copies, make_frame

import bayesbias as bb
from bayesbias.engine.predictive import draw_prior
from bayesbias.models.design import Design
from bayesbias.models.parameters import axes
from bayesbias.models.pymc_models import pymc_model
from bayesbias.models.specification import with_term
from bayesbias.models.terms import NoiseSpec, Prior, TermSpec

pytestmark = pytest.mark.usefixtures("uncompiled")

SMALL = {"associated": 2, "different": 2, "human": 3, "neutral": 3}


def frame_of(spec):
    frame = make_frame(n_words=4, n_attributes=SMALL)
    frame["run"] = np.resize([1, 2, 3], len(frame))
    copied = list(spec.own_columns)
    frame = in_copies(frame, copied)
    frame["change"] = frame["cosine_distance"] - 0.9
    frame["rare"] = np.random.default_rng(3).standard_normal(len(frame))
    return frame


def own_model():
    """A term by a column of the user's own, with its sd by group, on some connections; a slope."""
    prior = Prior("half_normal", sd=0.2)
    where = ["associated", "different"]
    term = TermSpec("run", ["group", "run"], prior, sd_by="group", connections=where)
    slope = TermSpec("rarity", ["attribute_kind"], sd=0.1, of="rare")
    spec = bb.load_model("crossed").replace(name="own", terms=[term, slope])
    return spec.replace(noise=NoiseSpec(prior, "run"))


SPECS = [
    *(absolute(name) for name in ("maximal", "no-pooling", "change-maximal")),
    own_model(),
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_log_density_is_scipys(spec):
    frame = frame_of(spec)
    design, spec = designed(frame, spec)
    found, likelihood, drawn, point = densities_of(spec, design)
    assert found == pytest.approx(density_of(point, design, spec), rel=1e-8)
    assert likelihood == pytest.approx(likelihood_of(point_of(drawn), design), rel=1e-5)


def densities_of(spec, design):
    """PyMC's log density of draws from the prior and of the responses alone, and these draws."""
    model = pymc_model(spec, design)
    drawn = draw_prior(spec, design, draws=1, rng=np.random.default_rng(0))
    point = {v.name: drawn[v.name].to_numpy()[0, 0] for v in model.free_RVs}
    names = {v.name: model.rvs_to_values[v].name for v in model.free_RVs}
    # Positive variables enter as their logarithms, shares as those of their odds.
    to = {"log__": np.log, "logodds__": lambda v: np.log(v / (1 - v))}
    values = {
        names[k]: next((f for end, f in to.items() if names[k].endswith("_" + end)), np.asarray)(v)
        for k, v in point.items()
    }
    found = model.compile_logp(jacobian=False, mode=as_written())(values)
    likelihood = model.compile_logp(vars=model.observed_RVs, jacobian=False, mode=as_written())(
        values
    )
    return found, likelihood, drawn, point


@pytest.mark.parametrize("similar", ["effects", "effects and noise", "noise of some", "sums"])
def test_log_density_of_what_is_alike_is_the_dense_one(similar):
    frame = list_frame(matched=True)
    profiles, spec = profiles_for(frame), absolute("maximal")
    if similar == "effects":
        spec = spec.replace(noise=spec.noise.alone())
    if similar == "sums":
        spec = with_term(spec, "group_attribute", sum_to_zero=("group",))
    if similar == "noise of some":
        noise = dataclasses.replace(spec.noise, similar_connections=("human",))
        spec = spec.replace(noise=noise)
    design = Design(frame, spec, profiles)
    found, likelihood, drawn, point = densities_of(spec, design)
    assert found == pytest.approx(density_of(point, design, spec), rel=1e-7)
    assert likelihood == pytest.approx(likelihood_of(point_of(drawn), design), rel=1e-5)
    assert ("noise_similar_share" in point) is (similar != "effects")


def test_attributes_of_fewer_directions_have_a_density_too():
    """Their similarity has no inverse: a word's effects are drawn with a little noise."""
    frame = list_frame(matched=True)
    spec = absolute("maximal")
    spec = spec.replace(noise=spec.noise.alone())
    design = Design(frame, spec, profiles_for(frame, n_sample=3))
    assert np.isfinite(densities_of(spec, design)[0])


@pytest.mark.parametrize("name", [*bb.list_models(), "alike", "alike in part"])
def test_free_variables_are_the_parameters_of_a_fit(name):
    alike = {"alike": "attribute_kind", "alike in part": "noise_similar_sd_attribute_kind"}
    frame, profiles = frame_of(bb.load_model("maximal" if name in alike else name)), None
    if name in alike:  # of fewer directions than attributes, a part of the noise is left out
        frame = list_frame(matched=True)
        profiles = profiles_for(frame, n_sample=40 if name == "alike" else 5)
    design, spec = designed(frame, "maximal" if name in alike else name, profiles)
    model = pymc_model(spec, design)
    wanted = {name: tuple(dims) for name, dims in axes(design).items()}
    assert wanted.get("noise_similar_sd") == ((alike[name],) if name in alike else None)
    del wanted["word_mean"]
    if name in alike:  # these follow from the whole and the share
        del wanted["noise_sd"], wanted["noise_similar_sd"]
    if design.fixed_mean is not None:  # there connection means follow from the effects
        del wanted["connection_mean"]
    assert {v.name: tuple(model.named_vars_to_dims.get(v.name, ())) for v in model.free_RVs} == (
        wanted
    )


def test_coordinates_are_words():
    frame = make_frame(n_words=3)
    design, spec = designed(frame, "maximal")
    model = pymc_model(spec, design)
    assert list(model.coords["protected_word"]) == ["word0", "word1", "word2"]
    assert list(model.coords["connection"]) == ["associated", "different", "human", "neutral"]
    assert model.coords["group_attribute_level"][0] == "group0 × associated0"
    assert len(model.coords["pair"]) == len(frame)
