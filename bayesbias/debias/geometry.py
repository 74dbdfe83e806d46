"""The geometry of hard debiasing: lengths, projections and equalised sets, numpy only.

What touches many words goes through them in chunks and works in float64; beside the matrix itself
it needs memory for one chunk.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.debias.room import room_for
from bayesbias.errors import ArgumentError

CHUNK: Final = 2048
"""Rows worked on at a time: 5 MB at 300 dimensions."""

NOTHING_LEFT: Final = 1e-6
"""A vector shortened to this share of its length is zero but for rounding of float32."""


def copied(
    matrix: NDArray[Any], *, normalise: bool, memory_mb: float = math.inf
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Copy vectors, in float32 at least, and scale them to unit length if asked.

    Lengths are computed in the precision of the copy, as gensim's ``unit_normalize_all`` does, so
    that both give the same bits. Zero vectors stay zero. Cost: one pass.

    Parameters
    ----------
    matrix : ndarray, shape (n, dim)
    normalise : bool
    memory_mb : float
        As in `room_for`.

    Returns
    -------
    copy : ndarray, shape (n, dim)
    lengths : ndarray, shape (n,)
        Before scaling; not finite where a component is not, or too large to be squared.

    Examples
    --------
    >>> unit, lengths = copied(np.array([[3.0, 4.0], [0.0, 0.0]]), normalise=True)
    >>> unit.tolist(), lengths.tolist()
    ([[0.6, 0.8], [0.0, 0.0]], [5.0, 0.0])
    """
    out = room_for(matrix.shape, np.promote_types(matrix.dtype, np.float32), memory_mb)
    lengths = np.empty(len(out), dtype=out.dtype)
    for start in range(0, len(out), CHUNK):
        rows = out[start : start + CHUNK]
        rows[:] = matrix[start : start + CHUNK]
        with np.errstate(over="ignore", invalid="ignore"):
            length = np.linalg.norm(rows, axis=1)
        lengths[start : start + CHUNK] = length
        if normalise and np.isfinite(length).all():
            length[length == 0] = 1
            rows /= length[:, None]
    return out, lengths


def project_out(
    matrix: NDArray[Any], index: NDArray[np.intp], basis: NDArray[np.float64], *, rescale: bool
) -> NDArray[np.intp]:
    """Subtract from some rows, in place, their projection on a subspace.

    Rows that lie in the subspace are left as they are, since nothing would be left of them. Cost:
    4·k·dim operations a row.

    Parameters
    ----------
    matrix : ndarray, shape (n, dim)
        Changed in place.
    index : ndarray of int
        The rows to treat.
    basis : ndarray, shape (k, dim)
        Orthonormal.
    rescale : bool
        Scale the remainder to unit length.

    Returns
    -------
    ndarray of int
        The rows of `index` that were left as they are.

    Examples
    --------
    >>> rows = np.array([[0.6, 0.8], [1.0, 0.0]])
    >>> project_out(rows, np.array([0, 1]), np.array([[1.0, 0.0]]), rescale=False).tolist()
    [1]
    >>> rows.tolist()
    [[0.0, 0.8], [1.0, 0.0]]
    """
    left_alone = []
    for start in range(0, len(index), CHUNK):
        chosen = index[start : start + CHUNK]
        rows = matrix[chosen].astype(np.float64)
        before = _lengths(rows)
        rows -= (rows @ basis.T) @ basis
        after = _lengths(rows)
        gone = after <= NOTHING_LEFT * before
        if rescale:
            rows /= np.where(gone, 1.0, after)[:, None]
        if gone.any():
            left_alone.append(chosen[gone])
            chosen, rows = chosen[~gone], rows[~gone]
        matrix[chosen] = rows
    return np.concatenate(left_alone) if left_alone else np.empty(0, dtype=np.intp)


def _lengths(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))


def equalised(
    vectors: NDArray[np.float64], basis: NDArray[np.float64], *, apart: bool = True
) -> NDArray[np.float64]:
    """Return the vectors of a set that differ in the subspace only, all of one length.

    v = μ_⊥ + sqrt(r² − ‖μ_⊥‖²) (v_B − μ_B)/‖v_B − μ_B‖, with μ the mean of the set, ``_B`` the
    projection on the subspace and ``_⊥`` the rest (Bolukbasi et al. 2016, §5; Manzini et al.
    2019, §3.2). Every word at right angles to the subspace is then equally near to all of them.
    r² is the members' mean squared length: 1 in the sources, whose vectors have unit length.

    Parameters
    ----------
    vectors : ndarray, shape (n_members, dim)
    basis : ndarray, shape (k, dim)
        Orthonormal.
    apart : bool
        Refuse members that would become one vector.

    Returns
    -------
    ndarray, shape (n_members, dim)

    Raises
    ------
    ArgumentError
        If the set is not `separable`.

    Examples
    --------
    >>> pair = np.array([[0.6, 0.0, 0.8], [0.0, 0.6, 0.8]])
    >>> equalised(pair, np.array([[1.0, 0.0, 0.0]])).round(3).tolist()
    [[0.52, 0.3, 0.8], [-0.52, 0.3, 0.8]]
    """
    if not separable(vectors, basis, apart=apart):
        raise ArgumentError("members lie on their mean, or on the same side of it")
    mean = vectors.mean(axis=0)
    perpendicular = mean - (mean @ basis.T) @ basis
    along = (vectors - mean) @ basis.T
    along /= _lengths(along)[:, None]
    # The mean is no longer than the root of the mean squared length, but for rounding.
    squared = float(np.mean(_lengths(vectors) ** 2))
    rest = np.sqrt(max(0.0, squared - float(perpendicular @ perpendicular)))
    return perpendicular + rest * (along @ basis)


def separable(
    vectors: NDArray[np.float64], basis: NDArray[np.float64], *, apart: bool = True
) -> bool:
    """Return whether equalising leaves a set's members different from each other.

    Within the subspace every member must differ from the mean of the set, and no two may lie in
    the same direction from it, unless `apart` is False. In one dimension only pairs can.
    """
    along = (vectors - vectors.mean(axis=0)) @ basis.T
    lengths = _lengths(along)
    if (lengths <= NOTHING_LEFT * _lengths(vectors).max()).any():
        return False
    if not apart:
        return True
    along /= lengths[:, None]
    between = np.linalg.norm(along[:, None] - along[None, :], axis=2)
    return bool((between + np.eye(len(along)) > NOTHING_LEFT).all())
