"""Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao and Gabry 2024).

The largest importance weights are replaced by quantiles of a generalised Pareto distribution fitted
to them; its shape k̂ says whether the weights can be trusted: below 0.7 they can.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def smoothed_weights(log_weights: Array) -> tuple[Array, float]:
    """Smooth the largest weights and normalise all.

    Parameters
    ----------
    log_weights : ndarray, shape (n,)

    Returns
    -------
    weights : ndarray, shape (n,)
        They sum to 1.
    k_hat : float
        Shape of the tail; infinite where there are too few weights to tell.

    Examples
    --------
    >>> weights, k_hat = smoothed_weights(np.zeros(1000))
    >>> round(float(weights.sum()), 9), k_hat
    (1.0, -inf)
    """
    shifted = log_weights - log_weights.max()
    n = len(shifted)
    size = int(np.ceil(min(0.2 * n, 3 * np.sqrt(n))))
    order = np.argsort(shifted)
    tail = order[-size:]
    cutoff = shifted[order[-size - 1]] if size < n else -np.inf
    k_hat = np.inf
    if size >= 5:
        excess = np.exp(shifted[tail]) - np.exp(cutoff)
        if np.ptp(excess) <= 1e-12 * np.exp(cutoff):
            k_hat = -np.inf  # all alike: there is no tail
        else:
            k_hat, scale = _fit_pareto(excess)
            quantiles = _pareto_quantiles((np.arange(size) + 0.5) / size, k_hat, scale)
            shifted[tail] = np.minimum(np.log(quantiles + np.exp(cutoff)), 0.0)
    weights = np.exp(shifted - np.logaddexp.reduce(shifted))
    return weights, float(k_hat)


def _fit_pareto(x: Array) -> tuple[float, float]:
    """Fit shape and scale to sorted excesses (Zhang and Stephens 2009, weakly regularised)."""
    n = len(x)
    n_grid = 30 + int(np.sqrt(n))
    quarter = max(x[int(n / 4 + 0.5) - 1], 1e-300)
    b = 1 - np.sqrt(n_grid / (np.arange(1, n_grid + 1) - 0.5))
    b = b / (3 * quarter) + 1 / x[-1]
    k = np.log1p(-b[:, None] * x).mean(axis=1)
    likelihood = n * (np.log(-b / k) - k - 1)
    weights = np.exp(likelihood - likelihood.max())
    weights /= weights.sum()
    b_mean = (b * weights).sum()
    k_hat = np.log1p(-b_mean * x).mean()
    scale = -k_hat / b_mean
    return float((n * k_hat + 10 * 0.5) / (n + 10)), float(scale)


def _pareto_quantiles(p: Array, k: float, scale: float) -> Array:
    if abs(k) < 1e-12:
        return np.asarray(-scale * np.log1p(-p))
    return np.asarray(scale * np.expm1(-k * np.log1p(-p)) / k)


def resample(weights: Array, n_draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return indices drawn by weight: systematically, which adds the least noise, then shuffled."""
    positions = (np.arange(n_draws) + rng.random()) / n_draws
    found = np.searchsorted(np.cumsum(weights), positions)
    return rng.permutation(np.minimum(found, len(weights) - 1))
