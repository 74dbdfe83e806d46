"""fastText's own format, Model2Vec, numpy's arrays with words, spaCy, and models of sentences."""

import json
import pickle
import struct
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from gensim.models import FastText
from gensim.models.fasttext import save_facebook_model

import bayesbias as bb
from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError
from bayesbias.vectors import encode
from bayesbias.vectors.samples import sample_of

SENTENCES = [["he", "she", "nurse", "doctor"], ["she", "he", "doctor"]] * 20


@pytest.fixture(scope="module")
def model():
    options = {"min_count": 1, "bucket": 50, "epochs": 1, "workers": 1, "seed": 1}
    return FastText(SENTENCES, vector_size=6, **options)


@pytest.fixture(scope="module")
def fasttext(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("ft") / "ft.bin"
    save_facebook_model(model, str(path))
    return path


def test_a_fasttext_model_has_the_vectors_that_gensim_makes(model, fasttext):
    found = bb.load_embedding(fasttext)
    assert sorted(found.index_to_key) == ["doctor", "he", "nurse", "she"]
    for word in found.index_to_key:
        np.testing.assert_allclose(found[word], model.wv[word], rtol=1e-5)
    asked = ["nurse", "nurses"]
    assert bb.load_embedding(fasttext, words=asked).index_to_key == ["nurse"]
    assert len(bb.load_embedding(fasttext, limit=2)) == 2


def test_a_fasttext_model_of_gensim(model, tmp_path):
    model.save(str(tmp_path / "ft.model"))
    for source in (model, model.wv, tmp_path / "ft.model"):
        found = bb.load_embedding(source, words=["nurse"], trusted=True)
        np.testing.assert_array_equal(found["nurse"], model.wv["nurse"])


def test_a_fasttext_model_that_was_cut_or_changed_is_refused(fasttext, tmp_path):
    """Cut in its vocabulary, gensim waited for the end of a word for ever."""
    content, path = fasttext.read_bytes(), tmp_path / "cut.bin"
    for at in range(0, len(content) - 1, 7):
        path.write_bytes(content[:at] or b"\xba\x16\x4f\x2f")
        with pytest.raises(EmbeddingError, match=r"damaged or cut short|neither|empty"):
            bb.load_embedding(path)
    changes = ((8, 10**9, "contradict"), (4, 11, "or old"), (64, 10**9, "of its vocabulary"))
    for at, value, complaint in changes:
        path.write_bytes(content[:at] + struct.pack("<i", value) + content[at + 4 :])
        with pytest.raises(EmbeddingError, match=complaint):
            bb.load_embedding(path)


WORDS = ["[UNK]", "he", "nurse", "##s", "doctor"]
MATRIX = np.arange(15, dtype=np.float32).reshape(5, 3) / 4


def safetensors(**tensors):
    """Return a file in safetensors format."""
    kinds = {"float32": "F32", "float16": "F16", "int64": "I64", "float64": "F64"}
    record, body = {"__metadata__": {}}, b""
    for name, array in tensors.items():
        ends = [len(body), len(body) + array.nbytes]
        about = {"dtype": kinds[array.dtype.name], "shape": array.shape, "data_offsets": ends}
        record[name], body = about, body + array.tobytes()
    head = json.dumps(record).encode()
    return len(head).to_bytes(8, "little") + head + body


def tokenizer(kind="WordPiece"):
    tokens = {token: k for k, token in enumerate(WORDS)}
    if kind == "Unigram":
        marked = [token.replace("##", "") if "##" in token else f"▁{token}" for token in WORDS]
        return json.dumps({"model": {"type": kind, "vocab": [[token, -1.0] for token in marked]}})
    return json.dumps({"model": {"type": kind, "unk_token": "[UNK]", "vocab": tokens}})


@pytest.mark.parametrize("kind", ["WordPiece", "Unigram"])
def test_a_static_model_has_the_vectors_of_its_whole_words(kind, tmp_path):
    (tmp_path / "tokenizer.json").write_text(tokenizer(kind))
    (tmp_path / "model.safetensors").write_bytes(safetensors(embeddings=MATRIX))
    for path in (tmp_path, tmp_path / "model.safetensors"):
        found = bb.load_embedding(path)
        assert found.index_to_key == ["[UNK]", "he", "nurse", "doctor"]
        assert found["nurse"].tolist() == MATRIX[2].tolist()
        assert bb.load_embedding(path, words=["he", "nurses"]).index_to_key == ["he"]


def test_a_static_model_with_weights_and_shared_rows(tmp_path):
    """As Model2Vec writes pruned vocabularies: tokens point to rows, and have weights."""
    (tmp_path / "tokenizer.json").write_text(tokenizer())
    tensors = {"mapping": np.array([0, 1, 1, 2, 2]), "weights": np.array([1, 1, 2, 1, 4.0])}
    content = safetensors(embeddings=MATRIX[:3].astype(np.float16), **tensors)
    (tmp_path / "model.safetensors").write_bytes(content)
    found = bb.load_embedding(tmp_path)
    assert found["nurse"].tolist() == (2 * MATRIX[1]).tolist()
    assert found["doctor"].tolist() == (4 * MATRIX[2]).tolist()


def test_a_static_model_that_is_damaged(tmp_path):
    path, beside = tmp_path / "model.safetensors", tmp_path / "tokenizer.json"
    whole = safetensors(embeddings=MATRIX)
    path.write_bytes(whole)
    with pytest.raises(EmbeddingError, match=r"has no words; put its tokenizer\.json beside it"):
        bb.load_embedding(path)
    for tokens, content in (
        (tokenizer(), whole[:-1]),
        (tokenizer(), safetensors(a=MATRIX, b=MATRIX)),
        (tokenizer(), safetensors(embeddings=MATRIX[:4])),
        (tokenizer(), whole.replace(b"[0, 60]", b"[0, 99]")),
        (tokenizer(), whole.replace(b"F32", b"F99")),
        ('{"model": {}}', whole),
        ('{"model": {"vocab": {"he": "x"}}}', whole),
    ):
        beside.write_text(tokens)
        path.write_bytes(content)
        with pytest.raises(EmbeddingError, match="damaged or cut short"):
            bb.load_embedding(tmp_path)


class StaticModel:
    """Stands for a model of model2vec: its tokens, and what it makes of texts."""

    tokens, embedding = WORDS, MATRIX

    def encode(self, texts):
        known = {"he": MATRIX[1], "nurses": MATRIX[2:4].mean(axis=0)}
        return [known.get(text, np.zeros(3)) for text in texts]


def test_a_static_model_in_memory_is_asked_for_words():
    found = bb.load_embedding(StaticModel(), words=["he", "nurses", "unknown"])
    assert found["he"].tolist() == MATRIX[1].tolist()
    assert found["nurses"].tolist() == MATRIX[2:4].mean(axis=0).tolist()
    assert not found["unknown"].any()  # which counts as missing


def test_a_static_model_has_one_sample_in_memory_in_its_folder_and_in_a_copy(tmp_path):
    """As how alike words are follows from it, an answer is the same."""
    rng = np.random.default_rng(1)
    tokens = {"".join(rng.choice(list("abcdefgh"), 12)): k for k in range(3000)}
    matrix = rng.standard_normal((3000, 5)).astype(np.float32)

    class Tokens:
        embedding, tokenizer = matrix, SimpleNamespace(get_vocab=lambda: tokens)

        def encode(self, texts):
            return matrix[[tokens[text] for text in texts]]

    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": tokens}}))
    (tmp_path / "model.safetensors").write_bytes(safetensors(embeddings=matrix))
    word = next(iter(tokens))
    made = bb.load_embedding(Tokens(), words=[word])
    copied, read = pickle.loads(pickle.dumps(made)), bb.load_embedding(tmp_path, words=[word])
    sample = sample_of(made)
    for other in map(sample_of, (copied, read)):
        assert sample.words == other.words
        np.testing.assert_array_equal(sample.vectors, other.vectors)


def test_arrays_with_words(tmp_path):
    words = np.array(WORDS)
    np.savez(tmp_path / "texts.npz", any=words, name=MATRIX)
    np.savez(tmp_path / "bytes.npz", words=words.astype("S"), vectors=MATRIX)
    np.save(tmp_path / "vectors.npy", MATRIX)
    (tmp_path / "words.txt").write_bytes(("\ufeff" + "\r\n".join(WORDS) + "\r\n").encode())
    for path in (*sorted(tmp_path.glob("*.np*")), tmp_path):
        found = bb.load_embedding(path)
        assert found.index_to_key == WORDS
        np.testing.assert_array_equal(found.vectors, MATRIX)
        assert bb.load_embedding(path, words=["doctor", "x"]).index_to_key == ["doctor"]


def test_arrays_that_cannot_be_read(tmp_path):
    np.savez(tmp_path / "objects.npz", words=np.array(["a"], dtype=object), vectors=MATRIX)
    np.savez(tmp_path / "alone.npz", vectors=MATRIX)
    np.savez_compressed(tmp_path / "bomb.npz", words=WORDS, vectors=np.zeros((5, 10**6)))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "alone.npz").read_bytes()[:150])
    np.save(tmp_path / "alone.npy", MATRIX)
    np.save(tmp_path / "dict.npy", {"he": [1.0]}, allow_pickle=True)
    complaints = {
        "objects.npz": r"Object arrays cannot be loaded.*words=np\.array\(words, dtype=str\)",
        "alone.npz": "cannot be read as an array of words and a matrix",
        "bomb.npz": "unpacks to more than 100 times its size",
        "cut.npz": "cannot be read as an array of words",
        "alone.npy": r"put them into words\.txt beside it.*load_embedding\(\(words, matrix\)\)",
    }
    for name, complaint in complaints.items():
        with pytest.raises(EmbeddingError, match=complaint):
            bb.load_embedding(tmp_path / name)
    (tmp_path / "words.txt").write_text("he\nshe\n")
    with pytest.raises(EmbeddingError, match=r"words.txt: 2 words need a matrix of shape"):
        bb.load_embedding(tmp_path / "alone.npy")
    with pytest.raises(EmbeddingError, match="no sound array of numbers"):
        bb.load_embedding(tmp_path / "dict.npy")


