"""The geometry of hard debiasing: lengths, projections and equalised sets, numpy only.

What touches many words goes through them in chunks and works in float64; beside the matrix itself
it needs memory for one chunk.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.support.arguments import Array, Index

CHUNK: Final = 2048  # rows worked on at a time: 5 MB at 300 dimensions
NOTHING_LEFT: Final = 1e-6  # a vector shortened to this share of its length is zero in float32


def copied(matrix: NDArray[Any], *, normalise: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Copy vectors, in float32 at least and at unit length if asked; return the old lengths.

    In the precision of the copy, as gensim's ``unit_normalize_all`` does, for the same bits.
    Lengths are not finite where a component is not, or too large to be squared.
    """
    out = np.empty(matrix.shape, np.promote_types(matrix.dtype, np.float32))
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


def squared_cosines(matrix: NDArray[Any], index: Index, basis: Array) -> float:
    """Return the sum, over rows, of the squared cosine with a subspace; basis (k, dim)."""
    total = 0.0
    for start in range(0, len(index), CHUNK):
        rows = matrix[index[start : start + CHUNK]].astype(np.float64)
        lengths = np.sum(rows**2, axis=1)
        within = np.sum((rows @ basis.T) ** 2, axis=1)
        total += float(np.sum(within[lengths > 0] / lengths[lengths > 0]))
    return total


def project_out(
    matrix: NDArray[Any],
    index: Index,
    basis: Array,
    *,
    along: Array | None = None,
    centre: Array | float = 0.0,
    rescale: bool,
) -> Index:
    """Replace some rows w, in place, by w − Bᵀ A (w − c), with an orthonormal B, (k, dim).

    By default A, `along`, is B. Returns the rows of which nothing would be left, and zero rows:
    both stay as they are. With `rescale` the remainders get unit length.
    """
    along = basis if along is None else along
    inside = []
    for start in range(0, len(index), CHUNK):
        chosen = index[start : start + CHUNK]
        rows = matrix[chosen].astype(np.float64)
        before = _lengths(rows)
        rows -= ((rows - centre) @ along.T) @ basis
        after = _lengths(rows)
        is_inside = (after <= NOTHING_LEFT * before) | (before == 0)
        if rescale:
            rows /= np.where(is_inside, 1.0, after)[:, None]
        inside.append(chosen[is_inside])
        matrix[chosen[~is_inside]] = rows[~is_inside]
    return np.concatenate([np.empty(0, dtype=np.intp), *inside])


def centre_all(matrix: NDArray[Any], centre: Array) -> Index:
    """Subtract a vector from every row but zero rows, in place; return those that changed.

    The centre would move a zero vector, which has no direction, and so no bias.
    """
    index = np.flatnonzero(matrix.any(axis=1))
    for start in range(0, len(index), CHUNK):
        chosen = index[start : start + CHUNK]
        matrix[chosen] = matrix[chosen].astype(np.float64) - centre
    return index


def second_moments(matrix: NDArray[Any]) -> Array:
    """Return the sum of w wᵀ over all rows, in float64, chunk by chunk."""
    dim = matrix.shape[1]
    total = np.zeros((dim, dim))
    for start in range(0, len(matrix), CHUNK):
        rows = matrix[start : start + CHUNK].astype(np.float64)
        total += rows.T @ rows
    return total


def _lengths(rows: Array) -> Array:
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))


def equalised(vectors: Array, basis: Array) -> Array:
    """Return the vectors of a `separable` set that differ in the subspace only, all of one length.

    v = μ_⊥ + sqrt(r² − ‖μ_⊥‖²) (v_B − μ_B)/‖v_B − μ_B‖, with μ the mean of the set, ``_B`` the
    projection on the subspace, ``_⊥`` the rest (Bolukbasi et al. 2016, §5; Manzini et al. 2019,
    §3.2) and r² the members' mean squared length: 1 in the sources, whose vectors have unit length.
    """
    mean = vectors.mean(axis=0)
    perpendicular = mean - (mean @ basis.T) @ basis
    along = (vectors - mean) @ basis.T
    along /= _lengths(along)[:, None]
    # The mean is no longer than the root of the mean squared length, but for rounding.
    squared = float(np.mean(_lengths(vectors) ** 2))
    rest = np.sqrt(max(0.0, squared - float(perpendicular @ perpendicular)))
    return perpendicular + rest * (along @ basis)


def separable(vectors: Array, basis: Array, *, apart: bool = True) -> bool:
    """Return whether equalising leaves a set's members different from each other.

    In the subspace no member may be the mean of the set, and, if `apart`, no two may lie in the
    same direction from it. In one dimension only pairs can.
    """
    along = (vectors - vectors.mean(axis=0)) @ basis.T
    lengths = _lengths(along)
    if (lengths <= NOTHING_LEFT * _lengths(vectors).max()).any():
        return False
    if not apart:
        return True
    along /= lengths[:, None]
    between = np.linalg.norm(along[:, None] - along[None, :], axis=2)
    # 1 on the diagonal: no member is compared with itself.
    return bool((between + np.eye(len(along)) > NOTHING_LEFT).all())
