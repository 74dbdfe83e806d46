"""A frame of distances as the index arrays that every engine works on."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.constants import CONNECTION, CONNECTIONS, DISTANCE, PROTECTED_WORD


@dataclass(frozen=True)
class Design:
    """Pairs as integers.

    Parameters
    ----------
    protected_words : tuple of str
        In the frame's order.
    connections : tuple of str
        Those present, in the order of `constants.CONNECTIONS`.
    word, connection : ndarray of int, shape (n_pairs,)
        Indices into the two tuples.
    distance : ndarray, shape (n_pairs,)
        Cosine distance, 0 to 2.
    """

    protected_words: tuple[str, ...]
    connections: tuple[str, ...]
    word: NDArray[np.int64]
    connection: NDArray[np.int64]
    distance: NDArray[np.float64]

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> "Design":
        """Index a validated frame of distances."""
        word, words = pd.factorize(frame[PROTECTED_WORD])
        present = set(frame[CONNECTION].unique())
        connections = tuple(c for c in CONNECTIONS if c in present)
        codes = {c: i for i, c in enumerate(connections)}
        return cls(
            protected_words=tuple(str(w) for w in words),
            connections=connections,
            word=np.asarray(word, dtype=np.int64),
            connection=frame[CONNECTION].map(codes).to_numpy(dtype=np.int64),
            distance=frame[DISTANCE].to_numpy(dtype=np.float64),
        )

    @property
    def n_cells(self) -> int:
        """Number of (protected word, connection) cells, empty ones included."""
        return len(self.protected_words) * len(self.connections)

    def cell_counts(self) -> NDArray[np.int64]:
        """Return the number of pairs per cell, shape (n_words, n_connections)."""
        cell = self.word * len(self.connections) + self.connection
        counts = np.bincount(cell, minlength=self.n_cells)
        return counts.reshape(len(self.protected_words), -1)

    def cell_means(self) -> NDArray[np.float64]:
        """Return the mean distance per cell, NaN where a cell is empty; same shape."""
        cell = self.word * len(self.connections) + self.connection
        sums = np.bincount(cell, weights=self.distance, minlength=self.n_cells)
        counts = self.cell_counts()
        means = np.full(counts.shape, np.nan)
        np.divide(sums.reshape(counts.shape), counts, out=means, where=counts > 0)
        return means
