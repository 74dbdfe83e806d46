"""Directions in which sets of words differ, and what divides two classes of them.

The bias direction and subspace are singular vectors; classes are found by k-means, and told apart
by logistic regression.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbias.errors import ArgumentError
from bayesbias.support.arguments import Array

RANK_TOLERANCE: Final = float(np.finfo(np.float32).eps)
"""Singular values below this share of the largest are rounding of float32 vectors."""

_STARTS: Final = 10
_TOLERANCE: Final = 1e-10
_MOST_STEPS: Final = 100


class Subspace(NamedTuple):
    """An oriented orthonormal basis, (k, dim), the row that explains most first."""

    basis: Array
    explained_variance: Array
    """The share of the sum of squares along every component, from `bias_subspace` of those beyond
    the k-th too."""


def bias_subspace(sets: Sequence[ArrayLike], k: int | None, *, centre: bool = True) -> Subspace:
    """Return the k directions in which the words of each set differ most; None for all.

    Sets, (m_i, dim) each, have a row per word, in a fixed order. With `centre` every set's own mean
    is subtracted (Bolukbasi et al. 2016, eq. 3; Manzini et al. 2019, section 3); without, the rows
    count as they are: give differences. Each direction points, on the whole, from the rest of the
    sets to their first rows (uncentred: along the sum of the rows); where that does not decide, its
    component of largest size is positive.
    """
    arrays = [np.asarray(rows, dtype=np.float64) for rows in sets]
    _refuse(arrays, k, centre)
    if centre:
        arrays = [rows - rows.mean(axis=0) for rows in arrays]
    rows = np.concatenate(arrays)
    _, size, right = np.linalg.svd(rows, full_matrices=False)
    rank = int((size > RANK_TOLERANCE * size[0]).sum())
    k = rank if k is None else k
    if k > rank:
        raise ArgumentError(
            f"k={k}: the {len(arrays)} sets differ in {rank} dimensions only; choose k from 1 "
            f"to {rank} or give more sets"
        )
    basis = right[:k]
    along = basis @ np.sum([r[0] if centre else r.sum(axis=0) for r in arrays], axis=0)
    largest = np.take_along_axis(basis, np.abs(basis).argmax(axis=1)[:, None], axis=1)[:, 0]
    undecided = np.abs(along) <= RANK_TOLERANCE * size[0]
    sign = np.where(np.where(undecided, largest, along) < 0, -1.0, 1.0)
    # Adding 0 turns −0 into 0.
    return Subspace(sign[:, None] * basis + 0.0, size**2 / np.sum(size**2))


def explained_shares(sets: Sequence[ArrayLike], basis: Array) -> Subspace:
    """Return an orthonormal basis, (k, dim), with the centred sets' shares of variance along it."""
    arrays = [np.asarray(rows, dtype=np.float64) for rows in sets]
    rows = np.concatenate([rows - rows.mean(axis=0) for rows in arrays])
    return Subspace(basis, np.sum((rows @ basis.T) ** 2, axis=0) / np.sum(rows**2))


def _refuse(arrays: list[Array], k: int | None, centre: bool) -> None:
    """Refuse sets that have no direction."""
    if not arrays:
        raise ArgumentError("sets: a bias direction needs at least one matched set")
    if k is not None and k < 1:
        raise ArgumentError(f"k={k}: must be at least 1")
    dim, least = arrays[0].shape[1:], 2 if centre else 1
    for number, rows in enumerate(arrays, start=1):
        if rows.ndim != 2 or rows.shape[1:] != dim or len(rows) < least:
            what = f"at least {least} words in as many dimensions as the first set"
            raise ArgumentError(f"sets: set {number} has the shape {rows.shape}; needed are {what}")
        if not np.isfinite(rows).all():
            raise ArgumentError(f"sets: set {number} holds NaN or infinite components")
    if not any(np.ptp(rows, axis=0).any() if centre else rows.any() for rows in arrays):
        raise ArgumentError("sets: the words of each set have the same vector: no direction")


def two_clusters(rows: Array, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which rows k-means puts in the second of two clusters, the best of some starts."""
    from scipy.cluster.vq import kmeans, vq

    best, is_second = np.inf, np.zeros(len(rows), dtype=bool)
    for _ in range(_STARTS):
        start = rows[rng.choice(len(rows), size=2, replace=False)]
        cluster, distance = vq(rows, kmeans(rows, start, thresh=0)[0])
        inertia = float((distance**2).sum())
        if inertia < best:
            best, is_second = inertia, cluster == 1
    return is_second


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
