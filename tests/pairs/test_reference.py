"""Reference words are the last rows of every frame, and come back from every file."""

import numpy as np
import pandas as pd
import pytest
import tiny_list
from samples import changed
from tiny_list import TINY as WL

import bayesbias as bb
from bayesbias.errors import DistancesError
from bayesbias.pairs.checks import validate_distances
from bayesbias.pairs.provenance import missing_words, provenance_of
from bayesbias.pairs.reference import (
    reference_distances,
    reference_last,
    reference_rows,
    without_reference,
)
from bayesbias.simulate import planted_embedding

REFERENCE = ["person", "people", "somebody"]
VECTORS = tiny_list.VECTORS | {"person": [1.0, 1.0], "people": [-1.0, 1.0]}


@pytest.fixture
def tiny():
    """Two protected words and two reference words; a third is not in the vectors."""
    return bb.distances(bb.load_embedding(VECTORS), WL, reference=REFERENCE)


def planted(seed=1, wordlist="gender"):
    wl = bb.load_wordlist(wordlist)
    return planted_embedding(wl, similarity=0.2, seed=seed).vectors


def test_the_last_rows_are_those_of_reference_words(tiny):
    table = tiny.tail(4)
    assert table["protected_word"].tolist() == ["person"] * 2 + ["people"] * 2
    assert table["attribute"].tolist() == ["saw", "oven"] * 2  # no control word
    assert table["attribute_set"].tolist() == ["tools", "home"] * 2
    assert set(table["group"]) == set(table["connection"]) == {"reference"}
    root = 1 / np.sqrt(2)
    expected = [1 - root, 1 - root, 1 + root, 1 - root]
    np.testing.assert_allclose(table["cosine_distance"], expected)
    assert "reference" not in set(tiny["connection"].head(len(tiny) - 4))
    pd.testing.assert_frame_equal(reference_distances(tiny), table.reset_index(drop=True))


def test_a_missing_reference_word_is_listed_without_a_warning(tiny):
    (row,) = missing_words(tiny).itertuples(index=False)
    assert tuple(row) == ("somebody", "reference", "reference", "not in the vectors")


def test_without_them_the_frame_is_that_of_the_list_alone(tiny):
    alone = bb.distances(bb.load_embedding(VECTORS), WL)
    assert reference_rows(alone).empty
    assert without_reference(alone) is alone
    pd.testing.assert_frame_equal(without_reference(tiny), alone)
    assert provenance_of(without_reference(tiny)) is provenance_of(tiny)


def test_they_go_last_and_keep_their_order(tiny):
    mixed = tiny.iloc[::-1]
    ordered = reference_last(mixed)
    assert ordered["connection"].tail(4).tolist() == ["reference"] * 4
    pd.testing.assert_frame_equal(
        without_reference(ordered), without_reference(mixed).reset_index(drop=True)
    )
    pd.testing.assert_frame_equal(reference_rows(ordered), reference_rows(mixed))


def test_frames_without_connections_have_none():
    frame = pd.DataFrame({"word": ["he"]})
    assert without_reference(frame) is frame
    assert reference_rows(frame).empty
    with pytest.raises(bb.BayesBiasError, match="not a pandas DataFrame"):
        reference_distances("gender")


