"""Directions in which sets of words differ: the bias direction and the bias subspace."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from bayesbias.errors import ArgumentError
from bayesbias.support.arrays import Array

RANK_TOLERANCE: Final = float(np.finfo(np.float32).eps)
"""Singular values below this share of the largest are rounding of float32 vectors."""


@dataclass(frozen=True, eq=False)
class Subspace:
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
    rows = np.concatenate([one - one.mean(axis=0) for one in arrays])
    return Subspace(basis, np.sum((rows @ basis.T) ** 2, axis=0) / np.sum(rows**2))


def _refuse(arrays: list[Array], k: int | None, centre: bool) -> None:
    if not arrays:
        raise ArgumentError("sets: a bias direction needs at least one defining set")
    if k is not None and k < 1:
        raise ArgumentError(f"k={k}: must be at least 1")
    dim = arrays[0].shape[-1] if arrays[0].ndim == 2 else None
    for number, rows in enumerate(arrays, start=1):
        least = 2 if centre else 1
        if rows.ndim != 2 or rows.shape[1] != dim or len(rows) < least:
            raise ArgumentError(
                f"sets: set {number} has the shape {rows.shape}; needed is "
                f"(at least {least} words, {dim or 'dimension'})"
            )
        if not np.isfinite(rows).all():
            raise ArgumentError(f"sets: set {number} holds NaN or infinite components")
    if not any(np.ptp(rows, axis=0).any() if centre else rows.any() for rows in arrays):
        raise ArgumentError("sets: the words of each set have the same vector: no direction")
