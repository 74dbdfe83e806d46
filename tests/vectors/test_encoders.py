"""Models of sentences: a function stands for one, so that these tests run everywhere."""

import sys

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError
from bayesbias.vectors import encode

LIST = [["he", "man"], ["she", "woman"], ["engineer", "boss"], ["nurse", "maid"]]


def letters(texts):
    """Return the numbers of a few letters in each text."""
    return [[float(text.count(letter)) for letter in "aehnost"] for text in texts]


class Model:
    """Stands for a SentenceTransformer."""

    def encode(self, texts):
        return np.array(letters(texts))


def test_a_vector_is_the_mean_over_templates():
    assert encode(["he", "she"], letters)["she"].tolist() == [0, 1, 1, 0, 0, 1, 0]
    both = encode(["she"], Model(), templates=["{}", "to {}"])["she"]
    assert both.tolist() == [0, 1, 1, 0, 0.5, 1, 0.5]
    found = bb.load_embedding(Model(), words=["he", "he", "the end"])
    assert found.index_to_key == ["he", "the end"]
    with pytest.raises(ArgumentError, match="words=: say for which words"):
        bb.load_embedding(Model())


def test_texts_come_in_batches():
    sizes = []

    def counted(texts):
        sizes.append(len(texts))
        return letters(texts)

    encode([f"w{i}" for i in range(70)], counted, templates=["{}", "a {}"])
    assert sizes == [64, 64, 12]


def test_a_word_without_a_vector_is_missing_with_the_reason():
    def some(texts):
        known = {"nurse": 0.0, "maid": np.nan}
        return [known.get(text, 1.0) * np.array(letters([text])[0]) for text in texts]

    words = [word for one in LIST for word in one]
    with pytest.warns(DataWarning, match=r"NaN or infinite components of 1 words \('maid'\)"):
        vectors = encode(words, some)
    assert not vectors["maid"].any()
    with pytest.raises(bb.BayesBiasError, match="none"):  # of the second list nothing is left
        bb.distances(vectors, bb.load_wordlist(LIST))
    longer = [*LIST[:3], ["nurse", "tutor"]]
    vectors = encode([word for one in longer for word in one], some)
    with pytest.warns(bb.BayesBiasWarning):
        frame = bb.distances(vectors, bb.load_wordlist(longer))
    assert "its vector is zero" in bb.missing_words(frame).set_index("word").loc["nurse", "reason"]
    with pytest.warns(bb.BayesBiasWarning):
        frame = bb.words.contextual_distances(some, bb.load_wordlist(longer), templates=["{}"])
    assert "its vector is zero" in bb.missing_words(frame).set_index("word").loc["nurse", "reason"]


@pytest.mark.parametrize(
    ("model", "how", "error", "complaint"),
    [
        (3, {}, ArgumentError, "model is a int; give a SentenceTransformer"),
        (letters, {"templates": "a {}"}, ArgumentError, r"give a list, such as \[\"This is"),
        (letters, {"templates": []}, ArgumentError, "give a list"),
        (letters, {"templates": ["a"]}, ArgumentError, "must have exactly one {}"),
        (letters, {"templates": ["{} {}"]}, ArgumentError, "must have exactly one {}"),
        (lambda texts: np.ones(3), {}, EmbeddingError, r"shape \(3,\) of 2 texts"),
        (lambda texts: np.ones((1, 3)), {}, EmbeddingError, r"shape \(1, 3\) of 2 texts"),
    ],
)
def test_what_cannot_be_used_is_refused(model, how, error, complaint):
    with pytest.raises(error, match=complaint):
        encode(["he", "she"], model, **how)


def test_a_library_that_is_absent_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ArgumentError, match=r"pip install 'bayesbias\[sentence-transformers\]'"):
        encode(["he"], "all-MiniLM-L6-v2")


def test_words_are_checked_first():
    for words in ("he", [" "], [3], 3, bb.load_wordlist("weat7")):
        with pytest.raises(ArgumentError, match="give a list of words"):
            bb.load_embedding(Model(), words=words)
