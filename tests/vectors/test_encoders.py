"""Vectors from frames, spaCy, transformers and sentence-transformers.

The models are real, tiny and randomly initialised; where a library is not installed, its tests are
skipped.
"""

import sys
import unicodedata
import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.errors import ArgumentError, EmbeddingError
from bayesbias.vectors import encoders

WORDS = ["he", "she", "nurse", "doctors"]
PIECES = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "he", "she", "nur", "##se", "doc", "##tor", "##s"),
    *("this", "is", "a", ".", "the", "left", "mädchen"),
]
TEMPLATES = ["This is a {}.", "The {} left."]
NURSES = [
    ["[CLS]", "this", "is", "a", "nur", "##se", ".", "[SEP]"],
    ["[CLS]", "the", "nur", "##se", "left", ".", "[SEP]"],
]
"""The pieces of the templates with "nurse" in them."""


def importorskip(name):
    """Import a library of an extra, whose own warnings at import are none of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"the extra with {name} is not installed")


# Frames


def frame_of(words, **columns):
    return pd.DataFrame({"word": words, **columns})


@pytest.mark.parametrize(
    "frame",
    [
        frame_of(["he", "she"], x=[1.0, 3.0], y=[2, 4]),
        frame_of(["he", "she"], x=[1.0, 3.0], y=[2, 4]).set_index("word"),
        frame_of(["no", "he", "she"], x=[9.0, 1.0, 3.0], y=[9, 2, 4]).iloc[1:],
        frame_of(pd.Categorical(["he", "she"]), x=[1.0, 3.0], y=[2, 4]),
        frame_of(["he", "she"], x=pd.array([1, 3], dtype="Int64"), y=[2.0, 4.0]),
    ],
    ids=["column", "index", "filtered", "categorical", "nullable"],
)
def test_a_frame_has_its_words_in_the_index_or_the_first_column(frame):
    vectors = bb.load_embedding(frame)
    assert vectors.index_to_key == ["he", "she"]
    assert vectors["she"].tolist() == [3.0, 4.0]
    assert vectors.vectors.dtype == np.float32
    assert bb.load_embedding(frame, words=["she"]).index_to_key == ["she"]


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (pd.DataFrame({"x": [1.0]}), "row 1 of the frame has 0 for a word"),
        (pd.DataFrame(), "the frame holds no vectors"),
        (pd.DataFrame(index=["he"]), "the frame holds no vectors"),
        (frame_of(["he;1,5"]), r"no column of numbers.*sep=';', decimal=','"),
        (frame_of(["he"], x=["1,5"], y=["0,5"]), "column 'x' .*read it with decimal=','"),
        (frame_of(["he"], x=[1.0]).set_axis(["a"]), r"in its index and in its first column 'word'"),
        (frame_of(["he", None], x=[1.0, 2.0]), "row 2 .*keep_default_na=False"),
        (frame_of(["he", "she"], x=[1.0, 2.0], y=["a", "b"]), "column 'y' of the frame holds"),
        (frame_of(["he", "she"], x=[True, False]), "column 'x' of the frame holds bool"),
        (frame_of(["he", "she"], x=[1.0, np.nan]), "column 'x' .* in the row of 'she'"),
        (frame_of(["he", "she"], x=[1e300, 1.0]), "too large in the row of 'he'"),
    ],
)
def test_a_frame_that_cannot_be_read(frame, complaint):
    with pytest.raises(EmbeddingError, match=complaint):
        bb.load_embedding(frame)


# What is refused before any model is loaded


class Encoder:
    """Stands for a model of sentence-transformers."""

    def encode(self, texts, **options):
        return np.array([[len(text), text.count("e")] for text in texts], dtype=float)


class Vocabulary:
    """Stands for a vocabulary of spaCy."""

    vectors_length = 2

    def has_vector(self, word):
        return word.islower()

    def get_vector(self, word):
        return np.array([len(word), 1.0])


def test_the_kind_of_source_decides(monkeypatch):
    # What turns dropout off needs torch.
    monkeypatch.setattr(encoders, "_evaluated", nullcontext)
    vectors = bb.load_embedding(Encoder(), words=["he", "she"], templates=["{}", "a {}"])
    assert vectors["she"].tolist() == [4.0, 1.0]
    vectors = bb.load_embedding(Vocabulary(), words=["He", "she"], fallbacks=["lower"])
    assert vectors.index_to_key == ["he", "she"]


@pytest.mark.parametrize(
    ("source", "options", "complaint"),
    [
        (Encoder(), {}, "words=: tell for which words"),
        ("transformers:bert", {}, "words=: tell for which words"),
        (Encoder(), {"layer": 2}, "layer=: goes with transformers, not with sentence-transformers"),
        ("transformers:bert", {"limit": 5}, "limit=: goes with files, not with transformers"),
        (Vocabulary(), {"templates": ["a {}"]}, "templates=: goes with sentence-transformers and"),
        ({"he": [1.0]}, {"pooling": "mean"}, "pooling=: .* not with this source; leave it out"),
        (frame_of(["he"], x=[1.0]), {"tokenizer": "bert"}, "tokenizer=: goes with transformers"),
    ],
)
def test_options_of_another_kind_of_source_are_refused(source, options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        bb.load_embedding(source, **options)


@pytest.mark.parametrize("source", [3, None, len, b"vectors.bin"])
def test_what_is_no_source(source):
    complaint = rf"from '{type(source).__name__}'; give a path, .* sentence-transformers"
    with pytest.raises(EmbeddingError, match=complaint):
        bb.load_embedding(source)


@pytest.mark.parametrize("kind", ["transformers", "sentence-transformers"])
@pytest.mark.parametrize(
    ("words", "templates", "complaint"),
    [
        ("nurse", ["{}"], r"give a list of words, such as \['nurse'\]"),
        ([], ["{}"], "words: is empty"),
        (["he", " "], ["{}"], "words: ' ' must be a text that is not empty"),
        (["he", 3], ["{}"], "words: 3 must be a text"),
        (["he"], "This is {}.", "templates='This is {}.': give a list"),
        (["he"], [], "give a list"),
        (["he"], ["This is a."], "'This is a.' must have exactly one {}"),
        (["he"], ["{} is {}."], "'{} is {}.' must have exactly one {}"),
        (["he"], ["This is {word}."], "must have exactly one {}"),
    ],
)
def test_words_and_templates_are_checked_first(kind, words, templates, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        bb.load_embedding(f"{kind}:no-such/model", words=words, templates=templates)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"pooling": "max"}, "pooling='max': unknown.*mean, first, last"),
        *(({"layer": layer}, 'a whole number or "static"') for layer in ("last", True, 1.0)),
    ],
)
def test_layer_and_pooling_are_checked_first(options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        bb.load_embedding("transformers:no-such/model", words=["he"], **options)


def test_an_extra_that_is_absent_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ArgumentError, match=r"needs torch.*install 'bayesbias\[transformers\]'"):
        bb.load_embedding("transformers:bert-base-uncased", words=["he"])
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ArgumentError, match=r"bayesbias\[sentence-transformers\]"):
        bb.load_embedding("sentence-transformers:all-MiniLM-L6-v2", words=["he"])


# spaCy


@pytest.fixture
def spacy_nlp():
    nlp = importorskip("spacy").blank("de")
    for number, word in enumerate(["Frau", unicodedata.normalize("NFD", "Mädchen"), "Mann"]):
        nlp.vocab.set_vector(word, np.eye(3, dtype=np.float32)[number] * 2)
    return nlp


def test_spacy_gives_the_vectors_it_has(spacy_nlp):
    for source in (spacy_nlp, spacy_nlp.vocab):
        vectors = bb.load_embedding(source, words=["Mann", "Frau", "Mädchen", "Junge", "Mann"])
        decomposed = unicodedata.normalize("NFD", "Mädchen")
        assert vectors.index_to_key == ["Mann", "Frau", decomposed]
        assert vectors.vectors.tolist() == [[0, 0, 2], [2, 0, 0], [0, 2, 0]]
    table = bb.vocabulary_coverage(vectors, "weat7-de").table.set_index("word")
    assert table.loc["Mädchen", "found_as"] == decomposed
    assert table.loc["Junge", "reason"] == "not in the vectors"


def test_spacy_without_vectors_is_refused(spacy_nlp):
    with pytest.raises(EmbeddingError, match=r"no vectors.*md or lg"):
        bb.load_embedding(importorskip("spacy").blank("en"), words=["he"])
    with pytest.raises(EmbeddingError, match="none of the words has a vector"):
        bb.load_embedding(spacy_nlp, words=["he"])
    spacy_nlp.vocab.set_vector("kaputt", np.array([np.nan, 0, 0], dtype=np.float32))
    with pytest.raises(EmbeddingError, match="'kaputt' has NaN"):
        bb.load_embedding(spacy_nlp, words=["Frau", "kaputt"])


# transformers


@pytest.fixture(scope="module")
def torch():
    importorskip("transformers")
    return importorskip("torch")


@pytest.fixture(scope="module")
def tokenizer(torch):
    """A tokenizer of BERT's kind: lower case, WordPiece, [CLS] and [SEP] around."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    places = {piece: i for i, piece in enumerate(PIECES)}
    core = Tokenizer(models.WordPiece(places, unk_token="[UNK]"))
    core.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=False)
    core.normalizer = normalizers.Sequence([normalizers.NFC(), core.normalizer])
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.decoder = decoders.WordPiece()
    core.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", places["[CLS]"]), ("[SEP]", places["[SEP]"])],
    )
    names = {f"{n}_token": f"[{n.upper()}]" for n in ("pad", "unk", "cls", "sep")}
    return PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=12, **names)


