"""Readers against files that gensim itself wrote, and every kind of broken file."""

import bz2
import gzip
import pickle
import re
import struct

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from malformed import record
from samples import run_python
from scipy.sparse import csr_matrix

import bayesbias as bb
from bayesbias.errors import ArgumentError, EmbeddingError, UntrustedFileError, WordListError
from bayesbias.vectors.loading import load_embedding, load_words
from bayesbias.vectors.lookup import find_words, vectors_of

WORDS = ["he", "she", "naïve", "东京", "doctor", "New_York", "1999", "it's"]


@pytest.fixture(scope="module")
def kv():
    vectors = KeyedVectors(7)
    numbers = np.random.default_rng(0).standard_normal((len(WORDS), 7)).astype(np.float32)
    vectors.add_vectors(WORDS, numbers)
    return vectors


def glove_text(kv, end="\n"):
    """Text without a header, as GloVe writes it; fastText puts a space before the line's end."""
    lines = (f"{w} " + " ".join(repr(float(x)) for x in kv[w]) for w in WORDS)
    return "".join(line + end for line in lines)


TEXTS = {
    "glove": glove_text,
    "fasttext": lambda kv: f"{len(WORDS)} 7\n" + glove_text(kv, " \n"),
    "crlf": lambda kv: glove_text(kv, "\r\n"),
    "tabs": lambda kv: glove_text(kv).replace(" ", "\t"),
}


@pytest.fixture(params=["binary", "text", *TEXTS])
def path(request, kv, tmp_path):
    path = tmp_path / "vectors"  # no suffix: the format is told from the content
    if request.param in TEXTS:
        path.write_bytes(TEXTS[request.param](kv).encode())
    else:
        kv.save_word2vec_format(str(path), binary=request.param == "binary")
    return path


def assert_same(found, kv, words=WORDS):
    assert found.index_to_key == list(words)
    np.testing.assert_array_equal(found[list(words)], kv[list(words)])


@pytest.mark.parametrize("compress", [lambda b: b, gzip.compress, bz2.compress])
def test_every_format_plain_and_compressed(path, kv, compress):
    path.write_bytes(compress(path.read_bytes()))
    assert_same(load_embedding(path), kv)


def test_only_the_wanted_words_are_loaded(path, kv):
    found = load_embedding(path, words=["doctor", "absent", "東京", "东京"])
    assert_same(found, kv, ["东京", "doctor"])


def test_limit_counts_the_files_vectors(path, kv):
    assert_same(load_embedding(path, limit=3), kv, WORDS[:3])
    assert_same(load_embedding(path, limit=3, words=["she", "doctor"]), kv, ["she"])


def test_what_gensim_loads_is_what_we_load(path, kv, tmp_path):
    """Our KeyedVectors behave as gensim's own."""
    found = load_embedding(path)
    assert found.most_similar("doctor") == kv.most_similar("doctor")
    found.add_vectors(["new", "newer"], np.ones((2, 7)))
    assert found["new"].tolist() == [1.0] * 7
    found.save_word2vec_format(str(tmp_path / "again"))
    assert len(load_embedding(tmp_path / "again")) == len(WORDS) + 2


def test_gensims_own_format_needs_trust(kv, tmp_path):
    kv.save(str(tmp_path / "kv"))
    with pytest.raises(UntrustedFileError, match=r"opening a pickle runs code.*trusted=True"):
        load_embedding(tmp_path / "kv")
    assert_same(load_embedding(tmp_path / "kv", trusted=True), kv)


@pytest.mark.parametrize("trusted", ["no", "false", 0, 1, None, [0]])
def test_only_true_and_false_say_what_is_trusted(tmp_path, trusted):
    path = tmp_path / "v.kv"
    path.write_bytes(b"\x80\x04cos\nsystem\n.")
    complaint = f"trusted={re.escape(repr(trusted))}: must be"
    with pytest.raises(ArgumentError, match=complaint):
        bb.load_embedding(path, trusted=trusted)
    with pytest.raises(ArgumentError, match=complaint):
        bb.vectors.convert_embedding(path, tmp_path / "s", trusted=trusted)


def test_a_saved_model_gives_its_vectors_and_another_pickle_none(tmp_path):
    model = Word2Vec([["a", "b", "c"]] * 5, vector_size=4, min_count=1, workers=1, seed=1)
    model.save(str(tmp_path / "model"))
    found = load_embedding(tmp_path / "model", trusted=True)
    np.testing.assert_array_equal(found["a"], model.wv["a"])
    (tmp_path / "p").write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(EmbeddingError, match="gensim cannot open it"):
        load_embedding(tmp_path / "p", trusted=True)


