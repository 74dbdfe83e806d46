"""The effects of a complete design given its standard deviations: draws and exact moments.

Draws come from the exact normal conditional. Those of the means of classes condition a draw from
the prior (Matheron's rule: a prior draw, plus the covariance with the data times what the data have
beyond it); those of deviations are drawn from their own system. Moments of linear functions follow
from the same identities as the density (`complete_block`).
"""

import numpy as np

from bayesbias.inference.complete_block import CompleteBlock, State, factor_plus_one
from bayesbias.inference.slopes import Offsets
from bayesbias.inference.small_matrices import backward, factor, forward, inverse, solve_any
from bayesbias.support.arrays import Array
from bayesbias.support.types import Generator


def draw(
    block: CompleteBlock, effects: Array, noise: Array, rng: Generator, offsets: Offsets
) -> Array:
    """Draw the means and effects of every set, (n_sets, n_effects, B).

    `offsets`: what goes off the responses, each times a number a draw: slopes.
    """
    state, layout = block.at(effects, noise), block.layout
    every = np.empty((block.n_sets, block.n_effects, noise.shape[1]))
    for number, found in enumerate(every):
        total = block.total[number][..., None]
        for slope, view in offsets:
            total = total - slope * view.total[number][..., None]
        of_regressor, of_attributes = _draw_means(block, total, state, rng)
        found[layout.shared_effect] = of_regressor[: len(layout.shared_effect)]
        values = [layout.basis @ drawn for drawn in of_attributes]
        if block.has_free and values:
            _add_deviations(block, number, state, values, rng, offsets)
        for term, at, drawn in zip(layout.attribute_terms, layout.of_loadings, values, strict=True):
            if term.loadings.shape[1]:
                near = of_regressor[at].reshape(len(drawn), -1, found.shape[1])
                drawn += term.loadings @ near
            is_met = term.effect >= 0
            if is_met.all():
                found[term.effect] = drawn
            else:
                found[term.effect[is_met]] = drawn[is_met]
        for c in range(layout.n_classes):
            if len(layout.own_regressor[c]):
                # Its coefficient is √n times the mean of the words' effects, which has the variance
                # of one.
                mean = of_regressor[layout.own_place[c]] / np.sqrt(layout.size[c])
                several = layout.size[c] > 1
                own = _draw_own(block, c, number, state, rng, offsets) if several else 0.0
                found[layout.own_effect[c]] = mean + own
    return every


def _draw_means(
    block: CompleteBlock, total: Array, state: State, rng: Generator
) -> tuple[Array, list[Array]]:
    """Draw the coefficients of the regressors, (r, B), and effects of attributes by direction."""
    layout, factors = block.layout, state.factors
    sd = np.sqrt(state.variances[layout.regressor_variance])
    # Matheron's rule: a draw from the prior, and what the data have beyond the data it implies.
    prior = sd * rng.standard_normal(sd.shape)
    rest = total - block.of_regressors(prior)
    rest -= np.sqrt(state.noise) * rng.standard_normal(state.noise.shape)
    spreads, drawn = [], []
    for number, (term, codes) in enumerate(zip(layout.attribute_terms, layout.codes, strict=True)):
        spread = block.spread(number, state.variances)
        shape = len(term.effect), layout.n_directions, sd.shape[1]
        effect = np.tensordot(term.root, np.sqrt(spread) * rng.standard_normal(shape), 1)
        acts = codes >= 0
        rest[acts] -= block.root[acts][:, :, None] * effect[codes[acts]]
        spreads.append(spread)
        drawn.append(effect)
    # (Σ + Z T Zᵀ)⁻¹ rest, by the Woodbury identity.
    solved = backward(factors, forward(factors, rest.copy()))
    gram = block.gram(inverse(factors))
    system = sd.T[:, :, None] * gram * sd.T[:, None]
    lower = factor_plus_one(system, 0)
    first = solve_any(lower, sd * block.on_regressors(solved))
    # √T (I + √T G √T)⁻¹ √T ZᵀΣ⁻¹ = T Zᵀ(Σ + Z T Zᵀ)⁻¹, the push-through identity: so sd c is what
    # the regressors' prior draws are moved by, and Σ⁻¹ of what they leave is the inverse of the
    # whole covariance times `rest`.
    c = solve_any(lower, first, transposed=True)
    rest -= block.of_regressors(sd * c)
    beyond = backward(factors, forward(factors, rest))
    for number, (term, codes) in enumerate(zip(layout.attribute_terms, layout.codes, strict=True)):
        for a in np.flatnonzero(codes >= 0):
            for b in np.flatnonzero(term.correlation[codes[a]]):
                share = term.correlation[b, codes[a]] * block.root[a][:, None]
                drawn[number][b] += share * spreads[number][b] * beyond[a]
    return prior + sd * c, drawn


