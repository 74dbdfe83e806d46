"""What a one-number measure returns, and its interval over resampled words.

A measure's function finds its words (`words.wanted_words`) and makes arrays of them. `measured`
takes the value and each word's own, and `bootstrap_interval` the formula.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayesbias.errors import ArgumentError
from bayesbias.measures.words import DroppedWord, RoleWords, warn_dropped
from bayesbias.show.result import Blocks, Result, percent
from bayesbias.support.arguments import seed_as_integer

NO_METHOD = "none"  # ``p_method`` and ``interval_method`` where there is no test or no interval


@dataclass(frozen=True, repr=False)
class MeasureResult(Result):
    """The value of a one-number measure and what it was computed from.

    Parameters
    ----------
    measure, value
        Its name, such as ``"WEAT"``, and the number.
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
    """

    measure: str
    value: float
    formula: str
    words: Mapping[str, tuple[str, ...]]
    dropped: tuple[DroppedWord, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    by_word: Mapping[str, float] = field(default_factory=dict)
    p_value: float | None = None
    p_method: str = NO_METHOD
    interval: tuple[float, float] | None = None
    interval_method: str = NO_METHOD
    seed: int | None = None

    @property
    def table(self) -> pd.DataFrame:
        """One row, with the columns that `all_measures` has too."""
        names = ("measure", "value", "interval_method", "p_value", "p_method", "formula")
        row = {name: getattr(self, name) for name in names}
        row |= dict(zip(("low", "high"), self.interval or (np.nan, np.nan), strict=True))
        row["p_value"] = np.nan if self.p_value is None else self.p_value
        row["n_words"] = sum(map(len, self.words.values()))
        row["dropped"] = ", ".join(f"{d.word} ({d.role})" for d in self.dropped)
        return pd.DataFrame([row])

    @property
    def blocks(self) -> Blocks:
        """The value, its interval and test, the words and the variant."""
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
            lines.append(f"  {len(self.dropped)} dropped: {self.table['dropped'].iloc[0]}")
        return lines


def measured(
    measure: str,
    words: RoleWords,
    text: str,
    value: float,
    by: Sequence[str],
    own: ArrayLike,
    details: Mapping[str, Any] = MappingProxyType({}),
    **more: Any,
) -> MeasureResult:
    """Put a measure and all that it depends on into its result, and warn of words left out.

    `text` is the variant of the formula in words; `own` are the values of the words `by`; `more`
    are further fields, such as those of `bootstrap_interval`.
    """
    warn_dropped(words.dropped, stacklevel=4)
    by_word = dict(zip(by, np.asarray(own).tolist(), strict=True))
    numbers = {"details": dict(details), "by_word": by_word, **more}
    return MeasureResult(measure, float(value), text, words.used, words.dropped, **numbers)


def bootstrap_interval(
    formula: Callable[..., float],
    arrays: Mapping[str, NDArray[Any]],
    *,
    draws: int,
    prob: float,
    seed: int | np.random.Generator | None,
) -> dict[str, Any]:
    """Draw the words of every set anew, with replacement, and take quantiles of the measure.

    `formula` takes `arrays`, by name of the set (n_words, ...), a row per word; where the measure
    does not exist for a draw it is NaN or an ArgumentError. Returns fields of a `MeasureResult`:
    there is no interval where a set has one word only, which cannot vary, or most draws have no
    value (Efron 1979, Annals of Statistics 7).
    """
    if draws < 100:
        raise ArgumentError(f"draws={draws}: must be at least 100")
    if not 0 < prob < 1:
        raise ArgumentError(f"prob={prob}: must lie between 0 and 1")
    seed = seed_as_integer(seed)
    if single := [name for name, rows in arrays.items() if len(rows) < 2]:
        return {"interval_method": f"none: {', '.join(single)} has one word only", "seed": seed}
    rng = np.random.default_rng(seed)

    def drawn_value() -> float:
        chosen = [rng.integers(len(rows), size=len(rows)) for rows in arrays.values()]
        try:
            return formula(*(rows[i] for rows, i in zip(arrays.values(), chosen, strict=True)))
        except ArgumentError:
            return np.nan

    values = np.array([drawn_value() for _ in range(draws)])
    exists = np.isfinite(values)
    method = f"{percent(prob)} percentile bootstrap over {', '.join(arrays)}, {draws:,} draws"
    if not exists.all():
        method += f" ({(~exists).sum():,} without a value)"
    if exists.sum() < draws / 2:
        return {"interval_method": f"none: {method}", "seed": seed}
    low, high = np.quantile(values[exists], [(1 - prob) / 2, (1 + prob) / 2])
    return {"interval": (float(low), float(high)), "interval_method": method, "seed": seed}
