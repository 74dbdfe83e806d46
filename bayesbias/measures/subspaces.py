"""Directions in which sets of words differ, and what divides two classes of them.

The bias direction and subspace are singular vectors; classes are told apart by logistic regression.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bayesbias.errors import ArgumentError
from bayesbias.support.arguments import Array

RANK_TOLERANCE: Final = float(np.finfo(np.float32).eps)
"""Singular values below this share of the largest are rounding of float32 vectors."""


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
    if k is not None and k < 1:
        raise ArgumentError(f"k={k}: must be at least 1")
    if not any(np.ptp(rows, axis=0).any() if centre else rows.any() for rows in arrays):
        raise ArgumentError("sets: the words of each set have the same vector: no direction")
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


def logistic_regression(x: ArrayLike, positive: ArrayLike, *, strength: float = 1.0) -> Array:
    """Return the weights (dim + 1,), the intercept last, of a regularised logistic regression.

    Minimises ½‖w‖² + C Σ log(1 + exp(−y f(x))) with f(x) = ⟨w, (x, 1)⟩, y = ±1 and C = `strength`,
    by Newton's method; x is (n, dim). The intercept is penalised too, as in LIBLINEAR. The minimum
    is the only one, whatever the start.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    rows = np.asarray(x, dtype=np.float64)
    rows = np.column_stack([rows, np.ones(len(rows))])
    sign = np.where(np.asarray(positive, dtype=bool), 1.0, -1.0)
    if not strength > 0:
        raise ArgumentError(f"strength={strength}: must be above 0")
    if abs(sign.sum()) == len(sign):
        raise ArgumentError("a classifier needs words of both classes")

    def objective(w: Array) -> tuple[float, Array]:
        margin = sign * (rows @ w)
        value = w @ w / 2 + strength * np.logaddexp(0, -margin).sum()
        return float(value), w - strength * rows.T @ (sign * expit(-margin))

    def curvature(w: Array, along: Array) -> Array:
        chance = expit(rows @ w)
        return along + strength * rows.T @ (chance * (1 - chance) * (rows @ along))

    start = np.zeros(rows.shape[1])
    how = {"method": "Newton-CG", "jac": True, "hessp": curvature, "options": {"xtol": 1e-12}}
    return np.asarray(minimize(objective, start, **how).x)
