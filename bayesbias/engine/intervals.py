"""Intervals of draws and of mixtures of normals, and what they say of a difference.

An 89% interval has that share of the draws. Of all such, the highest density interval (HPDI, "hdi")
is the narrowest (Chen and Shao 1999, "Monte Carlo estimation of Bayesian credible and HPD
intervals"); the equal-tailed one ("eti") leaves as many draws below as above, and does not depend
on the scale.

A verdict compares an interval with 0, for the direction, and with the region of practical
equivalence (ROPE), for the size (Kruschke 2018). So "undecided" is no verdict that nothing is
there: that is "practically equal", for which the whole interval has to be in the ROPE.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from bayesbias.constants import VERDICTS
from bayesbias.errors import ArgumentError, one_of
from bayesbias.support.arguments import Array

INTERVALS: Final = ("hdi", "eti")


def interval_of(draws: ArrayLike, prob: float, interval: str) -> Array:
    """Return the interval that holds a share of draws (n_draws, ...), shape (..., 2).

    "hdi": of n sorted draws the narrowest window of ⌊prob · n⌋ + 1; "eti": as many below as above.
    """
    one_of(interval, "interval", INTERVALS)
    check_prob(prob)
    array = np.asarray(draws)
    if (n := len(array)) < 2:
        raise ArgumentError(f"an interval needs at least two draws, not {n}")
    ordered = np.sort(array, axis=0)
    if interval == "eti":
        tail = (1 - prob) / 2
        return np.moveaxis(np.quantile(ordered, [tail, 1 - tail], axis=0), 0, -1)
    width = min(int(np.floor(prob * n)), n - 1)
    start = np.argmin(ordered[width:] - ordered[: n - width], axis=0)[None]
    ends = [np.take_along_axis(ordered, at, axis=0)[0] for at in (start, start + width)]
    return np.stack(ends, axis=-1)


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


@dataclass(frozen=True)
class NormalMixture:
    """An even mixture of normal distributions, with the means `centre` and sds `spread`, (n,)."""

    centre: Array
    spread: Array

    @cached_property
    def mean(self) -> float:
        """Mean."""
        return float(self.centre.mean())

    @cached_property
    def sd(self) -> float:
        """Standard deviation."""
        # Law of total variance: the mean of the variances plus the variance of the means.
        return float(np.sqrt((self.spread**2).mean() + self.centre.var()))

    @cached_property
    def _tabulated(self) -> tuple[Array, Array]:
        """Return points, nothing of note outside, and their probits, nearly a straight line."""
        from scipy.interpolate import CubicSpline

        reach = 5.5 * self.sd
        points = np.linspace(self.mean - reach, self.mean + reach, 41)
        # A pool's parts repeat points of its grid: they are counted, not computed again.
        parts, counts = np.unique(self.centre + 1j * self.spread, return_counts=True)
        distances = np.subtract.outer(points, parts.real)
        # In place, as the dearest numbers of an answer; a part that is a number is a step.
        distances /= np.maximum(parts.imag, 1e-9 * self.sd)
        cumulated = ndtr(distances, out=distances) @ (counts / counts.sum())
        probits = ndtri(np.clip(cumulated, 1e-15, 1 - 1e-15))
        # A smooth line: computed at a tenth of the points, the others are of a spline.
        fine = np.linspace(points[0], points[-1], 401)
        refined = CubicSpline(points, probits, bc_type="natural")(fine)
        return fine, np.maximum.accumulate(refined)  # a line that falls is the spline's own

    def interval(self, prob: float, kind: str = "hdi") -> tuple[float, float]:
        """Return the narrowest interval, or ("eti") one with as much on either side."""
        if not self.spread.any() and not np.ptp(self.centre):
            return self.mean, self.mean
        (points, z), at = self._tabulated, (1 - prob) / 2
        if kind == "hdi":
            below, *ends = _candidates(prob)
            width = np.interp(ends[1], z, points) - np.interp(ends[0], z, points)
            # The vertex of a parabola through the least three: the width is flat there.
            best = min(max(int(np.argmin(width)), 1), len(width) - 2)
            left, middle, right = width[best - 1 : best + 2]
            curve = left - 2 * middle + right
            shift = 0.5 * (left - right) / curve if curve > 0 else 0.0
            at = below[best] + np.clip(shift, -1, 1) * (below[1] - below[0])
        low, high = np.interp(ndtri(np.array([at, at + prob])), z, points)
        return float(low), float(high)


@cache
def _candidates(prob: float) -> tuple[Array, Array, Array]:
    """Return probabilities below an interval, and both its ends as standard normal quantiles."""
    # Without the two at the ends, whose quantiles are infinite.
    below = np.linspace(0, 1 - prob, 2002)[1:-1]
    return below, ndtri(below), ndtri(below + prob)
