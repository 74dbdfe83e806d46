"""t-tests of two samples, with the interval that a p-value leaves out."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayesbias.errors import ArgumentError
from bayesbias.inference.intervals import check_prob
from bayesbias.support.arrays import Array
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, percent

_NOTHING: Final = 1e-15  # values that differ by less do not vary


@dataclass(frozen=True, repr=False)
class TTest(Result):
    """A difference of means with its confidence interval.

    The `difference` is the first sample's mean less the second's, `low` and `high` its interval of
    confidence `prob`; `t` has `df` degrees of freedom, and `p_value` is two-sided. `kind` is
    ``"Welch"`` or ``"paired"``.
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

    All values count as independent; `prob` is the confidence of the interval. An ArgumentError if a
    sample has fewer than two values, or neither varies.

    Examples
    --------
    >>> test = welch_test([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    >>> round(test.t, 4), round(test.df, 4)
    (-1.5492, 2.9412)
    """
    return _test("Welch", _sample(first), _sample(second), prob)


def paired_test(first: ArrayLike, second: ArrayLike, *, prob: float = 0.95) -> TTest:
    """Compare the means of two samples of the same things, in the same order.

    `prob` is the confidence of the interval. An ArgumentError if the samples differ in length, have
    fewer than two values, or all differences are equal.

    Examples
    --------
    >>> round(paired_test([1.0, 2.0, 4.0], [0.0, 0.0, 1.0]).t, 4)
    3.4641
    """
    x, y = _sample(first), _sample(second)
    if len(x) != len(y):
        raise ArgumentError(f"a paired test needs samples of one length, not {len(x)} and {len(y)}")
    return _test("paired", x, y, prob)


def _sample(values: ArrayLike) -> Array:
    array = np.asarray(values, dtype=np.float64).ravel()
    if len(array) < 2 or not np.isfinite(array).all():
        raise ArgumentError("a t-test needs at least two finite values in each sample")
    return array


def _test(kind: str, x: Array, y: Array, prob: float) -> TTest:
    from scipy.special import stdtr, stdtrit  # scipy.stats would take longer than all the rest

    varying = (x - y,) if kind == "paired" else (x, y)
    if max(np.ptp(values) for values in varying) < _NOTHING:
        raise ArgumentError("the values do not vary, so there is no t-test of them")
    check_prob(prob)
    squares = np.array([values.var(ddof=1) / len(values) for values in varying])
    error = float(np.sqrt(squares.sum()))
    # Welch and Satterthwaite's degrees of freedom; of a single sample n − 1.
    parts = sum(s**2 / (len(v) - 1) for s, v in zip(squares, varying, strict=True))
    df = float(squares.sum() ** 2 / parts)
    difference = float(x.mean() - y.mean())
    reach = float(stdtrit(df, (1 + prob) / 2)) * error
    t = difference / error
    p_value = 2 * float(stdtr(df, -abs(t)))
    return TTest(difference, difference - reach, difference + reach, prob, t, df, p_value, kind)
