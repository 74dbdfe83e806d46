"""The three formulas for analogies, from cosines; numpy only.

With unit vectors each formula needs no more than the cosines of a candidate d with a, b and c,
and those of a, b and c with each other. Scores are higher for better answers, and −inf for words
that cannot be answers. Arrays of any one shape go in and come out.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, suggest

METHODS: Final = ("3cosadd", "3cosmul", "bolukbasi")  # names of the formulas
FORMULAS: Final = {
    "3cosadd": "cos(d, c) − cos(d, a) + cos(d, b)",
    "3cosmul": "cos(d, c) cos(d, b) / (cos(d, a) + ε), cosines shifted to (1 + cos)/2",
    "bolukbasi": "cos(a − c, b − d) for words within δ of b; 0 for b itself",
}
"""The formulas in words."""

DELTA: Final = 1.0  # Bolukbasi et al.'s threshold: largest distance of unit vectors b and d
EPSILON: Final = 0.001  # what 3cosmul adds to the divisor (Levy and Goldberg 2014)
DELTA_TOLERANCE: Final = 1e-6  # rounding allowed in comparing a distance with δ
_SAME: Final = 1e-12


def check_method(method: str) -> tuple[str, ...]:
    """Return the methods that a name stands for; ``"all"`` stands for all."""
    if method == "all":
        return METHODS
    if method not in METHODS:
        raise ArgumentError(f"unknown method {method!r}{suggest(str(method), ('all', *METHODS))}")
    return (method,)


def check_numbers(*, top: int = 1, delta: float = DELTA, epsilon: float = EPSILON) -> None:
    """Refuse numbers outside their range."""
    if isinstance(top, bool) or not isinstance(top, int | np.integer) or top < 1:
        raise ArgumentError(f"top={top}: must be a whole number, at least 1")
    for name, value in (("delta", delta), ("epsilon", epsilon)):
        if not 0 < value < np.inf:
            raise ArgumentError(f"{name}={value}: must be above 0 and finite")


def bolukbasi(
    a: NDArray[Any], b: NDArray[Any], c: NDArray[Any], between: tuple[Any, Any, Any], delta: float
) -> NDArray[Any]:
    """Return cos(a − c, b − d) for candidates within δ of b (Bolukbasi et al. 2016).

    The published formula gives all words beyond δ the score 0; here it is −inf, since an answer
    from words that all tie would mean nothing. Words in b's own direction have b − d = 0 and score
    0, as in Nissim et al. (2020). `between` are cos(a, b), cos(b, c) and cos(a, c).
    """
    ab, bc, ac = between
    squared = np.maximum(2 - 2 * b, 0.0)
    same = squared <= _SAME
    along = (ab - bc) - (a - c)  # ⟨a − c, b − d⟩
    lengths = np.sqrt(np.where(same, 1.0, squared) * (2 - 2 * ac))
    score = np.where(same, 0.0, along / lengths)
    return np.where(np.sqrt(squared) <= delta + DELTA_TOLERANCE, score, -np.inf)


@dataclass(frozen=True)
class Formula:
    """One of the formulas, with its numbers."""

    name: str
    delta: float = DELTA
    epsilon: float = EPSILON

    def score(
        self, cosines: tuple[NDArray[Any], ...], between: tuple[Any, Any, Any]
    ) -> NDArray[Any]:
        """Return the scores of candidates, to 12 decimals.

        Products round differently in each chunk: words with the same vector would tie in some only.
        """
        a, b, c = cosines
        if self.name == "3cosadd":  # Mikolov et al. 2013
            found = c - a + b
        elif (
            self.name == "3cosmul"
        ):  # Levy and Goldberg 2014, eq. 4, shifted as in their footnote 7
            # Cosines shifted to (1 + cos) / 2; numerator and divisor times 4.
            found = (1 + b) * (1 + c) / (2 * (1 + a) + 4 * self.epsilon)
        else:
            found = bolukbasi(a, b, c, between, self.delta)
        return np.round(found, 12)


def formulas(method: str, delta: float, epsilon: float, top: int = 1) -> tuple[Formula, ...]:
    """Return the formulas that a name stands for, with their numbers, all checked."""
    names = check_method(method)
    check_numbers(top=top, delta=delta, epsilon=epsilon)
    return tuple(Formula(name, delta, epsilon) for name in names)


def need_direction(asked: Iterable[Formula]) -> bool:
    """Tell whether a − c must not be zero."""
    return any(one.name == "bolukbasi" for one in asked)
