"""Exact inference for a block of one connection with one set of effects: the paper's model.

The pairs of a connection whose effects have W levels (one per protected word) depend on the data
through the number n_w and mean y_w of every level's pairs and the sum of squares Q within levels.
Given the standard deviations t (of effects) and s (of noise),

    y_w | m ~ Normal(m, v_w),  v_w = t² + s² / n_w,     m ~ Normal(μ, p²)

so that m integrates out. With d_w = y_w − μ, A = Σ 1/v_w, B = Σ d_w/v_w and N pairs,

    log p(y | t, s) = −½ [ Σ log v_w + log(1 + p² A) + Σ d_w²/v_w − p² B² / (1 + p² A) ]
                      −½ [ (N − W) log s² + Q / s² + Σ log n_w + N log 2π ]

Two standard deviations are left and go on a grid, refined until it fits their posterior. A draw is
a grid cell and a point in it; m and the effects follow as from any block (`effects`). The sum over
the grid is the marginal likelihood. A fixed mean is the case p = 0, a fixed standard deviation one
point of t, and no term at all t = 0.

Levels with the same n_w share their v_w, so a grid point costs O(number of distinct n_w); the pairs
are visited once, to be counted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbias.engine.block import WIDEST, Block
from bayesbias.engine.pareto import resample
from bayesbias.support.arguments import Array, Generator, Index, Mask

_FINE: Final = (128, 96)
_COARSE: Final = (40, 40)
# Grid cells with less than e^-30 of the highest density are outside.
_NEGLIGIBLE: Final = 30.0


def suits(block: Block) -> bool:
    """Return whether a block is one connection with one noise and at most one set of effects."""
    is_one = len(block.connections) == len(block.noise) == 1 and len(block.sds) <= 1
    is_plain = not block.is_similar and not len(block.slopes)
    return is_one and is_plain and not any(block.balances)


class OneWayBlock:
    """The sufficient statistics of one connection, of a block that `suits`, and what follows."""

    def __init__(self, block: Block) -> None:
        y, level = block.response, np.zeros(len(block.response), np.int64)
        if block.sds:
            level = block.levels_of_rows[0]
        self.n = np.bincount(level).astype(float)
        self.y = np.bincount(level, y) / self.n
        self.squares = float(((y - self.y[level]) ** 2).sum())
        self.mean, self.mean_sd = block.mean, block.mean_sd
        self.effect_prior = block.effect_priors[0] if block.effect_priors else None
        self.fixed_sd = float(block.fixed_sds[0]) if block.sds else 0.0
        self.noise_prior = block.noise_prior
        several = self.n.sum() > len(self.n)
        if block.sds and several and self.squares <= 1e-24 * self.n.sum():
            raise block.constant()
        # Only the unit of the grid's coordinates: the rough size of effects and noise together.
        freedom = self.n.sum() - len(self.n)
        within = self.squares / freedom if freedom > 0 else 0.0
        self.scale = float(np.sqrt(within + self.y.var() + 1e-12))
        # Levels with the same number of pairs are one class.
        self.class_n, code = np.unique(self.n, return_inverse=True)
        d = self.y - self.mean
        self.class_size = np.bincount(code).astype(float)
        self.class_sum = np.bincount(code, weights=d)
        self.class_squares = np.bincount(code, weights=d**2)

    def effect_sd_of(self, x: Array) -> Array:
        """Return the word sd at a grid coordinate: linear near 0, exponential far from it."""
        if self.effect_prior is None:
            return np.full_like(x, self.fixed_sd)
        return self.scale * np.expm1(x)

    @property
    def widest(self) -> tuple[float, float]:
        """The range of the effect-sd coordinate; a single point where the sd is fixed."""
        return 0.0, float(np.log1p(WIDEST / self.scale)) if self.effect_prior else 0.0

    def log_density(self, x: Array, z: Array) -> Array:
        """Return the log-density of data and coordinates x (T,) and z = log noise sd (S,).

        Returns (T, S): without the prior of the noise sd, which connections may share.
        """
        t, s2 = self.effect_sd_of(x)[:, None, None], np.exp(2 * z)[None, :, None]
        v = t**2 + s2 / self.class_n
        a = (self.class_size / v).sum(-1)
        b = (self.class_sum / v).sum(-1)
        # Means of levels have the covariance diag(v) + p² 11ᵀ: of the rank one of the mean the
        # matrix determinant lemma and the Sherman-Morrison formula leave A and B alone.
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
        if self.effect_prior is None:
            return value
        prior = self.effect_prior
        with np.errstate(divide="ignore", invalid="ignore"):  # a gamma prior may vanish at 0
            # With the Jacobian of t = scale (exp x − 1).
            value += (prior.log_density(self.effect_sd_of(x)) + x + np.log(self.scale))[:, None]
        return value


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

    def around(self, inside: Mask, low: float, high: float) -> tuple[float, float]:
        """Return the range of the cells marked, and one on either side, within bounds."""
        if len(self.centres) == 1:
            return low, high
        marked = np.flatnonzero(inside)
        reach = 1.5 * self.width
        return (
            max(low, self.centres[marked[0]] - reach),
            min(high, self.centres[marked[-1]] + reach),
        )

    def draw(self, index: Index, rng: Generator) -> Array:
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
        # An axis that is one point has the width 0, and must not make every area 0.
        shrunk = (np.ptp(narrower_x) + 1e-300) * (np.ptp(narrower_z) + 1e-300)
        before = (np.ptp(x_range) + 1e-300) * (np.ptp(z_range) + 1e-300)
        x_range, z_range = narrower_x, narrower_z
        # Until a round leaves out less than a third of the area.
        if shrunk > 0.7 * before:
            break
    x, z = Axis.over(*x_range, _FINE[0]), Axis.over(*z_range, _FINE[1])
    return x, z, density(x.centres, z.centres)


def integrate_on_grid(block: Block, n_draws: int, rng: Generator) -> tuple[Array, Array, float]:
    """Draw effect and noise sds of a block that `suits`, (n_draws,) each; and the evidence."""
    connection = OneWayBlock(block)

    def density(x: Array, z: Array) -> Array:
        # With the Jacobian of s = exp z.
        noise = connection.noise_prior.log_density(np.exp(z)) + z
        return np.asarray(connection.log_density(x, z) + noise)

    z_bounds = float(np.log(connection.scale * 1e-5)), float(np.log(WIDEST))
    x, z, value = _refined(density, connection.widest, z_bounds)
    weight = np.exp(value - value.max())
    total = weight.sum()
    # The midpoint rule: every cell has the density of its centre times its area.
    i, j = np.divmod(resample(weight.ravel() / total, n_draws, rng), len(z.centres))
    evidence = float(value.max() + np.log(total * x.width * z.width))
    return connection.effect_sd_of(x.draw(i, rng)), np.exp(z.draw(j, rng)), evidence
