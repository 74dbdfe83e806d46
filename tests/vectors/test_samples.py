"""One answer however vectors were loaded: what says how alike words are comes from their source."""

import codecs
import gzip
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors
from samples import common_words

import bayesbias as bb
from bayesbias.errors import DataWarning
from bayesbias.pairs.provenance import provenance_of, source_of
from bayesbias.pairs.word_lists import AttributeSet, ProtectedGroup, WordList
from bayesbias.vectors import encoders
from bayesbias.vectors.loading import load_words
from bayesbias.vectors.samples import FEWEST, N_NEAREST, ROWS, SIZE, Sampler, is_word, sample_of

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
    bb.vectors.convert_embedding(binary, folder / "store")
    frame = pd.DataFrame(kv.vectors, index=kv.index_to_key)
    frame.to_csv(folder / "v.csv")
    np.savez(folder / "v.npz", words=np.array(kv.index_to_key), vectors=kv.vectors)
    head, *lines = text.read_text().splitlines()
    marked, spoilt = folder / "marked.txt", folder / "spoilt.txt"
    marked.write_text("\n".join([head, *(f"/c/en/{line}" for line in lines)]))
    start = f"{len(kv) + 2} 12\n".encode() + b"b\xc3d" + b" 0.5" * 12 + b"\n"
    spoilt.write_bytes(start + "\n".join(lines).encode())
    mapping = dict(zip(kv.index_to_key, kv.vectors, strict=True))
    words = LIST.words
    load = bb.load_embedding
    found = {
        "in memory": kv,
        "binary": load(binary),
        "text": load(text),
        "words of text": load(text, words=words),
        "words of binary": load(binary, words=words),
        "words of gz": load(packed, words=words),
        "words without gensim": load_words(str(text), words=words),
        "limit": load(text, limit=60),
        "limit and words": load(binary, words=words, limit=60),
        "kv": load(folder / "v.kv", trusted=True),
        "gensim's reader": KeyedVectors.load_word2vec_format(str(text)),
        "converted": load(folder / "store"),
        "words converted": load(folder / "store", words=words),
        "limit converted": load(folder / "store", limit=60),
        "mapping": load(mapping),
        "words of a mapping": load(mapping, words=words),
        "frame": load(frame),
        "words of a frame": load(frame, words=words),
        "pair": load((kv.index_to_key, kv.vectors), words=words),
        "csv": load(folder / "v.csv"),
        "words of csv": load(folder / "v.csv", words=words),
        "npz": load(folder / "v.npz", words=words),
        "marked": load(marked, strip="/c/en/"),
        "words marked": load(marked, words=words, strip="/c/en/"),
        "spaCy": load(Vocabulary(kv, "default"), words=words),
        "floret": load(Vocabulary(kv, "floret"), words=words),
        "encoder": load(Encoder(kv, kv.index_to_key), words=words),
    }
    for name, how in (("spoilt", {}), ("words spoilt", {"words": words})):
        with pytest.warns(DataWarning):
            found[name] = load(spoilt, **how)
    return found


class Vocabulary:
    """Stands for a vocabulary of spaCy, with a table of vectors or with vectors of parts."""

    vectors_length = 12

    def __init__(self, kv, mode):
        self.kv, self.mode = kv, mode
        self.vectors, self.strings = (
            self,
            self if mode == "floret" else dict(enumerate(kv.index_to_key)),
        )

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
        self.convert_tokens_to_string = lambda one: one[0].replace("Ġ", " ").replace("▁", " ")

    def encode(self, texts, **options):
        return np.array([self.kv[text] for text in texts])


def test_every_way_in_gives_the_same_frame_and_record(kv, tmp_path, monkeypatch):
    """A fit knows nothing else: its answers are then the same to the last digit."""
    monkeypatch.setattr(encoders, "_evaluated", nullcontext)
    frames = {name: bb.distances(v, LIST) for name, v in ways(kv, tmp_path).items()}
    first = frames["in memory"]
    record = provenance_of(first)
    assert ("profiles" in record) is (len(kv) > 300)
    for name, frame in frames.items():
        pd.testing.assert_frame_equal(frame, first, rtol=1e-6, obj=name)
        own = provenance_of(frame)
        assert own.get("profiles") == record.get("profiles"), name
        assert own["source"].get("no_similarity") == record["source"].get("no_similarity"), name


def test_where_there_is_nothing_to_sample_the_fit_says_so():
    """Never do the list's own words stand in, however many they are."""
    many = [f"w{word}" for word in made_words(3 * FEWEST)]
    own = WordList(
        "own", "", "", LIST.groups, (*LIST.attribute_sets, AttributeSet("n", "neutral", many))
    )
    for vectors in (
        vectors_of_words([*LIST.words, *many]),
        bb.load_embedding(vectors_of_words([*LIST.words, *many])),
    ):
        frame = bb.distances(vectors, own)
        assert "profiles" not in provenance_of(frame)
        fit = bb.fit(frame, seed=1)
        assert any("fewer than 200 words beside the list's" in note for note in fit.notes)
        assert not fit.spec.is_similar
        assert "fewer than 200 words beside the list's" in str(fit)


