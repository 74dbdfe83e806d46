"""What a model says, before any data: terms, noise, priors, round trips."""

import json

import numpy as np
import pytest
from scipy import stats

import bayesbias as bb
from bayesbias.errors import ModelError
from bayesbias.inference.priors import Prior
from bayesbias.inference.specification import ModelSpec, with_term
from bayesbias.inference.terms import NoiseSpec, TermSpec

SD = Prior("exponential", rate=10.0)
UNIT = Prior("exponential", rate=1.5)
SHARE = Prior("beta", alpha=0.5, beta=0.5)
MEAN = Prior("normal", mean=1.0, sd=0.3)


def test_the_papers_model_is_one_term():
    spec = bb.load_model("paper")
    (word,) = spec.terms
    assert (word.by, word.sd_by) == (("protected_word", "connection"), "connection")
    assert spec.connection_mean == MEAN
    assert spec.priors["word_sd"] == spec.priors["noise_sd"] == Prior("exponential", rate=2.0)


def test_change_has_the_terms_of_maximal():
    """`test_equations` has them all."""
    spec, change = (bb.load_model(name) for name in ("maximal", "change-maximal"))
    assert spec.noise == NoiseSpec(UNIT, "pair_kind", ("attribute",), SHARE)
    assert spec.reference_words
    assert change.noise == spec.noise
    assert change.term("group_attribute").sum_to_zero == ("group",)
    assert change.terms == with_term(spec, "group_attribute", sum_to_zero=("group",)).terms
    assert change.connection_mean == Prior("normal", mean=0.0, sd=3.0)
    assert change.response == "change"


def test_maximal_with_heavy_tails_has_attributes_that_are_not_alike():
    spec, heavy = bb.load_model("maximal"), bb.load_model("maximal-student-t")
    assert heavy.terms == spec.without_similarity().terms
    assert heavy.noise == NoiseSpec(UNIT, "pair_kind")
    assert spec.is_similar
    assert not heavy.is_similar
    assert not spec.without_similarity().is_similar


@pytest.mark.parametrize("name", bb.list_models())
def test_every_shipped_model_survives_json(name):
    spec = bb.load_model(name)
    assert ModelSpec.from_json(spec.to_json()) == spec
    assert hash(ModelSpec.from_json(spec.to_json())) == hash(spec)
    assert json.loads(spec.to_json())["name"] == name


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"noise": 3}', '{"noise": {"prior": {"a": 1}}}'])
def test_damaged_json_is_an_error_of_the_model(text):
    with pytest.raises(ModelError, match="not a model's JSON"):
        ModelSpec.from_json(text)


def test_json_of_an_older_model_says_what_to_write():
    text = bb.load_model("maximal").to_json().replace("similar_share", "similar_prior")
    with pytest.raises(ModelError, match=r"similar_prior is no longer .* replace"):
        ModelSpec.from_json(text)


def test_a_share_has_the_density_of_scipys_beta():
    prior, x = Prior("beta", alpha=0.5, beta=2.0), np.array([1e-4, 0.3, 0.999])
    law = stats.beta(0.5, 2.0)
    np.testing.assert_allclose(prior.log_density(x), law.logpdf(x))
    z = np.log(x / (1 - x))
    np.testing.assert_allclose(
        prior.log_density_of_logit(z), law.logpdf(x) + np.log(x * (1 - x)), rtol=1e-10
    )
    drawn = prior.draw(np.random.default_rng(1), (4000,))
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-3


