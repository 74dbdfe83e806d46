"""Simulation-based calibration: whether the engines' posteriors mean what they say.

Draw parameters from the prior, data from the parameters, and a posterior from the data. If the
engine is right, the rank of every true parameter among its posterior draws is uniform, and an
interval of probability p holds the truth in a share p of simulations (Talts, Betancourt, Simpson,
Vehtari and Gelman 2018, "Validating Bayesian inference algorithms with simulation-based
calibration"). Worlds whose data are refused, as constant, are drawn anew: what is asked of the data
alone leaves ranks uniform. They are counted.

Run: python benchmarks/calibration.py [--model crossed] [--engine collapsed] [--simulations 1000]
                                      [--out DIR]
"""

import argparse
import dataclasses
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from bayesbias.constants import (
    DISTANCE,
    TEXT_COLUMNS,
)
from bayesbias.errors import ArgumentError, DistancesError, suggest
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.design import Design
from bayesbias.inference.intervals import interval_of
from bayesbias.inference.model_files import load_model
from bayesbias.inference.nuts import completed
from bayesbias.inference.parameters import coordinates, dimensions, samples
from bayesbias.inference.predictive import draw_predictive, draw_prior
from bayesbias.inference.sampling_form import centred_terms
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.compatibility import quiet_imports, sampled_groups
from bayesbias.support.figure_style import FAINT, INK, new_figure
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Column, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Sampler = Callable[[Design, int], xr.Dataset]

_RANKED_DRAWS: Final = 255
_PROBS: Final = (0.5, 0.89)
_SHOWN: Final = 10
_ENGINES: Final = ("auto", "collapsed", "nuts")


@dataclass(frozen=True, repr=False)
class Calibration(Result):
    """Ranks of true parameters among their posterior draws.

    Parameters
    ----------
    model, engine : str
    ranks : DataFrame
        One row per simulation, one column per parameter: how many of `n_draws` draws are below
        the truth, 0 to `n_draws`.
    covered : DataFrame
        Columns ``parameter``, ``prob``, ``inside``, ``n``: share of simulations whose HPDI holds
        the truth.
    n_draws : int
    seed : int
    refused : int
        Worlds whose data the engine refused.
    """

    _main: ClassVar[str] = "covered"

    model: str
    engine: str
    ranks: pd.DataFrame
    covered: pd.DataFrame
    n_draws: int
    seed: int
    refused: int = 0

    def summary(self) -> pd.DataFrame:
        """Return, per parameter, coverage and the p-values of two tests of uniform ranks.

        Returns
        -------
        DataFrame
            Columns ``parameter``, one ``inside_…`` per probability, ``p_uniform`` (Kolmogorov and
            Smirnov's test, which sees what is shifted) and ``p_spread`` (two-sided χ² test of the
            sum of squared normal scores, which sees posteriors that are too wide or too narrow;
            Cook, Gelman and Rubin 2006, "Validation of software for Bayesian models using
            posterior quantiles").
        """
        wide = self.covered.pivot_table(index="parameter", columns="prob", values="inside")
        wide.columns = [f"inside_{prob:g}" for prob in wide.columns]
        # A fixed spread within each rank makes the discrete ranks continuous.
        spread = np.random.default_rng(self.seed).random(self.ranks.shape)
        uniform = (self.ranks + spread) / (self.n_draws + 1)
        wide["p_uniform"] = [stats.kstest(uniform[name], "uniform").pvalue for name in wide.index]
        below = stats.chi2.cdf((stats.norm.ppf(uniform[wide.index]) ** 2).sum(axis=0), len(uniform))
        wide["p_spread"] = 2 * np.minimum(below, 1 - below)
        return wide.loc[list(self.ranks.columns)].rename_axis("parameter").reset_index()

    @property
    def blocks(self) -> Blocks:
        """What was simulated, and the parameters whose ranks are least uniform."""
        table = self.summary().sort_values("p_uniform").head(_SHOWN).reset_index(drop=True)
        numbers = [Column(name, name, "distance") for name in table.columns[1:]]
        return [
            f"{len(self.ranks):,} simulations of model {self.model!r} with the {self.engine} "
            f"engine. The ranks of {len(table)} of {len(self.ranks.columns):,} parameters, the "
            f"least uniform:",
            "",
            Table(table, ["parameter", *numbers]),
        ]

    def plot(self) -> "Figure":
        """Draw the ECDF of every parameter's ranks, less the uniform one, with a 95% band."""
        return plot_ranks(self.ranks, self.n_draws)


