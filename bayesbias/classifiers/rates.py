"""GP, TPR and PP: three rates of a class, from counts, with draws, exact intervals and a test.

GP  = P(prediction is k | group)                 group parity
TPR = P(prediction is k | truth is k, group)     true positive rate
PP  = P(truth is k | prediction is k, group)     predictive parity

Posteriors of rates of few persons are skewed, and what their intervals exclude is as much the
prior's doing as the data's: with a uniform prior one person against 200 has a "difference" in up to
all samples of equal rates, and the highest density interval of three against three in 22%. Fisher's
test keeps its rate whatever the sizes and the common rate are. It is the posterior probability of
the wrong sign under the prior that is least favourable to the verdict, Beta(0, 1) of the higher
rate and Beta(1, 0) of the lower one (Altham 1969, "Exact Bayesian analysis of a 2 × 2 contingency
table, and Fisher's 'exact' significance test").
"""

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbias.errors import ArgumentError
from bayesbias.support.arguments import Array

METRICS: Final = ("GP", "TPR", "PP")  # the metrics, in the order of all tables and figures


def rate_counts(counts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return successes and trials, (..., 3, n_groups, n_classes), of counts as in `Predictions`."""
    of_class = counts.sum(axis=-1)
    predicted = counts.sum(axis=-2)
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    everybody = np.broadcast_to(of_class.sum(axis=-1, keepdims=True), of_class.shape)
    successes = np.stack([predicted, right, right], axis=-3)
    return successes, np.stack([everybody, of_class, predicted], axis=-3)


def rates_of(successes: NDArray[Any], trials: NDArray[Any]) -> Array:
    """Return successes / trials, NaN where the denominator is 0."""
    empty = trials == 0
    return np.where(empty, np.nan, successes / np.where(empty, 1, trials))


def beta_draws(
    successes: NDArray[Any],
    trials: NDArray[Any],
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
    counts: NDArray[Any], *, prior: float, draws: int, rng: np.random.Generator
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


def exact_intervals(
    s: ArrayLike, n: ArrayLike, s_ref: ArrayLike, n_ref: ArrayLike, *, prob: float
) -> Array:
    """Return intervals (..., 2) of s/n − s_ref/n_ref with coverage of `prob` at least, always.

    Each rate has the interval of Clopper and Pearson (1934), from B(α/2; s, n − s + 1) to
    B(1 − α/2; s + 1, n − s) with B a quantile of Beta and 1 − α = √prob. Groups are independent:
    both hold their rates, and so the difference of their ends that of the rates, with probability
    √prob · √prob. With effective sizes it is the interval of Korn and Graubard (1998) for surveys.
    """
    from scipy.stats import beta

    tail = (1 - np.sqrt(prob)) / 2
    ends = []
    for successes, trials in ((s, n), (s_ref, n_ref)):
        k, m = np.asarray(successes, float), np.asarray(trials, float)
        low = np.where(k > 0, beta.ppf(tail, np.maximum(k, 1e-9), m - k + 1), 0.0)
        high = np.where(k < m, beta.ppf(1 - tail, k + 1, np.maximum(m - k, 1e-9)), 1.0)
        ends.append((low, high))
    (low, high), (low_ref, high_ref) = ends
    return np.stack([low - high_ref, high - low_ref], axis=-1)


def fisher_tails(s: ArrayLike, n: ArrayLike, s_ref: ArrayLike, n_ref: ArrayLike) -> Array:
    """Return the one-sided p-values of Fisher's test, (..., 2): of a lower and of a higher rate.

    s of n against s_ref of n_ref, at least one person each.
    """
    from scipy.stats import hypergeom

    s, n, s_ref, n_ref = (np.asarray(value) for value in (s, n, s_ref, n_ref))
    margins = hypergeom(n + n_ref, s + s_ref, n)
    return np.stack([margins.cdf(s), margins.sf(s - 1)], axis=-1)


def check_draws(draws: int) -> None:
    """Refuse a number of draws that gives no interval."""
    if isinstance(draws, bool) or not isinstance(draws, int | np.integer) or draws < 2:
        raise ArgumentError(f"draws={draws!r}: must be a whole number, at least 2")