def test_the_id_follows_what_changes_the_posterior():
    spec = bb.load_model("maximal")
    assert spec.replace(name="mine", title="other", notes="more").id == spec.id
    others = [
        spec.replace(priors={"word_sd": Prior("half_normal", sd=0.5)}),
        spec.replace(connection_mean=Prior("normal", mean=0.0, sd=1.0)),
        spec.in_unit(0.1, 1.0),
        spec.in_unit(0.1, 0.9),
        spec.replace(noise=NoiseSpec(SD)),
        spec.without(["group_attribute"]),
        spec.replace(noise=spec.noise.alone()),
        spec.replace(noise=NoiseSpec(UNIT, "pair_kind", ["attribute"], SHARE, ["human"])),
        spec.replace(priors={"noise_similar_share": Prior("beta", alpha=1.0, beta=1.0)}),
        spec.without_similarity(),
        spec.replace(reference_words=False),
        bb.load_model("maximal-student-t"),
    ]
    assert len({spec.id, *(other.id for other in others)}) == 1 + len(others)


def test_priors_are_replaced_by_parameter():
    prior = Prior("half_normal", sd=0.5)
    spec = bb.load_model("student-t")
    for name in ("word_sd", "noise_sd", "degrees_of_freedom"):
        assert spec.replace(priors={name: prior}).priors == {**spec.priors, name: prior}
    spec = bb.load_model("maximal")
    for name in ("noise_total_sd", "protected_attribute_sd"):
        assert spec.replace(priors={name: prior}).priors == {**spec.priors, name: prior}
    even = Prior("beta", alpha=1.0, beta=1.0)
    changed = spec.replace(priors={"noise_similar_share": even})
    assert changed.priors == {**spec.priors, "noise_similar_share": even}
    with pytest.raises(ModelError, match="no prior of 'noise_sd'"):
        spec.replace(priors={"noise_sd": prior})
    spec = bb.load_model("student-t")
    with pytest.raises(ModelError, match="no prior of 'words_sd'; did you mean 'word_sd'"):
        spec.replace(priors={"words_sd": prior})
    with pytest.raises(ModelError, match="connection_mean: prior: needs a normal one"):
        spec.replace(priors={"connection_mean": prior})


def test_what_is_fixed_has_no_prior():
    assert list(bb.load_model("no-pooling").priors) == ["noise_sd"]


def test_own_columns_are_those_that_the_package_does_not_make():
    terms = [TermSpec("run", ["run", "protected_word"], SD), TermSpec("x", ["embedding"], SD)]
    spec = bb.load_model("paper").replace(terms=terms, noise=NoiseSpec(SD, "layer"))
    assert spec.own_columns == ("run", "layer")


def test_all_connections_are_everywhere():
    everywhere = ("neutral", "reference", "human", "different", "associated")
    assert TermSpec("word", ["group"], SD, connections=everywhere).connections == ()
    assert TermSpec("word", ["group"], SD).acts_on("reference")
    listed = TermSpec("word", ["group"], SD, connections=everywhere[3:])
    assert listed.connections == ("associated", "different")
    assert listed.acts_on("associated")
    assert not listed.acts_on("reference")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"name": "Word"}, "term 'Word': name: must be lower-case"),
        ({"name": "noise"}, "term 'noise': name: is taken"),
        ({"by": []}, "term 'word': by: names no column"),
        ({"by": "group"}, "term 'word': by: must be a list"),
        ({"by": ["group", "group"]}, "by: names a column twice"),
        ({"connections": ["asociated"]}, "'asociated' is none; did you mean 'associated'"),
        ({"connections": "human"}, "connections: must be a list"),
        ({"sd": 0.3}, "prior: give this or sd, not both"),
        ({"prior": None}, "prior: give one"),
        ({"prior": MEAN}, "prior: is of a standard deviation; needs one of: half_normal"),
        ({"prior": None, "sd": 0.0}, "sd: 0.0 must be finite and above 0"),
        ({"prior": None, "sd": 0.1, "sd_by": "group"}, "sd_by: a fixed sd is one number"),
        ({"similar": "attribute"}, "term 'word': similar: must be a list, such as"),
        ({"similar": ["group"]}, "similar: 'group' has none.*Valid: attribute"),
        ({"similar": ["atribute"]}, "'atribute' has none; did you mean 'attribute'"),
        ({"similar": ["attribute"]}, "similar: names a column that is not in by; add it there"),
    ],
)
def test_a_bad_term_is_named(arguments, complaint):
    with pytest.raises(ModelError, match=complaint):
        TermSpec(**({"name": "word", "by": ["group"], "prior": SD} | arguments))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"prior": MEAN}, "noise: prior: is of a standard deviation; needs one of: half_normal"),
        ({"sd_by": ["group"]}, "noise: sd_by: must be the name of one column"),
        ({"similar": ["attribute"]}, "similar and similar_share go together; give both or neither"),
        ({"similar_share": SHARE}, "similar and similar_share go together; give both or neither"),
        ({"similar": ["attribute"], "similar_share": SD}, "noise: similar_share: is between 0 and"),
        (
            {"similar": "attribute", "similar_share": SHARE},
            "noise: similar: must be a list, such as",
        ),
        ({"similar": 3, "similar_share": SHARE}, "noise: similar: must be a list, such as"),
        ({"similar": ["group"], "similar_share": SHARE}, "noise: similar: 'group' has none"),
        (
            {"similar": ["attribute"], "similar_share": SHARE, "similar_connections": ["humn"]},
            "'humn' is none; did you mean 'human'",
        ),
        (
            {"similar": ["attribute"], "similar_share": SHARE, "similar_connections": "human"},
            "similar_connections: must be a list",
        ),
    ],
)
def test_bad_noise_is_named(arguments, complaint):
    with pytest.raises(ModelError, match=complaint):
        NoiseSpec(**({"prior": SD} | arguments))


