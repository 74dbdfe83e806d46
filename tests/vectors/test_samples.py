"""One answer however vectors were loaded: what says how alike words are comes from their source."""

import codecs
import gzip
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors
from samples import common_words

import bayesbias as bb
from bayesbias.errors import DataWarning
from bayesbias.vectors import encode
from bayesbias.vectors.samples import FEWEST, N_NEAREST, SIZE, is_word, sample_of
from bayesbias.words.profiles import profiles_of
from bayesbias.words.word_lists import AttributeSet, ProtectedGroup, WordList

LIST = WordList(
    "small",
    "",
    "",
    (ProtectedGroup("a", ("kona", "kira"), ("x",)), ProtectedGroup("b", ("tuma", "tela"), ("y",))),
    (
        AttributeSet("x", "stereotype", ("sola", "sima", "sura")),
        AttributeSet("y", "stereotype", ("mita", "mela", "muno")),
    ),
)


def made_words(n):
    """Words of letters, as of a language that nobody knows."""
    syllables = [c + v for c in "bdfghjklmnprstvwz" for v in "aeiou"]
    places = np.stack(np.unravel_index(np.arange(n), (85, 85, 85)), axis=1)
    return ["".join(syllables[k] for k in row) + "n" for row in places]


def vectors_of_words(words, seed=0):
    rng = np.random.default_rng(seed)
    matrix = (rng.standard_normal((len(words), 12)) + 0.4).astype(np.float32)
    found = KeyedVectors(12)
    found.add_vectors(words, matrix)
    return found


OTHERS = {
    "English": [*common_words(), *made_words(400)],
    "another language": ["1999", ",", "x1", *made_words(1900)],
    "few": made_words(FEWEST - 1),
}


@pytest.fixture(params=list(OTHERS))
def kv(request):
    others = OTHERS[request.param]
    return vectors_of_words([*others[:30], *LIST.words, *others[30:]])


def ways(kv, folder):
    """Return the vectors as every loader gives them."""
    text, binary = folder / "v.txt", folder / "v.bin"
    kv.save_word2vec_format(str(text))
    kv.save_word2vec_format(str(binary), binary=True)
    packed = folder / "v.gz"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    kv.save(str(folder / "v.kv"))
    frame = pd.DataFrame(kv.vectors, index=kv.index_to_key)
    frame.to_csv(folder / "v.csv")
    np.savez(folder / "v.npz", words=np.array(kv.index_to_key), vectors=kv.vectors)
    _, *lines = text.read_text().splitlines()
    spoilt = folder / "spoilt.txt"
    start = f"{len(kv) + 2} 12\n".encode() + b"b\xc3d" + b" 0.5" * 12 + b"\n"
    spoilt.write_bytes(start + "\n".join(lines).encode())
    mapping = dict(zip(kv.index_to_key, kv.vectors, strict=True))
    words, load = LIST.words, bb.load_embedding
    found = {
        "in memory": kv,
        "limit": load(text, limit=60),
        "limit and words": load(binary, words=words, limit=60),
        "kv": load(folder / "v.kv", trusted=True),
        "gensim's reader": KeyedVectors.load_word2vec_format(str(text)),
        "words of gz": load(packed, words=words),
        "pair": load((kv.index_to_key, kv.vectors), words=words),
        "npz": load(folder / "v.npz", words=words),
        "spaCy": load(Vocabulary(kv, "default"), words=words),
        "floret": load(Vocabulary(kv, "floret"), words=words),
        "encoder": load(Encoder(kv, kv.index_to_key), words=words),
    }
    both = {"text": text, "binary": binary, "mapping": mapping, "csv": folder / "v.csv"}
    for name, source in both.items():
        found |= {name: load(source), f"words of {name}": load(source, words=words)}
    for name, how in (("spoilt", {}), ("words spoilt", {"words": words})):
        with pytest.warns(DataWarning):
            found[name] = load(spoilt, **how)
    return found


