import numpy as np
import pytest
from scipy import stats

import bayesbias as bb
from bayesbias.errors import ModelError
from bayesbias.inference.specification import ModelSpec, Prior
from bayesbias.support.shipped_data import data_folder

PAPER = (data_folder("models") / "paper.toml").read_text(encoding="utf-8")


def test_the_papers_model():
    spec = bb.load_model("paper")
    assert spec.priors["group_mean"] == Prior("normal", mean=1.0, sd=0.3)
    assert spec.priors["word_sd"] == spec.priors["noise_sd"] == Prior("exponential", rate=2.0)
    assert "word_mean[w, c]      ~ Normal(group_mean[c], word_sd[c])" in spec.equations()
    assert bb.load_model(spec) is spec


def test_a_specification_survives_json():
    spec = bb.load_model("paper")
    assert ModelSpec.from_json(spec.to_json()) == spec


def test_the_id_follows_what_changes_the_posterior():
    spec = bb.load_model("paper")
    assert spec.replace(title="other", notes="more").id == spec.id
    assert spec.replace(priors={"word_sd": Prior("half_normal", sd=0.5)}).id != spec.id


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('likelihood = "normal"', 'likelyhood = "normal"', "likelyhood: unknown key; did you mean"),
        ('likelihood = "normal"', 'likelihood = "gamma"', "likelihood = 'gamma'.*Valid: normal"),
        ("group_mean =", "group_man =", "priors.group_man: unknown or unused; did you mean"),
        ('"exponential"', '"exponentail"', "did you mean 'exponential'"),
        ("rate = 2.0", "rate = -2.0", "rate = -2.0 must be finite"),
        ("rate = 2.0", 'rate = "two"', "priors.word_sd.rate: must be a number"),
        ("rate = 2.0", "rates = 2.0", "priors.word_sd.rates: unknown key; did you mean 'rate'"),
        ("rate = 2.0", "sd = 2.0", "exponential takes exactly: rate"),
        ('{ distribution = "normal", mean = 1.0, sd = 0.3 }', "3", "group_mean: must be such"),
        ('"exponential", rate = 2.0', '"normal", mean = 0, sd = 1', "word_sd needs one of: half_"),
        ('"normal", mean = 1.0, sd = 0.3', '"half_normal", sd = 1', "group_mean needs one of"),
        ("[priors]", "[prior]", "prior: unknown key; did you mean 'priors'"),
        ('title = "The model of the Bayesian paper"', "", "title: is required"),
        ('pooling = "partial"', 'pooling = "complete"', "priors.word_sd: unknown or unused"),
        ('effects = "none"', 'effects = "crossed"', "priors: lacks 'attribute_sd'"),
        ('likelihood = "normal"', 'likelihood = "student_t"', "priors: lacks 'degrees_of_freedom'"),
    ],
)  # fmt: skip
def test_errors_name_the_file_and_the_key(tmp_path, old, new, complaint):
    assert old in PAPER
    path = tmp_path / "mine.toml"
    path.write_text(PAPER.replace(old, new), encoding="utf-8")
    with pytest.raises(ModelError, match=complaint) as caught:
        bb.load_model(path)
    assert "mine" in str(caught.value)


def test_crossed_effects_need_partial_pooling():
    with pytest.raises(ModelError, match="needs pooling = 'partial'"):
        bb.load_model("crossed").replace(pooling="complete")


@pytest.mark.parametrize("name", bb.list_models())
def test_every_shipped_model_prints_its_mathematics(name):
    spec = bb.load_model(name)
    text = spec.equations()
    assert ModelSpec.from_json(spec.to_json()) == spec
    for parameter in spec.prior_names:
        assert f"{spec.priors[parameter]}" in text
    assert spec.is_gaussian == ("StudentT" not in text)


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


def test_a_prior_that_is_missing(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("\n".join(x for x in PAPER.splitlines() if not x.startswith("noise_sd")))
    with pytest.raises(ModelError, match="priors: lacks 'noise_sd'"):
        bb.load_model(path)


def test_what_is_no_model_is_refused():
    with pytest.raises(ModelError, match="list is no model: give a name, such as"):
        bb.load_model(["paper"])


def test_unknown_models_suggest_the_nearest():
    with pytest.raises(ModelError, match="did you mean 'paper'"):
        bb.load_model("papper")


def test_every_model_is_explained_in_the_folders_readme():
    text = (data_folder("models") / "README.md").read_text(encoding="utf-8")
    for name in bb.list_models():
        assert f"| `{name}` |" in text