def calibrate(
    model: str | ModelSpec = "paper",
    *,
    engine: str = "auto",
    simulations: int = 100,
    seed: int = 1,
) -> Calibration:
    """Run simulation-based calibration on a small design.

    Six protected words in two groups meet four attributes of either stereotype, eight human and
    twelve neutral words.

    Parameters
    ----------
    model : str or ModelSpec
    engine : {"auto", "collapsed", "nuts"}
        "auto" is collapsed, or NUTS for Student-t noise: nutpie's, compiled once for all
        simulations.
    simulations : int
    seed : int

    Returns
    -------
    Calibration

    Raises
    ------
    ArgumentError
        If an argument is outside its range.
    """
    if simulations < 2:
        raise ArgumentError(f"simulations={simulations}: must be at least 2")
    if engine not in _ENGINES:
        raise ArgumentError(f"engine={engine!r}{suggest(engine, _ENGINES)}")
    spec = load_model(model)
    spec = spec.in_unit(0.1, 0.0 if spec.response == "change" else 1.0)
    if engine == "auto":
        engine = "collapsed" if spec.is_gaussian else "nuts"
    design = Design.from_frame(small_frame(spec.response), spec)
    sampler = {"collapsed": _collapsed, "nuts": _nutpie}[engine](spec, design)
    ranks, inside, refused = [], [], 0
    worlds = _worlds(spec, design, seed)
    while len(ranks) < simulations:
        truth, data, number = next(worlds)
        try:
            draws = _values(sampler(data, number), design, spec)
        except DistancesError:
            refused += 1
            continue
        thinned = draws[np.linspace(0, len(draws) - 1, _RANKED_DRAWS).astype(int)]
        ranks.append((thinned < truth).sum(axis=0))
        inside.append([_holds(draws, truth, prob) for prob in _PROBS])
    labels = _labels(design, spec)
    shares = np.mean(inside, axis=0)
    covered = pd.DataFrame(
        [
            (label, prob, shares[i, j], simulations)
            for i, prob in enumerate(_PROBS)
            for j, label in enumerate(labels)
        ],
        columns=["parameter", "prob", "inside", "n"],
    )
    table = pd.DataFrame(np.array(ranks), columns=labels)
    return Calibration(spec.name, engine, table, covered, _RANKED_DRAWS, seed, refused)


def small_frame(response: str = DISTANCE) -> pd.DataFrame:
    """Return the frame that is simulated; its responses are zeros.

    Examples
    --------
    >>> small_frame().groupby("connection", sort=False).size().tolist()
    [24, 24, 48, 72]
    """
    rows = []
    for w in range(6):
        group = w // 3
        # What is associated with one group is different for the other.
        lists = {
            "associated": range(4 * group, 4 * group + 4),
            "different": range(4 - 4 * group, 8 - 4 * group),
            "human": range(8, 16),
            "neutral": range(16, 28),
        }
        rows += [
            (f"word {w + 1}", f"group {group + 1}", f"attribute {j + 1}", name, name, 0.0)
            for name, attributes in lists.items()
            for j in attributes
        ]
    return pd.DataFrame(rows, columns=[*TEXT_COLUMNS, response])


def _worlds(
    spec: ModelSpec, design: Design, seed: int
) -> Iterator[tuple[NDArray[np.float64], Design, int]]:
    """Yield true parameters, data drawn from them, and a seed for the sampler."""
    rng = np.random.default_rng(seed)
    while True:
        prior = draw_prior(spec, design, draws=1, rng=rng)
        response = draw_predictive(prior, design, rng=rng).to_numpy().ravel().astype(float)
        data = dataclasses.replace(design, response=response)
        yield _values(prior, design, spec)[0], data, int(rng.integers(2**31))


def _values(draws: xr.Dataset, design: Design, spec: ModelSpec) -> NDArray[np.float64]:
    """Return draws as an array (n, parameters), in the order of `_labels`."""
    columns = [samples(draws, name) for name in dimensions(design, spec)]
    columns = [values.reshape(len(values), -1) for values in columns]
    means = columns[0]
    return np.concatenate([*columns, means[:, [0]] - means[:, [1]]], axis=1)


def _labels(design: Design, spec: ModelSpec) -> list[str]:
    coords = coordinates(design)
    labels = []
    for name, dims in dimensions(design, spec).items():
        index = product(*(coords[dim] for dim in dims))
        labels += [f"{name}[{', '.join(entry)}]" if dims else name for entry in index]
    a, b = design.connections[:2]
    return [*labels, f"connection_mean[{a}] − connection_mean[{b}]"]


def _holds(
    draws: NDArray[np.float64], truth: NDArray[np.float64], prob: float
) -> NDArray[np.bool_]:
    bounds = interval_of(draws, prob, "hpdi")
    return np.asarray((truth >= bounds[:, 0]) & (truth <= bounds[:, 1]))


def _collapsed(spec: ModelSpec, _design: Design) -> Sampler:
    def sample(data: Design, seed: int) -> xr.Dataset:
        return sample_collapsed(data, spec, draws=4000, chains=1, seed=seed)[0]

    return sample


