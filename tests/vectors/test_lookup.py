"""Words are found in other spellings where that is safe, whichever way the vectors come in."""

import copy
import gzip
import pickle

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.errors import EmbeddingError
from bayesbias.vectors import lookup
from bayesbias.vectors.lookup import capitals_of, find_words, origin_of

TEXT = ["the", "anna", "émile", "will", "new_york", "isveç", "\u0131rmak", "oven", "saw"]
LOWER = [*TEXT, *(f"w{i}" for i in range(2000))]
CASED = [*LOWER[:500], "The", "Of", "In", "Monday", *LOWER[500:]]
NAMES = {"Anna": "anna", "Émile": "émile", "E\u0301mile": "émile", "New York": "new_york"}
NAMES |= {"İsveç": "isveç", "Irmak": "\u0131rmak", "oven": "oven", "Omar": None}


def rows_of(words):
    rng = np.random.default_rng(5)
    return dict(zip(words, rng.standard_normal((len(words), 4)).astype("float32"), strict=True))


def text_file(words, place):
    lines = (f"{w} {' '.join(map(str, v))}" for w, v in rows_of(words).items())
    path = place / "v.txt.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


def binary_file(words, place):
    bb.load_embedding(rows_of(words)).save_word2vec_format(str(place / "v.bin"), binary=True)
    return place / "v.bin"


WAYS = {
    "text": text_file,
    "binary": binary_file,
    "frame": lambda words, place: pd.DataFrame(rows_of(words)).T.add_prefix("d"),
    "mapping": lambda words, place: rows_of(words),
    "keyed vectors": lambda words, place: bb.load_embedding(rows_of(words)),
}


@pytest.mark.parametrize("way", WAYS)
def test_lower_case_is_found_where_there_are_next_to_no_capitals(way, tmp_path):
    for how in ({}, {"words": list(NAMES)}):
        vectors = bb.load_embedding(WAYS[way](LOWER, tmp_path), **how)
        assert find_words(vectors, NAMES) == NAMES
        marked = bb.load_embedding(WAYS[way]([*LOWER, "<UNK>"], tmp_path), **how)
        assert find_words(marked, ["Anna"]) == {"Anna": "anna"}
        cased = bb.load_embedding(WAYS[way](CASED, tmp_path), **how)
        assert find_words(cased, ["Anna", "oven"]) == {"Anna": None, "oven": "oven"}


def test_exact_is_first_then_lower_case_then_underscores():
    kv = bb.load_embedding({"ann": [1.0], "Ann": [2.0], "BOB": [3.0], "new_york": [4.0]})
    words = ["Ann", "bob", "new york", "eve"]
    assert list(find_words(kv, words).values()) == ["Ann", None, "new_york", None]
    kv = bb.load_embedding({"new_york": [1.0], "san francisco": [2.0], "san_francisco": [3.0]})
    found = find_words(kv, ["New York", "San Francisco"])
    assert list(found.values()) == ["new_york", "san francisco"]


def test_accents_are_stripped_where_the_user_says_so(tmp_path):
    bare = ["medico", "nino", "el", "fisica", "straße", *(f"w{i}" for i in range(2000))]
    words = {"médico": "medico", "Niño": "nino", "él": "el", "física": "fisica", "straße": "straße"}
    path = text_file(bare, tmp_path)
    for how in ({}, {"words": list(words)}):
        assert set(find_words(bb.load_embedding(path, **how), words).values()) == {None, "straße"}
        stripped = bb.load_embedding(path, strip_accents=True, **how)
        assert find_words(stripped, words) == words
        assert find_words(copy.deepcopy(stripped), words) == words


def test_facts_of_the_source_go_with_copies_and_debiased_vectors(tmp_path):
    """Of a list's words alone nobody could tell that the file has capitals."""
    path = text_file([*CASED, "he", "she"], tmp_path)
    subset = bb.load_embedding(path, words=["he", "she", "will", "oven", "saw"])
    done = bb.debias.hard(subset, matched=[("he", "she")], neutralise=["oven"]).vectors
    for vectors in (subset, done, copy.deepcopy(subset), pickle.loads(pickle.dumps(subset))):
        assert find_words(vectors, ["Will"]) == {"Will": None}
        assert capitals_of(vectors)[1] == len(CASED) + 2
    assert origin_of(subset)["embedding"] == "v.txt.gz"
    assert len(origin_of(copy.copy(subset))["embedding_sha256"]) == 64
    path.write_bytes(path.read_bytes() + b"\n")
    assert "embedding_sha256" not in origin_of(subset)


@pytest.mark.parametrize(
    ("vector", "complaint"),
    [([0.0, 0.0], "is the zero vector"), ([np.nan, 1.0], "NaN"), ([np.inf, 1.0], "infinite")],
)
def test_vectors_without_direction_are_named(vector, complaint):
    kv = lookup.keyed_vectors(["good", "bad"], np.array([[1.0, 2.0], vector]))
    with pytest.raises(EmbeddingError, match=rf"'bad'.*{complaint}"):
        lookup.vectors_of(kv, ["good", "bad"])


@pytest.mark.parametrize("name", ["glove-6b-13k-50d.txt.gz", "glove-twitter-12k-25d.txt.gz"])
@pytest.mark.parametrize("list_name", ["weat3", "weat5", "names"])
def test_shipped_names_in_real_lower_case_vectors(name, list_name, data):
    """No name is missing whose lower-case form is in the file, however it was loaded."""
    words = bb.load_wordlist(list_name).words
    whole = bb.load_embedding(data / "embeddings" / name)
    found = find_words(whole, words)
    assert {w for w, key in found.items() if key} == {w for w in words if w.lower() in whole}
    assert find_words(bb.load_embedding(data / "embeddings" / name, words=words), words) == found
