"""Words are looked up in vectors: as they are, then in other spellings."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from types import MappingProxyType
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, EmbeddingError, short, suggest
from bayesbias.support.arrays import Array
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.sources import Capitals, capitals_of

MEAN: Final = "mean"
"""The fallback that takes a phrase's joined forms, and else the mean of its words (`phrases`)."""

_JOINTS: Final = ("_", "-", "")

FALLBACKS: Final[Mapping[str, Callable[[str], str]]] = MappingProxyType(
    {
        "lower": str.lower,
        "title": str.title,
        "upper": str.upper,
        "underscore": lambda word: word.replace(" ", "_"),
        MEAN: lambda word: word,
        "none": lambda word: word,
    }
)
"""Other spellings that a lookup may try when the exact word is absent; ``none`` is no other."""


class WordVectors:
    """Words and vectors (n_words, dim), with what look-ups ask of gensim's KeyedVectors."""

    def __init__(self, words: list[str], vectors: NDArray[np.floating]) -> None:
        self.index_to_key, self.vectors = words, vectors
        self.key_to_index = {word: index for index, word in enumerate(words)}

    def __getitem__(self, key: str) -> NDArray[np.floating]:
        row: NDArray[np.floating] = self.vectors[self.key_to_index[key]]
        return row


def keyed_vectors(words: Sequence[str], vectors: NDArray[np.floating]) -> KeyedVectors:
    """Make KeyedVectors around distinct words and their matrix, without a copy."""
    from gensim.models import KeyedVectors

    kv = KeyedVectors(vectors.shape[1])
    # What add_vectors does, without its second copy of the matrix.
    kv.index_to_key, kv.vectors, kv.next_index = words, vectors, len(words)
    kv.key_to_index = {word: i for i, word in enumerate(words)}
    return kv


def spellings(words: Iterable[str], fallbacks: Sequence[str] = ()) -> list[str]:
    """Return the words and the other spellings that the fallbacks would try.

    Each fallback alone, in order, then two of them one after the other, and so on: "New York"
    with underscore and lower is also tried as "new_york". Every spelling is tried as it is, then
    composed (Unicode's NFC), then decomposed (NFD).
    """
    if not isinstance(fallbacks, list | tuple):
        raise ArgumentError(f"fallbacks={fallbacks!r}: give a list, such as ['lower']")
    for name in fallbacks:
        if name not in tuple(FALLBACKS):
            raise ArgumentError(f"unknown fallback {name!r}{suggest(name, FALLBACKS)}")
    if len(set(fallbacks)) < len(fallbacks):  # every repetition would double the work
        raise ArgumentError(f"fallbacks={list(fallbacks)}: name each once")
    found = []
    for word in words:
        found.append(word)
        if MEAN in fallbacks:
            found += [word.replace(" ", joint) for joint in _JOINTS]
        for size in range(1, len(fallbacks) + 1):
            for chosen in combinations(fallbacks, size):
                found.append(reduce(lambda text, name: FALLBACKS[name](text), chosen, word))
    return list(dict.fromkeys(form for text in found for form in _canonical_forms(text)))


_TURKISH: Final = str.maketrans("I\u0130", "\u0131i")


def lowered(word: str) -> tuple[str, ...]:
    """Return the lower-case forms of a word that has capitals; of another nothing.

    The last are those of Turkish, where I is the capital of an i without a dot, and İ of i.
    """
    lower = word.lower()
    if lower == word:
        return ()
    forms = (lower, word.translate(_TURKISH).lower())
    return tuple(dict.fromkeys(form for text in forms for form in _canonical_forms(text)))


_OF_CAPITALS: Final = ("lower", "title", "upper")


def lowered_by_default(word: str, fallbacks: Sequence[str] | None) -> list[str]:
    """Return the lower-case forms to try, with fallbacks too, where the vectors lack capitals.

    None with the fallback ``none``, with an empty list, and of a word without capitals.
    """
    if (fallbacks is not None and not fallbacks) or "none" in (fallbacks or ()):
        return []
    others = [name for name in fallbacks or () if name not in _OF_CAPITALS]
    texts = spellings([word], others) if lowered(word) else []
    return list(dict.fromkeys(form for text in texts for form in lowered(text)))


