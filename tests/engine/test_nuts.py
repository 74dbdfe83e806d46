"""The sampled form has the posterior of the plain model: the same density but for the Jacobian."""

import numpy as np
import pytest
from alike import absolute, designed, list_frame, profiles_for
from densities import alike_levels, as_written, density_of
from samples import make_frame

import bayesbias as bb
from bayesbias.engine.nuts import NutsSettings, sample_nuts
from bayesbias.models.design import Design
from bayesbias.models.parameters import axes
from bayesbias.models.pymc_models import pymc_model
from bayesbias.models.terms import Prior, TermSpec

SMALL = {"associated": 2, "different": 2, "human": 3, "neutral": 1}


def by_group():
    """Every connection meets both standard deviations."""
    term = TermSpec("word", ["protected_word"], Prior("exponential", rate=10.0), sd_by="group")
    return bb.load_model("crossed").replace(name="by-group", terms=[term])


def jacobian(point, design):
    """The log of d(plain parameters) / d(sampled values), but for constants."""
    sds = [np.atleast_1d(point.get(f"{t.name}_sd", t.fixed_sd))[t.sd] for t in design.terms]
    return sum(np.log(of_term).sum() for of_term in sds)


@pytest.mark.parametrize(
    "spec",
    [*(absolute(name) for name in ("maximal", "no-pooling")), by_group()],
    ids=lambda spec: spec.name,
)
def test_densities_differ_by_the_jacobian(spec):
    frame = make_frame(n_words=4, n_attributes=SMALL)
    compare_densities(*designed(frame, spec))


def test_densities_of_what_is_alike_differ_by_the_jacobian():
    """No constant but that of the similarity's roots, which the sampled form leaves out."""
    frame = list_frame(n_words=(2, 2), sizes=(2, 2), n_human=2, matched=True)
    design, spec = designed(frame, "maximal", profiles_for(frame))
    # Level and deviations of a kind, the mean of every list, and how two lists are apart.
    assert design.alike.common_loadings.shape[1] == 3 * 2 + 4 + 1
    roots = sum(0.5 * np.linalg.slogdet(alike_levels(design, term))[1] for term in design.terms)
    compare_densities(design, spec, roots)


def test_densities_with_slopes_differ_by_the_jacobian():
    frame = make_frame(n_words=4, n_attributes=SMALL)
    frame["rare"] = np.random.default_rng(3).standard_normal(len(frame))
    spec = bb.load_model("crossed")
    free = Prior("exponential", rate=10.0)
    slopes = (
        TermSpec("rarity", ["attribute_kind"], sd=0.1, of="rare"),
        TermSpec("by_group", ["group"], free, of="rare"),
    )
    spec = spec.replace(terms=(*spec.terms, *slopes))
    design = Design(frame, spec)
    compare_densities(design, spec)


def compare_densities(design, spec, constant=0.0):
    rng = np.random.default_rng(0)
    model = pymc_model(spec, design, non_centred=True)
    log_density = model.compile_logp(jacobian=False, mode=as_written())
    deterministics = model.compile_fn(
        model.replace_rvs_by_values(model.deterministics),
        inputs=model.value_vars,
        on_unused_input="ignore",
        mode=as_written(),
    )
    differences = []
    for _ in range(2):
        values = {k: rng.normal(v, 0.5) for k, v in model.initial_point().items()}
        point = {
            v.name: x for v, x in zip(model.deterministics, deterministics(values), strict=True)
        }
        point |= {k.removesuffix("_log__"): np.exp(v) for k, v in values.items() if "_log__" in k}
        odds = {k: np.exp(v) for k, v in values.items() if k.endswith("_logodds__")}
        point |= {k.removesuffix("_logodds__"): v / (1 + v) for k, v in odds.items()}
        point |= {k: v for k, v in values.items() if not k.endswith("__")}
        expected = density_of(point, design, spec) + jacobian(point, design)
        differences.append(log_density(values) - expected - constant)
    np.testing.assert_allclose(differences, 0.0, atol=1e-5)


@pytest.mark.sampling
@pytest.mark.slow
def test_nuts_stores_the_posterior_of_the_plain_model():
    frame = make_frame(n_words=4, n_attributes=SMALL)
    design, spec = designed(frame, "maximal")
    settings = NutsSettings(draws=50, tune=100, chains=2)
    posterior, _, _ = sample_nuts(design, spec, settings, seed=1, progress=False)
    assert list(posterior.data_vars) == list(axes(design))
    assert posterior["group_attribute_effect"].dims[-1] == "group_attribute_level"
    mean = posterior["word_mean"].isel(protected_word=0).sel(connection="neutral")
    levels = {
        "kind": "neutral",
        "group_kind": "group0 × neutral",
        "list": "neutral × neutral",
        "group_list": "group0 × neutral × neutral",
        "word_list": "word0 × neutral × neutral",
    }
    of = (posterior[f"{n}_effect"].sel({f"{n}_level": at}, drop=True) for n, at in levels.items())
    np.testing.assert_allclose(mean, design.fixed_mean + sum(of))