class Vocabulary:
    """Stands for a vocabulary of spaCy, with a table of vectors or with vectors of parts."""

    vectors_length = 12

    def __init__(self, kv, mode):
        self.kv, self.mode = kv, mode
        self.vectors = self
        self.strings = self if mode == "floret" else dict(enumerate(kv.index_to_key))

    def keys(self):
        return range(len(self.kv))

    def __iter__(self):
        return iter(self.kv.index_to_key)

    def has_vector(self, word):
        return self.mode == "floret" or word in self.kv

    def get_vector(self, word):
        return self.kv[word] if word in self.kv else np.ones(12)


class Encoder:
    """Stands for a model of sentence-transformers whose tokenizer has these tokens."""

    def __init__(self, kv, tokens):
        self.kv = kv
        if tokens is not None:
            self.tokenizer = self
        self.get_vocab = lambda: {token: i for i, token in enumerate(tokens)}

    def encode(self, texts, **options):
        return np.array([self.kv[text] for text in texts])


def profiles(vectors):
    """What the vocabulary says of the list's attributes; None where it is too small."""
    words = {word: word for word in LIST.attributes}
    return profiles_of(vectors, words, sample_of(vectors), besides=LIST.protected_words)


def assert_same_profiles(found, expected):
    assert (found is None) is (expected is None)
    if expected is not None:
        assert found.words == expected.words
        np.testing.assert_allclose(found.matrix, expected.matrix, atol=1e-6)
        np.testing.assert_allclose(found.nearness, expected.nearness, atol=1e-6)


def test_every_way_in_gives_the_same_frame_and_profiles(kv, tmp_path):
    """A fit knows nothing else: its answers are then the same."""
    every = ways(kv, tmp_path)
    first, expected = bb.distances(every["in memory"], LIST), profiles(every["in memory"])
    assert (expected is not None) is (len(kv) > 300)
    for name, vectors in every.items():
        pd.testing.assert_frame_equal(bb.distances(vectors, LIST), first, rtol=1e-6, obj=name)
        assert_same_profiles(profiles(vectors), expected)


def test_a_renamed_vocabulary_gives_the_same_answer():
    """Ranks choose the words, not their spelling: in any language the same rows are sampled."""
    words = [*made_words(40), *LIST.words, *made_words(2500)[40:]]
    renamed = {word: codecs.encode(word, "rot13") for word in words}
    fits = []
    for rename in (dict(zip(words, words, strict=True)), renamed):
        groups, sets = (
            tuple(replace(part, words=tuple(rename[word] for word in part.words)) for part in parts)
            for parts in (LIST.groups, LIST.attribute_sets)
        )
        wordlist = WordList("small", "", "", groups, sets)
        kv = vectors_of_words([rename[word] for word in words])
        fits.append(bb.analyze(kv, wordlist, seed=1).contrasts())
    columns = ["mean", "low", "high", "random_groups"]
    np.testing.assert_allclose(fits[0][columns], fits[1][columns], rtol=1e-9)


def drawn_of(sample):
    """The words that were drawn, without those that are near to them."""
    return [sample.words[row] for row in sample.groups[:, 0]]


def test_the_sample_is_of_letters_and_each_word_has_the_same_chance():
    words = made_words(12_000)
    sampled = sample_of(vectors_of_words(words))
    drawn = drawn_of(sampled)
    assert len(set(drawn)) == SIZE
    at = np.array([words.index(word) for word in drawn])
    assert (np.diff(at) > 0).all()
    assert at.max() < 10_000
    # Uniform on 0 to 10,000: the mean has the sd 10,000 / √(12 · 1,000).
    assert abs(at.mean() - 5000) < 4 * 10_000 / np.sqrt(12 * SIZE)
    assert all(map(is_word, ("he", "naïve", "東京", "हिन्दी", "שלום")))
    assert not any(map(is_word, ("he_she", "x1", "▁he", "##ing", "</s>", "don't", "a b")))


def test_every_sampled_word_stands_with_its_nearest_ones():
    """By brute force over the pool, which ends after ten thousand words."""
    words = [*made_words(4000), "x1", *made_words(7000)[4000:]]
    kv = vectors_of_words(words)
    found = sample_of(kv)
    units = kv.get_normed_vectors().astype(float)[[w != "x1" for w in words]]
    pool = [word for word in words if word != "x1"]
    assert found.groups.shape == (SIZE, N_NEAREST)
    for group in found.groups[::50]:
        at = pool.index(found.words[group[0]])
        nearest = np.argsort(-(units @ units[at]))[:N_NEAREST]
        assert [found.words[i] for i in group] == [pool[i] for i in nearest]


