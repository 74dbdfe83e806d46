"""Blocks in which every word meets every attribute, and attributes are alike as K says.

A cosine distance is linear in the attribute's vector, so that what a group or a word has with
attributes has a covariance over them that is known up to a scale, K (`similarity`). With its
eigenvectors, K = U Λ Uᵀ, the distances of every word are rotated, ỹ_k = Σ_j U_jk y_j. Then

- an effect of attributes, N(0, sd² K), becomes independent effects N(0, sd² λ_k), one for each k;
- noise N(0, σ² I + t² K) within a word becomes independent noise of variance σ² + t² λ_k;
- what a word or a list has with all attributes (means, a word's nearness, a group's to a list)
  keeps its value and gets the rotated indicator of its attributes as its regressor.

Words that share all levels but their own are exchangeable and form a class: of n words, √n times
their mean and n − 1 deviations are independent. A deviation has the covariance D + Q T Qᵀ, with D
the noise, T the variances of the word's own effects, and Q their regressors. The means of all
classes have, for each k, a small matrix over classes (noise and effects of attributes), and a
low-rank part Z T Zᵀ from all else. So the cost of a density is the number of attributes times the
number of regressors squared, whatever the number of words; no matrix over attributes is factorised.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbias.inference.balance import Balance
from bayesbias.inference.similarity import directions
from bayesbias.inference.slopes import Less, Moments
from bayesbias.inference.small_matrices import (
    backward,
    factor,
    factor_large,
    forward,
    inverse,
    solve_large,
)
from bayesbias.support.arrays import Array, Index
from bayesbias.support.types import Generator

_CHUNK: Final = 1 << 20
"""Numbers in the largest array of a step."""


@dataclass(frozen=True)
class Column:
    """A term (or the means) as a block has it.

    `level` (n_pairs,): −1 where it does not act. `variance` (n_levels,): which variance every level
    has: 0 the means', 1 + the number of a standard deviation. `similar`: whether the effects of
    similar attributes are alike. `nearness` (n_attributes, n_columns): N, where what all words have
    is N Nᵀ more than sd² K. `balance`: of the levels, which of them sum to 0.
    """

    level: Index
    variance: Index
    similar: bool = False
    nearness: Array | None = None
    balance: Balance | None = None


@dataclass(frozen=True)
class Noise:
    """The noise of every pair of a block, with the effects of single pairs that add to it.

    `level` (n_pairs,). `sd` (n_noise,): which of the noise's standard deviations each level has.
    `similar`, `added` (n_noise,): 1 + the number of the standard deviation of the part that similar
    attributes share within a word, and of an effect of single pairs; 0 for none.
    """

    level: Index
    sd: Index
    similar: Index
    added: Index


def crossing(word: Index, attribute: Index) -> Index | None:
    """Return the row of every word and attribute, (n_words, n_attributes); None unless each is one.

    `word`, `attribute` (n_pairs,): numbered from 0 without gaps.
    """
    shape = int(word.max()) + 1, int(attribute.max()) + 1
    if len(word) != shape[0] * shape[1]:
        return None
    rows = np.full(shape, -1, np.int64)
    rows[word, attribute] = np.arange(len(word))
    return rows if (rows >= 0).all() else None


class Crossed:
    """A block whose attributes are alike as K says; densities, draws and moments of its effects.

    `rows` (n_words, n_attributes): from `crossing`. `similarity` (n_attributes, n_attributes): K.
    `columns`: in the order of the block's effects; kept, (n_pairs,) each, as the effects that every
    pair has, −1 for none. `response` (n_pairs,): less the prior mean. `scale` (1 + n_sds,): what
    effects are multiplied by: the means, and those of each standard deviation. `mean_sd`: the
    prior's of the means. `step`: values of the standard deviations that are treated at a time.

    A ValueError where a term mixes words and attributes so that it is not diagonal after rotation.
    """

    n_sets = 1

    def __init__(
        self,
        rows: Index,
        similarity: Array,
        columns: Sequence[Column],
        noise: Noise,
        response: Array,
        scale: Array,
        mean_sd: float,
    ) -> None:
        self.eigenvalues, self.rotation = directions(similarity)
        self.rows, self.scale, self.mean_sd = rows, scale, mean_sd
        self.offset = np.cumsum([0, *(len(c.variance) for c in columns)]).tolist()
        self.n_effects = self.offset[-1]
        self.columns = [
            np.where(column.level >= 0, column.level + start, -1)
            for start, column in zip(self.offset, columns, strict=False)
        ]
        self._sort_columns(columns)
        self._classify(rows, noise)
        self._set_regressors()
        self.observe(response)
        most = max(len(at) for at in self.regressors_of)
        largest = self.n_attributes * max(self.n_classes**2, most) + (self.n_regressors + 1) ** 2
        self.step = max(1, _CHUNK // (largest + 1))

    def _sort_columns(self, columns: Sequence[Column]) -> None:
        """Tell effects of attributes, effects of single words, and those that words share."""
        self.n_attributes = self.rows.shape[1]
        self.of_attributes: list[_OfAttributes] = []
        own: list[Index] = []
        shared: list[Index] = []
        variance = np.zeros(self.n_effects, np.int64)
        for start, column, effect in zip(self.offset, columns, self.columns, strict=False):
            variance[start : start + len(column.variance)] = column.variance
            level = effect[self.rows]
            # A single attribute's own effect looks like that of its list.
            is_known = column.similar or column.balance is not None
            if _is_of_attributes(level) or (is_known and self.n_attributes == 1):
                self.of_attributes.append(_OfAttributes(level, variance, column, start))
            elif is_known:
                what = "similar" if column.similar else "summing to 0"
                raise ValueError(f"{what}, but not an effect of attributes")
            elif _is_of_single_words(level):
                own.append(level)
            else:
                shared.append(level)
        self.variance, self._own, self._shared = variance, own, shared

    def _classify(self, rows: Index, noise: Noise) -> None:
        """Sort words into classes that the data cannot tell apart."""
        level = noise.level[rows]
        if (level != level[:, :1]).any():
            raise ValueError("the noise differs between a word's attributes")
        keys = [level[:, :1], *self._shared]
        keys += [of.code[:, None] for of in self.of_attributes]
        for own in self._own:
            keys += [_pattern(own), np.where(own >= 0, self.variance[own], -1)]
        _, first, member = np.unique(
            np.hstack(keys), axis=0, return_index=True, return_inverse=True
        )
        self.member = member.ravel()
        self.first, self.n_classes = first, len(first)
        self.size = np.bincount(self.member).astype(float)
        of_class = level[first, 0]
        self.noise, self.noise_similar = noise.sd[of_class], noise.similar[of_class]
        self.noise_added = noise.added[of_class]

    def _set_regressors(self) -> None:
        """Rotate the indicators of the attributes that a level is about.

        A class's own regressors are those of one word; which effects they are for each word is in
        `own_effect`, shape (n_words of the class, q). Which are not zero in a class, and what they
        are there, is in `regressors_of` and `regressor`, (r_c,) and (r_c, n_attributes).
        """
        root = np.sqrt(self.size)
        effects: list[int] = []
        for shared in self._shared:
            effects += np.unique(shared[shared >= 0]).tolist()
        self.shared_effect = np.array(sorted(set(effects)), dtype=np.int64)
        blocks = np.zeros((len(self.shared_effect), self.n_classes, self.n_attributes))
        for row, effect in zip(blocks, self.shared_effect, strict=True):
            for shared in self._shared:
                row += (shared[self.first] == effect) @ self.rotation
        blocks *= root[:, None]
        variance = [self.variance[self.shared_effect]]
        # N Nᵀ is that of effects of its own, one for each column, whose numbers it has.
        self.code = [of.code[self.first] for of in self.of_attributes]
        self.of_nearness: list[slice] = []
        for of, code in zip(self.of_attributes, self.code, strict=True):
            start, (n_codes, n_columns) = len(blocks), (len(of.variance), of.nearness.shape[1])
            near = root * (code == np.arange(n_codes)[:, None])  # (n_codes, n_classes)
            near = near[:, None, :, None] * (of.nearness.T @ self.rotation)[:, None]
            blocks = np.concatenate([blocks, near.reshape(-1, *blocks.shape[1:])])
            variance.append(np.full(n_codes * n_columns, -1))
            self.of_nearness.append(slice(start, len(blocks)))
        self.regressors_of: list[Index] = []
        self.regressor: list[Array] = []
        self.own_regressor: list[Array] = []
        self.own_variance: list[Index] = []
        self.own_effect: list[Index] = []
        self.own_place: list[slice] = []
        place = len(blocks)
        for c, word in enumerate(self.first):
            words = np.flatnonzero(self.member == c)
            levels, of_words = [], []
            for own in self._own:
                found, at = np.unique(own[word], return_index=True)
                at = at[found >= 0]
                levels += [own[word] == own[word, a] for a in at]
                of_words += [own[words, a] for a in at]
            q = np.array(levels, dtype=float).reshape(-1, self.n_attributes) @ self.rotation
            self.own_regressor.append(q)
            self.own_effect.append(np.array(of_words, np.int64).reshape(-1, len(words)).T)
            self.own_variance.append(self.variance[self.own_effect[-1][0]])
            variance.append(self.own_variance[-1])
            self.own_place.append(slice(place, place + len(q)))
            shared_here = np.flatnonzero(blocks[:, c].any(axis=1))
            self.regressors_of.append(np.r_[shared_here, place : place + len(q)])
            self.regressor.append(np.concatenate([blocks[shared_here, c], q]))
            place += len(q)
        self.regressor_variance = np.concatenate(variance)
        self.n_regressors = self.n_kept = place

    def seeing(self, y: Array) -> "Crossed":
        """Return the block with other responses, (1, n_pairs)."""
        view = copy(self)
        view.observe(y[0])
        return view

    def observe(self, response: Array) -> None:
        """Take responses less their prior mean, shape (n_pairs,)."""
        rotated = response[self.rows] @ self.rotation
        n = self.n_classes
        self.total = np.zeros((n, self.n_attributes))
        np.add.at(self.total, self.member, rotated)
        mean = self.total / self.size[:, None]
        self.total = mean * np.sqrt(self.size)[:, None]
        self.deviation = rotated - mean[self.member]
        self.root_scatter = [_short(self.deviation[self.member == c]) for c in range(n)]
        self.has_deviations = self.size > 1

    # The variances at B values of the standard deviations.

    def _variances(self, effects: Array) -> Array:
        """Return the variances, the means' first, nearness's last: (2 + n_sds, B)."""
        ones = np.ones((1, effects.shape[1]))
        sds = np.concatenate([self.mean_sd * ones, effects, ones])
        # What all words share is in every copy, as the means are.
        return np.asarray((sds * np.r_[self.scale, self.scale[0]][:, None]) ** 2)

    def _at(self, effects: Array, noise: Array) -> "_State":
        """Return what follows from the standard deviations alone."""
        variances = self._variances(effects)
        alone, added, alike = self._shares(variances, noise)
        of_noise = (alone + added)[:, None] + alike[:, None] * self.eigenvalues[:, None]
        return _State(variances, of_noise, self._factors(variances, of_noise))

    def _shares(self, variances: Array, noise: Array) -> tuple[Array, Array, Array]:
        """Return noise, (C, B): its own, of single pairs, of similar attributes (in K)."""
        added, alike = (
            np.where((number > 0)[:, None], variances[number], 0.0)
            for number in (self.noise_added, self.noise_similar)
        )
        return noise[self.noise] ** 2, added, alike

    def _spread(self, of: "_OfAttributes", variances: Array) -> Array:
        """Return the variances of effects by code and direction, (n_codes, n_attributes, B)."""
        scale = self.eigenvalues if of.similar else np.ones(self.n_attributes)
        return scale[:, None] * variances[of.variance][:, None]

    def _factors(self, variances: Array, noise_variance: Array) -> Array:
        """Return the factors over classes of every direction, (C, C, n_attributes, B)."""
        n, root = self.n_classes, np.sqrt(self.size)
        sigma = np.zeros((n, n, *noise_variance.shape[1:]))
        sigma[np.arange(n), np.arange(n)] = noise_variance
        for of, code in zip(self.of_attributes, self.code, strict=True):
            among = np.where((code >= 0) & (code[:, None] >= 0), of.among[code[:, None], code], 0.0)
            spread = self._spread(of, variances)
            for a, b in np.argwhere(among):
                sigma[a, b] += among[a, b] * root[a] * root[b] * spread[code[a]]
        return factor(sigma)

    def _gram(self, factors: Array) -> Array:
        """Return the products of regressors under Σ⁻¹, shape (B, r, r)."""
        precision = inverse(factors)
        found = np.zeros((self.n_regressors, self.n_regressors, factors.shape[-1]))
        for a, b in zip(*np.triu_indices(self.n_classes), strict=True):
            first, second = self.regressors_of[a], self.regressors_of[b]
            pairs = self.regressor[a][:, None] * self.regressor[b]
            products = np.tensordot(pairs, precision[a, b], 1)  # one product of matrices for all
            found[first[:, None], second] += products
            if a != b:
                found[second[:, None], first] += products.transpose(1, 0, 2)
        return found.transpose(2, 0, 1)

    def _on_regressors(self, columns: Array) -> Array:
        """Return products of regressors and columns (C, n_attributes, ...), shape (r, ...)."""
        found = np.zeros((self.n_regressors, *columns.shape[2:]))
        for at, regressor, column in zip(self.regressors_of, self.regressor, columns, strict=True):
            found[at] += np.tensordot(regressor, column, 1)
        return found

    def _of_regressors(self, coefficients: Array) -> Array:
        """Return the sums of regressors times coefficients (r, B), (C, n_attributes, B)."""
        both = zip(self.regressors_of, self.regressor, strict=True)
        return np.stack([regressor.T @ coefficients[at] for at, regressor in both])

    def _gram_with(self, factors: Array, columns: Array) -> Array:
        """Return products under Σ⁻¹ of regressors, and of m columns behind them, (B, r + m, r + m).

        Columns have the shape (C, n_attributes, m, B or 1).
        """
        r, m, size = self.n_regressors, columns.shape[2], factors.shape[-1]
        half = np.broadcast_to(columns, (*columns.shape[:3], size)).copy()
        forward(factors[:, :, :, None], half)
        flat = half.reshape(-1, m, size).transpose(2, 1, 0)
        found = np.empty((size, r + m, r + m))
        found[:, :r, :r] = self._gram(factors)
        found[:, r:, r:] = flat @ flat.transpose(0, 2, 1)
        across = self._on_regressors(backward(factors[:, :, :, None], half)).transpose(2, 0, 1)
        found[:, :r, r:], found[:, r:, :r] = across, across.transpose(0, 2, 1)
        return found

    def log_likelihood(self, effects: Array, noise: Array) -> Array:
        """Return the log density of responses, (B,); `effects` (n_sds, B), `noise` (n_noise, B)."""
        state = self._at(effects, noise)
        gram = self._gram_with(state.factors, self.total[..., None, None])
        root = np.ones((gram.shape[0], self.n_regressors + 1))
        root[:, :-1] = np.sqrt(state.variances[self.regressor_variance]).T
        # With the responses as its last column, the last pivot is what the regressors leave.
        pivots = np.einsum("bii->bi", _factor(root[:, :, None] * gram * root[:, None], 1))
        value = -2.0 * np.log(np.einsum("iikb->ikb", state.factors)).sum(axis=(0, 1))
        value -= 2.0 * np.log(pivots[:, :-1]).sum(axis=1) + pivots[:, -1] ** 2
        for c in np.flatnonzero(self.has_deviations).tolist():
            value += self._deviations(c, state)
        n = self.n_attributes * self.size.sum()
        return np.asarray(0.5 * (value - n * np.log(2 * np.pi)))

    def sums(self, columns: "Sequence[Crossed]") -> list[tuple[Index, Array, Array]]:
        """Return the deviations of every class that `products` takes, and their products.

        Which of the columns have any, m of them (what is the same for all words of a class, as an
        attribute's number is, has none), with the shapes (m words, n_attributes) and
        (m m, n_attributes).
        """
        found = []
        for c in range(self.n_classes):
            of_class = np.stack([column.deviation[self.member == c] for column in columns])
            where = np.flatnonzero(np.abs(of_class).max(axis=(1, 2)) > 0)
            of_class = of_class[where]
            products = np.einsum("iwk,jwk->ijk", of_class, of_class)
            shape = (-1, self.n_attributes)
            found.append((where, of_class.reshape(shape), products.reshape(shape)))
        return found

    def products(
        self,
        columns: "Sequence[Crossed]",
        sums: list[tuple[Index, Array, Array]],
        effects: Array,
        noise: Array,
    ) -> tuple[Array, Array]:
        """Return the log density of responses of 0, and products under the inverse covariance.

        `columns`: m blocks that differ from this in their responses alone; `sums`: what `sums`
        returns of them. Returns (B,), and of the responses of any two (B, m, m).
        """
        state = self._at(effects, noise)
        totals = np.stack([column.total for column in columns], axis=-1)
        gram = self._gram_with(state.factors, totals[..., None])
        r = self.n_regressors
        root = np.ones(gram.shape[:2])
        root[:, :r] = np.sqrt(state.variances[self.regressor_variance]).T
        # Of the factor's last places, the columns', the products are what the regressors leave.
        # As much again in their diagonal keeps them regular, whatever the columns have in common.
        at = np.arange(r, gram.shape[1])
        own = np.where(gram[:, at, at] > 0, gram[:, at, at], 1.0)
        system = root[:, :, None] * gram * root[:, None]
        system[:, at, at] += own
        lower = _factor(system, len(at))
        left = lower[:, r:, r:]
        found = left @ left.transpose(0, 2, 1)
        found[:, at - r, at - r] -= own
        value = -2.0 * np.log(np.einsum("iikb->ikb", state.factors)).sum(axis=(0, 1))
        value -= 2.0 * np.log(np.einsum("bii->bi", lower)[:, :r]).sum(axis=1)
        for c in np.flatnonzero(self.has_deviations).tolist():
            value += self._deviation_products(c, sums[c], state, found)
        n = self.n_attributes * self.size.sum()
        return 0.5 * (value - n * np.log(2 * np.pi)), found

    def _deviation_products(
        self, c: int, sums: tuple[Index, Array, Array], state: "_State", found: Array
    ) -> Array:
        """Add a class's products to those found, (B, m, m); return twice the log density of 0."""
        weight, n = 1.0 / state.noise[c], self.size[c] - 1
        value = n * np.log(weight).sum(axis=0)
        where, deviations, products = sums
        m = len(where)
        mine = (products @ weight).T.reshape(-1, m, m)
        if len(self.own_regressor[c]):
            own, weighted = self._own_system(c, state)
            value -= 2 * n * np.log(np.einsum("iib->ib", own)).sum(axis=0)
            size, q = weighted.shape[:2]
            turned = weighted @ deviations.T
            turned = turned.reshape(size, q * m, -1)
            both = (turned @ turned.transpose(0, 2, 1)).reshape(size, q, m, q, m)
            mine -= np.einsum("pqb,bpiqj->bij", inverse(own), both, optimize=True)
        found[:, where[:, None], where] += mine
        return np.asarray(value)

    def _deviations(self, c: int, state: "_State") -> Array:
        """Return what the deviations of a class add to twice the log density, (B,)."""
        weight = 1.0 / state.noise[c]
        n, root = self.size[c] - 1, self.root_scatter[c]
        value = n * np.log(weight).sum(axis=0) - (root**2).sum(axis=0) @ weight
        if not len(self.own_regressor[c]):
            return np.asarray(value)
        lower, weighted = self._own_system(c, state)
        value -= 2.0 * n * np.log(np.einsum("iib->ib", lower)).sum(axis=0)
        turned = weighted @ root.T
        both = turned @ turned.transpose(0, 2, 1)
        return np.asarray(value + (inverse(lower) * both.transpose(1, 2, 0)).sum(axis=(0, 1)))

    def _own_system(self, c: int, state: "_State") -> tuple[Array, Array]:
        """Return L of I + √T QᵀD⁻¹Q √T, (q, q, B), and √T QᵀD⁻¹, (B, q, n_attributes)."""
        q, weight = self.own_regressor[c], 1.0 / state.noise[c]
        root = np.sqrt(state.variances[self.own_variance[c]]).T
        weighted = root[:, :, None] * q * weight.T[:, None]
        system = (weighted @ q.T * root[:, None]).transpose(1, 2, 0).copy()
        at = np.arange(len(q))
        system[at, at] += 1.0
        return factor(system), weighted

    def draw(self, effects: Array, noise: Array, rng: Generator, less: "Less[Crossed]") -> Array:
        """Draw means and effects from their exact normal conditional, (1, n_effects, B).

        `less` is what goes off the responses, each times a number a draw, (B,): slopes.
        Means of classes by conditioning a draw from the prior (Matheron's rule: a prior draw, plus
        the covariance with the data times what the data have beyond it).
        """
        state = self._at(effects, noise)
        size = noise.shape[1]
        found = np.empty((self.n_effects, size))
        total = self.total[..., None]
        for slope, view in less:
            total = total - slope * view.total[..., None]
        of_regressor, of_attributes = self._draw_means(total, state, rng)
        found[self.shared_effect] = of_regressor[: len(self.shared_effect)]
        for of, at, drawn in zip(self.of_attributes, self.of_nearness, of_attributes, strict=True):
            near = of_regressor[at].reshape(len(drawn), -1, size)
            found[of.effect] = self.rotation @ drawn + of.nearness @ near
        for c in range(self.n_classes):
            if not len(self.own_regressor[c]):
                continue
            mean = of_regressor[self.own_place[c]] / np.sqrt(self.size[c])
            own: Array | float = 0.0
            if self.size[c] > 1:
                own = self._draw_own(c, state, rng, less)
            found[self.own_effect[c]] = mean + own
        return found[None]

    def _draw_means(
        self, total: Array, state: "_State", rng: Generator
    ) -> tuple[Array, list[Array]]:
        """Draw the coefficients of the regressors, (r, B), and rotated effects of attributes."""
        root, factors = np.sqrt(self.size), state.factors
        sd = np.sqrt(state.variances[self.regressor_variance])
        prior = sd * rng.standard_normal(sd.shape)
        rest = total - self._of_regressors(prior)
        rest -= np.sqrt(state.noise) * rng.standard_normal(state.noise.shape)
        spreads, drawn = [], []
        for of, code in zip(self.of_attributes, self.code, strict=True):
            spread = self._spread(of, state.variances)
            effect = of.mixed(np.sqrt(spread) * rng.standard_normal(spread.shape))
            acts = code >= 0
            rest[acts] -= root[acts, None, None] * effect[code[acts]]
            spreads.append(spread)
            drawn.append(effect)
        # Σ_total⁻¹ rest, by the low-rank formula.
        solved = backward(factors, forward(factors, rest.copy()))
        system = sd.T[:, :, None] * self._gram(factors) * sd.T[:, None]
        lower, first = _solved(system, sd * self._on_regressors(solved))
        c = solve_large(lower, first, transposed=True)
        rest -= self._of_regressors(sd * c)
        beyond = backward(factors, forward(factors, rest))
        parts = zip(self.of_attributes, self.code, spreads, drawn, strict=True)
        for of, code, spread, effect in parts:
            for a in np.flatnonzero(code >= 0):
                for b in np.flatnonzero(of.among[code[a]]):
                    effect[b] += of.among[b, code[a]] * root[a] * spread[b] * beyond[a]
        return prior + sd * c, drawn

    def _draw_own(self, c: int, state: "_State", rng: Generator, less: "Less[Crossed]") -> Array:
        """Draw the deviations of the words' own effects from their mean, (n_words, q, B)."""
        lower, weighted = self._own_system(c, state)
        of_class = self.member == c
        data = weighted @ self.deviation[of_class].T
        for slope, view in less:
            data = data - slope[:, None, None] * (weighted @ view.deviation[of_class].T)
        right = forward(lower[:, :, None], np.ascontiguousarray(data.transpose(1, 2, 0)))
        noise = rng.standard_normal(right.shape)
        right += noise - noise.mean(axis=1, keepdims=True)
        solved = backward(lower[:, :, None], right)
        sd = np.sqrt(state.variances[self.own_variance[c]])
        return np.asarray((sd[:, None] * solved).transpose(1, 0, 2))

    def draw_of_pairs(
        self, rest: Array, found: Array, effects: Array, noise: Array, rng: Generator
    ) -> tuple[Array, Array]:
        """Draw the effects of single pairs, given all others.

        `rest` (n_pairs, B): the responses, less the slopes. `found` (n_effects, B): from `draw`.
        Returns those that similar attributes share, and those that none share, (n_pairs, B) each.
        """
        for column in self.columns:
            rest = rest - np.where((column >= 0)[:, None], found[column], 0.0)
        shares = self._shares(self._variances(effects), noise)
        alone, added, alike = (share[self.member][:, None] for share in shares)
        rest = self.rotation.T @ rest[self.rows]
        alike = alike * self.eigenvalues[:, None]
        first = _shared(rest, alike, alone + added, rng)
        second = _shared(rest - first, added, alone, rng)
        drawn = np.empty((2, found.shape[1], self.rows.size))
        for place, one in zip(drawn, (first, second), strict=True):
            place[:, self.rows] = (self.rotation @ one).transpose(2, 0, 1)
        return drawn[0].T, drawn[1].T

    def functions(self, weights: Array) -> Moments:
        """Return what says mean and variance, (F, B), of functions of the effects.

        `weights` (1, F, n_effects).
        """
        return lambda effects, noise: [self._moments(effects, noise, weights[0])]

    def _moments(self, effects: Array, noise: Array, weights: Array) -> tuple[Array, Array]:
        state = self._at(effects, noise)
        variances, factors = state.variances, state.factors
        n, size, root = len(weights), noise.shape[1], np.sqrt(self.size)
        own = [weights[:, effect] for effect in self.own_effect]  # (F, n_words, q)
        on = [weights[:, self.shared_effect]]
        on += [(weights[:, of.effect] @ of.nearness).reshape(n, -1) for of in self.of_attributes]
        on += [one.sum(axis=1) / root[c] for c, one in enumerate(own)]
        on_regressor = np.concatenate(on, axis=1)
        prior = variances[self.regressor_variance]
        variance = on_regressor**2 @ prior
        rotated = [weights[:, of.effect] @ self.rotation for of in self.of_attributes]
        acts = [one.any(axis=(1, 2)) for one in rotated]  # (F,), of (F, codes, n_attributes)
        touched = np.flatnonzero(np.any(acts, axis=0)) if acts else np.zeros(0, np.int64)
        covariance = np.zeros((len(touched), *state.noise.shape))
        for of, code, one in zip(self.of_attributes, self.code, rotated, strict=True):
            spread, one = self._spread(of, variances), one[touched]
            mixed = np.einsum("xy,fyk->fxk", of.among, one)
            variance[touched] += np.einsum("fxk,xkb->fb", one * mixed, spread)
            for a in np.flatnonzero(code >= 0):
                covariance[:, a] += root[a] * mixed[:, code[a], :, None] * spread[code[a]]
        total = np.broadcast_to(self.total[..., None, None], (*self.total.shape, 1, size))
        columns = np.concatenate([total, covariance.transpose(1, 2, 0, 3)], axis=2)
        # Of columns only squares and products with responses, the first, are wanted.
        forward(factors[:, :, :, None], columns)
        squares = np.einsum("camb,camb->mb", columns, columns)
        products = np.einsum("camb,cab->mb", columns, columns[:, :, 0])
        across = self._on_regressors(backward(factors[:, :, :, None], columns))
        rows = np.concatenate([self._gram(factors).transpose(1, 2, 0), across], axis=1)
        sd, r = np.sqrt(prior), self.n_regressors
        turned = sd[:, None] * rows
        half = _solved((turned[:, :r] * sd).transpose(2, 0, 1), turned)[1]
        squares -= (half[:, r:] ** 2).sum(axis=0)
        products -= (half[:, r:] * half[:, r : r + 1]).sum(axis=0)
        left = half.transpose(2, 0, 1)
        left = rows.transpose(2, 0, 1) - left[:, :, :r].transpose(0, 2, 1) @ left
        on_rows = on_regressor * prior.T[:, None]
        mean = (on_rows @ left[:, :, r : r + 1])[..., 0].T
        mean[touched] += products[1:]
        variance -= ((on_rows @ left[:, :, :r]) * on_rows).sum(axis=2).T
        both = on_rows[:, touched] * left[:, :, r + 1 :].transpose(0, 2, 1)
        variance[touched] -= 2.0 * both.sum(axis=2).T + squares[1:]
        for c in np.flatnonzero(self.has_deviations).tolist():
            self._add_own(c, state, own[c], mean, variance)
        return mean, variance

    def _add_own(
        self, c: int, state: "_State", weights: Array, mean: Array, variance: Array
    ) -> None:
        """Add what a class's deviations say of functions of its words' own effects."""
        wanted = weights - weights.mean(axis=1, keepdims=True)
        touched = np.flatnonzero(wanted.any(axis=(1, 2)))
        if not len(touched):
            return
        lower, weighted = self._own_system(c, state)
        sd = np.sqrt(state.variances[self.own_variance[c]])
        turned = sd[:, None, None] * wanted[touched].transpose(2, 0, 1)[..., None]
        turned = forward(lower[:, :, None, None], turned)  # (q, F, n_words, B)
        variance[touched] += (turned**2).sum(axis=(0, 2))
        data = (weighted @ self.deviation[self.member == c].T).transpose(1, 2, 0)
        data = forward(lower[:, :, None], np.ascontiguousarray(data))
        mean[touched] += (turned * data[:, None]).sum(axis=(0, 2))


@dataclass(frozen=True)
class _State:
    """What follows from B values of the standard deviations.

    `variances` (2 + n_sds, B): the means' first, nearness's last. `noise` (C, n_attributes, B): its
    variance, of every class and direction. `factors` (C, C, n_attributes, B): over classes, of
    every direction.
    """

    variances: Array
    noise: Array
    factors: Array


class _OfAttributes:
    """Effects of attributes: one for each attribute and code of words.

    `level` (n_words, n_attributes): the effect of every pair, −1 where the term does not act.
    `variance` (n_effects,). `nearness` (n_attributes, n_columns), perhaps of none. `column`: the
    term, whose effects are those from `start` on. `among` (n_codes, n_codes): how effects of an
    attribute correlate.
    """

    def __init__(self, level: Index, variance: Index, column: Column, start: int) -> None:
        self.similar = column.similar
        near = column.nearness
        self.nearness = np.zeros((level.shape[1], 0)) if near is None else near
        acts = level[:, 0] >= 0
        distinct, code = np.unique(level[acts], axis=0, return_inverse=True)
        if len(np.unique(distinct)) < distinct.size:
            raise ValueError("an effect of attributes is shared by different attributes")
        if (variance[distinct] != variance[distinct[:, :1]]).any():
            raise ValueError("attributes differ in the standard deviation of their effects")
        self.effect, self.variance = distinct, variance[distinct[:, 0]]
        self.code = np.full(len(level), -1, np.int64)
        self.code[acts] = code.ravel()
        self.among, self._root = np.eye(len(distinct)), np.eye(len(distinct))
        if column.balance is not None:
            balance = column.balance.of(distinct[:, 0] - start)
            self.among, self._root = balance.correlation, balance.root

    def mixed(self, z: Array) -> Array:
        """Turn independent effects, (n_codes, ...), into those that correlate as `among`."""
        return np.asarray(np.tensordot(self._root, z, 1))


def _is_of_attributes(level: Index) -> bool:
    """Tell whether every attribute has a level of its own, for all words on which a term acts."""
    acts = level >= 0
    words = acts.any(axis=1)
    distinct = np.diff(np.sort(level[words], axis=1), axis=1) > 0
    return level.shape[1] > 1 and bool(acts[words].all() and distinct.all())


def _is_of_single_words(level: Index) -> bool:
    """Tell whether no two words share a level."""
    word = np.broadcast_to(np.arange(len(level))[:, None], level.shape)
    acts = level >= 0
    pairs = np.unique(np.stack([level[acts], word[acts]]), axis=1)
    return len(np.unique(pairs[0])) == pairs.shape[1]


def _pattern(level: Index) -> Index:
    """Return the levels of every word, numbered from 0 within the word."""
    return np.stack([np.unique(row, return_inverse=True)[1].ravel() for row in level])


def _short(rows: Array) -> Array:
    """Return rows of the same products RᵀR, no more of them than columns."""
    return np.asarray(np.linalg.qr(rows, "r")) if len(rows) > rows.shape[1] else rows


def _shared(rest: Array, wanted: Array, other: Array, rng: Generator) -> Array:
    """Draw a part of sums of two normal parts of mean 0, whose variances are given."""
    share = wanted / (wanted + other)
    return np.asarray(share * rest + np.sqrt(share * other) * rng.standard_normal(rest.shape))


def _factor(system: Array, n_last: int) -> Array:
    """Return L of matrices (B, r, r), 1 added to the diagonal but for its last places."""
    at = np.arange(system.shape[1] - n_last)
    system[:, at, at] += 1.0
    return factor_large(system)


def _solved(system: Array, right: Array) -> tuple[Array, Array]:
    """Return L of I + system, (B, r, r), and L⁻¹ right, right (r, B) or (r, F, B)."""
    lower = _factor(system, 0)
    return lower, solve_large(lower, np.ascontiguousarray(right))
