"""A frame of distances as the index arrays that every engine works on."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_KINDS,
    CONNECTION,
    CONNECTIONS,
    DISTANCE,
    KIND_OF_CONNECTION,
    PROTECTED_WORD,
)


@dataclass(frozen=True)
class Design:
    """Pairs as integers.

    Parameters
    ----------
    protected_words : tuple of str
        In the frame's order.
    connections : tuple of str
        Those present, in the order of `constants.CONNECTIONS`.
    attributes : tuple of str
        In the frame's order.
    kinds : tuple of str
        Kinds of attribute list present, in the order of `constants.ATTRIBUTE_KINDS`.
    word, connection, attribute : ndarray of int, shape (n_pairs,)
        Indices into the first three tuples.
    kind : ndarray of int, shape (n_attributes,)
        Index into `kinds` of every attribute.
    response : ndarray, shape (n_pairs,)
        What the model explains: a cosine distance, 0 to 2, or a change of one.
    """

    protected_words: tuple[str, ...]
    connections: tuple[str, ...]
    attributes: tuple[str, ...]
    kinds: tuple[str, ...]
    word: NDArray[np.int64]
    connection: NDArray[np.int64]
    attribute: NDArray[np.int64]
    kind: NDArray[np.int64]
    response: NDArray[np.float64]

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, response: str = DISTANCE) -> "Design":
        """Index a validated frame; `response` names the column to explain."""
        word, protected = pd.factorize(frame[PROTECTED_WORD])
        connection, connections = _ordered(frame[CONNECTION], CONNECTIONS)
        kind_of_connection = [KIND_OF_CONNECTION[c] for c in connections]
        kinds = tuple(k for k in ATTRIBUTE_KINDS if k in kind_of_connection)
        # An attribute is a word in lists of one kind.
        text, texts = pd.factorize(frame[ATTRIBUTE])
        kind_of_pair = np.array([kinds.index(k) for k in kind_of_connection])[connection]
        attribute, codes = pd.factorize(text * len(kinds) + kind_of_pair)
        kind = np.asarray(codes % len(kinds), dtype=np.int64)
        words = [str(texts[code]) for code in codes // len(kinds)]
        return cls(
            protected_words=tuple(str(w) for w in protected),
            connections=connections,
            attributes=_names(words, [kinds[k] for k in kind]),
            kinds=kinds,
            word=np.asarray(word, dtype=np.int64),
            connection=connection,
            attribute=np.asarray(attribute, dtype=np.int64),
            kind=kind,
            response=frame[response].to_numpy(dtype=np.float64),
        )

    @cached_property
    def cell(self) -> NDArray[np.int64]:
        """Index of every pair's (protected word, connection) cell, row by row."""
        return self.word * len(self.connections) + self.connection

    @property
    def cell_shape(self) -> tuple[int, int]:
        """Number of protected words and of connections."""
        return len(self.protected_words), len(self.connections)

    @cached_property
    def cell_counts(self) -> NDArray[np.int64]:
        """Return the number of pairs per cell, shape (n_words, n_connections)."""
        return np.bincount(self.cell, minlength=np.prod(self.cell_shape)).reshape(self.cell_shape)

    @cached_property
    def cell_means(self) -> NDArray[np.float64]:
        """Return the mean response per cell, NaN where a cell is empty; same shape."""
        counts = self.cell_counts
        sums = np.bincount(self.cell, weights=self.response, minlength=counts.size)
        means = np.full(counts.shape, np.nan)
        np.divide(sums.reshape(counts.shape), counts, out=means, where=counts > 0)
        return means

    @cached_property
    def squares_within(self) -> NDArray[np.float64]:
        """Return, per connection, the sum of squares around the cell means."""
        residual = self.response - self.cell_means[self.word, self.connection]
        squares = residual**2
        return np.bincount(self.connection, squares, len(self.connections)).astype(float)


def _ordered(
    column: "pd.Series[str]", order: tuple[str, ...]
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Index a column of names by those present, in the given order."""
    codes, found = pd.factorize(column)
    present = tuple(name for name in order if name in set(found))
    position = np.array([present.index(name) for name in found], dtype=np.int64)
    return position[codes], present


def _names(words: list[str], kinds: list[str]) -> tuple[str, ...]:
    """Name attributes by their word; one that stands in lists of two kinds carries its kind."""
    count = Counter(words)
    return tuple(
        word if count[word] == 1 else f"{word} ({kind})"
        for word, kind in zip(words, kinds, strict=True)
    )
