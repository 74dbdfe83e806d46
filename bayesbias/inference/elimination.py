"""The effects of a block, given the standard deviations: elimination of all but a small system.

With effects x (connection means and the effects of all terms), y = μ + Z x + e and

    x ~ N(0, diag(1 / prior precision)),   e_i ~ N(0, s_k²), k the noise level of pair i,
    P = diag(prior precision) + Σ_k w_k Z_kᵀ Z_k,   r = Σ_k w_k Z_kᵀ (y_k − μ),   w_k = 1 / s_k²

everything follows from P x̂ = r, where the entries of Z_kᵀ Z_k are counts of pairs. (Effects that
sum to 0 are mixtures of independent ones, `balance`, which stand in x in their place; Z has the
numbers of the mixture, and counts are weighted.) Effects are
sorted into the units of two sides (`exchangeable`), one eliminated and one kept, and a rest that is
kept too, which has the connection means. Let a class of n eliminated units have the matrix E and
the coupling Y to the kept effects. Of a class of n kept units with matrix D, n − 1 deviations from
the mean are coupled to nothing, and only the normalised sum Σ x_i / √n stays. Then

    S = P_kept − Σ_classes Y E⁻¹ Yᵀ
    log|P|  = log|S| + Σ n log|E| + Σ (n − 1) log|D|
    rᵀP⁻¹r = |L_S⁻¹ (r_kept − Σ Y E⁻¹ r_gone)|² + Σ_units r_jᵀ E⁻¹ r_j + Σ_units d_iᵀ D⁻¹ d_i

with d_i the deviations of r from the class's mean. In complete data S has fewer than ten rows. In
irregular data every unit is a class, and S has as many rows as there are kept effects.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from bayesbias.inference.balance import Balance
from bayesbias.inference.exchangeable import Units, signatures, split_sides
from bayesbias.inference.small_matrices import backward, factor, factor_large, forward, solve_large
from bayesbias.support.arrays import Array, Index

CHUNK: Final = 1 << 19
"""Numbers in the largest array of a step: a few megabytes, which stay in the cache."""

_TINY: Final = 10  # rows up to which steps over all matrices factorise faster than LAPACK
_SMALL: Final = 24  # and solve faster
_DENSE: Final = 1 << 18


Entry = tuple[Index, Array]
"""The effects that pairs have, −1 for none, and times what, (n_pairs,) each."""


def _spread(level: Index, balance: Balance | None) -> list[Entry]:
    """Return the independent effects that pairs have of a term, by its levels."""
    if balance is None:
        return [(level, np.ones(len(level)))]
    found = []
    for other, value in balance.spread:
        found.append((np.where(level >= 0, other[level], -1), value[level]))
    return found


class Counts:
    """Counts of pairs per noise level, of which weighted sums are wanted.

    `shape`: of the array of one noise level's counts. `entries`: flat places in that array, noise
    levels, and what to add there.
    """

    def __init__(
        self, shape: tuple[int, ...], n_noise: int, entries: Sequence[tuple[Index, Index, Array]]
    ) -> None:
        self.shape = shape
        size = int(np.prod(shape))
        at, noise, value = (np.concatenate(part) for part in zip(*entries, strict=True))
        if size * n_noise <= _DENSE:
            flat = np.bincount(at * n_noise + noise, weights=value, minlength=size * n_noise)
            self._matrix = flat.reshape(size, n_noise)
        else:
            # Irregular data: most pairs of effects have no pairs of words in common.
            from scipy.sparse import csr_array

            self._matrix = csr_array((value, (at, noise)), shape=(size, n_noise))

    def weighted(self, weight: Array) -> Array:
        """Return Σ_k w_k counts_k: weight (n_noise, B) to (*shape, B)."""
        return np.asarray(self._matrix @ weight).reshape(*self.shape, weight.shape[1])


class Structure:
    """Who meets whom: what does not depend on the responses.

    `noise` (n_pairs,): the noise level of every pair. `means` (n_pairs,): the connection of every
    pair where the means are effects. `levels` (n_pairs,): every term's, −1 where it does not act.
    `sds` (n_levels,): which standard deviation is the prior of every level, counted through all
    terms. `balances`: of every term, which levels sum to 0.

    `columns` (n_pairs,): the effects that every pair has, −1 for none: the means first, then the
    terms'. `offset`: the number of each column's first effect, and, at the end, the number of
    effects. `prior` (n_effects,): 0 for a mean, 1 + the number of the standard deviation for an
    effect. `rest`: effects that are kept without being in a unit.
    """

    def __init__(
        self,
        noise: Index,
        n_noise: int,
        means: Index | None,
        levels: Sequence[Index],
        sds: Sequence[Index],
        balances: Sequence[Balance | None],
    ) -> None:
        self.noise, self.n_noise = noise, n_noise
        self.pairs = np.bincount(noise, minlength=n_noise).astype(float)
        n_means = 0 if means is None else int(means.max()) + 1
        sizes = [len(sd) for sd in sds]
        self.offset = (n_means + np.concatenate([[0], np.cumsum(sizes)])).astype(int).tolist()
        self.n_effects = n = self.offset[-1]
        priors = [np.zeros(n_means, np.int64), *(1 + sd for sd in sds)]
        self.prior = np.concatenate(priors).astype(np.int64)
        terms = [
            np.where(level >= 0, level + start, -1)
            for level, start in zip(levels, self.offset[:-1], strict=True)
        ]
        mean_column = [] if means is None else [means]
        self.columns = mean_column + terms
        self.balanced = [
            (slice(start, start + size), balance)
            for start, size, balance in zip(self.offset, sizes, balances, strict=False)
            if balance is not None
        ]
        spread = [_spread(*of) for of in zip(levels, balances, strict=True)]
        (gone, kept), rest = split_sides([[c for c, _ in of] for of in spread], sizes)

        def entries(members: list[int]) -> list[Entry]:
            return [
                (np.where(column >= 0, column + self.offset[t], -1), value)
                for t in members
                for column, value in spread[t]
            ]

        of_gone, of_kept = entries(gone), entries(kept)
        of_rest = [(column, np.ones(len(noise))) for column in mean_column] + entries(rest)
        none = np.full(len(noise), -1, np.int64)

        def units(members: list[int], own: list[Entry], other: list[Entry]) -> Units:
            unit = levels[members[0]] if members else none
            sign = signatures(own, other, noise, n_noise, n)
            return Units(unit, own, self.prior, sign, noise, n_noise)

        self.gone = units(gone, of_gone, of_kept + of_rest)
        self.kept = units(kept, of_kept, of_gone + of_rest)
        self.rest = np.unique(np.concatenate([none, *(column for column, _ in of_rest)]))
        self.rest = self.rest[self.rest >= 0]
        self._number_kept()
        self._count(of_gone, of_kept, of_rest)
        sized = 2 * self.n_kept**2 + 2 * self.n_kept * self.gone.width * self.gone.n_classes
        sized += 3 * sum(u.width**2 * u.n_classes for u in (self.gone, self.kept))
        self.step = max(1, CHUNK // (sized + 1))

    def _number_kept(self) -> None:
        """Give numbers to the kept system: the rest, then the class sums of kept units."""
        n_rest = len(self.rest)
        self.kept_place, self.kept_class = np.nonzero(self.kept.prior >= 0)
        self.n_kept = n_rest + len(self.kept_class)
        self.number = np.full(self.n_effects + 1, -1, np.int64)
        self.number[self.rest] = np.arange(n_rest)
        stands = self.kept.effect[self.kept.first[self.kept_class], self.kept_place]
        self.number[stands] = np.arange(n_rest, self.n_kept)
        self.kept_prior = self.prior[np.concatenate([self.rest, stands])]
        root = np.sqrt(self.kept.size)[self.kept_class]
        self.root = np.concatenate([np.ones(n_rest), root])

    def _count(self, of_gone: list[Entry], of_kept: list[Entry], of_rest: list[Entry]) -> None:
        """Count the pairs that effects have in common, one unit standing for its class."""
        n = self.n_kept
        rest, kept = ([(self.number[c], v) for c, v in columns] for columns in (of_rest, of_kept))
        none = np.zeros(0, np.int64)
        entries: list[tuple[Index, Index, Array]] = [(none, none, np.zeros(0))]
        for i, (one, value_of_one) in enumerate(rest + kept):
            for j, (two, value_of_two) in enumerate(rest + kept):
                both = np.flatnonzero((one >= 0) & (two >= 0))
                a, b = one[both], two[both]
                # Within a unit counts are the unit's own; with the rest, those of the class.
                alone = i >= len(rest) and j >= len(rest)
                value = value_of_one[both] * value_of_two[both]
                value = value if alone else value * self.root[a] * self.root[b]
                entries.append((a * n + b, self.noise[both], value))
        self.system = Counts((n, n), self.n_noise, entries)
        gone = self.gone
        of_class = gone.class_of_first()
        entries = [(none, none, np.zeros(0))]
        for column, value_of_column in of_gone:
            for one, value_of_one in rest + kept:
                both = np.flatnonzero((column >= 0) & (of_class >= 0) & (one >= 0))
                a, c = one[both], of_class[both]
                at = (gone.place[column[both]] * n + a) * gone.n_classes + c
                value = value_of_column[both] * value_of_one[both]
                entries.append((at, self.noise[both], value * np.sqrt(gone.size)[c] * self.root[a]))
        self.coupling = Counts((gone.width, n, gone.n_classes), self.n_noise, entries)

    def mixed(self, values: Array) -> Array:
        """Return the mixtures of independent effects, (n_effects, ...), in those that sum to 0.

        The root of their covariance is symmetric: so sums by effect become sums by independent one.
        """
        if not self.balanced:
            return values
        found = values.copy()
        for at, balance in self.balanced:
            found[at] = balance.mixed(values[at])
        return found

    def sums(self, y: Array) -> Array:
        """Return Z_kᵀ y per noise level and effect: (n_pairs,) to (n_noise, n_effects)."""
        total = np.zeros((self.n_noise, self.n_effects))
        for column in self.columns:
            acts = column >= 0
            at = self.noise[acts] * self.n_effects + column[acts]
            total += np.bincount(at, y[acts], total.size).reshape(total.shape)
        return total


class Vectors:
    """Numbers per effect (right-hand sides, contrasts), (c, n_effects), summed by class."""

    def __init__(self, structure: Structure, values: Array) -> None:
        kept, gone = structure.kept, structure.gone
        values = structure.mixed(values.T).T
        self.of_kept, self.of_gone = kept.of_units(values), gone.of_units(values)
        sums = kept.class_sums(self.of_kept)
        self.gone = gone.class_sums(self.of_gone)
        in_units = sums[:, structure.kept_place, structure.kept_class]
        self.kept = np.concatenate([values[:, structure.rest], in_units], axis=1)
        mean = sums / np.sqrt(kept.size)
        self.deviation = self.of_kept - mean[:, :, kept.member].transpose(0, 2, 1)


class System:
    """The factorised system at B values of the standard deviations.

    `precision` (1 + n_sds, B): prior precisions, of the means and of the effects of every standard
    deviation. `weight` (n_noise, B): 1 / noise variance.
    """

    def __init__(self, structure: Structure, precision: Array, weight: Array) -> None:
        self.structure, self.precision, self.weight = structure, precision, weight
        gone, n = structure.gone, structure.n_kept
        self.gone = self._units(gone)
        self.kept = self._units(structure.kept)
        system = structure.system.weighted(weight)
        diagonal = np.arange(n)
        system[diagonal, diagonal] += precision[structure.kept_prior]
        # L⁻¹ Yᵀ, shape (width, n_kept, n_classes, B)
        self.coupling = forward(self.gone[:, :, None], structure.coupling.weighted(weight))
        self.is_small = n <= _SMALL
        shape = weight.shape[1], n, gone.width * gone.n_classes
        half = self.coupling.transpose(3, 1, 0, 2).reshape(shape)
        left = system.transpose(2, 0, 1) - half @ half.transpose(0, 2, 1)
        if n <= _TINY:
            self.lower = factor(np.ascontiguousarray(left.transpose(1, 2, 0)))
        else:
            lower = factor_large(left).transpose(1, 2, 0)
            self.lower = np.ascontiguousarray(lower) if self.is_small else lower

    def _units(self, units: Units) -> Array:
        """Return the factors of every class's matrix, shape (width, width, n_classes, B)."""
        matrices = np.asarray(units.inner @ self.weight)
        for i in range(units.width):
            prior = units.prior[i]
            matrices[i, i] += np.where(prior[:, None] >= 0, self.precision[prior], 1.0)
        return factor(matrices)

    def log_determinant(self) -> Array:
        """Return log|P|, shape (B,)."""
        kept, gone = self.structure.kept, self.structure.gone
        total = np.log(np.einsum("iib->ib", self.lower)).sum(axis=0)
        total = total + gone.size @ np.log(np.einsum("iicb->icb", self.gone)).sum(axis=0)
        total = total + (kept.size - 1) @ np.log(np.einsum("iicb->icb", self.kept)).sum(axis=0)
        return np.asarray(2.0 * total)

    def reduce(self, kept: Array, gone: Array) -> Array:
        """Return L_S⁻¹ (r_kept − Y E⁻¹ r_gone): (n_kept, B), (width, n_classes, B) to (n_kept, B).

        All may have one more axis, of several right-hand sides, after the first. Both arguments
        are overwritten.
        """
        half = forward(self.gone, gone)
        kept -= np.einsum("wkcb,w...cb->k...b", self.coupling, half)
        if self.is_small:
            return forward(self.lower, kept)
        return solve_large(self.lower.transpose(2, 0, 1), kept)

    def expand(self, half: Array) -> Array:
        """Return L_S⁻ᵀ h, shape (n_kept, B); the argument is overwritten."""
        if self.is_small:
            return backward(self.lower, half)
        return solve_large(self.lower.transpose(2, 0, 1), half, transposed=True)
