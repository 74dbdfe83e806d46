"""Answers without Monte Carlo error in the effects: exact moments given the standard deviations.

Given the standard deviations, a linear function of means and effects (`questions`) is normal, with
a mean and a variance in closed form. Its posterior is the mixture of these normals over the draws
of the standard deviations, which the collapsed engine takes from a fixed rule: mean, tail areas and
intervals do not change with the seed at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from bayesbias.engine.block import Block, sds_of_block
from bayesbias.engine.effects import moments
from bayesbias.models.design import Design
from bayesbias.models.parameters import samples
from bayesbias.models.questions import LinearCombinations
from bayesbias.support.arguments import Array

_AT_ONCE: Final = 256
"""Functions whose weights are written out at a time."""


def conditional_moments(
    design: Design, blocks: Sequence[Block], posterior: xr.Dataset, weights: LinearCombinations
) -> tuple[Array, Array]:
    """Return means and sds of linear functions, (F, n_draws), given each draw of the sds."""
    values = {str(name): samples(posterior, str(name)) for name in posterior.data_vars}
    parts = [(block, *sds_of_block(values, design, block)) for block in blocks]
    mean = np.zeros((len(weights.mean), len(values["noise_sd"])))
    variance = np.zeros_like(mean)
    for start in range(0, len(weights.mean), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        on_levels = {name: of[rows].toarray() for name, of in weights.effects.items()}
        for block, effects, noise in parts:
            on_mean = weights.mean[rows][:, block.connections]
            wanted = [on_mean[:, :0] if design.fixed_mean is not None else on_mean]
            for number, levels in zip(block.terms, block.levels, strict=True):
                own = on_levels.get(design.terms[number].name)
                none = np.zeros((len(on_mean), len(levels)))
                wanted.append(none if own is None else own[:, levels])
            of_block = np.hstack(wanted)
            touched = np.flatnonzero(of_block.any(axis=1))
            mean[rows] += block.mean * on_mean.sum(axis=1, keepdims=True)
            if len(touched):
                of_touched = moments(block, effects, noise, of_block[touched])
                mean[start + touched] += of_touched[0]
                variance[start + touched] += of_touched[1]
    return mean, np.sqrt(np.maximum(variance, 0.0))


@dataclass(frozen=True)
class NormalMixture:
    """An even mixture of normal distributions.

    `centre`, `spread` (n,): means and sds.
    """

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

    def below(self, x: float) -> float:
        """Return the probability of less than x; a part that is a number is less, or is not."""
        certain = np.where(x > self.centre, np.inf, -np.inf)
        z = np.divide(x - self.centre, self.spread, out=certain, where=self.spread > 0)
        return float(ndtr(z).mean())

    @cached_property
    def _tabulated(self) -> tuple[Array, Array]:
        """Return points, nothing of note outside, and their probits, nearly a straight line.

        A smooth line: computed at a tenth of the points, the others from a spline through these.
        """
        refined = _spline()
        reach = 5.5 * self.sd
        points = np.linspace(self.mean - reach, self.mean + reach, refined.shape[1])
        # A pool's parts repeat points of its grid: they are counted, not computed again.
        parts, counts = np.unique(self.centre + 1j * self.spread, return_counts=True)
        distances = np.subtract.outer(points, parts.real)
        # In place, as the dearest numbers of an answer; a part that is a number is a step.
        distances /= np.maximum(parts.imag, 1e-9 * self.sd)
        cumulated = ndtr(distances, out=distances) @ (counts / counts.sum())
        probits = refined @ ndtri(np.clip(cumulated, 1e-15, 1 - 1e-15))
        fine = np.linspace(points[0], points[-1], len(probits))
        return fine, np.maximum.accumulate(probits)  # a line that falls is the spline's own

    def interval(self, prob: float, kind: str = "hdi") -> tuple[float, float]:
        """Return the narrowest interval, or one with as much on either side ("eti").

        Of a number that is known, itself.
        """
        if not self.spread.any() and not np.ptp(self.centre):
            return self.mean, self.mean
        points, z = self._tabulated
        if kind == "eti":
            low, high = np.interp(ndtri(np.array([1 - prob, 1 + prob]) / 2), z, points)
            return float(low), float(high)
        below, *ends = _candidates(prob)
        low, high = (np.interp(end, z, points) for end in ends)
        width = high - low
        best = int(np.argmin(width))
        # The vertex of a parabola through the least three: the width is flat there.
        best = min(max(best, 1), len(width) - 2)
        left, middle, right = width[best - 1 : best + 2]
        curve = left - 2 * middle + right
        shift = 0.5 * (left - right) / curve if curve > 0 else 0.0
        at = below[best] + np.clip(shift, -1, 1) * (below[1] - below[0])
        ends = np.interp(ndtri(np.array([at, at + prob])), z, points)
        return float(ends[0]), float(ends[1])


@cache
def _candidates(prob: float) -> tuple[Array, Array, Array]:
    """Return probabilities below an interval, and both its ends as standard normal quantiles."""
    # Without the two at the ends, whose quantiles are infinite.
    below = np.linspace(0, 1 - prob, 2002)[1:-1]
    return below, ndtri(below), ndtri(below + prob)


@cache
def _spline() -> Array:
    """Return what makes 401 values of a natural cubic spline of 41, evenly spaced both."""
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(np.arange(41), np.eye(41), bc_type="natural")
    return np.asarray(spline(np.linspace(0, 40, 401)))
