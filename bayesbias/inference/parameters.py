"""A model's parameters for given data, whatever the engine: names, dimensions and coordinates.

Those that follow from others are the mean of every protected word and connection, and the
connection means of a model that fixes them.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import xarray as xr

from bayesbias.inference.design import Design
from bayesbias.inference.levels import Term
from bayesbias.inference.questions import (
    LinearCombinations,
    connection_weights,
    stacked,
    word_weights,
)
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.arrays import Array
from bayesbias.support.types import Generator

NOISE_SIMILAR: Final = "noise_similar_sd"
"""The standard deviations of the part of the noise that similar attributes share."""

NOISE_TOTAL: Final = "noise_total_sd"
"""The standard deviations of the noise with that part, whose prior the model has."""

NOISE_SHARE: Final = "noise_similar_share"
"""The share of that part in the variance of the noise."""


def dimensions(design: Design, spec: ModelSpec) -> dict[str, tuple[str, ...]]:
    """Return every parameter's dimensions: means, standard deviations, then those of levels."""
    found: dict[str, tuple[str, ...]] = {"connection_mean": ("connection",)}
    for term in design.terms:
        if term.prior is not None:
            found[f"{term.name}_sd"] = term.sd_dims
    found["noise_sd"] = design.noise_dims
    if design.noise_similar.any():
        found[NOISE_SIMILAR] = design.noise_similar_dims
        found[NOISE_TOTAL] = design.noise_dims
        found[NOISE_SHARE] = design.noise_similar_dims
    if spec.likelihood == "student_t":
        found["degrees_of_freedom"] = ()
    found["word_mean"] = ("protected_word", word_connection(design))
    for term in design.terms:
        found[f"{term.name}_effect"] = (f"{term.name}_level",)
    return found


def drawn_shapes(design: Design, spec: ModelSpec) -> dict[str, tuple[int, ...]]:
    """Return the shape of every parameter that does not follow from others."""
    found, coords = dimensions(design, spec), coordinates(design)
    follow = ["word_mean", *([NOISE_TOTAL, NOISE_SHARE] if design.noise_similar.any() else [])]
    for name in (*follow, *(["connection_mean"] if design.fixed_mean is not None else [])):
        del found[name]
    return {name: tuple(len(coords[dim]) for dim in dims) for name, dims in found.items()}


def word_connection(design: Design) -> str:
    """Return the dimension of a word's means: connections, without that of reference words."""
    all_listed = len(design.protected_connections) == len(design.connections)
    return "connection" if all_listed else "protected_connection"


def coordinates(design: Design) -> dict[str, Any]:
    """Return the coordinates of a posterior's parameters, but for chain and draw.

    The dimension ``<term>_level`` also has the value of every column of the term, as
    ``<term>_level_<column>``.
    """
    coords: dict[str, Any] = {
        "connection": list(design.connections),
        "protected_word": [design.protected_words[i] for i in design.protected],
    }
    coords[word_connection(design)] = list(design.protected_connection_names)
    coords |= {dim: list(design.noise_labels) for dim in design.noise_dims}
    if design.noise_similar.any():
        coords |= {dim: list(design.noise_similar_labels) for dim in design.noise_similar_dims}
    for term in design.terms:
        coords |= {dim: list(term.sd_labels) for dim in term.sd_dims}
        level = f"{term.name}_level"
        coords[level] = list(term.labels)
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
    """Return draws (chains × draws, ...) as a posterior: dimensions named, cut into chains."""
    variables = {
        name: (
            ("chain", "draw", *dims),
            values[name].reshape(chains, draws, *values[name].shape[1:]),
        )
        for name, dims in dimensions(design, spec).items()
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


def draws_of(
    design: Design, weights: LinearCombinations, values: Mapping[str, Array], rng: Generator
) -> Array:
    """Return draws of linear functions of the parameters, (draws, F).

    `rng`: for the effects of levels that the data do not have.
    """
    fixed, n_draws = design.fixed_mean, len(values["noise_sd"])
    means = (
        values["connection_mean"] if fixed is None else np.full((1, weights.mean.shape[1]), fixed)
    )
    total = np.empty((n_draws, len(weights.mean)))
    total[:] = means @ weights.mean.T
    terms = {term.name: term for term in design.terms}
    for name, of_term in weights.effects.items():
        effects = values[f"{name}_effect"]
        if len(new := weights.new_sd[name]):
            drawn = rng.standard_normal((n_draws, len(new))) * sds_of(terms[name], values)[:, new]
            effects = np.concatenate([effects, drawn], axis=1)
        total += (of_term @ effects.T).T
    return total


def parts_of_noise(design: Design, total: Array, share: Array) -> dict[str, Array]:
    """Return the noise's own sds and those of its similar part, shapes as `total` and `share`."""
    own, alike = total.reshape(len(total), -1).copy(), share.reshape(len(share), -1)
    similar = own[:, design.noise_similar] * np.sqrt(alike)
    own[:, design.noise_similar] *= np.sqrt(1.0 - alike)
    return {"noise_sd": own.reshape(total.shape), NOISE_SIMILAR: similar.reshape(share.shape)}


def derived(values: Mapping[str, Array], design: Design, rng: Generator) -> dict[str, Array]:
    """Return the parameters that follow from the others: word means, and a fixed model's means.

    Draws first: ``word_mean`` (draws, n_words, n_connections), of the protected words, and where
    the model fixes it ``connection_mean``, the plain mean over the words that have pairs; where the
    noise has a similar part, the sds of the whole noise and the share of that part. `rng`: for
    levels that the data do not have.
    """
    asked = [word_weights(design)]
    if design.fixed_mean is not None:
        asked.append(connection_weights(design))
    drawn = draws_of(design, stacked(asked), values, rng)
    shape = len(design.protected), len(design.protected_connections)
    means, rest = np.split(drawn, [len(asked[0].mean)], axis=1)
    found: dict[str, Array] = {"word_mean": means.reshape(len(drawn), *shape)}
    if design.fixed_mean is not None:
        found["connection_mean"] = rest
    if NOISE_SIMILAR in values:
        own, similar = values["noise_sd"], values[NOISE_SIMILAR]
        total = own.reshape(len(own), -1).copy()
        part = similar.reshape(len(similar), -1)
        # Variances of independent parts add up.
        total[:, design.noise_similar] = np.hypot(total[:, design.noise_similar], part)
        share = (part / total[:, design.noise_similar]) ** 2
        found[NOISE_TOTAL] = total.reshape(own.shape)
        found[NOISE_SHARE] = share.reshape(similar.shape)
    return found
