"""The parameters of a specification: names, dimensions and coordinates, whatever the engine."""

from typing import Any

import numpy as np

from bayesbias.inference.design import Design
from bayesbias.inference.specification import ModelSpec


def dimensions(spec: ModelSpec) -> dict[str, tuple[str, ...]]:
    """Return every parameter that a specification has, with its dimensions, in fixed order."""
    found: dict[str, tuple[str, ...]] = {"group_mean": ("connection",)}
    if spec.pooling == "partial":
        found["word_sd"] = ("connection",)
    found["noise_sd"] = ("connection",) if spec.noise == "connection" else ()
    if spec.attribute_effects == "crossed":
        found["attribute_sd"] = ("attribute_kind",)
    if spec.likelihood == "student_t":
        found["degrees_of_freedom"] = ()
    found["word_mean"] = ("protected_word", "connection")
    if spec.attribute_effects == "crossed":
        found["attribute_effect"] = ("attribute",)
    return found


def coordinates(design: Design, spec: ModelSpec, draws: int, chains: int) -> dict[str, Any]:
    """Return the coordinates of draws of a specification's parameters."""
    coords: dict[str, Any] = {
        "chain": np.arange(chains),
        "draw": np.arange(draws),
        "connection": list(design.connections),
        "protected_word": list(design.protected_words),
    }
    if spec.attribute_effects == "crossed":
        coords |= {"attribute": list(design.attributes), "attribute_kind": list(design.kinds)}
    return coords
