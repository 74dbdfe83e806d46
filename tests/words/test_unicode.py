"""One word in two forms of Unicode: composed (NFC) in lists, either form in vectors."""

import unicodedata

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.errors import WordListError
from bayesbias.vectors.loading import load_embedding
from bayesbias.vectors.lookup import find_words
from bayesbias.words.provenance import source_of

FORMS = ("NFC", "NFD")

LIST = """
title = "Deutsch und español"
source = "a test"

matched = [["Junge", "Mädchen"], ["niño", "niña"]]

[groups]
"männlich" = ["Junge", "niño"]
weiblich = ["Mädchen", "niña"]

[associated]
"männlich" = ["Bücher"]
weiblich = ["Küche"]

[attributes]
"Bücher" = ["Prüfung", "señal"]
"Küche" = ["Öfen", "piñata"]

[controls]
neutral = ["Straße", "Fluß"]
"""


def form(text, name):
    return unicodedata.normalize(name, text)


def words_in(list_form):
    words = ["Junge", "niño", "Mädchen", "niña", "Prüfung", "señal", "Öfen", "piñata"]
    return [form(word, list_form) for word in [*words, "Straße", "Fluß"]]


def vectors_in(vector_form):
    numbers = np.random.default_rng(3).standard_normal((10, 6))
    return load_embedding((words_in(vector_form), numbers))


def test_a_list_is_composed_whatever_its_file_has(write):
    composed = bb.load_wordlist(write(form(LIST, "NFC")))
    escaped = form(LIST, "NFC").replace('"Mädchen"]\n', r'"Ma\u0308dchen"]' + "\n")
    for text in (form(LIST, "NFD"), escaped):
        assert bb.load_wordlist(write(text)) == composed
        assert bb.load_wordlist(write(text)).checksum() == composed.checksum()
    assert [len(word) for word in composed.protected_words] == [5, 4, 7, 4]


def test_both_forms_of_a_word_are_a_repetition(write):
    twice = LIST.replace('["Öfen", ', f'["{form("Öfen", "NFC")}", "{form("Öfen", "NFD")}", ')
    with pytest.raises(WordListError, match="more than once"):
        bb.load_wordlist(write(twice))
    keys = LIST.replace("\n[controls]", f'\n"{form("Küche", "NFD")}" = ["Herd"]\n\n[controls]')
    with pytest.raises(WordListError, match=r"attributes: two of its keys are the same"):
        bb.load_wordlist(write(keys))


def test_distances_are_the_same_in_all_forms(write):
    wl = bb.load_wordlist(write(LIST))
    composed, decomposed = (bb.distances(vectors_in(name), wl) for name in FORMS)
    assert bb.missing_words(decomposed).empty
    assert decomposed.equals(composed)
    found_as = {w: form(w, "NFD") for w in words_in("NFC") if form(w, "NFD") != w}
    assert len(found_as) == 7  # ß has no decomposition, and "Junge" needs none
    assert source_of(composed)["found_as"] == {}
    assert source_of(decomposed)["found_as"] == found_as


@pytest.mark.parametrize("vector_form", FORMS)
def test_a_file_is_searched_for_both_forms(tmp_path, vector_form):
    path = tmp_path / "vectors"
    vectors_in(vector_form).save_word2vec_format(str(path), binary=True)
    found = load_embedding(path, words=["Mädchen", "niña", "nina"])
    assert found.index_to_key == [form("Mädchen", vector_form), form("niña", vector_form)]


def test_the_exact_word_comes_first_then_its_forms():
    both = {form("año", "NFC"): [1.0, 0.0], form("año", "NFD"): [0.0, 1.0]}
    part = "e\u0301\u00f1e"  # composed in part: the accent apart, the tilde not
    for name in FORMS:
        word = form("año", name)
        assert find_words(load_embedding(both), [word]) == {word: word}
        vectors = load_embedding({form(part, name): [1.0]})
        assert find_words(vectors, [part]) == {part: form(part, name)}
    assert find_words(load_embedding({"ano": [1.0]}), ["año"]) == {"año": None}


def test_lower_case_is_looked_up_in_all_forms():
    vectors = load_embedding({form("öl", "NFD"): [1.0], "ol": [2.0]})
    assert find_words(vectors, ["Öl"]) == {"Öl": form("öl", "NFD")}
