"""What a one-number measure returns: the number, and all that it depends on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks

NO_TEST = "none"  # ``p_method`` and ``interval_method`` where there is no test or no interval

_COLUMNS = [
    *("measure", "applies_to", "value", "low", "high", "interval_method", "p_value", "p_method"),
    *("n_words", "n_dropped", "formula", "skipped"),
]


@dataclass(frozen=True)
class DroppedWord:
    """A word, or a pair, that a measure could not use.

    `role` is the set that it was in, such as ``"X"`` or ``"pairs"``.
    """

    word: str
    role: str
    reason: str


@dataclass(frozen=True, repr=False)
class MeasureResult(Result):
    """The value of a one-number measure and what it was computed from.

    Parameters
    ----------
    measure, value
        Its name, such as ``"WEAT"``, and the number; None only where it was skipped.
    formula : str
        The variant of the definition, in words.
    words, dropped
        The words used, by role, and those that could not be.
    details : mapping from str
        Further numbers, by name.
    by_word : mapping from str to float
        Each word's own value, where the measure summarises words.
    p_value, p_method
        How it was computed; ``"none"`` where the measure has no test.
    interval, interval_method
        Both ends, what the interval is and how it was computed; ``"none"`` where there is none.
    seed : int or None
        The seed that was given, or chosen where draws were needed.
    skipped : str
        Why there is no value; empty otherwise.
    """

    measure: str
    value: float | None
    formula: str
    words: Mapping[str, tuple[str, ...]]
    dropped: tuple[DroppedWord, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    by_word: Mapping[str, float] = field(default_factory=dict)
    p_value: float | None = None
    p_method: str = NO_TEST
    interval: tuple[float, float] | None = None
    interval_method: str = NO_TEST
    seed: int | None = None
    skipped: str = ""

    def to_frame(self) -> pd.DataFrame:
        """Return one row, with the columns of `results_frame`."""
        return results_frame([self])

    @property
    def blocks(self) -> Blocks:
        """The value, its interval and test, the words and the variant."""
        if self.value is None:
            return [f"{self.measure}: skipped, {self.skipped}"]
        sizes = ", ".join(f"{role} {len(words)}" for role, words in self.words.items())
        lines = [f"{self.measure} = {self.value:.4f}   ({sizes} used)"]
        numbers = {k: v for k, v in self.details.items() if isinstance(v, float)}
        if numbers:
            lines.append("  " + ", ".join(f"{k} {v:.4f}" for k, v in numbers.items()))
        if self.interval is not None:
            low, high = self.interval
            lines.append(f"  from {low:.4f} to {high:.4f} ({self.interval_method})")
        if self.p_value is not None:
            lines.append(f"  p = {self.p_value:.3g} ({self.p_method})")
        lines.append(f"  {self.formula}")
        if self.dropped:
            names = ", ".join(f"{d.word} ({d.role})" for d in self.dropped)
            lines.append(f"  {len(self.dropped)} dropped: {names}")
        return lines


def skipped_measure(measure: str, reason: str) -> MeasureResult:
    """Return the record of a measure that could not be computed."""
    return MeasureResult(measure, None, "", {}, skipped=reason)


def results_frame(results: Iterable[MeasureResult]) -> pd.DataFrame:
    """Return one row per result.

    Columns ``measure``, ``applies_to`` (the sets by name, where known), ``value``, ``low`` and
    ``high`` (its interval), ``interval_method``, ``p_value``, ``p_method``, ``n_words``,
    ``n_dropped``, ``formula``, ``skipped``; numbers that do not exist are missing.
    """
    rows = [
        (
            r.measure,
            ", ".join(r.details.get("names", {}).values()),
            r.value,
            *(r.interval or (None, None)),
            r.interval_method,
            r.p_value,
            r.p_method,
            sum(len(words) for words in r.words.values()),
            len(r.dropped),
            r.formula,
            r.skipped,
        )
        for r in results
    ]
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    return frame.astype(dict.fromkeys(("value", "low", "high", "p_value"), "float64"))
