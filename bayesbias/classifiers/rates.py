"""GP, TPR and PP: three rates of a class, from counts. numpy only.

GP  = P(prediction is k | group)                 group parity
TPR = P(prediction is k | truth is k, group)     true positive rate
PP  = P(truth is k | prediction is k, group)     predictive parity
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.support.arrays import Array

METRICS: Final = ("GP", "TPR", "PP")
"""The metrics, in the order of all tables and figures."""

_EMPTY: Final = {
    "GP": "nobody is of group {group}",
    "TPR": "nobody of group {group} is of class {label}",
    "PP": "nobody of group {group} was predicted {label}",
}


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


def empty_reason(metric: str, group: str, label: str) -> str:
    """Say why a rate does not exist."""
    return _EMPTY[metric].format(group=group, label=label)
