"""Two clusters of vectors, as the tests and the methods that look for leftover bias use them."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.support.arrays import Array

_STARTS: Final = 10


def two_clusters(rows: Array, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which rows k-means puts in the second of two clusters, the best of some starts."""
    from scipy.cluster.vq import kmeans, vq

    best, found = np.inf, np.zeros(len(rows), dtype=bool)
    for _ in range(_STARTS):
        start = rows[rng.choice(len(rows), size=2, replace=False)]
        centres, _ = kmeans(rows, start, thresh=0)
        cluster, distance = vq(rows, centres)
        inertia = float((distance**2).sum())
        if inertia < best:
            best, found = inertia, cluster == 1
    return found
