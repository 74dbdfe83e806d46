"""A block: connections that share effects or standard deviations, and the density of the latter.

Given its standard deviations θ a block is a linear mixed model whose effects integrate out
(`elimination`):

    log p(y | θ) = ½ [ Σ log prior precision − log|P| + Σ_k n_k log w_k
                       − Σ_k w_k yy_k + rᵀP⁻¹r − N log 2π ]

with yy the sums of squares of y − μ. Noise enters as z = log s, an effect's standard deviation as
τ = δ sinh|x|, with δ the error of one effect: logarithmic where the data are sure that τ > 0, and
linear through 0 where they are not, so that the density, even in x, is nearly normal in both cases
(in log τ it leans far to the left).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import DistancesError
from bayesbias.inference.design import Design
from bayesbias.inference.elimination import Layout, Structure
from bayesbias.inference.priors import Prior
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.stratum import Stratum

Array = NDArray[np.float64]
Index = NDArray[np.int64]

WIDEST: Final = 20.0
"""No standard deviation of a cosine distance is near this."""

_SMALLEST: Final = 1e-6  # of an effect's error: 0 has no precision


def blocks_of(design: Design) -> list[list[int]]:
    """Return the connections that must be drawn together.

    They share a level or a standard deviation of a term, or the noise.
    """
    n = len(design.connections)
    joined = np.eye(n, dtype=bool)
    shared = [design.noise]
    for term in design.terms:
        shared.append(term.level)
        if term.prior is not None:
            shared.append(np.where(term.acts, term.sd[term.level], -1))
    for index in shared:
        meets = np.zeros((index.max(initial=-1) + 1, n), dtype=bool)
        meets[index[index >= 0], design.connection[index >= 0]] = True
        joined |= meets.T @ meets
    for _ in range(n):
        joined = joined @ joined
    return [np.flatnonzero(row).tolist() for row in np.unique(joined, axis=0)[::-1]]


class Block:
    """The density of a block's standard deviations.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
        With a normal likelihood.
    connections : sequence of int
        The block's connections.

    Attributes
    ----------
    terms : list of int
        The design's terms that act in the block.
    levels : list of ndarray of int
        Per such term the levels that occur in the block.
    sds : list of (int, int)
        Term, and which of its standard deviations, of all that occur in the block.
    noise : ndarray of int
        Which of the design's noise standard deviations occur.
    layout : Layout
        Which effects every pair has.
    strata : list of Stratum
        Independent parts, given the standard deviations; here one.
    is_free : ndarray of bool, shape (n_sds,)
        Which standard deviations of effects are to be found.
    n_free, dimension : int
        Number of these, and with the noise: the first `n_free` coordinates are the effects'.
    """

    def __init__(self, design: Design, spec: ModelSpec, connections: list[int]) -> None:
        self.connections = connections
        rows = np.isin(design.connection, connections)
        self.noise, noise = np.unique(design.noise[rows], return_inverse=True)
        self.terms: list[int] = []
        self.levels: list[Index] = []
        self.sds: list[tuple[int, int]] = []
        levels, sds = [], []
        for number, term in enumerate(design.terms):
            level = term.level[rows]
            present, inside = np.unique(level[level >= 0], return_inverse=True)
            if not len(present):
                continue
            level[level >= 0] = inside
            which, sd = np.unique(term.sd[present], return_inverse=True)
            levels.append(level)
            sds.append(sd + len(self.sds))
            self.terms.append(number)
            self.levels.append(present)
            self.sds += [(number, int(index)) for index in which]
        mean = spec.connection_mean
        self.means = np.searchsorted(connections, design.connection[rows])
        self.mean = mean.parameters["mean"] if isinstance(mean, Prior) else mean
        self.mean_sd = mean.parameters["sd"] if isinstance(mean, Prior) else 0.0
        means = self.means if isinstance(mean, Prior) else None
        self._arrange(noise, means, levels, sds)
        of_sd = [design.terms[term] for term, _ in self.sds]
        self.effect_priors = [term.prior for term in of_sd if term.prior is not None]
        self.noise_prior = spec.noise.prior
        self.is_free = np.array([term.fixed_sd is None for term in of_sd], dtype=bool)
        self.fixed_sds = np.array([term.fixed_sd or 0.0 for term in of_sd])
        self.n_free = int(self.is_free.sum())
        self.dimension = self.n_free + len(self.noise)
        self.name = "+".join(design.connections[c] for c in connections)
        self._observe(design.response[rows])
        self._set_scale()

    def _arrange(
        self, noise: Index, means: Index | None, levels: list[Index], sds: list[Index]
    ) -> None:
        """Lay out the effects, and the structures of the strata."""
        self._structure = Structure(noise, len(self.noise), means, levels, sds)
        self.layout: Layout = self._structure

    def _stratified(self, y: Array) -> list[Stratum]:
        """Return the strata of responses less the prior mean, shape (n_pairs,)."""
        effects, noise = np.arange(len(self.sds)), np.arange(len(self.noise))
        return [Stratum(self._structure, [y], effects, noise)]

    def _observe(self, response: Array) -> None:
        layout = self.layout
        self.response = response
        y = response - self.mean
        n = layout.n_noise
        self.strata = self._stratified(y)
        squares, total = np.bincount(layout.noise, y**2, n), np.bincount(layout.noise, y, n)
        variance = squares / layout.pairs - (total / layout.pairs) ** 2
        is_constant = variance <= 1e-24 + 1e-15 * squares / layout.pairs
        if (is_constant & (layout.pairs > 1)).any():
            raise self.constant()
        variance[is_constant] = response.var() or self.mean_sd**2 or 1.0  # of a single pair
        self.spread = np.sqrt(variance)

    def constant(self) -> DistancesError:
        """Return the error for responses that leave the noise no lower bound."""
        return DistancesError(
            f"the distances of connection {self.name!r} do not vary beyond what words and "
            f"attributes explain, so that their noise cannot be estimated; look whether the "
            f"distances were computed, or leave the connection out"
        )

    def _set_scale(self) -> None:
        """Find the errors of effects: twice the noise over the root of the number of pairs."""
        layout, n = self.layout, 1 + len(self.sds)
        acts, spread = np.zeros(n), np.zeros(n)
        for column in layout.columns:
            rows = column >= 0
            prior = layout.prior[column[rows]]
            acts += np.bincount(prior, minlength=n)
            spread += np.bincount(prior, self.spread[layout.noise[rows]], n)
        pairs = acts[1:] / np.bincount(layout.prior, minlength=n)[1:]
        self.typical = (spread[1:] / acts[1:])[self.is_free]
        self.error = 2.0 * self.typical / np.sqrt(pairs[self.is_free])

    @property
    def start(self) -> Array:
        """Rough coordinates from the spread of the responses."""
        effects = np.arcsinh(0.4 * self.typical / self.error)
        return np.concatenate([effects, np.log(0.7 * self.spread)])

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Range of the coordinates: no noise so small, no standard deviation so large."""
        n_noise = len(self.noise)
        low = np.concatenate([np.zeros(self.n_free), np.log(1e-5 * self.spread)])
        high = np.concatenate([np.arcsinh(WIDEST / self.error), np.full(n_noise, np.log(WIDEST))])
        return low, high

    def standard_deviations(self, x: Array) -> tuple[Array, Array]:
        """Return those of effects, (n_sds, B), and of noise, (n_noise, B), at x (B, dimension)."""
        effects = np.empty((len(self.sds), len(x)))
        effects[:] = self.fixed_sds[:, None]
        sinh = np.maximum(np.sinh(np.abs(x[:, : self.n_free])), _SMALLEST)
        effects[self.is_free] = (self.error * sinh).T
        return effects, np.exp(x[:, self.n_free :]).T

    def coordinates(self, effects: Array, noise: Array) -> Array:
        """Return coordinates of standard deviations; the inverse of `standard_deviations`."""
        x = np.arcsinh(effects[self.is_free].T / self.error)
        return np.concatenate([x, np.log(noise).T], axis=1)

    @property
    def n_kept(self) -> int:
        """Rows of the largest system that is factorised."""
        return max(stratum.structure.n_kept for stratum in self.strata)

    @property
    def step(self) -> int:
        """How many values of the standard deviations go together."""
        return min(stratum.structure.step for stratum in self.strata)

    def joined(
        self, sets: list[list[Array]], effects: Array, noise: Array, rng: np.random.Generator
    ) -> Array:
        """Return draws of all effects, (n_effects, B), from those of each stratum's sets."""
        return sets[0][0]

    def weights_of_strata(self, weights: Array) -> list[list[Array]]:
        """Return weights of effects, (F, n_effects), as those of each stratum's set of effects."""
        return [[weights]]

    def log_density(self, x: Array) -> Array:
        """Return log p(y, x), coordinates (B, dimension) to (B,)."""
        step = self.step
        with np.errstate(all="ignore"):  # what is not finite has no density
            parts = [self._log_density(x[i : i + step]) for i in range(0, len(x), step)]
        return np.concatenate(parts)

    def _log_density(self, x: Array) -> Array:
        effects, noise = self.standard_deviations(x)
        value = self._log_prior(x, effects, noise)
        for stratum in self.strata:
            value += stratum.log_density(stratum.system(self.mean_sd, effects, noise))
        return np.where(np.isfinite(value), value, -np.inf)

    def _log_prior(self, x: Array, effects: Array, noise: Array) -> Array:
        """Return the log prior of the standard deviations, in the coordinates."""
        jacobian = np.log(self.error * np.cosh(x[:, : self.n_free])).sum(axis=1)
        value = jacobian + x[:, self.n_free :].sum(axis=1)
        for prior, sd in zip(self.effect_priors, effects[self.is_free], strict=True):
            value += prior.log_density(sd)
        for sd in noise:
            value += self.noise_prior.log_density(sd)
        return np.asarray(value)
