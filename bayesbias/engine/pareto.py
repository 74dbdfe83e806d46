"""Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao and Gabry 2024).

The largest importance weights are replaced by quantiles of a generalised Pareto distribution fitted
to them; its shape k̂ says whether the weights can be trusted: below 0.7 they can.
"""

import numpy as np

from bayesbias.support.arguments import Array, Generator, Index


def smoothed_weights(log_weights: Array) -> tuple[Array, float]:
    """Smooth the largest weights and normalise all.

    Returns weights (n,), which sum to 1, and the shape of the tail, k̂; infinite where there are
    too few weights to tell.
    """
    log_smooth, k_hat = smoothed_log_weights(log_weights[None])
    return np.exp(log_smooth[0]), float(k_hat[0])


_LARGEST: float = 600.0
"""An exponent whose exponential is still a number."""


def smoothed_log_weights(log_ratios: Array) -> tuple[Array, Array]:
    """Return normalised log weights and Pareto k of every row."""
    weights = log_ratios - log_ratios.max(axis=1, keepdims=True)
    n = weights.shape[1]
    # The tail that Vehtari et al. take: at most a fifth of the weights; of fewer than five points
    # no shape is told.
    size = int(np.ceil(min(0.2 * n, 3 * np.sqrt(n))))
    if size < 5 or size >= n:
        return weights - logsumexp(weights)[:, None], np.full(len(weights), np.inf)
    order = np.argpartition(weights, n - size - 1, axis=1)
    cutoff = np.take_along_axis(weights, order[:, n - size - 1, None], axis=1)
    tail = order[:, n - size :]
    values = np.take_along_axis(weights, tail, axis=1)
    rank = np.argsort(values, axis=1)
    tail, values = (np.take_along_axis(a, rank, axis=1) for a in (tail, values))
    excess = np.exp(values) - np.exp(cutoff)
    varies = np.ptp(excess, axis=1) > 1e-12 * np.exp(cutoff[:, 0])
    # Equal weights have no tail: they are as good as can be.
    k = np.full(len(weights), -np.inf)
    if varies.any():
        k[varies], scale = _fit_pareto(excess[varies])
        shape = k[varies, None]
        p = (np.arange(size) + 0.5) / size
        grown = np.expm1(np.minimum(-shape * np.log1p(-p), _LARGEST))
        quantiles = scale[:, None] * grown / shape
        # Expected order statistics in place of the weights, none above the largest one (log weight
        # 0): Vehtari et al. truncate there.
        values[varies] = np.minimum(np.log(quantiles + np.exp(cutoff[varies])), 0.0)
        np.put_along_axis(weights, tail, values, axis=1)
    return weights - logsumexp(weights)[:, None], k


def _fit_pareto(x: Array) -> tuple[Array, Array]:
    """Fit shape and scale to the sorted rows (Zhang and Stephens 2009, weakly regularised)."""
    n = x.shape[1]
    # Zhang and Stephens write the density by b = −k / σ: k given b has a closed form, and b is
    # averaged over its profile likelihood on a grid, which the first quartile and the largest value
    # span.
    n_grid = 30 + int(np.sqrt(n))
    quarter = np.maximum(x[:, int(n / 4 + 0.5) - 1], 1e-300)
    spread = 1 - np.sqrt(n_grid / (np.arange(1, n_grid + 1) - 0.5))
    b = spread[:, None] / (3 * quarter) + 1 / x[:, -1]
    k, work = np.empty_like(b), np.empty_like(x)
    for shape, row in zip(k, b, strict=True):
        np.log1p(np.multiply(x, -row[:, None], out=work), out=work).mean(axis=1, out=shape)
    likelihood = n * (np.log(-b / k) - k - 1)
    weights = np.exp(likelihood - likelihood.max(axis=0))
    weights /= weights.sum(axis=0)
    b_mean = (b * weights).sum(axis=0)
    k_hat = np.log1p(-b_mean[:, None] * x).mean(axis=1)
    scale = -k_hat / b_mean
    # The prior of Vehtari et al.: ten values with the shape 0.5.
    k_hat = (n * k_hat + 10 * 0.5) / (n + 10)
    # Quantiles divide by the shape; next to 0 they are those of an exponential distribution.
    return np.where(np.abs(k_hat) < 1e-12, 1e-12, k_hat), scale


def logsumexp(values: Array) -> Array:
    """Return the log of the sum of exponentials of every row, with little memory."""
    top = values.max(axis=1)
    shifted = values - top[:, None]
    return np.asarray(top + np.log(np.exp(shifted, out=shifted).sum(axis=1)))


def spread_over(weights: Array, n: int, start: float = 0.5) -> Index:
    """Return n indices at even steps of the cumulated weights, the first a part of a step in."""
    places = np.searchsorted(np.cumsum(weights), (np.arange(n) + start) / n)
    return np.minimum(places, len(weights) - 1)


def resample(weights: Array, n_draws: int, rng: Generator) -> Index:
    """Return indices drawn by weight: systematically, which adds the least noise, then shuffled."""
    return rng.permutation(spread_over(weights, n_draws, rng.random()))
