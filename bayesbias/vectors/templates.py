"""Words in templates: the texts, and one vector per word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, EmbeddingError
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import keyed_vectors

BATCH: Final = 64
"""How many texts go through a model together."""

SLOT: Final = "{}"
"""Where the word goes in a template."""


@dataclass(frozen=True)
class Text:
    """A word in a template, from character `start` to before `stop`."""

    word: str
    filled: str
    start: int

    @property
    def stop(self) -> int:
        """Where the word has ended."""
        return self.start + len(self.word)


def distinct_words(words: Iterable[str]) -> list[str]:
    """Return words without repeats; refuse what is not a list of words."""
    if isinstance(words, str):
        raise ArgumentError(f"words={words!r}: give a list of words, such as [{words!r}]")
    listed = list(dict.fromkeys(words))
    for word in listed:
        if not isinstance(word, str) or not word.strip():
            raise ArgumentError(f"words: {word!r} must be a text that is not empty")
    if not listed:
        raise ArgumentError("words: is empty; give at least one")
    return listed


def filled_texts(words: Sequence[str], templates: Sequence[str]) -> list[Text]:
    """Return every word in every template, word by word."""
    refuse_unusable_templates(templates)
    return [
        Text(word, template.replace(SLOT, word), template.index(SLOT))
        for word in words
        for template in templates
    ]


def refuse_unusable_templates(templates: Sequence[str]) -> None:
    """Refuse what is no list of texts with one place for the word."""
    if isinstance(templates, str) or not len(templates):
        raise ArgumentError(f'templates={templates!r}: give a list, such as ["This is a {{}}."]')
    for template in templates:
        if not isinstance(template, str) or template.count(SLOT) != 1:
            raise ArgumentError(
                f"templates: {template!r} must have exactly one {{}}, where the word goes"
            )


def mean_vectors(words: list[str], rows: NDArray[np.floating]) -> KeyedVectors:
    """Return the mean of each word's rows, one per template."""
    if len(rows) % len(words):
        raise EmbeddingError(f"the model made {len(rows)} vectors for {len(words)} words")
    by_word = rows.astype(np.float64).reshape(len(words), -1, rows.shape[-1])
    return finite_vectors(words, by_word.mean(axis=1))


def finite_vectors(words: list[str], matrix: NDArray[np.floating]) -> KeyedVectors:
    """Return KeyedVectors; refuse NaN and infinite components."""
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
        single = matrix.astype(np.float32)
    bad = ~np.isfinite(single).all(axis=1)
    if bad.any():
        word = words[int(np.flatnonzero(bad)[0])]
        raise EmbeddingError(f"the vector of {word!r} has NaN or infinite components")
    return keyed_vectors(words, single)
