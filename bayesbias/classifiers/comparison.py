"""Bernstein, Hoeffding, bootstrap and Bayesian intervals of a difference of rates, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayesbias.classifiers.bernstein import (
    bernstein_half_width,
    check_max_cost,
    check_sizes,
    hoeffding_half_width,
)
from bayesbias.classifiers.disparity import least_share, two_groups
from bayesbias.classifiers.posteriors import check_beta_prior, check_draws
from bayesbias.constants import CONFIDENCE
from bayesbias.errors import ArgumentError
from bayesbias.inference.intervals import binomial_interval, check_prob, eti, hpdi
from bayesbias.support.result import Result
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import Blocks, Table, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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

_KEYS: Final = ["n", "share", "rate_protected", "rate_reference"]


@dataclass(frozen=True, repr=False, eq=False)
class IntervalComparison(Result):
    """Intervals of one difference of rates by every method; made by `compare_intervals`.

    Parameters
    ----------
    table : DataFrame
        One row per ``method``: ``low``, ``high``, ``width``, ``excludes_zero``.
    estimate : float
    protected, reference : str
    prob : float
        Confidence, or posterior probability.
    seed : int
    gamma, max_cost : float
        Least share of either group and largest cost, as the bounds had them.
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
        shown = self.table[["method"]].astype(str)
        shown[f"{percent(self.prob)} interval"] = [
            f"{r.low:+.4f} to {r.high:+.4f}" for r in self.table.itertuples()
        ]
        shown["width"] = self.table["width"].map("{:.4f}".format)
        head = f"Rate of {self.protected} − rate of {self.reference} = {self.estimate:+.4f}"
        known = f"Bernstein's and Hoeffding's with γ = {self.gamma:.3f} and C = {self.max_cost:g}"
        return [head, "", Table(shown), "", known]


