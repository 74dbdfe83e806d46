"""Exact inference where connections share nothing but, at most, their noise.

Without attribute effects, the pairs of one connection with W protected words depend on the data
through the number n_w and mean y_w of every word's pairs and the sum of squares Q within words.
Given the standard deviations t (of word means) and s (of noise),

    y_w | m ~ Normal(m, v_w),  v_w = t² + s² / n_w,     m ~ Normal(μ, p²)

so that m integrates out. With d_w = y_w − μ, A = Σ 1/v_w, B = Σ d_w/v_w and N pairs,

    log p(y | t, s) = −½ [ Σ log v_w + log(1 + p² A) + Σ d_w²/v_w − p² B² / (1 + p² A) ]
                      −½ [ (N − W) log s² + Q / s² + Σ log n_w + N log 2π ]

Two standard deviations are left and go on a grid, refined until it fits their posterior. A draw is
a grid cell, a point in it, then m and every word mean from their exact normal conditionals:

    m | t, s      ~ Normal(μ + B / (1/p² + A), 1 / (1/p² + A))
    w | m, t, s   ~ Normal(m + (t²/v)(y − m), t² s² / (n v))

Draws are therefore independent, and the sum over the grid is the marginal likelihood. No pooling is
the case p = 0 with t fixed, complete pooling the case t = 0. With shared noise the connections are
independent given s: p(s | y) ∝ p(s) Π_c ∫ p(y_c, t_c | s) dt_c, from the same grids.

Words with the same n_w share their v_w, so a grid point costs O(number of distinct n_w); the pairs
are visited once, to be counted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import DistancesError
from bayesbias.inference.design import Design
from bayesbias.inference.priors import Prior
from bayesbias.inference.specification import ModelSpec

Array = NDArray[np.float64]

_FINE: Final = (128, 96)
_COARSE: Final = (40, 40)
# Grid cells with less than e^-30 of the highest density are outside.
_NEGLIGIBLE: Final = 30.0
_WIDEST: Final = 20.0  # no standard deviation of a cosine distance is near this


@dataclass(frozen=True)
class GridDraws:
    """Independent draws of one connection, D of them, with W words.

    Parameters
    ----------
    group_mean, word_sd, noise_sd : ndarray, shape (D,)
    word_mean : ndarray, shape (D, W)
    """

    group_mean: Array
    word_sd: Array
    noise_sd: Array
    word_mean: Array


class Connection:
    """The sufficient statistics of one connection and what follows from them.

    Parameters
    ----------
    design : Design
    index : int
        The connection.
    spec : ModelSpec
        Gaussian, without attribute effects.
    """

    def __init__(self, design: Design, index: int, spec: ModelSpec) -> None:
        counts, means = design.cell_counts[:, index], design.cell_means[:, index]
        self.filled = counts > 0
        self.n = counts[self.filled].astype(float)
        self.y = means[self.filled]
        self.squares = float(design.squares_within[index])
        self.pooling = spec.pooling
        mean = spec.priors["word_mean" if spec.pooling == "none" else "group_mean"]
        self.mean, self.mean_sd = mean.parameters["mean"], mean.parameters["sd"]
        self.word_prior = spec.priors.get("word_sd")
        self.noise_prior = spec.priors["noise_sd"]
        if spec.pooling == "none":
            self.fixed_word_sd, self.mean_sd = self.mean_sd, 0.0
        else:
            self.fixed_word_sd = 0.0
        self._refuse_constant(design.connections[index])
        self.scale = self._scale()
        # Words with the same number of pairs are one class.
        self.class_n, code = np.unique(self.n, return_inverse=True)
        d = self.y - self.mean
        self.class_size = np.bincount(code).astype(float)
        self.class_sum = np.bincount(code, weights=d)
        self.class_squares = np.bincount(code, weights=d**2)

    def _refuse_constant(self, name: str) -> None:
        """Refuse data that leave the noise no lower bound, so that no posterior exists."""
        several = self.n.sum() > len(self.n)
        if self.pooling != "complete" and several and self.squares <= 1e-24 * self.n.sum():
            raise DistancesError(
                f"every protected word has the same distance to all attributes of connection "
                f"{name!r}, so that its noise cannot be estimated; look whether the distances were "
                f"computed, or leave the connection out"
            )

    def _scale(self) -> float:
        freedom = self.n.sum() - len(self.n)
        within = self.squares / freedom if freedom > 0 else 0.0
        return float(np.sqrt(within + self.y.var() + 1e-12))

    def word_sd_of(self, x: Array) -> Array:
        """Return the word sd at a grid coordinate: linear near 0, exponential far from it."""
        if self.word_prior is None:
            return np.full_like(x, self.fixed_word_sd)
        return self.scale * np.expm1(x)

    @property
    def widest(self) -> tuple[float, float]:
        """The range of the word-sd coordinate; a single point where the sd is fixed."""
        return 0.0, float(np.log1p(_WIDEST / self.scale)) if self.word_prior else 0.0

    def log_density(self, x: Array, z: Array) -> Array:
        """Return the log-density of data and coordinates x (T,) and z = log noise sd (S,).

        Returns
        -------
        ndarray, shape (T, S)
            Without the prior of the noise sd, which connections may share.
        """
        t, s2 = self.word_sd_of(x)[:, None, None], np.exp(2 * z)[None, :, None]
        v = t**2 + s2 / self.class_n
        a = (self.class_size / v).sum(-1)
        b = (self.class_sum / v).sum(-1)
        shrink = 1.0 + self.mean_sd**2 * a
        value = -0.5 * (
            (self.class_size * np.log(v) + self.class_squares / v).sum(-1)
            + np.log(shrink)
            - (self.mean_sd * b) ** 2 / shrink
        )
        pairs = self.n.sum()
        value -= 0.5 * (
            (pairs - len(self.n)) * 2 * z
            + self.squares * np.exp(-2 * z)
            + np.log(self.n).sum()
            + pairs * np.log(2 * np.pi)
        )
        if self.word_prior is None:
            return value
        prior: Prior = self.word_prior
        with np.errstate(divide="ignore", invalid="ignore"):  # a gamma prior may vanish at 0
            value += (prior.log_density(self.word_sd_of(x)) + x + np.log(self.scale))[:, None]
        return value

    def draw(self, x: Array, z: Array, rng: np.random.Generator) -> GridDraws:
        """Draw everything else given coordinates, shape (D,) each."""
        t, s = self.word_sd_of(x)[:, None], np.exp(z)[:, None]
        v = t**2 + s**2 / self.class_n
        a, b = (self.class_size / v).sum(1), (self.class_sum / v).sum(1)
        spread = self.mean_sd / np.sqrt(1.0 + self.mean_sd**2 * a)
        m = self.mean + spread**2 * b + spread * rng.standard_normal(len(x))
        word = np.empty((len(x), len(self.filled)))
        error = s**2 / self.n
        share = t**2 / (t**2 + error)
        z_word = rng.standard_normal(word.shape)
        word[:, self.filled] = (
            m[:, None]
            + share * (self.y - m[:, None])
            + np.sqrt(share * error) * z_word[:, self.filled]
        )
        word[:, ~self.filled] = m[:, None] + t * z_word[:, ~self.filled]
        group = word[:, self.filled].mean(axis=1) if self.pooling == "none" else m
        return GridDraws(group, t[:, 0], s[:, 0], word)


@dataclass(frozen=True)
class Axis:
    """An even grid of cell centres along one coordinate."""

    centres: Array
    width: float

    @classmethod
    def over(cls, low: float, high: float, size: int) -> "Axis":
        """Divide a range into cells; a range of no width is one cell of width 1."""
        if high <= low:
            return cls(np.array([low]), 1.0)
        width = (high - low) / size
        return cls(np.asarray(low + width * (np.arange(size) + 0.5), dtype=float), width)

    def around(self, inside: NDArray[np.bool_], low: float, high: float) -> tuple[float, float]:
        """Return the range of the cells marked, and one on either side, within bounds."""
        if len(self.centres) == 1:
            return low, high
        marked = np.flatnonzero(inside)
        reach = 1.5 * self.width
        return (
            max(low, self.centres[marked[0]] - reach),
            min(high, self.centres[marked[-1]] + reach),
        )

    def draw(self, index: NDArray[np.int64], rng: np.random.Generator) -> Array:
        """Draw points evenly within the cells."""
        if len(self.centres) == 1:
            return np.full(len(index), self.centres[0])
        return self.centres[index] + self.width * (rng.random(len(index)) - 0.5)


def _refined(
    density: Callable[[Array, Array], Array],
    x_bounds: tuple[float, float],
    z_bounds: tuple[float, float],
) -> tuple[Axis, Axis, Array]:
    """Narrow a grid down to where the density is, then evaluate it finely."""
    x_range, z_range = x_bounds, z_bounds
    for _ in range(30):
        x, z = Axis.over(*x_range, _COARSE[0]), Axis.over(*z_range, _COARSE[1])
        value = density(x.centres, z.centres)
        inside = value > value.max() - _NEGLIGIBLE
        narrower_x = x.around(inside.any(axis=1), *x_bounds)
        narrower_z = z.around(inside.any(axis=0), *z_bounds)
        shrunk = (np.ptp(narrower_x) + 1e-300) * (np.ptp(narrower_z) + 1e-300)
        before = (np.ptp(x_range) + 1e-300) * (np.ptp(z_range) + 1e-300)
        x_range, z_range = narrower_x, narrower_z
        if shrunk > 0.7 * before:
            break
    x, z = Axis.over(*x_range, _FINE[0]), Axis.over(*z_range, _FINE[1])
    return x, z, density(x.centres, z.centres)


def _z_bounds(connections: list[Connection]) -> tuple[float, float]:
    smallest = min(c.scale for c in connections)
    return float(np.log(smallest * 1e-5)), float(np.log(_WIDEST))


def _noise_prior(prior: Prior, z: Array) -> Array:
    return prior.log_density(np.exp(z)) + z


def sample_separately(
    connection: Connection, n_draws: int, rng: np.random.Generator
) -> tuple[GridDraws, float]:
    """Draw from the posterior of one connection with its own noise.

    Returns
    -------
    GridDraws
    float
        The log marginal likelihood.
    """

    def density(x: Array, z: Array) -> Array:
        return connection.log_density(x, z) + _noise_prior(connection.noise_prior, z)

    x, z, value = _refined(density, connection.widest, _z_bounds([connection]))
    weight = np.exp(value - value.max())
    total = weight.sum()
    cell = _choose(weight.ravel() / total, n_draws, rng)
    i, j = np.divmod(cell, len(z.centres))
    draws = connection.draw(x.draw(i, rng), z.draw(j, rng), rng)
    return draws, float(value.max() + np.log(total * x.width * z.width))


def sample_with_shared_noise(
    connections: list[Connection], n_draws: int, rng: np.random.Generator
) -> tuple[list[GridDraws], float]:
    """Draw from the posterior of connections that share their noise; returns as above."""
    prior = connections[0].noise_prior
    z_bounds = _z_bounds(connections)
    z_range = z_bounds
    for _ in range(30):
        z = Axis.over(*z_range, _COARSE[1])
        columns = [_integrated(c, z, _COARSE[0]) for c in connections]
        value = np.sum([total for _, _, total in columns], axis=0) + _noise_prior(prior, z.centres)
        narrower = z.around(value > value.max() - _NEGLIGIBLE, *z_bounds)
        before, z_range = z_range, narrower
        if np.ptp(narrower) > 0.7 * np.ptp(before):
            break
    z = Axis.over(*z_range, _FINE[1])
    columns = [_integrated(c, z, _FINE[0]) for c in connections]
    value = np.sum([total for _, _, total in columns], axis=0) + _noise_prior(prior, z.centres)
    weight = np.exp(value - value.max())
    j = _choose(weight / weight.sum(), n_draws, rng)
    noise = z.draw(j, rng)
    draws = []
    for connection, (x, cells, _) in zip(connections, columns, strict=True):
        # Given its noise cell, a draw's word-sd cell comes from that column of the grid.
        cumulated = np.cumsum(np.exp(cells - cells.max(axis=0)), axis=0)
        cumulated /= cumulated[-1]
        i = (rng.random(n_draws) > cumulated[:, j]).sum(axis=0)
        draws.append(connection.draw(x.draw(i, rng), noise, rng))
    return draws, float(value.max() + np.log(weight.sum() * z.width))


def _integrated(connection: Connection, z: Axis, size: int) -> tuple[Axis, Array, Array]:
    """Integrate the word sd out for every noise cell: axis, log-density (T, S), its sum (S,)."""
    x_range = connection.widest
    for _ in range(30):
        x = Axis.over(*x_range, _COARSE[0])
        value = connection.log_density(x.centres, z.centres)
        inside = (value > value.max(axis=0) - _NEGLIGIBLE).any(axis=1)
        before, x_range = x_range, x.around(inside, *connection.widest)
        if np.ptp(x_range) > 0.7 * np.ptp(before):
            break
    x = Axis.over(*x_range, size)
    value = connection.log_density(x.centres, z.centres)
    top = value.max(axis=0)
    return x, value, top + np.log(np.exp(value - top).sum(axis=0) * x.width)


def _choose(probability: Array, n_draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw indices with given probabilities."""
    cumulated = np.cumsum(probability)
    found = np.searchsorted(cumulated, rng.random(n_draws) * cumulated[-1], side="right")
    return np.minimum(found, len(probability) - 1)
