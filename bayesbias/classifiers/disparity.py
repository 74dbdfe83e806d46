"""The interval of a groupwise disparity from costs and groups (Bernstein-bounded unfairness).

A measure of fairness is the difference of two groups' mean costs over the examples that it
annotates (Ethayarajh 2020, section 2). With truth y and prediction ŷ, 1 for the good outcome:

    demographic-parity    1 − ŷ, of everybody        rates of not being predicted positive
    equal-opportunity     1 − ŷ, where y = 1         false negative rates
    predictive-equality   ŷ, where y = 0             false positive rates
    equalised-odds        y ≠ ŷ, of everybody        error rates

Equalised odds in the strict sense is equal opportunity and predictive equality, both: error rates
may be equal where neither is (docs/classifiers.md). Any other numbers may be costs.

Every cost becomes an amortised disparity, ± cost / (share of the example's group). The mean of
these numbers is the difference of the groups' mean costs, so that a bound for a mean of bounded
numbers (`bernstein`) is one for the difference.
"""

import warnings
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayesbias.classifiers.bernstein import (
    bernstein_half_width,
    checked,
    hoeffding_half_width,
    largest_variance,
    required_n,
)
from bayesbias.classifiers.labels import as_labels, in_order, refuse_alike, refuse_disjoint
from bayesbias.constants import CONFIDENCE
from bayesbias.errors import ArgumentError, DataWarning, one_of, suggest
from bayesbias.show.result import Blocks, Column, Columns, Result, Table, interval_column
from bayesbias.support.arguments import Array, Mask

FAIRNESS_MEASURES: Final = (
    *("demographic-parity", "equal-opportunity", "predictive-equality"),
    "equalised-odds",
)
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


def costs_of(
    measure: str, true: ArrayLike, predicted: ArrayLike, *, positive: Any
) -> tuple[Array, Mask]:
    """Return what each example costs, and whether it is counted, shape (n,) both.

    Parameters
    ----------
    measure : {"demographic-parity", "equal-opportunity", "predictive-equality", "equalised-odds"}
    true, predicted : array_like, shape (n,)
        Labels; all but `positive` count as negative.
    positive : label
        The class whose prediction is the good outcome.

    Returns
    -------
    costs : ndarray of float
        0 or 1.
    annotated : ndarray of bool

    Raises
    ------
    ArgumentError
        If the measure is unknown, the lengths differ or no label is `positive`.
    PredictionsError
        If a label is missing, or labels do not match as in `count_predictions`.

    Examples
    --------
    >>> costs, annotated = costs_of("equal-opportunity", [1, 1, 0], [1, 0, 0], positive=1)
    >>> costs.tolist(), annotated.tolist()
    ([0.0, 1.0, 1.0], [True, True, False])
    """
    one_of(measure, "measure", FAIRNESS_MEASURES)
    shapes = np.shape(true), np.shape(predicted)
    if len(shapes[0]) != 1 or shapes[0] != shapes[1]:
        raise ArgumentError(
            f"true and predicted have shapes {shapes[0]} and {shapes[1]}; give one label per "
            f"example in both"
        )
    truth, guess = as_labels(true, "true"), as_labels(predicted, "predicted")
    (wanted,) = as_labels([positive], "positive")
    labels = in_order([*truth, *guess])
    y, p = (truth == wanted).to_numpy(), (guess == wanted).to_numpy()
    if not (y.any() or p.any()):
        raise ArgumentError(f"positive={positive!r}: no example has it{suggest(wanted, labels)}")
    if not (y.all() or p.all()):
        refuse_disjoint(truth, guess)
    refuse_alike([*labels, wanted], "true, predicted and positive")
    cost = {"predictive-equality": p, "equalised-odds": y != p}.get(measure, ~p)
    annotated = {"equal-opportunity": y, "predictive-equality": ~y}.get(measure, np.ones_like(y))
    return cost.astype(float), annotated


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
    """Bound the difference of two groups' mean costs (Ethayarajh 2020).

    With δ̂ᵢ = ± cᵢ / (share of the group of i), the estimate is their mean, and the interval reaches
    t = (B + √(B² + 8 n σ² L)) / (2 n) to either side, B = 2 C L / (3 γ) and L = −log((1 − ρ) / 2)
    (definitions 2.1 to 2.4, equation 3). A DataWarning tells if a group's observed share is below
    `gamma`. Of aggregated data repeat the rows: ``np.repeat(costs, n)``.

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
    cost, group = _annotated(costs, groups, annotated, float(checked("max_cost", max_cost)))
    first, second, names = _two_groups(group, protected, reference)
    cost, first = cost[first | second], first[first | second]
    n, n_protected = len(cost), int(first.sum())
    means = cost[first].mean(), cost[~first].mean()
    observed = min(n_protected, n - n_protected) / n
    least = observed if gamma is None else float(checked("gamma", gamma))
    if observed < least:
        warnings.warn(
            f"the smaller group has a share of {observed:.4f} of the annotated examples, less than "
            f"gamma={gamma}; the bounds assume that this is chance",
            DataWarning,
            stacklevel=2,
        )
    if not isinstance(variance, str):
        spread = float(checked("variance", variance))
    else:
        one_of(variance, "variance", ("sample", "maximal"))
        if variance == "sample" and n < 3:
            raise ArgumentError("variance='sample': needs at least three annotated examples")
        spread = largest_variance(least, max_cost)
        if variance == "sample":
            spread = float(amortised_disparities(cost, first).var(ddof=1))
    options: dict[str, Any] = {"confidence": confidence, "max_cost": max_cost, "gamma": least}
    estimate = float(means[0] - means[1])
    half = float(bernstein_half_width(n, variance=spread, **options))
    halves = np.array([half, float(hoeffding_half_width(n, **options))])
    needed = required_n(disparity=estimate, variance=spread, **options) if estimate else None
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
        f"The mean cost is {size if estimate else f'the same for {names[0]} and'} {names[1]}; "
        f"Bernstein's interval {verdict}."
    )
    return Disparity(headline, pd.DataFrame(columns))


def amortised_disparities(costs: Array, is_protected: Mask) -> Array:
    """Return ± cost / (share of the example's group); their mean is the disparity."""
    share = is_protected.mean()
    return np.where(is_protected, costs / share, -costs / (1 - share))


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
    if protected is None and len(present) != 2:
        raise ArgumentError(
            f"{len(present)} groups among the annotated examples ({', '.join(present)}); "
            f"{'name the protected one' if len(present) > 2 else 'a disparity needs two'}"
        )
    if protected is None and reference is None:  # the larger group; of equal ones the last
        reference = present[int(sizes.iloc[0] <= sizes.iloc[1])]
    if protected is None:
        protected = next(label for label in present if label != str(reference))
    if reference is None and len(present) == 2:
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