def tiny_bert(torch, **settings):
    from transformers import BertConfig, BertModel

    torch.manual_seed(5)
    sizes = {"vocab_size": len(PIECES), "hidden_size": 8, "num_attention_heads": 2}
    sizes |= {"num_hidden_layers": 2, "intermediate_size": 16, "max_position_embeddings": 16}
    return BertModel(BertConfig(**{**sizes, "hidden_dropout_prob": 0.5, **settings}))


@pytest.fixture
def bert(torch):
    return tiny_bert(torch)


def states_of(torch, model, pieces):
    """Return the hidden states of one text, given as pieces: (layer, token, dimension)."""
    ids = torch.tensor([[PIECES.index(piece) for piece in pieces]])
    model.eval()
    with torch.no_grad():
        states = model(input_ids=ids, output_hidden_states=True).hidden_states
    return torch.stack(states)[:, 0].numpy()


def test_a_word_alone_is_pooled_over_its_own_tokens(torch, bert, tokenizer):
    states = states_of(torch, bert, ["[CLS]", "doc", "##tor", "##s", "[SEP]"])
    by_hand = {"mean": states[:, 1:4].mean(axis=1), "first": states[:, 1], "last": states[:, 3]}
    for pooling, expected in by_hand.items():
        for layer in (0, 1, 2, -1, -2, -3):
            vectors = bb.load_embedding(
                bert, words=["doctors"], tokenizer=tokenizer, layer=layer, pooling=pooling
            )
            np.testing.assert_allclose(vectors["doctors"], expected[layer], atol=1e-6)


