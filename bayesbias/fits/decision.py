"""The rule by which an interval of a difference becomes a verdict: stated and checked once.

The direction is decided by whether the interval excludes 0, the size by where it lies beside a
region of practical equivalence (ROPE: Kruschke 2018), by default ±0.1 standard deviations of a
neutral pair's distance. `engine.intervals.verdicts` has the words.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, HDPI_PROB
from bayesbias.engine.intervals import INTERVALS, check_prob
from bayesbias.errors import ArgumentError, one_of

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
        for name, value in (
            ("rope", 0 if self.rope is None else self.rope),
            ("ci_prob", self.ci_prob),
        ):
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise ArgumentError(f"{name}={value!r}: must be a number")
        if self.rope is not None and not 0 <= self.rope < np.inf:
            raise ArgumentError(f"rope={self.rope}: must be a cosine distance, 0 or more")
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
