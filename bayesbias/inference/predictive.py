"""Prior draws, predicted responses and log-likelihoods of a specification, in plain numpy.

These follow from parameter draws in closed form, so no second graph is compiled and every engine
shares them. Shapes: S draws, N pairs.

Cost: S × N numbers each; `thinned` keeps S small where a thousand draws tell as much as eight.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr, ndtri, stdtr, stdtrit

from bayesbias.constants import ATTRIBUTE
from bayesbias.inference.design import Design
from bayesbias.inference.intervals import intervals_of
from bayesbias.inference.levels import Term
from bayesbias.inference.parameters import (
    NOISE_SIMILAR,
    derived,
    drawn_shapes,
    labelled,
    parts_of_noise,
    samples,
    sds_of,
)
from bayesbias.inference.similarity import directions, root_of
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.arrays import Array, Index
from bayesbias.support.types import Generator

Numbers = NDArray[np.floating]
"""Of one precision or the other."""

_STRATA: Final = 16
_GOLDEN: Final = (5**0.5 - 1) / 2  # its multiples fill (0, 1) evenly
_DENSITIES: Final = 1 << 22
_CHUNK: Final = 1 << 18  # numbers at a time: what a processor keeps near


def draw_prior(spec: ModelSpec, design: Design, *, draws: int, rng: Generator) -> xr.Dataset:
    """Draw the parameters from the prior: variables as in the posterior, with one chain."""
    spec.refuse_relative()
    values: dict[str, Array] = {}
    shapes = drawn_shapes(design, spec)

    def draw(name: str) -> None:
        if name in shapes and name in spec.priors:
            values[name] = spec.priors[name].draw(rng, (draws, *shapes[name]))

    draw("connection_mean")
    for term in design.terms:
        draw(f"{term.name}_sd")
        values[f"{term.name}_effect"] = prior_effects(
            design, term, sds_of(term, values), draws, rng
        )
    draw("degrees_of_freedom")
    if design.noise_similar.any():
        total = spec.noise.prior.draw(rng, (draws, *shapes["noise_sd"]))
        assert spec.noise.similar_share is not None
        share = spec.noise.similar_share.draw(rng, (draws, *shapes[NOISE_SIMILAR]))
        values |= parts_of_noise(design, total, share)
    else:
        values["noise_sd"] = spec.noise.prior.draw(rng, (draws, *shapes["noise_sd"]))
    values |= derived(values, design, rng)
    return labelled(values, design, spec, draws=draws, chains=1)


def prior_effects(design: Design, term: Term, sds: Array, draws: int, rng: Generator) -> Array:
    """Draw a term's effects, (draws, n_levels), given its standard deviations.

    Of these (draws, n_sds), or one row where the model fixes them.
    """
    z = rng.standard_normal((draws, len(term.labels)))
    if term.balance is not None:
        z = term.balance.mixed(z.T).T
    if not term.similar or design.similarity is None:
        return z * sds[:, term.sd]
    found = np.empty_like(z)
    for levels, root in _roots(design, term):
        found[:, levels] = z[:, levels] @ root.T
    near = common_loadings_of_levels(design, term)
    return found * sds[:, term.sd] + rng.standard_normal((draws, near.shape[1])) @ near.T


def common_loadings_of_levels(design: Design, term: Term) -> Array:
    """Return N of a term's levels, (n_levels, n_columns), perhaps of no columns."""
    if not term.has_common_factor or design.common_loadings is None:
        return np.zeros((len(term.labels), 0))
    return design.common_loadings[_attributes_of_levels(design, term)]


def _attributes_of_levels(design: Design, term: Term) -> Index:
    on = np.flatnonzero(term.acts)
    found = np.zeros(len(term.labels), np.int64)
    found[term.level[on]] = design.attribute[on]
    return found


def root_of_levels(design: Design, term: Term) -> Array:
    """Return a root of the correlation of a term's levels, (n_levels, n_levels)."""
    found = np.eye(len(term.labels))
    if term.similar and design.similarity is not None:
        for levels, root in _roots(design, term):
            found[np.ix_(levels, levels)] = root
    return found if term.balance is None else term.balance.mixed(found)


