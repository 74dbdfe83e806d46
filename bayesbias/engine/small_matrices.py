"""Factorise and solve many small systems at once: matrices lie along the first two axes.

LAPACK takes a microsecond for a 3 × 3 matrix, most of it for the call; here every elementary step
runs over all matrices together.
"""

from contextlib import suppress
from typing import Final

import numpy as np

from bayesbias.support.arguments import Array

_SMALL: Final = 20
"""Rows of matrices up to which a step for all of them together takes less time than LAPACK."""


def factor(matrices: Array) -> Array:
    """Overwrite symmetric matrices (n, n, ...) by their lower Cholesky factors, and return them.

    What stands above the diagonal is left as it is, and not used. A matrix that is not positive
    definite gives NaN.
    """
    # Right-looking: a column is finished, then its outer product is taken off all to its right.
    for j in range(len(matrices)):
        matrices[j, j] = np.sqrt(matrices[j, j])
        matrices[j + 1 :, j] /= matrices[j, j]
        for i in range(j + 1, len(matrices)):
            matrices[i:, i] -= matrices[i:, j] * matrices[i, j]
    return matrices


def forward(lower: Array, x: Array) -> Array:
    """Overwrite x (n, ...) by L⁻¹ x, and return it; trailing axes broadcast."""
    for i in range(len(lower)):
        for j in range(i):
            x[i] -= lower[i, j] * x[j]
        x[i] /= lower[i, i]
    return x


def backward(lower: Array, x: Array) -> Array:
    """Overwrite x (n, ...) by L⁻ᵀ x, and return it; trailing axes broadcast."""
    n = len(lower)
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] -= lower[j, i] * x[j]
        x[i] /= lower[i, i]
    return x


def solve_many(lower: Array, x: Array) -> Array:
    """Return L⁻¹ x of factors and columns (B, n, n): of small ones all together, step by step."""
    if lower.shape[1] > _SMALL:
        return np.asarray(np.linalg.solve(lower, x), dtype=float)
    solved = forward(np.moveaxis(lower, 0, -1).copy(), np.moveaxis(x, 0, -1).copy())
    return np.ascontiguousarray(np.moveaxis(solved, -1, 0))


def factor_large(matrices: Array) -> Array:
    """Return Cholesky factors of matrices (B, n, n), NaN for one that rounding made indefinite.

    That happens only at standard deviations so extreme that the posterior has no mass there.
    """
    try:
        return np.asarray(np.linalg.cholesky(matrices))
    except np.linalg.LinAlgError:
        factors = np.full_like(matrices, np.nan)
        for i, matrix in enumerate(matrices):
            with suppress(np.linalg.LinAlgError):
                factors[i] = np.linalg.cholesky(matrix)
        return factors


def solve_large(lower: Array, x: Array, *, transposed: bool = False) -> Array:
    """Return L⁻¹ x, or L⁻ᵀ x: factors (B, n, n) and columns x (n, B) or (n, F, B)."""
    from scipy.linalg.lapack import dtrtrs

    if lower.shape[1] == 0:  # LAPACK prints a line for each: a notebook can hang on them
        return x
    # LAPACK reads the rows of L as columns: Lᵀ, an upper triangle.
    solved = [
        dtrtrs(triangle.T, columns, lower=0, trans=int(not transposed))[0]
        for triangle, columns in zip(lower, np.moveaxis(x, -1, 0), strict=True)
    ]
    return np.stack(solved, axis=-1)
