"""How often intervals of classifier bias contain a known truth, and how wide they are.

Run: python benchmarks/interval_coverage.py [--runs 2000] [--predictions FILE] [--figures DIR]

First the experiment of Ethayarajh (2020, section 3) with Bernstein's bounds: samples of a
population whose disparities are known. Then all intervals of a difference of two rates, from
simulated samples. --predictions is a file of Bias in Bios predictions with the columns y_true and
y_pred_lr.
"""

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import binomtest

from bayesbias import classifiers
from bayesbias.classifiers.estimates import beta_draws
from bayesbias.engine.intervals import interval_of
from bayesbias.show.style import INK, new_figure, style

GENRE_COSTS = {
    **{"facetoface": 0.116, "fiction": 0.122, "government": 0.154, "letters": 0.105},
    **{"nineeleven": 0.115, "oup": 0.132, "slate": 0.147, "telephone": 0.125},
    **{"travel": 0.111, "verbatim": 0.146},
}
"""Mean in-genre cost: Ethayarajh (2020), Table 1."""

WINOBIAS = 3160
"""Examples of that data set."""

ESTIMATE, TRUTH = "#0072B2", "#D55E00"
PRIORS = {"uniform": (1.0, 1.0), "Jeffreys": (0.5, 0.5)}
"""Priors of the Beta-Binomial intervals that are compared."""

INTERVAL_METHODS = (
    "Bernstein, sample σ²",
    "Bernstein, largest σ²",
    "Hoeffding",
    "bootstrap",
    "Beta-Binomial, uniform",
    "Beta-Binomial, Jeffreys",
)
"""The intervals that are compared, in the order of tables."""


COLOURS = ("#D55E00", "#E69F00", "#5F6B73", "#CC79A7", "#0072B2", "#009E73")


def genre_population(size: int = 2000) -> pd.DataFrame:
    """Return `size` examples in each of ten genres with the mean costs of the paper's Table 1.

    Of the annotators' disagreement only means are published: here an example costs 0, .2 or .4
    (none, one or two of five annotators disagree), .4 for three in ten of those that cost anything.
    """
    parts = []
    for genre, mean in GENRE_COSTS.items():
        units = round(mean * size / 0.2)  # a cost of .4 is two units of .2
        large = round(units * 0.3 / 1.3)
        counts = [size - (units - 2 * large) - large, units - 2 * large, large]
        parts.append(pd.DataFrame({"genre": genre, "cost": np.repeat([0.0, 0.2, 0.4], counts)}))
    return pd.concat(parts, ignore_index=True)


def of_population(
    costs: Sequence[float],
    groups: Sequence[str],
    *,
    sizes: Sequence[int] = (100, 200, 500, 1000),
    gammas: Sequence[float] = (0.1,),
    runs: int = 20,
    confidence: float = 0.95,
    variance: str = "sample",
) -> pd.DataFrame:
    """Bound the disparity of each group against all others, from samples of a whole population.

    A sample has γ · n examples of the group and the rest of the others, drawn without replacement.
    One row per group, size, γ and run.
    """
    cost, label = np.asarray(costs, dtype=float), np.asarray(groups).astype(str)
    rng, rows = np.random.default_rng(1), []
    for name in np.unique(label):
        inside, outside = cost[label == name], cost[label != name]
        truth = inside.mean() - outside.mean()
        for n, gamma in ((n, gamma) for n in sizes for gamma in gammas):
            n_inside = max(1, round(n * gamma))
            which = np.where(np.arange(n) < n_inside, "in", "out")
            share = min(gamma, n_inside / n)  # rounding may leave slightly fewer
            for run in range(runs):
                drawn = [
                    rng.choice(inside, n_inside, replace=False, shuffle=False),
                    rng.choice(outside, n - n_inside, replace=False, shuffle=False),
                ]
                known = {"confidence": confidence, "gamma": share, "variance": variance}
                costs_drawn = np.concatenate(drawn)
                bounds = classifiers.bernstein_interval(costs_drawn, which, protected="in", **known)
                bernstein, hoeffding = bounds.table.to_dict("records")
                ends = (bernstein["low"], bernstein["high"], hoeffding["half_width"])
                rows.append((name, n, gamma, run, truth, bernstein["estimate"], *ends))
    columns = ["group", "n", "gamma", "run", "true", "estimate", "low", "high", "hoeffding"]
    return pd.DataFrame(rows, columns=columns)


