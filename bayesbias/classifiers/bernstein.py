"""Bernstein's and Hoeffding's bounds on a groupwise disparity: how wide, and how many examples.

An example costs c, from 0 to C, and belongs to one of two groups, whose shares are at least γ. Its
amortised disparity, ± c / (share of its group), averages to the disparity δ (the first group's mean
cost minus the second's), lies within ± C / γ and has variance σ². Ethayarajh (2020, "Is your
classifier actually biased?", Propositions 2.5 and 2.6) puts that into Bernstein's inequality,

    P(|mean − δ| > t) ≤ 2 exp(−n t² / (2 σ² + 2 C t / (3 γ))),

and solves for t or n. With L = −log((1 − ρ) / 2) and confidence ρ:

    n t² − (2 C L / (3 γ)) t − 2 σ² L = 0,   n > (2 σ² + 2 C δ / (3 γ)) L / δ².

Strictly, the inequality needs a bound on the distance of an amortised disparity from δ, not from 0;
that is C / γ + C at most, and would raise the paper's 11,903 to 11,952.
"""

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from bayesbias.constants import CONFIDENCE
from bayesbias.errors import ArgumentError
from bayesbias.support.arguments import Array


def bernstein_half_width(
    n: ArrayLike,
    *,
    variance: ArrayLike,
    confidence: float = CONFIDENCE,
    gamma: ArrayLike = 0.5,
    max_cost: float = 1.0,
) -> Array:
    """Return t = (B + √(B² + 8 n σ² L)) / (2 n), B = 2 C L / (3 γ), half the interval's width.

    Ethayarajh (2020), equation 3. Arrays are broadcast.

    Parameters
    ----------
    n : array_like
        Annotated examples of both groups together.
    variance : array_like
        σ², of the amortised disparities.
    confidence : float
        ρ, from 0 to below 1.
    gamma : array_like
        γ, the least share of either group.
    max_cost : float
        C, the largest cost.

    Returns
    -------
    ndarray
        In the unit of the costs.

    Raises
    ------
    ArgumentError
        If an argument is outside its range.

    Examples
    --------
    >>> bernstein_half_width(3160, variance=4, gamma=0.5).round(4).item()
    0.0974
    """
    sizes, spread, log_term = checked("n", n), checked("variance", variance), _log_term(confidence)
    b = 2 * checked("max_cost", max_cost) / (3 * checked("gamma", gamma)) * log_term
    return (b + np.sqrt(b**2 + 8 * sizes * spread * log_term)) / (2 * sizes)


def hoeffding_half_width(
    n: ArrayLike, *, confidence: float = CONFIDENCE, gamma: ArrayLike = 0.5, max_cost: float = 1.0
) -> Array:
    """Return half the width of Hoeffding's interval, which uses only the range 2 C / γ.

    t = (C / γ) √(2 L / n). Parameters and errors are those of `bernstein_half_width`.

    Examples
    --------
    >>> hoeffding_half_width(3160, gamma=0.5).round(4).item()
    0.0966
    """
    span = checked("max_cost", max_cost) / checked("gamma", gamma)
    return span * np.sqrt(2 * _log_term(confidence) / checked("n", n))


def required_n(
    *,
    disparity: float,
    confidence: float = CONFIDENCE,
    gamma: float = 0.5,
    variance: float | None = None,
    max_cost: float = 1.0,
) -> int:
    """Return the smallest number of annotated examples whose interval excludes 0.

    The smallest whole n > (2 σ² + 2 C δ / (3 γ)) L / δ² (Ethayarajh 2020, equation 4). This is
    about the estimate. If the true disparity has that size, about half of all samples have a
    smaller estimate, and their intervals contain 0.

    Parameters
    ----------
    disparity : float
        The estimate to be distinguished from 0; its sign does not matter.
    confidence, gamma, max_cost
        As in `bernstein_half_width`.
    variance : float, optional
        σ²; by default the largest, (C / γ)².

    Returns
    -------
    int

    Raises
    ------
    ArgumentError
        If an argument is outside its range, or the disparity is 0 or above `max_cost`.

    Examples
    --------
    >>> required_n(disparity=0.05, confidence=0.95, gamma=0.5, variance=4, max_cost=1)
    11903
    """
    size = abs(disparity)
    largest = largest_variance(gamma, max_cost)
    if not 0 < size <= max_cost:
        raise ArgumentError(
            f"disparity={disparity}: must not be 0, and at most max_cost={max_cost:g} in size"
        )
    spread = float(checked("variance", largest if variance is None else variance))
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
    spread = largest_variance(gamma, max_cost) if variance is None else variance
    width = bernstein_half_width(
        n, variance=spread, confidence=confidence, gamma=gamma, max_cost=max_cost
    )
    if width >= max_cost:
        raise ArgumentError(
            f"n={n}: no disparity can be distinguished from 0, since the interval is ± {width:.4g} "
            f"wide and no disparity is above max_cost={max_cost:g}"
        )
    return float(width)


def largest_variance(gamma: float, max_cost: float) -> float:
    """Return the variance that the paper calls maximal, (C / γ)².

    It is reached for two halves. Groups of shares p and q have C²/p + C²/q at most, ≤ 2 C²/γ.
    """
    return float((checked("max_cost", max_cost) / checked("gamma", gamma)) ** 2)


_RANGES: Final[Mapping[str, tuple[Callable[[Array], Any], str]]] = {
    "gamma": (
        lambda x: (x > 0) & (x <= 0.5),
        "above 0 and at most 0.5, the share of the smaller group",
    ),
    "variance": (lambda x: x >= 0, "0 or more"),
    "n": (lambda x: (x >= 1) & (x == np.floor(x)), "a whole number of examples, at least 1"),
    "confidence": (lambda x: (x >= 0) & (x < 1), "at least 0 and below 1"),
    "max_cost": (lambda x: x > 0, "above 0"),
}


def checked(name: str, value: ArrayLike) -> Array:
    """Return finite numbers, after a look at their range."""
    holds, must = _RANGES[name]
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}={value!r}: must be a number") from None
    if not (np.isfinite(array).all() and holds(array).all()):
        raise ArgumentError(f"{name}={value!r}: must be finite and {must}")
    return array


def _log_term(confidence: float) -> float:
    """Return L = −log((1 − ρ) / 2)."""
    return -math.log((1 - float(checked("confidence", confidence))) / 2)
