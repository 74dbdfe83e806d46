"""The density of a complete design of words and attributes, all effects integrated out.

Of every class of words (`complete_layout`), rotated, the deviations from its mean and the mean are
independent.

- A deviation has the covariance D + Q T Qᵀ, with D the noise, diagonal over directions, T the
  variances of a word's own effects, and Q their regressors. The Woodbury identity needs the
  q × q matrix I + √T QᵀD⁻¹Q √T instead.
- The means of all classes have in each direction k a small matrix over classes, Σ_k, of noise and
  of effects of attributes; and from all else the low-rank part Z T Zᵀ. Woodbury again: with the
  Gram matrix G = ZᵀΣ⁻¹Z of the regressors and L Lᵀ = I + √T G √T,

      log|Σ + Z T Zᵀ| = Σ_k log|Σ_k| + 2 log|L|
      yᵀ(Σ + Z T Zᵀ)⁻¹y = yᵀΣ⁻¹y − |L⁻¹ √T ZᵀΣ⁻¹y|²

So the cost of a density is the number of directions times the number of regressors squared,
whatever the number of words. Similar attributes have as many directions as there are attributes;
unrelated ones a few, and in the deviations of attributes, which no regressor sees, the scatter over
classes is a sufficient statistic: S enters as tr Σ_k⁻¹S.

This is the linear mixed model of complete block designs (Searle, Casella and McCulloch 1992,
Variance Components), with a known covariance over attributes (Henderson 1976).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from bayesbias.inference.complete_layout import CompleteLayout
from bayesbias.inference.small_matrices import backward, factor, factor_large, forward, inverse
from bayesbias.support.arrays import Array, Index

_CHUNK: Final = 1 << 20
"""Numbers in the largest array of a step."""


@dataclass(frozen=True)
class State:
    """What follows from B values of the standard deviations.

    `variances` (2 + n_sds, B): the means' first, that of N last. `noise` (C, n, B): its variance,
    of every class and direction, and `shares`, (C, n or 1, B) each: its own, of single pairs, of
    similar attributes (in K). `factors` (C, C, n, B): L of Σ over classes, of every direction.
    """

    variances: Array
    noise: Array
    shares: tuple[Array, Array, Array]
    factors: Array


@dataclass(frozen=True)
class Products:
    """Products of the deviations of m responses, summed over words and sets.

    `where`: of every class those of the responses that have any (what is the same for all words of
    a class, as an attribute's number is, has none); `deviations` ((m words), n) and `products`
    (m m, n): theirs. `within` (m, m, C, n) and `scatter` (m, m, C, C, n): in the deviations of
    attributes, of words and of the classes' means.
    """

    where: list[Index]
    deviations: list[Array]
    products: list[Array]
    within: Array
    scatter: Array


class CompleteBlock:
    """The density of responses of a complete design.

    `response` (n_sets, n_pairs): less the prior mean; sets are independent given the standard
    deviations. `scale` (1 + n_sds,): what effects are multiplied by: the means, and those of each
    standard deviation. `mean_sd`: the prior's of the means. `step`: values of the standard
    deviations that are treated at a time.
    """

    def __init__(
        self, layout: CompleteLayout, response: Array, scale: Array, mean_sd: float
    ) -> None:
        self.layout, self.scale, self.mean_sd = layout, scale, mean_sd
        self.response, self.n_sets = response, len(response)
        self.n_effects, self.n_kept = layout.n_effects, layout.n_regressors
        self.root = np.sqrt(layout.size)[:, None] * layout.present  # (C, n)
        self.has_deviations = np.flatnonzero(layout.size > 1).tolist()
        most = max(len(at) for at in layout.regressors_of)
        largest = layout.n_directions * max(layout.n_classes**2, most)
        largest += (layout.n_regressors + len(response)) ** 2
        self.step = max(1, _CHUNK // (largest + 1))
        table = np.where(layout.rows >= 0, response[:, layout.rows], 0.0)
        if layout.is_rotated:
            table = table @ layout.basis
        belongs = (layout.member == np.arange(layout.n_classes)[:, None]).astype(float)
        mean = belongs @ table / layout.size[:, None]
        deviation = table - mean[:, layout.member]
        total = mean * np.sqrt(layout.size)[:, None]
        self.has_free = not layout.is_rotated and layout.n_directions < layout.n_attributes
        if self.has_free:
            self.free_total = layout.deviations(total)  # (n_sets, C, n_attributes)
            self.free_deviation = layout.deviations(deviation)
        if not layout.is_rotated:
            total, deviation = total @ layout.basis, deviation @ layout.basis
        self.total = total  # √n times the means of classes, (n_sets, C, n)
        self.deviation = deviation  # (n_sets, n_words, n), by class (n_sets n_words, n)
        self.of_classes = [
            deviation[:, layout.member == c].reshape(-1, layout.n_directions)
            for c in range(layout.n_classes)
        ]
        # Of every class rows of the same products RᵀR, no more of them than columns.
        self.root_scatter = [
            np.asarray(np.linalg.qr(rows, "r")) if len(rows) > rows.shape[1] else rows
            for rows in self.of_classes
        ]
        if self.n_sets > 1 or self.has_free:
            self.own_products = self.sums([self])

    def with_response(self, response: Array) -> "CompleteBlock":
        """Return the block with other responses, (n_sets, n_pairs)."""
        return CompleteBlock(self.layout, response, self.scale, self.mean_sd)

    def at(self, effects: Array, noise: Array) -> State:
        """Return what follows from B values of the standard deviations alone."""
        layout, ones = self.layout, np.ones((1, effects.shape[1]))
        sds = np.concatenate([self.mean_sd * ones, effects, ones])
        # What all words share is in every copy, as the means are.
        variances = (sds * np.r_[self.scale, self.scale[0]][:, None]) ** 2
        alone = noise[layout.noise] ** 2
        added, alike = (
            np.where((number > 0)[:, :, None], variances[number], 0.0)
            for number in (layout.noise_added, layout.noise_similar)
        )
        of_noise = alone + added + alike * layout.eigenvalues[:, None]
        if of_noise.shape[1] < layout.n_directions or not layout.present.all():
            # A cell without pairs meets no effect, and the variance 1 adds 0 to the log
            # determinants.
            of_noise = np.where(layout.present[:, :, None], of_noise, 1.0)
        # In the eigenbasis of K the covariance of attributes is diagonal, so that what is left of
        # each direction k is Σ_k over classes: noise, and terms by their correlation of classes.
        n = layout.n_classes
        sigma = np.zeros((n, n, *of_noise.shape[1:]))
        sigma[np.arange(n), np.arange(n)] = of_noise
        terms = zip(layout.attribute_terms, layout.codes, strict=True)
        for number, (term, codes) in enumerate(terms):
            spread = self.spread(number, variances)
            for a, b in product(np.flatnonzero(codes >= 0).tolist(), repeat=2):
                if correlation := term.correlation[codes[a], codes[b]]:
                    share = correlation * self.root[a] * self.root[b]
                    sigma[a, b] += share[:, None] * spread[codes[a]]
        return State(variances, of_noise, (alone, added, alike), factor(sigma))

    def spread(self, number: int, variances: Array) -> Array:
        """Return variances of a term's effects of attributes, (n_codes, n or 1, B)."""
        found = variances[self.layout.variance[number]]
        if not self.layout.attribute_terms[number].similar:
            return found
        return found * self.layout.eigenvalues[:, None]

    def gram(self, precision: Array) -> Array:
        """Return the products of regressors under Σ⁻¹, (C, C, n, B); shape (B, r, r)."""
        layout = self.layout
        found = np.zeros((layout.n_regressors, layout.n_regressors, precision.shape[-1]))
        # ZᵀΣ⁻¹Z is a sum over directions of what two regressors are in it times Σ_k⁻¹ of their
        # classes, and symmetric, so that half of the classes' pairs are enough.
        for a, b in zip(*np.triu_indices(layout.n_classes), strict=True):
            first, second = layout.regressors_of[a], layout.regressors_of[b]
            pairs = layout.regressor[a][:, None] * layout.regressor[b]
            products = np.tensordot(pairs, precision[a, b], 1)  # one product of matrices for all
            found[first[:, None], second] += products
            if a != b:
                found[second[:, None], first] += products.transpose(1, 0, 2)
        return found.transpose(2, 0, 1)

    def on_regressors(self, columns: Array) -> Array:
        """Return products of regressors and columns (C, n, ...), shape (r, ...)."""
        layout = self.layout
        found = np.zeros((layout.n_regressors, *columns.shape[2:]))
        for at, regressor, column in zip(
            layout.regressors_of, layout.regressor, columns, strict=True
        ):
            found[at] += np.tensordot(regressor, column, 1)
        return found

    def of_regressors(self, coefficients: Array) -> Array:
        """Return the sums of regressors times coefficients (r, B), (C, n, B)."""
        both = zip(self.layout.regressors_of, self.layout.regressor, strict=True)
        return np.stack([regressor.T @ coefficients[at] for at, regressor in both])

    def _gram_with(self, state: State, columns: Array) -> tuple[Array, Array]:
        """Return Σ⁻¹, and products under it of regressors and m columns, (B, r + m, r + m).

        Columns have the shape (C, n, m).
        """
        factors, (r, m) = state.factors, (self.layout.n_regressors, columns.shape[2])
        size = factors.shape[-1]
        # With Σ = L Lᵀ and half = L⁻¹Y: YᵀΣ⁻¹Y = halfᵀ half, and ZᵀΣ⁻¹Y = Zᵀ L⁻ᵀ half.
        half = np.broadcast_to(columns[..., None], (*columns.shape, size)).copy()
        forward(factors[:, :, :, None], half)
        flat = half.reshape(-1, m, size).transpose(2, 1, 0)
        precision = inverse(factors)
        found = np.empty((size, r + m, r + m))
        found[:, :r, :r] = self.gram(precision)
        found[:, r:, r:] = flat @ flat.transpose(0, 2, 1)
        across = self.on_regressors(backward(factors[:, :, :, None], half)).transpose(2, 0, 1)
        found[:, :r, r:], found[:, r:, :r] = across, across.transpose(0, 2, 1)
        return precision, found

    def log_likelihood(self, effects: Array, noise: Array) -> Array:
        """Return the log density of responses, (B,); `effects` (n_sds, B), `noise` (n_noise, B)."""
        if self.n_sets > 1:
            value, products = self.products([self], self.own_products, effects, noise)
            return np.asarray(value - 0.5 * products[:, 0, 0])
        state, r = self.at(effects, noise), self.layout.n_regressors
        precision, gram = self._gram_with(state, self.total[0, :, :, None])
        root = np.ones((gram.shape[0], r + 1))
        root[:, :-1] = np.sqrt(state.variances[self.layout.regressor_variance]).T
        # The Cholesky factor of I + √T G √T bordered by the responses: the pivots of the former
        # give |Σ + Z T Zᵀ| / |Σ| (matrix determinant lemma), and the last one squared is the Schur
        # complement of the former, the quadratic form of the responses (Woodbury).
        system = root[:, :, None] * gram * root[:, None]
        pivots = np.einsum("bii->bi", factor_plus_one(system, 1))
        value = self._log_scale(state, pivots) - pivots[:, -1] ** 2
        if self.has_free:
            value -= self._free_products(self.own_products, precision, state)[:, 0, 0]
        for c in self.has_deviations:
            # n words have n − 1 independent deviations: as many determinants, and one sum of
            # squares.
            weight, rows, n = 1.0 / state.noise[c], self.root_scatter[c], self.layout.size[c] - 1
            own = n * (self.layout.multiplicity @ np.log(weight)) - (rows**2).sum(axis=0) @ weight
            if len(self.layout.own_regressor[c]):
                lower, weighted = self.own_system(c, state)
                own -= 2.0 * n * np.log(np.einsum("iib->ib", lower)).sum(axis=0)
                # Woodbury: rᵀ(D + Q T Qᵀ)⁻¹r = rᵀD⁻¹r − |L⁻¹ √T QᵀD⁻¹r|², summed over words.
                turned = weighted @ rows.T
                both = (turned @ turned.transpose(0, 2, 1)).transpose(1, 2, 0)
                own += (inverse(lower) * both).sum(axis=(0, 1))
            value += own
        return np.asarray(0.5 * value)

    def _log_scale(self, state: State, pivots: Array) -> Array:
        """Return twice the log density of responses of 0, (B,), but for deviations of words."""
        log_pivots = np.log(np.einsum("iikb->ikb", state.factors)).sum(axis=0)
        # |Σ| is the product over directions, |I + √T G √T| the matrix determinant lemma's part.
        value = self.layout.multiplicity @ log_pivots
        value = value + np.log(pivots[:, : self.layout.n_regressors]).sum(axis=1)
        return np.asarray(-2.0 * value - self.layout.n_pairs * np.log(2 * np.pi))

    def _free_products(self, sums: Products, precision: Array, state: State) -> Array:
        """Return the products of deviations of attributes, (B, m, m), which see no regressor."""
        m, size = len(sums.scatter), precision.shape[-1]
        of_means = sums.scatter.reshape(m * m, -1) @ precision.reshape(-1, size)
        of_words = sums.within.reshape(m * m, -1) @ (1.0 / state.noise).reshape(-1, size)
        return np.asarray((of_means + of_words).T.reshape(size, m, m))

    def own_system(self, c: int, state: State) -> tuple[Array, Array]:
        """Return L of I + √T QᵀD⁻¹Q √T, (q, q, B), and √T QᵀD⁻¹, (B, q, n): Woodbury's parts."""
        q, weight = self.layout.own_regressor[c], 1.0 / state.noise[c]
        root = np.sqrt(state.variances[self.layout.own_variance[c]]).T
        weighted = root[:, :, None] * q * weight.T[:, None]
        system = (weighted @ q.T * root[:, None]).transpose(1, 2, 0).copy()
        at = np.arange(len(q))
        system[at, at] += 1.0
        return factor(system), weighted

    def sums(self, columns: "Sequence[CompleteBlock]") -> Products:
        """Return what `products` needs of m blocks that differ in their responses alone."""
        layout, m = self.layout, len(columns)
        where, deviations, products = [], [], []
        for c in range(layout.n_classes):
            of_class = np.stack([column.of_classes[c] for column in columns])
            some = np.flatnonzero(np.abs(of_class).max(axis=(1, 2), initial=0.0) > 0)
            of_class = of_class[some]
            where.append(some)
            products.append(np.einsum("iwk,jwk->ijk", of_class, of_class))
            deviations.append(of_class)
        shape = (-1, layout.n_directions)
        within = np.zeros((m, m, layout.n_classes, layout.n_directions))
        scatter = np.zeros((m, m, layout.n_classes, layout.n_classes, layout.n_directions))
        if self.has_free:
            belongs = (layout.member == np.arange(layout.n_classes)[:, None]).astype(float)
            for i, one in enumerate(columns):
                for j, two in enumerate(columns):
                    both = (one.free_deviation * two.free_deviation).sum(axis=0)
                    within[i, j] = layout.by_direction(belongs @ both)
                    both = np.einsum("sak,sbk->abk", one.free_total, two.free_total)
                    scatter[i, j] = layout.by_direction(both)
        return Products(
            where,
            [one.reshape(shape) for one in deviations],
            [one.reshape(shape) for one in products],
            within,
            scatter,
        )

    def products(
        self, columns: "Sequence[CompleteBlock]", sums: Products, effects: Array, noise: Array
    ) -> tuple[Array, Array]:
        """Return the log density of responses of 0, and products under the inverse covariance.

        `columns`: m blocks that differ from this in their responses alone; `sums`: what `sums`
        returns of them. Returns (B,), and of the responses of any two, summed over sets, (B, m, m).
        """
        state, r, m = self.at(effects, noise), self.layout.n_regressors, len(columns)
        totals = np.concatenate([column.total for column in columns])
        precision, gram = self._gram_with(state, totals.transpose(1, 2, 0))
        root = np.ones(gram.shape[:2])
        root[:, :r] = np.sqrt(state.variances[self.layout.regressor_variance]).T
        # The same for m responses: the last m × m corner is the factor of the Schur complement of
        # the regressors, which Woodbury's identity takes for Yᵀ(Σ + Z T Zᵀ)⁻¹Y.
        # As much again in their diagonal keeps them regular, whatever the columns have in common.
        at = np.arange(r, gram.shape[1])
        own = np.where(gram[:, at, at] > 0, gram[:, at, at], 1.0)
        system = root[:, :, None] * gram * root[:, None]
        system[:, at, at] += own
        lower = factor_plus_one(system, len(at))
        left = np.tril(lower[:, r:, r:])
        left = left @ left.transpose(0, 2, 1)
        left[:, at - r, at - r] -= own
        left = left.reshape(-1, m, self.n_sets, m, self.n_sets)
        found = np.einsum("bisjs->bij", left)
        value = self._log_scale(state, np.einsum("bii->bi", lower))
        if self.has_free:
            found += self._free_products(sums, precision, state)
        for c in self.has_deviations:
            value += self._deviation_products(c, sums, state, found)
        return 0.5 * self.n_sets * value, found

    def _deviation_products(self, c: int, sums: Products, state: State, found: Array) -> Array:
        """Add a class's products to those found, (B, m, m); return twice the log density of 0."""
        weight, n = 1.0 / state.noise[c], self.layout.size[c] - 1
        value = n * (self.layout.multiplicity @ np.log(weight))
        where, deviations = sums.where[c], sums.deviations[c]
        m = len(where)
        mine = (sums.products[c] @ weight).T.reshape(-1, m, m)
        if len(self.layout.own_regressor[c]):
            # Woodbury as in `log_likelihood`, for the products of any two responses: L is inverted
            # once, RᵀD⁻¹Q √T (L Lᵀ)⁻¹ √T QᵀD⁻¹R summed over words.
            own, weighted = self.own_system(c, state)
            value -= 2 * n * np.log(np.einsum("iib->ib", own)).sum(axis=0)
            size, q = weighted.shape[:2]
            turned = weighted @ deviations.T
            turned = turned.reshape(size, q * m, -1)
            both = (turned @ turned.transpose(0, 2, 1)).reshape(size, q, m, q, m)
            mine -= np.einsum("pqb,bpiqj->bij", inverse(own), both, optimize=True)
        found[:, where[:, None], where] += mine
        return np.asarray(value)


_TINY: Final = 10
"""Rows up to which steps over all matrices factorise faster than LAPACK."""


def factor_plus_one(system: Array, n_last: int) -> Array:
    """Return L of matrices (B, r, r), 1 added to the diagonal except in its last places.

    A matrix that is not positive definite gives NaN.
    """
    at = np.arange(system.shape[1] - n_last)
    system[:, at, at] += 1.0
    if system.shape[1] > _TINY:
        return factor_large(system)
    return factor(np.ascontiguousarray(system.transpose(1, 2, 0))).transpose(2, 0, 1)
