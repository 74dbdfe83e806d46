"""A model's parameters for given data, whatever the engine: names, dimensions and coordinates.

Those that follow from others are the mean of every protected word and connection, and the
connection means of a model that fixes them.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import xarray as xr

from bayesbias.models.design import Design
from bayesbias.models.levels import Term
from bayesbias.models.questions import (
    LinearCombinations,
    connection_weights,
    stacked,
    word_weights,
)
from bayesbias.models.specification import ModelSpec
from bayesbias.support.arguments import Array

NOISE_SIMILAR: Final = "noise_similar_sd"
"""The standard deviations of the part of the noise that similar attributes share."""

NOISE_TOTAL: Final = "noise_total_sd"
"""The standard deviations of the noise with that part, whose prior the model has."""

NOISE_SHARE: Final = "noise_similar_share"
"""The share of that part in the variance of the noise."""


def dimensions(design: Design, spec: ModelSpec) -> dict[str, tuple[str, ...]]:
    """Return every parameter's dimensions: means, standard deviations, then those of levels."""
    sds = {f"{term.name}_sd": term.sd_dims for term in design.terms if term.prior is not None}
    of_noise = {"noise_sd": design.noise_dims}
    if design.noise_similar.any():
        of_noise[NOISE_SIMILAR] = design.noise_similar_dims
        of_noise[NOISE_TOTAL] = design.noise_dims
        of_noise[NOISE_SHARE] = design.noise_similar_dims
    if spec.likelihood == "student_t":
        of_noise["degrees_of_freedom"] = ()
    return {
        "connection_mean": ("connection",),
        **sds,
        **of_noise,
        "word_mean": ("protected_word", "connection"),
        **{f"{term.name}_effect": (f"{term.name}_level",) for term in design.terms},
    }


def drawn_shapes(design: Design, spec: ModelSpec) -> dict[str, tuple[int, ...]]:
    """Return the shape of every parameter that does not follow from others."""
    follow = {"word_mean", NOISE_TOTAL, NOISE_SHARE}
    follow |= set() if design.fixed_mean is None else {"connection_mean"}
    coords = coordinates(design)
    return {
        name: tuple(len(coords[dim]) for dim in dims)
        for name, dims in dimensions(design, spec).items()
        if name not in follow
    }


def coordinates(design: Design) -> dict[str, Any]:
    """Return the coordinates of a posterior's parameters, but for chain and draw.

    The dimension ``<term>_level`` also has the value of every column of the term, as
    ``<term>_level_<column>``.
    """
    coords: dict[str, Any] = {
        "connection": list(design.connections),
        "protected_word": list(design.protected_words),
    }
    coords |= {dim: list(design.noise_labels) for dim in design.noise_dims}
    if design.noise_similar.any():
        coords |= {dim: list(design.noise_similar_labels) for dim in design.noise_similar_dims}
    for term in design.terms:
        coords |= {dim: list(term.sd_labels) for dim in term.sd_dims}
        coords[f"{term.name}_level"] = list(term.labels)
    return coords | columns_of_levels(design)


def columns_of_levels(design: Design) -> dict[str, Any]:
    """Return the value of every column of a term at each of its levels, as coordinates."""
    return {
        f"{term.name}_level_{column}": (f"{term.name}_level", list(values))
        for term in design.terms
        for column, values in term.columns.items()
    }


def labelled(
    values: Mapping[str, Array], design: Design, spec: ModelSpec, *, draws: int, chains: int
) -> xr.Dataset:
    """Return draws (chains × draws, ...) as a posterior: dimensions named, cut into chains.

    Parameters that are not among `values` are left out.
    """
    variables = {
        name: (
            ("chain", "draw", *dims),
            values[name].reshape(chains, draws, *values[name].shape[1:]),
        )
        for name, dims in dimensions(design, spec).items()
        if name in values
    }
    coords = {"chain": np.arange(chains), "draw": np.arange(draws), **coordinates(design)}
    return xr.Dataset(variables, coords=coords)


def samples(posterior: xr.Dataset, name: str) -> Array:
    """Return a parameter's draws as an array (chain × draw, its own dimensions)."""
    drawn = posterior.variables[name]  # `posterior[name]` would put its coordinates together first
    if drawn.dims[:2] != ("chain", "draw"):
        drawn = drawn.transpose("chain", "draw", ...)
    array = drawn.to_numpy()
    return np.asarray(array.reshape(-1, *array.shape[2:]))


def sds_of(term: Term, values: Mapping[str, Array]) -> Array:
    """Return a term's standard deviations, fixed or drawn: shape (draws or 1, n_sds)."""
    if term.fixed_sd is not None:
        return np.array([[term.fixed_sd]])
    drawn = values[f"{term.name}_sd"]
    return drawn.reshape(len(drawn), -1)


def draws_of(design: Design, weights: LinearCombinations, values: Mapping[str, Array]) -> Array:
    """Return draws of linear functions of the parameters, (draws, F)."""
    means, n_draws = values.get("connection_mean"), len(values["noise_sd"])
    if means is None or design.fixed_mean is not None:
        means = np.full((n_draws, weights.mean.shape[1]), design.fixed_mean)
    total = means @ weights.mean.T
    for name, of_term in weights.effects.items():
        total += (of_term @ values[f"{name}_effect"].T).T
    return np.asarray(total)


def parts_of_noise(design: Design, total: Array, share: Array) -> dict[str, Array]:
    """Return the noise's own sds and those of its similar part, shapes as `total` and `share`."""
    own, alike = total.reshape(len(total), -1).copy(), share.reshape(len(share), -1)
    similar = own[:, design.noise_similar] * np.sqrt(alike)
    own[:, design.noise_similar] *= np.sqrt(1.0 - alike)
    return {"noise_sd": own.reshape(total.shape), NOISE_SIMILAR: similar.reshape(share.shape)}


def derived(values: Mapping[str, Array], design: Design) -> dict[str, Array]:
    """Return the parameters that follow from the others, draws first.

    ``word_mean`` (draws, n_words, n_connections), NaN for a word without pairs of a connection;
    where the model fixes it ``connection_mean``, the plain mean over the words that have pairs;
    where the noise has a similar part, the sds of the whole noise and the share of that part.
    """
    words, shape = word_weights(design), (len(design.protected_words), len(design.connections))
    parts = [words] if design.fixed_mean is None else [words, connection_weights(design)]
    drawn = draws_of(design, stacked(parts), values)
    drawn[:, np.flatnonzero(~words.mean.any(axis=1))] = np.nan
    means, rest = np.split(drawn, [len(words.mean)], axis=1)
    follow: dict[str, Array] = {"word_mean": means.reshape(len(drawn), *shape)}
    if design.fixed_mean is not None:
        follow["connection_mean"] = rest
    if NOISE_SIMILAR in values:
        own, similar = values["noise_sd"], values[NOISE_SIMILAR]
        total, part = own.reshape(len(own), -1).copy(), similar.reshape(len(similar), -1)
        # Variances of independent parts add up.
        total[:, design.noise_similar] = np.hypot(total[:, design.noise_similar], part)
        share = (part / total[:, design.noise_similar]) ** 2
        follow |= {NOISE_TOTAL: total.reshape(own.shape), NOISE_SHARE: share.reshape(similar.shape)}
    return follow
