"""Models of sentences make vectors of words: of the word alone, or averaged over templates.

A model is a SentenceTransformer or its name, or any function from a list of texts to an array with
a row for each. To what it does not know it often gives zeros, or NaN: such words are missing.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError
from bayesbias.support.arguments import KeyedVectors
from bayesbias.support.machine import tracked
from bayesbias.vectors.lookup import keyed_vectors
from bayesbias.vectors.samples import FEWEST, POOL, Sample, is_word, sample_of
from bayesbias.vectors.sources import remember
from bayesbias.vectors.static_models import whole_words

_SLOT: Final = "{}"  # where the word goes in a template
_BATCH: Final = 64  # how many texts go through a model together
_ENCODED: Final = 2000
"""Words of which a model encodes the sample: many more would take longer than the list itself."""

SEAT_TEMPLATES: Final = (
    *("This is {}.", "That is {}.", "There is {}.", "Here is {}."),
    *("{} is here.", "{} is there."),
)
"""Sentences that say next to nothing of the word ("semantically bleached"), of the kind that SEAT
puts words in: May, Wang, Bordia, Bowman and Rudinger (2019), On Measuring Social Biases in Sentence
Encoders. Their files write them out word by word, with articles where nouns need one."""


def encode(
    words: Iterable[str], model: Any, *, templates: Sequence[str] = (_SLOT,)
) -> KeyedVectors:
    """Have a model of sentences make the vectors of words.

    Parameters
    ----------
    words : iterable of str
        Words and phrases; repeats count once.
    model : str, Path, SentenceTransformer or callable
        A model of sentence-transformers, its name or folder (needs the extra of that name; what is
        not in the cache is fetched over the network), or a function from a list of texts to an
        array with a row for each.
    templates : sequence of str
        Such as ``["This is {}."]``, each with exactly one ``{}``: a word's vector is the mean over
        them. By default the word alone.

    Returns
    -------
    gensim.models.KeyedVectors
        A vector in float32 for each word; zero where the model made zeros or, with a warning, NaN,
        so that `distances` counts the word as missing.

    Raises
    ------
    ArgumentError
        If a template has no ``{}``, the model is none, or its library is not installed.
    EmbeddingError
        If the model does not make a row for each text.

    Examples
    --------
    >>> def letters(texts):  # stands for a model: the numbers of a few letters
    ...     return [[text.count(letter) for letter in "aehnost"] for text in texts]
    >>> encode(["he", "she"], letters)["she"].tolist()
    [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    """
    listed = list(dict.fromkeys(words))
    refuse_unusable_templates(templates)
    make = _encoder(model)

    def vectors_of(some: Sequence[str]) -> NDArray[np.float32]:
        texts = [template.replace(_SLOT, word) for word in some for template in templates]
        rows = make(texts).astype(np.float64).reshape(len(some), len(templates), -1)
        return np.asarray(rows.mean(axis=1), dtype=np.float32)

    def sample() -> Sample:  # which only distances ask for: the words among a model's tokens
        tokenizer = getattr(model, "tokenizer", None)
        tokens: dict[str, int] = getattr(tokenizer, "get_vocab", dict)()
        # A table of tokens is read as fast as its file is, and has to have the same sample.
        most = POOL if hasattr(model, "embedding") else _ENCODED
        common = [word for word in whole_words(tokens) if is_word(word)][:most]
        if len(common) < FEWEST:
            return Sample()
        return sample_of(keyed_vectors(common, vectors_of(common)))

    matrix = vectors_of(listed)
    bad = np.flatnonzero(~np.isfinite(matrix).all(axis=1))
    if bad.size:
        named = ", ".join(repr(listed[k]) for k in bad[:5])
        what = f"NaN or infinite components of {bad.size:,} words ({named}), which count as missing"
        warnings.warn(f"the model made {what}", DataWarning, stacklevel=2)
        matrix[bad] = 0.0
    vectors = keyed_vectors(listed, matrix)
    remember(vectors, sample=sample)
    return vectors


def refuse_unusable_templates(templates: Sequence[str]) -> None:
    """Refuse what is no list of texts with one place for the word."""
    if isinstance(templates, str) or not len(templates):
        raise ArgumentError(f'templates={templates!r}: give a list, such as ["This is a {{}}."]')
    for template in templates:
        if not isinstance(template, str) or template.count(_SLOT) != 1:
            raise ArgumentError(f"templates: {template!r} must have exactly one {{}}, for the word")


def _encoder(model: Any) -> Callable[[Sequence[str]], NDArray[np.float32]]:
    """Return what makes an array (n_texts, dim) of texts, in batches."""
    if isinstance(model, str | Path):
        name = str(model)
        try:
            model = import_module("sentence_transformers").SentenceTransformer(name)
        except ImportError as error:
            what = "sentence_transformers: pip install 'bayesbias[sentence-transformers]'"
            raise ArgumentError(f"{name}: this needs {what}") from error
        except (OSError, ValueError) as error:
            what = f"{name}: cannot be loaded; check the name or folder, and the network"
            raise EmbeddingError(what) from error
    function = getattr(model, "encode", model)
    if not callable(function):
        raise ArgumentError(
            f"model is a {type(model).__name__}; give a SentenceTransformer, its name or folder, "
            f"or a function of texts"
        )

    def make(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = []
        for start in tracked(range(0, len(texts), _BATCH), "encoding", None):
            batch = list(texts[start : start + _BATCH])
            array = np.asarray(function(batch), dtype=np.float32)
            if array.ndim != 2 or len(array) != len(batch):
                what = f"an array of shape {array.shape} of {len(batch)} texts"
                raise EmbeddingError(f"the model made {what}; it must make one row for each")
            rows.append(array)
        return np.concatenate(rows)

    return make
