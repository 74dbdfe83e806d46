"""What a one-number measure returns: the number, and all that it depends on."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any

import numpy as np
import pandas as pd

NO_TEST = "none"
"""``p_method`` of a measure that has no test."""


@dataclass(frozen=True)
class DroppedWord:
    """A word, or a pair, that a measure could not use.

    Parameters
    ----------
    word : str
    role : str
        The set that it was in, such as ``"X"`` or ``"pairs"``.
    reason : str
    """

    word: str
    role: str
    reason: str


@dataclass(frozen=True, repr=False)
class MeasureResult:
    """The value of a one-number measure and what it was computed from.

    Parameters
    ----------
    measure : str
        The measure's name, such as ``"WEAT"``.
    value : float or None
        The measure; None only where it was skipped.
    formula : str
        The variant of the definition, in words.
    words : mapping from str to tuple of str
        The words used, by role.
    dropped : tuple of DroppedWord
        The words that could not be used, with the reason.
    details : mapping from str
        Further numbers, by name.
    by_word : mapping from str to float
        The contribution of each word, where the measure is a mean over words.
    p_value : float or None
    p_method : str
        How the p-value was computed; ``"none"`` where the measure has no test.
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
    seed: int | None = None
    skipped: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
        return {name: _plain(value) for name, value in vars(self).items()}

    def __repr__(self) -> str:
        """Show the value, the test, the words and the variant."""
        if self.value is None:
            return f"{self.measure}: skipped, {self.skipped}"
        sizes = ", ".join(f"{role} {len(words)}" for role, words in self.words.items())
        lines = [f"{self.measure} = {self.value:.4f}   ({sizes} used)"]
        numbers = {k: v for k, v in self.details.items() if isinstance(v, float)}
        if numbers:
            lines.append("  " + ", ".join(f"{k} {v:.4f}" for k, v in numbers.items()))
        if self.p_value is not None:
            lines.append(f"  p = {self.p_value:.3g} ({self.p_method})")
        lines.append(f"  {self.formula}")
        if self.dropped:
            names = ", ".join(f"{d.word} ({d.role})" for d in self.dropped)
            lines.append(f"  {len(self.dropped)} dropped: {names}")
        return "\n".join(lines)


def skipped_measure(measure: str, reason: str) -> MeasureResult:
    """Return the record of a measure that could not be computed.

    Examples
    --------
    >>> skipped_measure("WEAT", "the list has three groups")
    WEAT: skipped, the list has three groups
    """
    return MeasureResult(measure, None, "", {}, skipped=reason)


def results_frame(results: Iterable[MeasureResult]) -> pd.DataFrame:
    """Return one row per result.

    Parameters
    ----------
    results : iterable of MeasureResult

    Returns
    -------
    DataFrame
        Columns ``measure``, ``of`` (the sets by name, where known), ``value``, ``p_value``,
        ``p_method``, ``n_words``, ``n_dropped``, ``formula``, ``skipped``; values and p-values
        that do not exist are missing.

    Examples
    --------
    >>> results_frame([skipped_measure("WEAT", "three groups")]).skipped.tolist()
    ['three groups']
    """
    rows = [
        {
            "measure": r.measure,
            "of": ", ".join(r.details.get("names", {}).values()),
            "value": r.value,
            "p_value": r.p_value,
            "p_method": r.p_method,
            "n_words": sum(len(words) for words in r.words.values()),
            "n_dropped": len(r.dropped),
            "formula": r.formula,
            "skipped": r.skipped,
        }
        for r in results
    ]
    columns = ["measure", "of", "value", "p_value", "p_method", "n_words", "n_dropped", "formula"]
    frame = pd.DataFrame(rows, columns=[*columns, "skipped"])
    return frame.astype({"value": "float64", "p_value": "float64"})


def _plain(value: Any) -> Any:
    """Return a value in the types of JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list | np.ndarray):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value
