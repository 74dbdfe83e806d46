"""A block: connections that share effects or standard deviations, and the density of the latter.

Given its standard deviations θ a block is a linear mixed model whose effects integrate out
(`rotation` where every word meets every attribute, else `henderson`):

    log p(y | θ) = ½ [ Σ log prior precision − log|P| + Σ_k n_k log w_k
                       − Σ_k w_k yy_k + rᵀP⁻¹r − N log 2π ]

with yy the sums of squares of y − μ. Noise enters as z = log s, an effect's standard deviation as
τ = δ sinh|x|, with δ the error of one effect: logarithmic where the data are sure that τ > 0, and
linear through 0 where they are not, so that the density, even in x, is nearly normal in both cases
(in log τ it leans far to the left). Where similar attributes share a part of the noise, s is the
standard deviation of both parts and ρ, the share of the variance s² that they share, enters as
log ρ / (1 − ρ): the noise of a word is N(0, (1 − ρ) s² I + ρ s² K), and with a prior of ρ that has
a density at 0 and 1 neither of the parts has a mode at 0.
"""

import dataclasses
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from scipy.sparse import csr_array, hstack
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from bayesbias.engine.henderson import MixedModelEquations, factor_large
from bayesbias.engine.rotation import RotatedBlock
from bayesbias.engine.two_sided import TwoSided
from bayesbias.errors import DistancesError
from bayesbias.models.design import NOISE_SIMILAR, Design
from bayesbias.models.similarity import directions
from bayesbias.models.specification import ModelSpec
from bayesbias.models.terms import Prior
from bayesbias.support.arguments import Array, Index
from bayesbias.support.machine import on_one_thread

WIDEST: Final = 20.0  # no standard deviation of a cosine distance is near this
_MOST_LOGIT: Final = 20.0  # beyond, a part of the noise has an sd of 1 / 20,000 of the whole
_LEAST: Final = 1e-5  # sd of a pair's own noise, in those of the responses
_FAR_LOGIT: Final = 3.0
_SMALLEST: Final = 1e-6  # of an effect's error: 0 has no precision

# Of standard deviations, the largest to that of the noise, of which less counts as this much:
# beyond, a density is rounding. What a word, its group and its lists have with all attributes is
# told apart by the fourth power of this. Where hard debiasing made matched words equally far from
# everything, nothing else bounds the noise.
_FARTHEST: Final = 1e4
# Share of a pair's own noise that less of it counts as: the likelihood knows no more than rounding.
_LEAST_OWN: Final = 1e-4


def blocks_of(design: Design) -> list[list[int]]:
    """Return the connections to draw together: they share a level, a term's sd, or the noise."""
    n_pairs = len(design.connection)
    member = csr_array((np.ones(n_pairs), (design.connection, np.arange(n_pairs))))
    has, sd = design.effects.incidence != 0, design.effects.variance
    of_sds = csr_array((np.ones(len(sd)), (np.arange(len(sd)), sd)))
    is_free = [isinstance(prior, Prior) for prior in design.sd_priors[: of_sds.shape[1]]]
    noise = csr_array((np.ones(n_pairs), (np.arange(n_pairs), design.noise)))
    shared = member @ hstack([has, has @ of_sds[:, np.flatnonzero(is_free)], noise])
    n_blocks, block = connected_components(shared @ shared.T, directed=False)
    return [np.flatnonzero(block == number).tolist() for number in range(n_blocks)]


@lru_cache(maxsize=8)
@on_one_thread
def every_block(design: Design, spec: ModelSpec) -> "list[Block]":
    """Return the blocks of a model; the last are remembered, since every answer needs them."""
    return [Block(design, spec, connections) for connections in blocks_of(design)]


