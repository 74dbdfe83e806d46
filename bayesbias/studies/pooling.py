"""Random effects over estimates that are there already: what they share, and each one shrunken.

With estimates y_i of true values t_i, whose errors have standard deviations s_i and correlations R,

    y ~ N(t, S),   t_i = μ + Σ_f u_f[i] + e_i,   u_f ~ N(0, τ_f²),   e_i ~ N(0, τ²)

(the normal-normal model: DerSimonian and Laird 1986; Gelman et al., Bayesian Data Analysis, 5.4;
with correlated errors Berkey, Hoaglin, Antczak-Bouckoms, Mosteller and Colditz 1998), μ with a flat
prior, is solved in closed form given the standard deviations,

    V = S + τ² I + Σ_f τ_f² Z_f Z_fᵀ,   S = diag(s) R diag(s),   t | y = y − S V⁻¹ (y − μ),
    cov(t | y) = S − S V⁻¹ S + (S V⁻¹ 1)(S V⁻¹ 1)ᵀ / 1ᵀV⁻¹1,

and these are summed over a grid. What tasks err in together does not cancel in their mean, and no
estimate is drawn to the others for it. It takes milliseconds where one model of all pairs of sixty
tasks would take hours.

An error comes from which words happen to be listed. Two embeddings of one list have the same words,
so that a word which is unusual in both moves both contrasts. What each word adds to a contrast of
the plain means, the sum of its pairs' deviations from their list's mean, weighted as the contrast
weighs them, is its influence (the infinitesimal jackknife: Efron 1982); the squares of all sum to
the contrast's error variance, and their products over two tasks to the covariance of the errors.
"""

import base64
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    DISTANCE,
    GROUP,
    HDPI_PROB,
    PROTECTED_WORD,
)
from bayesbias.inference.conditional import NormalMixture
from bayesbias.pairs.reference import without_reference
from bayesbias.support.arrays import Array

FEWEST: Final = 3  # with fewer estimates nothing can be said of how they scatter
_POINTS: Final = {1: 60, 2: 24, 3: 14}
_DRAWS: Final = {1: 1000, 2: 4000, 3: 4000}
"""Points of the grid by their weights, and how often they are drawn: most of the cost."""

_OWN: Final = 1e-3
"""Share of its error that a task has alone, whatever the words: equal files are not one task."""

RATE: Final = 2.0
"""Tasks scatter by half a standard deviation of a neutral pair's distance (the mode), a priori."""


class Pooled(NamedTuple):
    """Estimates, each drawn towards what all have in common.

    `table` has a row per estimate; `spread` a row per quantity: the ``overall`` mean, the standard
    deviation of each factor, and of single estimates beyond these (``single``), whose intervals are
    equal-tailed always.
    """

    table: pd.DataFrame
    spread: pd.DataFrame


def pool(
    estimate: Sequence[float] | Array,
    sd: Sequence[float] | Array,
    *,
    correlation: Array | None = None,
    factors: Mapping[str, Sequence[str]] | None = None,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    rate: float = RATE,
) -> Pooled:
    """Pool estimates by random effects: at least `FEWEST`, each with an sd above 0.

    Estimates and their standard errors are in standard deviations of a neutral pair's distance,
    since vectors spread differently; in another unit give another `rate`. `correlation`, (n, n), is
    that of the errors: those of tasks that share a list are not independent
    (`error_correlations`). At most two `factors` label every estimate, such as by its
    corpus.

    `rate` is that of the priors of the standard deviations: Gamma(2, rate) for single estimates,
    which is 0 at 0 and has its mode at 1 / rate (Chung, Rabe-Hesketh, Dorie, Gelman and Liu 2013),
    and Exponential(rate) for factors. An exponential prior for single estimates draws them together
    too much: with errors as large as their scatter, intervals of sixteen missed 16% in place of 11,
    and with this prior 12%.
    """
    y, s = np.asarray(estimate, dtype=float), np.asarray(sd, dtype=float)
    named = dict(factors or {})
    error = np.outer(s, s) * (np.eye(len(y)) if correlation is None else correlation)
    shared = [
        np.equal.outer(code, code)
        for code in (pd.factorize(np.array(v))[0] for v in named.values())
    ]
    shared.append(np.eye(len(y), dtype=bool))
    # Even points u in (0, 1), τ = widest u²: a cell has a width proportional to u, so to √τ.
    widest = 4.0 * (float(y.std(ddof=1)) + float(s.mean()))
    points = widest * ((np.arange(_POINTS[len(shared)]) + 0.5) / _POINTS[len(shared)]) ** 2
    step = np.sqrt(points)  # the grid is finer near 0
    rows, weights, sds = [], [], []
    for at in product(range(len(points)), repeat=len(shared)):
        tau = points[list(at)]
        v = error + sum(t**2 * z for t, z in zip(tau, shared, strict=True))
        inverse = np.linalg.inv(v)
        # μ by generalised least squares; its flat prior adds log 1ᵀV⁻¹1 to log|V|, as REML does.
        precision = inverse.sum()
        mean = float(inverse.sum(axis=0) @ y / precision)
        rest = inverse @ (y - mean)
        log = -0.5 * (np.linalg.slogdet(v)[1] + np.log(precision) + (y - mean) @ rest)
        # Gamma(2, rate) of the last, single estimates, and Exponential(rate) of factors.
        prior = np.log(tau[-1]) - rate * tau.sum()
        weights.append(log + prior + np.log(step[list(at)]).sum())
        # The diagonal of cov(t | y) above, row by row: gone is S V⁻¹.
        gone = error @ inverse
        variance = s**2 - (gone * error).sum(axis=1) + gone.sum(axis=1) ** 2 / precision
        spread_of = np.sqrt(np.maximum(variance, 0.0))
        rows.append(np.array([[*(y - error @ rest), mean], [*spread_of, precision**-0.5]]))
        sds.append(tau)
    weight = np.exp(np.array(weights) - np.max(weights))
    # Points by their weights at even steps of the cumulated ones, so that no seed is needed.
    even = (np.arange(_DRAWS[len(shared)]) + 0.5) / _DRAWS[len(shared)]
    found = np.searchsorted(np.cumsum(weight / weight.sum()), even)
    chosen = np.minimum(found, len(weight) - 1)
    moments, tau = np.array(rows)[chosen], np.array(sds)[chosen]
    mixtures = [NormalMixture(*moments[:, :, i].T) for i in range(len(y) + 1)]
    ends = np.array([mixture.interval(prob, interval) for mixture in mixtures])
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
    return Pooled(table, spread)


