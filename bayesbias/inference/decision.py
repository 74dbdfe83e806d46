"""The rule by which an interval of a difference becomes a verdict: stated and checked once.

The direction is decided by whether the interval excludes 0, the size by where it lies beside a
region of practical equivalence (ROPE: Kruschke 2018), by default ±0.1 standard deviations of a
neutral pair's distance. Five verdicts follow; "undecided" is one of them.
"""

import dataclasses
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayesbias.constants import CONNECTION, HDPI_PROB
from bayesbias.errors import ArgumentError, one_of
from bayesbias.inference.intervals import INTERVALS, check_prob, interval_of, verdicts
from bayesbias.inference.sentences import tell
from bayesbias.support.arrays import Array
from bayesbias.support.text_tables import interval_label

ROPE_SDS: Final = 0.1
"""Half-width of the default ROPE in standard deviations of a neutral pair's distance: half of a
small effect (Kruschke 2018)."""

_SCALES: Final = ("neutral", "human", "different", "associated")
"""Connections whose pairs may set the scale, the first that a frame has."""


@dataclass(frozen=True)
class DecisionRule:
    """Region of practical equivalence, and probability and kind of the interval.

    What takes `rope`, `prob` and `interval` takes it as ``rule=``, so that it is said once.

    Parameters
    ----------
    rope : float, optional
        Half-width of the region of practical equivalence around 0, in cosine distance. None
        stands for 0.1 standard deviations of a neutral pair's distance; `on_scale` fills it in.
    prob : float
        Probability of the interval.
    interval : {"hpdi", "eti"}
        Highest posterior density, or equal-tailed.
    scale : float, optional
        Standard deviation of a neutral pair's distance in these vectors; every fit has its own.

    Notes
    -----
    Kruschke (2018, "Rejecting or accepting parameter values in Bayesian estimation").

    Examples
    --------
    >>> rule = DecisionRule().on_scale(0.07)
    >>> round(rule.width, 3)
    0.007
    >>> strict = DecisionRule(rope=0.02, prob=0.95)  # fit.contrasts(rule=strict), and elsewhere
    >>> rule.verdicts([-0.05, -0.05, -0.02], [-0.03, -0.001, 0.01]).tolist()
    ['closer', 'closer, size undecided', 'undecided']
    """

    rope: float | None = None
    prob: float = HDPI_PROB
    interval: str = "hpdi"
    scale: float | None = None

    def __post_init__(self) -> None:
        for name in ("rope", "prob"):
            value = getattr(self, name)
            if value is None and name == "rope":
                continue
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise ArgumentError(f"{name}={value!r}: must be a number")
        if self.rope is not None and not 0 <= self.rope < np.inf:
            raise ArgumentError(f"rope={self.rope}: must be a cosine distance, 0 or more")
        check_prob(self.prob)
        one_of(self.interval, "interval", INTERVALS)

    @classmethod
    def of(
        cls,
        rule: "DecisionRule | None",
        rope: float | None = None,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        scale: float | None = None,
    ) -> "DecisionRule":
        """Return the rule that was given, or that of the options, not both, on this scale."""
        of_options = cls(rope, prob, interval, scale)
        if rule is None:
            return of_options
        if not isinstance(rule, cls):
            raise ArgumentError(f"rule={rule!r}: give a bayesbias.DecisionRule")
        if of_options != cls(scale=scale):
            raise ArgumentError("give rule=, or rope=, prob= and interval=, not both")
        return dataclasses.replace(rule, scale=scale)

    def on_scale(self, scale: float) -> "DecisionRule":
        """Return the rule for vectors in which neutral pairs have this standard deviation."""
        known = scale if isinstance(scale, Scale) else float(scale)
        return dataclasses.replace(self, scale=known)

    @property
    def width(self) -> float:
        """Half-width of the region of practical equivalence, in cosine distance."""
        if self.rope is not None:
            return float(self.rope)
        if self.scale is None:
            raise ArgumentError("a default ROPE needs the scale of the distances; give rope=")
        return ROPE_SDS * self.scale

    @property
    def unit(self) -> str:
        """What differences are measured in; of a frame without neutral pairs it names others."""
        of = _scale_of(self.scale)
        return f"sd of a{'n' if of == 'associated' else ''} {of} pair's distance"

    @property
    def label(self) -> str:
        """The interval's name, such as ``89% HPDI``."""
        return interval_label(self.prob, self.interval)

    @property
    def caption(self) -> str:
        """The rule in words."""
        return self.caption_of(self.label)

    def caption_of(self, label: str) -> str:
        """Return the rule in words, for intervals that are called `label`."""
        sds = f"{self.width / self.scale:.2g}" if self.scale else ""
        return tell("verdict", label, f"{self.width:.2g}" if self.width else "", sds, self.unit)

    def bounds(self, draws: ArrayLike) -> Array:
        """Return the interval of draws (n_draws, ...), shape (..., 2)."""
        return interval_of(draws, self.prob, self.interval)

    def verdicts(self, low: ArrayLike, high: ArrayLike) -> NDArray[np.str_]:
        """Return the verdict on intervals; see `inference.intervals.verdicts`."""
        return verdicts(low, high, self.width)


class Scale(float):
    """A standard deviation of distances that knows whose it is, the connection `of`."""

    of: str = _SCALES[0]


def scale_in_words(scale: float | None) -> str:
    """Say what a scale is, for readers who do not know what a neutral pair is."""
    return tell("scale", _scale_of(scale))


def _scale_of(scale: float | None) -> str:
    """Return the connection that a scale is of."""
    return scale.of if isinstance(scale, Scale) else _SCALES[0]


def distance_scale(frame: pd.DataFrame, column: str) -> Scale:
    """Return the standard deviation of a neutral pair's distance.

    Without neutral pairs human ones set the scale, else stereotypes. `column`: of distances.
    Returns a cosine distance, which knows of what connection; 0 where the pairs do not vary.
    """
    found, distances = frame[CONNECTION].to_numpy(), frame[column].to_numpy(dtype=float)
    for connection in _SCALES:
        values = distances[found == connection]
        if len(values) > 1:
            scale = Scale(values.std(ddof=1))
            scale.of = connection
            return scale
    return Scale(0.0)
