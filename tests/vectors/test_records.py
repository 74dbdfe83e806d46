"""word2vec, GloVe and fastText's text: what gensim wrote, what we write, and broken files."""

import bz2
import gzip
import io
import lzma
import pickle
import warnings
import zipfile

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from malformed import record
from samples import run_python

import bayesbias as bb
from bayesbias.errors import (
    ArgumentError,
    DataWarning,
    EmbeddingError,
    OutputError,
    UntrustedFileError,
)
from bayesbias.vectors.loading import check_ending, load_embedding, write_vectors

WORDS = ["he", "she", "naïve", "东京", "doctor", "New_York", "1999", "it's"]
NUMBERS = np.random.default_rng(0).standard_normal((len(WORDS), 7)).astype(np.float32)


@pytest.fixture(scope="module")
def kv():
    vectors = KeyedVectors(7)
    vectors.add_vectors(WORDS, NUMBERS)
    return vectors


def glove_text(end="\n"):
    """Text without a header, as GloVe writes it; fastText puts a space before the line's end."""
    rows = zip(WORDS, NUMBERS, strict=True)
    return "".join(f"{w} {' '.join(repr(float(x)) for x in row)}{end}" for w, row in rows)


TEXTS = {
    "glove": glove_text(),
    "fasttext": f"{len(WORDS)} 7\n" + glove_text(" \n"),
    "crlf": glove_text("\r\n"),
    "tabs": glove_text().replace(" ", "\t"),
    "no last line end": glove_text().rstrip("\n"),
    "byte order mark": "\ufeff" + glove_text(),
    "blank lines": f"\n{len(WORDS)} 7\n\n" + glove_text("\n\n"),
}


@pytest.fixture(params=["binary", "text", *TEXTS])
def path(request, kv, tmp_path):
    path = tmp_path / "vectors"  # no suffix: the format is told from the content
    if request.param in TEXTS:
        path.write_bytes(TEXTS[request.param].encode())
    else:
        kv.save_word2vec_format(str(path), binary=request.param == "binary")
    return path


def assert_same(found, words=WORDS):
    assert found.index_to_key == list(words)
    np.testing.assert_array_equal(found.vectors, NUMBERS[[WORDS.index(w) for w in words]])


def zipped(content):
    with zipfile.ZipFile(stream := io.BytesIO(), "w") as archive:
        archive.writestr("v.txt", content)
    return stream.getvalue()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_every_format_plain_and_compressed(path, pack):
    path.write_bytes(pack(path.read_bytes()))
    assert_same(load_embedding(path))
    words = ["doctor", "absent", "東京", "东京"]
    assert_same(load_embedding(path, words=words), ["东京", "doctor"])
    assert_same(load_embedding(path, limit=3), WORDS[:3])
    assert_same(load_embedding(path, limit=3, words=["she", "doctor"]), ["she"])


def test_vectors_behave_as_gensims_own(kv, tmp_path):
    found = load_embedding((WORDS, NUMBERS))
    assert found.most_similar("doctor") == kv.most_similar("doctor")
    found.add_vectors(["new", "newer"], np.ones((2, 7)))
    found.save_word2vec_format(str(tmp_path / "again"))
    assert len(load_embedding(tmp_path / "again")) == len(WORDS) + 2


REAL = ["glove-6b-13k-50d.txt.gz", "glove-840b-10k-300d-int8.bin.gz", "googlenews-16k-300d.bin"]


@pytest.mark.parametrize("name", [*REAL, "glove-twitter-12k-25d.txt.gz"])
def test_real_files_as_gensim_reads_them(data, name):
    path = data / "embeddings" / name
    ours = load_embedding(path)
    gensims = KeyedVectors.load_word2vec_format(str(path), binary=".bin" in name, limit=500)
    np.testing.assert_array_equal(ours.vectors[:500], gensims.vectors)
    assert ours.index_to_key[:500] == gensims.index_to_key


def test_words_with_spaces_as_in_glove_840b(tmp_path):
    (tmp_path / "v").write_text("a 1 2\nat name@domain.com 3 4\nat 5 6\n. . . 7 8\n")
    assert load_embedding(tmp_path / "v")["at name@domain.com"].tolist() == [3, 4]
    assert load_embedding(tmp_path / "v", words=["at", ". . ."]).index_to_key == ["at", ". . ."]


