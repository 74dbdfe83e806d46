"""The effects of a block where every pair has a precision of its own.

With weights that differ from pair to pair no two units are exchangeable. The larger side (mostly
that of the attributes) is eliminated unit by unit as in `elimination`, and the rest is factorised
as a dense matrix. Cost for K kept effects and G eliminated ones: K² (K / 3 + G) multiplications.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from bayesbias.inference.elimination import Structure
from bayesbias.inference.small_matrices import backward, factor, factor_large, forward, solve_large
from bayesbias.support.arrays import Array, Index
from bayesbias.support.types import Generator


class WeightedEffects:
    """Draws effects from their exact normal conditional."""

    def __init__(self, structure: Structure) -> None:
        gone, n = structure.gone, len(structure.noise)
        self._effect, self._width = gone.effect, gone.width
        is_gone = gone.place >= 0
        self._kept = np.flatnonzero(~is_gone)
        number = np.cumsum(~is_gone) - 1
        pairs = [np.flatnonzero(column >= 0) for column in structure.columns]
        columns = [column[at] for column, at in zip(structure.columns, pairs, strict=True)]
        kept = [(c, at) for c, at in zip(columns, pairs, strict=True) if not is_gone[c].any()]
        inside = [(c, at) for c, at in zip(columns, pairs, strict=True) if is_gone[c].all()]
        n_kept, n_units, width = len(self._kept), len(gone.effect), gone.width
        self._of_effect = _sums(kept + inside, structure.n_effects, n)
        self._shapes = (n_kept, n_kept), (width, n_kept, n_units), (width, width, n_units)
        places = (
            [(number[a] * n_kept + number[b], at) for a, b, at in _met(kept, kept)],
            [
                ((gone.place[a] * n_kept + number[b]) * n_units + gone.unit[at], at)
                for a, b, at in _met(inside, kept)
            ],
            [
                ((gone.place[a] * width + gone.place[b]) * n_units + gone.unit[at], at)
                for a, b, at in _met(inside, inside)
            ],
        )
        sizes = (int(np.prod(shape)) for shape in self._shapes)
        self._matrices = [_sums(at, size, n) for at, size in zip(places, sizes, strict=True)]

    def draw(self, precision: Array, weight: Array, response: Array, rng: Generator) -> Array:
        """Draw x ~ N(P⁻¹ Zᵀ W y, P⁻¹), P = diag(precision) + Zᵀ W Z.

        `precision` (n_effects, B): of the effects' priors. `weight` (n_pairs, B): precisions of the
        pairs. `response` (n_pairs, 1): less the prior mean. Returns (n_effects, B).
        """
        size = weight.shape[1]
        system, coupling, inner = (
            np.asarray(sums @ weight).reshape(*shape, size)
            for sums, shape in zip(self._matrices, self._shapes, strict=True)
        )
        places = np.arange(self._width)
        filled = (self._effect >= 0).T[:, :, None]
        inner[places, places] += np.where(filled, precision[self._effect.T], 1.0)
        lower = factor(inner)
        half = forward(lower[:, :, None], coupling)
        half = half.transpose(3, 1, 0, 2).reshape(size, len(self._kept), -1)
        diagonal = np.arange(len(self._kept))
        system[diagonal, diagonal] += precision[self._kept]
        root = factor_large(system.transpose(2, 0, 1) - half @ half.transpose(0, 2, 1))
        right = np.asarray(self._of_effect @ (weight * response))
        gone = forward(lower, np.where(filled, right[self._effect.T], 0.0))
        kept = right[self._kept] - np.einsum("bkg,gb->kb", half, gone.reshape(-1, size))
        kept = solve_large(root, kept)
        kept = solve_large(root, kept + rng.standard_normal(kept.shape), transposed=True)
        gone -= np.einsum("bkg,kb->gb", half, kept).reshape(gone.shape)
        gone = backward(lower, gone + rng.standard_normal(gone.shape))
        found = np.empty_like(right)
        found[self._kept] = kept
        real = self._effect >= 0
        found[self._effect[real]] = gone.transpose(1, 0, 2)[real]
        return found


def _met(
    one: Sequence[tuple[Index, Index]], two: Sequence[tuple[Index, Index]]
) -> list[tuple[Index, Index, Index]]:
    """Return the effects that pairs have in two columns, and these pairs."""
    found = []
    for first, at in one:
        for second, other in two:
            both, i, j = np.intersect1d(at, other, assume_unique=True, return_indices=True)
            found.append((first[i], second[j], both))
    return found


def _sums(entries: Sequence[tuple[Index, Index]], n_rows: int, n_pairs: int) -> csr_array:
    """Return the matrix that sums pairs into rows."""
    none = np.zeros(0, np.int64)
    row = np.concatenate([none, *(entry[0] for entry in entries)])
    pair = np.concatenate([none, *(entry[1] for entry in entries)])
    return csr_array((np.ones(len(row)), (row, pair)), shape=(n_rows, n_pairs))
