"""Contrasts without Monte Carlo error in the effects: exact moments given the standard deviations.

Given the standard deviations, a linear function of connection means and word means is normal, with
a mean and a variance in closed form. Its posterior is the mixture of these normals over the draws
of the standard deviations, which the collapsed engine takes from a fixed rule: mean, tail areas and
intervals do not change with the seed at all.
"""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from bayesbias.errors import ArgumentError
from bayesbias.inference.block import Block, blocks_of
from bayesbias.inference.design import Design
from bayesbias.inference.effects import moments
from bayesbias.inference.parameters import samples
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.word_means import cell_levels, sds_of

Array = NDArray[np.float64]


def conditional_moments(
    design: Design,
    spec: ModelSpec,
    posterior: xr.Dataset,
    *,
    connection_mean: Array | None = None,
    word_mean: Array | None = None,
) -> tuple[Array, Array]:
    """Return means and sds of linear functions, given each draw of the standard deviations.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
        With a normal likelihood.
    posterior : Dataset
        Draws of the specification's standard deviations, from either engine.
    connection_mean : ndarray, shape (F, n_connections), optional
        Weights of the connection means, one function a row.
    word_mean : ndarray, shape (F, n_words, n_connections), optional
        Weights of the word means; added to the other where both are given.

    Returns
    -------
    mean, sd : ndarray, shape (F, n_draws)

    Raises
    ------
    ArgumentError
        If no weights are given.
    """
    given = connection_mean if connection_mean is not None else word_mean
    if given is None:
        raise ArgumentError("give weights of connection_mean, of word_mean, or of both")
    on_mean = np.zeros((len(given), len(design.connections)))
    on_word = np.zeros((len(given), *design.cell_shape))
    if word_mean is not None:
        on_word += word_mean
    if connection_mean is not None and design.fixed_mean is None:
        on_mean += connection_mean
    elif connection_mean is not None:
        # Then the mean of a connection is that of its words.
        has_pairs = design.cell_counts > 0
        on_word += connection_mean[:, None, :] * (has_pairs / has_pairs.sum(axis=0))
    on_mean += on_word.sum(axis=1)
    values = {str(name): samples(posterior, str(name)) for name in posterior.data_vars}
    on_effect, new = _weights_of_effects(design, on_word, values)
    n_draws = len(values["noise_sd"])
    mean, variance = np.zeros((len(given), n_draws)), np.zeros((len(given), n_draws)) + new
    for connections in blocks_of(design):
        block = Block(design, spec, connections)
        wanted = [on_mean[:, connections]] if design.fixed_mean is None else []
        wanted += [
            on_effect[number][:, levels]
            for number, levels in zip(block.terms, block.levels, strict=True)
        ]
        of_block = np.hstack([np.zeros((len(given), 0)), *wanted])
        touched = np.flatnonzero(of_block.any(axis=1))
        mean += block.mean * on_mean[:, connections].sum(axis=1, keepdims=True)
        if not len(touched):
            continue
        effects = np.array([_sd(design, values, *sd) * np.ones(n_draws) for sd in block.sds])
        noise = values["noise_sd"].reshape(n_draws, -1)[:, block.noise].T
        found = moments(block, effects.reshape(-1, n_draws), noise, of_block[touched])
        mean[touched] += found[0]
        variance[touched] += found[1]
    return mean, np.sqrt(np.maximum(variance, 0.0))


def _sd(design: Design, values: dict[str, Array], term: int, index: int) -> Array:
    return sds_of(design.terms[term], values)[:, index]


def _weights_of_effects(
    design: Design, on_word: Array, values: dict[str, Array]
) -> tuple[list[Array], Array]:
    """Spread weights of word means over the effects; return them, and new levels' variance."""
    on_effect = [np.zeros((len(on_word), term.n_levels)) for term in design.terms]
    number = {term.name: i for i, term in enumerate(design.terms)}
    variance = np.zeros((len(on_word), 1))
    for cells in cell_levels(design):
        n_known, n_new = cells.term.n_levels, len(cells.new_sd)
        weights = np.zeros((len(on_word), n_known + n_new + 1))  # the last for cells without level
        np.add.at(weights.T, cells.level.ravel(), on_word.reshape(len(on_word), -1).T)
        on_effect[number[cells.term.name]] += weights[:, :n_known]
        sds = sds_of(cells.term, values)[:, cells.new_sd]
        variance = variance + weights[:, n_known:-1] ** 2 @ (sds**2).T
    return on_effect, variance


@dataclass(frozen=True)
class NormalMixture:
    """An even mixture of normal distributions.

    Parameters
    ----------
    centre, spread : ndarray, shape (n,)
        Means and sds.

    Examples
    --------
    >>> mixture = NormalMixture(np.array([0.0]), np.array([1.0]))
    >>> [round(end, 3) for end in mixture.hpdi(0.95)]
    [-1.96, 1.96]
    """

    centre: Array
    spread: Array

    @property
    def mean(self) -> float:
        """Mean."""
        return float(self.centre.mean())

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return float(np.sqrt((self.spread**2).mean() + self.centre.var()))

    def below(self, x: float) -> float:
        """Return the probability of less than x."""
        return float(ndtr((x - self.centre) / self.spread).mean())

    def _tabulated(self) -> tuple[Array, Array]:
        """Return the distribution function at 121 points that leave nothing of note outside."""
        reach = 5.5 * self.sd
        points = np.linspace(self.mean - reach, self.mean + reach, 121)
        return points, np.array([self.below(x) for x in points])

    def equal_tailed(self, prob: float) -> tuple[float, float]:
        """Return the interval with equal probability on either side."""
        points, cumulated = self._tabulated()
        z = ndtri(np.clip(cumulated, 1e-15, 1 - 1e-15))  # nearly straight, so that it interpolates
        low, high = np.interp(ndtri(np.array([1 - prob, 1 + prob]) / 2), z, points)
        return float(low), float(high)

    def hpdi(self, prob: float) -> tuple[float, float]:
        """Return the narrowest interval of a given probability."""
        points, cumulated = self._tabulated()
        z = ndtri(np.clip(cumulated, 1e-15, 1 - 1e-15))
        below = np.linspace(0, 1 - prob, 2002)[1:-1]
        low, high = (np.interp(ndtri(p), z, points) for p in (below, below + prob))
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
