"""Sources that make vectors of asked words: spaCy, transformers and sentence-transformers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, EmbeddingError, suggest
from bayesbias.support.arrays import Array, Index
from bayesbias.support.progress import tracked
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import spellings, wanted
from bayesbias.vectors.samples import FEWEST, Sample, Sampler, sample_from
from bayesbias.vectors.sources import capital_counts, remember
from bayesbias.vectors.templates import (
    BATCH,
    SLOT,
    Text,
    distinct_words,
    filled_texts,
    finite_vectors,
    mean_vectors,
)

POOLINGS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "mean": lambda rows: rows.mean(axis=0),
    "first": lambda rows: rows[0],
    "last": lambda rows: rows[-1],
}
"""How the vectors of a word's own tokens become one: each takes (n_tokens, dim), gives (dim,)."""


def refuse_unusable(layer: Any, pooling: Any) -> None:
    """Refuse what names no layer or no pooling, before a model is loaded."""
    if pooling not in POOLINGS:
        raise ArgumentError(f"pooling={pooling!r}: unknown{suggest(str(pooling), POOLINGS)}")
    if layer != "static" and (isinstance(layer, bool) or not isinstance(layer, int | np.integer)):
        raise ArgumentError(f'layer={layer!r}: must be a whole number or "static"')


def transformer_encoder(
    model: Any, *, tokenizer: Any = None, layer: int | Literal["static"] = -1, pooling: str = "mean"
) -> Callable[[Sequence[Text]], Array]:
    """Return a function of texts that gives the vectors of their words, (n_texts, dim).

    The model is loaded once. Texts of as many tokens go together, so that nothing is padded.
    """
    model, tokenizer = with_tokenizer(model, tokenizer)
    longest = getattr(model.config, "max_position_embeddings", None)

    def encode(texts: Sequence[Text]) -> Array:
        encoded, own = _own_tokens(tokenizer, texts, longest, apart=True)
        with _evaluated(model):
            if layer == "static":
                return _static_rows(model, encoded, own, POOLINGS[pooling])
            return _layer_rows(model, tokenizer, encoded, own, int(layer), POOLINGS[pooling])

    return encode


def with_tokenizer(model: Any, tokenizer: Any) -> tuple[Any, Any]:
    """Return a model and its fast tokenizer, loaded if they are names."""
    _needed("torch", "transformers")
    if tokenizer is None and not isinstance(model, str | Path):
        raise ArgumentError("tokenizer: is needed with a loaded model; give the one made for it")
    if tokenizer is None:
        tokenizer = model
    if isinstance(tokenizer, str | Path):
        load = _needed("transformers", "transformers").AutoTokenizer.from_pretrained
        tokenizer = _fetched(load, tokenizer)
    if not getattr(tokenizer, "is_fast", False):
        raise ArgumentError(
            f"tokenizer: {type(tokenizer).__name__} cannot tell which tokens are the word's; give "
            f"a fast tokenizer (PreTrainedTokenizerFast)"
        )
    if isinstance(model, str | Path):
        model = _fetched(_needed("transformers", "transformers").AutoModel.from_pretrained, model)
    if not hasattr(model, "get_input_embeddings"):
        raise ArgumentError(f"model is a {type(model).__name__}, not a model of transformers")
    return model, tokenizer


def _static_rows(
    model: Any, encoded: Any, own: Sequence[Index], pool: Callable[[Array], Array]
) -> Array:
    torch = _needed("torch", "transformers")
    embedding = model.get_input_embeddings()
    device = next(embedding.parameters()).device
    tokens = (np.asarray(ids)[at] for ids, at in zip(encoded["input_ids"], own, strict=True))
    rows = (_numbers(embedding(torch.tensor(one, device=device))) for one in tokens)
    return np.array([pool(one) for one in rows])


def _layer_rows(
    model: Any,
    tokenizer: Any,
    encoded: Any,
    own: Sequence[Index],
    layer: int,
    pool: Callable[[Array], Array],
) -> Array:
    """Return a row per text: the word's own tokens in one hidden state, pooled."""
    torch = _needed("torch", "transformers")
    body = model.get_encoder() if getattr(model.config, "is_encoder_decoder", False) else model
    device = next(model.parameters()).device
    taken = signature(body.forward).parameters
    names = [name for name in tokenizer.model_input_names if name in encoded and name in taken]
    rows: list[Array] = [np.empty(0)] * len(own)
    for batch in tracked(_batches(encoded["input_ids"]), "encoding", None):
        inputs = {
            name: torch.tensor([encoded[name][i] for i in batch], device=device) for name in names
        }
        states = body(**inputs, output_hidden_states=True).hidden_states
        if not -len(states) <= layer < len(states):
            raise ArgumentError(
                f"layer={layer}: this model has {len(states)} hidden states, 0 to "
                f"{len(states) - 1}, or −1 to −{len(states)} from the end"
            )
        for i, tokens in zip(batch, _numbers(states[layer]), strict=True):
            rows[i] = pool(tokens[own[i]])
    return np.array(rows)


