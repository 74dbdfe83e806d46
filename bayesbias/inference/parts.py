"""Independent parts of a block: a system of equations and the responses that it explains.

A block is one part, or, where all its pairs come in copies (`replicates`), two: the means over
copies, and the deviations from these, which are several sets of responses with one system.
"""

from collections.abc import Callable, Sequence
from copy import copy

import numpy as np

from bayesbias.inference.elimination import Structure, System, Vectors
from bayesbias.inference.exchangeable import Units
from bayesbias.inference.slopes import Less, Moments
from bayesbias.inference.small_matrices import Entries, backward, forward, inverse
from bayesbias.support.arrays import Array, Index
from bayesbias.support.types import Generator


class Part:
    """Sets of responses that are independent given the standard deviations.

    `noise` (n_noise,): which of the block's standard deviations of the noise each of the
    structure's has. `scale` (1 + n_sds,): what the effects are multiplied by: the means, and those
    of each standard deviation. `mean_sd`: the prior's of the means. `added` (n_noise,): which
    standard deviation, times its scale, adds to that of the noise; −1 for none. `vectors`: the sums
    of the responses, noise level by noise level, set by set.
    """

    def __init__(
        self, structure: Structure, noise: Index, scale: Array, mean_sd: float, added: Index
    ) -> None:
        self.structure, self.noise, self.added = structure, noise, added
        self.scale, self.mean_sd = scale, mean_sd
        self.n_effects, self.n_kept = structure.n_effects, structure.n_kept
        self.step = structure.step
        self.n_levels = np.bincount(structure.prior, minlength=len(scale)).astype(float)

    def observe(self, y: Array) -> None:
        """Take responses less their prior mean, shape (n_sets, n_pairs)."""
        structure = self.structure
        self.y, self.n_sets = y, len(y)
        self.vectors = Vectors(structure, np.concatenate([structure.sums(one) for one in y]))
        self.own = self.sums([self])

    def seeing(self, y: Array) -> "Part":
        """Return the part with other responses, (n_sets, n_pairs)."""
        view = copy(self)
        view.observe(y)
        return view

    def rows(self, number: int) -> slice:
        """Return which rows of `vectors` are those of a set."""
        n = self.structure.n_noise
        return slice(number * n, (number + 1) * n)

    def variance(self, effects: Array, noise: Array) -> tuple[Array, Array]:
        """Return the variances of noise and of what adds to it, each (n_noise, B)."""
        adds = self.added >= 0
        added = np.zeros((len(self.noise), noise.shape[1]))
        at = self.added[adds]
        added[adds] = (effects[at] * self.scale[1 + at, None]) ** 2
        return noise[self.noise] ** 2, added

    def system(self, effects: Array, noise: Array) -> System:
        """Return the factorised system at given standard deviations."""
        mean = np.full((1, effects.shape[1]), self.mean_sd)
        precision = (np.concatenate([mean, effects]) * self.scale[:, None]) ** -2.0
        noises, added = self.variance(effects, noise)
        return System(self.structure, precision, 1.0 / (noises + added))

    def reduced(self, system: System, number: int = 0) -> Array:
        """Return what a set leaves for the kept system, L_S⁻¹ r, shape (n_kept, B)."""
        rows = self.rows(number)
        gone = np.tensordot(self.vectors.gone[rows], system.weight, axes=(0, 0))
        return system.reduce(self.vectors.kept[rows].T @ system.weight, gone)

    def log_likelihood(self, effects: Array, noise: Array) -> Array:
        """Return the log density of all sets, the effects integrated out, shape (B,)."""
        system = self.system(effects, noise)
        weight = system.weight
        size = weight.shape[1]
        (squares,), (of_gone,), (of_kept,) = self.own
        explained = np.zeros(size)
        for number in range(self.n_sets):
            explained += (self.reduced(system, number) ** 2).sum(axis=0)
        both = (weight[:, None] * weight[None]).reshape(-1, size)
        for lower, products in ((system.gone, of_gone), (system.kept, of_kept)):
            inverted = inverse(lower).reshape(products.shape[1], size)
            explained += ((products @ inverted) * both).sum(axis=0)
        each = self._twice_log_scale(system)
        return np.asarray(0.5 * (self.n_sets * each - squares @ weight + explained))

    def draw(self, effects: Array, noise: Array, rng: Generator, less: "Less[Part]") -> Array:
        """Draw the means and effects of every set, shape (n_sets, n_effects, B)."""
        system = self.system(effects, noise)
        found = np.empty((self.n_sets, self.n_effects, noise.shape[1]))
        for number, one in enumerate(found):
            self._draw_set(system, number, one, rng, less)
        return found

    def _draw_set(
        self, system: System, number: int, found: Array, rng: Generator, less: "Less[Part]"
    ) -> None:
        structure, weight, rows = self.structure, system.weight, self.rows(number)
        kept, gone = structure.kept, structure.gone

        def without_slopes(of: Callable[[Part], Array]) -> Array:
            found = of(self)
            for slope, view in less:
                found = found - slope * of(view)
            return found

        half = without_slopes(lambda p: p.reduced(system, number))
        half += rng.standard_normal(half.shape)
        sums = system.expand(half)
        n_rest = len(structure.rest)
        found[structure.rest] = sums[:n_rest]
        # A kept effect is its class's mean plus a deviation; deviations sum to 0 in a class.
        right = without_slopes(
            lambda p: np.tensordot(p.vectors.deviation[rows], weight, axes=(0, 0))
        )
        free = _draw_units(kept, system.kept, right, None, rng)
        top = np.zeros((kept.width, kept.n_classes, weight.shape[1]))
        top[structure.kept_place, structure.kept_class] = sums[n_rest:]
        shift = top / np.sqrt(kept.size)[:, None] - _class_means(kept, free)
        _put(found, kept, free + shift[:, kept.member])
        right = without_slopes(lambda p: np.tensordot(p.vectors.of_gone[rows], weight, axes=(0, 0)))
        explained = np.einsum("wkcb,kb->wcb", system.coupling, sums) / np.sqrt(gone.size)[:, None]
        _put(found, gone, _draw_units(gone, system.gone, right, explained, rng))
        found[:] = structure.mixed(found)

    def draw_of_pairs(
        self, rest: Array, found: Array, effects: Array, noise: Array, rng: Generator
    ) -> tuple[Array, Array]:
        """Draw effects of single pairs, (n_pairs, B): of similar attributes none, and others."""
        for column in self.structure.columns:
            rest = rest - np.where((column >= 0)[:, None], found[column], 0.0)
        noises, added = self.variance(effects, noise)
        share = (added / (added + noises))[self.structure.noise]
        spread = np.sqrt(share * noises[self.structure.noise])
        return np.zeros_like(rest), share * rest + spread * rng.standard_normal(spread.shape)

    def _twice_log_scale(self, system: System) -> Array:
        """Return twice the log density of responses of 0, one set, (B,)."""
        pairs, weight = self.structure.pairs, system.weight
        return np.asarray(
            self.n_levels @ np.log(system.precision)
            - system.log_determinant()
            + pairs @ np.log(weight)
            - pairs.sum() * np.log(2 * np.pi)
        )

    def sums(self, columns: "Sequence[Part]") -> tuple[Array, Array, Array]:
        """Return what `products` sums over pairs, for any two of m columns, m (m + 1) / 2 of them.

        Of the responses, noise level by noise level; and of what both sets of units make of them.
        """
        n = self.structure.n_noise
        one, two = np.divmod(np.arange(n * n), n)
        starts = n * np.arange(self.n_sets)
        pairs = [(a, b) for i, a in enumerate(columns) for b in columns[: i + 1]]
        products = [(a.y * b.y).sum(axis=0) for a, b in pairs]
        squares = [np.bincount(self.structure.noise, of_pairs, n) for of_pairs in products]

        def of_units(units: Units, both: list[tuple[Array, Array]]) -> Array:
            return np.array(
                [sum(units.products(a[one + s], b[two + s]) for s in starts) for a, b in both]
            )

        gone = [(a.vectors.of_gone, b.vectors.of_gone) for a, b in pairs]
        kept = [(a.vectors.deviation, b.vectors.deviation) for a, b in pairs]
        of_gone, of_kept = of_units(self.structure.gone, gone), of_units(self.structure.kept, kept)
        return np.array(squares, dtype=float), of_gone, of_kept

    def products(
        self,
        columns: "Sequence[Part]",
        sums: tuple[Array, Array, Array],
        effects: Array,
        noise: Array,
    ) -> tuple[Array, Array]:
        """Return the log density of responses of 0, and products under the inverse covariance.

        `columns`: m parts that differ from this in their responses alone; `sums`: what `sums`
        returns of them. Returns (B,), and of the responses of any two, summed over sets, (B, m, m).
        """
        system = self.system(effects, noise)
        weight = system.weight
        squares, of_gone, of_kept = sums
        both = (weight[:, None] * weight[None]).reshape(-1, weight.shape[1])
        values = squares @ weight
        for lower, products in ((system.gone, of_gone), (system.kept, of_kept)):
            inverted = inverse(lower).reshape(products.shape[2], weight.shape[1])
            values -= ((products @ inverted) * both).sum(axis=1)
        m = len(columns)
        found = np.empty((weight.shape[1], m, m))
        one, two = np.tril_indices(m)
        found[:, one, two] = found[:, two, one] = values.T
        for number in range(self.n_sets):
            at = self.rows(number)
            gone = np.stack([column.vectors.gone[at] for column in columns], axis=2)
            kept = np.stack([column.vectors.kept[at] for column in columns], axis=2)
            gone = np.tensordot(gone, weight, axes=(0, 0))
            reduced = system.reduce(np.tensordot(kept, weight, axes=(0, 0)), gone)
            left = np.ascontiguousarray(reduced.transpose(2, 1, 0))
            found -= left @ left.transpose(0, 2, 1)
        return 0.5 * self.n_sets * self._twice_log_scale(system), found

    def functions(self, weights: Array) -> Moments:
        """Return what says mean and variance, (F, B), of functions of the effects of every set.

        `weights` (n_sets, F, n_effects).
        """
        sets = [_Functions(self, number, one) for number, one in enumerate(weights) if one.any()]

        def moments(effects: Array, noise: Array) -> list[tuple[Array, Array]]:
            system = self.system(effects, noise)
            return [functions.moments(system) for functions in sets]

        return moments


