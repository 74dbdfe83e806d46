"""Intervals of draws: highest posterior density and equal-tailed. numpy only."""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbias.constants import HDPI_PROB
from bayesbias.errors import ArgumentError, suggest

INTERVALS: Final = ("hpdi", "eti")


def hpdi(draws: ArrayLike, prob: float = HDPI_PROB, *, axis: int = 0) -> NDArray[np.float64]:
    """Return the narrowest interval that holds a share of the draws.

    Parameters
    ----------
    draws : array_like
        Draws along `axis`.
    prob : float
        The share, between 0 and 1.
    axis : int
        The axis of the draws.

    Returns
    -------
    ndarray, shape (..., 2)
        Lower and upper end, the axis of the draws gone.

    Raises
    ------
    ArgumentError
        If `prob` is outside (0, 1) or there are fewer than two draws.

    Notes
    -----
    Of n sorted draws, the narrowest window of ⌊prob · n⌋ + 1 of them (Chen and Shao 1999,
    "Monte Carlo estimation of Bayesian credible and HPD intervals").

    Examples
    --------
    >>> hpdi([0.0, 1.0, 2.0, 3.0, 10.0], 0.6).tolist()
    [0.0, 3.0]
    """
    ordered = _sorted_draws(draws, prob, axis)
    n = len(ordered)
    width = min(int(np.floor(prob * n)), n - 1)
    spans = ordered[width:] - ordered[: n - width]
    start = np.argmin(spans, axis=0)[None]
    low = np.take_along_axis(ordered, start, axis=0)[0]
    high = np.take_along_axis(ordered, start + width, axis=0)[0]
    return np.stack([low, high], axis=-1)


def eti(draws: ArrayLike, prob: float = HDPI_PROB, *, axis: int = 0) -> NDArray[np.float64]:
    """Return the interval that leaves the same share of draws below as above.

    Parameters and errors are those of `hpdi`.

    Examples
    --------
    >>> eti([0.0, 1.0, 2.0, 3.0, 4.0], 0.5).tolist()
    [1.0, 3.0]
    """
    ordered = _sorted_draws(draws, prob, axis)
    tail = (1 - prob) / 2
    return np.moveaxis(np.quantile(ordered, [tail, 1 - tail], axis=0), 0, -1)


def interval_of(
    draws: ArrayLike, prob: float, interval: str, *, axis: int = 0
) -> NDArray[np.float64]:
    """Return the interval of the named kind; see `hpdi` and `eti`.

    Raises
    ------
    ArgumentError
        If the kind is unknown.

    Examples
    --------
    >>> interval_of([0.0, 1.0, 2.0, 3.0, 4.0], 0.5, "eti").tolist()
    [1.0, 3.0]
    """
    if interval not in INTERVALS:
        raise ArgumentError(f"interval={interval!r}{suggest(interval, INTERVALS)}")
    return (hpdi if interval == "hpdi" else eti)(draws, prob, axis=axis)


def _sorted_draws(draws: ArrayLike, prob: float, axis: int) -> NDArray[np.float64]:
    if not 0 < prob < 1:
        raise ArgumentError(f"prob={prob}: must be between 0 and 1")
    array = np.moveaxis(np.asarray(draws), axis, 0)
    if len(array) < 2:
        raise ArgumentError(f"an interval needs at least two draws, not {len(array)}")
    return np.sort(array, axis=0)
