"""t-tests of two samples, with the interval that a p-value leaves out."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayesbias.errors import ArgumentError
from bayesbias.inference.intervals import check_prob
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, percent

_NOTHING: Final = 1e-15
"""Values that differ by less do not vary."""


@dataclass(frozen=True, repr=False)
class TTest(Result):
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

    def to_frame(self) -> pd.DataFrame:
        """Return one row, a column per number."""
        return pd.DataFrame([vars(self)])

    @property
    def blocks(self) -> Blocks:
        """The difference, its interval and the test, in one sentence."""
        return [
            f"{self.kind} t-test: difference {self.difference:.4f}, {percent(self.prob)} "
            f"confidence interval [{self.low:.4f}, {self.high:.4f}], "
            f"t({self.df:.1f}) = {self.t:.2f}, p = {self.p_value:.3g}"
        ]


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
    samples = _sample(first), _sample(second)
    parts = np.array([x.var(ddof=1) / len(x) for x in samples])
    free = np.array([len(x) - 1 for x in samples])
    if max(np.ptp(x) for x in samples) < _NOTHING:
        raise _constant()
    difference = float(samples[0].mean() - samples[1].mean())
    df = float(parts.sum() ** 2 / (parts**2 / free).sum())
    return _test(difference, float(np.sqrt(parts.sum())), df, "Welch", prob)


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
    differences = x - y
    if np.ptp(differences) < _NOTHING:
        raise _constant()
    error = float(differences.std(ddof=1) / np.sqrt(len(x)))
    return _test(float(differences.mean()), error, len(x) - 1.0, "paired", prob)


def _sample(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64).ravel()
    if len(array) < 2 or not np.isfinite(array).all():
        raise ArgumentError("a t-test needs at least two finite values in each sample")
    return array


def _constant() -> ArgumentError:
    return ArgumentError("the values do not vary, so there is no t-test of them")


def _test(difference: float, error: float, df: float, kind: str, prob: float) -> TTest:
    """Divide a difference by its standard error."""
    from scipy.special import stdtr, stdtrit  # importing scipy.stats takes a second

    check_prob(prob)
    t = difference / error
    half = float(stdtrit(df, (1 + prob) / 2)) * error
    p_value = 2 * float(stdtr(df, -abs(t)))
    return TTest(difference, difference - half, difference + half, prob, t, df, p_value, kind)
