"""How far a measure would move if its words had been drawn anew: the bootstrap over words."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError
from bayesbias.inference.intervals import check_prob
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import percent


class BootstrapInterval(NamedTuple):
    """What a `MeasureResult` says of an interval from resampled words."""

    interval: tuple[float, float] | None
    interval_method: str
    seed: int


def bootstrap_interval(
    formula: Callable[..., float],
    arrays: Mapping[str, NDArray[Any]],
    *,
    draws: int,
    prob: float,
    seed: int | np.random.Generator | None,
) -> BootstrapInterval:
    """Draw the words of every set anew, with replacement, and take quantiles of the measure.

    `formula` takes `arrays`, by name of the set (n_words, ...), a row per word; where the measure
    does not exist for a draw it is NaN or an ArgumentError. No interval where a set has one word
    only, which cannot vary, or most draws have no value (Efron 1979, Annals of Statistics 7).
    """
    if draws < 100:
        raise ArgumentError(f"draws={draws}: must be at least 100")
    check_prob(prob)
    seed = seed_as_integer(seed)
    single = [name for name, rows in arrays.items() if len(rows) < 2]
    if single:
        return BootstrapInterval(None, f"none: {', '.join(single)} has one word only", seed)
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
        return BootstrapInterval(None, f"none: {what}", seed)
    low, high = np.quantile(values[exists], [(1 - prob) / 2, (1 + prob) / 2])
    return BootstrapInterval((float(low), float(high)), what, seed)
