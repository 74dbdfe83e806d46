"""Leave-one-out prediction by Pareto-smoothed importance sampling, for all pairs at once.

Vehtari, Gelman and Gabry (2017, "Practical Bayesian model evaluation using leave-one-out
cross-validation and WAIC"); smoothing as in `pareto`. Cost: draws × pairs.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.inference.pareto import logsumexp, smoothed_log_weights
from bayesbias.support.arrays import Array, Index

_CHUNK: Final = 1 << 16
"""Numbers of log-likelihoods that are smoothed at a time: what a processor keeps near."""


@dataclass(frozen=True)
class Loo:
    """What leaving out one pair at a time says.

    `elpd` (n_pairs,): expected log-density of every pair given all others. `pareto_k` (n_pairs,):
    above 0.7 a pair's elpd cannot be relied on. `effective`: number of parameters. `pit`
    (n_pairs,): probability that a prediction of the pair from all others is below its value;
    uniform over (0, 1) if the model is right.
    """

    elpd: Array
    pareto_k: Array
    effective: float
    pit: Array


def leave_one_out(log_likelihood: NDArray[np.floating], below: NDArray[np.floating]) -> Loo:
    """Leave out one pair at a time.

    `log_likelihood` (n_draws, n_pairs). `below` (n_draws, n_pairs): probability under every draw
    that the pair's response is below what was observed.

    Examples
    --------
    >>> found = leave_one_out(np.full((1000, 2), -1.0), np.full((1000, 2), 0.5))
    >>> found.elpd.round(6).tolist(), found.pit.round(6).tolist()
    ([-1.0, -1.0], [0.5, 0.5])
    """
    n_draws, n_pairs = log_likelihood.shape
    step = max(1, _CHUNK // n_draws)
    elpd, k, pit, inside = (np.empty(n_pairs) for _ in range(4))
    for start in range(0, n_pairs, step):
        part = slice(start, start + step)
        likelihood = np.asarray(log_likelihood[:, part], dtype=float)
        log_weights, k[part] = smoothed_log_weights(-likelihood)
        elpd[part] = logsumexp(log_weights + likelihood)
        inside[part] = logsumexp(likelihood) - np.log(n_draws)
        pit[part] = (np.exp(log_weights) * below[:, part]).sum(axis=0)
    return Loo(elpd, k, float((inside - elpd).sum()), np.clip(pit, 0.0, 1.0))


def clustered_error(pointwise: Array, *clusters: Index) -> float:
    """Return the standard error of a sum whose terms depend within clusters of two kinds.

    `pointwise` (n_pairs,): the terms, such as differences of elpd. `clusters` (n_pairs,): which
    attribute and which protected word every pair has.

    Two-way clustering: the variance over attributes, plus that over words, less that over pairs,
    which both count (Cameron, Gelbach and Miller 2011, "Robust inference with multiway
    clustering"). Where rounding or few clusters would make that smaller than the largest of its
    parts, that is taken.

    Examples
    --------
    >>> x = np.array([1.0, 1.0, -1.0, -1.0])
    >>> round(clustered_error(x), 6), round(clustered_error(x, np.array([0, 0, 1, 1])), 6)
    (2.309401, 4.0)
    """
    centred = pointwise - pointwise.mean()
    single = _variance(centred)
    if not clusters:
        return float(np.sqrt(single))
    sums = [np.bincount(codes, weights=centred).astype(float) for codes in clusters]
    parts = [_variance(found) for found in sums]
    total = sum(parts) - (len(parts) - 1) * single
    return float(np.sqrt(max(total, *parts)) if len(parts) > 1 else np.sqrt(parts[0]))


def _variance(sums: Array) -> float:
    n = len(sums)
    return float((sums**2).sum() * n / (n - 1)) if n > 1 else 0.0
