"""The PyMC model that is sampled: the same posterior as `pymc_models`, in an easier geometry.

**Sum to zero.** Adding a constant to all effects of a term and taking it from the connection means
hardly changes the fit. So the effects of one standard deviation are split into their mean β, which
is Normal(0, sd / √n) for n levels, and deviations that sum to zero; the sampler sees the means with
all β of a connection added, connection_mean + Σ β ~ Normal(prior mean + Σ β, prior sd), which the
data pin down, and the β themselves, which they do not. Afterwards the β are taken off the means
again and added to the deviations. A term of which one connection meets several standard deviations
is not split, nor is a slope, nor is any where the connection means are fixed.

**Centring.** Deviations are centred or not as `centring` chooses, for each standard deviation.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesbias.inference.design import Design
from bayesbias.inference.levels import Term
from bayesbias.inference.predictive import root_of_levels
from bayesbias.inference.priors import Prior
from bayesbias.inference.pymc_models import (
    model_coordinates,
    noise_variable,
    observe,
    of_pairs,
    sd_variable,
)
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.arrays import Index, Mask

if TYPE_CHECKING:
    import pymc

Centred = Mapping[str, Mask]


def sampling_model(
    design: Design, spec: ModelSpec, centred: Centred, *, response: Callable[[], Any] | None = None
) -> "pymc.Model":
    """Build the model that is sampled.

    Its deterministic variables are those parameters of the posterior that it does not sample as
    they are; word means are computed afterwards.

    `centred`: from `centring.centred_terms`. `response`: as in `pymc_models.observe`.
    """
    import pymc as pm
    import pytensor.tensor as pt

    with pm.Model(coords=model_coordinates(design)) as model:
        noise_sd = noise_variable(design, spec)
        free_means = isinstance(spec.connection_mean, Prior)
        shift = pt.zeros(len(design.connections))
        rest = pt.zeros(len(design.response))
        for term in design.terms:
            if term.similar:
                rest = rest + of_pairs(_similar_effects(design, term), term)
                continue
            part = part_of_connection(design, term) if free_means else None
            if part is None:
                rest = rest + of_pairs(_whole_effects(term, centred[term.name]), term)
                continue
            deviation, means = _split_effects(term, centred[term.name])
            rest = rest + of_pairs(deviation, term)
            shift = shift + pt.concatenate([means, pt.zeros(1)])[part]
        if isinstance(spec.connection_mean, Prior):
            prior = spec.connection_mean.parameters
            shifted = pm.Normal(
                "shifted_mean", prior["mean"] + shift, prior["sd"], dims="connection"
            )
            pm.Deterministic("connection_mean", shifted - shift, dims="connection")
            mean = shifted[design.connection] + rest
        else:
            mean = spec.connection_mean + rest
        observe(design, spec, mean, noise_sd, response)
    return model


def part_of_connection(design: Design, term: Term) -> Index | None:
    """Return which standard deviation of a term each connection meets, −1 for none.

    None where a connection meets several, and for a slope, whose numbers have the mean 0.
    """
    if term.x is not None:
        return None
    part = np.full(len(design.connections), -1, np.int64)
    acts = term.acts
    sd, connection = term.sd[term.level[acts]], design.connection[acts]
    part[connection] = sd
    return part if np.array_equal(part[connection], sd) else None


def _whole_effects(term: Term, centred: Mask) -> Any:
    """Make a term's effects, each by itself."""
    import pymc as pm

    # sd ** λ and sd ** (1 − λ), with λ 1 for centred and 0 for non-centred effects.
    sd, power = sd_variable(term)[term.sd], centred.astype(float)[term.sd]
    raw = pm.Normal(f"{term.name}_raw", 0.0, sd**power, shape=term.n_levels)
    return pm.Deterministic(
        f"{term.name}_effect", sd ** (1.0 - power) * raw, dims=f"{term.name}_level"
    )


def _similar_effects(design: Design, term: Term) -> Any:
    """Make a term's effects, as alike as their attributes are; not centred."""
    import pymc as pm
    import pytensor.tensor as pt

    raw = pm.Normal(f"{term.name}_raw", 0.0, 1.0, shape=term.n_levels)
    turned = pt.dot(pt.as_tensor(root_of_levels(design, term)), raw)
    return pm.Deterministic(
        f"{term.name}_effect", sd_variable(term)[term.sd] * turned, dims=f"{term.name}_level"
    )


def _split_effects(term: Term, centred: Mask) -> tuple[Any, Any]:
    """Make a term's effects; returns their deviations from the means of their parts, and these."""
    import pymc as pm

    sd, power = sd_variable(term), centred.astype(float)
    size = np.bincount(term.sd)
    means = sd / np.sqrt(size) * pm.Normal(f"{term.name}_mean_raw", 0.0, 1.0, shape=len(size))
    # One vector for all parts: n levels of a part have n − 1 free deviations.
    free_part = np.repeat(np.arange(len(size)), size - 1)
    raw = pm.Normal(f"{term.name}_raw", 0.0, (sd**power)[free_part], shape=len(free_part))
    deviation = (sd ** (1.0 - power))[term.sd] * _summing_to_zero(raw, term.sd, free_part)
    pm.Deterministic(f"{term.name}_effect", deviation + means[term.sd], dims=f"{term.name}_level")
    return deviation, means


def _summing_to_zero(free: Any, part: Index, free_part: Index) -> Any:
    """Map n − 1 free values per part to n values that sum to zero, keeping lengths.

    The map of ``pymc.ZeroSumNormal``, for all parts at once.
    """
    import pytensor.tensor as pt

    size = np.bincount(part)
    sums = pt.dot((free_part == np.arange(len(size))[:, None]).astype(float), free)
    shift = sums / (np.sqrt(size) + size)
    last = shift - sums / np.sqrt(size)
    # Where each level's value stands: the free ones of all parts, then the last one of each part.
    place = np.empty(len(part), np.int64)
    for k in range(len(size)):
        levels = np.flatnonzero(part == k)
        place[levels[:-1]] = np.flatnonzero(free_part == k)
        place[levels[-1]] = len(free_part) + k
    return pt.concatenate([free, last])[place] - shift[part]