def test_where_fewer_are_sampled_all_are():
    words = made_words(FEWEST)
    assert drawn_of(sample_of(vectors_of_words(words))) == words
    assert drawn_of(sample_of(vectors_of_words(words[1:]))) == []


@pytest.mark.parametrize("mode", ["default", "floret"])
def test_spacy_is_sampled_from_its_own_vocabulary(kv, mode):
    """What vectors of parts of words make of an unknown string is no word that was found."""
    found = bb.load_embedding(Vocabulary(kv, mode), words=[*LIST.words, "qqqqxyz"])
    assert set(found.index_to_key) == set(LIST.words)
    assert_same_profiles(profiles(found), profiles(kv))


@pytest.mark.parametrize("mark", ["", "Ġ", "▁"])
def test_encoders_are_sampled_from_the_tokens_that_are_words(kv, mark):
    pieces = ["ing", "ed"] if mark else ["##ing", "##ed"]
    tokens = [*pieces, *(f"{mark}{word}" for word in kv.index_to_key)]
    found = bb.load_embedding(Encoder(kv, tokens), words=LIST.words)
    assert_same_profiles(profiles(found), profiles(kv))
    assert profiles(bb.load_embedding(Encoder(kv, None), words=LIST.words)) is None


def test_a_named_encoder_has_the_sample_of_the_loaded_one(kv, monkeypatch):
    made = SimpleNamespace(SentenceTransformer=lambda name: Encoder(kv, kv.index_to_key))
    monkeypatch.setitem(sys.modules, "sentence_transformers", made)
    assert_same_profiles(profiles(encode(LIST.words, "a-model")), profiles(kv))


def test_of_encoders_the_first_words_are_read():
    kv = vectors_of_words([*LIST.words, *made_words(3000)])
    found = bb.load_embedding(Encoder(kv, kv.index_to_key), words=LIST.words)
    first = bb.load_embedding((kv.index_to_key[:2000], kv.vectors[:2000]))
    assert_same_profiles(profiles(found), profiles(first))


def test_what_nobody_asked_for_stops_nothing(tmp_path):
    """Zero vectors, damaged lines and bytes that are no text, of words for the sample alone."""
    words = [*LIST.words, *made_words(700)]
    kv = vectors_of_words(words)
    kv.vectors[kv.key_to_index[words[40]]] = 0
    path = tmp_path / "v.txt"
    kv.save_word2vec_format(str(path), write_header=False)
    whole = bb.load_embedding(path)
    lines = path.read_bytes().split(b"\n")
    lines[50] = b"b\xc3 " + lines[50].split(b" ", 1)[1]
    lines[60] = lines[60].split(b" ", 1)[0] + b" x y"
    path.write_bytes(b"\n".join(lines))
    with pytest.warns(DataWarning, match="not UTF-8"):
        found = bb.load_embedding(path, words=LIST.words)
    assert len(profiles(whole).matrix) == 709  # without the zero vector, with the list's own
    assert len(profiles(found).matrix) == 707


def test_changed_vectors_keep_the_sample_of_their_source(tmp_path):
    wordlist = bb.load_wordlist("weat7")
    kv = vectors_of_words([*common_words(), *(set(wordlist.words) - set(common_words()))])
    kv.save_word2vec_format(str(tmp_path / "v"))
    asked = bb.load_embedding(tmp_path / "v", words=wordlist.words)
    sets = [(wordlist.groups[0].words[0], wordlist.groups[1].words[0])]
    debiased = bb.debias.hard(asked, wordlist, neutralise="all", matched=sets, equalise=[]).vectors
    sample = sample_of(debiased)
    before = sample_of(asked)
    assert sample.words == before.words
    np.testing.assert_array_equal(sample.groups, before.groups)
    both = next(word for word in sample.words if word in debiased)
    np.testing.assert_allclose(sample.vectors[sample.words.index(both)], debiased[both])
