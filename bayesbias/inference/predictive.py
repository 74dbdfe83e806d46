"""Prior draws, predicted distances and log-likelihoods of a specification, in plain numpy.

These follow from parameter draws in closed form, so no second graph is compiled and every engine
shares them. Shapes: S draws, W protected words, C connections, N pairs.

Cost: S × N numbers each; `thinned` keeps S small where a thousand draws tell as much as four.
"""

from typing import Final

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtri

from bayesbias.inference.design import Design
from bayesbias.intervals import interval_of
from bayesbias.spec import ModelSpec, Prior

_STRATA: Final = 16
_GOLDEN: Final = (5**0.5 - 1) / 2  # its multiples fill (0, 1) evenly


def draw_prior(
    spec: ModelSpec, design: Design, *, draws: int, rng: np.random.Generator
) -> xr.Dataset:
    """Draw the parameters from the prior: variables as in the posterior, with one chain."""
    n_words, n_connections = len(design.protected_words), len(design.connections)
    shape = (1, draws, n_connections)
    group_mean = _draw(spec.group_mean, shape, rng)
    word_sd = _draw(spec.word_sd, shape, rng)
    offsets = rng.standard_normal((1, draws, n_words, n_connections))
    dims = ("chain", "draw", "connection")
    return xr.Dataset(
        {
            "group_mean": (dims, group_mean),
            "word_sd": (dims, word_sd),
            "noise_sd": (dims, _draw(spec.noise_sd, shape, rng)),
            "word_mean": (
                ("chain", "draw", "protected_word", "connection"),
                group_mean[:, :, None, :] + word_sd[:, :, None, :] * offsets,
            ),
        },
        coords={
            "chain": [0],
            "draw": np.arange(draws),
            "protected_word": list(design.protected_words),
            "connection": list(design.connections),
        },
    )


def _draw(prior: Prior, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    parameters = prior.parameters
    if prior.distribution == "normal":
        return rng.normal(parameters["mean"], parameters["sd"], shape)
    if prior.distribution == "half_normal":
        return np.abs(rng.normal(0.0, parameters["sd"], shape))
    return rng.exponential(1.0 / parameters["rate"], shape)


def thinned(posterior: xr.Dataset, draws: int) -> xr.Dataset:
    """Keep about `draws` of the posterior's draws, evenly spaced in every chain."""
    per_chain = max(1, -(-draws // posterior.sizes["chain"]))
    length = posterior.sizes["draw"]
    kept = np.unique(np.linspace(0, length - 1, min(per_chain, length)).round().astype(int))
    return posterior.isel(draw=kept)


def draw_predictive(
    posterior: xr.Dataset, design: Design, *, rng: np.random.Generator
) -> xr.DataArray:
    """Draw distances that the model predicts for the observed pairs, one per parameter draw.

    Returns
    -------
    DataArray of float32, dimensions chain, draw, pair
        Cosine distance; nothing keeps a prediction inside 0 to 2, since the model does not.
    """
    mean, sd = _pairwise(posterior, design)
    noise = rng.standard_normal(mean.shape, dtype=np.float32)
    return _over_pairs(posterior, mean + sd * noise)


def log_likelihood(posterior: xr.Dataset, design: Design) -> xr.DataArray:
    """Return the log-density of every observed distance under every draw.

    Returns
    -------
    DataArray of float32, dimensions chain, draw, pair
    """
    mean, sd = _pairwise(posterior, design)
    z = (design.distance - mean) / sd
    return _over_pairs(posterior, -0.5 * z**2 - np.log(sd) - 0.5 * np.log(2 * np.pi))


def _pairwise(
    posterior: xr.Dataset, design: Design
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return mean and sd of every pair's distance under every draw, (chain, draw, N) each."""
    word_mean = posterior["word_mean"].transpose("chain", "draw", "protected_word", "connection")
    noise_sd = posterior["noise_sd"].transpose("chain", "draw", "connection")
    mean = word_mean.to_numpy().astype(np.float32)[:, :, design.word, design.connection]
    sd = noise_sd.to_numpy().astype(np.float32)[:, :, design.connection]
    return mean, sd


def _over_pairs(posterior: xr.Dataset, values: NDArray[np.floating]) -> xr.DataArray:
    return xr.DataArray(
        values.astype(np.float32, copy=False),
        dims=("chain", "draw", "pair"),
        coords={
            "chain": posterior["chain"],
            "draw": posterior["draw"],
            "pair": np.arange(values.shape[-1]),
        },
        name="cosine_distance",
    )


def predictive_intervals(
    posterior: xr.Dataset, design: Design, *, prob: float, interval: str
) -> NDArray[np.float64]:
    """Return, per observed pair, the predicted mean distance and the predictive interval.

    Pairs of one protected word and connection share one predictive distribution, a mixture of
    normals over the posterior draws. It is represented by `_STRATA` normal quantiles per draw
    instead of one random number: the narrowest of many noisy windows is too narrow (with 1,000
    random draws a 50% HPDI covers 48.9%), and evenly filled quantiles leave little noise to
    exploit. Every draw shifts its quantiles by another amount, so that together they fill the
    distribution and no draw's quantiles fall on those of the next.

    Returns
    -------
    ndarray, shape (n_pairs, 3)
        Mean, lower and upper end.
    """
    word_mean = _samples(posterior, "word_mean", "protected_word", "connection")
    noise_sd = _samples(posterior, "noise_sd", "connection")
    shift = (np.arange(len(noise_sd)) + 0.5) * _GOLDEN % 1.0
    quantiles = ndtri((np.arange(_STRATA)[:, None] + shift) / _STRATA)
    result = np.empty((len(design.protected_words), len(design.connections), 3))
    for c in range(len(design.connections)):  # one connection at a time bounds the memory
        noise = (quantiles * noise_sd[:, c])[:, :, None]
        predicted = (word_mean[None, :, :, c] + noise).reshape(-1, len(design.protected_words))
        result[:, c, 0] = word_mean[:, :, c].mean(axis=0)
        result[:, c, 1:] = interval_of(predicted, prob, interval)
    return result[design.word, design.connection]


def _samples(posterior: xr.Dataset, name: str, *dims: str) -> NDArray[np.float64]:
    """Return a variable's draws as an array (chain × draw, *dims)."""
    array = posterior[name].transpose("chain", "draw", *dims).to_numpy()
    return array.reshape(-1, *array.shape[2:])
