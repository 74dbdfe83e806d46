"""Bernstein-bounded unfairness: intervals of a disparity of groups, and the examples they need.

A measure of fairness is the difference of two groups' mean costs over the examples that it
annotates (Ethayarajh 2020, "Is your classifier actually biased?", section 2). Any numbers may
be costs, such as those of `costs_of`.

An example costs c, from 0 to C, and belongs to one of two groups, whose shares are at least γ. Its
amortised disparity, ± c / (share of its group), averages to the disparity δ (the first group's mean
cost minus the second's), lies within ± C / γ and has variance σ². Propositions 2.5 and 2.6 put that
into Bernstein's inequality,

    P(|mean − δ| > t) ≤ 2 exp(−n t² / (2 σ² + 2 C t / (3 γ))),

and solve for t or n. With L = −log((1 − ρ) / 2) and confidence ρ:

    n t² − (2 C L / (3 γ)) t − 2 σ² L = 0,   n > (2 σ² + 2 C δ / (3 γ)) L / δ².

Strictly, the inequality needs a bound on the distance of an amortised disparity from δ, not from 0;
that is C / γ + C at most, and would raise the paper's 11,903 to 11,952.
"""

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayesbias.constants import CONFIDENCE
from bayesbias.errors import ArgumentError, DataWarning, one_of, suggest
from bayesbias.show.result import Blocks, Column, Columns, Result, Table, interval_column
from bayesbias.support.arguments import Array, Mask, refuse_other

_LEAST: Final = 1e-9  # a smaller disparity is rounding
OTHERS: Final = "others"  # name of all groups but the protected one, taken together
_SHOWN: Final[Columns] = [
    "bound",
    Column("estimate", form="signed"),
    interval_column("interval"),
    Column("confidence", form="prob"),
    Column("n", form="count"),
    Column("gamma", "γ", "distance", drop_priority=1),
    Column("variance", "σ²", "distance", drop_priority=2),
]


@dataclass(frozen=True, repr=False, eq=False)
class Disparity(Result):
    """A groupwise disparity with its bounds; made by `bernstein_interval`.

    Parameters
    ----------
    headline : str
        The difference of mean costs, and whether Bernstein's interval contains 0.
    table : DataFrame
        A row for each ``bound``, Bernstein's and Hoeffding's: ``estimate``, the first group's mean
        cost minus the second's; ``low`` and ``high``, ``half_width`` to either side and not cut at
        the possible values; ``protected`` and ``reference``, the groups, with ``cost_protected``,
        ``cost_reference``, ``n_protected``, ``n_reference`` and ``n`` annotated examples;
        ``gamma``, the share of the smaller group, and ``variance``, σ² of the amortised
        disparities, as the bounds had them; ``confidence``, ``max_cost``; and ``needed``, the
        examples whose Bernstein interval would exclude 0 with the same estimate and σ².
    """

    headline: str
    table: pd.DataFrame

    @property
    def blocks(self) -> Blocks:
        """The headline and both bounds."""
        return [self.headline, "", Table(self.table, _SHOWN)]


