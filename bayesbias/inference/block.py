"""A block: connections that share effects or standard deviations, and the density of the latter.

Given its standard deviations θ a block is a linear mixed model whose effects integrate out
(`complete_block` where every word meets every attribute, else `mixed_model_equations`):

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
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from bayesbias.errors import DistancesError
from bayesbias.inference.balance import Balance
from bayesbias.inference.complete_block import CompleteBlock
from bayesbias.inference.complete_layout import (
    AttributeTerm,
    CompleteLayout,
    PairNoise,
    TermLayout,
    complete_layout,
)
from bayesbias.inference.design import Design
from bayesbias.inference.mixed_model_equations import MixedModelEquations
from bayesbias.inference.priors import Prior
from bayesbias.inference.replicates import Replicates, find_replicates
from bayesbias.inference.similarity import Similarity
from bayesbias.inference.slopes import GlsSlopes
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.arrays import Array, Index, Mask
from bayesbias.support.threads import on_one_thread

WIDEST: Final = 20.0
"""No standard deviation of a cosine distance is near this."""

NOISE: Final = -1
"""What stands for a term's number where a standard deviation is of the noise's similar part."""

_MOST_LOGIT: Final = 20.0
"""Beyond it a part of the noise has an sd of less than 1 / 20,000 of the whole."""

_LEAST: Final = 1e-5
"""Least sd of a pair's own noise, in those of the responses."""

_FARTHEST: Final = 1e4
"""Of standard deviations, the largest to the smallest; beyond, a density is rounding: what a word,
its group and its lists have with all attributes is told apart by the fourth power of this."""

_LEAST_OWN: Final = 1e-4
"""Share of a pair's own noise that less of it counts as: a hundredth of the whole's sd.

Where the likelihood knows no more, its rounding would.
"""

_FAR_LOGIT: Final = 3.0

_MANY_CELLS: Final = 3000
"""Entries of the matrices over classes, from which equations of any pairs cost less."""

_MANY_SHARED: Final = 100
"""Effects that words share from which a design costs more than equations of any pairs."""

Part = CompleteBlock | MixedModelEquations

_SMALLEST: Final = 1e-6  # of an effect's error: 0 has no precision


def blocks_of(design: Design) -> list[list[int]]:
    """Return the connections to draw together: they share a level, a term's sd, or the noise."""
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
    # Transitive closure: what is joined to something joined is joined too.
    for _ in range(n):
        joined = joined @ joined
    return [np.flatnonzero(row).tolist() for row in np.unique(joined, axis=0)[::-1]]


@on_one_thread
def every_block(design: Design, spec: ModelSpec, *, unrelated: bool = False) -> "list[Block]":
    """Return the blocks of a model, in the order of `blocks_of`; the same as long as a design is.

    The engine needs them, and so does every answer of its fit. `unrelated`: those for groups that
    are unrelated to the lists, of a design that knows how alike attributes are.
    """
    known = _KNOWN.setdefault(design, {})
    if (spec, False) not in known:
        known[spec, False] = [Block(design, spec, one) for one in blocks_of(design)]
    if (spec, unrelated) not in known:
        assert design.alike is not None
        alike = design.alike.unrelated
        known[spec, unrelated] = [one.with_similarity(alike) for one in known[spec, False]]
    return known[spec, unrelated]


_KNOWN: Final["WeakKeyDictionary[Design, dict[tuple[ModelSpec, bool], list[Block]]]"] = (
    WeakKeyDictionary()
)
"""The blocks that were made; not a part of designs, which saved and sent fits have in them."""