def test_noise_alone_has_no_similar_part():
    noise = NoiseSpec(SD, "group", ["attribute"], SHARE, ["human"])
    assert noise.alone() == NoiseSpec(SD, "group")
    assert noise.alone().to_dict() == {"sd_by": "group", "prior": SD.to_dict()}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"likelihood": "gamma"}, "likelihood = 'gamma'.*Valid: normal, student_t"),
        ({"response": "distance"}, "response = 'distance'; did you mean 'cosine_distance'"),
        ({"likelihood": "student_t"}, "needs \\[degrees_of_freedom\\]"),
        ({"degrees_of_freedom": SD}, "only with likelihood 'student_t'"),
        ({"connection_mean": SD}, "connection_mean: prior: needs a normal one"),
        ({"connection_mean": float("nan")}, "connection_mean: must be"),
        ({"terms": [TermSpec("a", ["group"], SD)] * 2}, "two terms are called 'a'"),
    ],
)
def test_a_bad_model_is_named(changes, complaint):
    with pytest.raises(ModelError, match=f"model 'paper': .*{complaint}"):
        bb.load_model("paper").replace(**changes)


def test_a_model_shows_its_equations():
    spec = bb.load_model("paper")
    assert repr(spec).startswith("paper: The model of the Bayesian paper\n")
    assert "word_mean[w, c]     =  connection_mean[c]\n" in repr(spec)
    assert "<td" in spec._repr_html_()
    assert "connection\\_mean" in spec.to_latex()
    assert spec.to_frame()["parameter"].tolist() == list(spec.priors)
    assert spec.to_dict()["terms"][0]["name"] == "word"


@pytest.mark.parametrize(
    ("prior", "law"),
    [
        (Prior("normal", mean=1.0, sd=0.3), stats.norm(1.0, 0.3)),
        (Prior("half_normal", sd=0.5), stats.halfnorm(scale=0.5)),
        (Prior("exponential", rate=2.0), stats.expon(scale=0.5)),
        (Prior("gamma", shape=2.0, rate=0.1), stats.gamma(2.0, scale=10.0)),
    ],
)
def test_priors_are_scipys(prior, law):
    x = np.array([0.01, 0.4, 3.0])
    np.testing.assert_allclose(prior.log_density(x), law.logpdf(x))
    draws = prior.draw(np.random.default_rng(0), (4000,))
    assert stats.kstest(draws, law.cdf).pvalue > 1e-4
    assert Prior(**prior.to_dict()) == prior
