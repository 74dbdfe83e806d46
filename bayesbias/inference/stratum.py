"""A stratum: responses with the same effects and noise, one of the independent parts of a block.

Most blocks are a single stratum. Where every pair occurs once in each context, means over contexts
and contrasts between contexts are strata that do not depend on each other (`repeated`).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesbias.inference.elimination import Structure, System, Vectors
from bayesbias.inference.small_matrices import inverse

Array = NDArray[np.float64]
Index = NDArray[np.int64]


class Stratum:
    """Sets of responses of the same pairs, with effects of their own and shared variances.

    Parameters
    ----------
    structure : Structure
    responses : sequence of ndarray, shape (n_pairs,)
        One or several independent sets, less the prior mean.
    effects, noise : ndarray of int
        Which of the block's standard deviations are those of the structure's effects and noise.
    share : float
        What part of these variances the stratum has: 1 / C for means over C contexts. Densities are
        those of the responses divided by its root.
    with_noise : ndarray of int, shape (n_noise,)
        Which of the block's effects count as noise here, one variance per noise level; −1 for none.
    shared : ndarray of bool, shape (n_effects,), optional
        Which effects have `share` of their variance; by default all.

    Attributes
    ----------
    vectors : list of Vectors
        One per set of responses.
    """

    def __init__(
        self,
        structure: Structure,
        responses: Sequence[Array],
        effects: Index,
        noise: Index,
        share: float = 1.0,
        with_noise: Index | None = None,
        shared: NDArray[np.bool_] | None = None,
    ) -> None:
        self.structure, self.responses = structure, responses
        self._effects, self._noise, self._with_noise = effects, noise, with_noise
        self._share = share
        all_shared = np.full(len(effects), np.sqrt(share))
        self._root = all_shared if shared is None else np.where(shared, all_shared, 1.0)
        self._levels = np.bincount(structure.prior, minlength=1 + len(effects)).astype(float)
        n = structure.n_noise
        one, two = np.divmod(np.arange(n * n), n)
        self.vectors = []
        self._squares, of_sets = np.zeros(n), []
        for y in responses:
            vectors = Vectors(structure, structure.sums(y))
            of_gone, deviation = vectors.of_gone, vectors.deviation
            self.vectors.append(vectors)
            self._squares = self._squares + np.bincount(structure.noise, y**2, n)
            of_sets.append(
                (
                    structure.gone.products(of_gone[one], of_gone[two]),
                    structure.kept.products(deviation[one], deviation[two]),
                )
            )
        self._products = [np.sum(of_side, axis=0) for of_side in zip(*of_sets, strict=True)]

    def noise_variance(self, effects: Array, noise: Array) -> Array:
        """Return the variance of every noise level at a block's standard deviations, (n, B)."""
        variance = (np.sqrt(self._share) * noise[self._noise]) ** 2
        if self._with_noise is not None:
            counts = (self._with_noise >= 0)[:, None]
            variance += np.where(counts, effects[self._with_noise], 0.0) ** 2
        return np.asarray(variance)

    def system(self, mean_sd: float, effects: Array, noise: Array) -> System:
        """Return the factorised system at a block's standard deviations, B columns of each."""
        mean = np.full((1, noise.shape[1]), mean_sd or 1.0)
        own = effects[self._effects] * self._root[:, None]
        precision = np.concatenate([mean, own]) ** -2.0
        return System(self.structure, precision, 1.0 / self.noise_variance(effects, noise))

    def log_density(self, system: System) -> Array:
        """Return log p(responses), effects integrated out, shape (B,)."""
        structure, weight = self.structure, system.weight
        explained = np.zeros(weight.shape[1])
        for vectors in self.vectors:
            explained += (system.given(vectors) ** 2).sum(axis=0)
        both = (weight[:, None] * weight[None]).reshape(-1, len(explained))
        for lower, products in zip((system.gone, system.kept), self._products, strict=True):
            inverted = inverse(lower).reshape(products.shape[1], len(explained))
            explained += ((products @ inverted) * both).sum(axis=0)
        of_set = (
            self._levels @ np.log(system.precision)
            - system.log_determinant()
            + structure.pairs @ np.log(weight)
            - structure.pairs.sum() * np.log(2 * np.pi / self._share)
        )
        return np.asarray(0.5 * (len(self.vectors) * of_set - self._squares @ weight + explained))
