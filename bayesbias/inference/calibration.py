"""Simulation-based calibration: whether the engines' posteriors mean what they say.

Draw parameters from the prior, data from the parameters, and a posterior from the data. If the
engine is right, the rank of every true parameter among its posterior draws is uniform, and an
interval of probability p holds the truth in a share p of simulations (Talts, Betancourt, Simpson,
Vehtari and Gelman 2018, "Validating Bayesian inference algorithms with simulation-based
calibration").
"""

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from bayesbias.errors import ArgumentError, suggest
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.design import Design
from bayesbias.inference.intervals import hpdi
from bayesbias.inference.model_files import load_model
from bayesbias.inference.parameters import dimensions
from bayesbias.inference.predictive import draw_predictive, draw_prior
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.compatibility import quiet_imports, sampled_groups

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Sampler = Callable[[Design, int], xr.Dataset]

_RANKED_DRAWS: Final = 255
_PROBS: Final = (0.5, 0.89)


@dataclass(frozen=True)
class Calibration:
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
    """

    model: str
    engine: str
    ranks: pd.DataFrame
    covered: pd.DataFrame
    n_draws: int
    seed: int

    def summary(self) -> pd.DataFrame:
        """Return, per parameter, coverage and the p-value of uniform ranks (Kolmogorov-Smirnov).

        Returns
        -------
        DataFrame
            Columns ``parameter``, one ``inside_…`` per probability, and ``p_uniform``.
        """
        wide = self.covered.pivot_table(index="parameter", columns="prob", values="inside")
        wide.columns = [f"inside_{prob:g}" for prob in wide.columns]
        # A fixed spread within each rank makes the discrete ranks continuous.
        spread = np.random.default_rng(self.seed).random(self.ranks.shape)
        uniform = (self.ranks + spread) / (self.n_draws + 1)
        wide["p_uniform"] = [stats.kstest(uniform[name], "uniform").pvalue for name in wide.index]
        return wide.loc[list(self.ranks.columns)].rename_axis("parameter").reset_index()

    def plot(self) -> "Figure":
        """Draw the ECDF of every parameter's ranks, less the uniform one, with a 95% band."""
        from bayesbias.inference.calibration_figure import plot_ranks

        return plot_ranks(self.ranks, self.n_draws)


def calibrate(
    model: str | ModelSpec = "paper",
    *,
    engine: str = "collapsed",
    simulations: int = 100,
    seed: int = 1,
) -> Calibration:
    """Run simulation-based calibration on a small design.

    Six protected words in two groups meet four attributes of either stereotype, eight human and
    twelve neutral words.

    Parameters
    ----------
    model : str or ModelSpec
    engine : {"collapsed", "nuts"}
        NUTS is nutpie's, compiled once for all simulations.
    simulations : int
    seed : int

    Returns
    -------
    Calibration

    Raises
    ------
    ArgumentError
        If an argument is outside its range.

    Examples
    --------
    >>> calibrate("paper", simulations=20).ranks.shape[0]
    20
    """
    if simulations < 2:
        raise ArgumentError(f"simulations={simulations}: must be at least 2")
    if engine not in ("collapsed", "nuts"):
        raise ArgumentError(f"engine={engine!r}{suggest(engine, ('collapsed', 'nuts'))}")
    spec, design = load_model(model), small_design()
    sampler = _collapsed(spec) if engine == "collapsed" else _nutpie(spec, design)
    ranks, inside = [], []
    for truth, data, number in _worlds(spec, design, simulations, seed):
        draws = _named(sampler(data, number), spec)
        thinned = draws[np.linspace(0, len(draws) - 1, _RANKED_DRAWS).astype(int)]
        ranks.append((thinned < truth).sum(axis=0))
        inside.append([_holds(draws, truth, prob) for prob in _PROBS])
    labels = _labels(spec, design)
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
    return Calibration(spec.name, engine, table, covered, _RANKED_DRAWS, seed)