def test_a_renamed_vocabulary_gives_the_same_answer():
    """Ranks choose the words, not their spelling: in any language the same rows are sampled."""
    words = [*made_words(40), *LIST.words, *made_words(2500)[40:]]
    renamed = {word: codecs.encode(word, "rot13") for word in words}
    fits = []
    for rename in (dict(zip(words, words, strict=True)), renamed):
        groups = tuple(
            ProtectedGroup(g.name, tuple(rename[w] for w in g.words), g.associated)
            for g in LIST.groups
        )
        sets = tuple(
            AttributeSet(s.name, s.kind, tuple(rename[w] for w in s.words))
            for s in LIST.attribute_sets
        )
        wordlist = WordList("small", "", "", groups, sets)
        kv = vectors_of_words([rename[word] for word in words])
        fits.append(bb.fit(bb.distances(kv, wordlist), seed=1).contrasts().table)
    columns = ["mean", "low", "high"]
    np.testing.assert_allclose(fits[0][columns], fits[1][columns], rtol=1e-9)


def test_the_sample_is_of_letters_and_each_word_has_the_same_chance():
    words = made_words(12_000)
    sampled = sample_of(vectors_of_words(words))
    assert len(set(sampled.drawn)) == SIZE
    at = np.array([words.index(word) for word in sampled.drawn])
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
    assert sample_of(vectors_of_words(words)).drawn == tuple(words)
    assert sample_of(vectors_of_words(words[1:])).drawn == ()


@pytest.mark.parametrize("mode", ["default", "floret"])
def test_spacy_is_sampled_from_its_own_vocabulary(kv, mode):
    """What vectors of parts of words make of an unknown string is no word that was found."""
    found = bb.load_embedding(Vocabulary(kv, mode), words=[*LIST.words, "qqqqxyz"])
    assert set(found.index_to_key) == set(LIST.words)
    expected = provenance_of(bb.distances(kv, LIST))
    record = provenance_of(bb.distances(found, LIST))
    assert record.get("profiles") == expected.get("profiles")


@pytest.mark.parametrize("mark", ["", "Ġ", "▁"])
def test_encoders_are_sampled_from_the_tokens_that_are_words(kv, mark, monkeypatch):
    monkeypatch.setattr(encoders, "_evaluated", nullcontext)
    pieces = ["##ing", "##ed"] if not mark else ["ing", "ed"]
    tokens = [*pieces, *(f"{mark}{word}" for word in kv.index_to_key)]
    found = bb.load_embedding(Encoder(kv, tokens), words=LIST.words)
    assert provenance_of(bb.distances(found, LIST)).get("profiles") == (
        provenance_of(bb.distances(kv, LIST)).get("profiles")
    )


def test_of_encoders_the_first_words_are_read(monkeypatch):
    monkeypatch.setattr(encoders, "_evaluated", nullcontext)
    kv = vectors_of_words([*LIST.words, *made_words(3000)])
    found = bb.load_embedding(Encoder(kv, kv.index_to_key), words=LIST.words)
    first = bb.load_embedding((kv.index_to_key[:2000], kv.vectors[:2000]))
    expected = provenance_of(bb.distances(first, LIST))["profiles"]
    assert provenance_of(bb.distances(found, LIST))["profiles"] == expected


def test_encoders_without_a_vocabulary_say_so(kv, monkeypatch):
    monkeypatch.setattr(encoders, "_evaluated", nullcontext)
    found = bb.load_embedding(Encoder(kv, None), words=LIST.words)
    assert "fewer than 200 words" in source_of(bb.distances(found, LIST))["no_similarity"]


def test_beyond_many_rows_nothing_is_read():
    sampler = Sampler()
    for place in range(ROWS):
        assert not sampler.done
        sampler.wants(str(place))
    assert sampler.done
    assert not sampler.wants("the")


def test_what_nobody_asked_for_stops_nothing(tmp_path):
    """Zero vectors, damaged lines and bytes that are no text, of words for the sample alone."""
    words = [*LIST.words, *made_words(700)]
    kv = vectors_of_words(words)
    kv.vectors[kv.key_to_index[words[40]]] = 0
    path = tmp_path / "v.txt"
    kv.save_word2vec_format(str(path), write_header=False)
    whole = provenance_of(bb.distances(bb.load_embedding(path), LIST))
    lines = path.read_bytes().split(b"\n")
    lines[50] = b"b\xc3 " + lines[50].split(b" ", 1)[1]
    lines[60] = lines[60].split(b" ", 1)[0] + b" x y"
    path.write_bytes(b"\n".join(lines))
    with pytest.warns(DataWarning) as caught:
        found = provenance_of(bb.distances(bb.load_embedding(path, words=LIST.words), LIST))
    assert ["not UTF-8" in str(one.message) for one in caught] == [True, False]
    assert "1 damaged line was passed over" in str(caught[1].message)
    assert whole["profiles"]["rows"] == 709  # without the zero vector, with the list's own
    assert found["profiles"]["rows"] == 707


def test_changed_vectors_keep_the_sample_of_their_source(tmp_path):
    wordlist = bb.load_wordlist("weat7")
    kv = vectors_of_words([*common_words(), *(set(wordlist.words) - set(common_words()))])
    kv.save_word2vec_format(str(tmp_path / "v"))
    asked = bb.load_embedding(tmp_path / "v", words=wordlist.words)
    sets = [(wordlist.groups[0].words[0], wordlist.groups[1].words[0])]
    debiased = bb.debias.hard(
        asked, wordlist, neutralise="all", defining_sets=sets, equalise=[]
    ).vectors
    sample = sample_of(debiased)
    before = sample_of(asked)
    assert sample.words == before.words
    np.testing.assert_array_equal(sample.groups, before.groups)
    both = next(word for word in sample.words if word in debiased)
    np.testing.assert_allclose(sample.vectors[sample.words.index(both)], debiased[both])
    assert "no_similarity" not in source_of(bb.distances(debiased, wordlist))
