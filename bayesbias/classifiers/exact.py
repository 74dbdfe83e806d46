"""What few persons allow to be said of two rates: exact tests and intervals, free of priors.

Posteriors of rates of few persons are skewed, and what their intervals exclude is as much the
prior's doing as the data's: with a uniform prior one person against 200 has a "difference" in up to
all samples of equal rates, and the highest density interval of three against three in 22%. Fisher's
test keeps its rate whatever the sizes and the common rate are. It is the posterior probability of
the wrong sign under the prior that is least favourable to the verdict, Beta(0, 1) of the higher
rate and Beta(1, 0) of the lower one (Altham 1969, "Exact Bayesian analysis of a 2 × 2 contingency
table, and Fisher's 'exact' significance test"). Intervals of a ratio meld those of Clopper and
Pearson, and exclude 1 where the test rejects (Fay, Proschan and Brittain 2015, "Combining
one-sample confidence procedures for inference in the two-sample case").
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from bayesbias.support.arrays import Array

_NODES: Final = 400  # quantiles of the rate below, over which the rate on top is integrated
_STEPS: Final = 40  # halvings of 40 units of the logarithm, to 1e-10
_LARGEST: Final = 20.0  # of the logarithm of a ratio: half a billion to one


def fisher_tails(s: ArrayLike, n: ArrayLike, s_ref: ArrayLike, n_ref: ArrayLike) -> Array:
    """Return the one-sided p-values of Fisher's test, (..., 2): of a lower and of a higher rate.

    s of n against s_ref of n_ref, at least one person each.
    """
    from scipy.stats import hypergeom

    s, n, s_ref, n_ref = (np.asarray(value) for value in (s, n, s_ref, n_ref))
    known = hypergeom(n + n_ref, s + s_ref, n)
    return np.stack([known.cdf(s), known.sf(s - 1)], axis=-1)


def ratio_intervals(
    s: ArrayLike, n: ArrayLike, s_ref: ArrayLike, n_ref: ArrayLike, prob: float
) -> Array:
    """Return the melded interval of the ratio of two rates, (..., 2); infinite where it may be.

    The low end is a quantile of Beta(s, n − s + 1) / Beta(s_ref + 1, n_ref − s_ref), the high end
    one of Beta(s + 1, n − s) / Beta(s_ref, n_ref − s_ref + 1); each tail has half of 1 − prob.
    """
    s, n, s_ref, n_ref = np.broadcast_arrays(*(np.asarray(v, float) for v in (s, n, s_ref, n_ref)))
    tail = (1 - prob) / 2
    low = _quantile_of_ratio((s, n - s + 1), (s_ref + 1, n_ref - s_ref), tail)
    high = _quantile_of_ratio((s + 1, n - s), (s_ref, n_ref - s_ref + 1), 1 - tail)
    return np.stack([np.where(s == 0, 0.0, low), np.where(s_ref == 0, np.inf, high)], axis=-1)


def _quantile_of_ratio(top: tuple[Array, Array], below: tuple[Array, Array], q: float) -> Array:
    """Return the quantile of a ratio of Betas; a parameter of 0 is a rate of 0 or 1 for certain."""
    from scipy.special import betainc, betaincinv

    def distribution(x: Array) -> Array:
        a, b = (p[..., None] for p in top)
        inside = betainc(np.maximum(a, 1e-9), np.maximum(b, 1e-9), np.clip(x, 0.0, 1.0))
        at_one = np.where(x >= 1.0, 1.0, 0.0)
        return np.where(a == 0, 1.0, np.where(b == 0, at_one, inside)).mean(axis=-1)

    a, b = (p[..., None] for p in below)
    middles = (np.arange(_NODES) + 0.5) / _NODES
    nodes = betaincinv(np.maximum(a, 1e-9), np.maximum(b, 1e-9), middles)
    nodes = np.where(b == 0, 1.0, np.where(a == 0, 0.0, nodes))
    # P(X / Y ≤ r) = E F_X(r Y), a mean over evenly filled quantiles of Y; solved for r by bisection
    # of its logarithm.
    low, high = np.full(top[0].shape, -_LARGEST), np.full(top[0].shape, _LARGEST)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        is_below = distribution(np.exp(middle)[..., None] * nodes) < q
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return np.exp((low + high) / 2)
