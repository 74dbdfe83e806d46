"""Words that a method used, and words that it did not."""

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.comparison.used import rests_on_used, unused_pairs, used_words
from bayesbias.errors import ArgumentError

RECORD = {
    "method": "hard",
    "matched": [["He", "she"]],
    "equalised": [["boy", "girl"]],
    "neutralised": ["nurse"],
    "all_but": None,
    "headline": "",
}


def test_used_words_come_from_words_a_list_or_a_record(wordlist):
    assert used_words(["He", "nurse"]) == {"he", "nurse"}
    assert used_words(RECORD) == {"he", "she", "boy", "girl", "nurse"}
    own = used_words(wordlist)
    assert {"he", "woman"} <= own
    controls = {w.lower() for s in wordlist.attribute_sets if s.kind == "human" for w in s.words}
    assert not own & controls
    assert {"he", "nurse"} <= used_words("gender")
    with pytest.raises(ArgumentError, match="give words"):
        used_words(3)


def test_pairs_with_a_used_word_are_left_out(kv, wordlist):
    frame = bb.distances(kv, wordlist)
    words = wordlist.attribute_sets[0].words[:2]
    used = frozenset({"he", *words})
    free = unused_pairs(frame, used)
    is_free = (frame["protected_word"] != "he") & ~frame["attribute"].isin(words)
    assert len(free) == is_free.sum()
    assert rests_on_used(frame, used) == {("word", "", "man", "", "he", "associated − different")}


def test_what_rests_on_used_words_alone(kv, wordlist):
    frame = bb.distances(kv, wordlist)
    used = frozenset(wordlist.attribute_sets[0].words)
    marked = {key[:2] for key in rests_on_used(frame, used)}
    assert ("list", wordlist.attribute_sets[0].name) in marked
    assert ("list", wordlist.attribute_sets[1].name) not in marked
    assert ("over all", "") not in marked


def test_the_answer_leads_with_words_of_the_list_that_were_not_used(kv, rough, wordlist):
    used = ["he", "she", *wordlist.attribute_sets[0].words[:3]]
    found = bb.compare({"before": kv, "after": rough}, wordlist, used=used, seed=1)
    assert found.tested == ""
    assert found.sentences[0].startswith("On words that the method did not use: ")
    shared = found.pairs.frame
    assert not set(used) & {*shared["protected_word"], *shared["attribute"]}
    frames = {
        name: (unused_pairs(bb.distances(vectors, wordlist), frozenset(used)), vectors)
        for name, vectors in {"before": kv, "after": rough}.items()
    }
    alone = bb.compare(frames, seed=1)
    columns = ["mean", "low", "high"]
    np.testing.assert_array_equal(
        found.contrasts[columns].to_numpy(), alone.contrasts[columns].to_numpy()
    )


def test_of_a_list_that_was_used_a_shipped_one_is_the_test(kv, after, tmp_path):
    found = bb.compare({"before": kv, "after": after}, "gender", used="gender", seed=1)
    assert found.tested in bb.list_wordlists()
    assert found.tested != "gender"
    assert found.tested in found.sentences[0]
    (tmp_path / "rules.toml").write_text("[rules.any]\nat_most = 1.0\n", encoding="utf-8")
    asked = bb.check_rules(tmp_path / "rules.toml", found).table["mean"].tolist()
    rows = found.contrasts.query("level == 'over all' and not is_difference")
    assert asked == rows["mean"].tolist()
    used = used_words("gender")
    shared = found.pairs.frame
    assert not used & {*shared["protected_word"], *shared["attribute"]}
    assert {"used", "0 by construction"} & set(found.in_sample.contrasts["mark"])


def test_words_that_were_not_used_are_said_to_be_none(kv, rough, wordlist):
    with pytest.raises(ArgumentError, match="none of these words is in the vectors"):
        bb.compare({"before": kv, "after": rough}, wordlist, used=["xx"], seed=1)
    other = next(word for word in kv.index_to_key if word not in wordlist.words)
    found = bb.compare({"before": kv, "after": rough}, wordlist, used=[other], seed=1)
    assert found.in_sample is None
    assert "No pair has a word that the method used." in found.sentences


def test_a_list_without_an_answer_leaves_that_of_others(kv, rough):
    one_word = {
        "groups": {"man": ["he"], "woman": ["she"]},
        "attributes": {"home": ["nurse", "maid", "dancer"], "work": ["lawyer", "doctor"]},
        "associated": {"man": ["work"], "woman": ["home"]},
    }
    options = {"used": ["he", "she"], "test": "winobias", "seed": 1}
    found = bb.compare({"before": kv, "after": rough}, one_word, **options)
    assert "Every contrast of your list is withheld." in found.sentences
    assert (found.in_sample.contrasts["withheld"] != "").any()


def test_a_test_list_of_used_words_is_refused(kv, rough):
    with pytest.raises(ArgumentError, match="has too few words that the method did not use"):
        bb.compare({"before": kv, "after": rough}, "gender", used="gender", test="gender", seed=1)


def test_records_of_all_methods_count(kv, wordlist):
    """Wherever the debiased vectors stand among the conditions."""
    pairs = [("he", "she"), ("man", "woman")]
    one, two = (bb.debias.subspace(kv, matched=pairs, neutralise=[w]) for w in ("nurse", "maid"))
    for conditions in ({"a": one, "b": kv, "c": two}, {"c": two, "b": kv, "a": one}):
        found = bb.compare(conditions, wordlist, seed=1)
        assert found.used == used_words(one) | used_words(two)


def test_a_test_list_is_read_before_anything_is_fitted(kv, wordlist):
    with pytest.raises(bb.BayesBiasError, match="did you mean 'winobias'"):
        bb.compare({"a": kv, "b": 3}, wordlist, used=["he"], test="winobiass")
