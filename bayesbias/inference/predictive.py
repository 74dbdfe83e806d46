"""Prior draws, predicted responses and log-likelihoods of a specification, in plain numpy.

These follow from parameter draws in closed form, so no second graph is compiled and every engine
shares them. Shapes: S draws, W protected words, C connections, A attributes, N pairs.

Cost: S × N numbers each; `thinned` keeps S small where a thousand draws tell as much as eight.
"""

from typing import Final

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri, stdtrit

from bayesbias.inference.design import Design
from bayesbias.inference.intervals import interval_of
from bayesbias.inference.parameters import coordinates, dimensions
from bayesbias.inference.specification import ModelSpec

Array = NDArray[np.floating]

_STRATA: Final = 16
_GOLDEN: Final = (5**0.5 - 1) / 2  # its multiples fill (0, 1) evenly
_CHUNK: Final = 1 << 23


def draw_prior(
    spec: ModelSpec, design: Design, *, draws: int, rng: np.random.Generator
) -> xr.Dataset:
    """Draw the parameters from the prior: variables as in the posterior, with one chain."""
    n_words, n_connections = design.cell_shape
    priors = spec.priors
    values: dict[str, Array] = {}
    if spec.pooling == "none":
        values["word_mean"] = priors["word_mean"].draw(rng, (draws, n_words, n_connections))
        filled = np.where(design.cell_counts > 0, values["word_mean"], np.nan)
        values["group_mean"] = np.nanmean(filled, axis=1)
    else:
        values["group_mean"] = priors["group_mean"].draw(rng, (draws, n_connections))
        offsets = rng.standard_normal((draws, n_words, n_connections))
        if spec.pooling == "partial":
            values["word_sd"] = priors["word_sd"].draw(rng, (draws, n_connections))
            offsets *= values["word_sd"][:, None, :]
        else:
            offsets *= 0.0
        values["word_mean"] = values["group_mean"][:, None, :] + offsets
    shape = (draws, n_connections) if spec.noise == "connection" else (draws,)
    values["noise_sd"] = priors["noise_sd"].draw(rng, shape)
    if spec.attribute_effects == "crossed":
        values["attribute_sd"] = priors["attribute_sd"].draw(rng, (draws, len(design.kinds)))
        z = rng.standard_normal((draws, len(design.attributes)))
        values["attribute_effect"] = values["attribute_sd"][:, design.kind] * z
    if spec.likelihood == "student_t":
        values["degrees_of_freedom"] = priors["degrees_of_freedom"].draw(rng, (draws,))
    variables = {
        name: (("chain", "draw", *dims), values[name][None])
        for name, dims in dimensions(spec).items()
    }
    return xr.Dataset(variables, coords=coordinates(design, spec, draws, 1))


