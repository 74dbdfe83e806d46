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
    rᵀP⁻¹r = |L_S⁻¹ (r_kept − Y E⁻¹ r_gone)|² + Σ r_goneᵀ E⁻¹ r_gone

Effects that sum to 0 are mixtures of independent ones, which stand in x in their place.
The cost grows with the third power of the effects that are kept; `rotation` does the same for
complete tables, whose cost does not grow with words.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.linalg.lapack import dtrtrs
from scipy.sparse import coo_array, csr_array

from bayesbias.models.design import Effects
from bayesbias.support.arguments import Array, Index

_CHUNK: Final = 1 << 19
"""Numbers in the largest array of a step: a few megabytes, which stay in the cache."""

_SMALL: Final = 20
"""Rows of matrices up to which a step for all of them together takes less time than LAPACK."""

_LARGEST_UNIT: Final = 16  # a unit is factorised by loops over its effects
_DENSE: Final = 1 << 18  # numbers; larger tables of counts are mostly 0, and stay sparse


@dataclass(frozen=True)
class System:
    """The equations at B values of the standard deviations.

    `precision` (n_effects, B): of the priors. `weight` (n_noise, B). `units` (width, width,
    n_units, B): L of every unit's E. `coupling` (B, n_kept, width n_units): Y L⁻ᵀ. `lower` (B,
    n_kept, n_kept): L of S.
    """

    precision: Array
    weight: Array
    units: Array
    coupling: Array
    lower: Array


