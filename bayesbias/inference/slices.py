"""Slice sampling of many independent numbers at once (Neal 2003, "Slice sampling")."""

from collections.abc import Callable
from typing import Final

import numpy as np

from bayesbias.support.arrays import Array

_MOST_STEPS: Final = 200


def slice_step(
    log_density: Callable[[Array], Array],
    x: Array,
    width: Array,
    rng: np.random.Generator,
    *,
    low: float,
    high: float,
) -> Array:
    """Replace every number by a draw that leaves its distribution as it is.

    Stepping out and shrinking, for all numbers side by side.

    `log_density`: numbers to their log densities, same shape, each up to a constant of its own.
    `x`: where the chains are. `width`: of a step out; about the spread of the distribution is best,
    any is correct. `low`, `high`: the density is 0 outside.

    Examples
    --------
    >>> rng, x, seen = np.random.default_rng(1), np.zeros(100), []
    >>> for _ in range(200):
    ...     x = slice_step(lambda x: -0.5 * x**2, x, np.ones(100), rng, low=-9.0, high=9.0)
    ...     seen.append(x)
    >>> bool(abs(np.mean(seen)) < 0.05), bool(abs(np.std(seen) - 1) < 0.05)
    (True, True)
    """
    level = log_density(x) - rng.exponential(size=x.shape)
    left = x - width * rng.random(x.shape)
    right = left + width
    for end, sign in ((left, -1.0), (right, 1.0)):
        for _ in range(_MOST_STEPS):
            out = (low < end) & (end < high) & (log_density(np.clip(end, low, high)) > level)
            if not out.any():
                break
            end[out] += sign * width[out]
    np.clip(left, low, high, out=left)
    np.clip(right, low, high, out=right)
    found, open_ = x.copy(), np.ones(x.shape, bool)
    for _ in range(_MOST_STEPS):
        tried = left + (right - left) * rng.random(x.shape)
        inside = open_ & (log_density(np.where(open_, tried, found)) >= level)
        found[inside] = tried[inside]
        open_ &= ~inside
        if not open_.any():
            break
        left = np.where(open_ & (tried < x), tried, left)
        right = np.where(open_ & (tried >= x), tried, right)
    return found
