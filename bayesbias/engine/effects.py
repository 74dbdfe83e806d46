"""What a block says of its effects, and of every pair, given its standard deviations.

Given the variance components all is normal. With effects x ~ N(0, P), responses y = μ + Z x + e and
their covariance V = Z P Zᵀ + noise,

    E(x | y) = P Zᵀ V⁻¹ (y − μ)       cov(x | y) = P − P Zᵀ V⁻¹ Z P

the best linear unbiased predictions (BLUPs) of Henderson's equations. Columns C, such as slopes,
enter V⁻¹ as `Block.on_columns` says. Effects are drawn by Matheron's rule: x* + P Zᵀ V⁻¹ (y − y*),
a draw x*, y* of the prior.

**Leave-one-out.** A response given all others is normal with the variance 1 / (V⁻¹)_ii and the mean
y_i − (V⁻¹(y − μ))_i / (V⁻¹)_ii (Rasmussen and Williams 2006, Gaussian Processes for Machine
Learning, 5.4.2; Sundararajan and Keerthi 2001).
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from bayesbias.engine.block import Block
from bayesbias.support.arguments import Array, Generator
from bayesbias.support.machine import on_one_thread

_CHUNK: Final = 1 << 20  # numbers in the largest array of a step: what stays in the cache


def prior_draws(block: Block, effects: Array, noise: Array, rng: Generator) -> tuple[Array, Array]:
    """Draw effects, (n_effects, B), and responses less the prior mean, (n_pairs, B), unseen."""
    sds, (levels, parts) = effects[block.variance], block.shared
    drawn = sds * _correlated(block, rng.standard_normal(sds.shape), 0)
    made = block.incidence @ drawn
    made += noise[block.noise_of_rows] * rng.standard_normal(made.shape)
    for level, sd in zip(levels, effects[parts], strict=True):
        assert block.table is not None
        words = block.table[block.noise_of_rows[block.table[:, 0]] == level]
        z = rng.standard_normal((*words.shape, len(sd)))
        made[words] += sd * np.einsum("am,nmb->nab", block.roots[0], z, optimize=True)
    return drawn, made


def _correlated(block: Block, values: Array, which: int) -> Array:
    """Return one of `Block.roots` of the correlation of effects times values (n_effects, B)."""
    product = values.copy()
    for share in () if block.rotation is None else block.rotation.shares:
        if share.among is not None:
            at = share.effect
            product[at] = np.tensordot(block.roots[which], values[at], (1, 1)).swapaxes(0, 1)
    return product


def _solved(block: Block, effects: Array, noise: Array, y: Array) -> tuple[Any, Array, Array]:
    """Return the state of equations, H (B, k, n_pairs), and V⁻¹ times responses y (B, n_pairs)."""
    part: Any = block.part
    state, columns = part.at(effects, noise), block.columns
    both = np.broadcast_to(columns, (len(y), *columns.shape))
    solved = part.solve(state, np.concatenate([both, y[:, None]], axis=1))
    of_columns, rest = solved[:, :-1], solved[:, -1]
    half, _ = block.on_columns(effects, of_columns @ columns.T, of_columns)
    return state, half, rest - (half.swapaxes(1, 2) @ (half @ y[:, :, None]))[:, :, 0]


@on_one_thread
def draw_effects(block: Block, effects: Array, noise: Array, rng: Generator) -> Array:
    """Draw the means, less the prior mean, and all effects from their conditional, (n_effects, D).

    `effects` (n_sds, D), `noise` (n_noise, D): here and below, draws of standard deviations.
    """
    drawn = np.empty((block.n_effects, noise.shape[1]))
    for at in _steps(block, noise):
        first, made = prior_draws(block, effects[:, at], noise[:, at], rng)
        rest = block.response - block.mean - made.T
        *_, solved = _solved(block, effects[:, at], noise[:, at], rest)
        sds = effects[block.variance, at]
        sums = block.incidence.T @ solved.T
        drawn[:, at] = first + sds * _correlated(block, sds * sums, 1)
    return drawn


@on_one_thread
def given_others(block: Block, effects: Array, noise: Array) -> tuple[Array, Array]:
    """Return the mean and sd of every response given all others of its block, (D, n_pairs)."""
    mean, sd = np.empty((2, noise.shape[1], len(block.response)))
    for at in _steps(block, noise):
        rest = np.repeat(block.response[None] - block.mean, noise[0, at].size, axis=0)
        state, half, solved = _solved(block, effects[:, at], noise[:, at], rest)
        diagonal = block.part.diagonal(state) - (half**2).sum(axis=1)
        sd[at] = diagonal**-0.5
        mean[at] = block.response - solved / diagonal
    return mean, sd


@on_one_thread
def moments(block: Block, effects: Array, noise: Array, weights: Array) -> tuple[Array, Array]:
    """Return means, less the prior's, and variances, (F, D), of `weights` (F, n_effects)."""
    functions = block.functions(weights)
    mean, variance = np.empty((2, len(weights), noise.shape[1]))
    step = max(1, block.part.step // (1 + len(weights) // 4))
    for i in range(0, noise.shape[1], step):
        at = slice(i, i + step)
        _, mean[:, at], variance[:, at] = functions(effects[:, at], noise[:, at])
    return mean, variance


def _steps(block: Block, noise: Array) -> Iterator[slice]:
    """Yield the draws that are treated at a time."""
    size = (2 + len(block.columns)) * len(block.response) + 2 * block.n_effects
    step = max(1, min(block.part.step, _CHUNK // size))
    return (slice(i, i + step) for i in range(0, noise.shape[1], step))
