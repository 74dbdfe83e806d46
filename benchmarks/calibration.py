"""Simulation-based calibration: whether the engines' posteriors mean what they say.

Draw parameters from the prior, data from the parameters, and a posterior from the data. If the
engine is right, the rank of every true parameter among its posterior draws is uniform, and an
interval of probability p holds the truth in a share p of simulations (Talts, Betancourt, Simpson,
Vehtari and Gelman 2018, "Validating Bayesian inference algorithms with simulation-based
calibration"). Worlds whose data are refused, as constant, are drawn anew: what is asked of the data
alone leaves ranks uniform. They are counted.

Run: python benchmarks/calibration.py [--models crossed] [--engine collapsed] [--worlds 1000]
                                      [--save calibration]
"""

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from saved_results import IMAGES
from scipy import stats
from worlds import options, tell

from bayesbias.constants import DISTANCE, TEXT_COLUMNS
from bayesbias.errors import DistancesError
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.design import Design
from bayesbias.inference.intervals import interval_of
from bayesbias.inference.model_files import load_model
from bayesbias.inference.nuts import completed
from bayesbias.inference.parameters import coordinates, dimensions, samples
from bayesbias.inference.predictive import draw_predictive, draw_prior
from bayesbias.inference.sampling_form import centred_terms, sampling_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.compatibility import quiet_imports, sampled_groups
from bayesbias.support.figure_style import FAINT, INK, new_figure

Sampler = Callable[[Design, int], xr.Dataset]

_RANKED_DRAWS: Final = 255
_PROBS: Final = (0.5, 0.89)


@dataclass(frozen=True)
class Calibration:
    """Ranks of true parameters among so many posterior draws, a row per simulation.

    `inside`: the share of simulations whose HPDI holds the truth, by parameter and probability;
    `refused`: worlds whose data the engine refused.
    """

    ranks: pd.DataFrame
    inside: pd.DataFrame
    seed: int
    refused: int

    def summary(self) -> pd.DataFrame:
        """Return, per parameter, coverage and the p-values of two tests of uniform ranks.

        ``p_uniform`` is Kolmogorov and Smirnov's, which sees what is shifted; ``p_spread`` a
        two-sided χ² test of the sum of squared normal scores, which sees posteriors that are too
        wide or too narrow (Cook, Gelman and Rubin 2006, "Validation of software for Bayesian models
        using posterior quantiles").
        """
        table = self.inside.add_prefix("inside_")
        # A fixed spread within each rank makes the discrete ranks continuous.
        spread = np.random.default_rng(self.seed).random(self.ranks.shape)
        uniform = (self.ranks + spread) / (_RANKED_DRAWS + 1)
        table["p_uniform"] = [stats.kstest(uniform[name], "uniform").pvalue for name in uniform]
        below = stats.chi2.cdf((stats.norm.ppf(uniform) ** 2).sum(axis=0), len(uniform))
        table["p_spread"] = 2 * np.minimum(below, 1 - below)
        return table.rename_axis("parameter").reset_index()


def calibrate(
    model: str | ModelSpec, *, engine: str = "auto", simulations: int = 100, seed: int = 1
) -> Calibration:
    """Run simulation-based calibration on a small design.

    "auto" is the collapsed engine, or for Student-t noise nutpie's NUTS, compiled once for all
    simulations.
    """
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
    shares = pd.DataFrame(np.mean(inside, axis=0).T, labels, [f"{prob:g}" for prob in _PROBS])
    return Calibration(pd.DataFrame(np.array(ranks), columns=labels), shares, seed, refused)