def test_templates_are_averaged(torch, bert, tokenizer):
    first, second = (states_of(torch, bert, pieces)[-1] for pieces in NURSES)
    expected = (first[4:6].mean(axis=0) + second[2:4].mean(axis=0)) / 2
    vectors = bb.load_embedding(bert, words=WORDS, tokenizer=tokenizer, templates=TEMPLATES)
    assert vectors.index_to_key == WORDS
    np.testing.assert_allclose(vectors["nurse"], expected, atol=1e-6)


def test_the_word_is_found_where_the_template_has_it(torch, bert, tokenizer):
    """Not where the same letters stand elsewhere in the text."""
    states = states_of(torch, bert, ["[CLS]", "he", "is", "a", "he", "[SEP]"])
    vectors = bb.load_embedding(bert, words=["he"], tokenizer=tokenizer, templates=["He is a {}"])
    np.testing.assert_allclose(vectors["he"], states[-1, 4], atol=1e-6)


def test_static_vectors_are_rows_of_the_input_embedding(bert, tokenizer):
    rows = bert.get_input_embeddings().weight.detach().numpy()
    for templates in (None, TEMPLATES):
        vectors = bb.load_embedding(
            bert, words=["nurse", "he"], tokenizer=tokenizer, layer="static", templates=templates
        )
        pieces = [PIECES.index("nur"), PIECES.index("##se")]
        np.testing.assert_allclose(vectors["nurse"], rows[pieces].mean(axis=0), atol=1e-7)
        np.testing.assert_array_equal(vectors["he"], rows[PIECES.index("he")])


