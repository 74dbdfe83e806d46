"""What a model says, before any data: terms, noise, priors, round trips."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from alike import lacking, named_term
from scipy import stats

import bayesbias as bb
from bayesbias.errors import ModelError
from bayesbias.models.specification import ModelSpec, with_term
from bayesbias.models.terms import NoiseSpec, Prior, TermSpec

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


def test_changes_have_the_terms_of_levels_but_sum_to_zero():
    spec, change = (bb.load_model(name) for name in ("maximal", "change-maximal"))
    assert change.noise == spec.noise == NoiseSpec(UNIT, "attribute_kind", SHARE)
    shared = ("word", "word_list", "attribute")
    for name in shared:
        assert named_term(change, name) == named_term(spec, name)
    summed = with_term(spec, "group_attribute", sum_to_zero=("group",))
    assert named_term(change, "group_attribute") == named_term(summed, "group_attribute")


def written(prior):
    return f"{prior.title}({', '.join(f'{value:g}' for value in prior.parameters.values())})"


@pytest.mark.parametrize(("column", "name"), [(1, "maximal"), (2, "change-maximal")])
def test_the_documented_priors_are_those_of_the_models(column, name):
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    lines = page.split("| parameter | `maximal` |")[1].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    documented = {"mean": rows[0][column], "share": rows[-1][column]}
    for row in rows[1:-1]:
        documented |= dict.fromkeys(re.findall("`(.*?)`", row[0]), row[column])
        documented |= {"noise": row[column]} if "noise" in row[0] else {}
    spec = bb.load_model(name)
    mean, noise = spec.connection_mean, spec.noise
    expected = {term.name: written(term.prior) for term in spec.terms if term.prior}
    expected |= {term.name: f"Normal(0, {term.sd:g})" for term in spec.terms if term.sd}
    expected |= {"noise": written(noise.prior), "share": written(noise.similar_share)}
    expected |= {
        "mean": written(mean) if isinstance(mean, Prior) else "0, from the mean of all pairs"
    }
    assert {key: value for key, value in documented.items() if value != "–"} == expected


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


def test_the_id_follows_what_changes_the_posterior():
    spec = bb.load_model("maximal")
    assert spec.replace(name="mine", title="other", notes="more").id == spec.id
    others = [
        spec.replace(priors={"word_sd": Prior("half_normal", sd=0.5)}),
        spec.replace(connection_mean=Prior("normal", mean=0.0, sd=1.0)),
        spec.in_unit(0.1, 1.0),
        spec.in_unit(0.1, 0.9),
        spec.replace(noise=NoiseSpec(SD)),
        lacking(spec, ["group_attribute"]),
        spec.replace(noise=spec.noise.alone()),
        spec.replace(noise=NoiseSpec(UNIT, "attribute_kind", SHARE, ["human"])),
        spec.replace(priors={"noise_similar_share": Prior("beta", alpha=1.0, beta=1.0)}),
        spec.without_similarity(),
    ]
    assert len({spec.id, *(other.id for other in others)}) == 1 + len(others)


def test_priors_are_replaced_by_parameter():
    half, even = Prior("half_normal", sd=0.5), Prior("beta", alpha=1.0, beta=1.0)
    for model, name, prior in (
        ("paper", "word_sd", half),
        ("paper", "noise_sd", half),
        ("maximal", "noise_total_sd", half),
        ("maximal", "match_attribute_sd", half),
        ("maximal", "noise_similar_share", even),
    ):
        spec = bb.load_model(model)
        assert spec.replace(priors={name: prior}).priors == {**spec.priors, name: prior}
    for model, name, complaint in (
        ("maximal", "noise_sd", "no prior of 'noise_sd'"),
        ("maximal", "words_sd", "no prior of 'words_sd'; did you mean 'word_sd'"),
        ("paper", "connection_mean", "connection_mean: prior: needs a normal one"),
    ):
        with pytest.raises(ModelError, match=complaint):
            bb.load_model(model).replace(priors={name: half})


def test_own_columns_are_those_that_the_package_does_not_make():
    terms = [TermSpec("run", ["run", "protected_word"], SD), TermSpec("x", ["embedding"], SD)]
    spec = bb.load_model("paper").replace(terms=terms, noise=NoiseSpec(SD, "layer"))
    assert spec.own_columns == ("run", "embedding", "layer")


def test_all_connections_are_everywhere():
    everywhere = ("neutral", "unassigned", "human", "different", "associated")
    assert TermSpec("word", ["group"], SD, connections=everywhere).connections == ()
    listed = TermSpec("word", ["group"], SD, connections=everywhere[3:])
    assert listed.connections == ("associated", "different")


def term(**changes):
    return TermSpec(**({"name": "word", "by": ["group"], "prior": SD} | changes))


def noise(**changes):
    return NoiseSpec(**({"prior": SD} | changes))


def paper(**changes):
    return bb.load_model("paper").replace(**changes)


HUMN = {"similar_share": SHARE, "similar_connections": ["humn"]}
HUMAN = {"similar_connections": ["human"]}


@pytest.mark.parametrize(
    ("make", "arguments", "complaint"),
    [
        (term, {"name": "Word"}, "term 'Word': name: must be lower-case"),
        (term, {"name": "noise"}, "term 'noise': name: is taken"),
        (term, {"by": []}, "term 'word': by: names no column"),
        (term, {"by": ["group", "group"]}, "by: names a column twice"),
        (term, {"connections": ["asociated"]}, "'asociated' is none; did you mean 'associated'"),
        (term, {"sd": 0.3}, "prior: give this or sd, not both"),
        (term, {"prior": None}, "prior: give one"),
        (term, {"prior": MEAN}, "prior: is of a standard deviation; needs one of: half_normal"),
        (term, {"prior": None, "sd": 0.0}, "sd: 0.0 must be finite and above 0"),
        (term, {"prior": None, "sd": 0.1, "sd_by": "group"}, "sd_by: a fixed sd is one number"),
        (term, {"similar": ["attribute"]}, "similar: must be true or false"),
        (term, {"similar": True}, "similar: is by attribute; add it to by"),
        (term, {"similar": True, "of": "rare"}, "similar: goes with effects, not with slopes"),
        (term, {"of": ["rare"]}, "of: must be the name of one column"),
        (term, {"name": "near"}, "term 'near': name: is taken"),
        (term, {"sum_to_zero": "group"}, 'sum_to_zero: must be a list, such as \\["group"\\]'),
        (term, {"sum_to_zero": ["race"]}, "sum_to_zero: must be some of the columns of by"),
        (term, {"sum_to_zero": ["group"]}, "sum_to_zero: must be some of the columns"),
        (term, {"sum_to_zero": ["group"], "of": "rare"}, "goes with effects, not with slopes"),
        (noise, {"prior": MEAN}, "noise: prior: is of a standard deviation; needs one of: half_"),
        (noise, {"sd_by": ["group"]}, "noise: sd_by: must be the name of one column"),
        (noise, {"similar_share": SD}, "similar_share: is between 0 and 1"),
        (noise, HUMAN, "noise: similar_connections: needs similar_share"),
        (noise, HUMN, "'humn' is none; did you mean 'human'"),
        (paper, {"response": "distance"}, "response = 'distance'; did you mean 'cosine_distance'"),
        (paper, {"connection_mean": SD}, "connection_mean: prior: needs a normal one"),
        (paper, {"connection_mean": float("nan")}, "connection_mean: must be"),
        (paper, {"terms": [TermSpec("a", ["group"], SD)] * 2}, "two terms are called 'a'"),
    ],
)
def test_a_bad_part_is_named(make, arguments, complaint):
    with pytest.raises(ModelError, match=complaint):
        make(**arguments)


@pytest.mark.parametrize(
    ("prior", "law"),
    [
        (Prior("normal", mean=1.0, sd=0.3), stats.norm(1.0, 0.3)),
        (Prior("half_normal", sd=0.5), stats.halfnorm(scale=0.5)),
        (Prior("exponential", rate=2.0), stats.expon(scale=0.5)),
        (Prior("gamma", shape=2.0, rate=0.1), stats.gamma(2.0, scale=10.0)),
        (Prior("beta", alpha=0.5, beta=2.0), stats.beta(0.5, 2.0)),
    ],
)
def test_priors_are_scipys(prior, law):
    x = np.array([0.01, 0.4, 0.999])
    np.testing.assert_allclose(prior.log_density(x), law.logpdf(x))
    draws = prior.draw(np.random.default_rng(0), (4000,))
    assert stats.kstest(draws, law.cdf).pvalue > 1e-4
    if prior.distribution == "beta":  # its share enters as the logarithm of its odds
        found = prior.log_density_of_logit(np.log(x / (1 - x)))
        np.testing.assert_allclose(found, law.logpdf(x) + np.log(x * (1 - x)), rtol=1e-10)


def test_a_formula_has_every_term():
    numbers = TermSpec("rank", [], SD, of="rank")
    spec = bb.load_model("maximal")
    spec = spec.replace(terms=(*spec.terms, numbers))
    assert spec.formula.splitlines() == [
        "distance ~ offset(0)",
        "  + attribute_kind",
        "  + group:attribute_kind",
        "  + attribute_kind:list",
        "  + group:attribute_kind:list",
        "  + (0 + [associated, different, unassigned] | word)",
        "  + (1 | gr(word:attribute_kind:list, by = attribute_kind))",
        "  + (0 + [associated, different, unassigned] | match)",
        "  + (1 | gr(match:attribute_kind:list, by = attribute_kind))",
        "  + (1 | gr(attribute, by = attribute_kind, cov = K))",
        "  + (1 | gr(group:attribute, by = attribute_kind, cov = K))",
        "  + (1 | gr(match:attribute, by = attribute_kind, cov = K))",
        "  + rank",
        "sigma ~ attribute_kind",
    ]
    fixed = bb.load_model("no-pooling").formula
    assert fixed.startswith("distance ~ offset(1)\n  + word:connection")
    assert bb.load_model("change-maximal").formula.startswith("change ~ ")
