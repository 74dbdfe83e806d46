"""What a block says of its effects, given its standard deviations: draws and exact moments."""

import numpy as np
from numpy.typing import NDArray

from bayesbias.inference.block import Block
from bayesbias.inference.elimination import CHUNK, System, Vectors
from bayesbias.inference.exchangeable import Units
from bayesbias.inference.small_matrices import Entries, backward, forward, inverse

Array = NDArray[np.float64]


def draw_effects(block: Block, effects: Array, noise: Array, rng: np.random.Generator) -> Array:
    """Draw the means and all effects from their exact normal conditional.

    Parameters
    ----------
    block : Block
    effects : ndarray, shape (n_sds, D)
    noise : ndarray, shape (n_noise, D)
        Standard deviations, one draw a column.
    rng : Generator

    Returns
    -------
    ndarray, shape (n_effects, D)
        Means less the prior mean.
    """
    n = noise.shape[1]
    largest = max(stratum.structure.n_effects for stratum in block.strata)
    step = max(16, min(block.step, CHUNK // (6 * largest + 1)))
    found = np.empty((block.layout.n_effects, n))
    for i in range(0, n, step):
        part = effects[:, i : i + step], noise[:, i : i + step]
        sets = []
        for stratum in block.strata:
            system = stratum.system(block.mean_sd, *part)
            sets.append([_draw(system, given, rng) for given in stratum.vectors])
        found[:, i : i + step] = block.joined(sets, *part, rng)
    return found


def _draw(system: System, given: Vectors, rng: np.random.Generator) -> Array:
    """Draw the effects of a structure, given responses; shape (n_effects, B)."""
    structure, weight = system.structure, system.weight
    kept, gone = structure.kept, structure.gone
    found = np.empty((structure.n_effects, weight.shape[1]))
    half = system.given(given)
    half += rng.standard_normal(half.shape)
    sums = system.expand(half)
    n_rest = len(structure.rest)
    found[structure.rest] = sums[:n_rest]
    # A kept effect is its class's mean plus a deviation; deviations sum to 0 in a class.
    right = np.tensordot(given.deviation, weight, axes=(0, 0))
    free = _draw_units(kept, system.kept, right, None, rng)
    top = np.zeros((kept.width, kept.n_classes, weight.shape[1]))
    top[structure.kept_place, structure.kept_class] = sums[n_rest:]
    shift = top / np.sqrt(kept.size)[:, None] - _class_means(kept, free)
    _put(found, kept, free + shift[:, kept.member])
    right = np.tensordot(given.of_gone, weight, axes=(0, 0))
    explained = np.einsum("wkcb,kb->wcb", system.coupling, sums) / np.sqrt(gone.size)[:, None]
    _put(found, gone, _draw_units(gone, system.gone, right, explained, rng))
    return found


def _put(found: Array, units: Units, values: Array) -> None:
    """Put values by unit, (width, n_units, B), to the places of their effects."""
    for effect, value in zip(units.effect.T, values, strict=True):
        real = effect >= 0
        found[effect[real]] = value if real.all() else value[real]


def _draw_units(
    units: Units, lower: Array, right: Array, explained: Array | None, rng: np.random.Generator
) -> Array:
    """Draw x ~ N(E⁻¹ r − L⁻ᵀ explained, E⁻¹) for every unit, shape (width, n_units, B)."""
    factor = _OfMember(lower, units)
    x = forward(factor, np.ascontiguousarray(right.transpose(1, 0, 2)))
    if explained is not None:
        x -= explained[:, units.member]
    x += rng.standard_normal(x.shape)
    return backward(factor, x)


class _OfMember(Entries):
    """The factor of every unit's class, gathered an entry at a time: all at once are too many."""

    def __init__(self, lower: Array, units: Units) -> None:
        self._lower, self._member = lower, units.member

    def __len__(self) -> int:
        return len(self._lower)

    def __getitem__(self, at: tuple[int, int], /) -> Array:
        entry = np.asarray(self._lower[at])
        return entry if len(entry) == 1 else entry[self._member]


def _class_means(units: Units, values: Array) -> Array:
    """Average over the members of every class: (width, n_units, B) to (width, n_classes, B)."""
    if units.n_classes == len(units.member):
        return values[:, units.first]
    belongs = (units.member == np.arange(units.n_classes)[:, None]) / units.size[:, None]
    return np.asarray(np.einsum("cu,wub->wcb", belongs, values, optimize=True))


def moments(block: Block, effects: Array, noise: Array, weights: Array) -> tuple[Array, Array]:
    """Return the exact conditional moments of linear functions of the effects.

    Parameters
    ----------
    block : Block
    effects : ndarray, shape (n_sds, D)
    noise : ndarray, shape (n_noise, D)
        Standard deviations, one draw a column.
    weights : ndarray, shape (F, n_effects)
        One linear function a row.

    Returns
    -------
    mean, variance : ndarray, shape (F, D)
        Of the functions, given the standard deviations; means less the prior mean.
    """
    of_strata = block.weights_of_strata(weights)
    step = max(1, block.step // (1 + len(weights) // 4))
    shape = len(weights), noise.shape[1]
    mean, variance = np.zeros(shape), np.zeros(shape)
    for stratum, own in zip(block.strata, of_strata, strict=True):
        touched = [
            (given, Vectors(stratum.structure, one))
            for given, one in zip(stratum.vectors, own, strict=True)
            if one.any()
        ]
        for i in range(0, shape[1] if touched else 0, step):
            part = slice(i, i + step)
            system = stratum.system(block.mean_sd, effects[:, part], noise[:, part])
            for given, wanted in touched:
                found = _moments(system, given, wanted)
                mean[:, part] += found[0]
                variance[:, part] += found[1]
    return mean, variance


def _moments(system: System, given: Vectors, wanted: Vectors) -> tuple[Array, Array]:
    """Return fᵀP⁻¹r and fᵀP⁻¹f, summed over the parts of P that are not coupled."""
    structure, weight = system.structure, system.weight
    size, n_wanted = weight.shape[1], len(wanted.kept)
    inverted = {
        "gone": inverse(system.gone).reshape(-1, size),
        "kept": inverse(system.kept).reshape(-1, size),
    }
    sides = (
        (structure.gone, wanted.of_gone, given.of_gone, inverted["gone"]),
        (structure.kept, wanted.deviation, given.deviation, inverted["kept"]),
    )
    response = system.given(given)
    mean, variance = np.empty((n_wanted, size)), np.empty((n_wanted, size))
    for f in range(n_wanted):
        ones = np.ones(size)
        gone = wanted.gone[f][:, :, None] * ones
        half = system.reduce(wanted.kept[f][:, None] * ones, gone)
        mean[f], variance[f] = (half * response).sum(axis=0), (half**2).sum(axis=0)
        for units, own, other, inverse_of in sides:
            one = own[[f]]
            variance[f] += (units.products(one, one) @ inverse_of)[0]
            repeated = np.repeat(one, structure.n_noise, axis=0)
            mean[f] += ((units.products(repeated, other) @ inverse_of) * weight).sum(axis=0)
    return mean, variance
