"""Reading the record beside debiased vectors, and which words a method used."""

import numpy as np
import pytest

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias.record import words_used, words_used_of_file
from bayesbias.errors import DataWarning

WORDS = ["he", "she", "Man", "nurse", "clerk", "door"]


@pytest.fixture
def kv():
    return bb.load_embedding((WORDS, np.random.default_rng(1).normal(size=(6, 10))))


def result(kv, neutralise, keep=()):
    return debias.hard(kv, matched=[["he", "she"]], neutralise=neutralise, keep=keep)


@pytest.mark.parametrize(
    ("neutralise", "used"),
    [
        ("all", {"he", "she"}),  # a rule that reaches all words names none of them
        (["nurse", "Man"], {"he", "she", "nurse", "man"}),
    ],
)
def test_used_are_the_words_that_a_method_was_given(kv, neutralise, used):
    assert words_used(result(kv, neutralise, keep=["clerk"]).record) == used


def test_the_record_beside_a_file_is_read_and_that_of_another_passed_over(kv, tmp_path):
    done = result(kv, "all")
    done.save(tmp_path / "out.bin")
    assert words_used_of_file(tmp_path / "out.bin") == words_used(done.record)
    bb.load_embedding(tmp_path / "out.bin").save_word2vec_format(str(tmp_path / "new.bin"))
    assert words_used_of_file(tmp_path / "new.bin") is None
    assert words_used_of_file(tmp_path / "nowhere.bin") is None
    for content in ("[1]", "{}", "no JSON", '{"method": "hard"}', "null"):
        (tmp_path / "new.bin.json").write_text(content)
        assert words_used_of_file(tmp_path / "new.bin") is None
    (tmp_path / "out.bin.json").rename(tmp_path / "new.bin.json")
    with pytest.warns(DataWarning, match=r"new.bin.json: is the record of other vectors than"):
        assert words_used_of_file(tmp_path / "new.bin") is None


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
@pytest.mark.parametrize("method", ["hard", "multiclass", "subspace", "inlp", "double_hard"])
def test_methods_that_project_leave_nothing_along_their_directions(method):
    record = debias.METHODS[method](bb.example_embedding(), "gender").record
    assert record.remaining == pytest.approx(0, abs=1e-12)
