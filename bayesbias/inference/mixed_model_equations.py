"""Pairs of any kind, such as words that do not meet all attributes: Henderson's equations.

With effects x (connection means and the effects of all terms), y = μ + Z x + e and

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

Effects that sum to 0 are mixtures of independent ones (`balance`), which stand in x in their place.
The cost grows with the third power of the effects that are kept; `complete_block` does the same for
complete designs, whose cost does not grow with words.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import coo_array, csr_array

from bayesbias.inference.complete_layout import PairNoise, TermLayout
from bayesbias.inference.slopes import Offsets
from bayesbias.inference.small_matrices import backward, factor, factor_large, forward, solve_large
from bayesbias.support.arrays import Array, Index
from bayesbias.support.types import Generator

_CHUNK: Final = 1 << 19
"""Numbers in the largest array of a step: a few megabytes, which stay in the cache."""

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

    `terms`: in the order of the effects. `response` (n_sets, n_pairs): less the prior mean; sets
    are independent given the standard deviations. `scale` (1 + n_sds,): what effects are multiplied
    by: the means, and those of each standard deviation. `mean_sd`: the prior's of the means.
    """

    def __init__(
        self,
        terms: Sequence[TermLayout],
        noise: PairNoise,
        response: Array,
        scale: Array,
        mean_sd: float,
    ) -> None:
        self.noise, self.scale, self.mean_sd = noise, scale, mean_sd
        sizes = [len(term.variance) for term in terms]
        offset = np.cumsum([0, *sizes]).tolist()
        self.n_effects, n_noise = offset[-1], len(noise.sd)
        self.variance = np.concatenate([np.zeros(0, np.int64), *(term.variance for term in terms)])
        self.balanced = [
            (slice(start, start + size), term.balance)
            for start, size, term in zip(offset, sizes, terms, strict=False)
            if term.balance is not None
        ]
        self.pairs = np.bincount(noise.level, minlength=n_noise).astype(float)
        self._incidence = [_incidence(terms, offset, noise.level == k) for k in range(n_noise)]
        self._choose_units(terms, offset)
        self._count()
        self.set_response(response)
        n, kept = self.unit_effect.size, self.n_kept
        sized = 2 * kept**2 + 2 * kept * n + 3 * self.unit_effect.shape[1] * n
        self.step = max(1, _CHUNK // (sized + 1))

    def _choose_units(self, terms: Sequence[TermLayout], offset: list[int]) -> None:
        """Choose what is eliminated: the term within whose levels most effects lie.

        `unit_effect` (n_units, width): the effects of every unit, −1 where it has fewer.
        """
        inside = {t: _inside(t, terms) for t in range(len(terms)) if terms[t].balance is None}
        gain = {
            t: (sum(len(terms[other].variance) for other in found), -len(terms[t].variance))
            for t, found in inside.items()
        }
        owner = np.full(self.n_effects, -1, np.int64)
        if gain:
            chosen = max(gain, key=gain.__getitem__)
            for other in inside[chosen]:
                acts = terms[other].level >= 0
                owner[offset[other] + terms[other].level[acts]] = terms[chosen].level[acts]
        self.kept = np.flatnonzero(owner < 0)
        self.n_kept = len(self.kept)
        eliminated = np.flatnonzero(owner >= 0)
        eliminated = eliminated[np.argsort(owner[eliminated], kind="stable")]
        counts = np.bincount(owner[eliminated])
        place = np.arange(len(eliminated)) - np.repeat(np.cumsum(counts) - counts, counts)
        self.unit_effect = np.full((len(counts), int(counts.max(initial=0))), -1, np.int64)
        self.unit_effect[owner[eliminated], place] = eliminated

    def _count(self) -> None:
        """Count the pairs that effects have in common, by noise level: ZᵀZ in three parts."""
        n_units, width = self.unit_effect.shape
        number, unit, place = (np.full(self.n_effects, -1, np.int64) for _ in range(3))
        number[self.kept] = np.arange(self.n_kept)
        units, places = np.nonzero(self.unit_effect >= 0)
        eliminated = self.unit_effect[units, places]
        unit[eliminated], place[eliminated] = units, places
        met = [(z.T @ z).tocoo() for z in self._incidence]
        level = np.repeat(np.arange(len(met)), [one.nnz for one in met])
        a, b = np.concatenate([one.coords for one in met], axis=1)
        value = np.concatenate([one.data for one in met])
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

    def with_response(self, response: Array) -> "MixedModelEquations":
        """Return the equations with other responses, (n_sets, n_pairs)."""
        view = copy(self)
        view.set_response(response)
        return view

    def set_response(self, response: Array) -> None:
        """Take responses less their prior mean, shape (n_sets, n_pairs)."""
        self.response, self.n_sets = response, len(response)
        of_level = [response[:, self.noise.level == k] for k in range(len(self.pairs))]
        sums = [(z.T @ y.T).T for z, y in zip(self._incidence, of_level, strict=True)]
        self.sums_of_effects = np.stack(sums, axis=-1)  # (n_sets, n_effects, n_noise)
        self.own_squares = self.sums([self])

    def _variances(self, effects: Array, noise: Array) -> tuple[Array, Array]:
        """Return the variances of noise and of what adds to it, each (n_noise, B)."""
        number = self.noise.added
        sds = np.concatenate([np.zeros((1, noise.shape[1])), effects])
        return noise[self.noise.sd] ** 2, (sds[number] * self.scale[number, None]) ** 2

    def at(self, effects: Array, noise: Array) -> System:
        """Return the factorised equations at given standard deviations."""
        sds = np.concatenate([np.full((1, effects.shape[1]), self.mean_sd), effects])
        precision = ((sds * self.scale[:, None]) ** -2.0)[self.variance]
        alone, added = self._variances(effects, noise)
        weight = 1.0 / (alone + added)
        kept, coupling, units = (
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
        kept[at, at] += precision[self.kept]
        schur = kept.transpose(2, 0, 1) - half @ half.transpose(0, 2, 1)
        return System(precision, weight, lower, half, factor_large(schur))

    def half(self, system: System, right: Array) -> Array:
        """Return L⁻¹ r of right-hand sides (n_effects, m, B), the eliminated first."""
        eliminated = right[self.unit_effect.T]
        eliminated[self.unit_effect.T < 0] = 0.0
        eliminated = forward(system.units[:, :, :, None], eliminated)
        eliminated = eliminated.reshape(self.unit_effect.size, *right.shape[1:])
        # Forward substitution by blocks: L = [[L_E, 0], [Y L_E⁻ᵀ, L_S]].
        kept = right[self.kept]
        kept -= np.einsum("bkg,gmb->kmb", system.coupling, eliminated, optimize=True)
        return np.concatenate([eliminated, solve_large(system.lower, np.ascontiguousarray(kept))])

    def _twice_log_scale(self, system: System) -> Array:
        """Return twice the log density of responses of 0, one set, (B,)."""
        # log|P| = log|E| + log|S|, the determinant of a matrix in blocks.
        log_det = np.log(np.einsum("iiub->iub", system.units)).sum(axis=(0, 1))
        log_det = log_det + np.log(np.einsum("bii->bi", system.lower)).sum(axis=1)
        value = np.log(system.precision).sum(axis=0) - 2.0 * log_det
        value += self.pairs @ np.log(system.weight)
        return np.asarray(value - self.pairs.sum() * np.log(2 * np.pi))

    def log_likelihood(self, effects: Array, noise: Array) -> Array:
        """Return the log density of all sets, the effects integrated out, shape (B,)."""
        value, products = self.products([self], self.own_squares, effects, noise)
        return np.asarray(value - 0.5 * products[:, 0, 0])

    def sums(self, columns: "Sequence[MixedModelEquations]") -> Array:
        """Return the products of m responses, summed by noise level, (m, m, n_noise)."""
        found = np.zeros((len(columns), len(columns), len(self.pairs)))
        for i, one in enumerate(columns):
            for j, two in enumerate(columns):
                both = (one.response * two.response).sum(axis=0)
                found[i, j] = np.bincount(self.noise.level, both, len(self.pairs))
        return found

    def products(
        self, columns: "Sequence[MixedModelEquations]", sums: Array, effects: Array, noise: Array
    ) -> tuple[Array, Array]:
        """Return the log density of responses of 0, and products under the inverse covariance.

        `columns`: m equations that differ from these in their responses alone; `sums`: what `sums`
        returns of them. Returns (B,), and of the responses of any two, summed over sets, (B, m, m).
        """
        system = self.at(effects, noise)
        right = np.concatenate([column.sums_of_effects for column in columns]) @ system.weight
        half = self.half(system, right.swapaxes(0, 1)).transpose(2, 1, 0)
        size, m = len(half), len(columns)
        # The sets of one response side by side.
        half = half.reshape(size, m, self.n_sets * half.shape[2])
        found = (sums @ system.weight).transpose(2, 0, 1) - half @ half.transpose(0, 2, 1)
        return 0.5 * self.n_sets * self._twice_log_scale(system), found

    def draw(self, effects: Array, noise: Array, rng: Generator, offsets: Offsets) -> Array:
        """Draw the means and effects of every set, shape (n_sets, n_effects, B)."""
        system, size = self.at(effects, noise), noise.shape[1]
        right = self.sums_of_effects @ system.weight
        for slope, view in offsets:
            right = right - slope * (view.sums_of_effects @ system.weight)
        found = np.empty_like(right)
        for one, of_set in zip(found, right, strict=True):
            half = self.half(system, of_set[:, None])[:, 0]
            half += rng.standard_normal(half.shape)
            n_eliminated = self.unit_effect.size
            # L⁻ᵀ (L⁻¹r + z) has the mean P⁻¹r and the covariance P⁻¹; back substitution by blocks.
            kept = solve_large(system.lower, half[n_eliminated:], transposed=True)
            eliminated = half[:n_eliminated] - np.einsum("bkg,kb->gb", system.coupling, kept)
            eliminated = backward(system.units, eliminated.reshape(*self.unit_effect.T.shape, size))
            one[self.kept] = kept
            is_filled = self.unit_effect.T >= 0
            one[self.unit_effect.T[is_filled]] = eliminated[is_filled]
            self.mix(one)
        return found

    def mix(self, values: Array) -> None:
        """Mix independent effects, (n_effects, ...), to those that sum to 0, in place.

        The root of their covariance is symmetric: so weights on effects become those on independent
        ones in the same way.
        """
        for at, balance in self.balanced:
            values[at] = balance.mixed(values[at])

    def draw_of_pairs(
        self, rest: Array, effects: Array, noise: Array, rng: Generator
    ) -> tuple[Array, Array]:
        """Draw effects of single pairs, (n_pairs, B): of similar attributes none, and others."""
        alone, added = self._variances(effects, noise)
        # Given the sum of both parts, one is normal: its share of the sum, and what that leaves.
        share = (added / (added + alone))[self.noise.level]
        spread = np.sqrt(share * alone[self.noise.level])
        return np.zeros_like(rest), share * rest + spread * rng.standard_normal(spread.shape)


class Functions:
    """Linear functions, (F, n_effects), of the effects of one set."""

    def __init__(self, equations: MixedModelEquations, number: int, weights: Array) -> None:
        self.equations, self.number = equations, number
        self.weights = weights.T.copy()
        equations.mix(self.weights)

    def moments(self, system: System) -> tuple[Array, Array]:
        """Return mean and variance, (F, B)."""
        right = self.equations.sums_of_effects[self.number] @ system.weight
        weights = np.repeat(self.weights[:, :, None], right.shape[1], axis=2)
        half = self.equations.half(system, np.concatenate([right[:, None], weights], axis=1))
        # wᵀP⁻¹r = (L⁻¹w)ᵀ L⁻¹r, and the variance wᵀP⁻¹w = |L⁻¹w|².
        mean = np.einsum("nfb,nb->fb", half[:, 1:], half[:, 0], optimize=True)
        return mean, (half[:, 1:] ** 2).sum(axis=0)


def _incidence(terms: Sequence[TermLayout], offset: list[int], rows: Index) -> csr_array:
    """Return Z of some pairs: which independent effects they have, and times what."""
    pairs, effects, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    for start, term in zip(offset, terms, strict=False):
        level = term.level[rows]
        spread = [(np.arange(len(term.variance)), np.ones(len(term.variance)))]
        for other, value in spread if term.balance is None else term.balance.spread:
            at = np.flatnonzero((level >= 0) & (other[level] >= 0))
            pairs.append(at)
            effects.append(other[level[at]] + start)
            values.append(value[level[at]])
    entries = np.concatenate(values), (np.concatenate(pairs), np.concatenate(effects))
    return csr_array(coo_array(entries, shape=(int(rows.sum()), offset[-1])))


def _inside(unit: int, terms: Sequence[TermLayout]) -> set[int]:
    """Return the terms that lie within the levels of one, as many as make no large units."""
    levels = terms[unit].level
    width = {t: _width(term, levels) for t, term in enumerate(terms) if t != unit}
    found, total = {unit}, 1
    for term in sorted(width, key=lambda t: (width[t], t)):
        total += width[term]
        if total <= _LARGEST_UNIT:
            found.add(term)
    return found


def _width(term: TermLayout, unit: Index) -> int:
    """Return how many levels of a term a unit has at most; too many where units share a level."""
    acts = term.level >= 0
    unit_of = np.full(len(term.variance), -1, np.int64)
    unit_of[term.level[acts]] = unit[acts]
    if (unit_of[term.level[acts]] != unit[acts]).any() or (unit[acts] < 0).any():
        return _LARGEST_UNIT
    if term.balance is not None:  # every effect needs those of its sum, which may be elsewhere
        for other, _ in term.balance.spread:
            both = other >= 0
            if (unit_of[other[both]] != unit_of[both]).any():
                return _LARGEST_UNIT
    return int(np.bincount(unit_of).max())
