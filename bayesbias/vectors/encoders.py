"""Sources that make vectors of asked words: spaCy, transformers and sentence-transformers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, EmbeddingError
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import spellings, wanted
from bayesbias.vectors.samples import FEWEST, Sample, Sampler, sample_from
from bayesbias.vectors.sources import capital_counts, remember
from bayesbias.vectors.templates import (
    SLOT,
    Text,
    distinct_words,
    filled_texts,
    finite_vectors,
    mean_vectors,
)
from bayesbias.vectors.transformers import (
    refuse_unusable,
    sentence_encoder,
    sentence_model,
    transformer_encoder,
    with_tokenizer,
    words_of_tokenizer,
)

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
