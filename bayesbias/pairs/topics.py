"""Topics of attributes and clusters of protected words: those that common words hold alike.

Two words are alike as their distances to common words correlate, which `profiles` keep. Words of a
topic are those that average linkage joins at a correlation of a half: they share more of what they
have with the vocabulary than they differ in.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.pairs.profiles import profiles_of

Array = NDArray[np.float64]

JOINED: Final = 0.5
"""Mean correlation from which average linkage joins two topics."""


def correlations(frame: pd.DataFrame, words: Sequence[str]) -> Array | None:
    """Return how alike words are, (n, n); None where the frame's record lacks one of them."""
    found = profiles_of(frame)
    if found is None:
        return None
    known, profiles = found
    at = {word: i for i, word in enumerate(known)}
    if not set(words) <= set(at):
        return None
    chosen = profiles[:, [at[word] for word in words]]
    chosen = chosen - chosen.mean(axis=0)
    length = np.linalg.norm(chosen, axis=0)
    unit = chosen / np.where(length > 0, length, 1.0)
    return np.asarray(unit.T @ unit)


def topics(similarity: Array, joined: float = JOINED) -> NDArray[np.int64]:
    """Return the topic of every word, numbered from 0.

    Parameters
    ----------
    similarity : ndarray, shape (n, n)
        From `correlations`.
    joined : float
        Mean correlation from which two topics are one.

    Examples
    --------
    >>> topics(np.array([[1.0, 0.8, 0.1], [0.8, 1.0, 0.2], [0.1, 0.2, 1.0]])).tolist()
    [0, 0, 1]
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(similarity) < 2:
        return np.zeros(len(similarity), np.int64)
    apart = squareform(np.maximum(1.0 - similarity, 0.0), checks=False)
    found = fcluster(linkage(apart, "average"), 1.0 - joined, "distance")
    _, first, topic = np.unique(found, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[topic.ravel()], np.int64)