def test_mappings_arrays_and_keyed_vectors(kv):
    matrix = kv[WORDS]
    assert_same(load_embedding((WORDS, matrix)), kv)
    assert_same(load_embedding(dict(zip(WORDS, matrix, strict=True))), kv)
    assert_same(load_embedding((WORDS, matrix), words=["she"]), kv, ["she"])
    assert load_embedding(kv) is kv


def test_words_with_spaces_as_in_glove_840b(tmp_path):
    (tmp_path / "v").write_text("a 1 2\nat name@domain.com 3 4\nat 5 6\n. . . 7 8\n")
    assert load_embedding(tmp_path / "v")["at name@domain.com"].tolist() == [3, 4]
    found = load_embedding(tmp_path / "v", words=["at", ". . ."])
    assert found.index_to_key == ["at", ". . ."]


def test_the_first_of_a_repeated_word_is_used(tmp_path):
    (tmp_path / "v").write_text("a 1 2\nb 3 4\na 5 6\n")
    with pytest.warns(bb.BayesBiasWarning, match="1 vector repeats an earlier word") as caught:
        found = load_embedding(tmp_path / "v")
    assert caught[0].filename == __file__
    assert found["a"].tolist() == [1, 2]
    assert len(found) == 2


def test_lookup_is_exact_first_then_the_fallbacks_in_order():
    kv = load_embedding({"ann": [1.0], "Ann": [2.0], "BOB": [3.0], "new_york": [4.0]})
    found = find_words(kv, ["Ann", "bob", "new york", "eve"], fallbacks=["upper", "underscore"])
    assert found == {"Ann": "Ann", "bob": "BOB", "new york": "new_york", "eve": None}
    with pytest.raises(ArgumentError, match="did you mean 'lower'"):
        find_words(kv, ["Ann"], fallbacks=["lowr"])
    kv = load_embedding({"new_york": [1.0], "San_Francisco": [2.0]})
    found = find_words(
        kv, ["New York", "san francisco"], fallbacks=["underscore", "lower", "title"]
    )
    assert found == {"New York": "new_york", "san francisco": "San_Francisco"}


