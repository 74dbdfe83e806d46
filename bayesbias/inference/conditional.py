"""Contrasts without Monte Carlo error in the effects: exact moments given the standard deviations.

Given the standard deviations, a linear function of connection means and word means is normal, with
a mean and a variance in closed form. Its posterior is the mixture of these normals over the draws
of the standard deviations, which the collapsed engine takes from a fixed rule: mean, tail areas and
intervals do not change with the seed at all.
"""

from collections.abc import Mapping, Sequence
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
    effects: Mapping[str, Array] | None = None,
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
    effects : mapping of str to ndarray, shape (F, n_levels), optional
        By a term's name the weights of its effects, added to the others.

    Returns
    -------
    mean, sd : ndarray, shape (F, n_draws)

    Raises
    ------
    ArgumentError
        If no weights are given.
    """
    values = {str(name): samples(posterior, str(name)) for name in posterior.data_vars}
    n_draws = len(values["noise_sd"])
    parts = []
    for connections in blocks_of(design):
        block = Block(design, spec, connections)
        of_sds = [
            np.broadcast_to(sds_of(design.terms[term], values)[:, index], n_draws)
            for term, index in block.sds
        ]
        sds = np.array(of_sds).reshape(-1, n_draws)
        noise = values["noise_sd"].reshape(n_draws, -1)[:, block.noise].T
        parts.append((block, sds, noise))
    return moments_of_parts(
        design, parts, connection_mean=connection_mean, word_mean=word_mean, effects=effects
    )


def moments_of_parts(
    design: Design,
    parts: Sequence[tuple[Block, Array, Array]],
    *,
    connection_mean: Array | None = None,
    word_mean: Array | None = None,
    effects: Mapping[str, Array] | None = None,
) -> tuple[Array, Array]:
    """Return the same as `conditional_moments`, of blocks with draws of their sds.

    Parameters
    ----------
    design : Design
    parts : sequence of (Block, ndarray, ndarray)
        All blocks of the design, with the standard deviations of their effects, shape (n_sds, D),
        and of their noise, (n_noise, D).
    connection_mean, word_mean, effects : optional
        As of `conditional_moments`.

    Returns
    -------
    mean, sd : ndarray, shape (F, D)
    """
    given = connection_mean if connection_mean is not None else word_mean
    if given is None:
        raise ArgumentError("give weights of connection_mean, of word_mean, or of both")
    n_functions, n_draws = len(given), parts[0][2].shape[1]
    on_mean = np.zeros((n_functions, len(design.connections)))
    on_word = np.zeros((n_functions, *design.cell_shape))
    if word_mean is not None:
        on_word += word_mean
    if connection_mean is not None and design.fixed_mean is None:
        on_mean += connection_mean
    elif connection_mean is not None:
        # Then the mean of a connection is that of its words.
        has_pairs = design.cell_counts > 0
        on_word += connection_mean[:, None, :] * (has_pairs / has_pairs.sum(axis=0))
    on_mean += on_word.sum(axis=1)
    sds = {
        key: sd for block, of_block, _ in parts for key, sd in zip(block.sds, of_block, strict=True)
    }
    on_effect, new = _weights_of_effects(design, on_word, sds)
    for number, term in enumerate(design.terms):
        if effects is not None and term.name in effects:
            on_effect[number] = on_effect[number] + effects[term.name]
    mean, variance = np.zeros((n_functions, n_draws)), np.zeros((n_functions, n_draws)) + new
    for block, sds_of_block, noise in parts:
        wanted = [] if design.fixed_mean is not None else [on_mean[:, block.connections]]
        for number, levels in zip(block.terms, block.levels, strict=True):
            wanted.append(on_effect[number][:, levels])
        of_block = np.hstack([np.zeros((n_functions, 0)), *wanted])
        touched = np.flatnonzero(of_block.any(axis=1))
        mean += block.mean * on_mean[:, block.connections].sum(axis=1, keepdims=True)
        if len(touched):
            found = moments(block, sds_of_block, noise, of_block[touched])
            mean[touched] += found[0]
            variance[touched] += found[1]
    return mean, np.sqrt(np.maximum(variance, 0.0))


def _weights_of_effects(
    design: Design, on_word: Array, sds: Mapping[tuple[int, int], Array]
) -> tuple[list[Array], Array]:
    """Spread weights of word means over the effects; return them, and new levels' variance."""
    on_effect = [np.zeros((len(on_word), term.n_levels)) for term in design.terms]
    number = {term.name: i for i, term in enumerate(design.terms)}
    variance = np.zeros((len(on_word), 1))
    for cells in cell_levels(design):
        n_known, term = cells.term.n_levels, number[cells.term.name]
        # The last is for cells without a level, where the index is −1.
        weights = np.zeros((len(on_word), n_known + len(cells.new_sd) + 1))
        np.add.at(weights.T, cells.level.ravel(), on_word.reshape(len(on_word), -1).T)
        on_effect[term] += weights[:, :n_known]
        for weight, index in zip(weights[:, n_known:-1].T, cells.new_sd, strict=True):
            variance = variance + weight[:, None] ** 2 * sds[term, int(index)] ** 2
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
        distances = np.subtract.outer(points, self.centre)
        return points, ndtr(distances / self.spread).mean(axis=1)

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
