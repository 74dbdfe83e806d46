"""From weights to posteriors, from posteriors to intervals, from intervals to verdicts.

Weights (`models.parameters`) give an exact mixture of normals (`engine.collapsed`) or, of chains,
draws. `engine.intervals` has the rule for verdicts; the region of practical equivalence (ROPE) is
by default ±0.1 standard deviations of a neutral pair's distance.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.constants import CONNECTION, HDPI_PROB
from bayesbias.engine.block import every_block
from bayesbias.engine.collapsed import conditional_moments
from bayesbias.engine.intervals import INTERVALS, NormalMixture, check_prob, interval_of, verdicts
from bayesbias.engine.predictive import thinned
from bayesbias.errors import ArgumentError, one_of
from bayesbias.models.design import Design
from bayesbias.models.parameters import Weights, sds_of
from bayesbias.models.specification import ModelSpec
from bayesbias.support.arguments import Array, refuse_other

POINTS: Final = 1000
"""Draws of the standard deviations that a mixture has.

With 250 the ends of an interval are within a hundredth of a standard deviation of those of 4,000.
"""

ROPE_SDS: Final = 0.1
"""Half-width of the default ROPE in standard deviations of a neutral pair's distance: half of a
small effect (Kruschke 2018)."""

_SCALES: Final = ("neutral", "human", "different", "unassigned", "associated")
"""Connections whose pairs may set the scale, the first that a frame has."""

_INTERVALS: Final = {"hdi": "HPDI", "eti": "equal-tailed interval"}


@dataclass(frozen=True)
class DecisionRule:
    """Region of practical equivalence, and probability and kind of the interval.

    Parameters
    ----------
    rope : float, optional
        Half-width of the region of practical equivalence around 0, in cosine distance. None
        stands for 0.1 standard deviations of a neutral pair's distance.
    ci_prob : float
        Probability of the interval.
    ci_kind : {"hdi", "eti"}
        Highest posterior density, or equal-tailed.
    scale : float, optional
        Standard deviation of a neutral pair's distance; every fit fills in its own.

    Raises
    ------
    ArgumentError
        If a value is no number, or out of its range.

    Notes
    -----
    Kruschke (2018, "Rejecting or accepting parameter values in Bayesian estimation").

    Examples
    --------
    >>> strict = DecisionRule(rope=0.02, ci_prob=0.95)  # fit.contrasts(rule=strict)
    >>> strict.width, strict.label
    (0.02, '95% HPDI')
    """

    rope: float | None = None
    ci_prob: float = HDPI_PROB
    ci_kind: str = "hdi"
    scale: float | None = None

    def __post_init__(self) -> None:
        refuse_other(self.rope, int | float | np.number | None, "rope", "a number")
        refuse_other(self.ci_prob, int | float | np.number, "ci_prob", "a number")
        if self.rope is not None and not 0 <= self.rope < np.inf:
            raise ArgumentError(f"rope={self.rope}: must be a cosine distance, 0 or more")
        if self.scale is not None and not 0 <= self.scale < np.inf:
            raise ArgumentError(f"scale={self.scale}: must be a cosine distance, 0 or more")
        check_prob(self.ci_prob)
        one_of(self.ci_kind, "ci_kind", INTERVALS)

    @property
    def width(self) -> float:
        """Half-width of the region of practical equivalence, in cosine distance."""
        if self.rope is not None:
            return float(self.rope)
        if self.scale is None:
            raise ArgumentError("a default ROPE needs the scale of the distances; give rope=")
        return ROPE_SDS * self.scale

    @property
    def label(self) -> str:
        """The interval's name, such as ``89% HPDI``."""
        return f"{100 * self.ci_prob:g}% {_INTERVALS[self.ci_kind]}"


def distance_scale(frame: pd.DataFrame, column: str) -> tuple[float, str]:
    """Return the standard deviation of a neutral pair's distance, and whose pairs it is of.

    Without neutral pairs human ones set the scale, else stereotypes; 0 where pairs do not vary.
    """
    connection = frame[CONNECTION].to_numpy()
    distances = frame[column].to_numpy(dtype=float)
    for name in _SCALES:
        values = distances[connection == name]
        if len(values) > 1:
            return float(values.std(ddof=1)), name
    return 0.0, _SCALES[0]


Posteriors: TypeAlias = "tuple[NormalMixture, ...] | Array"
"""Of several quantities: exact ones, or draws (n_draws, n_quantities)."""


def described(labels: pd.DataFrame, posteriors: Posteriors, rule: DecisionRule) -> pd.DataFrame:
    """Return labels, a row for each quantity, with ``mean``, ``sd``, ``low`` and ``high``."""
    if isinstance(posteriors, tuple):
        rows = [(p.mean, p.sd, *p.interval(rule.ci_prob, rule.ci_kind)) for p in posteriors]
        numbers = np.array(rows, dtype=float).reshape(-1, 4)
    else:
        ends = interval_of(posteriors, rule.ci_prob, rule.ci_kind)
        mean, sd = posteriors.mean(axis=0), posteriors.std(axis=0, ddof=1)
        numbers = np.column_stack([mean, sd, ends])
    return labels.assign(**dict(zip(("mean", "sd", "low", "high"), numbers.T, strict=True)))


def exact_posteriors(
    sds: xr.Dataset, design: Design, spec: ModelSpec, weights: Weights
) -> tuple[NormalMixture, ...]:
    """Return the posteriors of linear functions, given draws of the standard deviations."""
    few = sds_of(thinned(sds, POINTS), design)
    moments = conditional_moments(every_block(design, spec), few, weights)
    return tuple(NormalMixture(*row) for row in zip(*moments, strict=True))


def judged(table: pd.DataFrame, rule: DecisionRule) -> pd.DataFrame:
    """Return means and intervals with what follows from them and a rule: sizes and verdicts.

    `rule`: on the scale of the fit. A row that is withheld has its observed difference, and the
    reason in the place of an answer.
    """
    low, high = (table[end].to_numpy(dtype=float) for end in ("low", "high"))
    verdict = pd.Series(verdicts(low, high, rule.width).astype(object))
    sizes = [verdict.str.endswith(size) for size in ("practically equal", "undecided")]
    table = table.assign(
        standardised=table["mean"] / rule.scale if rule.scale else np.nan,
        verdict=verdict,
        direction=np.select([high < 0, low > 0], ["closer", "farther"], "undecided").astype(object),
        size=np.select(sizes, ["practically equal", "undecided"], "clear"),
    )
    withheld = (table["withheld"] != "").to_numpy()
    table.loc[withheld, ["mean", "sd", "low", "high", "standardised"]] = np.nan
    table.loc[withheld, ["direction", "size", "verdict"]] = ""
    return table