@pytest.mark.parametrize("fallbacks", [["lower"] * 40, ["lower", "title"] * 20, "lower", 3])
def test_fallbacks_are_a_list_that_names_each_once(fallbacks):
    """Forty of them took 2⁴⁰ steps."""
    with pytest.raises(ArgumentError, match="fallbacks="):
        bb.load_embedding({"ann": [1.0]}, words=["Ann"], fallbacks=fallbacks)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"\n\n", "first 2 bytes are blank"),
        (b"\xef\xbb\xbf", "first 3 bytes are blank"),
        (b" " * 100_000, "first 65,536 bytes are blank"),
        (b"\x80", "line 1: neither"),
        (b"2 999999999999\na 1\n", "promises vectors of 999,999,999,999 numbers"),
        (b"hello world\nthis is prose\n", "line 1: neither 'count dimension' nor a word"),
        (b"\x89PNG\r\n\x1a\n....", "line 1: neither"),
        (b"PK\x03\x04....", "zip archive"),
        (b"\x93NUMPY\x01\x00....", "is an array of numpy's, without words"),
        (struct.pack("<i", 793712314) + b"....", "fastText model, but damaged, cut short"),
        (b"2 2\n" + record(b"a", 1, 2) + record(b"b", 3, 4)[:-3], "header promises 2|cut short"),
        (b"1 2\n" + record(b"a", 1, 2) + 2 * record(b"b", 3, 4), "more data follow"),
        (b"1 2\n" + record(b"a", 1, 2) + record(b"\xff", 3, 4), "more data follow"),
        (b"1 2\n" + record(b"a", 1, 2) + record(b"b", 3, 4)[:-1], "more data follow"),
        (b"1000000000000 300\n" + record(b"a", *range(300)), r"promises 1,000,000,\S+ vectors but"),
        (b"2 0\na\nb\n", "vectors of 0 numbers"),
        (b"-1 -3\na 1 2 3\n", r"line 2 \(.a.\) has 3 numbers"),
        (b"9" * 5000 + b" 3\na 1 2 3\n", "line 1 is longer than"),
        (b"a 1e300 1\nb 1 2\n", r"vector 1 \('a'\) has NaN or infinite"),
        (b"a 1 2\n" + b"b" * 10_000 + b"\n", "line 2 is longer than"),
        (b"2 1\n" + record(b"a", 1) + record(b"", 2), "its word has 0 bytes"),
        (b"1 1\n" + record(b"a" * 5000, 1), "line 2 is longer than"),
        (gzip.compress(b"a 1 2\nb 3 4\n", mtime=0)[:-8] + bytes(8), "damaged or cut short"),
        (gzip.compress(b"a 1 2\nb 3 4\n", mtime=0) + b"garbage", "damaged or cut short"),
        (b"\n2 3\n\nhe 1 2 3\n\nshe 4 5\n", "line 6"),
        (b"a 1 2\nb 3 x\n", r"line 2 \('b'\): 'x' is not a number"),
        (b"2 2\na 1 2\nb 3 x\n", r"line 3 \('b'\): 'x' is not a number"),
        (b"2 2\na 1 y\nb 3 4\n", r"line 2 \('a'\): 'y' is not a number"),
        (b"a 1 2\nb 3 4 5\n", r"line 2 \('b'\) has 3 numbers where the file's first has 2"),
        (b"a 1 2\nb 3\n", r"line 2 \('b'\) has 1 number where the file's first has 2"),
        (b"2 3\na 1 2\nb 3 5\n", r"line 2 \('a'\) has 2 numbers where the header promises 3"),
        (b"a 1 2\nb nan 4\n", r"vector 2 \('b'\) has NaN or infinite"),
        (b"2 2\n" + record(b"a", 1, 2) + record(b"b", 3, np.inf), r"\('b'\) has NaN or infinite"),
        (gzip.compress(b"a 1 2\n" * 1000, mtime=0)[:-20], "damaged or cut short"),
        (bz2.compress(b"a 1 2\n" * 1000)[:-20], "damaged or cut short"),
    ],
)
def test_broken_files(tmp_path, content, complaint):
    path = tmp_path / "broken"
    path.write_bytes(content)
    with pytest.raises(EmbeddingError, match=complaint) as caught:
        load_embedding(path)
    assert "broken" in str(caught.value)


@pytest.mark.parametrize("bad", ["nowhere.bin", "."])
def test_not_a_file(bad):
    with pytest.raises(EmbeddingError, match=r"no such file|is a folder"):
        load_embedding(bad)


def test_a_mistyped_download_suggests_its_name():
    with pytest.raises(EmbeddingError, match="write 'gensim:glove-twitter-25'"):
        load_embedding("glove-twiter-25")


def test_downloads_go_through_gensim(monkeypatch, kv):
    import gensim.downloader

    def load(name):
        if name == "known":
            return kv
        raise OSError("no route")

    catalogue = {"models": {"known": {}, "offline": {}}, "corpora": {"text8": {}}}
    monkeypatch.setattr(gensim.downloader, "load", load)
    for offered, name, complaint in (
        (catalogue, "offline", "could not fetch 'offline'"),
        (catalogue, "knwon", "'knwon' is not offered; did you mean 'known'"),
        (catalogue, "text8", "'text8' is a corpus"),
        ({}, "known", "cannot reach the catalogue"),
    ):
        monkeypatch.setattr(gensim.downloader, "info", lambda offered=offered: offered)
        with pytest.raises(EmbeddingError, match=complaint):
            load_embedding(f"gensim:{name}")
    monkeypatch.setattr(gensim.downloader, "info", lambda: catalogue)
    assert load_embedding("gensim:known") is kv


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ({}, "need a matrix"),
        ({"a": [1.0, 2.0], "b": [1.0]}, "'b' has 1 numbers where 'a' has 2"),
        ({"a": ["x"]}, "not numbers"),
        ({1: [1.0]}, "1 is not a text"),
        ((["a"], np.ones((2, 3))), r"need a matrix of shape \(1, dimension\)"),
        ((["a", "b"], csr_matrix(np.eye(2))), r"is sparse; give its dense form, matrix\.toarray"),
    ],
)
def test_broken_objects(source, complaint):
    with pytest.raises(EmbeddingError, match=complaint):
        load_embedding(source)