def test_a_batch_changes_nothing_and_nor_does_training_mode(bert, tokenizer):
    words = [f"{a} {b}" for a in PIECES[4:6] + PIECES[11:18] for b in ["he", "she", *PIECES[11:18]]]
    assert len(words) > 64  # several batches, of texts that are as long and longer
    words += ["doctors", "he"]
    bert.train()
    bert.encoder.layer[0].eval()
    together = bb.load_embedding(bert, words=words, tokenizer=tokenizer)
    again = bb.load_embedding(bert, words=words, tokenizer=tokenizer)
    np.testing.assert_array_equal(together.vectors, again.vectors)
    for word in ("he", "she mädchen", "doctors"):
        alone = bb.load_embedding(bert, words=[word], tokenizer=tokenizer)
        np.testing.assert_allclose(together[word], alone[word], atol=1e-6)
    assert bert.training
    assert not bert.encoder.layer[0].training
    assert all(p.grad is None and p.requires_grad for p in bert.parameters())


def test_a_decomposed_word_has_the_vector_of_the_composed(bert, tokenizer):
    forms = [unicodedata.normalize(form, "Mädchen") for form in ("NFC", "NFD")]
    vectors = bb.load_embedding(bert, words=forms, tokenizer=tokenizer, templates=["The {} left."])
    np.testing.assert_allclose(vectors[forms[0]], vectors[forms[1]], atol=1e-6)


def small_list(folder):
    """Write a word list of the tiny models' words."""
    path = folder / "small.toml"
    path.write_text(
        'title = "Small"\nsource = "made by a test"\n[protected]\nman = ["he"]\nwoman = ["she"]\n'
        '[associated]\nman = ["doctor"]\nwoman = ["nurse"]\n[attributes]\n'
        'doctor = ["doctors", "doctor"]\nnurse = ["nurse", "nurses"]\n[controls]\n',
        encoding="utf-8",
    )
    return path


def test_contexts_are_rows(bert, tokenizer, tmp_path):
    """Each distance is that of the two words' vectors in the same template, in one layer."""
    path = small_list(tmp_path)
    for layer in (1, -1):
        frame = bb.pairs.contextual_distances(
            bert, path, templates=TEMPLATES, layer=layer, tokenizer=tokenizer
        )
        assert len(frame) == 2 * 4 * 2
        assert set(frame["layer"]) == {str(layer)}
        for template, part in frame.groupby("context"):
            words = [*part["protected_word"].unique(), *part["attribute"].unique()]
            options = {"tokenizer": tokenizer, "templates": [template], "layer": layer}
            alone = bb.load_embedding(bert, words=words, **options)
            expected = [
                1 - alone.similarity(r.protected_word, r.attribute) for r in part.itertuples()
            ]
            np.testing.assert_allclose(part["cosine_distance"], expected, atol=1e-5)
    bert.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    again = bb.pairs.contextual_distances(tmp_path, path, templates=TEMPLATES)
    np.testing.assert_allclose(again["cosine_distance"], frame["cosine_distance"], atol=1e-6)


def test_half_precision_is_read(torch, bert, tokenizer):
    whole = bb.load_embedding(bert, words=WORDS, tokenizer=tokenizer)
    half = bb.load_embedding(bert.to(torch.bfloat16), words=WORDS, tokenizer=tokenizer)
    np.testing.assert_allclose(half.vectors, whole.vectors, atol=0.1)


