"""Neutral words of the vectors' own, in any language: from the words to the placebo."""

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import WordListError
from bayesbias.pairs.foreign_lists import as_toml
from bayesbias.pairs.provenance import source_of

LIST = {
    "language": "xx",
    "protected": {"m": ["talun", "koru", "beyi"], "f": ["minar", "sehel", "hanim"]},
    "associated": {"m": ["x"], "f": ["y"]},
    "attributes": {"x": ["demir", "odun", "tash"], "y": ["ekmek", "ojak", "beshik"]},
    "controls": {},
}
FORMS = ("", "lar", "da", "dan", "ni")


@pytest.fixture(scope="module")
def vectors():
    """Stems and their suffixed forms, as in a language that joins suffixes."""
    rng = np.random.default_rng(1)
    stems = [a + b + c for a in "bdgk" for b in ("ara", "eli", "oru", "ushi") for c in "lmnrt"]
    words = [*LIST["protected"]["m"], *LIST["protected"]["f"]]
    words += [*LIST["attributes"]["x"], *LIST["attributes"]["y"]]
    found = {word: rng.standard_normal(10) for word in words}
    for stem in stems:
        own = rng.standard_normal(10)
        found |= {stem + form: own + 0.5 * rng.standard_normal(10) for form in FORMS}
    return bb.load_embedding(found)


def test_the_controls_are_words_of_the_vectors(vectors):
    wordlist = bb.load_wordlist(LIST)
    frame = bb.distances(vectors, wordlist, controls="sampled", counts="sorted")
    neutral = frame[frame["connection"] == "neutral"]["attribute"].unique()
    assert len(neutral) == 200
    assert not set(neutral) & set(wordlist.words)
    assert source_of(frame)["controls"] == "sampled from the vectors"
    assert "values" in source_of(frame)["frequency"]
    one = frame[(frame["protected_word"] == "koru") & (frame["attribute"] == neutral[0])]
    expected = 1 - vectors.similarity("koru", neutral[0])
    assert one["cosine_distance"].item() == pytest.approx(expected, abs=1e-6)
    fit = bb.fit(frame, "paper", seed=1)
    assert "associated − neutral" in set(fit.contrasts().table["contrast"])
    assert len(fit.placebo(3, progress=False).lists) > 0


def test_they_are_the_same_however_vectors_were_loaded(vectors, tmp_path):
    path = tmp_path / "v.txt"
    vectors.save_word2vec_format(str(path))
    wordlist = bb.load_wordlist(LIST)
    whole, asked = (
        bb.distances(kv, wordlist, controls="sampled")
        for kv in (vectors, bb.load_embedding(path, words=wordlist.words))
    )
    assert whole["attribute"].tolist() == asked["attribute"].tolist()
    np.testing.assert_allclose(whole["cosine_distance"], asked["cosine_distance"], atol=1e-6)


def test_too_few_words_are_refused_and_a_command_takes_them(vectors, tmp_path, capsys):
    wordlist = bb.load_wordlist(LIST)
    few = bb.load_embedding({word: vectors[word] for word in wordlist.words})
    with pytest.raises(WordListError, match="and 200 are needed"):
        bb.distances(few, wordlist, controls="sampled")
    path, listed = tmp_path / "v.bin", tmp_path / "l.toml"
    vectors.save_word2vec_format(str(path), binary=True)
    listed.write_text(as_toml({"title": "Own", "source": "a test", **LIST}))
    given = ["analyze", str(path), "--wordlist", str(listed), "--controls", "sampled"]
    assert main([*given, "--model", "paper"]) == 0
    assert "associated − neutral" in capsys.readouterr().out
