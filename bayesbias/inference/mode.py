"""The mode of a density given as a function of many points at once."""

from collections.abc import Callable
from typing import Final

import numpy as np

from bayesbias.support.arrays import Array

_STEP: Final = 0.05
_LONGEST: Final = 2.0
_MOST_STEPS: Final = 60
_ENOUGH: Final = 1e-3
_FLATTEST: Final = 0.25  # curvature: a direction that is flat or rising gets sd 2
_DAMPINGS: Final = np.array([0.0, 0.01, 0.1, 1.0, 10.0, 100.0])


def find_mode(
    log_density: Callable[[Array], Array], start: Array, low: Array, high: Array, n_even: int
) -> tuple[Array, Array]:
    """Climb by Newton steps, several dampings of a step tried at once.

    `log_density`: (n, d) to (n,); −inf is allowed away from `start`. `start`, `low`, `high` (d,):
    where to begin, and bounds. `n_even`: the density is even in the first coordinates, whose lower
    bound is 0. Returns `mode` (d,); `scale` (d, d): inverse of the curvature there.

    Examples
    --------
    >>> bounds = np.full(1, -9.0), np.full(1, 9.0)
    >>> mode, scale = find_mode(lambda x: -((x[:, 0] - 1) ** 2) / 8, np.zeros(1), *bounds, 0)
    >>> round(float(mode[0]), 2), round(float(scale[0, 0]), 2)
    (1.0, 4.0)
    """
    x = start
    shifts = _shifts(len(x))
    for _ in range(_MOST_STEPS):
        value = log_density(x + shifts)
        gradient, curvature, axes = _quadratic(value, len(x))
        along = axes.T @ gradient
        steep = np.maximum(np.abs(curvature), 0.1)
        steps = (along / (steep + _DAMPINGS[:, None] * steep.max())) @ axes.T
        steps *= np.minimum(1.0, _LONGEST / np.abs(steps).max(axis=1, initial=1e-300))[:, None]
        tried = x + steps
        tried[:, :n_even] = np.abs(tried[:, :n_even])
        tried = np.clip(tried, low, high)
        found = log_density(tried)
        best = int(np.argmax(found))
        gain = found[best] - value[0]
        if gain > 0:
            x = tried[best]
        if not gain > _ENOUGH:
            break
    return x, (axes / np.maximum(curvature, _FLATTEST)) @ axes.T


def _shifts(n: int) -> Array:
    """Return the points around 0 that first and second differences need."""
    one, two = np.triu_indices(n, 1)
    single = _STEP * np.eye(n)
    double = single[one] + single[two]
    return np.vstack([np.zeros((1, n)), single, -single, double, -double])


def _quadratic(value: Array, n: int) -> tuple[Array, Array, Array]:
    """Return gradient, curvatures (of −log density) and their axes from the values at `_shifts`."""
    one, two = np.triu_indices(n, 1)
    lowest = np.where(np.isfinite(value), value, value[0] - 1e6)
    centre, up, down, both_up, both_down = np.split(lowest, np.cumsum([1, n, n, len(one)]), axis=0)
    hessian = np.diag((up + down - 2 * centre) / _STEP**2)
    mixed = both_up + both_down - up[one] - up[two] - down[one] - down[two] + 2 * centre
    hessian[one, two] = hessian[two, one] = mixed / (2 * _STEP**2)
    curvature, axes = np.linalg.eigh(-hessian)
    return (up - down) / (2 * _STEP), curvature, axes