class Vocabulary:
    """Stands for a vocabulary of spaCy, without and with a table of vectors."""

    vectors_length, vectors = 2, {}
    strings = ("he", "she", "NOUN")

    def has_vector(self, word):
        return word.islower()

    def get_vector(self, word):
        return np.array([len(word), 1.0])


def test_spacy_has_the_vectors_of_its_words():
    assert bb.load_embedding(Vocabulary()).index_to_key == ["he", "she"]
    found = bb.load_embedding(Vocabulary(), words=["she", "1"])
    assert found.index_to_key == ["she"]
    assert found["she"].tolist() == [3.0, 1.0]
    Vocabulary.vectors_length = 0
    with pytest.raises(EmbeddingError, match="has no vectors; use a pipeline"):
        bb.load_embedding(Vocabulary(), words=["he"])


# Models of sentences: a function stands for one, so that these tests run everywhere

LIST = [["he", "man"], ["she", "woman"], ["engineer", "boss"], ["nurse", "maid"]]


def letters(texts):
    """Return the numbers of a few letters in each text."""
    return [[float(text.count(letter)) for letter in "aehnost"] for text in texts]


class Model:
    """Stands for a SentenceTransformer."""

    def encode(self, texts):
        return np.array(letters(texts))


def test_a_vector_is_the_mean_over_templates():
    assert encode(["he", "she"], letters)["she"].tolist() == [0, 1, 1, 0, 0, 1, 0]
    both = encode(["she"], Model(), templates=["{}", "to {}"])["she"]
    assert both.tolist() == [0, 1, 1, 0, 0.5, 1, 0.5]
    found = bb.load_embedding(Model(), words=["he", "he", "the end"])
    assert found.index_to_key == ["he", "the end"]
    with pytest.raises(ArgumentError, match="words=: say for which words"):
        bb.load_embedding(Model())


