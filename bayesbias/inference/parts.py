"""Independent parts of a block: a system of equations and the responses that it explains.

A block is one part, or, where all its pairs come in copies (`replicates`), two: the means over
copies, and the deviations from these, which are several sets of responses with one system.
"""

from collections.abc import Sequence
from copy import copy

import numpy as np

from bayesbias.inference.elimination import Structure, System, Vectors
from bayesbias.inference.small_matrices import inverse
from bayesbias.support.arrays import Array, Index


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
        self.n_levels = np.bincount(structure.prior, minlength=len(scale)).astype(float)

    def observe(self, y: Array) -> None:
        """Take responses less their prior mean, shape (n_sets, n_pairs)."""
        structure, n = self.structure, self.structure.n_noise
        self.y, self.n_sets = y, len(y)
        self.squares = np.bincount(structure.noise, (y**2).sum(axis=0), n)
        sums = np.concatenate([structure.sums(one) for one in y])
        self.vectors = Vectors(structure, sums)
        start = n * np.arange(self.n_sets)
        one, two = np.divmod(np.arange(n * n), n)
        of_gone, deviation = self.vectors.of_gone, self.vectors.deviation
        self.gone_products, self.kept_products = (
            np.sum([units.products(values[one + i], values[two + i]) for i in start], axis=0)
            for units, values in ((structure.gone, of_gone), (structure.kept, deviation))
        )

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

    @property
    def n_effects(self) -> int:
        """Number of means and effects."""
        return self.structure.n_effects

    @property
    def n_kept(self) -> int:
        """Rows of the system that is factorised."""
        return self.structure.n_kept

    @property
    def step(self) -> int:
        """Values of the standard deviations that are treated at a time."""
        return self.structure.step

    def log_likelihood(self, mean_sd: float, effects: Array, noise: Array) -> Array:
        """Return the log density of all sets, the effects integrated out, shape (B,)."""
        system = self.system(mean_sd, effects, noise)
        weight = system.weight
        size = weight.shape[1]
        explained = np.zeros(size)
        for number in range(self.n_sets):
            explained += (self.reduced(system, number) ** 2).sum(axis=0)
        both = (weight[:, None] * weight[None]).reshape(-1, size)
        for lower, products in (
            (system.gone, self.gone_products),
            (system.kept, self.kept_products),
        ):
            inverted = inverse(lower).reshape(products.shape[1], size)
            explained += ((products @ inverted) * both).sum(axis=0)
        each = self._twice_log_scale(system)
        return np.asarray(0.5 * (self.n_sets * each - self.squares @ weight + explained))

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
        found: tuple[list[Array], list[Array], list[Array]] = ([], [], [])
        for a, b in ((a, b) for i, a in enumerate(columns) for b in columns[: i + 1]):
            squares = np.bincount(self.structure.noise, (a.y * b.y).sum(axis=0), n)
            found[0].append(squares.astype(float))
            sides = (
                (found[1], self.structure.gone, a.vectors.of_gone, b.vectors.of_gone),
                (found[2], self.structure.kept, a.vectors.deviation, b.vectors.deviation),
            )
            for into, units, first, second in sides:
                start = n * np.arange(self.n_sets)
                each = [units.products(first[one + s], second[two + s]) for s in start]
                into.append(np.sum(each, axis=0))
        return np.array(found[0]), np.array(found[1]), np.array(found[2])

    def products(
        self,
        columns: "Sequence[Part]",
        sums: tuple[Array, Array, Array],
        mean_sd: float,
        effects: Array,
        noise: Array,
    ) -> tuple[Array, Array]:
        """Return the log density of responses of 0, and products under the inverse covariance.

        `columns`: m parts that differ from this in their responses alone. `sums`: what `sums`
        returns of them. The log density is (B,), the products (B, m, m) are of the responses of any
        two, summed over sets.
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
