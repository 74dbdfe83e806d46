"""Vectors of words from sentence-transformers."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError
from bayesbias.support.progress import tracked
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.templates import (
    BATCH,
    Text,
    averaged,
    distinct_words,
    evaluated,
    fetched,
    filled_texts,
    needed,
    own_tokens,
)


def vectors_from_sentences(
    model: Any, words: Iterable[str], *, templates: Sequence[str] | None = None
) -> KeyedVectors:
    """Compute vectors of words with a sentence-transformers model, or that of this name or folder.

    If the model has a default prompt, it is put before every text.
    """
    listed = distinct_words(words)
    texts = filled_texts(listed, templates)
    return averaged(listed, sentence_encoder(model)(texts))


def sentence_encoder(model: Any) -> Callable[[Sequence[Text]], NDArray[np.floating]]:
    """Return a function of texts that gives their vectors, shape (n_texts, dim); loads once."""
    if isinstance(model, str | Path):
        library = needed("sentence_transformers", "sentence-transformers")
        model = fetched(library.SentenceTransformer, model)
    if not hasattr(model, "encode"):
        raise ArgumentError(f"model is a {type(model).__name__}, not a SentenceTransformer")

    def encode(texts: Sequence[Text]) -> NDArray[np.floating]:
        if getattr(getattr(model, "tokenizer", None), "is_fast", False):
            longest = getattr(model, "max_seq_length", None)
            own_tokens(model.tokenizer, texts, longest, apart=False)
        rows = []
        with evaluated(model):
            for start in tracked(range(0, len(texts), BATCH), "encoding", None):
                batch = [text.filled for text in texts[start : start + BATCH]]
                rows.append(model.encode(batch, convert_to_numpy=True, show_progress_bar=False))
        return np.concatenate(rows)

    return encode