def _roots(design: Design, term: Term) -> Iterator[tuple[Index, Numbers]]:
    """Yield levels and a root of their similarity.

    Levels that differ in anything but the attribute are independent.
    """
    assert design.similarity is not None
    of_level = _attributes_of_levels(design, term)
    others = [values for column, values in term.columns.items() if column != ATTRIBUTE]
    codes = list(zip(*others, strict=True)) if others else [()] * len(term.labels)
    for code in dict.fromkeys(codes):
        levels = np.array([i for i, own in enumerate(codes) if own == code])
        yield levels, root_of(design.similarity[np.ix_(of_level[levels], of_level[levels])])


def thinned(posterior: xr.Dataset, draws: int) -> xr.Dataset:
    """Keep about `draws` of the posterior's draws, evenly spaced in every chain."""
    per_chain = max(1, -(-draws // posterior.sizes["chain"]))
    length = posterior.sizes["draw"]
    kept = np.unique(np.linspace(0, length - 1, min(per_chain, length)).round().astype(int))
    return posterior.isel(draw=kept)


def draw_predictive(posterior: xr.Dataset, design: Design, *, rng: Generator) -> xr.DataArray:
    """Draw responses that the model predicts for the observed pairs, one per parameter draw.

    Nothing keeps a predicted distance inside 0 to 2, since the model does not.
    """
    return _over_pairs(posterior, draw_pairs(posterior, design, slice(None), rng))


def draw_pairs(
    posterior: xr.Dataset, design: Design, pairs: Index | slice, rng: Generator
) -> Numbers:
    """Draw responses that the model predicts for some of the observed pairs, (S, n_pairs)."""
    mean = _means_of_pairs(posterior, design, pairs)
    sd = _noise_sds(posterior, design).astype(np.float32)[:, design.noise[pairs]]
    if design.noise_similar.any():
        mean += _similar_noise(posterior, design, rng)[:, pairs]
    noise = rng.standard_normal(mean.shape, dtype=np.float32)
    nu = _degrees(posterior)
    if nu is not None:
        noise /= np.sqrt(rng.chisquare(nu[:, None], mean.shape) / nu[:, None]).astype(np.float32)
    return np.asarray(mean + sd * noise)


def log_likelihood(posterior: xr.Dataset, design: Design) -> xr.DataArray:
    """Return the log-density of every observed response under every draw.

    Where similar attributes share a part of a word's noise, that of a response given the word's
    others: then leave-one-out needs these (Bürkner, Gabry and Vehtari 2020, "Efficient
    leave-one-out cross-validation for Bayesian non-factorized normal and Student-t models").
    """
    z, log_sd = _standardised(posterior, design)
    return _over_pairs(posterior, _log_density(z, log_sd, _degrees(posterior)))


def likelihood_and_probability(
    posterior: xr.Dataset, design: Design
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the log-density of every response, and the probability of one below it, (S, N) each.

    Both under every draw; for `leave_one_out`.
    """
    z, log_sd = _standardised(posterior, design)
    nu = _degrees(posterior)
    below = ndtr(z) if nu is None else stdtr(nu[:, None], z)
    density = _log_density(z, log_sd, nu)
    return density.astype(np.float32, copy=False), below.astype(np.float32, copy=False)


def predictive_intervals(
    posterior: xr.Dataset, design: Design, *, probs: Sequence[float], interval: str
) -> tuple[Array, list[Array]]:
    """Return, per observed pair, the predicted mean and its predictive intervals.

    Where similar attributes share a part of a word's noise, a pair is predicted given the word's
    other pairs.

    The predictive distribution of a pair is a mixture of normal (or t) distributions over the
    posterior draws. It is represented by evenly filled quantiles instead of one random number per
    draw: the narrowest of many noisy windows is too narrow (with 1,000 random draws a 50% HPDI
    covers 48.9%), and evenly filled quantiles leave little noise to exploit. Every draw shifts its
    quantiles by another amount, so that together they fill the distribution and no draw's
    quantiles fall on those of the next.

    Returns `mean` (n_pairs,); `ends` (n_pairs, 2): lower and upper end, one array for each of
    `probs`.
    """
    # Pairs that share every level share their distribution.
    codes = [design.connection, design.noise, *(term.level for term in design.terms)]
    own = [design.noise_similar.any(), *(term.x is not None for term in design.terms)]
    if any(own):
        codes.append(np.arange(len(design.response)))
    if design.noise_similar.any():
        z, log_sd = _standardised(posterior, design)
        sd_of_pairs = np.exp(log_sd)
        of_pairs = design.response.astype(np.float32) - z * sd_of_pairs, sd_of_pairs
    cells, cell_of_pair = np.unique(np.stack(codes), axis=1, return_inverse=True)
    noise_sd = _noise_sds(posterior, design).astype(np.float32).T  # sorted twice as fast
    few = cells.shape[1] <= np.prod(design.cell_shape)
    strata = _STRATA if few else _STRATA // 4
    quantiles = _quantiles(posterior, noise_sd.shape[1], strata).astype(np.float32)
    step = max(1, _CHUNK // quantiles.size)
    middle = np.empty(cells.shape[1])
    ends = [np.empty((len(middle), 2)) for _ in probs]
    means = _Means(posterior, design)
    for start in range(0, len(middle), step):
        part = slice(start, start + step)
        connection, noise, *levels = cells[: 2 + len(design.terms), part]
        mean: Numbers = means.at(connection, levels, cells[-1, part])
        sd: Numbers = noise_sd[noise]
        if design.noise_similar.any():
            mean, sd = (values[:, cells[-1, part]].T for values in of_pairs)
        predicted = mean[:, None] + quantiles * sd[:, None]
        middle[part] = mean.mean(axis=1, dtype=float)
        found = intervals_of(predicted.reshape(len(mean), -1).T, probs, interval)
        for values, bounds in zip(ends, found, strict=True):
            values[part] = bounds
    cell = np.ravel(cell_of_pair)
    return middle[cell], [values[cell] for values in ends]


def _quantiles(posterior: xr.Dataset, draws: int, strata: int) -> Numbers:
    """Return standard quantiles, `strata` per draw, each draw's shifted; (strata, draws)."""
    shift = (np.arange(draws) + 0.5) * _GOLDEN % 1.0
    p = (np.arange(strata)[:, None] + shift) / strata
    nu = _degrees(posterior)
    return np.asarray(ndtri(p) if nu is None else stdtrit(nu, p))


class _Means:
    """The mean of a pair under every draw: its connection's and its levels' effects; float32."""

    def __init__(self, posterior: xr.Dataset, design: Design) -> None:
        effects = [samples(posterior, f"{term.name}_effect") for term in design.terms]
        # The last row, where the level is −1, is no effect.
        self._effects: list[Numbers] = [
            np.pad(e.astype(np.float32).T, ((0, 1), (0, 0))) for e in effects
        ]
        means: Numbers = samples(posterior, "connection_mean").astype(np.float32).T
        self._x = [None if term.x is None else term.x.astype(np.float32) for term in design.terms]
        fixed = design.fixed_mean
        self._means = means if fixed is None else np.full_like(means, fixed)

    def at(self, connection: Index, levels: Sequence[Index], pairs: Index) -> Numbers:
        """Return the means of pairs of these connections and levels, (pairs, draws).

        Which pairs they are counts for slopes alone.
        """
        mean = self._means[connection]
        for effects, level, x in zip(self._effects, levels, self._x, strict=True):
            mean += effects[level] if x is None else effects[level] * x[pairs, None]
        return mean


def _means_of_pairs(
    posterior: xr.Dataset, design: Design, pairs: Index | slice = slice(None)
) -> Numbers:
    """Return the mean of every pair's response under every draw, (S, N), in float32."""
    levels = [term.level[pairs] for term in design.terms]
    numbers = np.arange(len(design.response))[pairs]
    return _Means(posterior, design).at(design.connection[pairs], levels, numbers).T


def _standardised(posterior: xr.Dataset, design: Design) -> tuple[Numbers, Numbers]:
    """Return every pair's residual in noise sds, (S, N), and the log of these, (S, N)."""
    noise = _noise_sds(posterior, design).astype(np.float32)
    z = _means_of_pairs(posterior, design)
    np.subtract(design.response.astype(np.float32), z, out=z)
    log_sd = np.log(noise)[:, design.noise]
    for table, vectors, variance in _tables_alike(posterior, design, noise):
        # Of a normal vector r with the covariance Σ, r_i given all others has the variance 1 /
        # (Σ⁻¹)_ii, and differs from its conditional mean by (Σ⁻¹r)_i / (Σ⁻¹)_ii.
        precision = (1 / variance) @ (vectors**2).T  # the diagonal of the inverse
        rest = ((z[:, table] @ vectors) / variance[:, None]) @ vectors.T
        z[:, table] = rest / np.sqrt(precision)[:, None]
        log_sd[:, table] = -0.5 * np.log(precision)[:, None]
    alone = design.noise_alone if design.noise_similar.any() else slice(None)
    z[:, alone] /= noise[:, design.noise[alone]]
    return z, log_sd


def total_log_likelihood(posterior: xr.Dataset, design: Design) -> Array:
    """Return the log density of all responses together under every draw, (S,)."""
    chains, length = posterior.sizes["chain"], posterior.sizes["draw"]
    step = max(1, _DENSITIES // (chains * len(design.response)))
    parts = [
        _total(posterior.isel(draw=slice(i, i + step)), design).reshape(chains, -1)
        for i in range(0, length, step)
    ]
    return np.concatenate(parts, axis=1).ravel()


def _total(posterior: xr.Dataset, design: Design) -> Array:
    noise = _noise_sds(posterior, design)
    rest = design.response - _means_of_pairs(posterior, design).astype(float)
    total = np.zeros(len(rest))
    for table, vectors, variance in _tables_alike(posterior, design, noise):
        # In the directions of K the noise of a word is independent.
        squares = ((rest[:, table] @ vectors) ** 2).sum(axis=1)
        total -= 0.5 * (squares / variance + len(table) * np.log(2 * np.pi * variance)).sum(axis=1)
    at = design.noise_alone
    sd = noise[:, design.noise[at]]
    density = _log_density(rest[:, at] / sd, np.log(sd), _degrees(posterior))
    return np.asarray(total + density.sum(axis=1))


def _directions(design: Design, table: Index) -> tuple[Numbers, Numbers]:
    """Return `directions` of the similarity of a table's attributes."""
    assert design.similarity is not None
    attributes = design.attribute[table[0]]
    return directions(design.similarity[np.ix_(attributes, attributes)])


def _tables_alike(
    posterior: xr.Dataset, design: Design, noise: Numbers
) -> Iterator[tuple[Index, Numbers, Numbers]]:
    """Yield pairs whose noise is alike, (n_words, n_attributes), its directions and variances."""
    alike = _similar_sds(posterior, design)
    for level, table in design.noise_tables.items():
        values, vectors = _directions(design, table)
        yield table, vectors, noise[:, [level]] ** 2 + alike[level][:, None] ** 2 * values


def _similar_sds(posterior: xr.Dataset, design: Design) -> dict[int, Array]:
    """Return the sds of the part of the noise that similar attributes share, by noise level."""
    levels = np.flatnonzero(design.noise_similar).tolist()
    if not levels:
        return {}
    drawn = samples(posterior, NOISE_SIMILAR)
    return dict(zip(levels, drawn.reshape(len(drawn), -1).T, strict=True))


def _similar_noise(posterior: xr.Dataset, design: Design, rng: Generator) -> Numbers:
    """Draw the part of the noise that similar attributes share, (S, N)."""
    shape = posterior.sizes["chain"] * posterior.sizes["draw"], len(design.response)
    found = np.zeros(shape, dtype=np.float32)
    alike = _similar_sds(posterior, design)
    for level, table in design.noise_tables.items():
        values, vectors = _directions(design, table)
        root = (vectors * np.sqrt(values)).astype(np.float32)
        z = rng.standard_normal((shape[0], *table.shape), dtype=np.float32)
        found[:, table] = alike[level][:, None, None] * (z @ root.T)
    return found


def _log_density(z: Numbers, log_sd: Numbers, nu: Array | None) -> Numbers:
    if nu is None:
        density = z * z  # in place from here: there are millions of them
        density *= -0.5
        density -= log_sd
        density -= np.asarray(0.5 * np.log(2 * np.pi), dtype=z.dtype)
        return density
    nu = nu[:, None]
    constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
    return constant - log_sd - 0.5 * (nu + 1) * np.log1p(z**2 / nu)


def _noise_sds(posterior: xr.Dataset, design: Design) -> Array:
    """Return the noise's standard deviations, (S, one or several)."""
    noise = samples(posterior, "noise_sd")
    return noise.reshape(len(noise), len(design.noise_labels))


def _degrees(posterior: xr.Dataset) -> Array | None:
    """Return the degrees of freedom per draw, or None for a normal likelihood."""
    if "degrees_of_freedom" not in posterior:
        return None
    return samples(posterior, "degrees_of_freedom")


def _over_pairs(posterior: xr.Dataset, values: Numbers) -> xr.DataArray:
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