def _put(found: Array, units: Units, values: Array) -> None:
    """Put values by unit, (width, n_units, B), to the places of their effects."""
    for effect, value in zip(units.effect.T, values, strict=True):
        real = effect >= 0
        found[effect[real]] = value if real.all() else value[real]


def _draw_units(
    units: Units, lower: Array, right: Array, explained: Array | None, rng: Generator
) -> Array:
    """Draw x ~ N(E⁻¹ r − L⁻ᵀ explained, E⁻¹) for every unit, shape (width, n_units, B)."""
    factor = _OfMember(lower, units)
    x = forward(factor, np.ascontiguousarray(right.transpose(1, 0, 2)))
    if explained is not None:
        x -= explained[:, units.member]
    x += rng.standard_normal(x.shape)
    return backward(factor, x)


class _OfMember(Entries):
    """The factor of every unit's class, gathered an entry at a time: all at once are too many."""

    def __init__(self, lower: Array, units: Units) -> None:
        self._lower, self._member = lower, units.member

    def __len__(self) -> int:
        return len(self._lower)

    def __getitem__(self, at: tuple[int, int], /) -> Array:
        entry = np.asarray(self._lower[at])
        return entry if len(entry) == 1 else entry[self._member]


def _class_means(units: Units, values: Array) -> Array:
    """Average over the members of every class: (width, n_units, B) to (width, n_classes, B)."""
    if units.n_classes == len(units.member):
        return values[:, units.first]
    belongs = (units.member == np.arange(units.n_classes)[:, None]) / units.size[:, None]
    return np.asarray(np.einsum("cu,wub->wcb", belongs, values, optimize=True))