def _batches(token_ids: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return batches of texts of one length, shortest first."""
    by_length: dict[int, list[int]] = {}
    for i, ids in enumerate(token_ids):
        by_length.setdefault(len(ids), []).append(i)
    return [
        same[start : start + BATCH]
        for _, same in sorted(by_length.items())
        for start in range(0, len(same), BATCH)
    ]


def _numbers(tensor: Any) -> Array:
    """Return a tensor of any precision and on any device as an array."""
    array: Array = tensor.float().cpu().numpy().astype(np.float64)
    return array


def sentence_encoder(model: Any) -> Callable[[Sequence[Text]], NDArray[np.floating]]:
    """Return a function of texts that gives their vectors, (n_texts, dim); loads the model once.

    If the model has a default prompt, it is put before every text.
    """
    model = sentence_model(model)

    def encode(texts: Sequence[Text]) -> NDArray[np.floating]:
        if getattr(getattr(model, "tokenizer", None), "is_fast", False):
            longest = getattr(model, "max_seq_length", None)
            _own_tokens(model.tokenizer, texts, longest, apart=False)
        rows = []
        with _evaluated(model):
            for start in tracked(range(0, len(texts), BATCH), "encoding", None):
                batch = [text.filled for text in texts[start : start + BATCH]]
                rows.append(model.encode(batch, convert_to_numpy=True, show_progress_bar=False))
        return np.concatenate(rows)

    return encode


def sentence_model(model: Any) -> Any:
    """Return a model of sentences, loaded if it is a name."""
    if isinstance(model, str | Path):
        library = _needed("sentence_transformers", "sentence-transformers")
        model = _fetched(library.SentenceTransformer, model)
    if not hasattr(model, "encode"):
        raise ArgumentError(f"model is a {type(model).__name__}, not a SentenceTransformer")
    return model


_WORD_MARKS: Final = ("Ġ", "▁")
"""What tokens that begin a word begin with: of byte-level BPE, and of SentencePiece."""


def words_of_tokenizer(tokenizer: Any) -> list[str]:
    """Return the tokens that are whole words, in their order; none where these are not known."""
    vocabulary: dict[str, int] = getattr(tokenizer, "get_vocab", dict)()
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    for mark in _WORD_MARKS:
        marked = [token for token in tokens if token.startswith(mark)]
        if len(marked) > len(tokens) / 10:
            return [tokenizer.convert_tokens_to_string([token]).strip() for token in marked]
    return [token for token in tokens if not token.startswith("##")]  # WordPiece marks the others


def _own_tokens(
    tokenizer: Any, texts: Sequence[Text], longest: int | None, *, apart: bool
) -> tuple[Any, list[Index]]:
    """Tokenize the texts; say which tokens are each word's, with `apart` of no other word too."""
    encoded = tokenizer([text.filled for text in texts], return_offsets_mapping=True)
    limit = min(tokenizer.model_max_length, longest or tokenizer.model_max_length)
    own, lost, unknown = [], [], []
    for text, ids, offsets in zip(
        texts, encoded["input_ids"], encoded["offset_mapping"], strict=True
    ):
        if len(ids) > limit:
            raise EmbeddingError(
                f"{text.filled[:60]!r} has {len(ids)} tokens where the model takes {limit}; "
                f"shorten the template or the word"
            )
        spans = np.asarray(offsets).reshape(-1, 2)
        places = np.flatnonzero((spans[:, 0] < text.stop) & (spans[:, 1] > text.start))
        for start, stop in spans[places] if apart else ():
            beside = text.filled[start : max(start, text.start)] + text.filled[text.stop : stop]
            if beside.strip():
                raise EmbeddingError(
                    f"in {text.filled!r} the token {text.filled[start:stop]!r} is more than the "
                    f"word {text.word!r}; put spaces around the {{}} of the template"
                )
        if not len(places):
            lost.append(text.word)
        elif any(ids[place] == tokenizer.unk_token_id for place in places):
            unknown.append(text.word)
        own.append(places)
    for words, what in ((lost, "no token"), (unknown, "the unknown token")):
        if words:
            named = ", ".join(repr(word) for word in dict.fromkeys(words))
            raise EmbeddingError(f"{named}: the tokenizer makes {what} of it; leave it out")
    return encoded, own


def _needed(module: str, extra: str) -> Any:
    """Import a module of an extra; say how to install it where it is absent."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ArgumentError(
            f"this needs {module}, which cannot be imported: pip install 'bayesbias[{extra}]'"
        ) from error


def _fetched(load: Callable[[str], Any], name: str | Path) -> Any:
    """Load by name or folder, and say what went wrong in one line."""
    try:
        return load(str(name))
    except (OSError, ValueError) as error:
        raise EmbeddingError(
            f"{name}: cannot be loaded; check the name or path, "
            f"and the network unless it is a folder"
        ) from error


@contextmanager
def _evaluated(model: Any) -> Iterator[None]:
    """Switch dropout off and gradients too; leave the model as it was found."""
    torch = _needed("torch", "transformers")
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        for module, training in modes:
            module.training = training


_SPACY: Final = "spaCy"
SENTENCES: Final = "sentence-transformers"
TRANSFORMERS: Final = "transformers"

_TAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "": ("fallbacks", "limit", "trusted", "encoding", "errors", "strip", "subwords"),
    _SPACY: ("fallbacks", "subwords"),
    SENTENCES: ("templates",),
    TRANSFORMERS: ("templates", "layer", "pooling", "tokenizer"),
}
"""Options that each kind takes besides `words`; what has its vectors already is of no kind."""


def kind_of(source: Any) -> tuple[str, Any]:
    """Return which kind of encoder a source is ("" if it is none), and the model or its name."""
    if isinstance(source, str):
        kind, _, name = source.partition(":")
        return (kind, name) if kind in (SENTENCES, TRANSFORMERS) and name else ("", source)
    if isinstance(source, Path | Mapping | tuple | pd.DataFrame):
        return "", source
    if hasattr(source, "get_input_embeddings"):
        return TRANSFORMERS, source
    if hasattr(source, "encode"):
        return SENTENCES, source
    return (_SPACY if hasattr(getattr(source, "vocab", source), "vectors_length") else ""), source


_ENCODED: Final = 2000
"""Words of which a model encodes the sample: many more would take longer than the list itself."""


def refuse_options(kind: str, options: Mapping[str, Any]) -> None:
    """Refuse options that another kind of source takes; those not given are None."""
    for name, value in options.items():
        if value is not None and name not in _TAKES[kind]:
            takers = [taker or "files" for taker, names in _TAKES.items() if name in names]
            raise ArgumentError(
                f"{name}=: goes with {' and '.join(takers)}, not with {kind or 'this source'}; "
                f"leave it out"
            )


def encoded(
    kind: str,
    model: Any,
    words: Iterable[str] | None,
    options: Mapping[str, Any],
    fallbacks: Sequence[str] | None,
    *,
    subwords: bool = False,
) -> KeyedVectors:
    """Return the vectors of words; `options` of models are those that were given."""
    if words is None:
        raise ArgumentError("words=: tell for which words to make vectors, such as words=wl.words")
    if kind == _SPACY:
        return _from_spacy(model, words, fallbacks, subwords)
    of_encoder = {name: value for name, value in options.items() if name != "templates"}
    if kind == TRANSFORMERS:
        refuse_unusable(options.get("layer", -1), options.get("pooling", "mean"))
    listed = distinct_words(words)
    templates = options.get("templates", [SLOT])
    texts = filled_texts(listed, templates)
    encode: Callable[[Sequence[Text]], NDArray[np.floating]]
    if kind == TRANSFORMERS:
        model, tokenizer = with_tokenizer(model, options.get("tokenizer"))
        encode = transformer_encoder(model, **of_encoder | {"tokenizer": tokenizer})
    else:
        model = sentence_model(model)
        encode, tokenizer = sentence_encoder(model), getattr(model, "tokenizer", None)
    vectors = mean_vectors(listed, encode(texts))

    def sample() -> Sample:
        """Encode the sample, which only distances ask for."""
        sampler = Sampler()
        words = [w for w in words_of_tokenizer(tokenizer) if sampler.wants(w)][:_ENCODED]
        if len(words) < FEWEST:
            return Sample()
        matrix = mean_vectors(words, encode(filled_texts(words, templates))).vectors
        return sample_from(words, lambda place, _: matrix[place])

    remember(vectors, sample=sample)
    return vectors


def _from_spacy(
    nlp: Any, words: Iterable[str], fallbacks: Sequence[str] | None, subwords: bool
) -> KeyedVectors:
    """Take the vectors that a spaCy pipeline or vocabulary has of these words."""
    vocab = getattr(nlp, "vocab", nlp)
    if not vocab.vectors_length:
        raise EmbeddingError(
            "this spaCy vocabulary has no vectors; use a pipeline with vectors, such as those "
            "called md or lg"
        )
    words = distinct_words(words)
    asked = wanted(words, fallbacks)
    listed = [*spellings(words, fallbacks or ()), *asked.lower]
    known = _spacy_words(vocab)
    # A pipeline that makes vectors of parts of words has one of every string.
    is_floret = bool(known) and getattr(vocab.vectors, "mode", "") == "floret"
    strings = known if is_floret and not subwords else None
    found = [
        word for word in listed if (strings is None or word in strings) and vocab.has_vector(word)
    ]
    if not found:
        raise EmbeddingError("none of the words has a vector in this spaCy vocabulary")
    matrix = np.array([vocab.get_vector(word) for word in found])
    capitals = partial(capital_counts, known)
    vectors = finite_vectors(*asked.settled(found, matrix, capitals))
    sample = sample_from(known, lambda _, word: vocab.get_vector(word))
    remember(vectors, capitals=capitals, sample=sample)
    return vectors


def _spacy_words(vocab: Any) -> dict[str, None]:
    """Return the words of a spaCy vocabulary, in the order of its vectors if they have one."""
    table = getattr(vocab, "vectors", None)
    if table is None:
        return {}
    if getattr(table, "mode", "") == "floret":  # without keys: vectors are of parts of words
        return dict.fromkeys(vocab.strings)
    return dict.fromkeys(vocab.strings[key] for key in table.keys() if key in vocab.strings)  # noqa: SIM118
