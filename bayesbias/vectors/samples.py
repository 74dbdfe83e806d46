"""A sample of a vocabulary's own words, which tells how alike words are.

It is the same however vectors were loaded, so that an answer does not depend on which other words
were asked for. The pool are the first `POOL` words of a source, its most frequent ones if it is
sorted; what has a digit, a mark or a space in it is no word here. Of the pool `SIZE` words are
drawn by their places, so that another spelling of every word changes nothing. Each stands with the
words of the pool that are nearest to it: such are the groups of like words that people list. With
fewer than `FEWEST` words in the pool there is nothing to sample from.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from bayesbias.support.arguments import Array, Index, KeyedVectors, Mask
from bayesbias.vectors.lookup import known_of

FEWEST: Final = 200  # words without which a covariance says little
ROWS: Final = 200_000  # words that are looked at: beyond, those of a sorted file are rare
POOL: Final = 10_000
SIZE: Final = 2000
N_NEAREST: Final = 8
"""Words of a group, the sampled word among them: as many as WEAT's groups mostly have.

With 4, random lists are called biased too often (`benchmarks/random_lists.py --seed 79`):
close words share more details than groups that people list.
"""

_BLOCKS: Final = 8  # of words, for each that is wanted: their nearest ones bound the distance
_CLOSER: Final = 16  # words more than the nearest ones, which are found in double precision
_ORDER: Final = np.random.default_rng(1).permutation(POOL)  # in which places are drawn
_AT_ONCE: Final = 250  # words whose nearest ones are looked for together


class Sample(NamedTuple):
    """Words, vectors (n_words, dim), and groups of like words by rows, first the sampled one."""

    words: tuple[str, ...] = ()
    vectors: NDArray[np.floating] = np.empty((0, 0))
    groups: Index = np.empty((0, N_NEAREST), np.intp)
    is_changed: bool = False  # whether other words may be nearest now


def is_word(text: str) -> bool:
    """Tell whether a text consists of letters, with the accents and vowel signs they may have."""
    return text.isalpha() or (text != "" and all(category(letter)[0] in "LM" for letter in text))


class Sampler:
    """Takes the pool while a source's words pass in their order."""

    def __init__(self) -> None:
        self._n_passed = 0
        self._pool: dict[str, None] = {}
        self.vectors: list[NDArray[np.floating]] = []  # matrices, to which chosen words are added

    @property
    def done(self) -> bool:
        """Whether no word can change the sample any more."""
        return self._n_passed >= ROWS or len(self._pool) == POOL

    def choose(self, words: Sequence[str]) -> list[int]:
        """Pass words; return which of them are new in the pool, whose vectors are to be added."""
        chosen = []
        for k, word in enumerate(words):
            if self.done:
                break
            self._n_passed += 1
            if word not in self._pool and is_word(word):
                self._pool[word] = None
                chosen.append(k)
        return chosen

    def sample(self) -> Sample:
        """Draw words of the pool that have a direction, by their places; find what is near each."""
        words = list(self._pool)
        matrix = np.concatenate(self.vectors) if words else np.empty((0, 0))
        there = np.flatnonzero(_have_direction(matrix))
        if len(there) < FEWEST:
            return Sample()
        row = np.full(POOL, -1)
        row[there] = np.arange(len(there))
        drawn = row[_ORDER]
        drawn = np.sort(drawn[drawn >= 0][:SIZE])
        groups = nearest(unit(np.asarray(matrix[there], dtype=np.float64)), drawn, N_NEAREST)
        chosen = there[np.concatenate([drawn, np.setdiff1d(groups, drawn)])]
        row[chosen] = np.arange(len(chosen))
        return Sample(tuple(words[i] for i in chosen), matrix[chosen], row[there[groups]])


def _have_direction(matrix: NDArray[np.floating]) -> Mask:
    return np.asarray(np.isfinite(matrix).all(axis=1) & matrix.any(axis=1))


def nearest(units: Array, drawn: Index, size: int) -> Index:
    """Return the rows that are nearest to some, themselves first: (n_drawn, size)."""
    single = units.astype(np.float32)  # enough to leave most out, in half the time
    n_closer = min(size + _CLOSER, len(units))
    starts = np.unique(np.linspace(0, len(units), _BLOCKS * n_closer, endpoint=False, dtype=int))
    groups = []
    for start in range(0, len(drawn), _AT_ONCE):
        rows = drawn[start : start + _AT_ONCE]
        rough = -(single[rows] @ single.T)
        # Before all others, whatever rounding makes of its cosine with itself.
        rough[np.arange(len(rows)), rows] = -2.0
        # As many blocks as words are wanted have one within the bound, so that enough words are.
        bound = np.partition(np.minimum.reduceat(rough, starts, axis=1), n_closer - 1)
        row, near = np.nonzero(rough <= bound[:, n_closer - 1, None])
        cosines = np.einsum("nd,nd->n", units[rows[row]], units[near])
        cosines[near == rows[row]] = 2.0
        # Of equal cosines the word that stands first in the pool.
        near = near[np.lexsort((near, -cosines, row))]
        first = np.searchsorted(row, np.arange(len(rows)))
        groups.append(near[first[:, None] + np.arange(min(size, n_closer))])
    return np.concatenate(groups)


def unit(matrix: Array) -> Array:
    """Return rows of length 1; one without direction stays 0."""
    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(length > 0, length, 1.0))


def sample_of(vectors: KeyedVectors) -> Sample:
    """Return the sample of the source that vectors come from, or of their own words.

    Words that are among the vectors have the vector that they have there, which may be changed.
    """
    index = vectors.key_to_index
    source: Sample | None = known_of(vectors, "sample")
    if source is None:
        sampler = Sampler()
        sampler.vectors = [vectors.vectors[sampler.choose(vectors.index_to_key)]]
        return sampler.sample()
    if source.vectors.shape[1] != vectors.vectors.shape[1]:  # a step to fewer dimensions
        return Sample()
    matrix = np.array(source.vectors, dtype=np.float64)
    there = [row for row, word in enumerate(source.words) if word in index]
    matrix[there] = vectors.vectors[[index[source.words[row]] for row in there]]
    groups = source.groups[_have_direction(matrix)[source.groups].all(axis=1)]
    is_changed = not np.array_equal(matrix, source.vectors)
    return Sample(source.words, matrix, groups, is_changed) if len(groups) >= FEWEST else Sample()