def bernstein_interval(
    costs: ArrayLike,
    groups: ArrayLike,
    *,
    annotated: ArrayLike | None = None,
    protected: Any = None,
    reference: Any = None,
    confidence: float = CONFIDENCE,
    gamma: float | None = None,
    variance: float | str = "sample",
    max_cost: float = 1.0,
) -> Disparity:
    """Bound the difference of two groups' mean costs (Ethayarajh 2020, definitions 2.1 to 2.4).

    The interval reaches `bernstein_half_width` to either side of the mean amortised disparity. A
    DataWarning tells if a group's observed share is below `gamma`. Of aggregated data repeat the
    rows: ``np.repeat(costs, n)``.

    Parameters
    ----------
    costs : array_like, shape (n,)
        What each example costs, from 0 to `max_cost`; see `costs_of`.
    groups : array_like, shape (n,)
        The group of each example.
    annotated : array_like of bool, shape (n,), optional
        Which examples are counted; all by default. Of the others, costs and groups may be missing.
    protected, reference : label, optional
        The groups to compare, the second subtracted from the first. Without `reference` the
        protected group is compared with all others (named ``others`` if they are several groups);
        with neither there must be two groups, and the larger is the reference (of equal ones the
        last in sorted order).
    confidence : float
        ρ, from 0 to below 1.
    gamma : float, optional
        Least share of either group among annotated examples, where it is known; by default the
        observed share of the smaller one.
    variance : "sample", "maximal" or float
        σ² of the amortised disparities: observed (as the paper's experiments need it; the bound is
        then no strict one), the largest possible, (C / γ)², or a number. Shares are the observed
        ones; examples of neither group would only change the term δ² in σ², and are left out.
    max_cost : float
        C, the largest cost.

    Returns
    -------
    Disparity

    Raises
    ------
    ArgumentError
        If a cost is missing or outside [0, C], a group is missing, absent or without annotated
        examples, or an argument is outside its range.

    Examples
    --------
    >>> costs, groups = [1, 0, 1, 0] * 50, ["x", "x", "y", "y"] * 50
    >>> bernstein_interval(costs, groups, protected="x").table["half_width"].round(4).tolist()
    [0.2849, 0.3841]
    """
    cost, group = _annotated(costs, groups, annotated, float(_checked("max_cost", max_cost)))
    first, second, names = _two_groups(group, protected, reference)
    cost, first = cost[first | second], first[first | second]
    n, n_protected = len(cost), int(first.sum())
    means = cost[first].mean(), cost[~first].mean()
    observed = min(n_protected, n - n_protected) / n
    least = observed if gamma is None else float(_checked("gamma", gamma))
    if observed < least:
        warnings.warn(
            f"the smaller group has a share of {observed:.4f} of the annotated examples, less than "
            f"gamma={gamma}; the bounds assume that this is chance",
            DataWarning,
            stacklevel=2,
        )
    if not isinstance(variance, str):
        spread = float(_checked("variance", variance))
    else:
        one_of(variance, "variance", ("sample", "maximal"))
        if variance == "sample" and n < 3:
            raise ArgumentError("variance='sample': needs at least three annotated examples")
        spread = largest_variance(least, max_cost)
        if variance == "sample":
            share = first.mean()
            spread = float(np.where(first, cost / share, -cost / (1 - share)).var(ddof=1))
    options: dict[str, Any] = {"confidence": confidence, "max_cost": max_cost, "gamma": least}
    estimate = float(means[0] - means[1])
    half = float(bernstein_half_width(n, variance=spread, **options))
    halves = np.array([half, float(hoeffding_half_width(n, **options))])
    is_zero = abs(estimate) < _LEAST
    needed = None if is_zero else required_n(disparity=estimate, variance=spread, **options)
    columns = {
        **{"bound": ["Bernstein", "Hoeffding"], "estimate": estimate, "low": estimate - halves},
        **{"high": estimate + halves, "half_width": halves, "protected": names[0]},
        **{"reference": names[1], "cost_protected": means[0], "cost_reference": means[1]},
        **{"n_protected": n_protected, "n_reference": n - n_protected, "n": n},
        **{"variance": spread, **options, "needed": needed},
    }
    verdict = "excludes 0" if abs(estimate) > half else "contains 0"
    size = f"{abs(estimate):.3f} {'higher' if estimate > 0 else 'lower'} for {names[0]} than for"
    headline = (
        f"The mean cost is {f'the same for {names[0]} and' if is_zero else size} {names[1]}; "
        f"Bernstein's interval {verdict}."
    )
    return Disparity(headline, pd.DataFrame(columns))


