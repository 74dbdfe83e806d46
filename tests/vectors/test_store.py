"""Stores: the same vectors as their source, opened at once, read page by page."""

import gzip
import json
import pickle

import numpy as np
import pytest
from samples import soon

import bayesbias as bb
from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError, OutputError
from bayesbias.vectors.store import FILES, write_store

WORDS = ["he", "she", "naïve", "东京", "New_York", "a b", "nurse", "=cmd", "\ufeffx", "12"]


@pytest.fixture
def kv():
    matrix = np.random.default_rng(0).standard_normal((len(WORDS), 5)).astype(np.float32)
    return bb.load_embedding((WORDS, matrix))


@pytest.fixture
def store(kv, tmp_path):
    assert bb.vectors.convert_embedding(kv, tmp_path / "v.bbv") == len(WORDS)
    return tmp_path / "v.bbv"


def test_a_store_is_its_source(kv, store):
    assert {p.name for p in store.iterdir()} == FILES
    found = bb.load_embedding(store)
    np.testing.assert_array_equal(found.vectors, kv.vectors)
    assert isinstance(found.vectors, np.memmap)
    assert found.index_to_key == WORDS
    assert found.key_to_index == kv.key_to_index
    assert len(found) == len(WORDS)
    assert found.vector_size == 5
    np.testing.assert_array_equal(found["东京"], kv["东京"])


def test_gensims_methods_work_on_it(kv, store, tmp_path):
    found = bb.load_embedding(store)
    assert found.most_similar("he") == kv.most_similar("he")
    assert found.similarity("he", "she") == kv.similarity("he", "she")
    with pytest.raises(ValueError, match="read-only"):
        found.vectors[0] = 1.0


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("room", [10, 64_000_000])
def test_files_convert_in_pieces(kv, tmp_path, monkeypatch, binary, room):
    """Of 10 bytes, one vector at a time."""
    monkeypatch.setattr("bayesbias.vectors.records.BLOCK", room)
    words = [w for w in WORDS if " " not in w]
    bb.load_embedding((words, kv[words])).save_word2vec_format(str(tmp_path / "v"), binary=binary)
    content = (tmp_path / "v").read_bytes()
    (tmp_path / "v").write_bytes(content if binary else gzip.compress(content))
    assert bb.vectors.convert_embedding(tmp_path / "v", tmp_path / "s") == len(words)
    found = bb.load_embedding(tmp_path / "s")
    assert list(found.index_to_key) == words
    np.testing.assert_array_equal(found.vectors, kv[words])
    manifest = json.loads((tmp_path / "s" / "manifest.json").read_text())
    assert manifest["source"]["file"] == "v"
    assert len(manifest["source"]["sha256"]) == 64


def test_wanted_words_and_limits(kv, store):
    found = bb.load_embedding(store, words=["nurse", "absent", "HE"], fallbacks=["lower"])
    assert found.index_to_key == ["he", "nurse"]
    np.testing.assert_array_equal(found.vectors, kv[["he", "nurse"]])
    assert bb.load_embedding(store, limit=2).index_to_key == WORDS[:2]
    assert bb.load_embedding(store, limit=99).index_to_key == WORDS
    assert bb.load_embedding(store, words=["\ud800", "12"]).index_to_key == ["12"]
    assert bb.load_embedding(store, limit=2, words=["she", "nurse"]).index_to_key == ["she"]
    assert len(bb.load_embedding(store, words=["absent"])) == 0


def test_a_store_is_not_written_over_itself(store):
    with pytest.raises(OutputError, match="is what the vectors are read from"):
        bb.vectors.convert_embedding(
            store, store.parent / "." / store.name, limit=2, overwrite=True
        )