def small_design() -> Design:
    """Return the design that is simulated; its responses are zeros."""
    rows = []
    for w in range(6):
        own, other = (0, 1) if w < 3 else (1, 0)
        rows += [(w, 0, 4 * own + j) for j in range(4)]
        rows += [(w, 1, 4 * other + j) for j in range(4)]
        rows += [(w, 2, 8 + j) for j in range(8)]
        rows += [(w, 3, 16 + j) for j in range(12)]
    word, connection, attribute = np.array(rows).T
    return Design(
        protected_words=tuple(f"word {i + 1}" for i in range(6)),
        connections=("associated", "different", "human", "neutral"),
        attributes=tuple(f"attribute {i + 1}" for i in range(28)),
        kinds=("stereotype", "human", "neutral"),
        word=word,
        connection=connection,
        attribute=attribute,
        kind=np.repeat([0, 1, 2], [8, 8, 12]),
        response=np.zeros(len(rows)),
    )


def _worlds(
    spec: ModelSpec, design: Design, simulations: int, seed: int
) -> Iterator[tuple[NDArray[np.float64], Design, int]]:
    """Yield true parameters, data drawn from them, and a seed for the sampler."""
    rng = np.random.default_rng(seed)
    for _ in range(simulations):
        prior = draw_prior(spec, design, draws=1, rng=rng)
        response = draw_predictive(prior, design, rng=rng).to_numpy().ravel().astype(float)
        data = dataclasses.replace(design, response=response)
        yield _named(prior, spec)[0], data, int(rng.integers(2**31))


def _named(draws: xr.Dataset, spec: ModelSpec) -> NDArray[np.float64]:
    """Return draws as an array (n, parameters), in the order of `_labels`."""
    columns = []
    for name, dims in dimensions(spec).items():
        values = draws[name].transpose("chain", "draw", *dims).to_numpy()
        columns.append(values.reshape(values.shape[0] * values.shape[1], -1))
    group_mean = columns[0]
    columns.append(group_mean[:, [0]] - group_mean[:, [1]])
    return np.concatenate(columns, axis=1)


def _labels(spec: ModelSpec, design: Design) -> list[str]:
    names = {
        "connection": design.connections,
        "protected_word": design.protected_words,
        "attribute": design.attributes,
        "attribute_kind": design.kinds,
    }
    labels = []
    for name, dims in dimensions(spec).items():
        index = pd.MultiIndex.from_product([names[d] for d in dims]) if dims else [()]
        labels += [f"{name}[{', '.join(entry)}]" if dims else name for entry in index]
    return [*labels, "group_mean[associated] − group_mean[different]"]


def _holds(
    draws: NDArray[np.float64], truth: NDArray[np.float64], prob: float
) -> NDArray[np.bool_]:
    bounds = hpdi(draws, prob)
    return np.asarray((truth >= bounds[:, 0]) & (truth <= bounds[:, 1]))


def _collapsed(spec: ModelSpec) -> Sampler:
    def sample(data: Design, seed: int) -> xr.Dataset:
        return sample_collapsed(data, spec, draws=4000, chains=1, seed=seed)[0]

    return sample


def _nutpie(spec: ModelSpec, design: Design) -> Sampler:
    """Compile the model once; every simulation only changes its data."""
    with quiet_imports():
        import nutpie
        import pymc as pm

    from bayesbias.inference.pymc_model import model_of_design

    # The data differ too much to choose a form by them: non-centred is never badly wrong.
    centred = np.zeros(len(design.connections), dtype=bool)
    model = model_of_design(
        design, spec, centred, response=lambda: pm.Data("response", design.response)
    )
    with quiet_imports():
        compiled = nutpie.compile_pymc_model(model, freeze_model=False)

    def sample(data: Design, seed: int) -> xr.Dataset:
        options: dict[str, Any] = {"draws": 1500, "tune": 1000, "chains": 2, "seed": seed}
        result = nutpie.sample(
            compiled.with_data(response=data.response), target_accept=0.97,
            progress_bar=False, **options,
        )  # fmt: skip
        return sampled_groups(result)[0]

    return sample
