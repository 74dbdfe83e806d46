"""A model's parameters for given data: names, dimensions and coordinates, whatever the engine."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import xarray as xr

from bayesbias.inference.design import Design
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.arrays import Array

NOISE_SIMILAR: Final = "noise_similar_sd"
"""The standard deviations of the part of the noise that similar attributes share."""


def dimensions(design: Design, spec: ModelSpec) -> dict[str, tuple[str, ...]]:
    """Return every parameter of a posterior with its dimensions, in fixed order.

    Means come first, then standard deviations, then what there is one of per level.

    Examples
    --------
    >>> import bayesbias as bb
    >>> from bayesbias.simulate import planted_embedding
    >>> wl, spec = bb.load_wordlist("weat7"), bb.load_model("paper")
    >>> frame = bb.distances(planted_embedding(wl, similarity=0.2, seed=1).vectors, wl)
    >>> list(dimensions(Design.from_frame(frame, spec), spec))
    ['connection_mean', 'word_sd', 'noise_sd', 'word_mean', 'word_effect']
    """
    found: dict[str, tuple[str, ...]] = {"connection_mean": ("connection",)}
    for term in design.terms:
        if term.prior is not None:
            found[f"{term.name}_sd"] = (term.sd_dim,) if term.sd_dim else ()
    found["noise_sd"] = (design.noise_dim,) if design.noise_dim else ()
    if design.noise_similar.any():
        dim = design.noise_similar_dim
        found[NOISE_SIMILAR] = (dim,) if dim else ()
    if spec.likelihood == "student_t":
        found["degrees_of_freedom"] = ()
    found["word_mean"] = ("protected_word", word_connection(design))
    for term in design.terms:
        found[f"{term.name}_effect"] = (f"{term.name}_level",)
    return found


def drawn_shapes(design: Design, spec: ModelSpec) -> dict[str, tuple[int, ...]]:
    """Return the shape of every parameter that does not follow from others."""
    found, coords = dimensions(design, spec), coordinates(design)
    for name in ("word_mean", *(["connection_mean"] if design.fixed_mean is not None else [])):
        del found[name]
    return {name: tuple(len(coords[dim]) for dim in dims) for name, dims in found.items()}


def word_connection(design: Design) -> str:
    """Return the dimension of a word's means: connections, without that of reference words."""
    all_listed = len(design.listed) == len(design.connections)
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
    coords[word_connection(design)] = list(design.listed_connections)
    if design.noise_dim:
        coords[design.noise_dim] = list(design.noise_labels)
    if design.noise_similar.any() and design.noise_similar_dim:
        coords[design.noise_similar_dim] = list(design.noise_similar_labels)
    for term in design.terms:
        if term.sd_dim:
            coords[term.sd_dim] = list(term.sd_labels)
        level = f"{term.name}_level"
        coords[level] = list(term.labels)
        for column, values in term.columns.items():
            coords[f"{level}_{column}"] = (level, list(values))
    return coords


def labelled(
    values: Mapping[str, Array], design: Design, spec: ModelSpec, *, draws: int, chains: int
) -> xr.Dataset:
    """Return draws as a posterior: name their dimensions and cut them into chains.

    `values`: every parameter of `dimensions`, the first axis having `chains` × `draws` draws.
    """
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
    array = posterior[name].transpose("chain", "draw", ...).to_numpy()
    return np.asarray(array.reshape(-1, *array.shape[2:]))
