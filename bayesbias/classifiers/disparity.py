"""The interval of a groupwise disparity from costs and groups (Bernstein-bounded unfairness).

Every example's cost becomes an amortised disparity, ± cost / (share of its group). The mean of
these numbers is the difference of the groups' mean costs, so that a bound for a mean of bounded
numbers (`bernstein`) is one for the difference (Ethayarajh 2020).
"""

import warnings
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayesbias.classifiers.bernstein import (
    bernstein_half_width,
    check_gamma,
    check_max_cost,
    check_variance,
    hoeffding_half_width,
    largest_variance,
    required_n,
)
from bayesbias.classifiers.sentences import tell
from bayesbias.constants import CONFIDENCE
from bayesbias.errors import ArgumentError, DataWarning, suggest
from bayesbias.support.arrays import Array, Mask
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, format_value, percent

OTHERS: Final = "others"  # name of all groups but the protected one, taken together


@dataclass(frozen=True, repr=False)
class Disparity(Result):
    """A groupwise disparity with its bounds; made by `bernstein_interval`.

    Parameters
    ----------
    protected, reference
        The groups.
    estimate : float
        The first group's mean cost minus the second's.
    low, high
        Ends of Bernstein's interval, `half_width` to either side; not cut at the possible values.
    n_protected, n_reference
        Annotated examples.
    gamma : float
        Share of the smaller group, as the bounds had it.
    variance, variance_from
        σ² of the amortised disparities; ``"sample"``, ``"maximal"`` or ``"given"``.
    """

    protected: str
    reference: str
    estimate: float
    low: float
    high: float
    half_width: float
    hoeffding_half_width: float
    mean_cost_protected: float
    mean_cost_reference: float
    n_protected: int
    n_reference: int
    gamma: float
    variance: float
    variance_from: str
    confidence: float
    max_cost: float

    @property
    def n(self) -> int:
        """Annotated examples of both groups."""
        return self.n_protected + self.n_reference

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval is wholly on one side of 0."""
        return self.low > 0 or self.high < 0

    @property
    def needed(self) -> int | None:
        """Examples whose interval would exclude 0 with the same estimate and σ²; None at 0."""
        if self.estimate == 0:
            return None
        names = ("confidence", "gamma", "variance", "max_cost")
        return required_n(disparity=self.estimate, **{n: getattr(self, n) for n in names})

    def to_frame(self) -> pd.DataFrame:
        """Return everything as a frame of one row."""
        return pd.DataFrame([self.to_dict()])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        derived = {"n": self.n, "excludes_zero": self.excludes_zero, "needed": self.needed}
        return {**super().to_dict(), **derived}

    @property
    def blocks(self) -> Blocks:
        """Both intervals and what they say."""
        width = self.hoeffding_half_width
        numbers = self.estimate, self.low, self.high, self.estimate - width, self.estimate + width
        estimate, low, high, *of_hoeffding = (format_value(one, "+.4f") for one in numbers)
        costs = [
            (f"{self.mean_cost_protected:.4f}", f"{self.n_protected:,}"),
            (f"{self.mean_cost_reference:.4f}", f"{self.n_reference:,}"),
        ]
        lines = [
            tell("disparity", self.protected, self.reference, estimate, costs),
            f"  {percent(self.confidence)} Bernstein interval {low} to {high} "
            f"(± {self.half_width:.4f}; σ² = {self.variance:.3f}, {self.variance_from}; "
            f"γ = {self.gamma:.3f}; C = {self.max_cost:g})",
            f"  {percent(self.confidence)} Hoeffding interval {' to '.join(of_hoeffding)} "
            f"(± {width:.4f})",
        ]
        needed = "" if self.needed is None else f"{self.needed:,}"
        return [*lines, f"  {tell('zero', self.excludes_zero, needed)}"]


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

    A DataWarning tells if a group's observed share is below `gamma`.

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

    Raises
    ------
    ArgumentError
        If a cost is missing or outside [0, C], a group is missing, absent or without annotated
        examples, or an argument is outside its range.

    Examples
    --------
    >>> costs, groups = [1, 0, 1, 0] * 50, ["x", "x", "y", "y"] * 50
    >>> bernstein_interval(costs, groups, protected="x").half_width
    0.28487...
    """
    check_max_cost(max_cost)
    cost, is_protected, names = two_groups(costs, groups, annotated, protected, reference, max_cost)
    n_protected, n = int(is_protected.sum()), len(cost)
    share = least_share(is_protected, gamma)
    spread, source = _variance(variance, cost, is_protected, share, max_cost)
    options: dict[str, Any] = {"confidence": confidence, "gamma": share, "max_cost": max_cost}
    means = cost[is_protected].mean(), cost[~is_protected].mean()
    estimate = float(means[0] - means[1])
    half = float(bernstein_half_width(n, variance=spread, **options))
    return Disparity(
        protected=names[0],
        reference=names[1],
        estimate=estimate,
        low=estimate - half,
        high=estimate + half,
        half_width=half,
        hoeffding_half_width=float(hoeffding_half_width(n, **options)),
        mean_cost_protected=float(means[0]),
        mean_cost_reference=float(means[1]),
        n_protected=n_protected,
        n_reference=n - n_protected,
        variance=spread,
        variance_from=source,
        **options,
    )