class MixedModelEquations:
    """The density of responses, and the effects, of pairs of any kind.

    `effects`: of the pairs, with `incidence` (n_pairs, n_effects), Z. `noise` (n_pairs,): the level
    of every pair's noise. `step`: how many values of the standard deviations are treated at a time;
    `n_kept`: rows of the largest system that is factorised.
    """

    def __init__(self, effects: Effects, noise: Index) -> None:
        self.variance, self.incidence, self.noise = effects.variance, effects.incidence, noise
        self.n_effects = len(self.variance)
        self.pairs = np.bincount(noise).astype(float)
        self._incidence = [self.incidence[noise == k] for k in range(len(self.pairs))]
        self._choose_units(effects)
        self._count()
        n, n_kept = self.unit_effect.size, self.n_kept
        sized = 2 * n_kept**2 + 2 * n_kept * n + 3 * self.unit_effect.shape[1] * n
        self.step = max(1, _CHUNK // (sized + 1))

    def _choose_units(self, effects: Effects) -> None:
        """Choose what is eliminated: the term within whose levels most effects lie.

        `unit_effect` (n_units, width): the effects of every unit, −1 where it has fewer.
        """
        terms = [np.flatnonzero(effects.family == number) for number in np.unique(effects.family)]
        is_plain = ~effects.is_slope & ~effects.is_mixed
        owners = [self._owners(k, terms) for k, of in enumerate(terms) if is_plain[of[0]]]
        none = np.full(self.n_effects, -1, np.int64)
        owner = max(owners, key=lambda of: ((of >= 0).sum(), -of.max()), default=none)
        self.kept = np.flatnonzero(owner < 0)
        self.n_kept = len(self.kept)
        eliminated = np.flatnonzero(owner >= 0)
        eliminated = eliminated[np.argsort(owner[eliminated], kind="stable")]
        counts = np.bincount(owner[eliminated])
        place = np.arange(len(eliminated)) - np.repeat(np.cumsum(counts) - counts, counts)
        self.unit_effect = np.full((len(counts), int(counts.max(initial=0))), -1, np.int64)
        self.unit_effect[owner[eliminated], place] = eliminated

    def _owners(self, unit: int, terms: Sequence[Index]) -> Index:
        """Return the level of a term that has all pairs of an effect, (n_effects,), −1 for none.

        `terms`: the effects of all, of which `unit` is the number of that one. The effects of a
        term have such a level, or none has: as many terms as make no large units.
        """
        meets = (self.incidence != 0).astype(float)
        met = (meets[:, terms[unit]].T @ meets).tocsc()
        is_inside = (np.diff(met.indptr) == 1) & (met.sum(axis=0) == meets.sum(axis=0))
        owner = np.full(self.n_effects, -1, np.int64)
        owner[is_inside] = met.indices[met.indptr[:-1][is_inside]]
        sizes = []
        for number, at in enumerate(terms):
            of = owner[at]
            widest = int(np.bincount(of).max()) if (of >= 0).all() else _LARGEST_UNIT
            sizes.append((number != unit, widest))
        total = 0
        for number in sorted(range(len(sizes)), key=sizes.__getitem__):
            total += sizes[number][1]
            if total > _LARGEST_UNIT:
                owner[terms[number]] = -1
        return owner

    def _count(self) -> None:
        """Count the pairs that effects have in common, by noise level: ZᵀZ in three parts."""
        n_units, width = self.unit_effect.shape
        number, unit, place = (np.full(self.n_effects, -1, np.int64) for _ in range(3))
        self.unit, self.place = unit, place
        number[self.kept] = np.arange(self.n_kept)
        units, places = np.nonzero(self.unit_effect >= 0)
        eliminated = self.unit_effect[units, places]
        unit[eliminated], place[eliminated] = units, places
        met = [(z.T @ z).tocoo() for z in self._incidence]
        level = np.repeat(np.arange(len(met)), [product.nnz for product in met])
        a, b = np.concatenate([product.coords for product in met], axis=1)
        value = np.concatenate([product.data for product in met])
        shapes = (self.n_kept,) * 2, (width, self.n_kept, n_units), (width, width, n_units)
        at = (
            number[a] * self.n_kept + number[b],
            (place[a] * self.n_kept + number[b]) * n_units + unit[a],
            (place[a] * width + place[b]) * n_units + unit[a],
        )
        is_kept_a, is_kept_b = number[a] >= 0, number[b] >= 0
        wanted = is_kept_a & is_kept_b, ~is_kept_a & is_kept_b, ~is_kept_a & ~is_kept_b
        self._crossproducts = []
        for shape, places_of, which in zip(shapes, at, wanted, strict=True):
            size = int(np.prod(shape)), len(met)
            entries = value[which], (places_of[which], level[which])
            counts = csr_array(coo_array(entries, shape=size))
            self._crossproducts.append(
                (shape, counts.toarray() if np.prod(size) <= _DENSE else counts)
            )

    def at(self, effects: Array, noise: Array) -> System:
        """Return the factorised equations at given standard deviations."""
        precision = (effects**-2.0)[self.variance]
        weight = noise**-2.0
        of_kept, coupling, units = (
            np.asarray(counts @ weight).reshape(*shape, weight.shape[1])
            for shape, counts in self._crossproducts
        )
        at, filled = np.arange(len(units)), (self.unit_effect >= 0).T[:, :, None]
        # A place that a unit lacks has the precision 1 and meets nothing: its log pivot is 0.
        units[at, at] += np.where(filled, precision[self.unit_effect.T], 1.0)
        # E is block-diagonal, so that Y E⁻¹ Yᵀ of the Schur complement is a product of Y L_E⁻ᵀ.
        lower = factor(units)
        half = forward(lower[:, :, None], coupling)
        half = half.transpose(3, 1, 0, 2).reshape(
            weight.shape[1], self.n_kept, self.unit_effect.size
        )
        at = np.arange(self.n_kept)
        of_kept[at, at] += precision[self.kept]
        schur = of_kept.transpose(2, 0, 1) - half @ half.transpose(0, 2, 1)
        return System(precision, weight, lower, half, factor_large(schur))

    def half(self, system: System, right: Array) -> Array:
        """Return L⁻¹ r of right-hand sides (n_effects, m, B), the eliminated first."""
        eliminated = right[self.unit_effect.T]
        eliminated[self.unit_effect.T < 0] = 0.0
        eliminated = forward(system.units[:, :, :, None], eliminated)
        eliminated = eliminated.reshape(self.unit_effect.size, *right.shape[1:])
        # Forward substitution by blocks: L = [[L_E, 0], [Y L_E⁻ᵀ, L_S]].
        on_kept = right[self.kept]
        on_kept -= np.einsum("bkg,gmb->kmb", system.coupling, eliminated, optimize=True)
        return np.concatenate(
            [eliminated, solve_large(system.lower, np.ascontiguousarray(on_kept))]
        )

    def sums(self, responses: Array) -> tuple[Array, Array]:
        """Return Zᵀ times responses (m, n_pairs), and their products, by noise level.

        (n_effects, m, n_noise) and (m, m, n_noise).
        """
        of_level = [responses[:, self.noise == k] for k in range(len(self.pairs))]
        sums = [z.T @ y.T for z, y in zip(self._incidence, of_level, strict=True)]
        return np.stack(sums, axis=-1), np.stack([y @ y.T for y in of_level], axis=-1)

    def products(
        self, sums: tuple[Array, Array], m: int, effects: Array, noise: Array
    ) -> tuple[Array, Array]:
        """Return the log density of responses of 0, (B,), and products under V⁻¹, (B, m, m).

        `sums`: what `sums` returns of m responses.
        """
        system = self.at(effects, noise)
        half = self.half(system, sums[0] @ system.weight).transpose(2, 1, 0)
        quadratic = (sums[1] @ system.weight).transpose(2, 0, 1) - half @ half.transpose(0, 2, 1)
        # log|P| = log|E| + log|S|, the determinant of a matrix in blocks.
        log_det = np.log(np.einsum("iiub->iub", system.units)).sum(axis=(0, 1))
        log_det = log_det + np.log(np.einsum("bii->bi", system.lower)).sum(axis=1)
        value = np.log(system.precision).sum(axis=0) - 2.0 * log_det
        value += self.pairs @ np.log(system.weight)
        return 0.5 * (value - self.pairs.sum() * np.log(2 * np.pi)), quadratic

    def back(self, system: System, half: Array) -> Array:
        """Return L⁻ᵀ of columns as `half` returns them, (n_effects, m, B), by back substitution."""
        n_eliminated = self.unit_effect.size
        on_kept = solve_large(
            system.lower, np.ascontiguousarray(half[n_eliminated:]), transposed=True
        )
        eliminated = half[:n_eliminated] - np.einsum("bkg,kmb->gmb", system.coupling, on_kept)
        of_places = eliminated.reshape(*self.unit_effect.T.shape, *half.shape[1:])
        eliminated = backward(system.units[:, :, :, None], of_places)
        effects = np.empty((self.n_effects, *half.shape[1:]))
        effects[self.kept] = on_kept
        is_filled = self.unit_effect.T >= 0
        effects[self.unit_effect.T[is_filled]] = eliminated[is_filled]
        return effects

    def solve(self, system: System, responses: Array) -> Array:
        """Return Σ⁻¹ = W − W Z P⁻¹ Zᵀ W times responses (B or 1, p, n_pairs), by Woodbury."""
        weight = system.weight[self.noise].T
        weighted = weight[:, None] * responses
        size, n, n_pairs = weighted.shape
        right = self.incidence.T @ weighted.reshape(-1, n_pairs).T
        right = right.reshape(self.n_effects, size, n).swapaxes(1, 2)
        blups = self.back(system, self.half(system, right))  # (n_effects, p, B)
        explained = self.incidence @ blups.reshape(self.n_effects, n * size)
        return np.asarray(weighted - weight[:, None] * explained.reshape(-1, n, size).T)

    def diagonal(self, system: System) -> Array:
        """Return the diagonal of the same, (B, n_pairs).

        Of a row z of Z, with the effects g of a unit and k that are kept,
        zᵀP⁻¹z = |L_E⁻¹ z_g|² + |L_S⁻¹ (z_k − Y E⁻¹ z_g)|².
        """
        z, weight = self.incidence, system.weight[self.noise].T
        width, n_units = self.unit_effect.T.shape
        pairs, effect = z.tocoo().coords
        inside = self.unit[effect] >= 0
        own, unit = np.zeros((width, z.shape[0], len(weight))), np.zeros(z.shape[0], np.int64)
        unit[pairs[inside]] = self.unit[effect[inside]]
        own[self.place[effect[inside]], pairs[inside]] = z.tocoo().data[inside, None]
        if n_units:
            own = forward(system.units[:, :, unit], own)
        leverage = (own**2).sum(axis=0).T
        coupling = system.coupling.reshape(len(weight), self.n_kept, width, n_units)
        coupled = backward(system.units[:, :, :, None], coupling.transpose(2, 3, 1, 0).copy())
        on_kept = np.zeros((self.n_effects, self.n_kept, len(weight)))
        on_kept[self.kept, np.arange(self.n_kept)] = 1.0
        is_filled = self.unit_effect.T >= 0
        on_kept[self.unit_effect.T[is_filled]] = -coupled[is_filled]
        for b, lower in enumerate(system.lower):
            leverage[b] += ((z @ np.linalg.solve(lower, on_kept[:, :, b].T).T) ** 2).sum(axis=1)
        return np.asarray(weight - weight**2 * leverage)

    def functions(
        self, weights: Array, responses: Array
    ) -> Callable[[System], tuple[Array, Array, Array]]:
        """Return a function of a system: what linear functions and responses have in common.

        `weights` (F, n_effects), w; `responses` (p, n_pairs), Y. It gives YᵀV⁻¹Y (B, p, p), what
        effects given Y make of the functions, wᵀP⁻¹ZᵀWY (B, F, p), and wᵀP⁻¹w (F, B).
        """
        on_effects, products = self.sums(responses)

        def common(system: System) -> tuple[Array, Array, Array]:
            right = np.repeat(weights.T[:, :, None], system.weight.shape[1], axis=2)
            half = self.half(system, right)
            seen = self.half(system, on_effects @ system.weight).transpose(2, 0, 1)
            gram = (products @ system.weight).transpose(2, 0, 1) - seen.swapaxes(1, 2) @ seen
            return gram, half.transpose(2, 1, 0) @ seen, (half**2).sum(axis=0)

        return common


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
    if lower.shape[1] == 0:  # LAPACK prints a line for each: a notebook can hang on them
        return x
    # LAPACK reads the rows of L as columns: Lᵀ, an upper triangle.
    solved = [
        dtrtrs(triangle.T, columns, lower=0, trans=int(not transposed))[0]
        for triangle, columns in zip(lower, np.moveaxis(x, -1, 0), strict=True)
    ]
    return np.stack(solved, axis=-1)
