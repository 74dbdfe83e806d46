"""Files as they are in the wild: wrong headers, zero vectors, bytes that are no text, models."""

import gzip
import json
import lzma
import pickle
import struct
import tarfile
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from gensim.models import FastText, KeyedVectors, Word2Vec
from gensim.models.fasttext import save_facebook_model

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import (
    ArgumentError,
    DataWarning,
    DistancesError,
    EmbeddingError,
    MissingWordsWarning,
    UntrustedFileError,
    WordListError,
)
from bayesbias.pairs.provenance import missing_words
from bayesbias.pairs.word_lists import AttributeSet, ProtectedGroup, WordList
from bayesbias.vectors.near_spellings import advice_on, near_spellings
from bayesbias.vectors.spelling import without_mark

ROWS = {f"word{i}": np.array([i, 1.0, 2.0], dtype="<f4") for i in range(1, 8)}


def text(n, rows=ROWS):
    lines = (f"{word} {' '.join(map(str, v))}" for word, v in rows.items())
    return "\n".join([f"{n} 3", *lines]).encode() + b"\n"


def binary(n, rows=ROWS):
    return f"{n} 3\n".encode() + b"".join(w.encode() + b" " + v.tobytes() for w, v in rows.items())


WAYS = ({}, {"words": list(ROWS)}, {"words": ["word2", "x"]}, {"limit": 7}, {"limit": 3})
"""Ways to read the file, of which each sees what is odd about it."""