@pytest.mark.parametrize(
    ("vector", "complaint"),
    [([0.0, 0.0], "is the zero vector"), ([np.nan, 1.0], "NaN"), ([np.inf, 1.0], "infinite")],
)
def test_vectors_without_direction_are_named(vector, complaint):
    kv = load_embedding({"good": [1.0, 2.0], "bad": vector})
    with pytest.raises(EmbeddingError, match=rf"'bad'.*{complaint}"):
        vectors_of(kv, ["good", "bad"])


@pytest.mark.parametrize(
    "name",
    [
        *("glove-6b-13k-50d.txt.gz", "glove-840b-10k-300d-int8.bin.gz"),
        *("glove-twitter-12k-25d.txt.gz", "googlenews-16k-300d.bin"),
    ],
)
def test_real_files_as_gensim_reads_them(data, name):
    path = data / "embeddings" / name
    ours = load_embedding(path)
    gensims = KeyedVectors.load_word2vec_format(str(path), binary=".bin" in name, limit=500)
    np.testing.assert_array_equal(ours.vectors[:500], gensims.vectors)
    assert ours.index_to_key[:500] == gensims.index_to_key


@pytest.mark.parametrize("start", ["", "\ufeff", "\ufeff\n", "\n\n", " \r\n"])
@pytest.mark.parametrize("header", ["", "2 3\n", "2 3\n\n"])
def test_a_byte_order_mark_and_blank_lines(tmp_path, start, header):
    """They were an IndexError, a vector of another length, or taken for binary."""
    (tmp_path / "v").write_text(f"{start}{header}he 1 2 3\n\nshe 4 5 6\n", encoding="utf-8")
    for words in (None, ["he", "she"]):
        kv = load_embedding(tmp_path / "v", words=words)
        assert {word: kv[word].tolist() for word in kv.index_to_key} == {
            "he": [1, 2, 3],
            "she": [4, 5, 6],
        }


def test_commands_load_the_same_words_without_gensim(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("he 1 0.5\nshe 0 1\nit 3 1\n")
    script = (
        "import sys; from bayesbias.vectors.loading import load_words; "
        f"load_words({str(path)!r}, words=['he']); sys.exit('gensim' in sys.modules)"
    )
    assert run_python("-c", script).returncode == 0
    for options in ({}, {"words": ["She", "it"], "fallbacks": ["lower"]}, {"limit": 2}):
        ours, gensims = load_words(str(path), **options), load_embedding(path, **options)
        assert ours.index_to_key == gensims.index_to_key
        assert ours.key_to_index == gensims.key_to_index
        np.testing.assert_array_equal(ours.vectors, gensims.vectors)
        np.testing.assert_array_equal(ours["she"], gensims["she"])


def test_commands_load_other_sources_with_gensim(tmp_path):
    load_embedding({"he": [1.0, 0.0]}).save(str(tmp_path / "v.kv"))
    with pytest.raises(UntrustedFileError):
        load_words(str(tmp_path / "v.kv"))
    assert isinstance(load_words(str(tmp_path / "v.kv"), trusted=True), KeyedVectors)
    with pytest.raises(EmbeddingError, match="no such file"):
        load_words(str(tmp_path / "none"))


def test_a_binary_vector_that_begins_as_a_line_of_text_is_binary(tmp_path):
    """The bytes of a float may be letters and the end of a line."""
    rows = np.random.default_rng(1).standard_normal((3, 8)).astype("<f4")
    rows[0, 0] = np.frombuffer(b"zs\nB", "<f4")[0]
    records = b"".join(b"w%d " % i + row.tobytes() + b"\n" for i, row in enumerate(rows))
    (tmp_path / "v.bin").write_bytes(b"3 8\n" + records)
    assert np.array_equal(bb.load_embedding(tmp_path / "v.bin").vectors, rows)


def test_a_word_list_in_place_of_words_is_told_which_of_its_parts_is_meant():
    for given, advice in (
        ("weat7", r"bb\.load_wordlist\('weat7'\)\.words"),
        (bb.load_wordlist("weat7"), r"is a WordList; give its words, wordlist\.words"),
        (3, r"such as \['he'\]"),
    ):
        with pytest.raises(ArgumentError, match=advice):
            load_embedding({"he": [1.0]}, words=given)


def test_a_list_in_capitals_is_known():
    with pytest.raises(WordListError, match="no word list called 'WEAT7'; did you mean 'weat7'"):
        bb.load_wordlist("WEAT7")
