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
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_array, hstack
from scipy.sparse.csgraph import connected_components

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

WIDEST: Final = 20.0
"""No standard deviation of a cosine distance is near this."""

_MOST_LOGIT: Final = 20.0
"""Beyond it a part of the noise has an sd of less than 1 / 20,000 of the whole."""

_LEAST: Final = 1e-5
"""Least sd of a pair's own noise, in those of the responses."""

_FARTHEST: Final = 1e4
"""Of standard deviations, the largest to that of the noise, of which less counts as this much:
beyond, a density is rounding. What a word, its group and its lists have with all attributes is told
apart by the fourth power of this. Where hard debiasing made matched words equally far from
everything, nothing else bounds the noise."""

_LEAST_OWN: Final = 1e-4
"""Share of a pair's own noise that less of it counts as: a hundredth of the whole's sd.

Where the likelihood knows no more, its rounding would.
"""

_FAR_LOGIT: Final = 3.0
_SMALLEST: Final = 1e-6  # of an effect's error: 0 has no precision


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
    """Return the blocks of a model, in the order of `blocks_of`.

    The engine needs them, and so does every answer of its fit: the last are remembered.
    """
    return [Block(design, spec, connections) for connections in blocks_of(design)]


class Block:
    """The density of a block's standard deviations.

    `spec`: with a normal likelihood. `connections`: the block's; `rows` (n_pairs,): the numbers of
    its pairs in the design.

    The `effects` are those of connections' means, of all terms, and of nearness, independent but
    for similar attributes: `incidence` (n_pairs, n_effects) has which every pair has, and
    `variance` (n_effects,) the numbers of their standard deviations. `mixing` (n_parameters,
    n_effects): what those `parameters` of the design that have pairs here are of effects. `sds`:
    which standard deviations of the design occur; `noise` and `noise_sds`: which levels of the
    noise do, and which standard deviations they are; `noise_of_rows` (n_pairs,) of every pair.

    `effect_of_columns` (k,): the effects that are not independent once rotated; `columns` (k,
    n_pairs): what they are multiplied by.

    `is_free` (n_sds,): which standard deviations of effects are to be found; `n_free` of them,
    `dimension` with those of the noise and the shares of its similar parts: the first `n_free`
    coordinates are the effects', the last those of `n_shares` shares. `shared`: the numbers of the
    noise's standard deviations that have a similar part, and of those of the parts. `table`: from
    `complete_table`; `similarity`: of its attributes, where they are similar.
    """

    def __init__(self, design: Design, spec: ModelSpec, connections: list[int]) -> None:
        spec.refuse_relative()
        self.connections = connections
        self.name = "+".join(design.connections[c] for c in connections)
        self.rows = np.flatnonzero(np.isin(design.connection, connections))
        self.response = design.response[self.rows]
        self.noise, noise = np.unique(design.noise[self.rows], return_inverse=True)
        self.noise_of_rows = noise.ravel()
        self.noise_sds = design.sd_places["noise_sd"].start + self.noise
        present, attribute = np.unique(design.attribute[self.rows], return_inverse=True)
        _, word = np.unique(design.word[self.rows], return_inverse=True)
        self.table = complete_table(word.ravel(), attribute.ravel())
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
        priors = [design.sd_priors[sd] for sd in sds]
        # Of nearness the standard deviation is a number, and stands first; then that of the means.
        self.n_near, self.n_means = np.searchsorted(sds, [1, 2])
        with_part = np.flatnonzero(design.noise_similar[self.noise])
        self.n_shares = len(with_part)
        self.shared = with_part, len(sds) + np.arange(self.n_shares)
        # The number that a noise level with a similar part has among those with one.
        place = np.cumsum(design.noise_similar)[self.noise[with_part]] - 1
        self.sds = np.concatenate([sds, design.sd_places[NOISE_SIMILAR].start + place])
        priors += [0.0] * self.n_shares  # that part follows from the noise and the share
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
        similar = dict(zip(*(numbers.tolist() for numbers in self.shared), strict=True))
        noise = self.noise_of_rows
        return TwoSided(self.table, self.effects, noise, similar, self.similarity)

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

    @property
    def alike(self) -> list[Index]:
        """The effects, (n_codes, n_attributes) each, that correlate over attributes."""
        shares = [] if self.rotation is None else self.rotation.shares
        return [share.effect for share in shares if share.among is not None]

    @property
    def effect_of_columns(self) -> Index:
        """The effects that the equations leave out."""
        part = self.part
        return part.layout.other_effects if isinstance(part, RotatedBlock) else self.rows[:0]

    @cached_property
    def columns(self) -> Array:
        """What those effects are multiplied by, (k, n_pairs)."""
        return self.incidence[:, self.effect_of_columns].T.toarray()

    @cached_property
    def roots(self) -> tuple[Array, Array]:
        """A symmetric root of the similarity, and the similarity."""
        assert self.similarity is not None
        values, vectors = directions(self.similarity)
        return vectors * np.sqrt(values) @ vectors.T, self.similarity

    @cached_property
    def _sums(self) -> Any:
        """What the density needs of the responses and of columns."""
        return self.part.sums(np.vstack([self.columns, self.response - self.mean]))

    def log_likelihood(self, effects: Array, noise: Array) -> Array:
        """Return the log density of the responses, all effects integrated out, (B,)."""
        k = len(self.columns)
        value, gram = self.part.products(self._sums, k + 1, effects, noise)
        half, pivots = self.on_columns(effects, gram[:, :k, :k], gram[:, :k, k:])
        square = gram[:, k, k] - (half**2).sum(axis=(1, 2))
        return np.asarray(value - 0.5 * square - np.log(pivots).sum(axis=1))

    def on_columns(self, effects: Array, gram: Array, right: Array) -> tuple[Array, Array]:
        """Return L⁻¹T times right-hand sides (B, k, F), and the pivots of L; L Lᵀ = I + T G T.

        `gram` (B, k, k), G = CᵀΣ⁻¹C: of the columns C, whose effects have the sds T. So |V| = |Σ|
        |L|² (matrix determinant lemma), and V⁻¹ = Σ⁻¹ − HᵀH with H = L⁻¹T CᵀΣ⁻¹ (Woodbury).
        """
        if not len(self.columns):
            return right, right[..., 0]
        sd = effects[self.variance[self.effect_of_columns]].T
        lower = factor_large(sd[:, :, None] * gram * sd[:, None] + np.eye(len(self.columns)))
        half = np.linalg.solve(lower, sd[:, :, None] * right)
        return np.asarray(half), np.einsum("bii->bi", lower)

    @property
    def n_kept(self) -> int:
        """Rows of the largest system that is factorised."""
        return self.part.n_kept

    @cached_property
    def spread(self) -> Array:
        """The standard deviation of responses, (n_noise,)."""
        noise, n, y = self.noise_of_rows, len(self.noise), self.response - self.mean
        pairs, squares = np.bincount(noise, minlength=n), np.bincount(noise, y**2, n)
        # A difference of squares: below 1e-15 of these it is rounding.
        variance = squares / pairs - (np.bincount(noise, y, n) / pairs) ** 2
        is_constant = variance <= 1e-24 + 1e-15 * squares / pairs
        if (is_constant & (pairs > 1)).any():
            raise self.constant()
        alone = self.response.var() or self.fixed_sds[self.n_near :].max(initial=0.0) ** 2 or 1.0
        variance[is_constant] = alone  # of a single pair
        return np.sqrt(variance)

    @cached_property
    def _scale(self) -> tuple[Array, Array]:
        """The noise around effects, and their error, (n_free,) each.

        The error of an effect is twice the noise over the root of the number of its pairs.
        """
        squares = self.incidence.power(2)
        spread = squares.T @ self.spread[self.noise_of_rows]
        pairs, noise, n_levels = (
            np.bincount(self.variance, of, len(self.sds))[self.is_free]
            for of in (squares.sum(axis=0), spread, np.ones(self.n_effects))
        )
        return noise / pairs, 2.0 * noise / pairs / np.sqrt(pairs / n_levels)

    @property
    def error(self) -> Array:
        """How exact the responses are about effects, (n_free,)."""
        return self._scale[1]

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
        effects = np.arcsinh(0.4 * self._scale[0] / self.error)
        start = np.concatenate([effects, np.log(0.7 * self.spread), np.zeros(self.n_shares)])
        if not self.n_shares:
            return start[None]
        rows = np.stack([start, start, start])
        last = self.dimension - self.n_shares
        rows[1, last:], rows[2, last:] = _FAR_LOGIT, -_FAR_LOGIT
        rows[1, : self.n_free] *= 0.25
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
        noise = np.exp(log_noise)
        of_noise, part = self.shared
        # 1 − ρ and ρ of log ρ / (1 − ρ), either exact where it is small.
        odds = np.exp(-np.abs(logit))
        small, large = odds / (1.0 + odds), 1.0 / (1.0 + odds)
        own, shared = np.where(logit > 0, small, large), np.where(logit > 0, large, small)
        effects[part] = noise[of_noise] * np.sqrt(shared)
        noise[of_noise] *= np.sqrt(np.maximum(own, _LEAST_OWN))
        # Smoothly, since a mode at an edge has no scale: debiased pairs may have no noise at all.
        return effects, (noise**4 + self._least_noise(effects) ** 4) ** 0.25

    def _least_noise(self, effects: Array) -> Array:
        """Return the noise that less of it counts as, (B,), of sds of effects (n_sds, B)."""
        return np.asarray(effects[self.n_means :].max(axis=0, initial=0.0) / _FARTHEST)

    def log_density(self, x: Array) -> Array:
        """Return log p(y, x), coordinates (B, dimension) to (B,)."""
        step = self.part.step
        density = np.empty(len(x))
        with np.errstate(all="ignore"):  # what is not finite has no density
            for i in range(0, len(x), step):
                effects, noise = self.standard_deviations(x[i : i + step])
                _, log_noise, logit = (part.T for part in self._parts(x[i : i + step]))
                value = self._log_prior(effects, np.exp(log_noise), logit)
                value += self._log_jacobian(x[i : i + step])
                value += self.log_likelihood(effects, noise)
                density[i : i + step] = np.where(np.isfinite(value), value, -np.inf)
        return density

    def _log_jacobian(self, x: Array) -> Array:
        """Return that of τ = δ sinh x and s = exp z; the share's density is that of its logit."""
        free, log_noise, _ = self._parts(x)
        return np.asarray(np.log(self.error * np.cosh(free)).sum(axis=1) + log_noise.sum(axis=1))

    def _log_prior(self, effects: Array, total: Array, logit: Array) -> Array:
        """Return the log prior of standard deviations, (B,), of the whole noise and its shares.

        `total` (n_noise, B), `logit` (n_shares, B).
        """
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
        of_noise, part = self.shared
        total = noise.copy()
        total[of_noise] = np.hypot(noise[of_noise], effects[part])
        # ρ / (1 − ρ) is the ratio of the two variances.
        logit = 2.0 * np.log(effects[part] / noise[of_noise])
        return self._log_prior(effects, total, logit) + self.log_likelihood(effects, noise)


def complete_table(word: Index, attribute: Index) -> Index | None:
    """Return the row of every word and attribute; None where one has two rows, or none.

    `word`, `attribute` (n_pairs,): numbered from 0 without gaps.
    """
    rows = np.full((int(word.max()) + 1, int(attribute.max()) + 1), -1, np.int64)
    rows[word, attribute] = np.arange(len(word))
    return rows if len(word) == rows.size and (rows >= 0).all() else None
