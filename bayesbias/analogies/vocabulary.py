"""The words that may answer an analogy, and the words of the query.

Candidates are the first words of the vectors, in their order, which is that of frequency for most
files. A word whose vector is zero or not finite has no cosines and is no candidate.
"""

import difflib
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError
from bayesbias.support.arrays import Array, Index, Mask
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import find_words, spellings, vectors_of

ROWS: Final = 8192  # vectors worked on at a time: 20 MB in float64 at 300 dimensions
SAME_DIRECTION: Final = 1e-6  # unit vectors nearer to each other than this differ by rounding only
_LOOKED_AT: Final = 50_000
_NAMED: Final = 5


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Vectors of which the first `size` words are candidates."""

    vectors: KeyedVectors
    size: int
    lengths: Array  # of the candidates' vectors; 0 where one cannot be used
    family: Index  # words with the same number count as one input

    @property
    def words(self) -> list[str]:
        """All words of the vectors; candidates are the first `size`."""
        return self.vectors.index_to_key

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return int(self.vectors.vectors.shape[1])

    @cached_property
    def usable(self) -> Mask:
        """Which candidates have a direction."""
        return self.lengths > 0

    def chunks(self, rows: int = ROWS) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """Yield the candidates' vectors in float32; `scales` makes cosines of products.

        Vectors so long or so short that a product might leave float32 come with unit length.
        """
        matrix = self.vectors.vectors
        for start in range(0, self.size, rows):
            part = slice(start, min(start + rows, self.size))
            chunk = matrix[part]
            extreme = ~_is_moderate(self.lengths[part])
            if extreme.any():
                usable = self.usable[part]
                chunk = chunk.astype(np.float64)
                chunk[~usable] = 0
                chunk[extreme] /= np.where(usable, self.lengths[part], 1.0)[extreme, None]
            yield part, chunk.astype(np.float32, copy=False)

    @cached_property
    def scales(self) -> NDArray[np.float32]:
        """What products with `chunks` must be multiplied by to be cosines; 0 if unusable."""
        moderate = _is_moderate(self.lengths)
        scales = np.where(moderate, 1.0 / np.where(moderate, self.lengths, 1.0), self.usable)
        return scales.astype(np.float32)

    def cosines(self, index: Index) -> Array:
        """Return cosines of words with all candidates, shape (n_index, size); NaN if unusable."""
        unit = self.units(index)
        found = np.full((len(index), self.size), np.nan)
        for start in range(0, self.size, ROWS):
            part = slice(start, min(start + ROWS, self.size))
            rows = np.flatnonzero(self.usable[part]) + start
            found[:, rows] = unit @ self.units(rows).T
        return found

    def units(self, index: Index) -> Array:
        """Return unit vectors of words, in float64; the shape of `index` comes first."""
        matrix = self.vectors.vectors[index].astype(np.float64)
        matrix /= np.sqrt(np.einsum("...d,...d->...", matrix, matrix))[..., None]
        return matrix


def _is_moderate(lengths: Array) -> Mask:
    return (lengths > 1e-15) & (lengths < 1e15)


def vocabulary(
    vectors: KeyedVectors, *, restrict_vocab: int | None = None, ignore_case: bool = False
) -> Vocabulary:
    """Prepare vectors for analogies, in one pass over the candidates."""
    if not hasattr(vectors, "key_to_index"):
        raise ArgumentError(
            f"analogies need gensim KeyedVectors, not {type(vectors).__name__}; make them with "
            f"load_embedding(...)"
        )
    n_words = len(vectors.index_to_key)
    if n_words == 0:
        raise ArgumentError("analogies need vectors, and there are none")
    size = n_words
    if restrict_vocab is not None:
        if restrict_vocab < 1:
            raise ArgumentError(f"restrict_vocab={restrict_vocab}: must be at least 1")
        if restrict_vocab > n_words:
            warnings.warn(
                f"restrict_vocab={restrict_vocab:,}, but the vectors have only {n_words:,} words; "
                f"all are candidates",
                DataWarning,
                stacklevel=3,
            )
        size = min(restrict_vocab, n_words)
    lengths = _lengths(vectors.vectors[:size])
    bad = np.flatnonzero(lengths == 0)
    if len(bad):
        named = ", ".join(repr(vectors.index_to_key[i]) for i in bad[:_NAMED])
        more = f" and {len(bad) - _NAMED:,} more" if len(bad) > _NAMED else ""
        warnings.warn(
            f"the vectors of {named}{more} are zero or not finite; these words cannot be answers",
            DataWarning,
            stacklevel=3,
        )
    family = np.arange(n_words)
    if ignore_case:
        family = pd.factorize(np.array([word.lower() for word in vectors.index_to_key], object))[0]
    return Vocabulary(vectors, size, lengths, family)


def _lengths(matrix: NDArray[Any]) -> Array:
    """Return the length of every row, 0 where a component is not finite."""
    lengths = np.empty(len(matrix))
    for start in range(0, len(matrix), ROWS):
        rows = matrix[start : start + ROWS].astype(np.float64)
        lengths[start : start + ROWS] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.where(np.isfinite(lengths), lengths, 0.0)


def input_index(
    vocabulary: Vocabulary, words: Sequence[str], fallbacks: Sequence[str] = ()
) -> Index:
    """Return where the words of a query stand, every one usable."""
    vectors = vocabulary.vectors
    for word in words:
        if not isinstance(word, str):
            raise ArgumentError(f"{word!r} is not a word; give texts")
    found = find_words(vectors, words, fallbacks=fallbacks)
    for word, key in found.items():
        if key is None:
            raise ArgumentError(f"{word!r} is not in the vectors{_similar(vocabulary, word)}")
    keys = [str(found[word]) for word in words]
    if keys:
        vectors_of(vectors, keys)  # refuses zero vectors
    return np.array([vectors.key_to_index[key] for key in keys], dtype=np.intp)


def _similar(vocabulary: Vocabulary, word: str) -> str:
    """Name a spelling that the vectors have: in case and underscores first, then a close one."""
    for spelling in spellings([word], ["underscore", "lower", "title", "upper"])[1:]:
        if spelling in vocabulary.vectors.key_to_index:
            return f"; did you mean {spelling!r}? (or give fallbacks)"
    close = difflib.get_close_matches(word, vocabulary.words[:_LOOKED_AT], n=1)
    return f"; did you mean {close[0]!r}?" if close else "; choose another word"


def refuse_same(vocabulary: Vocabulary, a: int, c: int, *, directions: bool = True) -> None:
    """Refuse an analogy from a word to itself or, if `directions` matter, to one with its own."""
    words = vocabulary.words
    if a == c:
        raise ArgumentError(
            f"a and c are both {words[a]!r}: nothing changes from a to c; give two words"
        )
    if directions:
        x, y = vocabulary.units(np.array([a, c]))
        if np.linalg.norm(x - y) < SAME_DIRECTION:
            raise EmbeddingError(
                f"the vectors of {words[a]!r} and {words[c]!r} have the same direction, so that "
                f"a − c is zero; choose other words, or a method other than bolukbasi"
            )
