"""Vectors that are in memory already: in a pandas frame or a spaCy vocabulary."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayesbias.errors import ArgumentError, EmbeddingError
from bayesbias.support.arguments import refuse_no_frame
from bayesbias.vectors.loading import load_embedding
from bayesbias.vectors.lookup import spellings
from bayesbias.vectors.templates import distinct_words, finite_vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def vectors_from_frame(frame: pd.DataFrame) -> "KeyedVectors":
    """Take vectors from a frame: words in the index or the first column, numbers in the others.

    `load_embedding` takes a frame as well, with a choice of words.

    Raises
    ------
    EmbeddingError
        If the words are in neither place or in both, repeat, or are not texts; if a column does
        not hold numbers, or a number is NaN or infinite. The message names word and column.

    Examples
    --------
    >>> frame = pd.DataFrame({"word": ["he", "she"], "x": [1.0, 0.0], "y": [0.0, 1.0]})
    >>> vectors_from_frame(frame)["she"].tolist()
    [0.0, 1.0]
    """
    refuse_no_frame(frame)
    return load_embedding(frame)


def vectors_from_spacy(nlp: Any, words: Iterable[str]) -> "KeyedVectors":
    """Take the vectors of words from a spaCy vocabulary.

    Parameters
    ----------
    nlp : spacy.language.Language or spacy.vocab.Vocab
        Loaded, such as ``spacy.load("en_core_web_md")``; pipelines called ``sm`` have no vectors.
    words : iterable of str
        Composed and decomposed forms of each are tried. Words without a vector are left out, and
        `distances` reports them as missing.

    Raises
    ------
    ArgumentError
        If `nlp` is not a vocabulary, or `words` not a list of words.
    EmbeddingError
        If the vocabulary has no vectors, or none for any of the words.

    Examples
    --------
    >>> vectors_from_spacy(spacy.load("de_core_news_md"), ["Frau", "Mann"])  # doctest: +SKIP
    """
    vocab = getattr(nlp, "vocab", nlp)
    if not hasattr(vocab, "get_vector"):
        raise ArgumentError(f"nlp is a {type(nlp).__name__}, not a spaCy pipeline or vocabulary")
    if not vocab.vectors_length:
        raise EmbeddingError(
            "this spaCy vocabulary has no vectors; use a pipeline with vectors, such as those "
            "called md or lg"
        )
    found = [word for word in spellings(distinct_words(words)) if vocab.has_vector(word)]
    if not found:
        raise EmbeddingError("none of the words has a vector in this spaCy vocabulary")
    return finite_vectors(found, np.array([vocab.get_vector(word) for word in found]))
