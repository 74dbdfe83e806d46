"""Files as they are in the wild: wrong headers, zero vectors, bytes that are no text, models."""

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import DataWarning, DistancesError, MissingWordsWarning
from bayesbias.pairs.provenance import missing_words
from bayesbias.pairs.word_lists import AttributeSet, ProtectedGroup, WordList

ROWS = {f"word{i}": np.array([i, 1.0, 2.0], dtype="<f4") for i in range(1, 8)}


def text(n, rows=ROWS):
    lines = (f"{word} {' '.join(map(str, v))}" for word, v in rows.items())
    return "\n".join([f"{n} 3", *lines]).encode() + b"\n"


def binary(n, rows=ROWS):
    return f"{n} 3\n".encode() + b"".join(w.encode() + b" " + v.tobytes() for w, v in rows.items())


@pytest.mark.parametrize(("make", "n"), [(text, 8), (text, 6), (binary, 8)])
def test_whole_rows_are_read_whatever_the_header_promises(make, n, tmp_path):
    path = tmp_path / "v"
    path.write_bytes(make(n))
    with pytest.warns(DataWarning, match=f"promises {n} vectors and the file has 7"):
        assert bb.load_embedding(path).index_to_key == list(ROWS)
    with pytest.warns(DataWarning, match="the file has 7"):
        assert bb.vectors.convert_embedding(path, tmp_path / "v.bbv") == 7
    assert len(bb.load_embedding(path, limit=7)) == 7
    assert bb.load_embedding(path, limit=7, words=["word7"]).index_to_key == ["word7"]


def test_a_word_that_is_no_text_stops_nothing(tmp_path, capfd):
    path = tmp_path / "v.txt"
    path.write_bytes(text(7).replace(b"word4", b"wor\xc3"))
    others = [word for word in ROWS if word != "word4"]
    with pytest.warns(DataWarning, match=r"1 word is not UTF-8 and left out .*vector 4, b'wor"):
        assert bb.load_embedding(path).index_to_key == others
    assert bb.load_embedding(path, words=["word7"]).index_to_key == ["word7"]
    with pytest.warns(DataWarning, match="1 word is not UTF-8"):
        assert bb.vectors.convert_embedding(path, tmp_path / "v.bbv", memory_mb=1e-5) == 6
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
    with pytest.raises(DistancesError, match=r"not Model; pass model\.wv"):
        bb.distances(Model(), LIST)