def coverage_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return coverage with its 95% interval and mean widths per size and γ of `of_population`."""
    rows = []
    for (n, gamma), part in found.groupby(["n", "gamma"]):
        ends = part[["low", "high"]].to_numpy()
        covered, low, high, width, _ = coverage_of(ends, part["true"].to_numpy())
        hoeffding = ((part["true"] - part["estimate"]).abs() <= part["hoeffding"]).mean()
        row = (n, gamma, part["group"].nunique(), len(part), covered, low, high, width, hoeffding)
        rows.append((*row, 2 * part["hoeffding"].mean()))
    columns = ["n", "gamma", "groups", "intervals", "coverage", "coverage_low", "coverage_high"]
    columns += ["width", "hoeffding_coverage", "hoeffding_width"]
    return pd.DataFrame(rows, columns=columns)


def gap_intervals(
    successes: np.ndarray,
    trials: np.ndarray,
    *,
    prob: float,
    draws: int,
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Return every method's intervals, (..., 2), of successes and trials, (..., 2), all above 0."""
    n = trials.sum(axis=-1)
    rates = successes / trials
    gap = rates[..., 0] - rates[..., 1]
    share = trials.min(axis=-1) / n
    # Amortised disparities are ± n / trials where something costs, else 0: their squares add up
    # from counts, and their sum is n times the gap.
    squares = (successes * (n[..., None] / trials) ** 2).sum(axis=-1)
    sample = np.maximum(squares - n * gap**2, 0) / np.maximum(n - 1, 1)
    options = {"confidence": prob, "gamma": share}
    widths = (
        classifiers.bernstein_half_width(n, variance=sample, **options),
        classifiers.bernstein_half_width(n, variance=(1 / share) ** 2, **options),
        classifiers.hoeffding_half_width(n, **options),
    )
    found = {
        name: np.stack([gap - half, gap + half], axis=-1)
        for name, half in zip(INTERVAL_METHODS, widths, strict=False)
    }
    resampled = rng.binomial(trials, rates, size=(draws, *trials.shape)) / trials
    found["bootstrap"] = interval_of(resampled[..., 0] - resampled[..., 1], prob, "eti")
    for name, prior in PRIORS.items():
        drawn = beta_draws(successes, trials, prior=prior, draws=draws, rng=rng)
        found[f"Beta-Binomial, {name}"] = interval_of(drawn[..., 0] - drawn[..., 1], prob, "hdi")
    return found


def of_rates(
    rates: Sequence[tuple[float, float]],
    *,
    sizes: Sequence[int] = (20, 50, 100, 200, 500),
    shares: Sequence[float] = (0.5,),
    runs: int = 1000,
    draws: int = 1000,
) -> pd.DataFrame:
    """Simulate samples with known rates and count how often each interval holds the difference.

    One row per size, share of the first group, pair of rates and method.
    """
    rng, rows = np.random.default_rng(1), []
    for pair, share, n in product(np.asarray(rates, dtype=float), shares, sizes):
        first = min(max(1, round(n * share)), n - 1)
        trials = np.tile([first, n - first], (runs, 1))
        successes = rng.binomial(trials, pair)
        found = gap_intervals(successes, trials, prob=0.95, draws=draws, rng=rng)
        for method, ends in found.items():
            counted = coverage_of(ends, pair[0] - pair[1])
            rows.append((n, share, *pair, method, *counted))
    columns = ["n", "share", "rate_protected", "rate_reference", "method"]
    columns += ["coverage", "coverage_low", "coverage_high", "width", "excludes_zero"]
    return pd.DataFrame(rows, columns=columns)


def coverage_of(ends: np.ndarray, truth: float | np.ndarray) -> tuple[float, ...]:
    """Return coverage with its 95% interval, mean width, and the share that exclude 0."""
    held = int(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).sum())
    low, high = binomtest(held, len(ends)).proportion_ci(0.95, "wilson")
    sure = ((ends[:, 0] > 0) | (ends[:, 1] < 0)).mean()
    return held / len(ends), float(low), float(high), np.ptp(ends, axis=1).mean(), sure


def plot_population(found: pd.DataFrame, group: str) -> Figure:
    """Draw one group's intervals around the truth (Fig. 1): against n, or γ if there is one n."""
    part = found[found["group"] == group]
    by, panel = ("gamma", "n") if len(part["n"].unique()) == 1 else ("n", "gamma")
    panels = list(part.groupby(panel))
    size = (0.8 + 3.6 * len(panels), 3.4)
    with style():
        figure, axes = new_figure(1, len(panels), size, 3.4, sharey=True)
    names = {"n": "annotated examples n", "gamma": "share of the protected group γ"}
    for axis, (value, rows) in zip(axes, panels, strict=True):
        _intervals_by(axis, rows, by)
        axis.set_title(f"{group}, {'n' if panel == 'n' else 'γ'} = {value:g}")
        axis.set_xlabel(names[by])
    axes[0].set_ylabel("disparity, 95% Bernstein interval")
    axes[0].legend(loc="upper right")
    return figure


