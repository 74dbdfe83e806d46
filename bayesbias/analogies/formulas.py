"""The three formulas for analogies a : b :: c : d, from cosines; numpy only.

With vectors of unit length, and d among the candidates:

    3cosadd    cos(d, c) − cos(d, a) + cos(d, b)                  Mikolov et al. 2013
    3cosmul    cos'(d, c) cos'(d, b) / (cos'(d, a) + ε)           Levy and Goldberg 2014
    bolukbasi  cos(a − c, b − d) if ‖b − d‖ ≤ δ, else no answer   Bolukbasi et al. 2016

with cos' = (1 + cos) / 2, so that no factor is negative. Because lengths are 1, ‖b − d‖² is
2 − 2 cos(b, d), and ⟨a − c, b − d⟩ is cos(a, b) − cos(b, c) − cos(a, d) + cos(c, d): every formula
needs only the cosines of d with a, b and c, and those of a, b and c with each other.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbias.errors import ArgumentError, suggest
from bayesbias.support.arguments import Array

METHODS: Final = ("3cosadd", "3cosmul", "bolukbasi")
DELTA: Final = 1.0  # Bolukbasi et al.'s threshold: largest distance of unit vectors b and d
EPSILON: Final = 0.001  # what 3cosmul adds to the divisor
DELTA_TOLERANCE: Final = 1e-6  # rounding allowed in comparing a distance with δ
DECIMALS: Final = 12  # products round differently in each chunk: equal vectors must tie in all


@dataclass(frozen=True)
class Formula:
    """One of the formulas, with its numbers."""

    method: str
    delta: float = DELTA
    epsilon: float = EPSILON

    @property
    def needs_direction(self) -> bool:
        """Whether a − c must not be zero."""
        return self.method == "bolukbasi"

    def score(self, cosines: Array, between: Array) -> Array:
        """Return the scores of candidates, higher for better answers, −inf for no answer.

        `cosines`, (3, ...), of the candidates with a, b and c; `between`, (3, ...): cos(a, b),
        cos(b, c) and cos(a, c). The published Bolukbasi formula gives words beyond δ the score 0;
        here it is −inf, since an answer from words that all tie would mean nothing. Words in b's
        own direction have b − d = 0 and score 0, as in Nissim et al. (2020).
        """
        a, b, c = cosines
        if self.method == "3cosadd":
            score = c - a + b
        elif self.method == "3cosmul":
            score = (1 + b) * (1 + c) / (2 * (1 + a) + 4 * self.epsilon)
        else:
            ab, bc, ac = between
            squared = np.maximum(2 - 2 * b, 0.0)
            same = squared <= 1e-12
            along = (ab - bc) - (a - c)
            lengths = np.sqrt(np.where(same, 1.0, squared) * (2 - 2 * ac))
            score = np.where(same, 0.0, along / lengths)
            score[squared > (self.delta + DELTA_TOLERANCE) ** 2] = -np.inf
        rounded: Array = np.round(score, DECIMALS)
        return rounded


def formulas(method: str, delta: float, epsilon: float = EPSILON) -> tuple[Formula, ...]:
    """Return the formulas that a name stands for (``"all"`` for all), with their numbers."""
    if method not in ("all", *METHODS):
        raise ArgumentError(f"unknown method {method!r}{suggest(method, ('all', *METHODS))}")
    for name, value in (("delta", delta), ("epsilon", epsilon)):
        if not 0 < value < np.inf:
            raise ArgumentError(f"{name}={value}: must be above 0 and finite")
    names = METHODS if method == "all" else (method,)
    return tuple(Formula(name, delta, epsilon) for name in names)


def check_top(top: int) -> None:
    """Refuse a number of answers that is not a whole one."""
    if isinstance(top, bool) or not isinstance(top, int | np.integer) or top < 1:
        raise ArgumentError(f"top={top}: must be a whole number, at least 1")