def said_of(path, **way):
    """Return what is said of a file, without its name, and the words that were read."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        words = bb.load_embedding(path, **way).index_to_key
    return [str(one.message).removeprefix(f"{path}: ") for one in caught], words


@pytest.mark.parametrize(("make", "n"), [(text, 8), (text, 6), (binary, 8), (binary, 6)])
def test_whole_rows_are_read_whatever_the_header_promises(make, n, tmp_path):
    path = tmp_path / "v"
    path.write_bytes(make(n))
    note = f"the header promises {n} vectors and the file has 7, all whole; these are read"
    for way in WAYS:
        said, words = said_of(path, **way)
        assert said == [note], way
        assert words == [w for w in list(ROWS)[: way.get("limit")] if w in way.get("words", ROWS)]
    with pytest.warns(DataWarning, match="the file has 7"):
        assert bb.vectors.convert_embedding(path, tmp_path / "v.bbv") == 7


def test_a_limit_is_kept_whatever_the_header_promises_of_the_rest(tmp_path):
    path = tmp_path / "v"
    path.write_bytes(text(100).replace(b"100 3", b"15 3"))
    said, words = said_of(path, limit=7)
    assert words == list(ROWS)
    assert said == ["the header promises 15 vectors and the file has 7, all whole; these are read"]
    with pytest.raises(EmbeddingError, match="promises 15 vectors but the file has 7"):
        bb.load_embedding(path)


DAMAGE = {
    "short": (b"word5 5.0 1.0 2.0", b"word5 5.0 1.0", "line 6 ('word5') has 2 numbers"),
    "long": (b"word5 5.0", b"word5 5.0 5.0", "line 6 ('word5') has 4 numbers"),
    "short and a blank": (b"word5 5.0 1.0 2.0", b"word5 5.0 1.0 ", "('word5') has 2 numbers"),
    "no number": (b"word5 5.0", b"word5 x", "line 6 ('word5'): 'x' is not a number"),
    "NaN": (b"word5 5.0", b"word5 nan", "('word5') has NaN or infinite components"),
    "infinite": (b"word5 5.0", b"word5 -inf", "('word5') has NaN or infinite components"),
}


@pytest.mark.parametrize("kind", list(DAMAGE))
def test_a_damaged_line_stops_a_reader_of_its_word_and_is_told_to_others(kind, tmp_path):
    """Whether the line is of the sample or is passed over."""
    whole, damaged, complaint = DAMAGE[kind]
    path = tmp_path / "v.txt"
    path.write_bytes(text(7).replace(whole, damaged))
    for way in ({}, {"words": ["word5"]}, {"limit": 5}):
        with pytest.raises(EmbeddingError) as caught:
            bb.load_embedding(path, **way)
        assert complaint.removeprefix("line 6 ").removeprefix("(") in str(caught.value)
    for words in (["word2"], ["word2", "x"]):
        said, found = said_of(path, words=words)
        assert found == ["word2"]
        (note,) = said
        assert note.startswith("1 damaged line was passed over, since nobody asked for its word")
        assert complaint in note
    assert said_of(path, limit=4)[0] == []
    passed = [f"x1{i} {i} 0.5 0.25" for i in range(3000)]  # no words, so none of the sample
    lines = [*text(0).decode().splitlines()[1:], *passed]
    path.write_text("\n".join(lines).replace("x15 5 0.5 0.25", damaged.decode()) + "\n")
    assert "damaged line was" in said_of(path, words=["word2", "x"])[0][0]


def test_a_word_that_is_no_text_stops_nothing(tmp_path, capfd, monkeypatch):
    path = tmp_path / "v.txt"
    path.write_bytes(text(7).replace(b"word4", b"wor\xc3"))
    others = [word for word in ROWS if word != "word4"]
    note = (
        "1 word is not UTF-8 and left out (the first is vector 4, b'wor\\xc3'); if you need it, "
        "say how the file is written, such as encoding='latin-1'"
    )
    assert said_of(path) == ([note], others)
    for way in ({"words": ["word7"]}, {"words": ["word7", "x"]}, {"words": ["word7"], "limit": 7}):
        assert said_of(path, **way) == ([note], ["word7"]), way
    assert said_of(path, limit=4) == ([note], others[:3])
    assert said_of(path, limit=3) == ([], others[:3])
    monkeypatch.setattr("bayesbias.vectors.records.BLOCK", 10)
    with pytest.warns(DataWarning, match="1 word is not UTF-8"):
        assert bb.vectors.convert_embedding(path, tmp_path / "v.bbv") == 6
    assert main(["convert", str(path), str(tmp_path / "w.bbv")]) == 0
    said = capfd.readouterr().err
    assert "not UTF-8 and left out" in said
    assert "words=" not in said


LIST = WordList(
    "small",
    "",
    "",
    (ProtectedGroup("a", ("a1", "a2"), ("x",)), ProtectedGroup("b", ("b1",), ("y",))),
    (AttributeSet("x", "stereotype", ("x1", "x2")), AttributeSet("y", "stereotype", ("y1",))),
)


def test_zero_vectors_are_missing_words(tmp_path):
    rng = np.random.default_rng(1)
    rows = {word: rng.standard_normal(3).astype("<f4") for word in LIST.words}
    rows |= dict.fromkeys(("a2", "x1"), np.zeros(3, dtype="<f4"))
    path = tmp_path / "v.txt"
    path.write_bytes(text(len(rows), rows))
    vectors = bb.load_embedding(path)
    with pytest.warns(MissingWordsWarning, match="2 of 6 words"):
        frame = bb.distances(vectors, LIST)
    missing = missing_words(frame).set_index("word")["reason"]
    assert set(missing.index) == {"a2", "x1"}
    assert missing.str.contains("its vector is zero").all()
    with pytest.warns(MissingWordsWarning):
        found = bb.measures.weat(vectors, ["a1", "a2"], ["b1"], ["x1", "x2"], ["y1"])
    assert {(d.word, d.reason[:18]) for d in found.dropped} == {
        ("a2", "its vector is zero"),
        ("x1", "its vector is zero"),
    }


def test_a_trained_model_of_gensim():
    class Model:
        """Stands for Word2Vec."""

        wv = bb.load_embedding(ROWS)

    assert bb.load_embedding(Model()) is Model.wv
    with pytest.raises(DistancesError, match=r"not Model; pass its \.wv"):
        bb.distances(Model(), LIST)
    returned = bb.debias.hard(bb.example_embedding(), "gender")
    with pytest.raises(DistancesError, match=r"not Debiased; pass its \.vectors"):
        bb.distances(returned, "gender")


def marked(rows, mark):
    """Return rows with a mark on every word, at its place in ``/c/en/{}``."""
    return {mark.format(word): vector for word, vector in rows.items()}


LIST_ROWS = {
    word: np.random.default_rng(i).standard_normal(3).astype("<f4")
    for i, word in enumerate(LIST.words)
}
MARKS = {
    "/c/en/{}": "/c/en/",
    "▁{}": "▁",
    "en:{}": "en:",
    "{}</w>": "</w>",
    "{}#n": "#*",
    "{}_NOUN": "_*",
    "{}|PROPN": "|*",
    "{}#1": "#*",
    "{}_0_NOUN": "_*_*",
    "{}.n.01": ".*.*",
    "{}%1:18:00::": "%*",
    "{}lar": "lar",
    "on{}": "on",
    "Ġ{}": "Ġ",
    "en_{}": "en_",
    "{}:": ":",
    "[{}]": "[{}]",
    '"{}"': '"{}"',
    "/c/en/{}/n": "/c/en/{}/*",
}


def in_words(kv):
    return {word: kv[word].tolist() for word in kv.index_to_key}


@pytest.mark.filterwarnings("ignore:.*1 word lacks the mark")
@pytest.mark.parametrize("mark", list(MARKS))
@pytest.mark.parametrize("words", [None, LIST.words])
def test_marks_are_shown_and_stripped(mark, words, tmp_path):
    path = tmp_path / "v.txt"
    other = {"<unk>": np.ones(3, dtype="<f4")}
    rows = marked(LIST_ROWS, mark)
    path.write_bytes(text(7, rows | other))
    vectors = bb.load_embedding(path, words=words)
    option = f"strip={MARKS[mark]!r}"
    with pytest.raises(WordListError, match="none of its words is in the vectors") as caught:
        bb.distances(vectors, LIST)
    assert option in str(caught.value)
    for word in LIST.words[:3]:
        assert f"{word!r} as {mark.format(word)!r}" in str(caught.value)
    bare = bb.load_embedding(path, words=words, strip=MARKS[mark])
    expected = {word: vector.tolist() for word, vector in LIST_ROWS.items()}
    kept = expected | ({"<unk>": [1, 1, 1]} if "*" in MARKS[mark] else {})
    assert in_words(bare) == (kept if words is None else expected)
    for source in (rows | other, bb.load_embedding(rows | other)):
        assert in_words(bb.load_embedding(source, strip=MARKS[mark])) == kept
    bb.vectors.convert_embedding(path, tmp_path / "store", strip=MARKS[mark])
    assert in_words(bb.load_embedding(tmp_path / "store")) == kept


def ways_of(rows, folder):
    """Return rows as a text file, a binary one, a table, and a mapping."""
    (folder / "v.txt").write_bytes(text(len(rows), rows))
    (folder / "v.bin").write_bytes(binary(len(rows), rows))
    lines = (",".join([word, *map(str, v)]) for word, v in rows.items())
    (folder / "v.csv").write_text("word,a,b,c\n" + "\n".join(lines), encoding="utf-8")
    return [*sorted(folder.glob("v.*")), rows]


def test_words_that_lack_a_mark_of_many_forms_are_read_as_they_are(tmp_path):
    names = ["he", "man|NOUN", "man|VERB", "his", "nurse|NOUN", "nurse"]
    rows = {word: np.full(3, i, dtype="<f4") for i, word in enumerate(names)}
    for source in ways_of(rows, tmp_path):
        for words in (None, ["he", "man", "his", "nurse"]):
            with pytest.warns(DataWarning) as caught:
                found = bb.load_embedding(source, words=words, strip="|*")
            assert {word: v[0] for word, v in in_words(found).items()} == {
                "he": 0, "man": 1, "his": 3, "nurse": 4,
            }  # fmt: skip
            said = " ".join(str(one.message) for one in caught)
            assert "words lack the mark strip='|*' and were read as they are (he, his" in said
            if words is None or isinstance(source, dict):
                assert "2 vectors repeat an earlier word and were left out (man, nurse)" in said
    with pytest.warns(DataWarning) as caught:
        bb.vectors.convert_embedding(tmp_path / "v.txt", tmp_path / "store", strip="|*")
    assert "left out (man, nurse)" in " ".join(str(one.message) for one in caught)
    assert bb.load_embedding(tmp_path / "store").index_to_key == ["he", "man", "his", "nurse"]


def test_pieces_without_the_mark_of_whole_words_are_none(tmp_path):
    rows = {word: np.full(3, i, dtype="<f4") for i, word in enumerate(["he", "▁he", "she"])}
    for source in ways_of(rows, tmp_path):
        assert in_words(bb.load_embedding(source, strip="▁")) == {"he": [1, 1, 1]}


def test_the_command_strips_marks(tmp_path, capsys):
    path, listed = tmp_path / "v.txt", tmp_path / "l.toml"
    path.write_bytes(text(6, marked(LIST_ROWS, "{}_NOUN")))
    listed.write_text(
        'title = "t"\nsource = "s"\n[protected]\na = ["a1", "a2"]\nb = ["b1"]\n[associated]\n'
        'a = ["x"]\nb = ["y"]\n[attributes]\nx = ["x1", "x2"]\ny = ["y1"]\n[controls]\n'
    )
    check = ["wordlists", "check", str(listed), "--embedding", str(path)]
    assert main(check) == 1
    assert "--strip '_*' takes them" in capsys.readouterr().out
    assert main([*check, "--strip", "_*"]) == 0


@pytest.mark.parametrize(
    ("word", "mark", "bare"),
    [
        ("/c/en/he", "/c/en/", "he"),
        ("/c/de/er", "/c/en/", ""),
        ("he_PRON", "_*", "he"),
        ("New_York_PROPN", "_*", "New_York"),
        ("/c/en/he", "*/", "he"),
        ("he</w>", "</w>", "he"),
        ("New_York_0_PROPN", "_*_*", "New_York"),
        ("he_PRON", "_*_*", ""),
        ("<he>", "<{}>", "he"),
        ("<he", "<{}>", ""),
        ("he>", "<{}>", ""),
        ("<>", "<{}>", ""),
        ("/c/en/he/n", "/c/en/{}/*", "he"),
        ("▁", "▁", ""),
        ("he", "_*", ""),
    ],
)
def test_a_mark_is_taken_off_or_the_word_left_out(word, mark, bare):
    assert without_mark(word, mark) == bare


def test_no_word_bears_the_mark(tmp_path):
    path = tmp_path / "v.txt"
    path.write_bytes(text(7))
    for source in (path, ROWS):
        with pytest.raises(EmbeddingError, match="no word bears the mark strip='/c/'"):
            bb.load_embedding(source, strip="/c/")
    for strip in ("", "*", "{}", 3):
        with pytest.raises(ArgumentError, match="strip="):
            bb.load_embedding(path, strip=strip)


def test_missing_words_are_shown_in_the_spelling_that_is_there():
    there = ["Homemaker", "ice_cream", "naïve", "don't", "french_onion_soup", "co-worker"]
    vectors = bb.load_embedding({word: np.ones(2) for word in there})
    missing = ["homemaker", "ice cream", "naive", "dont", "soup", "coworker", "absent"]
    near = near_spellings(vectors, missing)
    assert near == {
        "homemaker": "Homemaker",
        "ice cream": "ice_cream",
        "naive": "naïve",
        "dont": "don't",
        "coworker": "co-worker",
    }
    assert advice_on({"ice cream": "ice_cream"}) == (
        "the vectors have 'ice cream' as 'ice_cream'; fallbacks=['underscore'] takes them"
    )
    assert advice_on({}) == ""


def test_plurals_are_no_mark_where_words_are_found():
    """Most vocabularies have them; who strips an s would lose all other words."""
    words = ["nurse", "doctor", "clerk", "baker", "he", "she", "man", "woman", "boy"]
    there = [*words[4:], *(f"{word}s" for word in words[:4])]
    vectors = bb.load_embedding({word: np.ones(2) for word in there})
    assert near_spellings(vectors, words[:4], n_found=5) == {}
    alone = bb.load_embedding({word: np.ones(2) for word in there[5:]})
    assert near_spellings(alone, words, n_found=0) == {word: f"{word}s" for word in words[:4]}


def test_a_language_with_many_suffixes_shows_words_that_have_them():
    there = ["nursenin", "nurseler", "doctorda", "clerkin", "heyra"]
    vectors = bb.load_embedding({word: np.ones(2) for word in there})
    near = near_spellings(vectors, ["nurse", "doctor", "clerk", "he"])
    assert near == {"nurse": "nursenin", "doctor": "doctorda", "clerk": "clerkin"}
    assert advice_on(near) == (
        "the vectors have 'nurse' as 'nursenin', 'doctor' as 'doctorda', 'clerk' as 'clerkin'"
    )


def test_other_spellings_are_told_where_phrases_are_means():
    """Who asks for means has vectors of the words asked for alone."""
    there = {word: np.ones(2) for word in ("he", "she", "Homemaker", "ice", "cream")}
    vectors = bb.load_embedding(there, words=["he", "homemaker", "ice cream"], fallbacks=["mean"])
    found = bb.vocabulary_coverage(
        vectors,
        bb.load_wordlist([["he"], ["she"], ["ice cream"], ["homemaker"]]),
        fallbacks=["mean"],
    )
    assert found.near == {"homemaker": "Homemaker"}


LATIN = {"früh": [1.0, 2.0], "später": [2.0, 1.0], "nie": [3.0, 1.0], "ja": [1.0, 1.0]}


def latin_file(path, encoding="latin-1"):
    lines = (f"{word} {a} {b}" for word, (a, b) in LATIN.items())
    path.write_bytes("\n".join(lines).encode(encoding))
    return path


def test_words_asked_for_are_found_in_another_encoding(tmp_path):
    path = latin_file(tmp_path / "v.txt")
    with pytest.warns(DataWarning, match=r"found as Latin-1 \(früh\).*encoding='latin-1'"):
        assert in_words(bb.load_embedding(path, words=["früh", "ja"])) == {
            word: LATIN[word] for word in ("früh", "ja")
        }
    assert in_words(bb.load_embedding(path, encoding="latin-1")) == LATIN
    assert list(in_words(bb.load_embedding(path, words=["früh"], encoding="latin-1"))) == ["früh"]
    russian = tmp_path / "koi8.txt"
    russian.write_bytes("дочь 1 2\nжизнь 2 1\n".encode("koi8-r"))
    assert in_words(bb.load_embedding(russian, encoding="koi8-r")) == {
        "дочь": [1.0, 2.0],
        "жизнь": [2.0, 1.0],
    }


def test_bytes_that_are_no_text_are_read_as_asked(tmp_path):
    path = latin_file(tmp_path / "v.txt")
    assert list(in_words(bb.load_embedding(path, errors="ignore"))) == ["frh", "spter", "nie", "ja"]
    assert "fr\ufffdh" in in_words(bb.load_embedding(path, errors="replace"))
    with pytest.raises(EmbeddingError, match=r"vector 1: .*not UTF-8"):
        bb.load_embedding(path, errors="strict")
    for wrong in ({"encoding": "klingon"}, {"errors": "maybe"}):
        with pytest.raises(ArgumentError, match=f"{next(iter(wrong))}="):
            bb.load_embedding(path, **wrong)


SENTENCES = [["he", "she", "nurse", "doctor"], ["she", "he", "doctor"]] * 20


def test_a_fasttext_model(tmp_path, capsys):
    model = FastText(SENTENCES, vector_size=6, min_count=1, bucket=50, epochs=1, workers=1, seed=1)
    path = tmp_path / "ft.bin"
    save_facebook_model(model, str(path))
    found = bb.load_embedding(path)
    assert sorted(found.index_to_key) == ["doctor", "he", "nurse", "she"]
    np.testing.assert_allclose(found["nurse"], model.wv["nurse"], rtol=1e-5)
    assert bb.load_embedding(path, words=["nurse", "nurses"]).index_to_key == ["nurse"]
    made = bb.load_embedding(path, words=["nurse", "nurses"], subwords=True)
    np.testing.assert_allclose(made["nurses"], model.wv["nurses"], rtol=1e-5)
    assert len(bb.load_embedding(path, limit=2)) == 2
    assert main(["wordlists", "check", "gender", "--embedding", str(path)]) == 1
    assert "protected  man" in capsys.readouterr().out
    packed = tmp_path / "ft.bin.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(EmbeddingError, match=r"read only unpacked: gunzip -k \S+ft\.bin\.gz$"):
        bb.load_embedding(packed)
    with pytest.raises(ArgumentError, match="subwords=True: goes with a fastText model"):
        bb.load_embedding(latin_file(tmp_path / "v.txt", "utf-8"), words=["ja"], subwords=True)


def test_a_fasttext_model_of_gensim_has_parts_of_words_too(tmp_path):
    model = FastText(SENTENCES, vector_size=6, min_count=1, bucket=50, epochs=1, workers=1, seed=1)
    model.save(str(tmp_path / "ft.model"))
    for source in (model, model.wv, tmp_path / "ft.model"):
        made = bb.load_embedding(source, words=["nurse", "nurses"], subwords=True, trusted=True)
        assert sorted(made.index_to_key) == ["nurse", "nurses"]
        np.testing.assert_allclose(made["nurses"], model.wv["nurses"], rtol=1e-5)
    plain = Word2Vec(SENTENCES, vector_size=4, min_count=1, workers=1, seed=1)
    with pytest.raises(ArgumentError, match="goes with a fastText model"):
        bb.load_embedding(plain, words=["nurse"], subwords=True)


def test_a_trained_word2vec_gives_its_vectors():
    model = Word2Vec(SENTENCES, vector_size=4, min_count=1, workers=1, seed=1)
    assert bb.load_embedding(model) is model.wv


HEADINGS = ("word a b c", '"V1" "V2" "V3"', "7", "7,3", "# 7 3", "7 3 1", "7.0 3.0", "word 0 1 2")


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_line_above_the_vectors_is_passed_over_and_told(heading, tmp_path):
    path = tmp_path / "v.txt"
    path.write_bytes(text(heading).replace(b" 3\n", b"\n", 1))
    for way in ({}, {"words": list(ROWS)}):
        said, words = said_of(path, **way)
        assert words == list(ROWS)
        assert said == [
            f"line 1 ({heading!r}) is neither 'count dimension' nor a vector of 3 numbers, and was "
            f"passed over"
        ]
    with pytest.warns(DataWarning, match="line 1 .* was passed over"):
        assert bb.vectors.convert_embedding(path, tmp_path / "store") == 7


def test_a_word_with_a_blank_and_a_number_too_many(tmp_path):
    (tmp_path / "v.txt").write_text("he 0.1 0.2 0.3\nshe 0.1 0.2 0.3\narea 51 0.1 0.2 0.3\n")
    with pytest.raises(EmbeddingError) as one:
        bb.load_embedding(tmp_path / "v.txt")
    assert str(one.value).endswith(
        "line 3 ('area') has 4 numbers where the file's first has 3; if 'area 51' is one word, "
        "write it without blanks, as 'area_51', else correct the line"
    )


def test_blanks_around_a_word_are_none_of_it(tmp_path):
    path = tmp_path / "v.txt"
    path.write_bytes(text(7).replace(b"word3", b"  word3").replace(b"word5 ", b" "))
    left = [word for word in ROWS if word != "word5"]
    for way in ({}, {"words": list(ROWS)}, {"words": ["word3"]}):
        said, words = said_of(path, **way)
        assert words == [word for word in left if word in way.get("words", ROWS)]
        assert said == ["1 line has no word before its numbers; left out (it is line 6)"]


def test_counts_before_the_numbers_are_told(tmp_path):
    path = tmp_path / "v.txt"
    for counts in ((90, 89, 91, 88, 87, 86, 85), (90, 89, 89, 60, 42, 7, 1)):
        lines = [
            f"{word} {n} .5 .25 {i}.5" for i, (word, n) in enumerate(zip(ROWS, counts, strict=True))
        ]
        for content in (lines, ["7 4", *lines], [line.replace(" ", ",") for line in lines]):
            path.write_text("\n".join(content))
            if counts[2] > 90:
                (note,), _ = said_of(path)
                assert "the first number of every line is whole (90, 89, 91)" in note
                continue
            with pytest.raises(EmbeddingError, match=r"a count or rank \(90, 89, 89.*delete this"):
                bb.load_embedding(path)


@pytest.mark.parametrize("between", [" ", ",", "\t"])
def test_a_last_line_with_too_few_numbers_is_cut(between, tmp_path):
    path = tmp_path / "v.txt"
    lines = [between.join([word, *map(str, v)]) for word, v in ROWS.items()]
    whole = "\n".join(lines)
    path.write_text(whole)
    assert said_of(path) == ([], list(ROWS))  # many files lack the last line end
    path.write_text(whole.rpartition(between)[0])
    last = list(ROWS)[-1]
    for words in (None, [last]):
        with pytest.raises(EmbeddingError, match="the last line is cut, so that the file may be"):
            bb.load_embedding(path, words=words)
    with pytest.warns(DataWarning, match="the last line is cut, so that the file may be"):
        bb.load_embedding(path, words=list(ROWS)[:2])
    path.write_text(whole.rpartition(between)[0] + "\n")
    with pytest.raises(EmbeddingError) as caught:
        bb.load_embedding(path)
    assert "the last line is cut" not in str(caught.value)


@pytest.mark.parametrize("between", [",", ";"])
def test_words_above_their_numbers_are_to_be_transposed(between, tmp_path):
    path = tmp_path / "v.csv"
    rows = zip("abcdefg", ROWS.values(), strict=True)
    frame = pd.DataFrame({f"word{letter}": v for letter, v in rows})
    frame.to_csv(path, sep=between)
    with pytest.raises(EmbeddingError, match="has the words, such as 'worda', above their numbers"):
        bb.load_embedding(path)
    frame.T.to_csv(path, sep=between)
    assert len(bb.load_embedding(path)) == 7


@pytest.mark.parametrize("dim", [20, 2000])
def test_arrays_as_numpy_prints_them_are_refused(dim, tmp_path):
    path = tmp_path / "v.csv"
    rows = [str(np.random.default_rng(i).standard_normal(dim)) for i in range(7)]
    pd.DataFrame({"word": list(ROWS), "vector": rows}).to_csv(path, index=False)
    with pytest.raises(EmbeddingError, match="its cells hold arrays as numpy prints them"):
        bb.load_embedding(path)


def test_errors_quote_no_whole_line(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("word,a,b\n" + f"{'x' * 900},1,?\nhe,1,2\nshe,3,4\n")
    with pytest.raises(EmbeddingError) as caught:
        bb.load_embedding(path)
    said = str(caught.value).removeprefix(str(path))
    assert len(said) < 250
    assert f"('{'x' * 79}…')" in said


def packed(folder):
    """Yield packed files of vectors, and what is said of those that are not read."""
    content = text(7)
    (folder / "v.xz").write_bytes(lzma.compress(content))
    yield "v.xz", ""
    zipped(folder / "v.zip", {"__MACOSX/._v.txt": b"x", "in/": b"", "in/v.txt": content})
    yield "v.zip", ""
    zipped(
        folder / "table.zip",
        {"v.csv": b"".join(b"%s,%d,1,2\n" % (w.encode(), i) for i, w in enumerate(ROWS))},
    )
    yield "table.zip", ""
    zipped(folder / "two words.zip", {"a.txt": content, "b.txt": content})
    yield (
        "two words.zip",
        r"a zip archive \(a\.txt, b\.txt\); .*python -m zipfile -e '.*two words\.zip' \.\)",
    )
    (folder / "cut.zip").write_bytes((folder / "v.zip").read_bytes()[:-30])
    yield "cut.zip", "damaged or cut short; fetch it again"
    spoilt = (folder / "v.zip").read_bytes().replace(b"word4", b"wordX")
    (folder / "spoilt.zip").write_bytes(spoilt)
    yield "spoilt.zip", "damaged or cut short; fetch it again"
    zipped(folder / "letter.zip", {"[Content_Types].xml": b"", "word/document.xml": b""})
    yield "letter.zip", "is a Word document; save it as plain text"
    pickled = pickle.dumps({"he": [1.0]})
    zipped(folder / "pickle.zip", {"kv": pickled})
    yield "pickle.zip", r"read only unpacked: python -m zipfile -e \S+ \.$"
    (folder / "twice.gz").write_bytes(gzip.compress(gzip.compress(content)))
    yield "twice.gz", "read only unpacked: gunzip -k"
    zipped(folder / "secret.zip", {"v.txt": content})
    locked = bytearray((folder / "secret.zip").read_bytes())
    locked[6] = locked[locked.rindex(b"PK\1\2") + 8] = 1  # says that it has a password
    (folder / "secret.zip").write_bytes(bytes(locked))
    yield "secret.zip", "under a password"
    other = bytearray((folder / "v.zip").read_bytes())
    for place in (other.rindex(b"PK\3\4") + 8, other.rindex(b"PK\1\2") + 10):
        other[place] = 99  # a method that nobody has
    (folder / "other.zip").write_bytes(bytes(other))
    yield "other.zip", "packed in a way that Python cannot read"
    zipped(folder / "bomb.zip", {"v.txt": b"he 1 2 3\n" * 1_000_000})
    yield "bomb.zip", "unpacks to more than 100 times its size"
    (folder / "v.txt").write_bytes(content)
    with tarfile.open(folder / "v.tar.gz", "w:gz") as archive:
        archive.add(folder / "v.txt", "v.txt")
    yield "v.tar.gz", r"is a tar archive; unpack it \(tar -xf \S+v\.tar\.gz\) and name v\.txt$"
    (folder / "cut.xz").write_bytes(lzma.compress(content)[:-20])
    yield "cut.xz", "damaged or cut short"
    (folder / "v.zst").write_bytes(b"(\xb5/\xfd" + bytes(50))
    yield "v.zst", "is packed by zstd; unpack it"


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            kind = None if len(content) > 10_000 else zipfile.ZIP_STORED
            archive.writestr(name, content, kind)


def tables(folder):
    words, matrix = list(ROWS), np.array(list(ROWS.values()))
    frame = pd.DataFrame(matrix, index=words)
    frame.to_csv(folder / "header.csv")
    frame.to_csv(folder / "bare.csv", header=False)
    frame.add_prefix("V").to_csv(folder / "header.tsv", sep="\t", index_label="word")
    frame.to_csv(folder / "bare.tsv", sep="\t", header=False)
    as_lists = {word: vector.tolist() for word, vector in ROWS.items()}
    (folder / "words.json").write_text(json.dumps(as_lists))
    both = {"words": words, "vectors": matrix.tolist()}
    (folder / "two.json").write_text(json.dumps(both, indent=1))
    np.savez(folder / "two.npz", words=np.array(words), vectors=matrix)
    np.savez(folder / "bytes.npz", words=np.array(words).astype("S"), vectors=matrix)
    frame.to_csv(folder / "semicolons.csv", sep=";")
    (frame + 0.5).sub(0.5).to_csv(folder / "commas.csv", sep=";", decimal=",", float_format="%.2f")
    frame.to_csv(folder / "commas.tsv", sep="\t", decimal=",", float_format="%.2f", header=False)
    frame.to_csv(folder / "bars.csv", sep="|")
    frame.to_csv(folder / "bom.csv", encoding="utf-8-sig", lineterminator="\r\n")
    frame.rename(index=lambda word: f" {word} ").to_csv(folder / "blanks.csv")
    frame.assign(word=words).to_csv(folder / "last.csv", index=False)
    frame.assign(empty="").to_csv(folder / "trailing.csv")
    cells = pd.DataFrame({"word": words, "vector": [str(v) for v in matrix.tolist()]})
    cells.to_csv(folder / "cells.csv", index=False)
    frame.to_json(folder / "index.json", orient="index")
    frame.to_json(folder / "split.json", orient="split")
    records = [{"word": word, "vector": vector} for word, vector in as_lists.items()]
    (folder / "records.json").write_text(json.dumps(records))
    (folder / "lines.jsonl").write_text("\n".join(map(json.dumps, records)))
    (folder / "nested.json").write_text(json.dumps({"vectors": as_lists, "dim": 3}))
    (folder / "others.json").write_text(json.dumps({"tokens": words, "matrix": matrix.tolist()}))
    np.savez_compressed(folder / "each.npz", **ROWS)
    return sorted(folder.iterdir())


def test_tables_are_read_whole(tmp_path):
    paths = tables(tmp_path)
    assert len(paths) == 24
    for path in paths:
        assert in_words(bb.load_embedding(path)) == {w: v.tolist() for w, v in ROWS.items()}, path
        assert bb.load_embedding(path, words=["word3", "x"]).index_to_key == ["word3"]
        assert len(bb.load_embedding(path, limit=2)) == 2
        assert bb.vectors.convert_embedding(path, tmp_path / "store", overwrite=True) == 7


def test_eight_columns_are_no_floret_table(tmp_path):
    """Its header has eight numbers, too."""
    pd.DataFrame(np.ones((3, 8)), index=["he", "she", "it"]).to_csv(tmp_path / "v.tsv", sep="\t")
    assert bb.load_embedding(tmp_path / "v.tsv").vectors.shape == (3, 8)


def test_row_numbers_are_left_out_and_told(tmp_path):
    frame = pd.DataFrame({"word": list(ROWS)}).join(pd.DataFrame(list(ROWS.values())))
    frame.to_csv(tmp_path / "v.csv")
    frame.to_csv(tmp_path / "bare.csv", header=False)
    frame.to_csv(tmp_path / "v.tsv", sep="\t")
    read = pd.read_csv(tmp_path / "v.csv")
    for source in (*sorted(tmp_path.iterdir()), read, frame.reset_index()):
        with pytest.warns(DataWarning, match="the numbers of rows, and was left out"):
            found = bb.load_embedding(source)
        assert in_words(found) == {w: v.tolist() for w, v in ROWS.items()}
    assert in_words(bb.load_embedding(frame)) == in_words(bb.load_embedding(ROWS))
    frame.to_csv(tmp_path / "v.txt", sep=" ", header=False)
    with pytest.raises(EmbeddingError, match="begins with the number of its row"):
        bb.load_embedding(tmp_path / "v.txt")


def test_vectors_in_cells_of_a_frame():
    vectors = pd.Series(list(ROWS.values()), index=list(ROWS), name="vector")
    frame = vectors.rename_axis("word").reset_index()
    last = pd.DataFrame(list(ROWS.values())).assign(word=list(ROWS))
    for source in (vectors, vectors.to_frame(), frame, last):
        assert in_words(bb.load_embedding(source)) == in_words(bb.load_embedding(ROWS))
    with pytest.raises(EmbeddingError, match="'word2' has 2 numbers where 'word1' has 3"):
        bb.load_embedding(pd.DataFrame({"w": ["word1", "word2"], "v": [[1, 2, 3], [1, 2]]}))


def test_repeated_words_of_tables_are_told_and_the_first_is_used(tmp_path):
    (tmp_path / "v.csv").write_text("he,1,2\nshe,2,3\nhe,3,4\n")
    (tmp_path / "v.json").write_text('{"he": [1, 2], "she": [2, 3], "he": [3, 4]}')
    np.savez(tmp_path / "v.npz", words=np.array(["he", "she", "he"]), m=[[1, 2], [2, 3], [3, 4]])
    for path in sorted(tmp_path.iterdir()):
        for words in (None, ["he", "she"]):
            with pytest.warns(DataWarning, match="1 vector repeats an earlier word"):
                found = bb.load_embedding(path, words=words)
            assert in_words(found) == {"he": [1, 2], "she": [2, 3]}
    words, matrix = ["he", "she", "he"], [[1, 2], [2, 3], [3, 4]]
    for source in ((words, matrix), pd.DataFrame(matrix, index=words)):
        for asked in (None, ["he", "she"]):
            with pytest.warns(DataWarning, match=r"1 vector repeats an earlier word .*\(he\)"):
                found = bb.load_embedding(source, words=asked)
            assert in_words(found) == {"he": [1, 2], "she": [2, 3]}


def test_bytes_that_are_no_text_in_tables(tmp_path):
    (tmp_path / "v.csv").write_bytes("word,a,b\nfrüh,1,2\nja,2,3\n".encode("latin-1"))
    (tmp_path / "v.json").write_bytes('{"früh": [1, 2], "ja": [2, 3]}'.encode("latin-1"))
    for path in sorted(tmp_path.iterdir()):
        with pytest.warns(DataWarning, match="has a byte that is not UTF-8; words with such bytes"):
            assert bb.load_embedding(path).index_to_key == ["ja"]
        with pytest.raises(EmbeddingError, match="has a byte that is not UTF-8; say how"):
            bb.load_embedding(path, errors="strict")
        assert bb.load_embedding(path, encoding="latin-1").index_to_key == ["früh", "ja"]


def test_a_damaged_row_of_a_table_stops_a_reader_of_its_word(tmp_path):
    for name, between in (("v.csv", ","), ("v.tsv", "\t")):
        path = tmp_path / name
        path.write_text("word,a,b\nhe,1,2\nshe,,3\nit,1,nan\nwe,2,1\n".replace(",", between))
        for way in ({}, {"words": ["she"]}):
            with pytest.raises(EmbeddingError, match=r"line 3 \('she'\) has a cell that is no"):
                bb.load_embedding(path, **way)
        said, words = said_of(path, words=["he", "we"])
        assert words == ["he", "we"]
        assert said[0].startswith("2 damaged lines were passed over, since nobody asked for their")


def test_a_folder_made_by_hand(tmp_path):
    """As the message on an array without words says."""
    np.save(tmp_path / "vectors.npy", np.array(list(ROWS.values())))
    for content in ("\n".join(ROWS), "\ufeff" + "\r\n".join(ROWS) + "\r\n\r\n"):
        (tmp_path / "words.txt").write_bytes(content.encode())
        assert in_words(bb.load_embedding(tmp_path)) == in_words(bb.load_embedding(ROWS))


FOREIGN = {
    b"PAR1....PAR1": r"a Parquet table; .*pd\.read_parquet",
    b"ARROW1\0\0": r"a Feather table; .*pd\.read_feather",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file; open it in Python",
    b"SQLite format 3\0": "pymagnitude.*mapping",
    struct.pack("<Q", 19) + b'{"__metadata__":{}}': "safetensors",
    b"<!DOCTYPE html>\n<html>": "a web page; fetch",
    b"version https://git-lfs.github.com/spec/v1\n": "Git LFS; fetch the file: git lfs pull",
    "he 1 2\nshe 2 1\n".encode("utf-16"): "UTF-16 or UTF-32.*save it in UTF-8",
    "he 1 2\nshe 2 1\n".encode("utf-16-be"): "UTF-16 or UTF-32.*save it in UTF-8",
    b"he 1 2\rshe 2 1\rit 1 2\r": "a carriage return alone",
    b"he 0,5 1,5\nshe 1,5 0,5\n": r"decimal commas \(1,5\); write points",
    b"he [0.5 1.5]\nshe [1.5 0.5]\n": "stand in brackets; delete these",
    gzip.compress(b"X\n\0\0\0\x03", mtime=0): r"an R object.*write\.csv",
}


@pytest.mark.parametrize("content", list(FOREIGN), ids=range(len(FOREIGN)))
def test_files_of_other_kinds_are_named_with_what_reads_them(content, tmp_path):
    path = tmp_path / "v"
    path.write_bytes(content)
    for words in (None, ["he"]):
        with pytest.raises(EmbeddingError, match=FOREIGN[content]):
            bb.load_embedding(path, words=words)


def test_arrays_of_objects_and_old_pickles_are_named(tmp_path):
    np.save(tmp_path / "d.npy", {"he": [1.0]}, allow_pickle=True)
    with pytest.raises(EmbeddingError, match=r"Python objects, a pickle; .*allow_pickle=True"):
        bb.load_embedding(tmp_path / "d.npy")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        (tmp_path / "m.pkl").write_bytes(pickle.dumps({"he": [1.0]}, protocol=protocol))
        with pytest.raises(UntrustedFileError, match=r"gensim did not write.*mapping from") as one:
            bb.load_embedding(tmp_path / "m.pkl")
        assert "trusted" not in one.value.typed
        assert one.value.typed.endswith("as text or CSV with the program that wrote it")


def broken(folder):
    """Yield files that are no vectors with words, and what is said of each."""
    doubles = np.random.default_rng(0).standard_normal(2000)
    (folder / "glove.bin").write_bytes(doubles.tobytes())
    yield "glove.bin", "GloVe's own binary format"
    (folder / "v.floret").write_text("50 3 2 5 2 2166136261 < >\n0 .1 .2 .3\n1 .2 .3 .4\n")
    yield "v.floret", r"floret table.* spaCy pipeline"
    (folder / "vecs.tsv").write_text("0.5\t1.5\t2.5\n-0.1\t2e-3\t1.5\n")
    yield "vecs.tsv", r"the rows have no words.*metadata\.tsv"
    (folder / "vecs.csv").write_text("0.5,1.5,2.5\n-0.1,2.5,1.5\n")
    yield "vecs.csv", "put the words into the first column"
    np.savetxt(folder / "matrix.csv", np.array(list(ROWS.values())) - 0.3, delimiter=",")
    yield "matrix.csv", "put the words into the first column"
    (folder / "gap.csv").write_text("word,a,b\nhe,1,2\nshe,,3\n")
    yield "gap.csv", r"line 3 \('she'\) has a cell that is no number"
    (folder / "nan.csv").write_text("word,a,b\nhe,1,nan\nshe,1,3\n")
    yield "nan.csv", "NaN or infinite"
    (folder / "list.json").write_text('{"he": {"x": 1}}')
    yield "list.json", "JSON, but not of vectors"
    (folder / "cut.json").write_text('{"he": [1, 2')
    yield "cut.json", "is not sound"
    np.savez(folder / "objects.npz", words=np.array(["a", "b"], dtype=object), vectors=np.eye(2))
    yield "objects.npz", "Python objects"
    np.savez(folder / "no_words.npz", vectors=np.eye(2))
    yield "no_words.npz", "one array of words and one matrix"
    (folder / "cut.npz").write_bytes((folder / "no_words.npz").read_bytes()[:150])
    yield "cut.npz", "a zip archive, but damaged or cut short; fetch it again"
    zipped(folder / "t.xlsx", {"[Content_Types].xml": b"", "xl/workbook.xml": b""})
    yield "t.xlsx", r"an Excel file; read it as bb\.load_embedding\(pd\.read_excel\(file\)\)"
    zipped(folder / "model.pt", {"archive/data.pkl": b"", "archive/data/0": b""})
    yield "model.pt", "a file of PyTorch, a pickle"
    (folder / "ft.bin").write_bytes(struct.pack("<i", 793712314) + b"....")
    yield "ft.bin", "damaged, cut short"


@pytest.mark.parametrize("make", [packed, broken])
def test_files_are_read_or_named_with_what_to_do(make, tmp_path):
    for name, complaint in make(tmp_path):
        if not complaint:
            assert bb.load_embedding(tmp_path / name).index_to_key == list(ROWS)
            continue
        with pytest.raises(EmbeddingError, match=complaint):
            bb.load_embedding(tmp_path / name)


def test_words_may_be_whole_numbers(tmp_path):
    """As of graphs, whose nodes are numbered."""
    (tmp_path / "nodes").write_text("3 2\n1 0.5 1.5\n2 1.5 .5\n3 2 1\n")
    assert bb.load_embedding(tmp_path / "nodes").index_to_key == ["1", "2", "3"]


def test_a_pickle_that_gensim_did_not_write(tmp_path):
    (tmp_path / "m.pkl").write_bytes(pickle.dumps({"he": [1.0, 0.0]}))
    with pytest.raises(EmbeddingError, match=r"another package wrote it.*mapping from word") as one:
        bb.load_embedding(tmp_path / "m.pkl", trusted=True)
    assert "_load_specials" not in str(one.value)


def test_an_array_that_gensim_wrote_beside_is_named(tmp_path):
    kv = KeyedVectors(4)
    kv.add_vectors(["he", "she"], np.ones((2, 4)))
    kv.save(str(tmp_path / "v.kv"), sep_limit=1)
    (tmp_path / "v.kv.vectors.npy").unlink()
    with pytest.raises(EmbeddingError, match=r"lacks v\.kv\.vectors\.npy, which gensim wrote"):
        bb.load_embedding(tmp_path / "v.kv", trusted=True)
