"""Models as TOML files: what is wrong is named by file, term and key."""

import numpy as np
import pandas as pd
import pytest
from alike import lacking
from samples import make_frame

import bayesbias as bb
from bayesbias.engine.collapsed import integrate_blocks, with_effects
from bayesbias.engine.predictive import predictive_intervals
from bayesbias.errors import ModelError
from bayesbias.models.design import Design
from bayesbias.support.bounded_files import data_folder

MAXIMAL = (data_folder("models") / "maximal.toml").read_text(encoding="utf-8")
WORD = 'name = "word"\nby = ["protected_word"]'


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            'prior_unit = "neutral_sd"',
            'prior_unt = "neutral_sd"',
            "prior_unt: unknown key; did you mean",
        ),
        ('title = "Cell', 'name = "Cell', "name: unknown key"),
        ("[connection_mean]", "[conection_mean]", "conection_mean: unknown key; did you mean"),
        ("[noise]", "[noise]\nby = 3", "noise.by: unknown key; Valid: prior, sd_by"),
        ("fixed = 0.0", "fixed = 0.0\nprior = 1", "delete one of the two"),
        ("fixed = 0.0", "fxed = 0.0", "connection_mean.fxed: unknown key; did you mean 'fixed'"),
        ("rate = 6.0", "rate = -2.0", "term 'word_list': prior: .*rate = -2.0 must be"),
        ("rate = 6.0", "sd = 2.0", "exponential takes exactly: rate"),
        ('"exponential", rate = 6.0', '"exponentail", rate = 2.0', "did you mean 'exponential'"),
        (WORD, 'by = ["protected_word"]', r"term number \d: lacks 'name'"),
        (WORD, 'name = "word"', "term 'word': lacks 'by'"),
        ('["associated", "different", "unassigned"]', "[]", "connections: is empty; delete it"),
        ("alpha = 0.5", "alpha = 0", "noise.similar_share: beta: alpha = 0.0 must be"),
        ('prior_unit = "neutral_sd"', 'prior_unit = "sd"', "prior_unit = 'sd'"),
        ("fixed = 0.0", "fixed = 1.0", "with prior_unit it counts from the mean of all pairs"),
        (WORD, WORD + "\nsimilar = 1", "term 'word': similar: must be true or false"),
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


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("shared-noise", {"noise"}),
        ("no-pooling", {"connection_mean", "terms"}),
        ("complete-pooling", {"terms"}),
    ],
)
def test_simpler_models_differ_from_the_papers_in_what_they_say(name, own):
    paper, spec = bb.load_model("paper").to_dict(), bb.load_model(name).to_dict()
    changed = {key for key in paper | spec if paper.get(key) != spec.get(key)}
    assert changed - {"name", "title", "source", "notes"} == own


def test_a_file_needs_no_terms(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MAXIMAL.split("[[terms]]")[0], encoding="utf-8")
    assert bb.load_model(path).terms == ()
    assert bb.load_model(path).name == "mine"


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (["paper"], "list is not a model: give a name, or the path"),
        ("papper", "did you mean 'paper'"),
    ],
)
def test_what_is_no_model_is_refused(model, complaint):
    with pytest.raises(ModelError, match=complaint):
        bb.load_model(model)


def test_every_model_is_explained_in_the_folders_readme():
    text = (data_folder("models") / "SCHEMA.md").read_text(encoding="utf-8")
    for name in bb.list_models():
        assert f"| `{name}` |" in text


def test_the_readmes_file_is_a_model_of_a_column_of_the_users_own(tmp_path):
    """Which is a term, with no code: the same pairs in three contexts, each shifted."""
    text = (data_folder("models") / "SCHEMA.md").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    spec = bb.load_model(path)
    assert spec.own_columns == ("context",)
    shifts = {"news": -0.06, "fiction": 0.0, "law": 0.06}
    one = make_frame(n_words=4, word_sd=0.01, noise_sd=0.03)
    frame = pd.concat([one.assign(context=context) for context in shifts], ignore_index=True)
    frame["cosine_distance"] += frame["context"].map(shifts)
    frame["cosine_distance"] += np.random.default_rng(1).normal(0, 0.01, len(frame))
    design = Design(frame, spec)
    sds, _, _ = integrate_blocks(design, spec, draws=1000, chains=2)
    posterior = with_effects(sds, design, spec, seed=1)
    effects = posterior["context_effect"].sel(context_level=list(shifts))
    difference = (effects - effects[..., 1]).mean(("chain", "draw")).to_numpy()
    np.testing.assert_allclose(difference, list(shifts.values()), atol=0.01)
    # The effect is part of what is predicted.
    predicted, _ = predictive_intervals(posterior, design, spec, prob=0.89, interval="hdi")
    means = [predicted[frame["context"] == context].mean() for context in shifts]
    np.testing.assert_allclose(np.array(means) - means[1], list(shifts.values()), atol=0.01)


SLOPES = """
[[terms]]
name = "rarity"
of = "rare"
by = ["attribute_kind"]
sd = 0.1

[[terms]]
name = "length"
of = "long"
prior = { distribution = "exponential", rate = 10.0 }
connections = ["associated"]
"""


@pytest.fixture
def with_slopes(tmp_path):
    path = tmp_path / "mine.toml"
    shipped = (data_folder("models") / "crossed.toml").read_text(encoding="utf-8")
    path.write_text(shipped + SLOPES, encoding="utf-8")
    return path


def test_a_file_may_have_slopes(with_slopes):
    spec = bb.load_model(with_slopes)
    rarity, length = spec.terms[-2:]
    assert (rarity.of, rarity.by, rarity.sd) == ("rare", ("attribute_kind",), 0.1)
    assert (length.of, length.by, length.connections) == ("long", (), ("associated",))
    assert spec.numbers == ("rare", "long")
    assert spec.own_columns == ()
    again = bb.ModelSpec.from_json(spec.to_json())
    assert (again, again.id) == (spec, spec.id)
    assert spec.id != lacking(spec, ["length"]).id
    assert spec.formula.splitlines()[-3:-1] == [
        "  + rare:attribute_kind",
        "  + [associated]:long",
    ]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ('of = ["rare"]', "term 'rarity': of: must be the name of one column"),
        ('of = "rare"\nsimilar = true', "term 'rarity': similar: goes with effects"),
    ],
)
def test_a_slope_that_is_none(with_slopes, change, complaint):
    text = with_slopes.read_text(encoding="utf-8")
    with_slopes.write_text(text.replace('of = "rare"', change, 1), encoding="utf-8")
    with pytest.raises(ModelError, match=complaint):
        bb.load_model(with_slopes)
