"""Two classes of word vectors: found by k-means, and told apart by logistic regression."""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbias.errors import ArgumentError
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


_TOLERANCE: Final = 1e-10
_MOST_STEPS: Final = 100


def logistic_regression(x: ArrayLike, positive: ArrayLike, *, strength: float = 1.0) -> Array:
    """Return the weights (dim + 1,), the intercept last, of a regularised logistic regression.

    Minimises ½‖w‖² + C Σ log(1 + exp(−y f(x))) with f(x) = ⟨w, (x, 1)⟩, y = ±1 and C = `strength`,
    by Newton's method; x is (n, dim). The intercept is penalised too, as in LIBLINEAR. The minimum
    is the only one, whatever the start.
    """
    rows = np.asarray(x, dtype=np.float64)
    sign = np.where(np.asarray(positive, dtype=bool), 1.0, -1.0)
    if not strength > 0:
        raise ArgumentError(f"strength={strength}: must be above 0")
    if abs(sign.sum()) == len(sign):
        raise ArgumentError("a classifier needs words of both classes")
    rows = np.column_stack([rows, np.ones(len(rows))])

    def objective(w: Array) -> float:
        return float(w @ w / 2 + strength * np.logaddexp(0, -sign * (rows @ w)).sum())

    weights = np.zeros(rows.shape[1])
    value = objective(weights)
    for _ in range(_MOST_STEPS):
        chance = probabilities(rows, weights)
        gradient = weights + strength * rows.T @ (chance - (sign > 0))
        if np.abs(gradient).max() <= _TOLERANCE * max(1.0, strength * len(rows)):
            break
        # The Hessian, C Xᵀ diag(p (1 − p)) X + I.
        curvature = strength * (rows.T * (chance * (1 - chance))) @ rows
        curvature.flat[:: len(weights) + 1] += 1.0
        step = np.linalg.solve(curvature, gradient)
        # A full Newton step may overshoot far from the minimum: halved until it goes down.
        size = 1.0
        while size > 1e-8 and objective(weights - size * step) > value:
            size /= 2
        weights = weights - size * step
        value = objective(weights)
    return weights


def probabilities(rows: Array, weights: Array) -> Array:
    """Return the probability of the positive class; rows may come with or without the 1."""
    n = rows.shape[1]
    score = rows @ weights[:n] + (weights[n] if len(weights) > n else 0.0)
    return np.asarray(1 / (1 + np.exp(-np.clip(score, -500, 500))))
