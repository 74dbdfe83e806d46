"""How often an interval from a small annotated sample contains the truth of a known population."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayesbias.classifiers.bernstein import check_confidence, check_gamma, check_sizes
from bayesbias.classifiers.disparity import bernstein_interval
from bayesbias.constants import CONFIDENCE
from bayesbias.errors import ArgumentError
from bayesbias.inference.intervals import binomial_interval
from bayesbias.support.result import Result, plain
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import Blocks, Table, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KEYS = ["n", "gamma"]


@dataclass(frozen=True, repr=False, eq=False)
class CoverageExperiment(Result):
    """Intervals from samples of a population whose disparities are known.

    Made by `coverage_experiment`.

    Parameters
    ----------
    runs : DataFrame
        One row per ``group``, ``n``, ``gamma`` and ``run``: ``true``, ``estimate``, ``low``,
        ``high``, ``hoeffding_low``, ``hoeffding_high``, and whether they contain the truth,
        ``covers`` and ``hoeffding_covers``.
    confidence : float
    variance : float or str
        As given to `bernstein_interval`.
    seed : int
    """

    _main: ClassVar[str] = "runs"

    runs: pd.DataFrame
    confidence: float
    variance: float | str
    seed: int

    @property
    def table(self) -> pd.DataFrame:
        """Coverage and mean width per size and share, over groups and runs.

        ``coverage`` has a 95% binomial interval, ``coverage_low`` to ``coverage_high``.
        """
        rows = []
        for (n, gamma), part in self.runs.groupby(_KEYS, sort=True):
            held = int(part["covers"].sum())
            low, high = binomial_interval(held, len(part), 0.95)
            rows.append(
                {
                    "n": n,
                    "gamma": gamma,
                    "groups": part["group"].nunique(),
                    "intervals": len(part),
                    "coverage": held / len(part),
                    "coverage_low": low,
                    "coverage_high": high,
                    "width": (part["high"] - part["low"]).mean(),
                    "hoeffding_coverage": part["hoeffding_covers"].mean(),
                    "hoeffding_width": (part["hoeffding_high"] - part["hoeffding_low"]).mean(),
                }
            )
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the table and the settings as plain data, without the single runs."""
        content = super().to_dict()
        del content["runs"]
        return {**content, "table": plain(self.table)}

    def plot(self, group: Any, *, figsize: tuple[float, float] | None = None) -> "Figure":
        """Draw one group's intervals against sizes and shares (the paper's Fig. 1)."""
        from bayesbias.classifiers.figures import plot_coverage

        part = self.runs[self.runs["group"] == str(group)]
        if part.empty:
            raise ArgumentError(f"no group {group!r} in this experiment")
        return plot_coverage(part, self.confidence, figsize=figsize)

    @property
    def blocks(self) -> Blocks:
        """Coverage and width."""
        table = self.table
        shown = table[_KEYS].astype(str)
        shown["coverage"] = [
            f"{r.coverage:.1%} ({r.coverage_low:.1%} to {r.coverage_high:.1%})"
            for r in table.itertuples()
        ]
        shown["width"] = table["width"].map("{:.3f}".format)
        shown["Hoeffding"] = table["hoeffding_coverage"].map("{:.1%}".format)
        shown["its width"] = table["hoeffding_width"].map("{:.3f}".format)
        confidence, groups = percent(self.confidence), table["groups"].iloc[0]
        head = f"Share of {confidence} intervals that contain the truth, {groups} groups:"
        return [head, "", Table(shown, left=2)]