def test_files_without_groups_know_them(tiny, tmp_path):
    path = tmp_path / "pairs.csv"
    tiny.drop(columns="group").to_csv(path, index=False)
    back = bb.read_distances(path)
    assert set(reference_rows(back)["group"]) == {"reference"}
    assert "reference" not in set(without_reference(back)["group"])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda f: changed(f, -1, group="man"), r"row 10 .*belongs to no group: its group and"),
        (lambda f: changed(f, 0, group="reference"), r"row 1 .*belongs to no group"),
        (lambda f: changed(f, 0, connection="reference"), r"row 1 .*belongs to no group"),
        (lambda f: changed(f, -1, protected_word="he"), r"row 10 .*a protected word in another"),
        (
            lambda f: changed(f, -1, attribute="walk", attribute_set="human"),
            r"row 10 .*meet stereotype attributes only",
        ),
        (lambda f: f.tail(4), "rows of reference words only"),
        (lambda f: f.iloc[[0, 1, 2, 6, 7, 8, 9]], "only one of the protected words"),
        (lambda f: changed(f, -1, connection="Reference"), "row 10 .*valid: .*neutral, reference"),
    ],
)
def test_rows_that_are_half_of_a_reference_word_are_refused(tiny, tmp_path, change, complaint):
    with pytest.raises(DistancesError, match=complaint):
        validate_distances(change(tiny))
    path = tmp_path / "pairs.csv"
    change(tiny).to_csv(path, index=False)
    complaint = complaint.replace("row 10", "line 11").replace("row 1 ", "line 2 ")
    with pytest.raises(DistancesError, match=rf"pairs\.csv.*({complaint})"):
        bb.read_distances(path)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["he"], "'he' is already in the list 'tiny'"),
        (["a", "a"], "'a' is already in the list"),
        ("person", "give a list of words"),
        *(([odd], "reference: ") for odd in ("", " he", "a\nb", "a\0b", "a\u200bb", "\ud800")),
    ],
)
def test_reference_words_are_words_of_their_own(words, complaint):
    with pytest.raises(bb.BayesBiasError, match=complaint):
        WL.with_reference(words)


def test_reference_words_are_part_of_what_a_list_is():
    assert WL.with_reference(["person"]).checksum() != WL.checksum()
    assert WL.with_reference([]).checksum() == WL.checksum()


def test_every_run_has_them():
    runs = {"one": planted(1, "weat7"), "two": planted(2, "weat7")}
    frame = bb.pairs.distances_of_runs(runs, "weat7")
    last = reference_rows(frame)
    assert frame["connection"].tail(len(last)).eq("reference").all()
    each = reference_rows(bb.distances(runs["two"], "weat7"))
    own = last[last["run"] == "two"].drop(columns="run").reset_index(drop=True)
    pd.testing.assert_frame_equal(own, each)


def test_a_reference_word_that_a_run_lacks_is_left_out():
    one, two = planted(1, "weat7"), planted(2, "weat7")
    fewer = {w: two[w] for w in two.index_to_key if w != "medicine"}
    frame = bb.pairs.distances_of_runs({"one": one, "two": bb.load_embedding(fewer)}, "weat7")
    assert "medicine" not in set(frame["protected_word"])
    assert missing_words(frame)["word"].tolist() == ["medicine"]


def letters(texts):
    """Stand for a model of language."""
    return [[text.count(letter) + 1.0 for letter in "aehnost"] for text in texts]


def test_contexts_have_them():
    templates = ["This is {}.", "{} is here."]
    frame = bb.pairs.contextual_distances(letters, "weat7", templates=templates)
    last = reference_rows(frame)
    assert frame["connection"].tail(len(last)).eq("reference").all()
    assert last.groupby("context").size().tolist() == [8 * 16, 8 * 16]
    alone = bb.pairs.contextual_distances(
        letters, bb.load_wordlist("weat7").with_reference(()), templates=templates
    )
    pd.testing.assert_frame_equal(without_reference(frame), alone)


def test_contexts_of_a_reference_word_make_no_further_sample():
    wl = bb.load_wordlist("weat7")
    templates = dict.fromkeys(wl.words, ("{} is here.",))
    many = {**templates, "law": ("{} is here.", "The {}.")}
    few = {word: given for word, given in templates.items() if word != "law"}
    whole, more, fewer = (
        bb.pairs.contextual_distances(letters, wl, templates=t) for t in (templates, many, few)
    )
    pd.testing.assert_frame_equal(more, whole)
    assert "law" not in set(fewer["protected_word"])
    pd.testing.assert_frame_equal(without_reference(fewer), without_reference(whole))
    assert missing_words(fewer)["word"].tolist() == ["law"]


def test_shipped_lists_have_six_to_ten_or_say_why_not():
    from bayesbias.support.shipped_data import data_folder

    for name in bb.list_wordlists():
        wl = bb.load_wordlist(name)
        text = (data_folder("wordlists") / f"{name}.toml").read_text(encoding="utf-8")
        if wl.reference:
            assert 6 <= len(wl.reference) <= 10, name
            assert "reference words" in wl.notes, name
        else:
            assert "# No reference words: " in text, name