def notes_of(path, **how):
    """Return what is noted of a file, and the words that were read."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        words = load_embedding(path, **how).index_to_key
    assert all(one.category is DataWarning for one in caught)
    return [str(one.message).removeprefix(f"{path}: ") for one in caught], words


ROWS = {f"word{c}": np.array([i, 1.0, 2.0], dtype="<f4") for i, c in enumerate("ABCDEFG", 1)}


def text(n):
    lines = (f"{word} {' '.join(map(str, v))}" for word, v in ROWS.items())
    return "\n".join([f"{n} 3", *lines]).encode() + b"\n"


def binary(n):
    return f"{n} 3\n".encode() + b"".join(w.encode() + b" " + v.tobytes() for w, v in ROWS.items())


@pytest.mark.parametrize("make", [text, binary])
@pytest.mark.parametrize("n", [6, 8])
def test_a_header_may_be_a_little_off(make, n, tmp_path):
    (tmp_path / "v").write_bytes(make(n))
    for how in ({}, {"words": [*ROWS, "x"]}):
        assert notes_of(tmp_path / "v", **how) == ([], list(ROWS))
    (tmp_path / "v").write_bytes(make(15))
    with pytest.raises(EmbeddingError, match="promises 15 vectors and"):
        load_embedding(tmp_path / "v")
    assert len(load_embedding(tmp_path / "v", limit=5)) == 5


@pytest.mark.parametrize(
    ("whole", "damaged", "complaint"),
    [
        (b"wordE 5.0 1.0 2.0", b"wordE 5.0 1.0", "has 2 numbers where others have 3"),
        (b"wordE 5.0", b"wordE 5.0 5.0", "has 4 numbers where others have 3"),
        (b"wordE 5.0", b"wordE x", "has 'x', which is not a number"),
        (b"wordE 5.0", b"wordE nan", "has a component that is no finite number"),
        (b"wordE 5.0", b"wordE -1e300", "has a component that is no finite number"),
    ],
)
def test_a_damaged_line_stops_a_reader_of_its_word_and_no_other(
    whole, damaged, complaint, tmp_path
):
    (tmp_path / "v").write_bytes(text(7).replace(whole, damaged))
    for how in ({}, {"words": ["wordE"]}, {"limit": 5}):
        with pytest.raises(EmbeddingError, match=rf"line 6 \('wordE'\) {complaint}"):
            load_embedding(tmp_path / "v", **how)
    assert notes_of(tmp_path / "v", words=["wordB"]) == ([], ["wordB"])
    assert notes_of(tmp_path / "v", limit=4) == ([], list(ROWS)[:4])


def test_words_that_are_no_text_are_left_out_and_counted(tmp_path):
    (tmp_path / "v").write_bytes(text(7).replace(b"wordD", b"wor\xc3"))
    (note,), words = notes_of(tmp_path / "v")
    assert note.startswith("1 left out, since the word is empty or not UTF-8")
    assert note.endswith("line 5")
    assert words == [word for word in ROWS if word != "wordD"]
    lines = "früh 1 2\nspäter 2 1\nja 1 1\n"
    (tmp_path / "v").write_bytes(lines.encode("latin-1"))
    (note,), words = notes_of(tmp_path / "v")
    assert note.startswith(
        "2 left out, since the word is empty or not UTF-8 (if not, say encoding='la"
    )
    assert words == ["ja"]
    for words in (None, ["früh"]):
        found = load_embedding(tmp_path / "v", words=words, encoding="latin-1")
        assert found["früh"].tolist() == [1, 2]
    with pytest.raises(ArgumentError, match="encoding="):
        load_embedding(tmp_path / "v", encoding="klingon")


def test_repeats_blanks_and_numbers_in_words_and_a_cut_end(tmp_path):
    (tmp_path / "v").write_bytes(text(7).split(b"\n", 1)[1][:-5])
    with pytest.raises(EmbeddingError, match=r"line 7 .* 2 numbers where .*fetch the file again"):
        load_embedding(tmp_path / "v")
    (tmp_path / "v").write_text("a 1 2\nb 3 4\na 5 6\n")
    with pytest.warns(
        DataWarning, match="1 left out, since an earlier vector has the same word: a"
    ):
        assert load_embedding(tmp_path / "v")["a"].tolist() == [1, 2]
    (tmp_path / "v").write_text("he 0.1 0.2\nshe 0.1 0.2\narea 51 0.1 0.2\n")
    with pytest.raises(EmbeddingError, match=r"line 3 .'area'. has 3 .*blanks of a word become _"):
        load_embedding(tmp_path / "v")
    (tmp_path / "v").write_text("3 2\n1 0.5 1.5\n2 1.5 .5\n3 2 1\n")  # as nodes of graphs
    assert load_embedding(tmp_path / "v").index_to_key == ["1", "2", "3"]


def test_a_count_before_the_numbers_is_no_dimension(tmp_path):
    lines = [f"w{i} {n} .5 .25 {i}.5" for i, n in enumerate((90, 89, 91, 88, 87, 86))]
    for content in (lines, ["6 4", *lines]):
        (tmp_path / "v").write_text("\n".join(content))
        with pytest.raises(EmbeddingError, match=r"is whole .90, 89, 91. where.*as counts are"):
            load_embedding(tmp_path / "v")


def test_binary_that_was_shifted_is_damaged_and_says_where(tmp_path):
    """A page saved as another, a byte lost: floats become words, and exponents lengths."""
    rng = np.random.default_rng(1)
    records = [record(b"w%02d" % i, *rng.standard_normal(20)) + b"\n" for i in range(30)]
    whole = b"30 20\n" + b"".join(records)
    at = whole.index(b"w11")
    for damaged, complaint in (
        (whole[: at + 40] + whole[at + 41 :], r"number 1[2-9] of the 30|vector 1[2-9]"),
        (whole.replace(b"w11", b"w\n1"), "a word has a line break or NUL in it in number 12 of"),
        (whole[:at] + record(b"w11", *[3e12] * 20) + whole[at + 84 :], "vector 12 .*length"),
        (whole[:-20], "cut short or damaged in number 30 of the 30"),
    ):
        (tmp_path / "v.bin").write_bytes(damaged)
        with pytest.raises(EmbeddingError, match=complaint):
            load_embedding(tmp_path / "v.bin")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\x0b\x0c", "first 2 bytes are blank or zero"),
        (b" " * 100_000, "first 65,536 bytes are blank or zero"),
        (b"\0" * 3000, "first 3,000 bytes are blank or zero"),
        (b"2 999999999999\na 1\n", "promises vectors of 999,999,999,999 numbers"),
        (b"2 0\na\nb\n", "vectors of 0 numbers"),
        (b"hello world\nthis is prose\n", "line 1: neither 'count dimension' nor a word"),
        (b"\x89PNG\r\n\x1a\n....", "line 1: neither"),
        (b"0.5\t1.5\n-0.1\t2e-3\n", "the rows have no words.*metadata.tsv"),
        (b"<!DOCTYPE html>\n<html>", "is a web page; fetch"),
        (b"\xef\xbb\xbf<html>", "is a web page; fetch"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS; fetch the file: git lfs pull"),
        (b"PK\x03\x04....", "is an archive or an Excel file; unpack it"),
        (b"x" * 257 + b"ustar....", "is an archive"),
        (b"1 2\n" + record(b"a", 1, 2) + 2 * record(b"b", 3, 4), "promises 1 vectors and the file"),
        (b"1000000000000 300\n" + record(b"a", *range(300)), r"promises 1,000,\S+ vectors and"),
        (b"9" * 5000 + b" 3\na 1 2 3\n", "a line of more than"),
        (b"a 1 2\n" + b"b" * 10_000 + b"\n", "a line of more than"),
        (b"2 1\n" + record(b"a", 1) + record(b"", 2), "a word has no letters in number 2"),
        (b"2 2\n" + record(b"a", np.inf, 2) + record(b"b", 3, 4), "vector 1 .'a'. has NaN"),
        (gzip.compress(b"a 1 2\nb 3 4\n", mtime=0)[:-8] + bytes(8), "damaged or cut short"),
        (gzip.compress(b"a 1 2\n" + b"\n" * (2 << 20), mtime=0), "more than 100 times its size"),
        (bz2.compress(b"a 1 2\n"), "is an archive"),
        (lzma.compress(b"a 1 2\n"), "is an archive"),
        (zipped(b"a 1 2\n"), "is an archive"),
        (gzip.compress(b"\xba\x16\x4f\x2f....", mtime=0), "only unpacked: gunzip -k"),
    ],
)
def test_broken_files(tmp_path, content, complaint):
    (tmp_path / "broken").write_bytes(content)
    for words in (None, ["a"]):
        with pytest.raises(EmbeddingError, match=complaint) as caught:
            load_embedding(tmp_path / "broken", words=words)
        assert "broken" in str(caught.value)


def test_pickles_need_trust(kv, tmp_path):
    kv.save(str(tmp_path / "kv"))
    with pytest.raises(UntrustedFileError, match=r"opening a pickle runs code.*trusted=True"):
        load_embedding(tmp_path / "kv")
    assert_same(load_embedding(tmp_path / "kv", trusted=True))
    with pytest.raises(bb.BayesBiasError, match="is gensim's own, which is opened whole"):
        load_embedding(tmp_path / "kv", trusted=True, limit=2)
    for trusted in ("no", 0, None):
        with pytest.raises(UntrustedFileError, match="trusted=True"):
            load_embedding(tmp_path / "kv", trusted=trusted)
    model = Word2Vec([["a", "b", "c"]] * 5, vector_size=4, min_count=1, workers=1, seed=1)
    model.save(str(tmp_path / "model"))
    found = load_embedding(tmp_path / "model", trusted=True)
    np.testing.assert_array_equal(found["a"], model.wv["a"])
    assert load_embedding(model) is model.wv
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        (tmp_path / "p").write_bytes(pickle.dumps({"a": 1}, protocol=protocol))
        with pytest.raises(
            EmbeddingError,
            match=r"gensim cannot open as word vectors \(.*a mapping from word",
        ):
            load_embedding(tmp_path / "p", trusted=True)
    kv.save(str(tmp_path / "kv"), sep_limit=1)
    (tmp_path / "kv.vectors.npy").unlink()
    with pytest.raises(EmbeddingError, match=r"kv\.vectors\.npy.*must be there too"):
        load_embedding(tmp_path / "kv", trusted=True)


def test_a_binary_vector_that_begins_as_a_line_of_text_is_binary(tmp_path):
    """The bytes of a float may be letters and the end of a line."""
    rows = np.random.default_rng(1).standard_normal((3, 8)).astype("<f4")
    rows[0, 0] = np.frombuffer(b"zs\nB", "<f4")[0]
    records = b"".join(b"w%d " % i + row.tobytes() + b"\n" for i, row in enumerate(rows))
    (tmp_path / "v.bin").write_bytes(b"3 8\n" + records)
    assert np.array_equal(bb.load_embedding(tmp_path / "v.bin").vectors, rows)


@pytest.mark.parametrize("ending", ["txt", "vec", "bin", "kv"])
def test_each_ending_is_read_the_same_again(ending, tmp_path):
    path = tmp_path / f"v.{ending}"
    rows = np.random.default_rng(1).standard_normal((300, 5))
    kv = bb.load_embedding(([f"w{i}" for i in range(300)], rows))
    bb.load_embedding(kv).source_facts = {"sample": bb.load_embedding}  # nothing of ours is written
    write_vectors(kv, path)
    again = bb.load_embedding(path, trusted=True)
    assert again.index_to_key == kv.index_to_key
    np.testing.assert_array_equal(again.vectors, kv.vectors)
    assert path.read_bytes().startswith(b"300 5\n") is (ending != "kv")
    if ending == "kv":
        script = f"import gensim.models as g; g.KeyedVectors.load({str(path)!r})['w3']"
        assert run_python("-c", script).returncode == 0
    else:
        loaded = KeyedVectors.load_word2vec_format(str(path), binary=ending == "bin")
        np.testing.assert_array_equal(loaded.vectors, kv.vectors)


def test_other_endings_and_words_that_no_format_holds_are_refused(tmp_path):
    for name in ("v", "v.csv", "v.txt.gz", "v.npz"):
        with pytest.raises(OutputError, match="the ending says how vectors are written"):
            check_ending(tmp_path / name)
    kv = bb.load_embedding({"New York": [1.0, 2.0]})
    for name in ("v.txt", "v.bin"):
        with pytest.raises(OutputError, match=r"cannot hold the word 'New York'.*\.kv"):
            write_vectors(kv, tmp_path / name)
    write_vectors(kv, tmp_path / "v.kv")
    assert bb.load_embedding(tmp_path / "v.kv", trusted=True)["New York"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("option", ["word_column", "vector_column"])
def test_a_file_without_columns_has_none_to_choose(tmp_path, option):
    (tmp_path / "v.txt").write_text("he 1 2\nshe 2 1\n", encoding="utf-8")
    with pytest.raises(EmbeddingError, match="is no table but text, without columns to choose"):
        bb.load_embedding(tmp_path / "v.txt", **{option: "word"})
