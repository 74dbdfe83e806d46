import dataclasses

import pytest

import bayesbias as bb
from bayesbias.errors import ModelError
from bayesbias.resources import data_folder
from bayesbias.spec import ModelSpec, Prior

PAPER = (data_folder("models") / "paper.toml").read_text(encoding="utf-8")


def test_the_papers_model():
    spec = bb.load_model("paper")
    assert spec.group_mean == Prior("normal", mean=1.0, sd=0.3)
    assert spec.word_sd == spec.noise_sd == Prior("exponential", rate=2.0)
    assert "word_mean[w, c] ~ Normal(group_mean[c], word_sd[c])" in spec.equations()
    assert bb.load_model(spec) is spec


def test_a_specification_survives_json():
    spec = bb.load_model("paper")
    assert ModelSpec.from_json(spec.to_json()) == spec


def test_the_id_follows_what_changes_the_posterior():
    spec = bb.load_model("paper")
    assert dataclasses.replace(spec, title="other", notes="more").id == spec.id
    assert dataclasses.replace(spec, word_sd=Prior("half_normal", sd=0.5)).id != spec.id


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('likelihood = "normal"', 'likelyhood = "normal"', "likelyhood: unknown key; did you mean"),
        ('likelihood = "normal"', 'likelihood = "gamma"', "likelihood = 'gamma'.*Valid: normal"),
        ("group_mean =", "group_man =", "priors.group_man: unknown key; did you mean 'group_mean'"),
        ('"exponential"', '"exponentail"', "did you mean 'exponential'"),
        ("rate = 2.0", "rate = -2.0", "rate = -2.0 must be finite"),
        ("rate = 2.0", 'rate = "two"', "priors.word_sd.rate: must be a number"),
        ("rate = 2.0", "rates = 2.0", "priors.word_sd.rates: unknown key; did you mean 'rate'"),
        ("rate = 2.0", "sd = 2.0", "exponential takes exactly: rate"),
        ('{ distribution = "normal", mean = 1.0, sd = 0.3 }', "3", "group_mean: must be such"),
        ('"exponential", rate = 2.0', '"normal", mean = 0, sd = 1', "needs a prior on positive"),
        ("[priors]", "[prior]", "prior: unknown key; did you mean 'priors'"),
        ('title = "The model of the Bayesian paper"', "", "title: is required"),
    ],
)  # fmt: skip
def test_errors_name_the_file_and_the_key(tmp_path, old, new, complaint):
    assert old in PAPER
    path = tmp_path / "mine.toml"
    path.write_text(PAPER.replace(old, new), encoding="utf-8")
    with pytest.raises(ModelError, match=complaint) as caught:
        bb.load_model(path)
    assert "mine" in str(caught.value)


def test_a_prior_that_is_missing(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("\n".join(x for x in PAPER.splitlines() if not x.startswith("noise_sd")))
    with pytest.raises(ModelError, match="priors: lacks 'noise_sd'"):
        bb.load_model(path)


def test_unknown_models_suggest_the_nearest():
    with pytest.raises(ModelError, match="did you mean 'paper'"):
        bb.load_model("papper")


def test_every_model_is_explained_in_the_folders_readme():
    text = (data_folder("models") / "README.md").read_text(encoding="utf-8")
    for name in bb.list_models():
        assert f"| `{name}` |" in text
