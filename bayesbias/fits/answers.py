"""From weights to posteriors: the answers of a fit, with or without Monte Carlo error.

A question is weights on means and effects (`models.parameters`). Where the engine integrated all
but the standard deviations in closed form, the posterior of an answer is a mixture of normals over
the draws of these (`engine.collapsed`); where chains drew everything, it is what the draws say.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import xarray as xr

from bayesbias.engine.block import every_block
from bayesbias.engine.collapsed import conditional_moments
from bayesbias.engine.intervals import NormalMixture, interval_of
from bayesbias.engine.predictive import thinned
from bayesbias.models.design import Design
from bayesbias.models.parameters import LinearCombinations, draws_of, samples
from bayesbias.models.specification import ModelSpec
from bayesbias.support.arguments import Array

POINTS: Final = 1000
"""Draws of the standard deviations that a mixture has.

With 250 the ends of an interval are within a hundredth of a standard deviation of those of 4,000.
"""


@dataclass(frozen=True)
class Posteriors:
    """Posteriors of several quantities: mixtures, or draws (n_draws, n_quantities)."""

    mixtures: tuple[NormalMixture, ...]
    draws: Array | None = None

    @property
    def mean(self) -> Array:
        """Posterior means, (n_quantities,)."""
        if self.draws is not None:
            return np.asarray(self.draws.mean(axis=0))
        return np.array([mixture.mean for mixture in self.mixtures])

    @property
    def sd(self) -> Array:
        """Posterior standard deviations, (n_quantities,)."""
        if self.draws is not None:
            return np.asarray(self.draws.std(axis=0, ddof=1))
        return np.array([mixture.sd for mixture in self.mixtures])

    def intervals(self, prob: float, kind: str) -> Array:
        """Return intervals, (n_quantities, 2)."""
        if self.draws is not None:
            return interval_of(self.draws, prob, kind)
        ends = [mixture.interval(prob, kind) for mixture in self.mixtures]
        return np.array(ends).reshape(-1, 2)


def exact_posteriors(
    sds: xr.Dataset,
    design: Design,
    spec: ModelSpec,
    weights: LinearCombinations,
) -> Posteriors:
    """Return the posteriors of linear functions, given draws of the standard deviations."""
    few = thinned(sds, POINTS)
    moments = conditional_moments(design, every_block(design, spec), few, weights)
    return Posteriors(tuple(NormalMixture(*row) for row in zip(*moments, strict=True)))


def drawn_posteriors(
    posterior: xr.Dataset, design: Design, weights: LinearCombinations
) -> Posteriors:
    """Return the posteriors of linear functions, from draws of all parameters."""
    values = {str(name): samples(posterior, str(name)) for name in posterior.data_vars}
    return Posteriors((), draws_of(design, weights, values))