def least_share(is_protected: Mask, gamma: float | None) -> float:
    """Return the share of the smaller group that bounds take: given, or else observed."""
    n_protected, n = int(is_protected.sum()), len(is_protected)
    observed = min(n_protected, n - n_protected) / n
    least = observed if gamma is None else float(check_gamma(gamma))
    if observed < least:
        warnings.warn(
            f"the smaller group has a share of {observed:.4f} of the annotated examples, less than "
            f"gamma={gamma}; the bounds assume that this is chance",
            DataWarning,
            stacklevel=3,
        )
    return least


def amortised_disparities(costs: Array, is_protected: Mask) -> Array:
    """Return ± cost / (share of the example's group); their mean is the disparity."""
    share = is_protected.mean()
    return np.where(is_protected, costs / share, -costs / (1 - share))


def _variance(
    wanted: float | str, cost: Array, is_protected: Mask, gamma: float, max_cost: float
) -> tuple[float, str]:
    if isinstance(wanted, str):
        if wanted == "sample":
            if len(cost) < 3:
                raise ArgumentError("variance='sample': needs at least three annotated examples")
            return float(amortised_disparities(cost, is_protected).var(ddof=1)), "sample"
        if wanted == "maximal":
            return largest_variance(gamma=gamma, max_cost=max_cost), "maximal"
        raise ArgumentError(f"variance={wanted!r}{suggest(wanted, ('sample', 'maximal'))}")
    return float(check_variance(wanted)), "given"


def two_groups(
    costs: ArrayLike,
    groups: ArrayLike,
    annotated: ArrayLike | None,
    protected: Any,
    reference: Any,
    max_cost: float,
) -> tuple[Array, Mask, tuple[str, str]]:
    """Return the counted costs, which of them are the protected group's, and both names."""
    cost, group, counted = _columns(costs, groups, annotated)
    labels = np.unique(group)
    present = [str(label) for label in labels]
    if protected is None:
        if len(labels) != 2:
            raise ArgumentError(
                f"{len(labels)} groups among the annotated examples ({', '.join(present)}); name "
                f"the protected one"
                if len(labels) > 2
                else f"all annotated examples are of one group ({', '.join(present)}); a disparity "
                f"needs two"
            )
        if reference is None:  # the larger group; of equal ones the last
            sizes = [(group == label).sum() for label in labels]
            reference = labels[0] if sizes[0] > sizes[1] else labels[1]
        protected = next(label for label in labels if str(label) != str(reference))
    elif reference is None and len(labels) == 2 and str(protected) in present:
        reference = next(label for label in labels if str(label) != str(protected))
    names = str(protected), OTHERS if reference is None else str(reference)
    texts = group.astype(str)
    for name in names:
        if name not in present and not (reference is None and name == OTHERS):
            raise ArgumentError(
                f"no annotated example is of group {name!r}{suggest(name, present)}"
            )
    first = texts == names[0]
    second = ~first if reference is None else texts == names[1]
    if names[0] == names[1] or not second.any():
        raise ArgumentError(f"there is nothing to compare group {names[0]!r} with; name two groups")
    either = first | second
    cost = cost[either]
    bad = ~((cost >= 0) & (cost <= max_cost))
    if bad.any():
        row = int(np.flatnonzero(counted)[either][np.argmax(bad)])
        raise ArgumentError(
            f"costs[{row}] = {cost[bad][0]}: must be from 0 to max_cost={max_cost:g}"
        )
    return cost, first[either], names


def _columns(
    costs: ArrayLike, groups: ArrayLike, annotated: ArrayLike | None
) -> tuple[Array, NDArray[Any], Mask]:
    """Return the annotated costs and groups, and the mask that chose them."""
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
    if mask.dtype != bool:
        raise ArgumentError("annotated: must be true or false for every example")
    if not mask.any():
        raise ArgumentError("no example is annotated, so there is nothing to estimate from")
    cost, group = cost[mask], group[mask]
    rows = np.flatnonzero(mask)
    for name, missing in (("costs", np.isnan(cost)), ("groups", pd.isna(group))):
        if missing.any():
            raise ArgumentError(
                f"{name}[{rows[np.argmax(missing)]}] is missing, and {int(missing.sum()):,} in all",
                advice="leave those examples out with `annotated`",
                typed="leave those rows out of the file",
            )
    return cost, group, mask
