"""Bernstein's and Hoeffding's bounds on a groupwise disparity: how wide, and how many examples.

An example costs c, from 0 to C, and belongs to one of two groups, whose shares are at least γ. Its
amortised disparity, ± c / (share of its group), averages to the disparity δ (the first group's mean
cost minus the second's), lies within ± C / γ and has variance σ². Ethayarajh (2020, "Is your
classifier actually biased?") puts that into Bernstein's inequality,

    P(|mean − δ| > t) ≤ 2 exp(−n t² / (2 σ² + 2 C t / (3 γ))),

and solves for t or n. With L = −log((1 − ρ) / 2) and confidence ρ:

    n t² − (2 C L / (3 γ)) t − 2 σ² L = 0,   n > (2 σ² + 2 C δ / (3 γ)) L / δ².

Strictly, the inequality needs a bound on the distance of an amortised disparity from δ, not from 0;
that is C / γ + C at most, and would raise the paper's 11,903 to 11,952.
"""

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesbias.constants import CONFIDENCE
from bayesbias.errors import ArgumentError
from bayesbias.support.arrays import Array


def largest_variance(*, gamma: float, max_cost: float = 1.0) -> float:
    """Return the variance that the paper calls maximal, (C / γ)².

    γ is the least share of either group, above 0 and at most .5, and C the largest cost. The
    variance cannot exceed C²/p + C²/q for groups of shares p and q, which is (C/γ)² for two halves
    and less otherwise: at most 2 C²/γ.

    Examples
    --------
    >>> largest_variance(gamma=0.5)
    4.0
    """
    check_gamma(gamma)
    check_max_cost(max_cost)
    return (max_cost / gamma) ** 2


def bernstein_half_width(
    n: ArrayLike,
    *,
    variance: ArrayLike,
    confidence: float = CONFIDENCE,
    gamma: ArrayLike = 0.5,
    max_cost: float = 1.0,
) -> Array:
    """Return t, half the width of the interval; arguments are broadcast.

    `n` counts the annotated examples of both groups together; `variance` is σ², of the amortised
    disparities, `confidence` ρ, from 0 to below 1, `gamma` the least share of either group, and
    `max_cost` C, the largest cost.

    Examples
    --------
    >>> bernstein_half_width(3160, variance=4, gamma=0.5).round(4).item()
    0.0974
    """
    sizes = _sizes(n)
    shares = check_gamma(gamma)
    spread = check_variance(variance)
    check_max_cost(max_cost)
    log_term = _log_term(confidence)
    b = 2 * max_cost / (3 * shares) * log_term
    return (b + np.sqrt(b**2 + 8 * sizes * spread * log_term)) / (2 * sizes)


def hoeffding_half_width(
    n: ArrayLike, *, confidence: float = CONFIDENCE, gamma: ArrayLike = 0.5, max_cost: float = 1.0
) -> Array:
    """Return half the width of Hoeffding's interval, which uses only the range 2 C / γ.

    t = (C / γ) sqrt(2 L / n). Parameters and errors are those of `bernstein_half_width`.

    Examples
    --------
    >>> hoeffding_half_width(3160, gamma=0.5).round(4).item()
    0.0966
    """
    sizes = _sizes(n)
    shares = check_gamma(gamma)
    check_max_cost(max_cost)
    return max_cost / shares * np.sqrt(2 * _log_term(confidence) / sizes)


def required_n(
    *,
    disparity: float,
    confidence: float = CONFIDENCE,
    gamma: float = 0.5,
    variance: float | None = None,
    max_cost: float = 1.0,
) -> int:
    """Return the smallest number of annotated examples whose interval excludes 0.

    This is about the estimate. If the true disparity has that size, about half of all samples have
    a smaller estimate, and their intervals contain 0.

    Parameters
    ----------
    disparity : float
        The estimate to be distinguished from 0; its sign does not matter.
    confidence, gamma, max_cost
        As in `bernstein_half_width`.
    variance : float, optional
        σ²; by default the largest, (C / γ)².

    Raises
    ------
    ArgumentError
        If an argument is outside its range, or the disparity is 0 or above `max_cost`.

    Examples
    --------
    >>> required_n(disparity=0.05, confidence=0.95, gamma=0.5, variance=4, max_cost=1)
    11903
    """
    check_gamma(gamma)
    check_max_cost(max_cost)
    size = abs(disparity)
    if not 0 < size <= max_cost:
        raise ArgumentError(
            f"disparity={disparity}: must not be 0, and at most max_cost={max_cost:g} in size"
        )
    spread = largest_variance(gamma=gamma, max_cost=max_cost) if variance is None else variance
    spread = float(check_variance(spread))
    needed = (2 * spread + 2 * max_cost * size / (3 * gamma)) * _log_term(confidence)
    # The quotient would be too large for a float.
    if size**2 * sys.float_info.max <= needed:
        raise ArgumentError(f"disparity={disparity}: is too near to 0 to be distinguished from it")
    # n has to be more than the quotient, so that a whole one is not enough.
    return math.floor(needed / size**2) + 1


def detectable_disparity(
    *,
    n: int,
    confidence: float = CONFIDENCE,
    gamma: float = 0.5,
    variance: float | None = None,
    max_cost: float = 1.0,
) -> float:
    """Return the smallest estimate that `n` annotated examples distinguish from 0.

    Parameters are those of `required_n`, and so is what its notes say of true disparities. An
    ArgumentError if no estimate can be so large: none is above `max_cost`.

    Examples
    --------
    >>> round(detectable_disparity(n=3160, variance=4), 4)
    0.0974
    """
    spread = largest_variance(gamma=gamma, max_cost=max_cost) if variance is None else variance
    width = bernstein_half_width(
        n, variance=spread, confidence=confidence, gamma=gamma, max_cost=max_cost
    )
    if width >= max_cost:
        raise ArgumentError(
            f"n={n}: no disparity can be distinguished from 0, since the interval is ± {width:.4g} "
            f"wide and no disparity is above max_cost={max_cost:g}"
        )
    return float(width)


def check_gamma(gamma: ArrayLike) -> Array:
    """Return shares of the smaller group, all above 0 and at most one half."""
    must = "above 0 and at most 0.5, the share of the smaller group"
    return _numbers(gamma, "gamma", lambda shares: (shares > 0) & (shares <= 0.5), must)


def check_variance(variance: ArrayLike) -> Array:
    """Return variances, all 0 or more."""
    return _numbers(variance, "variance", lambda spread: spread >= 0, "0 or more")


def check_max_cost(max_cost: float) -> None:
    """Refuse a largest cost that is not positive and finite."""
    if not 0 < max_cost < math.inf:
        raise ArgumentError(f"max_cost={max_cost}: must be above 0 and finite")


def _log_term(confidence: float) -> float:
    """Return L = −log((1 − ρ) / 2)."""
    if not 0 <= confidence < 1:
        raise ArgumentError(f"confidence={confidence}: must be at least 0 and below 1")
    return -math.log((1 - confidence) / 2)


def _sizes(n: ArrayLike) -> Array:
    """Return sample sizes as floats, all whole and at least 1."""
    must = "a whole number of examples, at least 1"
    return _numbers(n, "n", lambda sizes: (sizes >= 1) & (sizes == np.floor(sizes)), must)


def _numbers(value: ArrayLike, name: str, holds: Callable[[Array], Any], must: str) -> Array:
    """Return finite numbers of which something holds."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}={value!r}: must be a number") from None
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name}={value!r}: must be finite")
    if not np.all(holds(array)):
        raise ArgumentError(f"{name}={value!r}: must be {must}")
    return array
