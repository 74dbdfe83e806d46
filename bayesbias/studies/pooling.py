"""Random effects over estimates that are there already: what they share, and each one shrunken.

With estimates y_i of standard errors s_i of true values t_i,

    y_i ~ N(t_i, s_i²),   t_i = μ + Σ_f u_f[i] + e_i,   u_f ~ N(0, τ_f²),   e_i ~ N(0, τ²)

(the normal-normal model: DerSimonian and Laird 1986; Gelman et al., Bayesian Data Analysis, 5.4), μ
with a flat prior, is solved in closed form given the standard deviations,

    V = diag(s²) + τ² I + Σ_f τ_f² Z_f Z_fᵀ,   t | y = y − S V⁻¹ (y − μ),   S = diag(s²),

and these are summed over a grid. It takes milliseconds where one model of all pairs of sixty tasks
would take hours, and loses only what tasks share beyond their estimates (common words).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.constants import HDPI_PROB
from bayesbias.errors import ArgumentError
from bayesbias.inference.conditional import NormalMixture
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Table

Array = NDArray[np.float64]

FEWEST: Final = 3
"""With fewer estimates nothing can be said of how they scatter."""

_POINTS: Final = {1: 60, 2: 24, 3: 14}
_DRAWS: Final = {1: 1000, 2: 4000, 3: 4000}
"""Points of the grid by their weights, and how often they are drawn: most of the cost."""


@dataclass(frozen=True, repr=False)
class Pooled(Result):
    """Estimates, each drawn towards what all have in common. Made by `pool`.

    Parameters
    ----------
    table : DataFrame
        One row per estimate: ``estimate``, ``sd``, ``shrunken``, ``shrunken_sd``, ``low``,
        ``high``.
    spread : DataFrame
        One row per quantity, ``mean``, ``low``, ``high``: the ``overall`` mean, the standard
        deviation of each factor, and of single estimates beyond these (``single``).
    prob : float
        Of the intervals.
    interval : {"hpdi", "eti"}
        Their kind; those of standard deviations are equal-tailed always.
    """

    table: pd.DataFrame
    spread: pd.DataFrame
    prob: float
    interval: str = "hpdi"

    @property
    def blocks(self) -> Blocks:
        """The spread, then the estimates."""
        return [Table(self.spread), "", Table(self.table)]


def pool(
    estimate: Sequence[float] | Array,
    sd: Sequence[float] | Array,
    *,
    factors: Mapping[str, Sequence[str]] | None = None,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    rate: float = 10.0,
) -> Pooled:
    """Pool estimates by random effects.

    Parameters
    ----------
    estimate, sd : sequence of float
        Estimates and their standard errors, such as posterior means and sds of a contrast, in one
        unit: distances of vectors that spread differently, in their standard deviations.
    factors : mapping of str to sequence of str, optional
        Labels of every estimate, such as its corpus; at most two factors.
    prob : float
        Probability of the intervals.
    interval : {"hpdi", "eti"}
        Narrowest or equal-tailed.
    rate : float
        Of the exponential priors of the standard deviations, whose mean is 1 / rate.

    Returns
    -------
    Pooled

    Raises
    ------
    ArgumentError
        If there are fewer than three estimates, a standard error is not above 0, there are more
        than two factors, or the interval's probability or kind is none.

    Examples
    --------
    >>> found = pool([0.0, 0.1, 0.2], [0.05, 0.05, 0.05])
    >>> found.table["shrunken"].round(2).tolist()
    [0.03, 0.1, 0.17]
    """
    DecisionRule(prob=prob, interval=interval)  # checks both
    y, s = np.asarray(estimate, dtype=float), np.asarray(sd, dtype=float)
    named = dict(factors or {})
    if len(y) < FEWEST or len(y) != len(s):
        raise ArgumentError(f"pooling needs at least {FEWEST} estimates, each with its sd")
    if not (np.isfinite(y).all() and np.isfinite(s).all() and (s > 0).all()):
        raise ArgumentError("every estimate must be a number, and every sd a number above 0")
    if len(named) > 2 or any(len(labels) != len(y) for labels in named.values()):
        raise ArgumentError("give at most two factors, each with a label per estimate")
    shared = [
        np.equal.outer(code, code)
        for code in (pd.factorize(np.array(v))[0] for v in named.values())
    ]
    shared.append(np.eye(len(y), dtype=bool))
    widest = 4.0 * (float(y.std(ddof=1)) + float(s.mean()))
    points = widest * ((np.arange(_POINTS[len(shared)]) + 0.5) / _POINTS[len(shared)]) ** 2
    step = np.sqrt(points)  # the width of a cell of the grid, which is finer near 0
    rows, weights, sds = [], [], []
    for at in product(range(len(points)), repeat=len(shared)):
        tau = points[list(at)]
        v = np.diag(s**2) + sum(t**2 * z for t, z in zip(tau, shared, strict=True))
        inverse = np.linalg.inv(v)
        precision = inverse.sum()
        mean = float(inverse.sum(axis=0) @ y / precision)
        rest = inverse @ (y - mean)
        log = -0.5 * (np.linalg.slogdet(v)[1] + np.log(precision) + (y - mean) @ rest)
        weights.append(log - rate * tau.sum() + np.log(step[list(at)]).sum())
        variance = s**2 - s**4 * np.diag(inverse) + (s**2 * inverse.sum(axis=1)) ** 2 / precision
        rows.append(np.array([[*(y - s**2 * rest), mean], [*np.sqrt(variance), precision**-0.5]]))
        sds.append(tau)
    weight = np.exp(np.array(weights) - np.max(weights))
    chosen = _evenly(weight / weight.sum(), _DRAWS[len(shared)])
    moments, tau = np.array(rows)[chosen], np.array(sds)[chosen]
    mixtures = [NormalMixture(*moments[:, :, i].T) for i in range(len(y) + 1)]
    kind = "hpdi" if interval == "hpdi" else "equal_tailed"
    ends = np.array([getattr(mixture, kind)(prob) for mixture in mixtures])
    table = pd.DataFrame(
        {
            "estimate": y,
            "sd": s,
            "shrunken": [mixture.mean for mixture in mixtures[:-1]],
            "shrunken_sd": [mixture.sd for mixture in mixtures[:-1]],
            "low": ends[:-1, 0],
            "high": ends[:-1, 1],
        }
    )
    tails = np.quantile(tau, [(1 - prob) / 2, (1 + prob) / 2], axis=0)
    spread = pd.DataFrame(
        {
            "quantity": ["overall", *named, "single"],
            "mean": [mixtures[-1].mean, *tau.mean(axis=0)],
            "low": [ends[-1, 0], *tails[0]],
            "high": [ends[-1, 1], *tails[1]],
        }
    )
    return Pooled(table, spread, prob, interval)


def _evenly(weight: Array, n: int) -> NDArray[np.int64]:
    """Return n indices at even steps of the cumulated weights."""
    found = np.searchsorted(np.cumsum(weight), (np.arange(n) + 0.5) / n)
    return np.minimum(found, len(weight) - 1)
