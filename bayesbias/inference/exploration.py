"""A population of Markov chains that finds where a density lies (ter Braak 2006).

Importance sampling needs a proposal near the posterior, and with twenty standard deviations, many
of them near 0, a few rounds of weighting may not find one. Chains whose steps are differences
between each other take the scale and the direction of the posterior from where they are.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from bayesbias.support.arrays import Array

_JUMP_EVERY: Final = 10  # a whole difference goes from one mode to another
_NOISE: Final = 1e-4


def explored(
    log_density: Callable[[Array], Array], x: Array, rng: np.random.Generator, *, steps: int
) -> Array:
    """Return where a population of chains is in the second half of its steps.

    Differential evolution Markov chain: ter Braak (2006), "A Markov chain Monte Carlo version of
    the genetic algorithm Differential Evolution".

    `log_density`: (n, d) to (n,), −inf where there is none. `x` (n, d): where the chains begin;
    more than twice as many as there are coordinates. Returns (n_points, d).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> far = rng.normal(5, 0.1, (60, 3))
    >>> found = explored(lambda x: -0.5 * (x**2).sum(axis=1), far, rng, steps=400)
    >>> bool(np.abs(found.mean()) < 0.2), bool(np.abs(found.std() - 1) < 0.2)
    (True, True)
    """
    n, d = x.shape
    x, value, kept = x.copy(), log_density(x), []
    for step in range(steps):
        one, two = rng.integers(n, size=(2, n))
        scale = 1.0 if step % _JUMP_EVERY == 0 else 2.38 / np.sqrt(2 * d)
        noise = _NOISE * rng.standard_normal(x.shape)
        tried = x + scale * (x[one] - x[two]) + noise
        found = log_density(tried)
        better = found > value - rng.exponential(size=n)  # both may be -inf
        x[better], value[better] = tried[better], found[better]
        if step >= steps // 2 and step % _JUMP_EVERY == 0:
            kept.append(x.copy())
    return np.concatenate(kept)