class Block:
    """The density of a block's standard deviations.

    `spec`: with a normal likelihood. `connections`: the block's.

    `terms`: the numbers of the design's terms that act in the block; `levels`: of each the levels
    that occur in it; `levels_of_rows` (n_pairs,): of each the level of every pair, numbered within
    the block, −1 where it does not act. `sds`: term, and which of its standard deviations, of all
    that occur; `noise`: which of the design's noise standard deviations do. `offset`: the number of
    each term's first effect, and, at the end, the number of effects without slopes; the means come
    first. `n_effects`: with slopes.

    `slopes` (k, n_pairs): what each slope is multiplied by; slopes are the last effects, and
    `sd_of_slopes` (k,) says which standard deviation each has. `replicates`: how the pairs come in
    copies, if they do. `layouts`: what the block's parts are made of.

    `is_free` (n_sds,): which standard deviations of effects are to be found; `n_free` of them,
    `dimension` with those of the noise and the shares of its similar parts: the first `n_free`
    coordinates are the effects', the last those of `n_shares` shares. `shared`: the numbers of the
    noise's standard deviations that have a similar part, and of those of the parts. `is_similar`:
    whether effects of similar attributes, or the noise of a word with them, are alike.
    `attributes`: the design's that the block has.
    """

    def __init__(self, design: Design, spec: ModelSpec, connections: list[int]) -> None:
        spec.refuse_relative()
        self.connections = connections
        rows = np.isin(design.connection, connections)
        self.noise, noise = np.unique(design.noise[rows], return_inverse=True)
        priors = self._take_terms(design, rows)
        self.noise_similar = np.zeros(len(self.noise), np.int64)
        alike = np.flatnonzero(design.noise_similar[self.noise])
        self.noise_similar[alike] = 1 + len(self.sds) + np.arange(len(alike))
        # The number that a noise level with a similar part has among those with one.
        place = np.cumsum(design.noise_similar) - 1
        self.shared = alike, len(self.sds) + np.arange(len(alike))
        self.sds += [(NOISE, int(place[self.noise[level]])) for level in alike]
        priors += [0.0] * len(alike)  # that part follows from the noise and the share
        mean = spec.connection_mean
        self.means = np.searchsorted(connections, design.connection[rows])
        self.mean = mean.parameters["mean"] if isinstance(mean, Prior) else mean
        self.mean_sd = mean.parameters["sd"] if isinstance(mean, Prior) else 0.0
        self.n_means = len(connections) if isinstance(mean, Prior) else 0
        sizes = [len(of_rows) for of_rows in self.levels[: len(self.levels_of_rows)]]
        self.offset = (self.n_means + np.concatenate([[0], np.cumsum(sizes)])).astype(int).tolist()
        self.n_effects = self.offset[-1] + len(self.slopes)
        self.noise_of_rows = noise.ravel()
        self.effect_priors = [prior for prior in priors if isinstance(prior, Prior)]
        self.noise_prior, self.share_prior = spec.noise.prior, spec.noise.similar_share
        self.is_free = np.array([isinstance(prior, Prior) for prior in priors], dtype=bool)
        self.fixed_sds = np.array([0.0 if isinstance(p, Prior) else p for p in priors])
        self.n_free = int(self.is_free.sum())
        self.n_shares = len(alike)
        self.dimension = self.n_free + len(self.noise) + self.n_shares
        self.is_similar = bool(alike.size) or any(design.terms[n].similar for n in self.terms)
        self.name = "+".join(design.connections[c] for c in connections)
        self._set_scale(design.response[rows])
        of_terms = self.terms[: len(sizes)], self.levels_of_rows, self.sd_of_levels
        numbers = np.flatnonzero(rows)
        self.attributes = np.unique(design.attribute[rows])
        self.replicates = find_replicates(design, *of_terms, numbers)
        self.layouts: tuple[_Layout, ...]
        if self.replicates is None:
            self.layouts = (self._whole_layout(design, numbers),)
        else:
            self.layouts = self._layouts_of_copies(design, numbers, self.replicates)

    def _take_terms(self, design: Design, rows: Mask) -> list[Prior | float]:
        """Find the levels of the terms in the block, and count their standard deviations.

        Returns the prior of each of these, or what it is fixed at.
        """
        self.terms: list[int] = []
        self.levels: list[Index] = []
        self.sds: list[tuple[int, int]] = []
        self.levels_of_rows: list[Index] = []
        self.sd_of_levels: list[Index] = []
        self.balances: list[Balance | None] = []
        priors: list[Prior | float] = []
        slopes: list[Array] = []
        sd_of_slopes: list[int] = []
        # Slopes, whose columns are one for each level, come last.
        for number in sorted(range(len(design.terms)), key=lambda n: design.terms[n].x is not None):
            term = design.terms[number]
            level = term.level[rows]
            present, inside = np.unique(level[level >= 0], return_inverse=True)
            if not len(present):
                continue
            which, sd = np.unique(term.sd[present], return_inverse=True)
            if term.x is None:
                level[level >= 0] = inside
                self.balances.append(None if term.balance is None else term.balance.of(present))
                self.levels_of_rows.append(level)
                self.sd_of_levels.append(sd + len(self.sds))
            else:
                slopes += [np.where(level == one, term.x[rows], 0.0) for one in present]
                sd_of_slopes += [int(s) + len(self.sds) for s in sd.ravel()]
            self.terms.append(number)
            self.levels.append(present)
            self.sds += [(number, int(index)) for index in which]
            fixed = float(term.fixed_sd or 0.0)
            priors += [fixed if term.prior is None else term.prior] * len(which)
        self.slopes = np.array(slopes).reshape(len(slopes), int(rows.sum()))
        self.sd_of_slopes = np.array(sd_of_slopes, np.int64)
        return priors

    def rotated(self, y: Array) -> Array:
        """Return numbers of pairs, (n_pairs,), of copies rotated, (R, n); else (1, n_pairs)."""
        copies = self.replicates
        return y[None] if copies is None else copies.rotation @ y[copies.rows]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The block's parts: one, or, of copies, their means and the deviations from these."""
        y = self.rotated(self.response - self.mean)
        both = zip(self.layouts, (y[:1], y[1:]), strict=False)
        return tuple(layout.part(of, self.mean_sd or 1.0) for layout, of in both)

    def with_similarity(self, found: Similarity) -> "Block":
        """Return the block of similar attributes with other covariances of their effects."""
        at = self.attributes
        loadings = found.common_loadings[at]
        alike = found.covariance[np.ix_(at, at)], loadings[:, loadings.any(axis=0)]
        parts = []
        for part in self.parts:
            if not isinstance(part, CompleteBlock):
                raise ValueError(f"the attributes of {self.name} are unrelated, and stay so")
            layout = part.layout.with_similarity(*alike)
            parts.append(CompleteBlock(layout, part.response, part.scale, part.mean_sd))
        view = copy(self)
        for name, value in vars(Block).items():
            if isinstance(value, cached_property):  # all of it follows from the parts
                vars(view).pop(name, None)
        view.parts = tuple(parts)
        return view

    @cached_property
    def slope_parts(self) -> list[list[Part]]:
        """For every slope the parts with the column that it is multiplied by as their responses."""
        found = []
        for x in self.slopes:
            y = self.rotated(x)
            both = zip(self.parts, (y[:1], y[1:]), strict=False)
            found.append([part.with_response(of) for part, of in both])
        return found

    @cached_property
    def _with_slopes(self) -> tuple[list[tuple[Any, ...]], list[Any]]:
        """Of each part it and the same with the slopes' columns, and what they sum up to."""
        parts = list(zip(self.parts, *self.slope_parts, strict=True))
        return parts, [columns[0].sums(columns) for columns in parts]

    def coefficients(self, effects: Array, noise: Array) -> GlsSlopes:
        """Return what the block says of its slopes, given its standard deviations."""
        return GlsSlopes(*self._with_slopes, effects[self.sd_of_slopes], effects, noise)

    def whole(self, y: Array) -> MixedModelEquations:
        """Return the block as one part with responses (n_pairs,), also where it has copies."""
        layout = self._whole_layout(None, np.arange(len(y)))
        return layout.equations(y[None], self.mean_sd or 1.0)

    def _whole_layout(self, design: Design | None, rows: Index) -> "_Layout":
        """Return what the block as one part is made of."""
        n = len(self.noise)
        none = np.zeros(n, np.int64)
        noise = PairNoise(self.noise_of_rows, np.arange(n), self.noise_similar, none)
        terms = [
            self._term(design, *of)
            for of in zip(
                self.terms, self.levels_of_rows, self.sd_of_levels, self.balances, strict=False
            )
        ]
        return self._layout(design, rows, self.means, terms, noise, np.ones(1 + len(self.sds)))

    def _term(
        self, design: Design | None, number: int, level: Index, sd: Index, balance: Balance | None
    ) -> TermLayout:
        if design is None or design.similarity is None:
            return TermLayout(level, 1 + sd, balance=balance)
        term = design.terms[number]
        loadings = design.common_loadings if term.has_common_factor else None
        return TermLayout(level, 1 + sd, term.similar, loadings, balance)

    def _layout(
        self,
        design: Design | None,
        rows: Index,
        means: Index | None,
        terms: list[TermLayout],
        noise: PairNoise,
        scale: Array,
    ) -> "_Layout":
        """Return a part's layout; of the attributes of its pairs, `rows`, the similarity if any."""
        if means is not None and self.n_means:
            terms = [TermLayout(means, np.zeros(self.n_means, np.int64)), *terms]
        if design is None:
            return _Layout(None, None, terms, noise, scale)
        _, word = np.unique(design.word[rows], return_inverse=True)
        present, attribute = np.unique(design.attribute[rows], return_inverse=True)
        for i, term in enumerate(terms):
            if term.loadings is not None:
                loadings = term.loadings[present]
                loadings = loadings[:, loadings.any(axis=0)]
                terms[i] = dataclasses.replace(term, loadings=loadings)
        table = complete_layout(word.ravel(), attribute.ravel())
        alike = design.similarity
        similarity = None if alike is None else alike[np.ix_(present, present)]
        return _Layout(table, similarity, terms, noise, scale)

    def _layouts_of_copies(
        self, design: Design, rows: Index, found: Replicates
    ) -> "tuple[_Layout, _Layout]":
        """Return what the means over copies are made of, and the deviations from them."""
        first, sds, balances = found.rows[0], list(self.sd_of_levels), list(self.balances)
        # The rotated mean has √R times what all copies share, and once what each has of its own.
        scale = np.full(1 + len(self.sds), len(found.rows) ** 0.5)
        own = []
        for number, of_copies in enumerate(found.copy_levels):
            if of_copies is not None:
                own.append(number)
                sds[number] = sds[number][of_copies[0]]
                balance = balances[number]
                balances[number] = None if balance is None else balance.of(of_copies[0])
                scale[1 + sds[number]] = 1.0
        # What each noise level of the means adds up of: the noise, and effects of single pairs.
        shares = [self.noise_of_rows[first]]
        for single_pairs in (found.pair_effect, found.pair_effect_K):
            added = np.zeros(len(first), np.int64)
            if single_pairs is not None:
                of_pairs = found.levels[single_pairs]
                acts = of_pairs >= 0
                added[acts] = 1 + sds[single_pairs][of_pairs[acts]]
            shares.append(added)
        (noise, single, alike), level = np.unique(np.stack(shares), axis=1, return_inverse=True)
        kept = [n for n in range(len(sds)) if n not in (found.pair_effect, found.pair_effect_K)]
        none = np.zeros(len(self.noise), np.int64)
        of_means = PairNoise(level.ravel(), noise, alike, single)
        alone = PairNoise(self.noise_of_rows[first], np.arange(len(none)), none, none)

        def terms(numbers: list[int]) -> list[TermLayout]:
            return [
                self._term(design, self.terms[i], found.levels[i], sds[i], balances[i])
                for i in numbers
            ]

        pairs, means = rows[first], self.means[first]
        return (
            self._layout(design, pairs, means, terms(kept), of_means, scale),
            self._layout(design, pairs, None, terms(own), alone, np.ones(len(scale))),
        )

    @property
    def n_kept(self) -> int:
        """Rows of the largest system that is factorised."""
        return max(part.n_kept for part in self.parts)

    def _set_scale(self, response: Array) -> None:
        """Take the responses, (n_pairs,), and find how exact they are about effects.

        The error of an effect is twice the noise over the root of the number of its pairs.
        """
        self.response = response
        y, noise, n = response - self.mean, self.noise_of_rows, len(self.noise)
        pairs, squares = np.bincount(noise, minlength=n), np.bincount(noise, y**2, n)
        # A difference of squares: below 1e-15 of these it is rounding.
        variance = squares / pairs - (np.bincount(noise, y, n) / pairs) ** 2
        is_constant = variance <= 1e-24 + 1e-15 * squares / pairs
        if (is_constant & (pairs > 1)).any():
            raise self.constant()
        variance[is_constant] = response.var() or self.mean_sd**2 or 1.0  # of a single pair
        self.spread = np.sqrt(variance)
        size = len(self.sds)
        counts, spread, n_levels = np.zeros(size), np.zeros(size), np.zeros(size)
        for level, sd in zip(self.levels_of_rows, self.sd_of_levels, strict=True):
            acts = level >= 0
            of_row = sd[level[acts]]
            counts += np.bincount(of_row, minlength=size)
            spread += np.bincount(of_row, self.spread[noise[acts]], size)
            n_levels += np.bincount(sd, minlength=size)
        for x, sd in zip(self.slopes, self.sd_of_slopes, strict=True):
            counts[sd] += (x**2).sum()
            spread[sd] += (x**2 * self.spread[noise]).sum()
            n_levels[sd] += 1
        counts, spread, n_levels = (of[self.is_free] for of in (counts, spread, n_levels))
        self.typical = spread / counts
        self.error = 2.0 * self.typical / np.sqrt(counts / n_levels)

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
        effects = np.arcsinh(0.4 * self.typical / self.error)
        start = np.concatenate([effects, np.log(0.7 * self.spread), np.zeros(self.n_shares)])
        if not self.n_shares:
            return start[None]
        found = np.stack([start, start, start])
        last = self.dimension - self.n_shares
        found[1, last:], found[2, last:] = _FAR_LOGIT, -_FAR_LOGIT
        found[1, : self.n_free] *= 0.25
        return found

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Range of the coordinates: no noise so small, no standard deviation so large."""
        share = np.full(self.n_shares, _MOST_LOGIT)
        low = np.concatenate([np.zeros(self.n_free), np.log(_LEAST * self.spread), -share])
        widest = np.full(len(self.noise), np.log(WIDEST))
        return low, np.concatenate([np.arcsinh(WIDEST / self.error), widest, share])

    def is_exact(self, mode: Array) -> bool:
        """Tell, at a mode (dimension,), whether responses are explained without any noise."""
        of_noise = slice(self.n_free, self.dimension - self.n_shares)
        return bool((mode[of_noise] < self.bounds[0][of_noise] + 1.0).any())

    def standard_deviations(self, x: Array) -> tuple[Array, Array]:
        """Return those of effects, (n_sds, B), and of noise, (n_noise, B), at x (B, dimension)."""
        effects = np.empty((len(self.sds), len(x)))
        effects[:] = self.fixed_sds[:, None]
        sinh = np.maximum(np.sinh(np.abs(x[:, : self.n_free])), _SMALLEST)
        effects[self.is_free] = (self.error * sinh).T
        noise = np.exp(x[:, self.n_free : self.dimension - self.n_shares]).T
        of_noise, part = self.shared
        # 1 − ρ and ρ of log ρ / (1 − ρ), either exact where it is small.
        logit = x[:, self.dimension - self.n_shares :].T
        odds = np.exp(-np.abs(logit))
        small, large = odds / (1.0 + odds), 1.0 / (1.0 + odds)
        own, shared = np.where(logit > 0, small, large), np.where(logit > 0, large, small)
        effects[part] = noise[of_noise] * np.sqrt(shared)
        noise[of_noise] *= np.sqrt(np.maximum(own, _LEAST_OWN))
        return effects, noise

    def coordinates(self, effects: Array, noise: Array) -> Array:
        """Return coordinates of standard deviations; the inverse of `standard_deviations`."""
        x = np.arcsinh(effects[self.is_free].T / self.error)
        of_noise, part = self.shared
        total = noise.copy()
        total[of_noise] = np.hypot(noise[of_noise], effects[part])
        # ρ / (1 − ρ) is the ratio of the two variances.
        logit = 2.0 * np.log(effects[part] / noise[of_noise])
        return np.concatenate([x, np.log(total).T, logit.T], axis=1)

    def log_density(self, x: Array) -> Array:
        """Return log p(y, x), coordinates (B, dimension) to (B,)."""
        step = min(part.step for part in self.parts)
        found = np.empty(len(x))
        with np.errstate(all="ignore"):  # what is not finite has no density
            for i in range(0, len(x), step):
                effects, noise = self.standard_deviations(x[i : i + step])
                value = self._log_prior(x[i : i + step], effects)
                if len(self.slopes):
                    value += self.coefficients(effects, noise).log_likelihood
                else:
                    value += sum(part.log_likelihood(effects, noise) for part in self.parts)
                if self.n_shares:
                    # The squares of what is so far apart leave nothing of each other.
                    value[effects.max(axis=0) > _FARTHEST * noise.min(axis=0)] = -np.inf
                found[i : i + step] = np.where(np.isfinite(value), value, -np.inf)
        return found

    def _log_prior(self, x: Array, effects: Array) -> Array:
        """Return the log prior of the standard deviations, in the coordinates."""
        last = self.dimension - self.n_shares
        # Log-Jacobians of τ = δ sinh x and s = exp z; the share's density is that of its logit.
        jacobian = np.log(self.error * np.cosh(x[:, : self.n_free])).sum(axis=1)
        value = jacobian + x[:, self.n_free : last].sum(axis=1)
        for prior, sd in zip(self.effect_priors, effects[self.is_free], strict=True):
            value += prior.log_density(sd)
        for sd in np.exp(x[:, self.n_free : last]).T:
            value += self.noise_prior.log_density(sd)
        if self.share_prior is not None:
            value += self.share_prior.log_density_of_logit(x[:, last:]).sum(axis=1)
        return np.asarray(value)


@dataclass(frozen=True)
class _Layout:
    """What a part is made of: its pairs by word and attribute, and what they share.

    `table`: from `complete_layout`; `similarity`: of its attributes, where they are similar.
    `scale` (1 + n_sds,): what effects are multiplied by.
    """

    table: Index | None
    similarity: Array | None
    terms: list[TermLayout]
    noise: PairNoise
    scale: Array

    @property
    def fault(self) -> str:
        """Why similar attributes are not independent after the rotation; nothing if they are."""
        if self.similarity is None:
            return ""
        if self.table is None or (self.table < 0).any():
            return "not every word meets every attribute once"
        for term in self.terms:
            found = AttributeTerm.of(term, self.table)
            if found is None and (term.similar or term.balance is not None):
                what = "similar" if term.similar else "summing to 0"
                return f"{what}, but not an effect of attributes"
            if found is not None and (found.variance != found.variance[:, :1]).any():
                return "attributes differ in the standard deviation of their effects"
        level = self.noise.level[self.table]
        of_words = np.ptp(level, axis=1)
        return "the noise differs between a word's attributes" if of_words.any() else ""

    def part(self, y: Array, mean_sd: float) -> Part:
        """Return the part with responses (n_sets, n_pairs)."""
        if self.fault:
            raise ValueError(self.fault)
        if self.table is None or (self.similarity is None and self.noise.similar.any()):
            return self.equations(y, mean_sd)
        layout = CompleteLayout(self.table, self.terms, self.noise, self.similarity)
        if self.similarity is None:
            # So many words are classes of their own that classes save nothing.
            cells = layout.n_classes**2 * layout.n_directions
            is_irregular = 2 * layout.n_classes > len(self.table) and cells > _MANY_CELLS
            is_large = is_irregular or len(layout.shared_effect) > _MANY_SHARED
            if is_large or layout.is_unbalanced:
                return self.equations(y, mean_sd)
        return CompleteBlock(layout, y, self.scale, mean_sd)

    def equations(self, y: Array, mean_sd: float) -> MixedModelEquations:
        """Return the same as the equations of any pairs, whose attributes are unrelated."""
        return MixedModelEquations(self.terms, self.noise, y, self.scale, mean_sd)


def why_not_similar(design: Design, spec: ModelSpec) -> str:
    """Say why attributes cannot be similar in a model of these pairs; nothing if they can."""
    faults = [layout.fault for block in every_block(design, spec) for layout in block.layouts]
    return next(filter(None, faults), "")
