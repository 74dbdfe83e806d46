"""Bernstein, Hoeffding, bootstrap and Bayesian intervals of a difference of rates, side by side.

Bounds hold whatever the distribution of costs is (strictly with the largest σ²), and are wide;
intervals of the bootstrap and of posteriors hold approximately. All are computed from the same
counts of two groups, so that their widths compare.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayesbias.classifiers.bernstein import (
    bernstein_half_width,
    check_max_cost,
    hoeffding_half_width,
)
from bayesbias.classifiers.disparity import least_share, two_groups
from bayesbias.classifiers.rates import beta_draws, check_draws
from bayesbias.constants import CONFIDENCE
from bayesbias.errors import ArgumentError
from bayesbias.inference.intervals import check_prob, interval_of
from bayesbias.support.arrays import Array
from bayesbias.support.result import Result
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Table,
    format_value,
    interval_column,
    percent,
)

PRIORS: Final[Mapping[str, tuple[float, float]]] = {"uniform": (1.0, 1.0), "Jeffreys": (0.5, 0.5)}
"""Priors of the Beta-Binomial intervals that are compared."""

INTERVAL_METHODS: Final = (
    "Bernstein, sample σ²",
    "Bernstein, largest σ²",
    "Hoeffding",
    "bootstrap",
    "Beta-Binomial, uniform",
    "Beta-Binomial, Jeffreys",
)
"""The intervals that are compared, in the order of tables."""


@dataclass(frozen=True, repr=False, eq=False)
class IntervalComparison(Result):
    """Intervals of one difference of rates by every method; made by `compare_intervals`.

    `table` has a row per ``method``: ``low``, ``high``, ``width``, ``excludes_zero``. `prob` is the
    confidence, or posterior probability; `gamma` and `max_cost` are the least share of either group
    and the largest cost, as the bounds had them.
    """

    table: pd.DataFrame
    estimate: float
    protected: str
    reference: str
    prob: float
    seed: int
    gamma: float
    max_cost: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        content = super().to_dict()
        return {**content, "intervals": content.pop("table")}

    @property
    def blocks(self) -> Blocks:
        """The intervals, to be shown."""
        ends = interval_column(f"{percent(self.prob)} interval", "+z.4f")
        table = Table(self.table, ["method", ends, Column("width", form="fine")])
        estimate = format_value(self.estimate, "+.4f")
        head = f"Rate of {self.protected} − rate of {self.reference} = {estimate}"
        known = f"Bernstein's and Hoeffding's with γ = {self.gamma:.3f} and C = {self.max_cost:g}"
        return [head, "", table, "", known]


def compare_intervals(
    costs: ArrayLike,
    groups: ArrayLike,
    *,
    annotated: ArrayLike | None = None,
    protected: Any = None,
    reference: Any = None,
    prob: float = CONFIDENCE,
    gamma: float | None = None,
    max_cost: float = 1.0,
    draws: int = 4000,
    seed: int | np.random.Generator | None = None,
) -> IntervalComparison:
    """Compute every method's interval of one difference of rates.

    `costs` are 0 or 1 per example, such as from `costs_of`. Groups, the other arguments and
    warnings are those of `bernstein_interval`; only the bounds need `gamma` and `max_cost`. `prob`
    is the confidence of the bounds and the bootstrap, the posterior probability of the HPDIs;
    `draws` are bootstrap samples and posterior draws.

    Raises
    ------
    ArgumentError
        If a cost is neither 0 nor 1, or as in `bernstein_interval`.

    Examples
    --------
    >>> found = compare_intervals([1, 0, 1, 0] * 50, ["x", "x", "y", "y"] * 50, seed=1)
    >>> found.table.set_index("method")["width"].round(2).iloc[:3].to_dict()
    {'Bernstein, sample σ²': 0.57, 'Bernstein, largest σ²': 0.79, 'Hoeffding': 0.77}
    """
    check_max_cost(max_cost)
    cost, is_protected, names = two_groups(costs, groups, annotated, protected, reference, max_cost)
    if not np.isin(cost, (0.0, 1.0)).all():
        raise ArgumentError(
            "costs: a rate needs costs of 0 or 1; for others use bernstein_interval"
        )
    share = least_share(is_protected, gamma)
    seed = seed_as_integer(seed)
    successes = np.array([cost[is_protected].sum(), cost[~is_protected].sum()], dtype=np.int64)
    trials = np.array([is_protected.sum(), (~is_protected).sum()])
    known: dict[str, Any] = {"gamma": share, "max_cost": max_cost}
    rng = np.random.default_rng(seed)
    found = gap_intervals(successes, trials, prob=prob, draws=draws, rng=rng, **known)
    rates = successes / trials
    rows = [(method, *map(float, ends)) for method, ends in found.items()]
    table = pd.DataFrame(rows, columns=["method", "low", "high"])
    table["width"] = table["high"] - table["low"]
    table["excludes_zero"] = (table["low"] > 0) | (table["high"] < 0)
    estimate = float(rates[0] - rates[1])
    return IntervalComparison(table, estimate, *names, prob, seed, share, max_cost)


def gap_intervals(
    successes: NDArray[np.int64],
    trials: NDArray[np.int64],
    *,
    prob: float,
    draws: int,
    rng: np.random.Generator,
    gamma: float | None = None,
    max_cost: float = 1.0,
) -> dict[str, Array]:
    """Return every method's intervals, (..., 2), of successes and trials, (..., 2), all above 0."""
    check_draws(draws)
    check_prob(prob)
    n = trials.sum(axis=-1)
    rates = successes / trials
    gap = rates[..., 0] - rates[..., 1]
    share = trials.min(axis=-1) / n if gamma is None else gamma
    # Amortised disparities are ± n / trials where something costs, else 0: their squares add up
    # from counts, and their sum is n times the gap.
    squares = (successes * (n[..., None] / trials) ** 2).sum(axis=-1)
    sample = np.maximum(squares - n * gap**2, 0) / np.maximum(n - 1, 1)
    options: dict[str, Any] = {"confidence": prob, "gamma": share, "max_cost": max_cost}
    widths = (
        bernstein_half_width(n, variance=sample, **options),
        bernstein_half_width(n, variance=(max_cost / share) ** 2, **options),
        hoeffding_half_width(n, **options),
    )
    found = {
        name: np.stack([gap - half, gap + half], axis=-1)
        for name, half in zip(INTERVAL_METHODS, widths, strict=False)
    }
    resampled = rng.binomial(trials, rates, size=(draws, *trials.shape)) / trials
    found["bootstrap"] = interval_of(resampled[..., 0] - resampled[..., 1], prob, "eti")
    for name, prior in PRIORS.items():
        drawn = beta_draws(successes, trials, prior=prior, draws=draws, rng=rng)
        found[f"Beta-Binomial, {name}"] = interval_of(drawn[..., 0] - drawn[..., 1], prob, "hpdi")
    return found
