"""Reading the record beside debiased vectors, and which words a method used."""

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias.record import Treatment, lists_on_the_same_groups, treatment_of_file
from bayesbias.errors import DataWarning

WORDS = ["he", "she", "Man", "nurse", "clerk", "door"]


@pytest.fixture
def kv():
    return bb.load_embedding((WORDS, np.random.default_rng(1).normal(size=(6, 10))))


def result(kv, neutralise):
    return debias.hard(kv, defining_sets=[["he", "she"]], neutralise=neutralise, keep=())


@pytest.mark.parametrize(
    ("neutralise", "used"),
    [("all", {"he", "she"}), (["nurse", "Man"], {"he", "she", "nurse", "man"})],
)
def test_used_are_the_words_that_a_method_was_told_of(kv, neutralise, used):
    """A rule that reaches all words names none of them."""
    treatment = Treatment.of(result(kv, neutralise).record)
    assert treatment.used == used
    words = pd.DataFrame({"protected_word": ["HE", "man", "it"], "attribute": ["door"] * 3})
    assert treatment.not_used(words)["protected_word"].tolist() == [
        word for word in ("HE", "man", "it") if word.lower() not in used
    ]


def test_reached_are_those_too_that_a_rule_neutralised(kv):
    words = pd.Series(["he", "Man", "nurse", "clerk"])
    by_rule = Treatment.of(
        debias.hard(kv, defining_sets=[["he", "she"]], neutralise="all", keep=["clerk"]).record
    )
    assert by_rule.was_reached(words).tolist() == [True, True, True, False]
    named = Treatment.of(result(kv, ["nurse"]).record)
    assert named.was_reached(words).tolist() == [True, False, True, False]


def test_the_record_beside_a_file_is_read_back(kv, tmp_path):
    done = result(kv, "all")
    done.save(tmp_path / "out.bin")
    read = treatment_of_file(tmp_path / "out.bin")
    assert read == Treatment.of(done.record)
    assert read.reached[0].startswith(
        'The method "hard" equalised 2 and neutralised 4 of 6 words. Of the part of these along'
    )


def test_no_record_another_files_and_somebody_elses_json(kv, tmp_path):
    result(kv, "all").save(tmp_path / "out.bin")
    bb.load_embedding(tmp_path / "out.bin").save_word2vec_format(str(tmp_path / "new.bin"))
    assert treatment_of_file(tmp_path / "new.bin") is None
    assert treatment_of_file(tmp_path / "nowhere.bin") is None
    for content in ("[1]", "{}", "no JSON", '{"method": "hard"}', "null"):
        (tmp_path / "new.bin.json").write_text(content)
        assert treatment_of_file(tmp_path / "new.bin") is None
    (tmp_path / "out.bin.json").rename(tmp_path / "new.bin.json")
    with pytest.warns(DataWarning, match=r"new.bin.json: is the record of other vectors than"):
        assert treatment_of_file(tmp_path / "new.bin") is None


def test_lists_that_ask_about_the_same_groups():
    def names(listed):
        return [other.name for other in lists_on_the_same_groups(listed)]

    assert names(bb.load_wordlist("gender")) == ["winobias", "weat7", "weat8"]
    assert names(bb.load_wordlist("winobias")) == ["gender", "weat7", "weat8"]
    assert names(bb.load_wordlist("religion")) == []
