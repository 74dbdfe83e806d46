"""Models as TOML files: what is wrong is named by file, term and key."""

import dataclasses
import tomllib

import numpy as np
import pandas as pd
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import ModelError
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.design import Design
from bayesbias.inference.predictive import predictive_intervals
from bayesbias.support.shipped_data import data_folder

MAXIMAL = (data_folder("models") / "maximal.toml").read_text(encoding="utf-8")
SIMILAR = 'similar = ["attribute"]\n'
WORD = 'name = "word"\nby = ["protected_word"]'


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('likelihood = "normal"', 'likelyhood = "normal"', "likelyhood: unknown key; did you mean"),
        ('title = "Words', 'name = "Words', "name: unknown key"),
        ("[connection_mean]", "[conection_mean]", "conection_mean: unknown key; did you mean"),
        ("[[terms]]", "[[term]]", "term: unknown key; did you mean 'terms'"),
        ("[noise]", "[noise]\nby = 3", "noise.by: unknown key; Valid: prior, sd_by"),
        ("mean = 0.0, sd = 10.0 }", "mean = 0.0, sd = 10.0 }\nfixed = 1", "delete one of the two"),
        (
            'prior = { distribution = "normal"',
            'xior = { distribution = "normal"',
            "mean.xior: unkn",
        ),
        ("rate = 6.0", "rate = -2.0", "term 'word_list': prior: .*rate = -2.0 must be"),
        ("rate = 6.0", 'rate = "two"', "term 'word_list': prior.rate: must be a number"),
        ("rate = 6.0", "rates = 2.0", "prior.rates: unknown key; did you mean 'rate'"),
        ("rate = 6.0", "sd = 2.0", "exponential takes exactly: rate"),
        ('"exponential", rate = 6.0', '"exponentail", rate = 2.0', "did you mean 'exponential'"),
        (WORD, 'by = ["protected_word"]', "term number 1: lacks 'name'"),
        (WORD, 'name = "word"', "term 'word': lacks 'by'"),
        (WORD, WORD + "\nper = 1", "term 'word': per: unknown key"),
        (
            WORD,
            'name = "word"\nby = "protected_word"',
            "term 'word': by: must be a list of columns",
        ),
        ('["associated", "different"]', "[]", "connections: is empty; delete it for everywhere"),
        ("reference_words = true", 'reference_words = "yes"', "reference_words: must be true or f"),
        ("adapts = true", "adapts = 1", "adapts: must be true or false"),
        ("similar_share =", "similar_shar =", "noise.similar_shar: unknown key; did you mean"),
        ("similar_share = { d", "similar_share = { ", "noise.similar_share"),
        ("similar_share =", "similar_prior =", "similar_prior: is no longer .* replace"),
        ("alpha = 0.5", "alpha = 0", "noise.similar_share: beta: alpha = 0.0 must be"),
        ('prior_unit = "neutral_sd"', 'prior_unit = "sd"', "prior_unit = 'sd'"),
        ("mean = 0.0, sd = 10.0", "mean = 1.0, sd = 10.0", "with prior_unit it counts from the"),
        (WORD, WORD + "\nsimilar = true", "term 'word': similar: must be a list, such as"),
    ],
)
def test_errors_name_the_file_the_term_and_the_key(tmp_path, old, new, complaint):
    assert old in MAXIMAL
    path = tmp_path / "mine.toml"
    path.write_text(MAXIMAL.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ModelError, match=complaint) as caught:
        bb.load_model(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).count(str(path)) == 1


@pytest.mark.parametrize("table", ["connection_mean", "noise"])
def test_a_table_that_is_missing(tmp_path, table):
    path = tmp_path / "mine.toml"
    before, after = MAXIMAL.split(f"[{table}]\n")
    path.write_text(before + after.split("\n\n", 1)[1], encoding="utf-8")
    with pytest.raises(ModelError, match=f"{table}: is missing or empty"):
        bb.load_model(path)