def influences(frame: pd.DataFrame, pair: tuple[str, str]) -> "pd.Series[float]":
    """Return the influence of every protected word and attribute on a contrast, by its name."""
    rows = without_reference(frame)
    rows = rows[rows[CONNECTION].isin(pair)]
    sign = np.where(rows[CONNECTION] == pair[0], 1.0, -1.0) / rows[GROUP].nunique()
    return _moved(rows, sign)


def influences_on_list(
    frame: pd.DataFrame, name: str, own: Sequence[str], others: Sequence[str]
) -> "pd.Series[float]":
    """Return the same for the difference between groups on a list."""
    rows = frame[(frame[ATTRIBUTE_SET] == name) & frame[GROUP].isin([*own, *others])]
    return _moved(rows, np.where(rows[GROUP].isin(own), 1 / len(own), -1 / len(others)))


def _moved(rows: pd.DataFrame, sign: Array) -> "pd.Series[float]":
    """Return what each word adds to a sum of the means of groups and connections, so weighted."""
    cells = rows.groupby([GROUP, CONNECTION])[DISTANCE].transform("size")
    weight = sign / cells
    mean = rows.groupby([GROUP, CONNECTION, ATTRIBUTE_SET])[DISTANCE].transform("mean")
    moved = weight * (rows[DISTANCE] - mean)
    parts = []
    # Words and attributes are drawn independently: a pair counts with the one and with the other.
    for role, within, word in (
        ("protected", GROUP, PROTECTED_WORD),
        ("attribute", ATTRIBUTE_SET, ATTRIBUTE),
    ):
        name = role + " " + rows[within].astype(str) + " " + rows[word].astype(str)
        parts.append(moved.groupby(name.to_numpy(), sort=False).sum())
    return pd.concat(parts)


def packed_influences(found: "pd.Series[float]") -> dict[str, str]:
    """Return influences as two texts, ``words`` and ``influence``, for a table of many tasks."""
    largest = float(found.abs().max()) or 1.0  # only the shares of each other count
    content = (found / largest).to_numpy(dtype="<f2").tobytes()
    names = "\n".join(str(name) for name in found.index)
    return {"words": names, "influence": base64.b64encode(content).decode()}


def error_correlations(words: Sequence[str], influence: Sequence[str]) -> Array:
    """Return the correlations of the errors of tasks, (n, n), from `packed_influences` of each."""
    columns = []
    for names, text in zip(words, influence, strict=True):
        values = np.frombuffer(base64.b64decode(text), dtype="<f2").astype(float)
        columns.append(pd.Series(values, index=names.split("\n")))
    # A word that a task has not moves nothing there.
    both = pd.concat(columns, axis=1).fillna(0.0).to_numpy()
    length = np.linalg.norm(both, axis=0)
    unit = both / np.where(length > 0, length, 1.0)
    found = (1.0 - _OWN) * unit.T @ unit
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)