class _Functions:
    """Linear functions, (F, n_effects), of the effects of one set of a part."""

    def __init__(self, part: Part, number: int, weights: Array) -> None:
        structure, rows = part.structure, part.rows(number)
        self.part, self.number = part, number
        self.wanted = wanted = Vectors(structure, weights)
        self.products = [
            _products(units, own, given[rows])
            for units, own, given in (
                (structure.gone, wanted.of_gone, part.vectors.of_gone),
                (structure.kept, wanted.deviation, part.vectors.deviation),
            )
        ]

    def moments(self, system: System) -> tuple[Array, Array]:
        """Return fᵀP⁻¹r and fᵀP⁻¹f, summed over the parts of P that are not coupled."""
        weight = system.weight
        size = weight.shape[1]
        kept = np.repeat(self.wanted.kept.T[:, :, None], size, axis=2)
        gone = np.repeat(self.wanted.gone.transpose(1, 0, 2)[..., None], size, axis=3)
        half = system.reduce(kept, gone)
        mean = (half * self.part.reduced(system, self.number)[:, None]).sum(axis=0)
        variance = (half**2).sum(axis=0)
        for (own, both), lower in zip(self.products, (system.gone, system.kept), strict=True):
            inverted = inverse(lower).reshape(-1, size)
            variance += own @ inverted
            mean += ((both @ inverted) * weight).sum(axis=1)
        return mean, variance


def _products(units: Units, own: Array, other: Array) -> tuple[Array, Array]:
    """Return products with themselves, (F, entries), and responses, (F, n_noise, entries)."""
    n, m = len(own), len(other)
    both = units.products(np.repeat(own, m, axis=0), np.tile(other, (n, 1, 1)))
    return units.products(own, own), both.reshape(n, m, -1)
