"""Debiased vectors are tested on words that the method was not given."""

import json

import pandas as pd
import pytest

import bayesbias as bb
from bayesbias import debias
from bayesbias.cli import main
from bayesbias.constants import ATTRIBUTE, PROTECTED_WORD
from bayesbias.debias.record import Treatment
from bayesbias.simulate import planted_embedding
from bayesbias.studies.held_out import held_out, words_to_look_up

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")


@pytest.fixture(scope="module")
def before():
    return bb.example_embedding()


def compared(before, result, name):
    treatment = Treatment.of(result.record)
    return held_out(before, result.vectors, treatment, bb.load_wordlist(name), seed=1)


@pytest.fixture(scope="module")
def after_all(before):
    return compared(before, debias.hard(before, "gender"), "gender")


def test_the_list_that_gave_the_direction_is_no_evidence(after_all):
    assert after_all.answers[0] == (
        "What follows on gender is no evidence that hard worked: it was given all 14 protected "
        "words and none of 18 stereotype attributes."
    )
    assert list(after_all.found) == ["winobias", "weat7"]
    for name, change in after_all.found.items():
        words = {*change.pairs[PROTECTED_WORD], *change.pairs[ATTRIBUTE]}
        assert not words & after_all.treatment.given
        assert words <= set(bb.load_wordlist(name).words)
        assert f"Held-out words of {name}: {change.headline}" in after_all.answers
        row = after_all.table.query(f"word_list == {name!r}").iloc[0]
        assert row["before"] == change.left_by_list["before"].iloc[0]
    assert after_all.answers[0] in repr(after_all)
    assert json.loads(json.dumps(after_all.to_dict(), allow_nan=False))["answers"]


def test_what_a_method_left_has_not_changed(before):
    found = compared(before, debias.hard(before, "gender", neutralise="listed"), "gender")
    assert found.answers[1:] == [
        f"Held-out words of {name}: nothing changed; hard left these words."
        for name in ("winobias", "weat7")
    ]
    assert "all 18 stereotype attributes" in found.answers[0]
    assert found.table.empty
    assert repr(found)


def test_words_of_the_list_itself_that_were_not_given_test_it(before):
    found = compared(before, debias.hard(before, "gender"), "weat7")
    given = "hard was given none of 11 protected words and 10 of 16 stereotype attributes"
    assert found.answers[0] == f"{given}; only the others test it."
    attributes = set(found.found["weat7"].pairs.query("connection == 'associated'")[ATTRIBUTE])
    assert attributes == {"man", "brother", "him", "woman", "sister", "her"}


def test_a_list_without_a_given_word_needs_no_other(before):
    found = compared(before, debias.hard(before, "gender"), "winobias")
    assert found.answers == [
        "No word of winobias was given to hard, so that this comparison tests it."
    ]
    assert not found.found


def test_without_another_list_that_is_said():
    vectors = planted_embedding(bb.load_wordlist("religion"), similarity=0.3, seed=1).vectors
    found = compared(vectors, debias.multiclass(vectors, "religion", neutralise="all"), "religion")
    assert found.answers[-1].startswith("No shipped list asks about these groups in other words")
    assert not found.found


def test_compare_begins_with_held_out_words(before, tmp_path, capsys):
    words = words_to_look_up(bb.load_wordlist("gender"))
    kv = bb.load_embedding(
        ([w for w in words if w in before], before[[w for w in words if w in before]])
    )
    paths = [str(tmp_path / name) for name in ("before.bin", "after.bin")]
    kv.save_word2vec_format(paths[0], binary=True)
    assert main(["debias", "hard", *paths, "--wordlist", "gender", "--quiet"]) == 0
    capsys.readouterr()
    out = tmp_path / "out"
    command = ["compare", *paths, "--wordlist", "gender", "--out", str(out), "--report"]
    assert main(command) == 0
    said = capsys.readouterr().out
    places = [
        said.index(part)
        for part in (
            "What follows on gender is no evidence that hard worked: it was given all 14 protected",
            "Held-out words of winobias: ",
            "Held-out words of weat7: ",
            "On gender itself:\nRemoved for this list",
        )
    ]
    assert places == sorted(places)
    assert "Other words were not tested" not in said
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Words that the method was not given" in page
    assert "no evidence that hard worked" in page
    assert "Other words were not tested" not in page
    assert main([*command[:5], "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["held_out"]["method"] == "hard"
    answers = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["answers"]
    assert content["answers"] == answers
    assert answers[:3] == content["held_out"]["answers"]
    assert len(pd.read_csv(out / "held_out.csv")) == 4
