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
    step = max(16, min(block.structure.step, CHUNK // (6 * block.structure.n_effects + 1)))
    n = noise.shape[1]
    found = np.empty((block.structure.n_effects, n))
    for i in range(0, n, step):
        part = slice(i, i + step)
        _draw(block, block.system(effects[:, part], noise[:, part]), found[:, part], rng)
    return found


def _draw(block: Block, system: System, found: Array, rng: np.random.Generator) -> None:
    structure, weight = block.structure, system.weight
    kept, gone = structure.kept, structure.gone
    half = block.reduced(system)
    half += rng.standard_normal(half.shape)
    sums = system.expand(half)
    n_rest = len(structure.rest)
    found[structure.rest] = sums[:n_rest]
    # A kept effect is its class's mean plus a deviation; deviations sum to 0 in a class.
    right = np.tensordot(block.vectors.deviation, weight, axes=(0, 0))
    free = _draw_units(kept, system.kept, right, None, rng)
    top = np.zeros((kept.width, kept.n_classes, weight.shape[1]))
    top[structure.kept_place, structure.kept_class] = sums[n_rest:]
    shift = top / np.sqrt(kept.size)[:, None] - _class_means(kept, free)
    _put(found, kept, free + shift[:, kept.member])
    right = np.tensordot(block.vectors.of_gone, weight, axes=(0, 0))
    explained = np.einsum("wkcb,kb->wcb", system.coupling, sums) / np.sqrt(gone.size)[:, None]
    _put(found, gone, _draw_units(gone, system.gone, right, explained, rng))


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
    wanted = Vectors(block.structure, weights)
    products = _products(block, wanted)
    step = max(1, block.structure.step // (1 + len(weights) // 4))
    n = noise.shape[1]
    mean, variance = np.empty((len(weights), n)), np.empty((len(weights), n))
    for i in range(0, n, step):
        part = slice(i, i + step)
        system = block.system(effects[:, part], noise[:, part])
        mean[:, part], variance[:, part] = _moments(block, system, wanted, products)
    return mean, variance


Products = tuple[Array, Array]


def _products(block: Block, wanted: Vectors) -> tuple[Products, Products]:
    """Return, for both sides, products of functions with themselves and with the responses.

    Shapes (F, entries) and (F, n_noise, entries).
    """
    structure, given = block.structure, block.vectors

    def of_side(units: Units, own: Array, other: Array) -> Products:
        n, m = len(own), len(other)
        both = units.products(np.repeat(own, m, axis=0), np.tile(other, (n, 1, 1)))
        return units.products(own, own), both.reshape(n, m, -1)

    return (
        of_side(structure.gone, wanted.of_gone, given.of_gone),
        of_side(structure.kept, wanted.deviation, given.deviation),
    )


def _moments(
    block: Block, system: System, wanted: Vectors, products: tuple[Products, Products]
) -> tuple[Array, Array]:
    """Return fᵀP⁻¹r and fᵀP⁻¹f, summed over the parts of P that are not coupled."""
    weight = system.weight
    size = weight.shape[1]
    kept = np.repeat(wanted.kept.T[:, :, None], size, axis=2)
    gone = np.repeat(wanted.gone.transpose(1, 0, 2)[..., None], size, axis=3)
    half = system.reduce(kept, gone)
    mean = (half * block.reduced(system)[:, None]).sum(axis=0)
    variance = (half**2).sum(axis=0)
    for (own, both), lower in zip(products, (system.gone, system.kept), strict=True):
        inverted = inverse(lower).reshape(-1, size)
        variance += own @ inverted
        mean += ((both @ inverted) * weight).sum(axis=1)
    return mean, variance
