"""How far a measure would move if its words had been drawn anew: the bootstrap over words."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError
from bayesbias.inference.intervals import check_prob
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import percent

Resample = list[NDArray[np.intp]]
"""Per set of words, the places of the words drawn."""


class BootstrapInterval(NamedTuple):
    """What a `MeasureResult` says of an interval from resampled words."""

    interval: tuple[float, float] | None
    """None if no interval exists."""

    interval_method: str
    """In words: what was drawn, how often, and what could not be used."""

    seed: int


def bootstrap_interval(
    statistic: Callable[[Resample], float],
    sizes: dict[str, int],
    *,
    draws: int,
    prob: float,
    seed: int | np.random.Generator | None,
) -> BootstrapInterval:
    """Draw the words of every set anew, with replacement, and take quantiles of the measure.

    Parameters
    ----------
    statistic : callable
        From the places of the words drawn, an array per set, to the measure; NaN where it does
        not exist for that draw.
    sizes : dict
        From the name of a set to its number of words.
    draws : int
    prob : float
        Probability between the ends: the (1 − prob)/2 and (1 + prob)/2 quantiles.
    seed : int or Generator, optional

    Returns
    -------
    BootstrapInterval
        No interval where a set that is drawn from has one word only, which cannot vary.

    Raises
    ------
    ArgumentError
        If `draws` is below 100 or `prob` no probability.

    Notes
    -----
    Efron (1979), Bootstrap methods: another look at the jackknife, Annals of Statistics 7. The
    percentile interval is short for sets of fewer than about 20 words, and a measure that cannot
    be negative has an interval that cannot reach below 0.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 3.0, 4.0])
    >>> found = bootstrap_interval(lambda i: values[i[0]].mean(), {"words": 4}, draws=500,
    ...                            prob=0.9, seed=1)
    >>> found.interval
    (1.5, 3.5)
    """
    if draws < 100:
        raise ArgumentError(f"draws={draws}: must be at least 100")
    check_prob(prob)
    seed = seed_as_integer(seed)
    single = [name for name, size in sizes.items() if size < 2]
    if single:
        return BootstrapInterval(None, f"none: {', '.join(single)} has one word only", seed)
    rng = np.random.default_rng(seed)
    values = np.array(
        [statistic([rng.integers(n, size=n) for n in sizes.values()]) for _ in range(draws)]
    )
    exists = np.isfinite(values)
    what = f"{percent(prob)} percentile bootstrap over {', '.join(sizes)}, {draws:,} draws"
    if not exists.all():
        what += f" ({(~exists).sum():,} without a value)"
    if exists.sum() < draws / 2:
        return BootstrapInterval(None, f"none: {what}", seed)
    low, high = np.quantile(values[exists], [(1 - prob) / 2, (1 + prob) / 2])
    return BootstrapInterval((float(low), float(high)), what, seed)