def thinned(posterior: xr.Dataset, draws: int) -> xr.Dataset:
    """Keep about `draws` of the posterior's draws, evenly spaced in every chain."""
    per_chain = max(1, -(-draws // posterior.sizes["chain"]))
    length = posterior.sizes["draw"]
    kept = np.unique(np.linspace(0, length - 1, min(per_chain, length)).round().astype(int))
    return posterior.isel(draw=kept)


def draw_predictive(
    posterior: xr.Dataset, design: Design, *, rng: np.random.Generator
) -> xr.DataArray:
    """Draw responses that the model predicts for the observed pairs, one per parameter draw.

    Returns
    -------
    DataArray of float32, dimensions chain, draw, pair
        Nothing keeps a predicted distance inside 0 to 2, since the model does not.
    """
    mean, sd = _pairwise(posterior, design)
    noise = rng.standard_normal(mean.shape, dtype=np.float32)
    nu = _degrees(posterior)
    if nu is not None:
        noise /= np.sqrt(rng.chisquare(nu[:, None], mean.shape) / nu[:, None]).astype(np.float32)
    return _over_pairs(posterior, mean + sd * noise)


def log_likelihood(posterior: xr.Dataset, design: Design) -> xr.DataArray:
    """Return the log-density of every observed response under every draw.

    Returns
    -------
    DataArray of float32, dimensions chain, draw, pair
    """
    mean, sd = _pairwise(posterior, design)
    z = (design.response - mean) / sd
    nu = _degrees(posterior)
    if nu is None:
        return _over_pairs(posterior, -0.5 * z**2 - np.log(sd) - 0.5 * np.log(2 * np.pi))
    nu = nu[:, None]
    constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
    return _over_pairs(posterior, constant - np.log(sd) - 0.5 * (nu + 1) * np.log1p(z**2 / nu))


def predictive_intervals(
    posterior: xr.Dataset, design: Design, *, prob: float, interval: str
) -> NDArray[np.float64]:
    """Return, per observed pair, the predicted mean and the predictive interval.

    The predictive distribution of a pair is a mixture of normal (or t) distributions over the
    posterior draws. It is represented by evenly filled quantiles instead of one random number per
    draw: the narrowest of many noisy windows is too narrow (with 1,000 random draws a 50% HPDI
    covers 48.9%), and evenly filled quantiles leave little noise to exploit. Every draw shifts its
    quantiles by another amount, so that together they fill the distribution and no draw's
    quantiles fall on those of the next.

    Returns
    -------
    ndarray, shape (n_pairs, 3)
        Mean, lower and upper end.
    """
    # Pairs of one word and connection share their distribution, unless attributes have effects.
    by_attribute = "attribute_effect" in posterior
    codes = np.stack([design.word, design.connection, design.attribute * by_attribute])
    cells, cell_of_pair = np.unique(codes, axis=1, return_inverse=True)
    word, connection, attribute = cells
    word_mean = _samples(posterior, "word_mean", "protected_word", "connection")
    noise_sd = _noise_by_connection(posterior, len(design.connections))
    strata = max(2, _STRATA // 4) if by_attribute else _STRATA
    quantiles = _quantiles(posterior, len(noise_sd), strata)
    step = max(1, _CHUNK // quantiles.size)
    result = np.empty((len(word), 3))
    for start in range(0, len(word), step):
        part = slice(start, start + step)
        mean = word_mean[:, word[part], connection[part]]
        if by_attribute:
            effects = _samples(posterior, "attribute_effect", "attribute")
            mean = mean + effects[:, attribute[part]]
        predicted = mean + quantiles[:, :, None] * noise_sd[:, connection[part]]
        result[part, 0] = mean.mean(axis=0)
        result[part, 1:] = interval_of(predicted.reshape(-1, mean.shape[1]), prob, interval)
    return result[np.ravel(cell_of_pair)]


def _quantiles(posterior: xr.Dataset, draws: int, strata: int) -> Array:
    """Return standard quantiles, `strata` per draw, each draw's shifted; (strata, draws)."""
    shift = (np.arange(draws) + 0.5) * _GOLDEN % 1.0
    p = (np.arange(strata)[:, None] + shift) / strata
    nu = _degrees(posterior)
    return np.asarray(ndtri(p) if nu is None else stdtrit(nu, p))


def _pairwise(
    posterior: xr.Dataset, design: Design
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return mean and sd of every pair's response under every draw, (S, N) each."""
    word_mean = _samples(posterior, "word_mean", "protected_word", "connection")
    mean = word_mean.astype(np.float32)[:, design.word, design.connection]
    if "attribute_effect" in posterior:
        effects = _samples(posterior, "attribute_effect", "attribute").astype(np.float32)
        mean += effects[:, design.attribute]
    noise = _noise_by_connection(posterior, len(design.connections)).astype(np.float32)
    return mean, noise[:, design.connection]


def _samples(posterior: xr.Dataset, name: str, *dims: str) -> NDArray[np.float64]:
    """Return a variable's draws as an array (chain × draw, *dims)."""
    array = posterior[name].transpose("chain", "draw", *dims).to_numpy()
    return array.reshape(-1, *array.shape[2:])


def _noise_by_connection(posterior: xr.Dataset, n_connections: int) -> NDArray[np.float64]:
    """Return the noise sd per connection, repeated where it is shared."""
    if "connection" in posterior["noise_sd"].dims:
        return _samples(posterior, "noise_sd", "connection")
    return np.repeat(_samples(posterior, "noise_sd")[:, None], n_connections, axis=1)


def _degrees(posterior: xr.Dataset) -> NDArray[np.float64] | None:
    """Return the degrees of freedom per draw, or None for a normal likelihood."""
    if "degrees_of_freedom" not in posterior:
        return None
    return _samples(posterior, "degrees_of_freedom")


def _over_pairs(posterior: xr.Dataset, values: Array) -> xr.DataArray:
    chains, draws = posterior.sizes["chain"], posterior.sizes["draw"]
    return xr.DataArray(
        values.astype(np.float32, copy=False).reshape(chains, draws, -1),
        dims=("chain", "draw", "pair"),
        coords={
            "chain": posterior["chain"],
            "draw": posterior["draw"],
            "pair": np.arange(values.shape[-1]),
        },
    )