def _annotated(
    costs: ArrayLike, groups: ArrayLike, annotated: ArrayLike | None, max_cost: float
) -> tuple[Array, pd.Series]:
    """Return the costs and groups that are counted, after a look at them."""
    try:
        cost = np.asarray(costs, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError("costs: must be numbers") from None
    group = np.asarray(groups)
    mask = np.ones(cost.shape, dtype=bool) if annotated is None else np.asarray(annotated)
    if cost.ndim != 1 or not cost.shape == group.shape == mask.shape:
        raise ArgumentError(
            f"costs, groups and annotated have shapes {cost.shape}, {group.shape} and "
            f"{mask.shape}; give one of each per example"
        )
    if mask.dtype != bool or not mask.any():
        raise ArgumentError("annotated: must be true or false for every example, and true for some")
    table = pd.DataFrame({"costs": cost, "groups": group})[mask]
    for name, missing in table.isna().items():
        if missing.any():
            raise ArgumentError(
                f"{name}[{missing.idxmax()}] is missing, and {int(missing.sum()):,} in all; leave "
                f"those examples out with `annotated`"
            )
    outside = table["costs"][~table["costs"].between(0, max_cost)]
    if len(outside):
        raise ArgumentError(
            f"costs[{outside.index[0]}] = {outside.iloc[0]}: must be from 0 to "
            f"max_cost={max_cost:g}"
        )
    return table["costs"].to_numpy(), table["groups"].astype(str)


def _two_groups(
    group: pd.Series, protected: Any, reference: Any
) -> tuple[Mask, Mask, tuple[str, str]]:
    """Return which examples are of the protected group and of the reference, and both names."""
    sizes = group.value_counts().sort_index()
    present = sizes.index.tolist()
    if protected is None:
        if len(present) != 2:
            what = "name the protected one" if len(present) > 2 else "a disparity needs two"
            raise ArgumentError(
                f"{len(present)} groups among the annotated examples ({', '.join(present)}); {what}"
            )
        if reference is None:  # the larger group; of equal ones the last
            reference = present[int(sizes.iloc[0] <= sizes.iloc[1])]
        protected = next(label for label in present if label != str(reference))
    elif reference is None and len(present) == 2:
        reference = next((label for label in present if label != str(protected)), None)
    names = str(protected), OTHERS if reference is None else str(reference)
    for name in names[: 1 if reference is None else 2]:
        if name not in present:
            raise ArgumentError(
                f"no annotated example is of group {name!r}{suggest(name, present)}"
            )
    first = (group == names[0]).to_numpy()
    second = ~first if reference is None else (group == names[1]).to_numpy()
    if names[0] == names[1] or not second.any():
        raise ArgumentError(f"there is nothing to compare group {names[0]!r} with; name two groups")
    return first, second, names


def bernstein_half_width(
    n: ArrayLike,
    *,
    variance: ArrayLike,
    confidence: float = CONFIDENCE,
    gamma: ArrayLike = 0.5,
    max_cost: float = 1.0,
) -> Array:
    """Return t = (B + √(B² + 8 n σ² L)) / (2 n), B = 2 C L / (3 γ), half the interval's width.

    Ethayarajh (2020), equation 3. Arrays are broadcast.

    Parameters
    ----------
    n : array_like
        Annotated examples of both groups together.
    variance : array_like
        σ², of the amortised disparities.
    confidence : float
        ρ, from 0 to below 1.
    gamma : array_like
        γ, the least share of either group.
    max_cost : float
        C, the largest cost.

    Returns
    -------
    ndarray
        In the unit of the costs.

    Examples
    --------
    >>> bernstein_half_width(3160, variance=4, gamma=0.5).round(4).item()
    0.0974
    """
    sizes, spread = _checked("n", n), _checked("variance", variance)
    log_term = _log_term(confidence)
    b = 2 * _checked("max_cost", max_cost) / (3 * _checked("gamma", gamma)) * log_term
    return (b + np.sqrt(b**2 + 8 * sizes * spread * log_term)) / (2 * sizes)


def hoeffding_half_width(
    n: ArrayLike, *, confidence: float = CONFIDENCE, gamma: ArrayLike = 0.5, max_cost: float = 1.0
) -> Array:
    """Return half the width of Hoeffding's interval, which uses only the range 2 C / γ.

    t = (C / γ) √(2 L / n). Parameters and errors are those of `bernstein_half_width`.

    Examples
    --------
    >>> hoeffding_half_width(3160, gamma=0.5).round(4).item()
    0.0966
    """
    span = _checked("max_cost", max_cost) / _checked("gamma", gamma)
    return span * np.sqrt(2 * _log_term(confidence) / _checked("n", n))


def required_n(
    *,
    disparity: float,
    confidence: float = CONFIDENCE,
    gamma: float = 0.5,
    variance: float | None = None,
    max_cost: float = 1.0,
) -> int:
    """Return the smallest number of annotated examples whose interval excludes 0.

    The smallest whole n > (2 σ² + 2 C δ / (3 γ)) L / δ² (Ethayarajh 2020, equation 4). This is
    about the estimate. If the true disparity has that size, about half of all samples have a
    smaller estimate, and their intervals contain 0.

    Parameters
    ----------
    disparity : float
        The estimate to be distinguished from 0; its sign does not matter.
    confidence, gamma, max_cost
        As in `bernstein_half_width`.
    variance : float, optional
        σ²; by default the largest, (C / γ)².

    Returns
    -------
    int

    Raises
    ------
    ArgumentError
        As every function of the package, and if the disparity is 0 or above `max_cost`.

    Examples
    --------
    >>> required_n(disparity=0.05, confidence=0.95, gamma=0.5, variance=4, max_cost=1)
    11903
    """
    refuse_other(disparity, Real, "disparity", "a number")
    size = float(abs(disparity))
    largest = largest_variance(gamma, max_cost)
    if not _LEAST <= size <= max_cost:
        raise ArgumentError(
            f"disparity={disparity}: must not be 0, and at most max_cost={max_cost:g} in size"
        )
    spread = float(_checked("variance", largest if variance is None else variance))
    needed = (2 * spread + 2 * max_cost * size / (3 * gamma)) * _log_term(confidence)
    # n has to be more than the quotient, so that a whole one is not enough.
    return math.floor(needed / size**2) + 1


def detectable_disparity(
    *,
    n: int,
    confidence: float = CONFIDENCE,
    gamma: float = 0.5,
    variance: float | None = None,
    max_cost: float = 1.0,
) -> float:
    """Return the smallest estimate that `n` annotated examples distinguish from 0.

    Parameters are those of `required_n`, and so is what its notes say of true disparities. An
    ArgumentError if no estimate can be so large: none is above `max_cost`.

    Examples
    --------
    >>> round(detectable_disparity(n=3160, variance=4), 4)
    0.0974
    """
    spread = largest_variance(gamma, max_cost) if variance is None else variance
    width = bernstein_half_width(
        n, variance=spread, confidence=confidence, gamma=gamma, max_cost=max_cost
    )
    if width >= max_cost:
        raise ArgumentError(
            f"n={n}: no disparity can be distinguished from 0, since the interval is ± {width:.4g} "
            f"wide and no disparity is above max_cost={max_cost:g}"
        )
    return float(width)


def largest_variance(gamma: float, max_cost: float) -> float:
    """Return the variance that the paper calls maximal, (C / γ)².

    It is reached for two halves. Groups of shares p and q have C²/p + C²/q at most, ≤ 2 C²/γ.
    """
    return float((_checked("max_cost", max_cost) / _checked("gamma", gamma)) ** 2)


_RANGES: Final[Mapping[str, tuple[Callable[[Array], Any], str]]] = {
    "gamma": (lambda x: (x > 0) & (x <= 0.5), "above 0 and at most 0.5: a group may be half"),
    "variance": (lambda x: x >= 0, "0 or more"),
    "n": (lambda x: (x >= 1) & (x == np.floor(x)), "a whole number of examples, at least 1"),
    "confidence": (lambda x: (x >= 0) & (x < 1), "at least 0 and below 1"),
    "max_cost": (lambda x: x > 0, "above 0"),
}


def _checked(name: str, value: ArrayLike) -> Array:
    """Return finite numbers, after a look at their range."""
    holds, must = _RANGES[name]
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}={value!r}: must be a number") from None
    if not (np.isfinite(array).all() and holds(array).all()):
        raise ArgumentError(f"{name}={value!r}: must be finite and {must}")
    return array


def _log_term(confidence: float) -> float:
    """Return L = −log((1 − ρ) / 2)."""
    return -math.log((1 - float(_checked("confidence", confidence))) / 2)
