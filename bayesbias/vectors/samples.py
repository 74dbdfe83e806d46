"""A sample of a vocabulary's own words, from which it is told how alike words are.

The same words are sampled however vectors were loaded, so that an answer does not depend on which
other words were asked for. They go with the vectors, beside them. Of the first `ROWS` words of a
source the sample is

- a thousand common English words, if `FEWEST` of them are there;
- else, in any other language, a thousand of its first ten thousand words, drawn with a fixed seed.
  What has a digit, a mark or a space in it is no word here.

Where neither has `FEWEST` words there is nothing to sample from.
"""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import BayesBiasError
from bayesbias.support.arrays import Mask
from bayesbias.support.bounded_files import read_text
from bayesbias.support.types import KeyedVectors

FEWEST: Final = 200
"""Words without which a covariance says little."""

ROWS: Final = 200_000
"""Words of a source that are looked at: beyond, those of a file sorted by frequency are rare."""

SIZE: Final = 1000
_CANDIDATES: Final = 10_000
_SEED: Final = 1


@dataclass(frozen=True)
class Sample:
    """Words and their vectors, (n_words, dim); `english` where they are the common ones."""

    words: tuple[str, ...] = ()
    vectors: NDArray[np.floating] | None = None
    english: bool = False


@cache
def common_words() -> tuple[str, ...]:
    """Return a thousand common English words."""
    place = files("bayesbias.vectors") / "common_words.txt"
    return tuple(read_text(str(place), BayesBiasError).split())


@cache
def _common() -> frozenset[str]:
    return frozenset(common_words())


@cache
def _slots() -> tuple[int, ...]:
    """Return the place of the sample that each word takes, or one beyond it (reservoir sampling).

    The first `SIZE` words take a place each, and word k then any of k, of which so many are in the
    sample: so every word has the same chance, and the words need not be counted before.
    """
    drawn = np.random.default_rng(_SEED).integers(0, np.arange(1, _CANDIDATES + 1))
    return (*range(SIZE), *drawn[SIZE:].tolist())


def is_word(text: str) -> bool:
    """Tell whether a text consists of letters, with the accents and vowel signs they may have."""
    return text.isalpha() or all(unicodedata.category(character)[0] in "LM" for character in text)


class Sampler:
    """Takes the sample while a source's words pass in their order."""

    def __init__(self) -> None:
        self._passed = self._candidates = 0
        self._slot = SIZE
        self._seen: set[str] = set()
        self._english: dict[str, NDArray[np.floating]] = {}
        self._own: dict[int, tuple[int, str, NDArray[np.floating]]] = {}

    @property
    def done(self) -> bool:
        """Whether no word can change the sample any more."""
        return self._passed >= ROWS or len(self._english) == len(common_words())

    def wants(self, word: str) -> bool:
        """Pass a word; tell whether its vector is to be added."""
        self._slot = SIZE
        if self._passed >= ROWS:
            return False
        self._passed += 1
        if self._is_candidate(word):
            self._seen.add(word)
            self._slot = _slots()[self._candidates]
            self._candidates += 1
        return self._slot < SIZE or (word in _common() and word not in self._english)

    def _is_candidate(self, word: str) -> bool:
        if self._candidates == _CANDIDATES or len(self._english) >= FEWEST:
            return False
        return bool(word) and is_word(word) and word not in self._seen

    def add(self, word: str, vector: NDArray[np.floating]) -> None:
        """Add the vector of the word that was passed last; one without direction is left out."""
        if not (np.isfinite(vector).all() and vector.any()):
            return
        if word in _common() and word not in self._english:
            self._english[word] = np.array(vector)
        if self._slot < SIZE:
            self._own[self._slot] = (self._candidates, word, np.array(vector))

    @property
    def sample(self) -> Sample:
        """What was sampled, in an order that does not depend on how the source was read."""
        if len(self._english) >= FEWEST:
            words = [word for word in common_words() if word in self._english]
            return Sample(tuple(words), np.array([self._english[w] for w in words]), english=True)
        if len(self._own) < FEWEST:
            return Sample()
        _, words, vectors = zip(*sorted(self._own.values(), key=lambda one: one[0]), strict=True)
        return Sample(words, np.array(vectors))


def sample_from(
    words: Iterable[str], vector_of: Callable[[int, str], NDArray[np.floating]]
) -> Sample:
    """Return the sample of words that stand in an order; `vector_of` takes place and word."""
    sampler = Sampler()
    for place, word in enumerate(words):
        if sampler.done:
            break
        if sampler.wants(word):
            sampler.add(word, vector_of(place, word))
    return sampler.sample


_SAMPLES: Final["WeakKeyDictionary[KeyedVectors, Callable[[], Sample] | Sample]"] = (
    WeakKeyDictionary()
)
"""What was sampled of the source that vectors of some words were taken from."""


def remember_sample(vectors: KeyedVectors, sample: Callable[[], Sample] | Sample) -> None:
    """Note the sample of the source that vectors come from, or how to take it."""
    _SAMPLES[vectors] = sample


def same_sample(vectors: KeyedVectors, *, as_of: KeyedVectors) -> None:
    """Note that changed vectors come from the source of the unchanged ones."""
    if (sample := _SAMPLES.get(as_of)) is not None:
        _SAMPLES[vectors] = sample


def sample_of(vectors: KeyedVectors) -> Sample:
    """Return the sample of the source that vectors come from, or of their own words.

    Words that are among the vectors have the vector that they have there, which may be changed.
    """
    index = vectors.key_to_index
    found = _SAMPLES.get(vectors)
    if found is None:
        return _of_itself(vectors)
    if not isinstance(found, Sample):
        found = _SAMPLES[vectors] = found()
    if found.vectors is None:
        return found
    there = [word in index for word in found.words]
    if found.vectors.shape[1] != vectors.vectors.shape[1]:  # a step to fewer dimensions
        return Sample()
    matrix = np.array(found.vectors, dtype=np.float64)
    at = [index[word] for word in found.words if word in index]
    matrix[there] = np.asarray(vectors.vectors[at]).reshape(len(at), found.vectors.shape[1])
    sound = _have_direction(matrix)
    words = tuple(word for word, keep in zip(found.words, sound, strict=True) if keep)
    return Sample(words, matrix[sound], found.english) if len(words) >= FEWEST else Sample()


def _have_direction(matrix: NDArray[np.floating]) -> Mask:
    return np.asarray(np.isfinite(matrix).all(axis=1) & matrix.any(axis=1))


def _of_itself(vectors: KeyedVectors) -> Sample:
    index = vectors.key_to_index
    # Most vectors are English, and need not be gone through.
    at = {word: index[word] for word in common_words() if word in index and index[word] < ROWS}
    matrix = np.asarray(vectors.vectors[list(at.values())], dtype=np.float64)
    matrix = matrix.reshape(len(at), vectors.vectors.shape[1])
    sound = _have_direction(matrix)
    if sound.sum() >= FEWEST:
        words = tuple(word for word, keep in zip(at, sound, strict=True) if keep)
        return Sample(words, matrix[sound], english=True)
    words_in_order: Sequence[str] = vectors.index_to_key
    return sample_from(
        islice(words_in_order, ROWS), lambda place, word: np.asarray(vectors.vectors[place])
    )