def _codes_given_data(block: CompleteBlock, state: State) -> tuple[Array, Array, Array]:
    """Return what deviations of attributes say of their effects, of all N codes of all terms.

    These are A z, z ~ N(0, I), A (N, N, n, B) in every direction. Given the deviations t of the
    classes' means, z has the mean H t, H (N, C, n, B), and the covariance V (N, N, n, B).
    """
    layout, size = block.layout, state.noise.shape[-1]
    n = sum(len(term.effect) for term in layout.attribute_terms)
    root = np.zeros((n, n, layout.n_directions, size))
    loaded = np.zeros((layout.n_classes, n, layout.n_directions, size))
    start = 0
    for number, (term, codes) in enumerate(zip(layout.attribute_terms, layout.codes, strict=True)):
        at = slice(start, start + len(term.effect))
        root[at, at] = term.root[:, :, None, None] * np.sqrt(block.spread(number, state.variances))
        for a in np.flatnonzero(codes >= 0):
            loaded[a] += block.root[a][:, None] * root[start + codes[a]]
        start = at.stop
    # Of jointly normal z and t: with F the covariance of t and z, and L Lᵀ that of t, the
    # covariance of z given t is I − |L⁻¹F|², and its gain (L⁻ᵀ L⁻¹F)ᵀ.
    half = forward(state.factors[:, :, None], loaded)
    covariance = -np.einsum("cxkb,cykb->xykb", half, half)
    covariance[np.arange(n), np.arange(n)] += 1.0
    return root, covariance, backward(state.factors[:, :, None], half).swapaxes(0, 1)


def _add_deviations(
    block: CompleteBlock,
    number: int,
    state: State,
    values: list[Array],
    rng: Generator,
    offsets: Offsets,
) -> None:
    """Add the deviations of attributes from their class's mean, (n_codes, n_attributes, B) each."""
    layout = block.layout
    root, covariance, gain = _codes_given_data(block, state)
    triangle = np.tri(len(root), dtype=bool)[:, :, None, None]
    spread = np.einsum("xykb,yzkb->xzkb", root, np.where(triangle, factor(covariance), 0.0))
    gain = np.einsum("xykb,yckb->xckb", root, gain)
    total = block.free_total[number][..., None]
    for slope, view in offsets:
        total = total - slope * view.free_total[number][..., None]
    for k in np.flatnonzero(layout.multiplicity > 1):
        places = np.flatnonzero(layout.direction == k)
        first, end = places[0], places[-1] + 1
        at = slice(first, end) if end - first == len(places) else places  # a slice copies nothing
        data = total[:, at]
        z = rng.standard_normal((len(root), data.shape[1], state.noise.shape[-1]))
        # Deviations sum to 0 over the attributes of a class, as those of words in `_draw_own`.
        z -= z.mean(axis=1, keepdims=True)
        rows = iter(range(len(root)))
        for of_term in values:
            for effect in of_term:
                i = next(rows)
                for j in range(len(root)):
                    if spread[i, j, k].any():
                        effect[at] += spread[i, j, k] * z[j]
                for c in np.flatnonzero(gain[i, :, k].any(axis=1)):
                    effect[at] += gain[i, c, k] * data[c]


def _draw_own(
    block: CompleteBlock, c: int, number: int, state: State, rng: Generator, offsets: Offsets
) -> Array:
    """Draw the deviations of the words' own effects from their mean, (n_words, q, B)."""
    lower, weighted = block.own_system(c, state)
    of_class = block.layout.member == c
    data = weighted @ block.deviation[number, of_class].T
    for slope, view in offsets:
        data = data - slope[:, None, None] * (weighted @ view.deviation[number, of_class].T)
    right = forward(lower[:, :, None], np.ascontiguousarray(data.transpose(1, 2, 0)))
    noise = rng.standard_normal(right.shape)
    # Deviations from a mean sum to 0 over the words of the class, and so does their noise.
    right += noise - noise.mean(axis=1, keepdims=True)
    solved = backward(lower[:, :, None], right)
    sd = np.sqrt(state.variances[block.layout.own_variance[c]])
    return np.asarray((sd[:, None] * solved).transpose(1, 0, 2))