def test_a_folder_is_loaded(bert, tokenizer, tmp_path):
    bert.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    loaded = bb.load_embedding(bert, words=WORDS, tokenizer=tokenizer)
    again = bb.load_embedding(f"transformers:{tmp_path}", words=WORDS)
    np.testing.assert_array_equal(again.vectors, loaded.vectors)


@pytest.mark.parametrize(
    ("words", "options", "complaint"),
    [
        (["he", "\u200b"], {}, r"'\\u200b': the tokenizer makes no token"),
        (["he", "東京", "ж"], {}, "'東京', 'ж': the tokenizer makes the unknown token"),
        (["he"], {"templates": ["a" + " a" * 9 + " {}"]}, "has 13 tokens where the model takes 12"),
        (["he"], {"layer": 3}, "layer=3: this model has 3 hidden states, 0 to 2, or −1 to −3"),
        (["he"], {"layer": -4}, "layer=-4"),
        (["he"], {"templates": ["s{}"]}, "the token 'she' is more than the word 'he'"),
    ],
)
def test_what_the_model_cannot_do(bert, tokenizer, words, options, complaint):
    with pytest.raises(bb.BayesBiasError, match=complaint):
        bb.load_embedding(bert, words=words, tokenizer=tokenizer, **options)


def test_the_longest_text_is_the_shorter_of_what_tokenizer_and_model_say(torch, tokenizer):
    model = tiny_bert(torch, max_position_embeddings=5)
    assert bb.load_embedding(model, words=["doctors"], tokenizer=tokenizer).vector_size == 8
    with pytest.raises(EmbeddingError, match="'he doctors' has 6 tokens where the model takes 5"):
        bb.load_embedding(model, words=["he doctors"], tokenizer=tokenizer)


def test_vectors_that_are_not_finite_are_named(torch, bert, tokenizer):
    with torch.no_grad():
        bert.get_input_embeddings().weight[PIECES.index("##se")] = torch.nan
    for layer in (-1, "static"):
        with pytest.raises(EmbeddingError, match="the vector of 'nurse' has NaN"):
            bb.load_embedding(bert, words=WORDS, tokenizer=tokenizer, layer=layer)


def test_models_and_tokenizers_that_are_none(bert, tokenizer, tmp_path):
    with pytest.raises(ArgumentError, match="tokenizer: is needed with a loaded model"):
        bb.load_embedding(bert, words=["he"])
    with pytest.raises(ArgumentError, match="cannot tell which tokens are the word's"):
        bb.load_embedding(bert, words=["he"], tokenizer=str.split)
    with pytest.raises(EmbeddingError, match=r"nowhere.*cannot be loaded.*check the name or path"):
        bb.load_embedding(f"transformers:{tmp_path / 'nowhere'}", words=["he"])