def test_texts_come_in_batches():
    sizes = []

    def counted(texts):
        sizes.append(len(texts))
        return letters(texts)

    encode([f"w{i}" for i in range(70)], counted, templates=["{}", "a {}"])
    assert sizes == [64, 64, 12]


def test_a_word_without_a_vector_is_missing_with_the_reason():
    def some(texts):
        known = {"nurse": 0.0, "maid": np.nan}
        return [known.get(text, 1.0) * np.array(letters([text])[0]) for text in texts]

    words = [word for one in LIST for word in one]
    with pytest.warns(DataWarning, match=r"NaN or infinite components of 1 words \('maid'\)"):
        vectors = encode(words, some)
    assert not vectors["maid"].any()
    with pytest.raises(bb.BayesBiasError, match="none"):  # of the second list nothing is left
        bb.distances(vectors, bb.load_wordlist(LIST))
    longer = [*LIST[:3], ["nurse", "tutor"]]
    vectors = encode([word for one in longer for word in one], some)
    with pytest.warns(bb.BayesBiasWarning):
        frame = bb.distances(vectors, bb.load_wordlist(longer))
    assert "its vector is zero" in bb.missing_words(frame).set_index("word").loc["nurse", "reason"]
    with pytest.warns(bb.BayesBiasWarning):
        frame = bb.words.contextual_distances(some, bb.load_wordlist(longer), templates=["{}"])
    assert "its vector is zero" in bb.missing_words(frame).set_index("word").loc["nurse", "reason"]


@pytest.mark.parametrize(
    ("model", "how", "error", "complaint"),
    [
        (3, {}, ArgumentError, "model is a int; give a SentenceTransformer"),
        (letters, {"templates": "a {}"}, ArgumentError, r"give a list, such as \[\"This is"),
        (letters, {"templates": []}, ArgumentError, "give a list"),
        (letters, {"templates": ["a"]}, ArgumentError, "must have exactly one {}"),
        (letters, {"templates": ["{} {}"]}, ArgumentError, "must have exactly one {}"),
        (lambda texts: np.ones(3), {}, EmbeddingError, r"shape \(3,\) of 2 texts"),
        (lambda texts: np.ones((1, 3)), {}, EmbeddingError, r"shape \(1, 3\) of 2 texts"),
    ],
)
def test_what_cannot_be_used_is_refused(model, how, error, complaint):
    with pytest.raises(error, match=complaint):
        encode(["he", "she"], model, **how)


def test_a_library_that_is_absent_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ArgumentError, match=r"pip install 'bayesbias\[sentence-transformers\]'"):
        encode(["he"], "all-MiniLM-L6-v2")


def test_words_are_checked_first():
    for words in ("he", [" "], [3], 3, bb.load_wordlist("weat7")):
        with pytest.raises(ArgumentError, match="give a list of words"):
            bb.load_embedding(Model(), words=words)
        with pytest.raises(ArgumentError, match="give a list of words"):
            encode(words, letters)
    with pytest.raises(ArgumentError, match="say for which words"):
        encode([], letters)