def _nutpie(spec: ModelSpec, design: Design) -> Sampler:
    """Compile the model once; every simulation only changes its data."""
    with quiet_imports():
        import nutpie
        import pymc as pm

    from bayesbias.inference.sampling_form import sampling_model

    # The data differ too much to choose a form by them: non-centred is never badly wrong.
    model = sampling_model(
        design,
        spec,
        centred_terms(design, "non-centred"),
        response=lambda: pm.Data("response", design.response),
    )
    with quiet_imports():
        compiled = nutpie.compile_pymc_model(model, freeze_model=False)

    def sample(data: Design, seed: int) -> xr.Dataset:
        options: dict[str, Any] = {"draws": 1500, "tune": 1000, "chains": 2, "seed": seed}
        result = nutpie.sample(
            compiled.with_data(response=data.response),
            target_accept=0.97,
            progress_bar=False,
            **options,
        )
        return completed(sampled_groups(result)[0], design, spec, seed)

    return sample


def plot_ranks(ranks: pd.DataFrame, n_draws: int) -> "Figure":
    """Draw, per family of parameters, the ECDF of the ranks less the uniform one.

    The band holds a whole curve with probability 95% if ranks are uniform (the quantile of the
    largest deviation, found by simulation).

    Parameters
    ----------
    ranks : DataFrame
        One row per simulation, one column per parameter.
    n_draws : int
        Ranks go from 0 to this.

    Returns
    -------
    matplotlib.figure.Figure
    """
    families: dict[str, list[str]] = {}
    for name in ranks.columns:
        family = "contrast" if "−" in name else name.partition("[")[0]
        families.setdefault(family, []).append(name)
    columns = 3
    rows = -(-len(families) // columns)
    figure, axes = new_figure(rows, columns, size=(9.0, 2.4 * rows + 0.3), sharex=True, sharey=True)
    grid = np.linspace(0, 1, 101)
    band = _band(len(ranks), n_draws, grid)
    panels: list[Axes] = list(axes.flat)  # type: ignore[arg-type]
    for axis, (family, names) in zip(panels, families.items(), strict=False):
        axis.fill_between(grid, -band, band, color=FAINT, alpha=0.8, linewidth=0)
        for name in names:
            axis.plot(
                grid,
                _deviation(ranks[name].to_numpy(), n_draws, grid),
                color="#0072B2",
                linewidth=0.8,
                alpha=min(1.0, 6 / len(names) + 0.15),
            )
        axis.axhline(0, color=INK, linewidth=0.8)
        axis.set_title(f"{family} ({len(names)})", fontsize=9, loc="left")
        axis.tick_params(length=0)
    for axis in panels[len(families) :]:
        figure.delaxes(axis)
    figure.supxlabel("rank of the truth among its posterior draws, as a share", fontsize=9)
    figure.supylabel("ECDF less uniform", fontsize=9)
    return figure


def _deviation(ranks: np.ndarray, n_draws: int, grid: np.ndarray) -> np.ndarray:
    share = np.sort((ranks + 0.5) / (n_draws + 1))
    return np.asarray(np.searchsorted(share, grid, side="right") / len(share) - grid)


def _band(n: int, n_draws: int, grid: np.ndarray) -> np.ndarray:
    """Return the half-width within which 95% of uniform curves stay everywhere."""
    rng = np.random.default_rng(0)
    curves = np.array(
        [_deviation(rng.integers(0, n_draws + 1, n), n_draws, grid) for _ in range(2000)]
    )
    spread = np.sqrt(np.maximum(grid * (1 - grid), 1 / n) / n)
    largest = (np.abs(curves) / spread).max(axis=1)
    return np.asarray(np.quantile(largest, 0.95) * spread)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="paper")
    parser.add_argument("--engine", default="collapsed")
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    start = time.perf_counter()
    found = calibrate(
        arguments.model,
        engine=arguments.engine,
        simulations=arguments.simulations,
        seed=arguments.seed,
    )
    seconds = time.perf_counter() - start
    table = found.summary()
    table["family"] = table["parameter"].str.partition("[")[0]
    families = table.groupby("family", sort=False).agg(
        parameters=("parameter", "size"),
        inside_50=("inside_0.5", "mean"),
        inside_89=("inside_0.89", "mean"),
        smallest_p=("p_uniform", "min"),
    )
    print(
        f"{arguments.model}, {arguments.engine}: {arguments.simulations} simulations, "
        f"{seconds:.0f} s, {found.refused} refused"
    )
    print(families.round(4).to_string())
    print(
        f"{len(table)} parameters, smallest p {table['p_uniform'].min():.4f}, "
        f"{(table['p_uniform'] < 0.05).sum()} below .05"
    )
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        name = f"calibration-{arguments.model}-{arguments.engine}.png"
        found.plot().savefig(arguments.out / name, dpi=110)


if __name__ == "__main__":
    main()