def draw_of_pairs(
    block: CompleteBlock, rest: Array, effects: Array, noise: Array, rng: Generator
) -> tuple[Array, Array]:
    """Draw the effects of single pairs from `rest` (n_pairs, B), what others leave of responses.

    Returns those that similar attributes share, and those that none share, (n_pairs, B) each.
    """
    layout = block.layout
    rows, of = layout.rows, layout.direction
    state = block.at(effects, noise)
    alone, added, alike = (
        np.broadcast_to(share, state.noise.shape)[layout.member][:, of] for share in state.shares
    )
    rest = rest[rows]
    if layout.is_rotated:
        rest = (rest.swapaxes(1, 2) @ layout.basis).swapaxes(1, 2)
    alike = alike * layout.eigenvalues[of, None]
    first = _shared(rest, alike, alone + added, rng)
    second = _shared(rest - first, added, alone, rng)
    is_met = rows >= 0
    drawn = np.empty((2, is_met.sum(), noise.shape[1]))
    for place, one in zip(drawn, (first, second), strict=True):
        place[rows[is_met]] = (layout.basis @ one if layout.is_rotated else one)[is_met]
    return drawn[0], drawn[1]


_ROUNDING = 1e-13
"""Of weights, below which a deviation from the mean of a class of attributes is none."""