class Block:
    """The density of a block's standard deviations, those of effects and those of the noise.

    `spec`: with a normal likelihood. `rows` (n_pairs,): the numbers of the block's pairs in the
    design. `effects`: those of connections' means, of all terms, and of nearness; of them are the
    `parameters` of the design that have pairs here, by `mixing` (n_parameters, n_effects). `noise`:
    the levels that occur, `noise_of_rows` (n_pairs,) that of every pair. `sds` (n_sds,) and
    `noise_sds`: the numbers of standard deviations in the design.

    Coordinates are those of the `n_free` sds of effects that `is_free` marks, the others being
    known; of the noise; and of `n_shares` shares of its similar parts. `shared`: the levels that
    have such a part, and where the sds of these stand in `sds`. `table`: from `complete_table`.
    """

    def __init__(self, design: Design, spec: ModelSpec, connections: list[int]) -> None:
        self.connections = connections
        self.name = "+".join(design.connections[c] for c in connections)
        self.rows = np.flatnonzero(np.isin(design.connection, connections))
        self.response = design.response[self.rows]
        self.noise, self.noise_of_rows = np.unique(design.noise[self.rows], return_inverse=True)
        self.noise_sds = design.sd_places["noise_sd"].start + self.noise
        present, attribute = np.unique(design.attribute[self.rows], return_inverse=True)
        _, word = np.unique(design.word[self.rows], return_inverse=True)
        self.table = complete_table(word, attribute)
        alike = design.similarity
        self.similarity = None if alike is None else alike[np.ix_(present, present)]
        mean = spec.connection_mean
        self.mean = mean.parameters["mean"] if isinstance(mean, Prior) else mean
        self.noise_prior, self.share_prior = spec.noise.prior, spec.noise.similar_share
        at, effects = design.effects.within(self.rows)
        sds, self.variance = np.unique(effects.variance, return_inverse=True)
        self.effects = dataclasses.replace(effects, variance=self.variance)
        self.n_effects, self.incidence = len(at), effects.incidence
        mixing = design.mixing[:, at]
        self.parameters = np.flatnonzero(np.diff(mixing.indptr))
        self.mixing = mixing[self.parameters]
        # Of nearness the standard deviation is a number, and stands first; then that of the means.
        self.n_near, self.n_means = np.searchsorted(sds, [1, 2])
        levels = np.flatnonzero(design.noise_similar[self.noise])
        self.n_shares = len(levels)
        self.shared = levels, len(sds) + np.arange(self.n_shares)
        # The number that a noise level with a similar part has among those with one.
        place = np.cumsum(design.noise_similar)[self.noise[levels]] - 1
        self.sds = np.concatenate([sds, design.sd_places[NOISE_SIMILAR].start + place])
        # That part follows from the noise and the share.
        priors = [*(design.sd_priors[sd] for sd in sds), *[0.0] * self.n_shares]
        self.effect_priors = [prior for prior in priors if isinstance(prior, Prior)]
        self.is_free = np.array([isinstance(prior, Prior) for prior in priors], dtype=bool)
        self.fixed_sds = np.array([sd if isinstance(sd, float) else 0.0 for sd in priors])
        self.n_free = len(self.effect_priors)
        self.dimension = self.n_free + len(self.noise) + self.n_shares

    @cached_property
    def rotation(self) -> TwoSided | None:
        """The matrices that are rotated; None where some word does not meet some attribute."""
        if self.table is None:
            return None
        similar = dict(np.transpose(self.shared).tolist())
        return TwoSided(self.table, self.effects, self.noise_of_rows, similar, self.similarity)

    @property
    def fault(self) -> str:
        """Why similar attributes are not independent after the rotation; nothing if they are."""
        if self.similarity is None:
            return ""
        if self.rotation is None:
            return "not every word meets every attribute once"
        return self.rotation.fault

    @cached_property
    def part(self) -> MixedModelEquations | RotatedBlock:
        """The equations: by `rotation`, or of pairs of any kind."""
        if self.fault:
            raise ValueError(self.fault)
        if self.rotation is None or self.rotation.fault:
            return MixedModelEquations(self.effects, self.noise_of_rows)
        return RotatedBlock(self.rotation)

    @cached_property
    def columns(self) -> Array:
        """What effects that the equations leave out are multiplied by, (k, n_pairs)."""
        return self.incidence[:, self.part.other_effects].T.toarray()

    @cached_property
    def roots(self) -> tuple[Array, Array]:
        """A symmetric root of the similarity, and the similarity."""
        assert self.similarity is not None
        values, vectors = directions(self.similarity)
        return vectors * np.sqrt(values) @ vectors.T, self.similarity

    def functions(self, weights: Array) -> Callable[[Array, Array], tuple[Array, Array, Array]]:
        """Return a function of standard deviations of effects (n_sds, B) and of noise (n_noise, B).

        `weights` (F, n_effects): linear functions of the effects. It gives the log density of the
        responses, (B,), and the means and variances of the functions given these, (F, B).
        """
        others, at = weights.copy(), self.part.other_effects
        others[:, at] = 0.0
        responses = np.vstack([self.response - self.mean, self.columns])
        of_part = self.part.functions(others, responses)

        def moments(effects: Array, noise: Array) -> tuple[Array, Array, Array]:
            value, gram, met, spread = of_part(effects, noise)
            # Given the coefficients β of C the mean is m(y) − Σ β_k m(c_k), and the variance that
            # without C: moments add up by the laws of total expectation and total variance.
            on_columns = (weights[:, at] - met[:, :, 1:]).swapaxes(1, 2)
            right = np.concatenate([gram[:, 1:, :1], on_columns], axis=2)
            half, pivots = self.on_columns(effects, gram[:, 1:, 1:], right)  # (B, k, 1 + F)
            square = gram[:, 0, 0] - (half[:, :, 0] ** 2).sum(axis=1)
            value = value - 0.5 * square - np.log(pivots).sum(axis=1)
            mean = met[:, :, 0] + (half[:, :, :1] * half[:, :, 1:]).sum(axis=1)
            return value, mean.T, spread + (half[:, :, 1:] ** 2).sum(axis=1).T

        return moments

    @cached_property
    def log_likelihood(self) -> Callable[[Array, Array], Array]:
        """The log density of the responses, all effects integrated out, as of `functions`."""
        functions = self.functions(np.zeros((0, self.n_effects)))
        return lambda effects, noise: functions(effects, noise)[0]

    def on_columns(self, effects: Array, gram: Array, right: Array) -> tuple[Array, Array]:
        """Return L⁻¹T times right-hand sides (B, k, F), and the pivots of L; L Lᵀ = I + T G T.

        `gram` (B, k, k), G = CᵀΣ⁻¹C: of the columns C, whose effects have the sds T. So |V| = |Σ|
        |L|² (matrix determinant lemma), and V⁻¹ = Σ⁻¹ − HᵀH with H = L⁻¹T CᵀΣ⁻¹ (Woodbury).
        """
        if not len(self.columns):
            return right, right[..., 0]
        sd = effects[self.variance[self.part.other_effects]].T
        lower = factor_large(sd[:, :, None] * gram * sd[:, None] + np.eye(len(self.columns)))
        half = np.linalg.solve(lower, sd[:, :, None] * right)
        return np.asarray(half), np.einsum("bii->bi", lower)

    @cached_property
    def spread(self) -> Array:
        """The standard deviation of responses, (n_noise,)."""
        spread, y = np.empty(len(self.noise)), self.response - self.mean
        for level in range(len(spread)):
            own = y[self.noise_of_rows == level]
            spread[level] = own.std()
            if spread[level] ** 2 <= 1e-24 + 1e-15 * (own**2).mean():  # less is rounding
                if len(own) > 1:
                    raise self.constant()
                fixed = self.fixed_sds[self.n_near :].max(initial=0.0)
                spread[level] = y.std() or fixed or 1.0
        return spread

    @cached_property
    def _scale(self) -> tuple[Array, Array]:
        """How exact the responses are about effects, and of how many pairs each is, (n_free,)."""
        squares = self.incidence.power(2)
        spread = squares.T @ self.spread[self.noise_of_rows]
        pairs, noise, n_levels = (
            np.bincount(self.variance, of, len(self.sds))[self.is_free]
            for of in (squares.sum(axis=0), spread, np.ones(self.n_effects))
        )
        return 2.0 * noise / pairs / np.sqrt(pairs / n_levels), pairs / n_levels

    @property
    def error(self) -> Array:
        """The error of an effect: twice that of the mean of its responses, (n_free,)."""
        return self._scale[0]

    def constant(self) -> DistancesError:
        """Return the error for responses that leave the noise no lower bound."""
        return DistancesError(
            f"the distances of connection {self.name!r} do not vary beyond what words and "
            f"attributes explain, or by so little that rounding hides it, so that their noise "
            f"cannot be estimated; check whether the distances were computed, or leave the "
            f"connection out"
        )

    @property
    def starts(self) -> Array:
        """Where to climb from, a row each: rough coordinates from the spread of the responses.

        Then where the noise is, and is not, of similar parts. These and effects of single words,
        groups or attributes may stand for each other, so that there can be several modes.
        """
        effects = np.arcsinh(0.2 * np.sqrt(self._scale[1]))  # 0.4 times the noise
        start = np.concatenate([effects, np.log(0.7 * self.spread), np.zeros(self.n_shares)])
        rows, n_others = np.tile(start, (3 if self.n_shares else 1, 1)), len(start) - self.n_shares
        rows[1:2, : self.n_free] *= 0.25
        rows[1:2, n_others:], rows[2:, n_others:] = _FAR_LOGIT, -_FAR_LOGIT
        return rows

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Range of the coordinates: no noise so small, no standard deviation so large."""
        share = np.full(self.n_shares, _MOST_LOGIT)
        low = np.concatenate([np.zeros(self.n_free), np.log(_LEAST * self.spread), -share])
        widest = np.full(len(self.noise), np.log(WIDEST))
        return low, np.concatenate([np.arcsinh(WIDEST / self.error), widest, share])

    def _parts(self, x: Array) -> list[Array]:
        """Return the coordinates of effects, of the noise and of shares, of x (..., dimension)."""
        return np.split(x, [self.n_free, self.dimension - self.n_shares], axis=-1)

    def is_exact(self, mode: Array) -> bool:
        """Tell, at a mode (dimension,), whether responses are explained without any noise."""
        return bool((self._parts(mode)[1] < self._parts(self.bounds[0])[1] + 1.0).any())

    def standard_deviations(self, x: Array) -> tuple[Array, Array]:
        """Return those of effects, (n_sds, B), and of noise, (n_noise, B), at x (B, dimension)."""
        free, log_noise, logit = (part.T for part in self._parts(x))
        effects = np.repeat(self.fixed_sds[:, None], len(x), axis=1)
        effects[self.is_free] = self.error[:, None] * np.maximum(np.sinh(np.abs(free)), _SMALLEST)
        noise, (levels, parts) = np.exp(log_noise), self.shared
        effects[parts] = noise[levels] * np.sqrt(expit(logit))
        noise[levels] *= np.sqrt(np.maximum(expit(-logit), _LEAST_OWN))
        # Smoothly, since a mode at an edge has no scale: debiased pairs may have no noise at all.
        least = effects[self.n_means :].max(axis=0, initial=0.0) / _FARTHEST
        return effects, (noise**4 + least**4) ** 0.25

    def log_density(self, x: Array) -> Array:
        """Return log p(y, x), coordinates (B, dimension) to (B,)."""
        step = self.part.step
        density = np.empty(len(x))
        with np.errstate(all="ignore"):  # what is not finite has no density
            for i in range(0, len(x), step):
                effects, noise = self.standard_deviations(x[i : i + step])
                free, log_noise, logit = self._parts(x[i : i + step])
                value = self._log_prior(effects, np.exp(log_noise).T, logit.T)
                # Jacobians of τ = δ sinh x and s = exp z; the share's density is of its logit.
                value += np.log(self.error * np.cosh(free)).sum(axis=1) + log_noise.sum(axis=1)
                value += self.log_likelihood(effects, noise)
                density[i : i + step] = np.where(np.isfinite(value), value, -np.inf)
        return density

    def _log_prior(self, effects: Array, total: Array, logit: Array) -> Array:
        """Return that of effects, of the whole noise (n_noise, B) and its shares, summed, (B,)."""
        value = self.noise_prior.log_density(total).sum(axis=0)
        for prior, sd in zip(self.effect_priors, effects[self.is_free], strict=True):
            value += prior.log_density(sd)
        if self.share_prior is not None:
            value += self.share_prior.log_density_of_logit(logit).sum(axis=0)
        return np.asarray(value)

    def log_joint(self, effects: Array, noise: Array) -> Array:
        """Return log p(y, θ), (B,), at standard deviations of effects (n_sds, B) and noise.

        That of `log_density` without the Jacobians of its coordinates, which depend on the data:
        so blocks of other pairs or priors with the same standard deviations can be compared.
        """
        (levels, parts), total = self.shared, noise.copy()
        total[levels] = np.hypot(noise[levels], effects[parts])
        # ρ / (1 − ρ) is the ratio of the two variances.
        logit = 2.0 * np.log(effects[parts] / noise[levels])
        return self._log_prior(effects, total, logit) + self.log_likelihood(effects, noise)


def complete_table(word: Index, attribute: Index) -> Index | None:
    """Return the row of every word and attribute, both from 0; None where a pair has not one."""
    rows = np.full((int(word.max()) + 1, int(attribute.max()) + 1), -1, np.int64)
    rows[word, attribute] = np.arange(len(word))
    return rows if len(word) == rows.size and (rows >= 0).all() else None
