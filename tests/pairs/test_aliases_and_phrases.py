"""Words that stand for a word, and phrases: joined forms first, on request the mean of words."""

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.errors import MissingWordsWarning, WordListError
from bayesbias.pairs.frequency import with_rarity
from bayesbias.pairs.provenance import source_of

LIST = {
    "protected": {"m": ["he", "male person"], "f": ["she", "female person"]},
    "associated": {"m": ["x"], "f": ["y"]},
    "attributes": {"x": ["CEO", "ice cream"], "y": ["nurse", "day care centre"]},
    "controls": {},
    "aliases": {"CEO": ["boss", "chief"], "nurse": ["sister"]},
}
WORDS = ["he", "she", "male", "female", "person", "chief", "nurse", "sister", "ice_cream"]


@pytest.fixture
def vectors():
    rng = np.random.default_rng(1)
    return bb.load_embedding({word: rng.standard_normal(8) for word in WORDS})


def test_the_first_alias_that_is_there_stands_for_a_word(vectors):
    with pytest.warns(MissingWordsWarning):
        frame = bb.distances(vectors, LIST)
    assert source_of(frame)["found_as"] == {"CEO": "chief"}
    row = frame[(frame.attribute == "CEO") & (frame.protected_word == "he")].cosine_distance
    he, chief = (vectors[w] / np.linalg.norm(vectors[w]) for w in ("he", "chief"))
    assert row.item() == pytest.approx(1 - float(he @ chief), abs=1e-6)
    assert "nurse" in set(frame.attribute)
    assert "sister" not in source_of(frame)["found_as"].values()


def test_aliases_are_read_from_a_file_with_the_list(vectors, tmp_path):
    path = tmp_path / "v.txt"
    vectors.save_word2vec_format(str(path))
    wordlist = bb.load_wordlist(LIST)
    assert {"boss", "chief"} <= set(wordlist.words)
    asked = bb.load_embedding(path, words=wordlist.words)
    with pytest.warns(MissingWordsWarning):
        assert source_of(bb.distances(asked, wordlist))["found_as"] == {"CEO": "chief"}
    without = bb.load_wordlist({**LIST, "aliases": {"CEO": ["boss"]}})
    assert without.checksum() != wordlist.checksum()


def test_phrases_are_joined_or_the_mean_of_their_words(vectors, tmp_path):
    path = tmp_path / "v.txt"
    vectors.save_word2vec_format(str(path))
    wordlist = bb.load_wordlist(LIST)
    asked = bb.load_embedding(path, words=wordlist.words, fallbacks=["mean"])
    for source in (vectors, asked):
        with pytest.warns(MissingWordsWarning, match="1 of 8 words"):
            frame = bb.distances(source, wordlist, fallbacks=["mean"], counts="sorted")
        found = source_of(frame)
        assert found["found_as"]["ice cream"] == "ice_cream"
        assert found["means_of_words"] == {
            "male person": ("male", "person"),
            "female person": ("female", "person"),
        }
        one = frame[(frame.attribute == "CEO") & (frame.protected_word == "male person")]
        mean = (vectors["male"].astype(float) + vectors["person"]) / 2
        chief = vectors["chief"].astype(float)
        cosine = mean @ chief / np.linalg.norm(mean) / np.linalg.norm(chief)
        assert one.cosine_distance.item() == pytest.approx(1 - cosine, abs=1e-6)
        rarity = with_rarity(frame).set_index("protected_word")["word_rarity"]
        assert rarity["male person"].iloc[0] == pytest.approx(np.log1p(WORDS.index("person")))


def test_without_a_request_a_phrase_is_missing(vectors):
    with pytest.warns(MissingWordsWarning, match="'ice cream' as 'ice_cream'"):
        frame = bb.distances(vectors, LIST)
    assert "male person" not in set(frame.protected_word)


@pytest.mark.parametrize(
    ("aliases", "complaint"),
    [
        ({"COE": ["boss"]}, r"aliases\.COE: is no word of the list; did you mean 'CEO'"),
        ({"CEO": ["nurse"]}, r"aliases\.CEO: 'nurse' is a word of the list itself"),
        ({"CEO": []}, r"aliases\.CEO: is empty"),
    ],
)
def test_faulty_aliases_are_named(aliases, complaint):
    with pytest.raises(WordListError, match=complaint):
        bb.load_wordlist({**LIST, "aliases": aliases})


def test_aliases_beside_and_as_phrases():
    """Means of words are made of aliases too, and keep them; the check of a list says the same."""
    there = ["he", "she", "sola", "mita", "head", "nurse", "of", "state"]
    rng = np.random.default_rng(1)
    kv = bb.load_embedding({word: rng.standard_normal(4) for word in there})
    wordlist = bb.load_wordlist(
        {
            "protected": {"m": ["he"], "f": ["she"]},
            "associated": {"m": ["a"], "f": ["b"]},
            "attributes": {"a": ["sola", "king"], "b": ["mita", "nurse of state", "sister"]},
            "controls": {},
            "aliases": {"king": ["head of state"], "sister": ["nurse"]},
        }
    )
    found = bb.vocabulary_coverage(kv, wordlist, fallbacks=["mean"]).table.set_index("word")
    assert found.loc["king", "found_as"] == "head of state"
    assert found.loc["sister", "found_as"] == "nurse"
    assert found.loc["nurse of state", "found_as"] == "nurse of state"
    frame = bb.distances(kv, wordlist, fallbacks=["mean"])
    assert set(frame["attribute"]) == {"sola", "king", "mita", "nurse of state", "sister"}