def test_the_first_of_a_repeated_word_is_stored(tmp_path, monkeypatch):
    (tmp_path / "v").write_text("a 1 2\nb 3 4\na 5 6\na 7 8\n")
    for room in (10, 1_000_000):
        monkeypatch.setattr("bayesbias.vectors.records.BLOCK", room)
        with pytest.warns(DataWarning, match="2 vectors repeat an earlier word"):
            bb.vectors.convert_embedding(tmp_path / "v", tmp_path / "s", overwrite=True)
        found = bb.load_embedding(tmp_path / "s")
        assert list(found.index_to_key) == ["a", "b"]
        assert found["a"].tolist() == [1, 2]
        assert (
            json.loads((tmp_path / "s/manifest.json").read_text())["repeated_words_left_out"] == 2
        )


def test_half_a_million_words_open_in_a_moment(tmp_path):
    def blocks():
        for start in range(0, 500_000, 100_000):
            words = [f"w{i}" for i in range(start, start + 100_000)]
            yield words, np.full((100_000, 2), start, dtype=np.float32)

    write_store(blocks(), tmp_path / "s", source={})
    bb.load_embedding({"a": [1.0]})  # imports gensim
    with soon(1.5):
        found = bb.load_embedding(tmp_path / "s")
    assert found["w499999"].tolist() == [400_000, 400_000]
    with soon(0.5):
        found = bb.load_embedding(tmp_path / "s", words=["w499999"])
    assert found["w499999"].tolist() == [400_000, 400_000]


def spoilt(store, name, change):
    content = (store / name).read_bytes()
    (store / name).write_bytes(change(content))


@pytest.mark.parametrize(
    ("name", "change", "complaint"),
    [
        ("vectors.npy", lambda b: b[:-4], "no sound array"),
        ("vectors.npy", lambda b: b.replace(b"(10, 5)", b"(5, 10)"), "has 5 vectors and 10 words"),
        ("vectors.npy", lambda b: b.replace(b"<f4", b"<i4"), "no matrix of float32"),
        ("vectors.npy", lambda b: b.replace(b"<f4", b"|O "), "no sound array"),
        ("vectors.npy", lambda b: b.replace(b"(10, 5), }", b"(10, 5), ("), "no sound array"),
        (
            "vectors.npy",
            lambda b: b.replace(b"(10, 5), }" + b" " * 20, b"(10" + b"0" * 20 + b", 5), }"),
            "no sound array",
        ),
        ("vectors.npy", lambda b: b.replace(b"(10, 5), ", b"(10**12, 5)"), "no sound array"),
        ("vectors.npy", lambda b: pickle.dumps([1.0]), "no sound array"),
        ("words.txt", lambda b: b[:-3], "has 10 vectors and 9 words"),
        ("words.txt", lambda b: b"", "has 10 vectors and 1 words"),
        ("words.txt", lambda b: b.replace(b"he\n", b"\xff\n", 1), "words.txt is not UTF-8"),
        ("words.txt", lambda b: b.replace(b"12", b"he"), "words.txt has a word twice"),
    ],
)
def test_damaged_stores_are_refused(store, name, change, complaint):
    spoilt(store, name, change)
    with pytest.raises(EmbeddingError, match=complaint):
        bb.load_embedding(store)


def test_what_a_store_cannot_hold(tmp_path):
    for word in ("", "a\nb"):
        with pytest.raises(EmbeddingError, match="cannot hold the word"):
            bb.vectors.convert_embedding(bb.load_embedding({word: [1.0]}), tmp_path / "s")
    with pytest.raises(EmbeddingError, match="no vectors to store"):
        write_store([], tmp_path / "s", source={})
    (tmp_path / "v").write_text("a 1 2\nb nan 4\n")
    with pytest.raises(EmbeddingError, match=r"vector 2 \('b'\) has NaN"):
        bb.vectors.convert_embedding(tmp_path / "v", tmp_path / "s")
    assert [p.name for p in tmp_path.iterdir()] == ["v"]


def test_arguments(kv, store):
    with pytest.raises(OutputError, match="is not empty"):
        bb.vectors.convert_embedding(kv, store)
    with pytest.raises(ArgumentError, match="limit"):
        bb.vectors.convert_embedding(kv, store, limit=0)
