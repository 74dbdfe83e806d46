"""Pairs of any kind, such as words that do not meet all attributes: Henderson's equations.

With effects x (connection means, the effects of all terms and slopes), y = μ + Z x + e and

    x ~ N(0, diag(1 / prior precision)),   e_i ~ N(0, s_k²), k the noise level of pair i,
    P = diag(prior precision) + Σ_k w_k Z_kᵀ Z_k,   r = Σ_k w_k Z_kᵀ (y_k − μ),   w_k = 1 / s_k²

everything follows from the mixed model equations P x̂ = r (Henderson 1975). Most effects lie within
the levels of one term, mostly that of the attributes: a unit holds an attribute's effect and its
effects on single groups. Units have no pairs in common, so that their part of P is block-diagonal,
with a small matrix E for each. They are eliminated, which leaves the Schur complement of the
coupling Y to all other effects:

    S = P_kept − Y E⁻¹ Yᵀ
    log|P|  = log|S| + Σ log|E|
    rᵀP⁻¹r = |L_S⁻¹ (r_kept − Y E⁻¹ r_eliminated)|² + Σ r_eliminatedᵀ E⁻¹ r_eliminated

Effects that sum to 0 are mixtures of independent ones, which stand in x in their place. Those of
units stand first, by their place in the unit and the unit, (width, n_units); where a unit has fewer
than others, an effect that no pair has fills its place, of precision 1, so that its pivot is 1 too.
The cost grows with the third power of the effects that are kept; `rotation` does the same for
complete tables, whose cost does not grow with words.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.linalg.lapack import dtrtrs
from scipy.sparse import coo_array, csr_array, eye_array

from bayesbias.models.design import Effects
from bayesbias.support.arguments import Array, Index

_CHUNK: Final = 1 << 19  # numbers in the largest array of a step: what stays in the cache
_SMALL: Final = 20  # rows of matrices up to which a step for all of them is faster than LAPACK
_LARGEST_UNIT: Final = 16  # a unit is factorised by loops over its effects
_DENSE: Final = 1 << 18  # numbers; larger tables of counts are mostly 0, and stay sparse


# A function of standard deviations of effects (n_sds, B) and of noise (n_noise, B).
Given = Callable[[Array, Array], tuple[Array, Array, Array, Array]]


@dataclass(frozen=True)
class System:
    """The equations at B values of the standard deviations."""

    precision: Array  # of the priors, (n, B)
    weight: Array  # (n_noise, B)
    units: Array  # L of every unit's E, (width, width, n_units, B)
    coupling: Array  # Y L⁻ᵀ, (B, n_kept, n_eliminated)
    lower: Array  # L of S, (B, n_kept, n_kept)


class MixedModelEquations:
    """The density of responses, and the effects, of pairs of any kind.

    `noise` (n_pairs,): the level of every pair's noise. `step`: how many values of the standard
    deviations are treated at a time; `n_kept`: rows of the largest system that is factorised.
    """

    other_effects: Final = np.zeros(0, np.int64)

    def __init__(self, effects: Effects, noise: Index) -> None:
        units, n_effects = units_of(effects), len(effects.variance)
        order = np.concatenate([units.ravel(), np.setdiff1d(np.arange(n_effects), units)])
        # The last column has nothing: that is −1.
        self.ordered = eye_array(n_effects, n_effects + 1, format="csc")[:, order]
        self.incidence = csr_array(effects.incidence @ self.ordered)
        self.variance = np.append(effects.variance, -1)[order]
        self.noise, self.pairs = noise, np.bincount(noise).astype(float)
        self._incidence = [self.incidence[noise == k] for k in range(len(self.pairs))]
        self.shape, self.n_eliminated = units.shape, units.size
        self.n_kept = len(order) - units.size
        self._crossproducts = self._counted()
        size = 2 * self.n_kept**2 + (2 * self.n_kept + 3 * len(units)) * self.n_eliminated
        self.step = max(1, _CHUNK // (size + 1))

    def _counted(self) -> list[tuple[tuple[int, ...], Array | csr_array]]:
        """Count the pairs that effects have in common, by noise level: ZᵀZ in three parts."""
        met = [(z.T @ z).tocoo() for z in self._incidence]
        level = np.repeat(np.arange(len(met)), [product.nnz for product in met])
        a, b = np.concatenate([product.coords for product in met], axis=1)
        value = np.concatenate([product.data for product in met])
        (width, n_units), n_kept = self.shape, self.n_kept
        (place, unit), other = np.divmod(a, max(n_units, 1)), b // max(n_units, 1)
        a, b = a - self.n_eliminated, b - self.n_eliminated
        crossproducts: list[tuple[tuple[int, ...], Array | csr_array]] = []
        for which, shape, entry in (
            ((a >= 0) & (b >= 0), (n_kept, n_kept), a * n_kept + b),
            ((a < 0) & (b >= 0), (width, n_kept, n_units), (place * n_kept + b) * n_units + unit),
            ((a < 0) & (b < 0), (width, width, n_units), (place * width + other) * n_units + unit),
        ):
            entries = value[which], (entry[which], level[which])
            counts = csr_array(coo_array(entries, shape=(int(np.prod(shape)), len(met))))
            is_small = np.prod(counts.shape) <= _DENSE
            crossproducts.append((shape, counts.toarray() if is_small else counts))
        return crossproducts

    def at(self, effects: Array, noise: Array) -> System:
        """Return the factorised equations."""
        weight, size = noise**-2.0, noise.shape[1]
        precision = np.vstack([effects**-2.0, np.ones(size)])[self.variance]
        of_kept, coupling, units = (
            np.asarray(counts @ weight).reshape(*shape, size)
            for shape, counts in self._crossproducts
        )
        at = np.arange(len(units))
        units[at, at] += precision[: self.n_eliminated].reshape(*self.shape, size)
        # E is block-diagonal, so that Y E⁻¹ Yᵀ of the Schur complement is a product of Y L_E⁻ᵀ.
        lower = factor(units)
        half = forward(lower[:, :, None], coupling)
        half = half.transpose(3, 1, 0, 2).reshape(size, self.n_kept, self.n_eliminated)
        at = np.arange(self.n_kept)
        of_kept[at, at] += precision[self.n_eliminated :]
        schur = of_kept.transpose(2, 0, 1) - half @ half.transpose(0, 2, 1)
        return System(precision, weight, lower, half, factor_large(schur))

    def half(self, system: System, right: Array) -> Array:
        """Return L⁻¹ r of right-hand sides (n, m, B)."""
        eliminated, rest = np.split(right, [self.n_eliminated])
        # Forward substitution by blocks: L = [[L_E, 0], [Y L_E⁻ᵀ, L_S]].
        of_places = eliminated.reshape(*self.shape, *right.shape[1:])
        eliminated = forward(system.units[:, :, :, None], of_places).reshape(eliminated.shape)
        rest = rest - np.einsum("bkg,gmb->kmb", system.coupling, eliminated, optimize=True)
        return np.concatenate([eliminated, solve_large(system.lower, rest)])

    def back(self, system: System, half: Array) -> Array:
        """Return L⁻ᵀ of columns as `half` returns them, by back substitution."""
        eliminated, rest = np.split(half, [self.n_eliminated])
        rest = solve_large(system.lower, rest, transposed=True)
        eliminated = eliminated - np.einsum("bkg,kmb->gmb", system.coupling, rest)
        of_places = eliminated.reshape(*self.shape, *half.shape[1:])
        eliminated = backward(system.units[:, :, :, None], of_places).reshape(eliminated.shape)
        return np.concatenate([eliminated, rest])

    def functions(self, weights: Array, responses: Array) -> Given:
        """Return what linear functions w (F, n_effects) and responses Y (p, n_pairs) share.

        That is the log density of responses of 0, (B,), YᵀV⁻¹Y (B, p, p), what effects given Y make
        of the functions, wᵀP⁻¹ZᵀWY (B, F, p), and wᵀP⁻¹w (F, B).
        """
        of_level = [responses[:, self.noise == k] for k in range(len(self.pairs))]
        met = [z.T @ y.T for z, y in zip(self._incidence, of_level, strict=True)]
        sums = np.stack(met, axis=-1)  # (n, p, n_noise)
        products = np.stack([y @ y.T for y in of_level], axis=-1)
        rows = (weights @ self.ordered).T[:, :, None]

        def common(effects: Array, noise: Array) -> tuple[Array, Array, Array, Array]:
            system = self.at(effects, noise)
            own = np.broadcast_to(rows, (*rows.shape[:2], noise.shape[1]))
            right = np.concatenate([own, sums @ system.weight], axis=1)
            half = self.half(system, right).transpose(2, 1, 0)
            half, seen = np.split(half, [len(weights)], axis=1)
            gram = (products @ system.weight).transpose(2, 0, 1) - seen @ seen.swapaxes(1, 2)
            # log|P| = log|E| + log|S|, the determinant of a matrix in blocks.
            log_det = np.log(np.einsum("iiub->iub", system.units)).sum(axis=(0, 1))
            log_det = log_det + np.log(np.einsum("bii->bi", system.lower)).sum(axis=1)
            value = np.log(system.precision).sum(axis=0) - 2.0 * log_det
            value += self.pairs @ np.log(system.weight) - self.pairs.sum() * np.log(2 * np.pi)
            return 0.5 * value, gram, half @ seen.swapaxes(1, 2), (half**2).sum(axis=2).T

        return common

    def solve(self, system: System, responses: Array) -> Array:
        """Return Σ⁻¹ = W − W Z P⁻¹ Zᵀ W times responses (B or 1, p, n_pairs), by Woodbury."""
        weight = system.weight[self.noise].T
        weighted = weight[:, None] * responses
        size, n, n_pairs = weighted.shape
        right = self.incidence.T @ weighted.reshape(-1, n_pairs).T
        right = right.reshape(-1, size, n).swapaxes(1, 2)
        blups = self.back(system, self.half(system, right)).reshape(-1, n * size)
        explained = self.incidence @ blups
        return np.asarray(weighted - weight[:, None] * explained.reshape(-1, n, size).T)

    def diagonal(self, system: System) -> Array:
        """Return the diagonal of the same, (B, n_pairs).

        Of a row z of Z, with the effects g of a unit and k that are kept,
        zᵀP⁻¹z = |L_E⁻¹ z_g|² + |L_S⁻¹ (z_k − Y E⁻¹ z_g)|².
        """
        weight, (width, n_units), n_kept = system.weight[self.noise].T, self.shape, self.n_kept
        (pair, effect), value = self.incidence.tocoo().coords, self.incidence.tocoo().data
        is_gone = effect < self.n_eliminated
        (place, unit), pair = np.divmod(effect[is_gone], max(n_units, 1)), pair[is_gone]
        own, of_pair = np.zeros((width, *weight.T.shape)), np.zeros(len(weight.T), np.int64)
        own[place, pair], of_pair[pair] = value[is_gone, None], unit
        if n_units:
            own = forward(system.units[:, :, of_pair], own)
        leverage = (own**2).sum(axis=0).T
        coupling = system.coupling.reshape(len(weight), n_kept, width, n_units).transpose(
            2, 3, 1, 0
        )
        coupled = backward(system.units[:, :, :, None], coupling.copy())
        for b, lower in enumerate(system.lower):
            of_eliminated = coupled[..., b].reshape(self.n_eliminated, n_kept).T
            on_kept = np.hstack([-of_eliminated, np.eye(n_kept)])
            leverage[b] += ((self.incidence @ np.linalg.solve(lower, on_kept).T) ** 2).sum(axis=1)
        return np.asarray(weight - weight**2 * leverage)


def units_of(effects: Effects) -> Index:
    """Return the effects of every unit, (width, n_units), −1 where it has fewer.

    Units are the levels of the term within whose levels most effects lie. Of another term all
    effects lie there, or all are kept: as many terms as make no large units.
    """
    meets = (effects.incidence != 0).astype(float)
    best = np.full(len(effects.variance), -1)
    for number in np.unique(effects.family[~effects.is_slope & ~effects.is_mixed]):
        met = (meets[:, effects.family == number].T @ meets).tocsc()  # (n_levels, n_effects)
        is_inside = (np.diff(met.indptr) == 1) & (met.sum(axis=0) == meets.sum(axis=0))
        unit = np.full(len(best), -1)
        unit[is_inside] = met.indices[met.indptr[:-1][is_inside]]
        counts = np.zeros((effects.family.max() + 1, met.shape[0]))
        np.add.at(counts, (effects.family, unit), np.where(is_inside, 1.0, np.inf))
        width = counts.max(axis=1)
        width[number] = 0.0  # it comes first, and has one effect in every unit
        terms = np.argsort(width, kind="stable")
        terms = terms[1.0 + np.cumsum(width[terms]) <= _LARGEST_UNIT]
        unit[~np.isin(effects.family, terms)] = -1
        n_inside, n_before = np.count_nonzero(unit >= 0), np.count_nonzero(best >= 0)
        if (n_inside, -unit.max()) > (n_before, -best.max()):
            best = unit
    members = [np.flatnonzero(best == number) for number in range(best.max(initial=-1) + 1)]
    units = np.full((max(map(len, members), default=0), len(members)), -1)
    for number, at in enumerate(members):
        units[: len(at), number] = at
    return units


def factor(matrices: Array) -> Array:
    """Overwrite symmetric matrices (n, n, ...) by their lower Cholesky factors; NaN without one."""
    # Right-looking: a column is finished, then its outer product is taken off all to its right.
    # What stands above the diagonal is left as it is, and not used.
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
    for i in reversed(range(len(lower))):
        for j in range(i + 1, len(lower)):
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
    if lower.shape[1] == 0:  # LAPACK prints a line for each: a notebook can hang on them
        return x
    # LAPACK reads the rows of L as columns: Lᵀ, an upper triangle.
    solved = [
        dtrtrs(triangle.T, columns, lower=0, trans=int(not transposed))[0]
        for triangle, columns in zip(lower, np.moveaxis(x, -1, 0), strict=True)
    ]
    return np.stack(solved, axis=-1)
