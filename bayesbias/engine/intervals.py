"""Intervals of draws, and what they say of a difference. numpy only.

An 89% interval has that share of the draws. Of all such, the highest density interval (HPDI, "hdi")
is the narrowest (Chen and Shao 1999); the equal-tailed one ("eti") leaves as many draws below as
above, and does not depend on the scale.

A verdict compares an interval with 0, for the direction, and with the region of practical
equivalence (ROPE), for the size (Kruschke 2018). So "undecided" is no verdict that nothing is
there: that is "practically equal", for which the whole interval has to be in the ROPE.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbias.constants import VERDICTS
from bayesbias.errors import ArgumentError, one_of
from bayesbias.support.arguments import Array

INTERVALS: Final = ("hdi", "eti")


def interval_of(draws: ArrayLike, prob: float, interval: str) -> Array:
    """Return the interval that holds a share of draws (n_draws, ...), shape (..., 2).

    "hdi": of n sorted draws, the narrowest window of ⌊prob · n⌋ + 1 of them (Chen and Shao 1999,
    "Monte Carlo estimation of Bayesian credible and HPD intervals"). "eti": as many are below as
    above.
    """
    return intervals_of(draws, (prob,), interval)[0]


def intervals_of(draws: ArrayLike, probs: Sequence[float], interval: str) -> list[Array]:
    """Return intervals of several probabilities, for which the draws are sorted once."""
    one_of(interval, "interval", INTERVALS)
    for prob in probs:
        check_prob(prob)
    array = np.asarray(draws)
    if len(array) < 2:
        raise ArgumentError(f"an interval needs at least two draws, not {len(array)}")
    ordered = np.sort(array, axis=0)
    return [(_narrowest if interval == "hdi" else _central)(ordered, prob) for prob in probs]


def rope_shares(draws: Array, rope: float) -> Array:
    """Return the shares of draws below −rope, within (both ends too) and above rope, (..., 3)."""
    below, above = (draws < -rope).mean(axis=0), (draws > rope).mean(axis=0)
    return np.stack([below, np.maximum(1.0 - below - above, 0.0), above], axis=-1)


def verdicts(low: ArrayLike, high: ArrayLike, rope: float) -> NDArray[np.str_]:
    """Say in a word what the interval of a difference allows to be said; shape of `low`.

    Direction, then size. ``closer`` if the whole interval is below −rope; ``closer, size
    undecided`` if it is below 0 and meets the region of practical equivalence; ``closer,
    practically equal`` if it is below 0 and within the region; ``farther`` likewise above;
    ``practically equal`` if it contains 0 and is within the region; else ``undecided``. With a
    region of no width, closer and farther say that the interval excludes 0. The decision rule of
    Kruschke (2018, "Rejecting or accepting parameter values in Bayesian estimation").
    """
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    within = (low >= -rope) & (high <= rope)
    below, above = high < 0, low > 0
    conditions = [high < -rope, low > rope, below & within, above & within, within, below, above]
    return np.select(conditions, VERDICTS[:-1], default=VERDICTS[-1])


def check_prob(prob: float) -> None:
    """Refuse a probability of an interval that leaves nothing inside, or nothing outside."""
    if not 0 < prob < 1:
        raise ArgumentError(f"ci_prob={prob}: must be between 0 and 1")


def _narrowest(ordered: Array, prob: float) -> Array:
    n = len(ordered)
    width = min(int(np.floor(prob * n)), n - 1)
    spans = ordered[width:] - ordered[: n - width]
    start = np.argmin(spans, axis=0)[None]
    low = np.take_along_axis(ordered, start, axis=0)[0]
    high = np.take_along_axis(ordered, start + width, axis=0)[0]
    return np.stack([low, high], axis=-1)


def _central(ordered: Array, prob: float) -> Array:
    tail = (1 - prob) / 2
    return np.moveaxis(np.quantile(ordered, [tail, 1 - tail], axis=0), 0, -1)
