"""Answers as JSON, tables and folders: one form, whole numbers, and nothing lost."""

import hashlib
import json
import math
from functools import cache

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.errors import BayesBiasWarning, OutputError
from bayesbias.fits.output import python_code
from bayesbias.show import answers

jsonschema = pytest.importorskip("jsonschema")


@cache
def frame():
    with pytest.warns(BayesBiasWarning):
        return bb.distances(bb.example_embedding(), "gender")


@cache
def fit():
    return bb.fit(frame(), "paper", seed=1)


@cache
def comparison():
    before = frame()
    noise = np.random.default_rng(1).normal(0.02, 0.01, len(before))
    after = before.assign(cosine_distance=before["cosine_distance"] + noise)
    return bb.compare({"before": before, "after": after}, model="crossed", seed=1)


def check(content):
    """The form holds, also after JSON."""
    jsonschema.Draft202012Validator.check_schema(answers.schema())
    again = json.loads(json.dumps(content, allow_nan=False))
    jsonschema.validate(again, answers.schema())
    return again


def test_a_fit_has_the_form_of_the_schema():
    content = check(fit().to_dict(command="bayesbias analyze x"))
    assert content["checks"] is None
    assert content["command"] == "bayesbias analyze x"
    assert content["inputs"][-1]["sha256"] == fit().pairs_sha256
    table = fit().contrasts()
    assert len(content["contrasts"]) == len(table)
    first = content["contrasts"][0]
    assert first["contrast"] == "associated - different"
    assert first["label"] == "associated − different"
    assert first["mean"] == table["mean"].iloc[0]
    assert first["random_groups"] is None
    assert first["condition"] == ""


def test_a_comparison_has_the_same_form():
    content = check(comparison().to_dict())
    rows = pd.DataFrame(content["contrasts"])
    assert set(rows["condition"]) == {"before", "after", "before → after"}
    assert rows.loc[rows["is_difference"], "condition"].unique().tolist() == ["before → after"]
    of_fit = fit().to_dict()
    assert list(rows.columns) == list(of_fit["contrasts"][0])
    first = content["left"][0]
    assert first["contrast"] == "associated - different"
    assert first["left"] == pytest.approx(first["after"] / first["before"])
    assert of_fit["left"] is None


def test_counts_are_whole_and_unknown_numbers_null():
    table = pd.DataFrame({"contrast": ["a − b"], "n_words": [3.0], "mean": [math.nan]})
    (row,) = answers.rows(answers.contrast_rows(table), "contrasts")
    assert row["n_words"] == 3
    assert isinstance(row["n_words"], int)
    assert row["mean"] is None
    assert row["contrast"] == "a - b"


def test_a_row_of_another_kind_breaks_the_form():
    content = fit().to_dict()
    content["contrasts"][0]["n_words"] = 2.5
    with pytest.raises(jsonschema.ValidationError, match=r"2\.5 is not of type 'integer'"):
        jsonschema.validate(content, answers.schema())
    del content["contrasts"][0]["n_words"]
    with pytest.raises(jsonschema.ValidationError, match="'n_words' is a required property"):
        jsonschema.validate(content, answers.schema())


def test_a_folder_has_all_files_and_their_checksums(tmp_path):
    place = tmp_path / "results"
    fit().write(place, checks=False)
    manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
    names = {f"{name}.csv" for name in ("contrasts", "means", "words", "pairs")}
    assert set(manifest["files"]) == names | {"answers.json", "fit.nc", "report.html"}
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((place / name).read_bytes()).hexdigest() == digest
    content = json.loads((place / "answers.json").read_text(encoding="utf-8"))
    check(content)
    table = pd.read_csv(place / "contrasts.csv")
    means = [row["mean"] for row in content["contrasts"]]
    assert table["mean"].to_numpy() == pytest.approx(means, abs=1e-15, nan_ok=True)
    assert list(table.columns) == list(answers.columns_of("contrasts"))
    pairs = bb.read_distances(place / "pairs.csv")["cosine_distance"]
    assert pairs.to_numpy() == pytest.approx(fit().frame["cosine_distance"].to_numpy())
    assert bb.load_fit(place / "fit.nc").pairs_sha256 == fit().pairs_sha256


def test_a_folder_is_replaced_where_it_is_said(tmp_path):
    place = tmp_path / "results"
    options = {"report": False, "checks": False}
    fit().write(place, **options)
    with pytest.raises(OutputError, match="is not empty"):
        fit().write(place, **options)
    fit().write(place, overwrite=True, **options)


def test_a_comparison_writes_its_files(tmp_path):
    place = tmp_path / "results"
    comparison().write(place)
    names = {path.name for path in place.iterdir()}
    assert {"contrasts.csv", "means.csv", "pairs.csv", "fit-1.nc", "fit-2.nc"} < names
    assert {"answers.json", "report.html", "manifest.json"} < names
    means = pd.read_csv(place / "means.csv")
    assert set(means["condition"]) == {"before", "after"}


def test_missing_words_have_their_reason():
    found = bb.analyze(bb.example_embedding(), "gender", "paper", seed=1)
    words = pd.DataFrame(found.to_dict()["words"]).set_index("word")
    assert words.loc["rancher", ["reason", "found_as"]].tolist() == ["not in the vectors", ""]
    assert words.loc["nurse", ["role", "list"]].tolist() == ["attribute", "woman_stereotype"]
    assert (words["reason"] == "").sum() == 14 + found.frame["attribute"].nunique()


def test_the_code_of_a_page_makes_the_same_answers():
    """Engine, own priors and missing vectors are part of it."""
    own = bb.load_model("paper").replace(priors={"word_sd": bb.Prior("half_normal", sd=0.05)})
    assert own.name == "paper, changed"
    for of, model in (
        (bb.fit(frame(), "paper", seed=2), None),
        (bb.fit(frame(), own, seed=2), own),
    ):
        code = python_code(of, of.rule(bb.DecisionRule(ci_prob=0.8)))
        assert ("model = ...  # your model 'paper, changed'" in code) == (model is not None)
        assert "bb.fit(bb.distances(" in code
        names = {"model": model}
        with pytest.warns(BayesBiasWarning):
            exec(code.replace("model = ...", ""), names)
        pd.testing.assert_frame_equal(names["fit"].contrasts(), of.contrasts())
