"""What a measure declares, and what follows from it.

A measure's function finds the words that it wants (`wordsets.wanted_words`), makes arrays of them,
and calls `measured` with its formula on arrays. Dropped words, the interval over resampled words
and the result follow. Its `Measure` lets the table, the commands and the tests know it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbias.errors import ArgumentError
from bayesbias.inference.intervals import check_prob
from bayesbias.measures.arrangements import Call, Inputs
from bayesbias.measures.measure_result import MeasureResult
from bayesbias.measures.wordsets import RoleWords, warn_dropped
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import percent


@dataclass(frozen=True)
class Measure:
    """A measure, declared in the file that computes it and listed in `registry`.

    `name` is what results call it. `function` takes vectors, then what `calls`, an arrangement of
    `inputs`, makes of a word list, then options by keyword; a random one takes `seed`. `source`:
    authors, year and title. `reading`: what the number can and cannot say, a clause whose subject
    is the name. `whole_vocabulary` says whether it looks at words that the list does not name.
    """

    name: str
    function: Callable[..., MeasureResult]
    source: str
    reading: str
    calls: Callable[[Inputs], list[Call]]
    whole_vocabulary: bool = False


@dataclass(frozen=True, eq=False)
class Value:
    """What a formula returns: the measure, each word's own value, and further numbers."""

    value: float
    by_word: ArrayLike = ()
    details: Mapping[str, Any] = field(default_factory=dict)


def measured(
    measure: str,
    words: RoleWords,
    formula: Callable[..., Value],
    text: str,
    arrays: Mapping[str, NDArray[Any]] = MappingProxyType({}),
    *,
    by: Sequence[str] = (),
    draws: int | None = None,
    prob: float = 0.95,
    seed: int | np.random.Generator | None = None,
    stacklevel: int = 4,
    **more: Any,
) -> MeasureResult:
    """Compute a measure from arrays and put everything that it depends on into its result.

    `arrays`, by name of the set (n_words, ...), hold the words that a bootstrap draws anew; `text`
    is the variant of the formula in words; `by` are the words that `Value.by_word` is about; `more`
    are further fields. Without `draws` there is no interval.
    """
    found = formula(*arrays.values())
    if draws is None:
        more["seed"] = seed
    else:
        value_of: Callable[..., float] = lambda *rows: formula(*rows).value  # noqa: E731
        more |= bootstrap_interval(value_of, arrays, draws=draws, prob=prob, seed=seed)
    warn_dropped(words.dropped, stacklevel=stacklevel)
    return MeasureResult(
        measure=measure,
        value=float(found.value),
        formula=text,
        words=words.used,
        dropped=words.dropped,
        details=found.details,
        by_word=dict(zip(by, np.asarray(found.by_word).tolist(), strict=True)),
        **more,
    )


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
    check_prob(prob)
    seed = seed_as_integer(seed)
    found: dict[str, Any] = {"interval": None, "seed": seed}
    if single := [name for name, rows in arrays.items() if len(rows) < 2]:
        return {**found, "interval_method": f"none: {', '.join(single)} has one word only"}
    rng = np.random.default_rng(seed)

    def drawn_value() -> float:
        chosen = [rng.integers(len(rows), size=len(rows)) for rows in arrays.values()]
        try:
            return formula(*(rows[i] for rows, i in zip(arrays.values(), chosen, strict=True)))
        except ArgumentError:
            return np.nan

    values = np.array([drawn_value() for _ in range(draws)])
    exists = np.isfinite(values)
    what = f"{percent(prob)} percentile bootstrap over {', '.join(arrays)}, {draws:,} draws"
    if not exists.all():
        what += f" ({(~exists).sum():,} without a value)"
    if exists.sum() < draws / 2:
        return {**found, "interval_method": f"none: {what}"}
    low, high = np.quantile(values[exists], [(1 - prob) / 2, (1 + prob) / 2])
    return {**found, "interval": (float(low), float(high)), "interval_method": what}
