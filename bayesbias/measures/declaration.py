"""What a measure declares, and what follows from it.

A measure's function finds the words that it wants (`wordsets.find_words`), makes arrays of them,
and calls `measured` with its formula on arrays. Dropped words, the interval over resampled words
and the result follow. Its `Measure` lets the table, the commands and the tests know it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbias.measures.bootstrap import bootstrap_interval
from bayesbias.measures.inputs import Call, Inputs
from bayesbias.measures.results import MeasureResult
from bayesbias.measures.wordsets import Words, warn_dropped


@dataclass(frozen=True)
class Measure:
    """A measure, declared in the file that computes it and listed in `registry`.

    `name` is what results call it. `function` takes vectors, then what `calls`, an arrangement of
    `inputs`, makes of a word list, then options by keyword; a random one takes `seed`. `source`:
    authors, year and title. `reading`: what the number can and cannot say, a clause whose subject
    is the name.
    """

    name: str
    function: Callable[..., MeasureResult]
    source: str
    reading: str
    calls: Callable[[Inputs], list[Call]]


@dataclass(frozen=True, eq=False)
class Value:
    """What a formula returns: the measure, each word's own value, and further numbers."""

    value: float
    by_word: ArrayLike = ()
    details: Mapping[str, Any] = field(default_factory=dict)


def measured(
    measure: str,
    words: Words,
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
        interval = bootstrap_interval(
            lambda *rows: formula(*rows).value, arrays, draws=draws, prob=prob, seed=seed
        )
        more |= interval._asdict()
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