@pytest.fixture
def byte_tokenizer(torch):
    """A tokenizer of GPT-2's kind: bytes, spaces belong to the next token, no padding token."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    places = {piece: i for i, piece in enumerate([*alphabet, "he", "Ġhe"])}
    core = Tokenizer(models.BPE(places, [("h", "e"), ("Ġ", "he")]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return PreTrainedTokenizerFast(tokenizer_object=core)


def test_decoders_need_no_padding_and_keep_the_space_of_a_token(torch, byte_tokenizer):
    from transformers import GPT2Config, GPT2Model

    torch.manual_seed(5)
    model = GPT2Model(GPT2Config(vocab_size=300, n_positions=32, n_embd=8, n_layer=2, n_head=2))
    assert byte_tokenizer.pad_token is None
    options = {"tokenizer": byte_tokenizer, "templates": ["a {} a"], "layer": "static"}
    vectors = bb.load_embedding(model, words=["he", "ä", "shoe"], **options)
    rows = model.get_input_embeddings().weight.detach().numpy()
    vocabulary = byte_tokenizer.get_vocab()
    np.testing.assert_array_equal(vectors["he"], rows[vocabulary["Ġhe"]])
    spelt = [vocabulary[piece] for piece in ("Ġ", "s", "h", "o", "e")]
    # The space alone is no token of the word; "ä" is two bytes, both of the same character.
    np.testing.assert_allclose(vectors["shoe"], rows[spelt[1:]].mean(axis=0), atol=1e-7)
    umlaut = [vocabulary[piece] for piece in ("Ã", "¤")]
    np.testing.assert_allclose(vectors["ä"], rows[umlaut].mean(axis=0), atol=1e-7)
    last = bb.load_embedding(model, words=["he", "shoe"], tokenizer=byte_tokenizer)
    assert last.vectors.shape == (2, 8)


def test_of_an_encoder_with_a_decoder_the_encoder_is_used(torch, tokenizer):
    from transformers import T5Config, T5Model

    torch.manual_seed(5)
    model = T5Model(
        T5Config(vocab_size=len(PIECES), d_model=8, d_kv=4, d_ff=16, num_layers=2, num_heads=2)
    ).eval()
    vectors = bb.load_embedding(model, words=["nurse"], tokenizer=tokenizer)
    states = states_of(torch, model.get_encoder(), ["[CLS]", "nur", "##se", "[SEP]"])
    np.testing.assert_allclose(vectors["nurse"], states[-1, 1:3].mean(axis=0), atol=1e-6)


# sentence-transformers


@pytest.fixture
def sentence_model(torch, bert, tokenizer, tmp_path):
    library = importorskip("sentence_transformers")
    models = importorskip("sentence_transformers.models")
    bert.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    body = models.Transformer(str(tmp_path))
    pooling = models.Pooling(bert.config.hidden_size, pooling_mode="mean")
    return library.SentenceTransformer(modules=[body, pooling], device="cpu")


def test_sentences_pool_the_whole_text_and_average_the_templates(
    torch, bert, sentence_model, tmp_path
):
    whole = [states_of(torch, bert, pieces)[-1].mean(axis=0) for pieces in NURSES]
    sentence_model.train()
    vectors = bb.load_embedding(sentence_model, words=WORDS, templates=TEMPLATES)
    assert sentence_model.training
    assert vectors.index_to_key == WORDS
    np.testing.assert_allclose(vectors["nurse"], np.mean(whole, axis=0), atol=1e-6)
    sentence_model.save(str(tmp_path / "saved"))
    loaded = bb.load_embedding(
        f"sentence-transformers:{tmp_path / 'saved'}", words=WORDS, templates=TEMPLATES
    )
    np.testing.assert_allclose(loaded.vectors, vectors.vectors, atol=1e-6)


def test_contexts_of_sentences_are_whole_texts(sentence_model, tmp_path):
    path = small_list(tmp_path)
    frame = bb.pairs.contextual_distances(sentence_model, path, templates=TEMPLATES)
    assert set(frame["layer"]) == {"text"}
    template = TEMPLATES[1]
    part = frame[frame["context"] == template].iloc[0]
    alone = bb.load_embedding(
        sentence_model, words=[part.protected_word, part.attribute], templates=[template]
    )
    similarity = alone.similarity(part.protected_word, part.attribute)
    assert part.cosine_distance == pytest.approx(1 - similarity, abs=1e-5)
    sentence_model.save(str(tmp_path / "saved"))
    loaded = bb.pairs.contextual_distances(tmp_path / "saved", path, templates=TEMPLATES)
    np.testing.assert_allclose(loaded["cosine_distance"], frame["cosine_distance"], atol=1e-6)


def test_sentences_refuse_what_would_be_lost(sentence_model, tmp_path):
    with pytest.raises(EmbeddingError, match="has 14 tokens where the model takes 12"):
        bb.load_embedding(sentence_model, words=["he"], templates=["a" + " a" * 10 + " {}"])
    with pytest.raises(EmbeddingError, match="'東京': the tokenizer makes the unknown token"):
        bb.load_embedding(sentence_model, words=["he", "東京"])
    with pytest.raises(EmbeddingError, match=r"nowhere.*cannot be loaded"):
        bb.load_embedding(f"sentence-transformers:{tmp_path / 'nowhere'}", words=["he"])
