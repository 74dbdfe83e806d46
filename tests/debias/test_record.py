"""Reading the record beside debiased vectors, and which words a method used."""

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias.record import Treatment, treatment_of_file
from bayesbias.errors import DataWarning

WORDS = ["he", "she", "Man", "nurse", "clerk", "door"]


@pytest.fixture
def kv():
    return bb.load_embedding((WORDS, np.random.default_rng(1).normal(size=(6, 10))))


def result(kv, neutralise, keep=()):
    return debias.hard(kv, matched=[["he", "she"]], neutralise=neutralise, keep=keep)


@pytest.mark.parametrize(
    ("neutralise", "used", "reached"),
    [
        # A rule that reaches all words names none of them.
        ("all", {"he", "she"}, [True, True, True, False]),
        (["nurse", "Man"], {"he", "she", "nurse", "man"}, [True, True, True, False]),
        (["nurse"], {"he", "she", "nurse"}, [True, False, True, False]),
    ],
)
def test_used_are_the_words_that_a_method_was_given_and_reached_those_of_a_rule_too(
    kv, neutralise, used, reached
):
    treatment = Treatment.of(result(kv, neutralise, keep=["clerk"]).record)
    assert treatment.used == used
    assert treatment.was_reached(pd.Series(["he", "Man", "nurse", "clerk"])).tolist() == reached
    frame = pd.DataFrame({"protected_word": ["HE", "man", "it"], "attribute": ["door"] * 3})
    others = [word for word in ("HE", "man", "it") if word.lower() not in used]
    assert treatment.not_used(frame)["protected_word"].tolist() == others


def test_the_record_beside_a_file_is_read_and_that_of_another_passed_over(kv, tmp_path):
    done = result(kv, "all")
    done.save(tmp_path / "out.bin")
    assert treatment_of_file(tmp_path / "out.bin") == Treatment.of(done.record)
    bb.load_embedding(tmp_path / "out.bin").save_word2vec_format(str(tmp_path / "new.bin"))
    assert treatment_of_file(tmp_path / "new.bin") is None
    assert treatment_of_file(tmp_path / "nowhere.bin") is None
    for content in ("[1]", "{}", "no JSON", '{"method": "hard"}', "null"):
        (tmp_path / "new.bin.json").write_text(content)
        assert treatment_of_file(tmp_path / "new.bin") is None
    (tmp_path / "out.bin.json").rename(tmp_path / "new.bin.json")
    with pytest.warns(DataWarning, match=r"new.bin.json: is the record of other vectors than"):
        assert treatment_of_file(tmp_path / "new.bin") is None


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
@pytest.mark.parametrize("method", ["hard", "multiclass", "subspace", "inlp", "double_hard"])
def test_methods_that_project_leave_nothing_along_their_directions(method):
    record = debias.METHODS[method].function(bb.example_embedding(), "gender").record
    assert record.remaining == pytest.approx(0, abs=1e-12)