class Functions:
    """Linear functions, (F, n_effects), of the effects of one set."""

    def __init__(self, block: CompleteBlock, number: int, weights: Array) -> None:
        self.block, self.number = block, number
        layout, n = block.layout, len(weights)
        root = np.sqrt(layout.size)
        self.own = [weights[:, effect] for effect in layout.own_effect]  # (F, n_words, q)
        of_terms = [
            np.where(term.effect >= 0, weights[:, term.effect], 0.0)
            for term in layout.attribute_terms
        ]
        on = [weights[:, layout.shared_effect]]
        for term, one in zip(layout.attribute_terms, of_terms, strict=True):
            on.append((one @ term.loadings).reshape(n, -1))
        on += [one.sum(axis=1) / root[c] for c, one in enumerate(self.own)]
        self.on_regressor = np.concatenate(on, axis=1)
        # (F, n_codes, n_attributes) of every term.
        self.on_means = [one @ layout.basis for one in of_terms]
        acts = [one.any(axis=(1, 2)) for one in self.on_means]
        self.touched = np.flatnonzero(np.any(acts, axis=0)) if acts else np.zeros(0, np.int64)
        self.free = np.zeros(0, np.int64)
        if block.has_free and of_terms:
            self._set_free(np.concatenate(of_terms, axis=1))

    def _set_free(self, of_codes: Array) -> None:
        """Sum products of weights, (F, all codes, n_attributes), in deviations of attributes."""
        layout = self.block.layout
        found = layout.deviations(of_codes)
        found[np.abs(found) < _ROUNDING * np.abs(of_codes).max(initial=0.0)] = 0.0
        self.free = np.flatnonzero(found.any(axis=(1, 2)))
        if not len(self.free):
            return
        found = found[self.free]
        squares = found[:, :, None] * found[:, None]
        self.free_squares = layout.by_direction(squares).reshape(len(found), -1)
        on_data = found[:, :, None] * self.block.free_total[self.number]
        self.free_data = layout.by_direction(on_data).reshape(len(found), -1)

    def moments(self, state: State) -> tuple[Array, Array]:
        """Return mean and variance, (F, B)."""
        block, layout, size = self.block, self.block.layout, state.noise.shape[-1]
        variances, factors, on_regressor = state.variances, state.factors, self.on_regressor
        touched = self.touched
        prior = variances[layout.regressor_variance]
        variance = on_regressor**2 @ prior
        covariance = np.zeros((len(touched), *state.noise.shape))
        for number, one in enumerate(self.on_means):
            term, codes = layout.attribute_terms[number], layout.codes[number]
            spread, one = block.spread(number, variances), one[touched]
            spread = np.broadcast_to(spread, (len(spread), layout.n_directions, size))
            mixed = np.einsum("xy,fyk->fxk", term.correlation, one)
            variance[touched] += np.einsum("fxk,xkb->fb", one * mixed, spread)
            for a in np.flatnonzero(codes >= 0):
                share = block.root[a] * mixed[:, codes[a]]
                covariance[:, a] += share[:, :, None] * spread[codes[a]]
        total = block.total[self.number][..., None, None]
        total = np.broadcast_to(total, (*total.shape[:3], size))
        columns = np.concatenate([total, covariance.transpose(1, 2, 0, 3)], axis=2)
        # Of columns only squares and products with responses, the first, are wanted.
        forward(factors[:, :, :, None], columns)
        squares = np.einsum("camb,camb->mb", columns, columns)
        products = np.einsum("camb,cab->mb", columns, columns[:, :, 0])
        across = block.on_regressors(backward(factors[:, :, :, None], columns))
        gram = block.gram(inverse(factors)).transpose(1, 2, 0)
        rows = np.concatenate([gram, across], axis=1)
        sd, r = np.sqrt(prior), layout.n_regressors
        turned = sd[:, None] * rows
        # Woodbury: what the regressors explain is taken off the moments under Σ alone.
        lower = factor_plus_one((turned[:, :r] * sd).transpose(2, 0, 1), 0)
        half = solve_any(lower, np.array(turned))
        squares -= (half[:, r:] ** 2).sum(axis=0)
        products -= (half[:, r:] * half[:, r : r + 1]).sum(axis=0)
        # Woodbury: Zᵀ(Σ + Z T Zᵀ)⁻¹[Z, columns], from the same under Σ alone.
        left = half.transpose(2, 0, 1)
        left = rows.transpose(2, 0, 1) - left[:, :, :r].transpose(0, 2, 1) @ left
        on_rows = on_regressor * prior.T[:, None]
        mean = (on_rows @ left[:, :, r : r + 1])[..., 0].T
        mean[touched] += products[1:]
        # From the prior's variance goes the quadratic form of the functions' covariance with the
        # data, which has a part by regressors and one by effects of attributes: both squares, and
        # twice their product.
        variance -= ((on_rows @ left[:, :, :r]) * on_rows).sum(axis=2).T
        both = on_rows[:, touched] * left[:, :, r + 1 :].transpose(0, 2, 1)
        variance[touched] -= 2.0 * both.sum(axis=2).T + squares[1:]
        if len(self.free):
            self._add_free(state, mean, variance)
        for c in block.has_deviations:
            self._add_own(c, state, mean, variance)
        return mean, variance

    def _add_free(self, state: State, mean: Array, variance: Array) -> None:
        """Add what deviations of attributes say of functions of their effects."""
        root, covariance, gain = _codes_given_data(self.block, state)
        size = state.noise.shape[-1]
        covariance = np.einsum("xykb,yzkb,wzkb->xwkb", root, covariance, root, optimize=True)
        variance[self.free] += self.free_squares @ covariance.reshape(-1, size)
        gain = np.einsum("xykb,yckb->xckb", root, gain)
        mean[self.free] += self.free_data @ gain.reshape(-1, size)

    def _add_own(self, c: int, state: State, mean: Array, variance: Array) -> None:
        """Add what a class's deviations say of functions of its words' own effects."""
        block, layout, weights = self.block, self.block.layout, self.own[c]
        # Deviations sum to 0 over the words: what weights have in common is of the class's mean.
        wanted = weights - weights.mean(axis=1, keepdims=True)
        touched = np.flatnonzero(wanted.any(axis=(1, 2)))
        if not len(touched):
            return
        lower, weighted = block.own_system(c, state)
        sd = np.sqrt(state.variances[layout.own_variance[c]])
        turned = sd[:, None, None] * wanted[touched].transpose(2, 0, 1)[..., None]
        # The deviations' covariance is √T (L Lᵀ)⁻¹ √T, so that variances are sums of squares.
        turned = forward(lower[:, :, None, None], turned)  # (q, F, n_words, B)
        variance[touched] += (turned**2).sum(axis=(0, 2))
        data = (weighted @ block.deviation[self.number, layout.member == c].T).transpose(1, 2, 0)
        data = forward(lower[:, :, None], np.ascontiguousarray(data))
        mean[touched] += (turned * data[:, None]).sum(axis=(0, 2))


def _shared(rest: Array, wanted: Array, other: Array, rng: Generator) -> Array:
    """Draw a part of sums of two normal parts of mean 0, whose variances are given."""
    # Given the sum, a part is normal with the mean share · sum and the variance share · other.
    share = wanted / (wanted + other)
    return np.asarray(share * rest + np.sqrt(share * other) * rng.standard_normal(rest.shape))
