"""Draws of rates: exact Beta and Dirichlet posteriors, and the bootstrap. numpy only."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.classifiers.rates import rate_counts, rates_of
from bayesbias.errors import ArgumentError
from bayesbias.support.arrays import Array

_CHUNK: Final = 2_000_000  # cells of resampled tables held at a time


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
    a, b = check_beta_prior(prior)
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


def check_beta_prior(prior: tuple[float, float]) -> tuple[float, float]:
    """Return the parameters of a Beta distribution, both finite and above 0."""
    try:
        a, b = (float(value) for value in prior)
    except (TypeError, ValueError):
        raise ArgumentError(f"prior={prior!r}: give two numbers, such as (1, 1)") from None
    if not (0 < a < np.inf and 0 < b < np.inf):
        raise ArgumentError(f"prior={prior!r}: both numbers must be above 0")
    return a, b