def coverage_experiment(
    costs: ArrayLike,
    groups: ArrayLike,
    *,
    sizes: Sequence[int] = (100, 200, 500, 1000),
    gammas: Sequence[float] = (0.1,),
    runs: int = 20,
    confidence: float = CONFIDENCE,
    variance: float | str = "sample",
    max_cost: float = 1.0,
    seed: int | np.random.Generator | None = None,
) -> CoverageExperiment:
    """Annotate samples of a population and see whether the intervals contain its true disparities.

    Every group in turn is the protected one, all others are the reference; a sample has γ · n
    examples of the group and the rest of the others, drawn without replacement (Ethayarajh 2020,
    section 3).

    Parameters
    ----------
    costs, groups : array_like, shape (n,)
        The whole population.
    sizes : sequence of int
        Annotated examples.
    gammas : sequence of float
        Shares of the protected group; every one is combined with every size.
    runs : int
        Samples per group, size and share.
    confidence, variance, max_cost
        As in `bernstein_interval`.
    seed : int or Generator, optional

    Returns
    -------
    CoverageExperiment

    Raises
    ------
    ArgumentError
        If an argument is outside its range, or a group has too few examples for a sample.

    Examples
    --------
    >>> from bayesbias.classifiers import genre_population
    >>> people = genre_population()
    >>> found = coverage_experiment(people.cost, people.genre, sizes=[100], runs=2, seed=1)
    >>> len(found.runs)
    20
    """
    check_confidence(confidence)
    check_gamma(gammas)
    check_sizes(sizes)
    if runs < 1 or not len(sizes) or not len(gammas):
        raise ArgumentError(f"runs={runs}: must be at least 1, with one size and one gamma or more")
    cost, label = np.asarray(costs, dtype=float), np.asarray(groups).astype(str)
    if cost.shape != label.shape or np.isnan(cost).any():
        raise ArgumentError("costs and groups: give one of each per example, none missing")
    names = [str(name) for name in np.unique(label)]
    if len(names) < 2:
        raise ArgumentError(f"all examples are of one group ({names[0]}); a disparity needs two")
    seed = seed_as_integer(seed)
    rng = np.random.default_rng(seed)
    rows = []
    for name in names:
        inside, outside = cost[label == name], cost[label != name]
        truth = float(inside.mean() - outside.mean())
        for n in sizes:
            for gamma in gammas:
                n_inside = _sample_size(name, int(n), gamma, len(inside), len(outside))
                is_protected = np.arange(int(n)) < n_inside
                for run in range(runs):
                    found = _one_run(
                        rng, inside, outside, is_protected, gamma, confidence, variance, max_cost
                    )
                    rows.append((name, int(n), gamma, run, truth, *found))
    columns = ["group", *_KEYS, "run", "true", "estimate", "low", "high", "half"]
    table = pd.DataFrame(rows, columns=columns)
    half = table.pop("half")
    table["hoeffding_low"], table["hoeffding_high"] = table.estimate - half, table.estimate + half
    table["covers"] = table["true"].between(table["low"], table["high"])
    table["hoeffding_covers"] = table["true"].between(table.hoeffding_low, table.hoeffding_high)
    return CoverageExperiment(table, confidence, variance, seed)


def _sample_size(name: str, n: int, gamma: float, n_inside: int, n_outside: int) -> int:
    """Return how many examples of the group to draw."""
    wanted = max(1, round(n * gamma))
    if wanted > n_inside or n - wanted > n_outside or n - wanted < 1:
        raise ArgumentError(
            f"n={n} with gamma={gamma}: group {name!r} has {n_inside:,} examples and the others "
            f"{n_outside:,}, which is too few; choose smaller sizes"
        )
    return wanted


def _one_run(
    rng: np.random.Generator,
    inside: NDArray[np.float64],
    outside: NDArray[np.float64],
    is_protected: NDArray[np.bool_],
    gamma: float,
    confidence: float,
    variance: float | str,
    max_cost: float,
) -> tuple[float, float, float, float]:
    n_inside = int(is_protected.sum())
    drawn = np.concatenate(
        [
            rng.choice(inside, n_inside, replace=False, shuffle=False),
            rng.choice(outside, len(is_protected) - n_inside, replace=False, shuffle=False),
        ]
    )
    share = min(gamma, n_inside / len(is_protected))  # rounding may leave slightly fewer
    found = bernstein_interval(
        drawn,
        np.where(is_protected, "in", "out"),
        protected="in",
        confidence=confidence,
        gamma=share,
        variance=variance,
        max_cost=max_cost,
    )
    return found.estimate, found.low, found.high, found.hoeffding_half_width