@dataclass(frozen=True, repr=False, eq=False)
class IntervalCoverage(Result):
    """How often each method's interval contains a known difference; made by `interval_coverage`.

    Parameters
    ----------
    table : DataFrame
        One row per ``n``, ``share`` (of the protected group), ``rate_protected``,
        ``rate_reference`` and ``method``: ``coverage`` with a 95% binomial interval
        (``coverage_low``, ``coverage_high``), mean ``width``, ``excludes_zero``, ``runs``.
    prob : float
    seed : int
    """

    table: pd.DataFrame
    prob: float
    seed: int

    def plot(self, *, figsize: tuple[float, float] | None = None) -> "Figure":
        """Draw coverage and width against n, a column per pair of rates and share."""
        from bayesbias.classifiers.figures import plot_interval_coverage

        return plot_interval_coverage(self.table, self.prob, figsize=figsize)

    @property
    def blocks(self) -> Blocks:
        """Coverage and width."""
        table = self.table
        shown = table[[*_KEYS, "method"]].astype(str)
        shown["coverage"] = [
            f"{r.coverage:.1%} ({r.coverage_low:.1%} to {r.coverage_high:.1%})"
            for r in table.itertuples()
        ]
        shown["width"] = table["width"].map("{:.3f}".format)
        return [Table(shown.rename(columns=lambda name: name.replace("_", " ")), left=5)]


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

    Parameters
    ----------
    costs : array_like, shape (n,)
        0 or 1 per example, such as from `costs_of`.
    groups, annotated, protected, reference
        As in `bernstein_interval`.
    prob : float
        Confidence of the bounds and the bootstrap, posterior probability of the HPDIs.
    gamma, max_cost
        Of Bernstein's and Hoeffding's bounds, as in `bernstein_interval`; the other intervals need
        neither.
    draws : int
        Bootstrap samples and posterior draws.
    seed : int or Generator, optional

    Returns
    -------
    IntervalComparison

    Raises
    ------
    ArgumentError
        If a cost is neither 0 nor 1, or as in `bernstein_interval`.

    Warns
    -----
    DataWarning
        If a group's observed share is below `gamma`.

    Examples
    --------
    >>> found = compare_intervals([1, 0, 1, 0] * 50, ["x", "x", "y", "y"] * 50, seed=1)
    >>> found.table.set_index("method")["width"].round(2).iloc[:3].to_dict()
    {'Bernstein, sample σ²': 0.57, 'Bernstein, largest σ²': 0.79, 'Hoeffding': 0.77}
    """
    check_max_cost(max_cost)
    cost, is_protected, names = two_groups(
        costs,
        groups,
        annotated=annotated,
        protected=protected,
        reference=reference,
        max_cost=max_cost,
    )
    if not np.isin(cost, (0.0, 1.0)).all():
        raise ArgumentError(
            "costs: a rate needs costs of 0 or 1; for others use bernstein_interval"
        )
    share = least_share(is_protected, gamma)
    seed = seed_as_integer(seed)
    successes = np.array([cost[is_protected].sum(), cost[~is_protected].sum()], dtype=np.int64)
    trials = np.array([is_protected.sum(), (~is_protected).sum()])
    found = gap_intervals(
        successes,
        trials,
        prob=prob,
        draws=draws,
        rng=np.random.default_rng(seed),
        gamma=share,
        max_cost=max_cost,
    )
    rates = successes / trials
    table = pd.DataFrame(
        [(method, *map(float, ends)) for method, ends in found.items()],
        columns=["method", "low", "high"],
    )
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
) -> dict[str, NDArray[np.float64]]:
    """Return every method's intervals of differences of rates.

    Parameters
    ----------
    successes, trials : ndarray of int, shape (..., 2)
        Of the protected group and the reference; no trials may be 0.
    prob : float
    draws : int
    rng : Generator
    gamma : float, optional
        Least share of either group; by default the observed share of the smaller one.
    max_cost : float

    Returns
    -------
    dict of str to ndarray, shape (..., 2)
        Lower and upper end by method, in the order of `INTERVAL_METHODS`.
    """
    check_draws(draws)
    check_prob(prob)
    n = trials.sum(axis=-1)
    rates = successes / trials
    gap = rates[..., 0] - rates[..., 1]
    share = trials.min(axis=-1) / n if gamma is None else gamma
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
    found["bootstrap"] = eti(resampled[..., 0] - resampled[..., 1], prob)
    for name, prior in PRIORS.items():
        a, b = check_beta_prior(prior)
        drawn = rng.beta(a + successes, b + trials - successes, size=(draws, *trials.shape))
        found[f"Beta-Binomial, {name}"] = hpdi(drawn[..., 0] - drawn[..., 1], prob)
    return found


def interval_coverage(
    rates: Sequence[tuple[float, float]],
    *,
    sizes: Sequence[int] = (20, 50, 100, 200, 500),
    shares: Sequence[float] = (0.5,),
    runs: int = 1000,
    prob: float = CONFIDENCE,
    draws: int = 1000,
    seed: int | np.random.Generator | None = None,
) -> IntervalCoverage:
    """Simulate samples with known rates and count how often each interval contains the difference.

    Parameters
    ----------
    rates : sequence of (float, float)
        Rates of the protected group and the reference.
    sizes : sequence of int
        Annotated examples of both groups together.
    shares : sequence of float
        Shares of the protected group, which has at least one example; so has the reference.
    runs : int
        Samples per combination.
    prob : float
    draws : int
        Bootstrap samples and posterior draws per sample.
    seed : int or Generator, optional

    Returns
    -------
    IntervalCoverage

    Raises
    ------
    ArgumentError
        If an argument is outside its range.

    Notes
    -----
    Cost: 6 · runs · draws numbers per combination, a second for a million.

    Examples
    --------
    >>> found = interval_coverage([(0.3, 0.2)], sizes=[50], runs=50, draws=200, seed=1)
    >>> found.table["coverage"].between(0, 1).all().item()
    True
    """
    check_sizes(sizes)
    chosen = np.asarray(rates, dtype=float)
    if chosen.ndim != 2 or chosen.shape[1] != 2 or not ((chosen >= 0) & (chosen <= 1)).all():
        raise ArgumentError("rates: give pairs of numbers from 0 to 1, such as [(0.3, 0.2)]")
    if runs < 1:
        raise ArgumentError(f"runs={runs}: must be at least 1")
    if not all(0 < share < 1 for share in shares):
        raise ArgumentError(f"shares={list(shares)}: must be between 0 and 1")
    seed = seed_as_integer(seed)
    rng = np.random.default_rng(seed)
    rows = []
    for pair in chosen:
        truth = pair[0] - pair[1]
        for share in shares:
            for n in sizes:
                first = min(max(1, round(n * share)), n - 1)
                if first < 1:
                    raise ArgumentError(f"n={n}: two groups need at least two examples")
                trials = np.tile([first, n - first], (runs, 1))
                successes = rng.binomial(trials, pair)
                found = gap_intervals(successes, trials, prob=prob, draws=draws, rng=rng)
                for method, ends in found.items():
                    key = (int(n), share, *map(float, pair), method)
                    rows.append((*key, *coverage_of(ends, truth)))
    measured = ["coverage", "coverage_low", "coverage_high", "width", "excludes_zero", "runs"]
    columns = [*_KEYS, "method", *measured]
    return IntervalCoverage(pd.DataFrame(rows, columns=columns), prob, seed)


def coverage_of(
    ends: NDArray[np.float64], truth: float | NDArray[np.float64]
) -> tuple[float, float, float, float, float, int]:
    """Return coverage with its 95% interval, mean width, share that exclude 0, and their number.

    Parameters
    ----------
    ends : ndarray, shape (n, 2)
    truth : array_like, shape () or (n,)
    """
    held = int(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).sum())
    low, high = binomial_interval(held, len(ends), 0.95)
    sure = float(((ends[:, 0] > 0) | (ends[:, 1] < 0)).mean())
    width = float((ends[:, 1] - ends[:, 0]).mean())
    return held / len(ends), float(low), float(high), width, sure, len(ends)
