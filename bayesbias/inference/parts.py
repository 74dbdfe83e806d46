"""Independent parts of a block: a system of equations and the responses that it explains.

A block is one part, or, where all its pairs come in copies (`replicates`), two: the means over
copies, and the deviations from these, which are several sets of responses with one system.
"""

from collections.abc import Sequence
from copy import copy

import numpy as np

from bayesbias.inference.elimination import Structure, System, Vectors
from bayesbias.inference.exchangeable import Units
from bayesbias.inference.small_matrices import inverse
from bayesbias.support.arrays import Array, Index
from bayesbias.support.types import Generator


class Part:
    """Sets of responses that are independent given the standard deviations.

    `noise` (n_noise,): which of the block's standard deviations of the noise each of the
    structure's has. `scale` (1 + n_sds,): what the effects are multiplied by: the means, and those
    of each standard deviation. `added` (n_noise,): which standard deviation, times its scale, adds
    to that of the noise; −1 for none. `vectors`: the sums of the responses, noise level by noise
    level, set by set.
    """

    def __init__(
        self, structure: Structure, noise: Index, scale: Array, added: Index | None = None
    ) -> None:
        self.structure, self.noise, self.scale = structure, noise, scale
        self.added = np.full(len(noise), -1, np.int64) if added is None else added
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

    def system(self, mean_sd: float, effects: Array, noise: Array) -> System:
        """Return the factorised system at given standard deviations."""
        mean = np.full((1, effects.shape[1]), mean_sd)
        precision = (np.concatenate([mean, effects]) * self.scale[:, None]) ** -2.0
        noises, added = self.variance(effects, noise)
        return System(self.structure, precision, 1.0 / (noises + added))

    def reduced(self, system: System, number: int = 0) -> Array:
        """Return what a set leaves for the kept system, L_S⁻¹ r, shape (n_kept, B)."""
        rows = self.rows(number)
        gone = np.tensordot(self.vectors.gone[rows], system.weight, axes=(0, 0))
        return system.reduce(self.vectors.kept[rows].T @ system.weight, gone)

    def log_likelihood(self, mean_sd: float, effects: Array, noise: Array) -> Array:
        """Return the log density of all sets, the effects integrated out, shape (B,)."""
        system = self.system(mean_sd, effects, noise)
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
        mean_sd: float,
        effects: Array,
        noise: Array,
    ) -> tuple[Array, Array]:
        """Return the log density of responses of 0, and products under the inverse covariance.

        `columns`: m parts that differ from this in their responses alone; `sums`: what `sums`
        returns of them. Returns (B,), and of the responses of any two, summed over sets, (B, m, m).
        """
        system = self.system(mean_sd, effects, noise)
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
