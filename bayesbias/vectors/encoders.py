"""Sources that make vectors of asked words: spaCy, transformers and sentence-transformers."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.errors import ArgumentError, EmbeddingError
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.capitals import Capitals, counted, remember_capitals
from bayesbias.vectors.lookup import spellings
from bayesbias.vectors.templates import (
    SLOT,
    averaged,
    distinct_words,
    filled_texts,
    finite_vectors,
)
from bayesbias.vectors.transformers import refuse_unusable, sentence_encoder, transformer_encoder
from bayesbias.vectors.wanted import wanted

_SPACY: Final = "spaCy"
SENTENCES: Final = "sentence-transformers"
TRANSFORMERS: Final = "transformers"

_TAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "": ("fallbacks", "limit", "trusted"),
    _SPACY: ("fallbacks",),
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
) -> KeyedVectors:
    """Return the vectors of words; `options` of models are those that were given."""
    if words is None:
        raise ArgumentError("words=: tell for which words to make vectors, such as words=wl.words")
    if kind == _SPACY:
        return _from_spacy(model, words, fallbacks)
    of_encoder = {name: value for name, value in options.items() if name != "templates"}
    if kind == TRANSFORMERS:
        refuse_unusable(options.get("layer", -1), options.get("pooling", "mean"))
    listed = distinct_words(words)
    texts = filled_texts(listed, options.get("templates", [SLOT]))
    make = transformer_encoder if kind == TRANSFORMERS else sentence_encoder
    return averaged(listed, make(model, **of_encoder)(texts))


def _from_spacy(nlp: Any, words: Iterable[str], fallbacks: Sequence[str] | None) -> KeyedVectors:
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
    found = [word for word in listed if vocab.has_vector(word)]
    if not found:
        raise EmbeddingError("none of the words has a vector in this spaCy vocabulary")

    def count() -> Capitals:
        table = getattr(vocab, "vectors", None)  # without keys where parts of words make vectors
        keys = [] if table is None else table.keys()
        return counted(vocab.strings[key] for key in keys if key in vocab.strings)

    matrix = np.array([vocab.get_vector(word) for word in found])
    vectors = finite_vectors(*asked.settled(found, matrix, count))
    remember_capitals(vectors, count)
    return vectors