def test_what_is_similar_is_read(tmp_path):
    path = tmp_path / "mine.toml"
    where = SIMILAR + 'similar_connections = ["human"]\n'
    path.write_text(MAXIMAL.replace(SIMILAR, where, 1), encoding="utf-8")
    found, spec = bb.load_model(path), bb.load_model("maximal")
    assert found.terms == spec.terms
    assert found.noise == dataclasses.replace(spec.noise, similar_connections=("human",))
    assert [term.name for term in found.terms if term.similar] == [
        "attribute",
        "protected_attribute",
        "group_attribute",
    ]
    path.write_text(MAXIMAL.replace(SIMILAR, "").replace("similar_share", "# "), encoding="utf-8")
    assert not bb.load_model(path).is_similar


def variants():
    return tomllib.loads((data_folder("models") / "variants.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", variants())
def test_a_variant_is_its_base_but_for_what_it_says(name):
    own = variants()[name]
    base, spec = bb.load_model(own["base"]), bb.load_model(name)
    named = {term["name"] for term in own.get("terms", [])} | set(own.get("without", []))
    assert named <= {term.name for term in base.terms}  # else a slip would change nothing
    if own.get("likelihood") == "student_t":
        base = base.without_similarity()
    before, after = base.to_dict(), spec.to_dict()
    terms = [before.pop("terms"), after.pop("terms")]
    same = [[term for term in found if term["name"] not in named] for found in terms]
    assert same[0] == same[1]
    said = {*own, "name", "title", "source", "notes"}
    changed = {key for key in before | after if before.get(key) != after.get(key)}
    assert changed <= said
    assert (spec.name, spec.title) == (name, own["title"])


def test_models_of_changes_are_centred_at_none():
    for name in ("change", "change-crossed", "change-maximal", "change-runs"):
        spec = bb.load_model(name)
        assert (spec.response, spec.connection_mean.mean) == ("change", 0.0)


def test_a_file_needs_no_terms(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MAXIMAL.split("[[terms]]")[0], encoding="utf-8")
    assert bb.load_model(path).terms == ()
    assert bb.load_model(path).name == "mine"


def test_what_is_no_model_is_refused():
    with pytest.raises(ModelError, match="list is not a model: give a name, or the path"):
        bb.load_model(["paper"])


def test_unknown_models_suggest_the_nearest():
    with pytest.raises(ModelError, match="did you mean 'paper'"):
        bb.load_model("papper")


def test_every_model_is_explained_in_the_folders_readme():
    text = (data_folder("models") / "README.md").read_text(encoding="utf-8")
    for name in bb.list_models():
        assert f"| `{name}` |" in text


def test_the_readmes_file_is_a_model_of_a_column_of_the_users_own(tmp_path):
    """Which is a term, with no code: the same pairs in three contexts, each shifted."""
    text = (data_folder("models") / "README.md").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    spec = bb.load_model(path)
    assert spec.own_columns == ("context",)
    shifts = {"news": -0.06, "fiction": 0.0, "law": 0.06}
    one = make_frame(n_words=4, word_sd=0.01, noise_sd=0.03)
    frame = pd.concat([one.assign(context=context) for context in shifts], ignore_index=True)
    frame["cosine_distance"] += frame["context"].map(shifts)
    frame["cosine_distance"] += np.random.default_rng(1).normal(0, 0.01, len(frame))
    design = Design.from_frame(frame, spec)
    posterior, _, _ = sample_collapsed(design, spec, draws=1000, chains=2, seed=1)
    effects = posterior["context_effect"].sel(context_level=list(shifts))
    difference = (effects - effects[..., 1]).mean(("chain", "draw")).to_numpy()
    np.testing.assert_allclose(difference, list(shifts.values()), atol=0.01)
    # The effect is part of what is predicted.
    predicted, _ = predictive_intervals(posterior, design, probs=(0.89,), interval="hpdi")
    means = [predicted[frame["context"] == context].mean() for context in shifts]
    np.testing.assert_allclose(np.array(means) - means[1], list(shifts.values()), atol=0.01)
