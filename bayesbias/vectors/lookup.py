"""Words are looked up in vectors.

A word is looked up as it is; in lower case if the vocabulary has next to no capitals; then,
likewise, with underscores for its blanks; and in vectors that were loaded with `strip_accents` all
this once more without accents. Unicode's composed and decomposed forms count as one spelling.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import EmbeddingError, short
from bayesbias.support.arguments import Array, KeyedVectors
from bayesbias.vectors.sources import capitals_of, known_of

ACCENTS: Final = "strip_accents"
"""The fact of vectors in which words are also looked up without accents."""


def keyed_vectors(words: Sequence[str], vectors: NDArray[np.floating]) -> KeyedVectors:
    """Make KeyedVectors around distinct words and their matrix, without a copy."""
    from gensim.models import KeyedVectors

    kv = KeyedVectors(vectors.shape[1])
    # What add_vectors does, without its second copy of the matrix.
    kv.index_to_key, kv.vectors, kv.next_index = words, vectors, len(words)
    kv.key_to_index = {word: i for i, word in enumerate(words)}
    return kv


def spellings(words: Iterable[str]) -> list[str]:
    """Return words, and behind each phrase its form with underscores, in Unicode's forms."""
    texts = (text for word in words for text in (word, word.replace(" ", "_")))
    return list(dict.fromkeys(form for text in texts for form in _canonical_forms(text)))


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


def _canonical_forms(text: str) -> tuple[str, ...]:
    """Return the ways to write a text that Unicode calls canonically equivalent."""
    if text.isascii():
        return (text,)
    return text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)


def without_accents(text: str) -> str:
    """Return a text without the marks on its letters."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFD", text)
    bare = "".join(letter for letter in letters if unicodedata.category(letter) != "Mn")
    return unicodedata.normalize("NFC", bare)


def _candidates(word: str, strip: bool) -> Iterator[tuple[str, bool]]:
    """Yield the spellings of a word, best first, and whether each is in lower case."""
    for text in dict.fromkeys((word, without_accents(word)) if strip else (word,)):
        for spaced in dict.fromkeys((text, text.replace(" ", "_"))):
            yield from ((form, False) for form in _canonical_forms(spaced))
            yield from ((form, True) for form in lowered(spaced))


def find_words(vectors: KeyedVectors, words: Iterable[str]) -> dict[str, str | None]:
    """Return the spelling in which each word is in the vectors, or None."""
    index: Mapping[str, Any] = vectors.key_to_index
    strip = bool(known_of(vectors, ACCENTS))
    keys: dict[str, str | None] = {}
    for word in words:
        there = (pair for pair in _candidates(word, strip) if pair[0] in index)
        # The vocabulary is gone through only where its capitals matter.
        keys[word] = next(
            (form for form, is_lower in there if not is_lower or capitals_of(vectors).lack(word)),
            None,
        )
    return keys


def spelt_as_in(vectors: KeyedVectors, words: Iterable[str]) -> tuple[str, ...]:
    """Return the words in the spelling that `find_words` finds; absent ones as they are."""
    words = tuple(words)
    keys = find_words(vectors, words)
    return tuple(keys[word] or word for word in words)


def accents_note(keys: Mapping[str, str]) -> str:
    """Say which words `find_words` found without their accents; "" if none."""
    bare = [
        f"{word} as {key}"
        for word, key in keys.items()
        if key not in wanted([word]).all and key in wanted([word], strip_accents=True).all
    ]
    shown = ", ".join(bare[:5]) + (", …" if len(bare) > 5 else "")
    return f"{len(bare):,} words were found without accents: {shown}" if bare else ""


ZERO_VECTOR: Final = "its vector is zero, as those of absent words are in some files"


def without_direction(vectors: KeyedVectors, keys: Sequence[str]) -> set[str]:
    """Return the keys whose vector is zero."""
    rows = (np.asarray(vectors.vectors[vectors.key_to_index[key]]) for key in keys)
    return {key for key, row in zip(keys, rows, strict=True) if not row.any()}


def same_vectors(vectors: KeyedVectors, keys: Sequence[str]) -> dict[str, str]:
    """Return, of keys that share one vector with an earlier key, which that is.

    So are words that an encoder does not know, and those of a pruned table: several words, but one
    observation. Zero vectors do not count.
    """
    first: dict[bytes, str] = {}
    shared = {}
    for key in dict.fromkeys(keys):
        row = np.asarray(vectors.vectors[vectors.key_to_index[key]])
        if row.any() and (earlier := first.setdefault(row.tobytes(), key)) != key:
            shared[key] = earlier
    return shared


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
            what = f"{what}; leave the word out of the list or repair the embedding"
            raise EmbeddingError(f"the vector of {short(word)} {what}")
    return matrix


class Wanted(NamedTuple):
    """Spellings to look for in a source: of the words themselves, and those in lower case too."""

    named: frozenset[str]
    all: frozenset[str]


def wanted(words: Iterable[str], strip_accents: bool = False) -> Wanted:
    """Return the spellings under which words may be found."""
    forms = {pair for word in words for pair in _candidates(word, strip_accents)}
    named = frozenset(form for form, is_lower in forms if not is_lower)
    return Wanted(named, frozenset(form for form, _ in forms))