def _canonical_forms(text: str) -> tuple[str, ...]:
    """Return the ways to write a text that Unicode calls canonically equivalent."""
    if text.isascii():
        return (text,)
    return text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)


def find_words(
    vectors: KeyedVectors, words: Iterable[str], *, fallbacks: Sequence[str] | None = None
) -> dict[str, str | None]:
    """Return the first of its `spellings` in which each word is in the vectors, or None.

    At last, a word with capitals is looked up in lower case if the vocabulary that the vectors come
    from has next to no capitals, unless a fallback is ``none`` or they are an empty list.
    """
    index: Mapping[str, Any] = vectors.key_to_index
    found = {
        word: next((s for s in spellings([word], fallbacks or ()) if s in index), None)
        for word in words
    }
    in_lower = {
        word: next((s for s in lowered_by_default(word, fallbacks) if s in index), None)
        for word, key in found.items()
        if key is None
    }
    if any(in_lower.values()):  # the vocabulary is gone through only where it matters
        capitals = capitals_of(vectors)
        found |= {word: key for word, key in in_lower.items() if key and capitals.lack(word)}
    return found


def spelt_as_in(vectors: KeyedVectors, words: Iterable[str]) -> tuple[str, ...]:
    """Return the words in the spelling that `find_words` finds; absent ones as they are."""
    words = tuple(words)
    found = find_words(vectors, words)
    return tuple(found[word] or word for word in words)


ZERO_VECTOR: Final = "its vector is zero, as those of absent words are in some files"


def without_direction(vectors: KeyedVectors, keys: Sequence[str]) -> set[str]:
    """Return the keys whose vector is zero."""
    rows = (np.asarray(vectors.vectors[vectors.key_to_index[key]]) for key in keys)
    return {key for key, row in zip(keys, rows, strict=True) if not row.any()}


def vectors_of(vectors: KeyedVectors, keys: Sequence[str]) -> Array:
    """Return the vectors of keys (n_keys, dim) in float64; refuse those that have no cosine."""
    index = [vectors.key_to_index[key] for key in keys]
    matrix = np.asarray(vectors.vectors[index], dtype=np.float64).reshape(len(index), -1)
    for bad, what in (
        (~np.isfinite(matrix).all(axis=1), "has NaN or infinite components"),
        (~matrix.any(axis=1), "is the zero vector, which has no direction"),
    ):
        if bad.any():
            word = keys[int(np.flatnonzero(bad)[0])]
            raise EmbeddingError(
                f"the vector of {short(word)} {what}; leave the word out of the list or repair the "
                f"embedding"
            )
    return matrix


Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class Wanted:
    """Spellings to look for in a source."""

    named: frozenset[str]
    lower: Mapping[str, str]
    """From other spellings, in lower case, to the capitalised word that may be found so."""

    @property
    def all(self) -> frozenset[str]:
        """Every spelling that a reader should keep, for the time being."""
        return self.named | self.lower.keys()

    def settled(
        self, words: Sequence[str], vectors: NDArray[Scalar], capitals: Callable[[], Capitals]
    ) -> tuple[list[str], NDArray[Scalar]]:
        """Drop lower-case spellings (n_words, dim) that were found where there are capitals."""
        if not any(word in self.lower for word in words):
            return list(words), vectors
        of_source = capitals()
        keep = [i for i, w in enumerate(words) if w in self.named or of_source.lack(self.lower[w])]
        return [words[i] for i in keep], vectors[keep]


def wanted(words: Iterable[str], fallbacks: Sequence[str] | None) -> Wanted:
    """Return what is wanted for words; in lower case too where needed, unless "none" is asked."""
    words = list(words)
    named = frozenset(spellings(words, () if fallbacks is None else fallbacks))
    if fallbacks is not None and MEAN in fallbacks:
        parts = [part for word in words if " " in word for part in word.split()]
        named |= frozenset(spellings(parts, fallbacks))
    lower = {
        form: word
        for word in words
        for form in lowered_by_default(word, fallbacks)
        if form not in named
    }
    return Wanted(named, lower)
