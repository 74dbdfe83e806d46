"""Simulation-based calibration: whether the engines' posteriors mean what they say.

Draw parameters from the prior, data from the parameters, and a posterior from the data: the rank of
every true parameter among its posterior draws is uniform, and an interval of probability p holds
the truth in a share p of simulations (Talts, Betancourt, Simpson, Vehtari and Gelman 2018). Among
the parameters are the contrasts that a fit reports. Simulated data that an engine refuses are drawn
anew: what is asked of the data alone leaves ranks uniform.
"""

from copy import copy

import numpy as np
import pandas as pd
import pytest
from alike import absolute
from densities import simulated
from scipy import stats

from bayesbias.constants import TEXT_COLUMNS
from bayesbias.engine.adapting import without_absent_terms
from bayesbias.engine.collapsed import integrate_blocks, with_effects
from bayesbias.engine.intervals import interval_of
from bayesbias.engine.nuts import completed
from bayesbias.engine.predictive import draw_prior
from bayesbias.errors import DistancesError
from bayesbias.fits.contrasts import contrasts_asked
from bayesbias.models.design import Design
from bayesbias.models.parameters import draws_of, samples
from bayesbias.models.pymc_models import pymc_model
from bayesbias.support.compatibility import quiet_imports, sampled_groups

N_RANKED = 255


def small_frame():
    """Six words in two groups meet four attributes of either list, eight human, twelve neutral."""
    rows = []
    for w in range(6):
        lists = {"first": range(4), "second": range(4, 8), "human": range(8, 16)}
        for name, attributes in (lists | {"neutral": range(16, 28)}).items():
            own = "associated" if (name == "first") == (w < 3) else "different"
            connection = own if name in ("first", "second") else name
            rows += [(f"w{w}", f"g{w // 3}", f"a{j}", name, connection) for j in attributes]
    frame = pd.DataFrame(rows, columns=TEXT_COLUMNS).assign(cosine_distance=0.0)
    return frame.assign(match="set" + frame["protected_word"].replace({"w3": "w0", "w4": "w1"}))


def collapsed(design, spec):
    def sample(data, seed):
        sds, _, _ = integrate_blocks(data, spec, draws=4000, chains=1)
        return with_effects(sds, data, spec, seed=seed)

    return sample


def nuts(design, spec):
    """Compiled once; every simulation only changes the data."""
    with quiet_imports():
        import nutpie
        import pytensor

    replaceable = copy(design)
    replaceable.response = pytensor.shared(design.response, name="response")
    model = pymc_model(spec, replaceable, non_centred=True)
    with quiet_imports():
        compiled = nutpie.compile_pymc_model(model, freeze_model=False)

    def sample(data, seed):
        result = nutpie.sample(
            compiled.with_data(response=data.response),
            **{"draws": 1500, "tune": 1000, "chains": 2, "seed": seed},
            **{"target_accept": 0.97, "progress_bar": False},
        )
        return completed(sampled_groups(result)[0], design)

    return sample


def columns_of(draws, design):
    """Draws of every parameter and contrast, (n, n_columns), and their names."""
    values = {str(name): samples(draws, str(name)) for name in draws.data_vars}
    _, weights, *_ = contrasts_asked(design)
    values["contrast"] = draws_of(design, weights, values)
    flat = {name: v.reshape(len(v), -1) for name, v in values.items()}
    names = [f"{name} {i}" for name, v in flat.items() for i in range(v.shape[1])]
    return np.hstack(list(flat.values())), names


def calibrated(model, engine=collapsed, *, simulations, seed=3):
    """Coverage of every parameter, and p-values of two tests of uniform ranks.

    Kolmogorov and Smirnov's sees what is shifted; a two-sided χ² test of the sum of squared normal
    scores sees posteriors that are too wide or too narrow (Cook, Gelman and Rubin 2006).
    """
    frame = small_frame()
    spec = without_absent_terms(absolute(model), frame).without_similarity()
    design = Design(frame, spec)
    sample, rng, ranks, inside = engine(design, spec), np.random.default_rng(seed), [], []
    while len(ranks) < simulations:
        prior = draw_prior(spec, design, draws=1, rng=rng)
        data = copy(design)
        data.response = simulated(prior, design, rng)
        (truth,), names = columns_of(prior, design)
        try:
            draws = sample(data, len(ranks))
        except DistancesError:
            continue
        drawn, _ = columns_of(draws, design)
        some = drawn[np.linspace(0, len(drawn) - 1, N_RANKED).astype(int)]
        ranks.append((some < truth).sum(axis=0))
        ends = (interval_of(drawn, prob, "hdi").T for prob in (0.5, 0.89))
        inside.append([(truth >= low) & (truth <= high) for low, high in ends])
    # A fixed spread within each rank makes the discrete ranks continuous.
    spread = np.random.default_rng(seed).random((simulations, len(names)))
    uniform = (np.array(ranks) + spread) / (N_RANKED + 1)
    below = stats.chi2.cdf((stats.norm.ppf(uniform) ** 2).sum(axis=0), simulations)
    columns = {
        "0.5": np.mean(inside, axis=0)[0],
        "0.89": np.mean(inside, axis=0)[1],
        "p_uniform": [stats.kstest(u, "uniform").pvalue for u in uniform.T],
        "p_spread": 2 * np.minimum(below, 1 - below),
    }
    return pd.DataFrame(columns, index=names)


@pytest.mark.parametrize(
    ("model", "engine", "n"),
    [
        ("paper", collapsed, 40),
        pytest.param("crossed", collapsed, 60, marks=pytest.mark.slow),
        pytest.param("maximal", collapsed, 60, marks=pytest.mark.slow),
        pytest.param("paper", nuts, 15, marks=pytest.mark.slow),
    ],
)
def test_ranks_are_uniform_and_intervals_hold_the_truth(model, engine, n):
    table = calibrated(model, engine, simulations=n)
    assert len(table) > 60
    # The smallest of many p-values, by Bonferroni, at one in a thousand.
    assert table[["p_uniform", "p_spread"]].min(axis=None) > 0.001 / len(table)
    for prob in (0.5, 0.89):
        # Ends of the binomial distribution that one parameter in 10,000 would leave.
        low, high = stats.binom.interval(1 - 1e-4, n, prob)
        assert (n * table[f"{prob:g}"]).between(low - 1, high).all()


def test_intervals_half_as_wide_as_they_should_be_are_seen():
    def overconfident(design, spec):
        sample = collapsed(design, spec)

        def narrowed(data, seed):
            draws = sample(data, seed)
            return draws.mean("draw") + 0.5 * (draws - draws.mean("draw"))

        return narrowed

    table = calibrated("paper", overconfident, simulations=25)
    assert np.median(table["p_spread"]) < 0.001
    assert table["0.89"].median() < 0.75
