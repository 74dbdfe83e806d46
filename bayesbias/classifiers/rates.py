"""GP, TPR and PP: three rates of a class, from counts, and draws of them. numpy only.

GP  = P(prediction is k | group)                 group parity
TPR = P(prediction is k | truth is k, group)     true positive rate
PP  = P(truth is k | prediction is k, group)     predictive parity
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError
from bayesbias.support.arrays import Array

METRICS: Final = ("GP", "TPR", "PP")  # the metrics, in the order of all tables and figures
_CHUNK: Final = 2_000_000  # cells of resampled tables held at a time


def rate_counts(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return successes and trials, (..., 3, n_groups, n_classes), of counts as in `Predictions`."""
    of_class = counts.sum(axis=-1)
    predicted = counts.sum(axis=-2)
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    everybody = np.broadcast_to(of_class.sum(axis=-1, keepdims=True), of_class.shape)
    successes = np.stack([predicted, right, right], axis=-3)
    return successes, np.stack([everybody, of_class, predicted], axis=-3)


def rates_of(successes: NDArray[np.int64], trials: NDArray[np.int64]) -> Array:
    """Return successes / trials, NaN where the denominator is 0."""
    empty = trials == 0
    return np.where(empty, np.nan, successes / np.where(empty, 1, trials))


def beta_draws(
    successes: NDArray[np.int64],
    trials: NDArray[np.int64],
    *,
    prior: tuple[float, float],
    draws: int,
    rng: np.random.Generator,
) -> Array:
    """Draw rates from Beta(a + successes, b + failures); shape (draws, *successes.shape)."""
    check_draws(draws)
    try:
        a, b = (float(value) for value in prior)
    except (TypeError, ValueError):
        raise ArgumentError(f"prior={prior!r}: give two numbers, such as (1, 1)") from None
    if not (0 < a < np.inf and 0 < b < np.inf):
        raise ArgumentError(f"prior={prior!r}: both numbers must be above 0")
    return rng.beta(a + successes, b + trials - successes, size=(draws, *successes.shape))


def dirichlet_draws(
    counts: NDArray[np.int64], *, prior: float, draws: int, rng: np.random.Generator
) -> Array:
    """Draw shares of classes, (draws, ..., n_classes), from Dirichlet(prior + counts).

    Shares sum to 1, so separate Beta(1, 1) priors contradict each other: over 28 classes they
    expect shares that sum to 14.
    """
    check_draws(draws)
    if isinstance(prior, bool) or not isinstance(prior, int | float) or not 0 < prior < np.inf:
        raise ArgumentError(f"class_prior={prior!r}: must be a number above 0")
    # Gamma draws of parameters near 0 underflow: at least the smallest normal number.
    drawn = np.maximum(rng.standard_gamma(prior + counts, size=(draws, *counts.shape)), 1e-300)
    return drawn / drawn.sum(axis=-1, keepdims=True)


def bootstrap_draws(counts: NDArray[np.int64], *, draws: int, rng: np.random.Generator) -> Array:
    """Resample the persons of each group; return rates, (draws, 3, n_groups, n_classes).

    Resampling n persons is drawing a multinomial table, so the cost does not depend on n.
    """
    check_draws(draws)
    n_groups, n_classes, _ = counts.shape
    found = np.empty((draws, 3, n_groups, n_classes))
    step = max(1, _CHUNK // (n_groups * n_classes**2))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        tables = np.empty((size, *counts.shape), dtype=np.int64)
        for g, table in enumerate(counts):
            n = int(table.sum())
            drawn = rng.multinomial(n, table.ravel() / n, size=size)
            tables[:, g] = drawn.reshape(size, n_classes, n_classes)
        found[start : start + size] = rates_of(*rate_counts(tables))
    return found


def check_draws(draws: int) -> None:
    """Refuse a number of draws that gives no interval."""
    if isinstance(draws, bool) or not isinstance(draws, int | np.integer) or draws < 2:
        raise ArgumentError(f"draws={draws!r}: must be a whole number, at least 2")