def small_frame(response: str = DISTANCE) -> pd.DataFrame:
    """Return the frame that is simulated, its responses zeros.

    Six protected words in two groups meet four attributes of either stereotype, eight human and
    twelve neutral words.
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


def _worlds(spec: ModelSpec, design: Design, seed: int) -> Iterator[tuple[np.ndarray, Design, int]]:
    """Yield true parameters, data drawn from them, and a seed for the sampler."""
    rng = np.random.default_rng(seed)
    while True:
        prior = draw_prior(spec, design, draws=1, rng=rng)
        response = draw_predictive(prior, design, rng=rng).to_numpy().ravel().astype(float)
        data = dataclasses.replace(design, response=response)
        yield _values(prior, design, spec)[0], data, int(rng.integers(2**31))


def _values(draws: xr.Dataset, design: Design, spec: ModelSpec) -> np.ndarray:
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


def _holds(draws: np.ndarray, truth: np.ndarray, prob: float) -> np.ndarray:
    low, high = interval_of(draws, prob, "hpdi").T
    return (truth >= low) & (truth <= high)


def _collapsed(spec: ModelSpec, _design: Design) -> Sampler:
    def sample(data: Design, seed: int) -> xr.Dataset:
        return sample_collapsed(data, spec, draws=4000, chains=1, seed=seed)[0]

    return sample


def _nutpie(spec: ModelSpec, design: Design) -> Sampler:
    """Compile the model once; every simulation only changes its data."""
    with quiet_imports():
        import nutpie
        import pymc as pm

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


def plot_ranks(ranks: pd.DataFrame) -> Figure:
    """Draw, per family of parameters, the ECDF of the ranks less the uniform one.

    The band holds a whole curve with probability 95% if ranks are uniform (the quantile of the
    largest deviation, found by simulation).
    """
    families: dict[str, list[str]] = {}
    for name in ranks.columns:
        family = "contrast" if "−" in name else name.partition("[")[0]
        families.setdefault(family, []).append(name)
    columns = 3
    rows = -(-len(families) // columns)
    figure, axes = new_figure(rows, columns, size=(9.0, 2.4 * rows + 0.3), sharex=True, sharey=True)
    grid = np.linspace(0, 1, 101)
    band, panels = _band(len(ranks), grid), list(axes.flat)
    for axis, (family, names) in zip(panels, families.items(), strict=False):
        axis.fill_between(grid, -band, band, color=FAINT, alpha=0.8, linewidth=0)
        for name in names:
            look = {"color": "#0072B2", "linewidth": 0.8, "alpha": min(1.0, 6 / len(names) + 0.15)}
            axis.plot(grid, _deviation(ranks[name].to_numpy(), grid), **look)
        axis.axhline(0, color=INK, linewidth=0.8)
        axis.set_title(f"{family} ({len(names)})", fontsize=9, loc="left")
        axis.tick_params(length=0)
    for axis in panels[len(families) :]:
        figure.delaxes(axis)
    figure.supxlabel("rank of the truth among its posterior draws, as a share", fontsize=9)
    figure.supylabel("ECDF less uniform", fontsize=9)
    return figure


def _deviation(ranks: np.ndarray, grid: np.ndarray) -> np.ndarray:
    share = np.sort((ranks + 0.5) / (_RANKED_DRAWS + 1))
    return np.searchsorted(share, grid, side="right") / len(share) - grid


def _band(n: int, grid: np.ndarray) -> np.ndarray:
    """Return the half-width within which 95% of uniform curves stay everywhere."""
    rng = np.random.default_rng(0)
    drawn = (rng.integers(0, _RANKED_DRAWS + 1, n) for _ in range(2000))
    curves = np.array([_deviation(ranks, grid) for ranks in drawn])
    spread = np.sqrt(np.maximum(grid * (1 - grid), 1 / n) / n)
    largest = (np.abs(curves) / spread).max(axis=1)
    return np.quantile(largest, 0.95) * spread


def row(found: Calibration, model: str, engine: str) -> dict[str, Any]:
    """Return what the page's table has of a model."""
    table = found.summary()
    return {
        "model": f"`{model}`",
        "engine": engine,
        "parameters": len(table),
        "inside 50%": 100 * table["inside_0.5"].mean(),
        "inside 89%": 100 * table["inside_0.89"].mean(),
        "smallest p of uniform ranks": table["p_uniform"].min(),
        "p below .05": (table["p_uniform"] < 0.05).sum(),
    }


def main() -> None:
    """Print a row for every model; with what is saved go the figures of its page."""
    parser = options(__doc__.partition("\n")[0], worlds=1000, seed=1)
    parser.add_argument("--models", nargs="+", default=["paper", "crossed", "maximal"])
    parser.add_argument("--engine", default="collapsed")
    given, rows = parser.parse_args(), []
    for model in given.models:
        settings = {"simulations": given.worlds, "seed": given.seed}
        found = calibrate(model, engine=given.engine, **settings)
        rows.append(row(found, model, given.engine))
        print(f"{model}: {found.refused} worlds refused", flush=True)
        if given.save:
            name = f"{given.save}-{model}-{given.engine}.png"
            plot_ranks(found.ranks).savefig(IMAGES / name, dpi=110)
    tell(rows, given, words=6, attributes=28)


if __name__ == "__main__":
    main()
