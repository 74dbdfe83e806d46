"""t-tests of two samples, with the interval that a p-value leaves out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbias.errors import ArgumentError


@dataclass(frozen=True)
class TTest:
    """A difference of means with its confidence interval.

    Parameters
    ----------
    difference : float
        Mean of the first sample less mean of the second.
    low, high : float
        Ends of the confidence interval of the difference.
    prob : float
        Confidence of the interval.
    t, df : float
        Statistic and degrees of freedom.
    p_value : float
        Two-sided.
    kind : {"Welch", "paired"}
    """

    difference: float
    low: float
    high: float
    prob: float
    t: float
    df: float
    p_value: float
    kind: str


def welch_test(first: ArrayLike, second: ArrayLike, *, prob: float = 0.95) -> TTest:
    """Compare the means of two samples whose variances may differ (Welch 1947).

    Parameters
    ----------
    first, second : array_like
        All values count as independent.
    prob : float
        Confidence of the interval.

    Returns
    -------
    TTest

    Raises
    ------
    ArgumentError
        If a sample has fewer than two values, or neither varies.

    Examples
    --------
    >>> test = welch_test([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    >>> round(test.t, 4), round(test.df, 4)
    (-1.5492, 2.9412)
    """
    x, y = _sample(first), _sample(second)
    part_x, part_y = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    error = float(np.sqrt(part_x + part_y))
    _refuse_constant(error)
    df = (part_x + part_y) ** 2 / (part_x**2 / (len(x) - 1) + part_y**2 / (len(y) - 1))
    return _finish(float(x.mean() - y.mean()), error, float(df), prob, "Welch")


def paired_test(first: ArrayLike, second: ArrayLike, *, prob: float = 0.95) -> TTest:
    """Compare the means of two samples of the same things.

    Parameters
    ----------
    first, second : array_like
        Values of the same things, in the same order.
    prob : float
        Confidence of the interval.

    Returns
    -------
    TTest

    Raises
    ------
    ArgumentError
        If the samples differ in length, have fewer than two values, or all differences are equal.

    Examples
    --------
    >>> round(paired_test([1.0, 2.0, 4.0], [0.0, 0.0, 1.0]).t, 4)
    3.4641
    """
    x, y = _sample(first), _sample(second)
    if len(x) != len(y):
        raise ArgumentError(f"a paired test needs samples of one length, not {len(x)} and {len(y)}")
    d = x - y
    error = float(d.std(ddof=1) / np.sqrt(len(d)))
    _refuse_constant(error)
    return _finish(float(d.mean()), error, float(len(d) - 1), prob, "paired")


def _sample(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64).ravel()
    if len(array) < 2 or not np.isfinite(array).all():
        raise ArgumentError("a t-test needs at least two finite values in each sample")
    return array


def _refuse_constant(error: float) -> None:
    if error < 1e-15:
        raise ArgumentError("the values do not vary, so there is no t-test of them")


def _finish(difference: float, error: float, df: float, prob: float, kind: str) -> TTest:
    from scipy.special import stdtr, stdtrit

    if not 0 < prob < 1:
        raise ArgumentError(f"prob={prob}: must be between 0 and 1")
    t = difference / error
    half = float(stdtrit(df, (1 + prob) / 2)) * error
    p_value = 2 * float(stdtr(df, -abs(t)))
    return TTest(difference, difference - half, difference + half, prob, t, df, p_value, kind)
