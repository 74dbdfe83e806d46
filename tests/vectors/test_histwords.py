"""Vectors in the layout of HistWords, whose vocabulary is a pickle that is never opened."""

import os
import pickle
import pickletools

import numpy as np
import pytest
from samples import soon

import bayesbias as bb
from bayesbias.errors import EmbeddingError, UntrustedFileError
from bayesbias.vectors.histwords import listed_texts
from bayesbias.vectors.loading import load_words

WORDS = ["he", "she", "café", "nurse", "女", "it's"]
PYTHON_2 = {
    # As Python 2.7 wrote ['he', 'caf\xc3\xa9', u'she'] with protocols 2 and 0.
    2: b"\x80\x02]q\x01(U\x02heq\x02U\x05caf\xc3\xa9q\x03X\x03\x00\x00\x00sheq\x04e.",
    0: b"(lp1\nS'he'\np2\naVcaf\\u00e9\np3\naVshe\np4\na.",
}


@pytest.fixture
def decade(tmp_path):
    """One decade: six words of three numbers, one of which the decade lacks."""
    matrix = np.random.default_rng(1).standard_normal((6, 3))
    matrix[3] = 0.0
    np.save(tmp_path / "1900-w.npy", matrix)
    (tmp_path / "1900-vocab.pkl").write_bytes(pickle.dumps(WORDS, protocol=2))
    return tmp_path / "1900-w.npy", matrix


def test_a_decade_is_read(decade):
    path, matrix = decade
    kv = bb.load_embedding(path)
    assert kv.index_to_key == [word for word in WORDS if word != "nurse"]
    assert np.array_equal(kv.vectors, matrix[[0, 1, 2, 4, 5]].astype(np.float32))
    assert bb.load_embedding(path, words=["she", "absent"]).index_to_key == ["she"]
    assert bb.load_embedding(path, limit=2).index_to_key == WORDS[:2]
    assert load_words(str(path), words=["she"]).index_to_key == ["she"]


def test_a_text_goes_before_the_pickle(decade):
    path, _ = decade
    np.save(path, np.ones((6, 3)))
    path.with_name("1900-vocab.pkl").write_bytes(b"anything")
    path.with_name("1900-vocab.txt").write_text("\n".join("abcdef") + "\n", encoding="utf-8")
    assert bb.load_embedding(path).index_to_key == list("abcdef")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_of_a_list_of_texts(protocol):
    twice = "she"
    for words in ([*WORDS, *(f"word{i}" for i in range(2500))], [], ["one"], [twice, "he", twice]):
        assert listed_texts(pickle.dumps(words, protocol=protocol)) == words


@pytest.mark.parametrize("protocol", PYTHON_2)
def test_what_python_2_wrote(protocol):
    assert listed_texts(PYTHON_2[protocol]) == ["he", "café", "she"]


class Attack:
    """What runs a command when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("attacked",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "content",
    [Attack(), [Attack()], ["he", Attack()], ["he", 1], ["he", None], {"he": 0}, ("he",), "he"],
)
def test_anything_but_a_list_of_texts_is_refused(content, protocol, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UntrustedFileError, match="is a pickle of"):
        listed_texts(pickle.dumps(content, protocol=protocol))
    assert not os.path.exists("attacked")


def test_nothing_of_pickle_is_called(decade, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a pickle was opened")

    for name in ("load", "loads", "Unpickler", "_Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    assert len(bb.load_embedding(decade[0]).index_to_key) == 5


def test_every_operation_but_few_is_refused():
    """Whatever a later version of pickle can do is not done here."""
    harmless = "MARK STOP LIST EMPTY_LIST APPEND APPENDS PUT BINPUT LONG_BINPUT MEMOIZE GET BINGET "
    harmless += "LONG_BINGET PROTO FRAME STRING BINSTRING SHORT_BINSTRING UNICODE BINUNICODE "
    harmless += "SHORT_BINUNICODE BINUNICODE8"
    from bayesbias.vectors.histwords import _carry_out

    refused = []
    for operation in pickletools.opcodes:
        try:
            _carry_out(operation.name, None, [[]], {})
        except UntrustedFileError:
            refused.append(operation.name)
        except Exception:  # a harmless one without its argument
            continue
    assert set(refused) >= {o.name for o in pickletools.opcodes} - set(harmless.split())


@pytest.mark.parametrize("content", [b"", b"\x80", b"]", b"e.", b"a.", b"(l", b"h\x05.", b"X\xff."])
def test_damaged_pickles_are_told(content, decade):
    decade[0].with_name("1900-vocab.pkl").write_bytes(content)
    with pytest.raises(UntrustedFileError, match=r"1900-vocab.pkl: is .*give 1900-vocab.txt"):
        bb.load_embedding(decade[0])


def test_what_does_not_fit_is_refused(decade):
    path, matrix = decade
    np.save(path, matrix[:4])
    with pytest.raises(EmbeddingError, match=r"shape \(4, 3\), and the vocabulary .* 6 words"):
        bb.load_embedding(path)
    np.save(path, np.array([{}] * 6, dtype=object), allow_pickle=True)
    with pytest.raises(EmbeddingError, match="is no sound array of numpy"):
        bb.load_embedding(path)
    np.save(path, np.where(np.arange(6)[:, None] == 2, np.nan, matrix))
    with pytest.raises(EmbeddingError, match="the vector of 'café' has no finite numbers"):
        bb.load_embedding(path)
    assert len(bb.load_embedding(path, words=["he"]).index_to_key) == 1
    path.with_name("1900-vocab.pkl").write_bytes(pickle.dumps(["he"] * 6))
    with pytest.raises(EmbeddingError, match="more than once"):
        bb.load_embedding(path)
    path.with_name("1900-vocab.pkl").unlink()
    with pytest.raises(EmbeddingError, match=r"put 1900-vocab.pkl of HistWords beside it, or 1900"):
        bb.load_embedding(path)


def test_marks_without_end_cost_no_more_than_their_length():
    """Every one was looked for in a copy of all that was read before it."""
    with soon(), pytest.raises(UntrustedFileError):
        listed_texts(b"]" * 100_000 + b"(l" * 100_000 + b".")


@pytest.mark.parametrize("cut", [70, 100, 127])
def test_a_damaged_header_is_told(cut, decade):
    """numpy's parser of headers raises what is no ValueError."""
    path, _ = decade
    content = path.read_bytes()
    for damaged in (content[:cut], content.replace(b"(6", b"(("), b"PK\x03\x04" + content):
        path.write_bytes(damaged)
        with pytest.raises(EmbeddingError, match=r"1900-w.npy: is no sound array"):
            bb.load_embedding(path)


def test_columns_before_rows_are_read_and_numbers_beyond_float32_refused(decade):
    path, matrix = decade
    matrix[0, 0] = 1e300
    np.save(path, np.asfortranarray(matrix))
    assert np.array_equal(bb.load_embedding(path, words=["she"]).vectors[0], matrix[1].astype("f4"))
    with pytest.raises(EmbeddingError, match="the vector of 'he' has no finite numbers"):
        bb.load_embedding(path)