def _intervals_by(axis: Axes, part: pd.DataFrame, by: str) -> None:
    values = sorted(part[by].unique())
    for place, value in enumerate(values):
        rows = part[part[by] == value]
        x = place + np.linspace(-0.32, 0.32, len(rows))
        axis.vlines(x, rows["low"], rows["high"], color=ESTIMATE, linewidth=0.9, alpha=0.7)
        label = "estimates, one per sample" if place == 0 else None
        axis.plot(x, rows["estimate"], "o", color=ESTIMATE, markersize=2.5, label=label)
    axis.axhline(part["true"].iloc[0], color=TRUTH, linewidth=1.4, label="truth")
    axis.axhline(0, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    axis.set_xticks(range(len(values)), [f"{v:g}" for v in values])
    axis.grid(axis="y")


def plot_required_n() -> Figure:
    """Draw the examples needed against the estimated disparity (Fig. 2), with WinoBias's size."""
    x = np.linspace(0.01, 0.3, 117)
    with style():
        figure, (axis,) = new_figure(1, 1, (5.2, 3.4), 3.4)
    needed = [classifiers.required_n(disparity=d) for d in x]
    axis.plot(x, needed, color=ESTIMATE, linewidth=1.6)
    n, least = WINOBIAS, classifiers.detectable_disparity(n=WINOBIAS)
    axis.axhline(n, color=TRUTH, linewidth=1.0, linestyle=(0, (4, 3)))
    axis.plot(least, n, "o", color=TRUTH, markersize=5)
    beside = {"xytext": (6, 6), "textcoords": "offset points", "fontsize": 8.5, "color": INK}
    axis.annotate(f"WinoBias, n = {n:,}: at least {least:.4f}", (least, n), **beside)
    axis.set_yscale("log")
    axis.set_xlabel("estimated disparity to be distinguished from 0")
    axis.set_ylabel("annotated examples needed")
    axis.set_title("95% confidence, γ = 0.5, C = 1")
    axis.grid()
    return figure


def plot_rates(table: pd.DataFrame) -> Figure:
    """Draw coverage (above) and mean width (below) of `of_rates` against n."""
    columns = list(table.groupby(["rate_protected", "rate_reference", "share"], sort=False))
    size = (0.9 + 2.9 * len(columns), 5.4)
    with style():
        figure, flat = new_figure(2, len(columns), size, 5.4, sharex=True, sharey="row")
    axes = np.reshape(flat, (2, len(columns)))
    sizes = sorted(table["n"].unique())
    for column, ((first, second, share), part) in enumerate(columns):
        upper, lower = axes[0, column], axes[1, column]
        for i, (method, rows) in enumerate(part.groupby("method", sort=False)):
            colour = COLOURS[i]
            x = np.array([sizes.index(n) for n in rows["n"]]) + 0.07 * (i - 2.5)
            look = {"marker": "os^DvP"[i], "color": colour, "markersize": 4}
            ends = rows["coverage_low"], rows["coverage_high"]
            upper.vlines(x, *ends, color=colour, linewidth=1.1)
            upper.plot(x, rows["coverage"], linewidth=0.7, label=method, **look)
            lower.plot(x, rows["width"], linewidth=1.1, **look)
        upper.axhline(0.95, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        upper.set_title(f"rates {first:g} and {second:g}, share {share:g}")
        lower.axhline(2, color=INK, linewidth=0.8, linestyle=(0, (1, 2)))
        lower.set_yscale("log")
        for axis in (upper, lower):
            axis.set_xticks(range(len(sizes)), [f"{n}" for n in sizes])
            axis.grid(axis="y")
    axes[0, 0].set_ylabel("coverage")
    axes[1, 0].set_ylabel("mean width (at most 2 is possible)")
    figure.supxlabel("annotated examples of both groups", fontsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--predictions", type=Path)
    parser.add_argument("--figures", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    print("required n for an estimated disparity of .05:", classifiers.required_n(disparity=0.05))
    print("detectable at n = 3,160:", round(classifiers.detectable_disparity(n=WINOBIAS), 4))
    genres = genre_population()
    populations = {"ten genres with the costs of Table 1": (genres["cost"], genres["genre"])}
    if arguments.predictions is not None:
        people = pd.read_csv(arguments.predictions)
        error = (people["y_true"] != people["y_pred_lr"]).astype(float)
        populations["Bias in Bios, occupations, zero-one loss"] = (error, people["y_true"])
    for name, columns in populations.items():
        for variance in ("sample", "maximal"):
            print(f"\n{name}, σ² {variance}, 20 runs per group and size")
            table = coverage_table(of_population(*columns, variance=variance))
            print(table.round(3).to_string(index=False))
    print(f"\nSimulated rates, {arguments.runs:,} samples each, 95% intervals")
    rates = of_rates([(0.3, 0.2), (0.05, 0.02)], shares=[0.5, 0.1], runs=arguments.runs)
    print(rates.round(3).to_string(index=False))
    if arguments.figures is None:
        return
    genre = genres["cost"], genres["genre"]
    sizes = of_population(*genre)
    shares = of_population(*genre, sizes=[500], gammas=[0.1, 0.2, 0.3, 0.4, 0.5])
    plot_population(sizes, "government").savefig(arguments.figures / "bernstein-sizes.png")
    plot_population(shares, "government").savefig(arguments.figures / "bernstein-shares.png")
    plot_required_n().savefig(arguments.figures / "bernstein-required.png")
    plot_rates(rates).savefig(arguments.figures / "classifier-intervals.png")


if __name__ == "__main__":
    main()
