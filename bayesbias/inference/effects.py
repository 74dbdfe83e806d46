"""What a block says of its effects, given its standard deviations: draws and exact moments."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayesbias.inference.block import Block
from bayesbias.inference.crossing import Crossed
from bayesbias.inference.elimination import CHUNK, System, Vectors
from bayesbias.inference.exchangeable import Units
from bayesbias.inference.parts import Part
from bayesbias.inference.slopes import Less
from bayesbias.inference.small_matrices import Entries, backward, forward, inverse
from bayesbias.support.arrays import Array
from bayesbias.support.threads import on_one_thread
from bayesbias.support.types import Generator


@on_one_thread
def draw_effects(block: Block, effects: Array, noise: Array, rng: Generator) -> Array:
    """Draw the means and all effects from their exact normal conditional.

    `effects` (n_sds, D). `noise` (n_noise, D): standard deviations, one draw a column. Returns
    (n_effects, D): means less the prior mean.
    """
    largest = max(part.n_effects for part in block.parts)
    step = min(part.step for part in block.parts)
    step = max(16, min(step, CHUNK // (6 * largest + 1)))
    n = noise.shape[1]
    found = np.empty((block.n_effects, n))
    for i in range(0, n, step):
        at = slice(i, i + step)
        sds = effects[:, at], noise[:, at]
        slopes = np.empty((0, sds[1].shape[1]))
        if len(block.slopes):
            slopes = block.coefficients(*sds).draw(rng)
        drawn = []
        for number, part in enumerate(block.parts):
            less = [(s, v.parts[number]) for s, v in zip(slopes, block.views, strict=True)]
            drawn.append(_draw(part, block.mean_sd, *sds, rng, less))
        shared = found[: block.offset[-1], at]
        if block.replicates is None:
            shared[:] = drawn[0][0]
        else:
            rest = np.repeat(block.rotated[0][:, None], sds[1].shape[1], axis=1)
            for slope, view in zip(slopes, block.views, strict=True):
                rest -= view.rotated[0][:, None] * slope
            _rotate_back(block, drawn, rest, *sds, shared, rng)
        found[block.offset[-1] :, at] = slopes
    return found


def _rotate_back(
    block: Block,
    drawn: list[Array],
    rest: Array,
    effects: Array,
    noise: Array,
    found: Array,
    rng: Generator,
) -> None:
    """Put effects of copies, rotated back, to their places; `rest`: mean responses less slopes."""
    copies = block.replicates
    assert copies is not None
    means, deviations = drawn[0][0], np.concatenate(drawn[1:])
    root, rotation = len(copies.rows) ** 0.5, copies.rotation
    part = block.parts[0]
    found[: block.n_means] = means[: block.n_means] / root
    place, other = block.n_means, 0
    for number, own in enumerate(copies.own):
        start, end = block.offset[number], block.offset[number + 1]
        if number in (copies.single, copies.alike):
            continue
        size = end - start if own is None else own.shape[1]
        of_means = means[place : place + size]
        place += size
        if own is None:
            found[start:end] = of_means / root
            continue
        turned = np.concatenate([of_means[None], deviations[:, other : other + size]])
        other += size
        found[start + own.ravel()] = np.tensordot(rotation.T, turned, 1).reshape(own.size, -1)
    if copies.single is None and copies.alike is None:
        return
    alike, single = part.draw_of_pairs(rest, means, effects, noise, rng)
    for of_term, of_pairs in ((copies.alike, alike), (copies.single, single)):
        if of_term is not None:
            level = copies.levels[of_term]
            acts = level >= 0
            found[block.offset[of_term] + level[acts]] = of_pairs[acts] / root


def _draw(
    part: Part | Crossed,
    mean_sd: float,
    effects: Array,
    noise: Array,
    rng: Generator,
    less: Less[Any],
) -> Array:
    """Draw the means and effects of every set of a part, shape (n_sets, n_effects, B)."""
    if isinstance(part, Crossed):
        return part.draw(mean_sd or 1.0, effects, noise, rng, less)
    system = part.system(mean_sd or 1.0, effects, noise)
    found = np.empty((part.n_sets, part.structure.n_effects, noise.shape[1]))
    for number, one in enumerate(found):
        _draw_set(part, system, number, one, rng, less)
    return found


def _draw_set(
    part: Part, system: System, number: int, found: Array, rng: Generator, less: Less[Part]
) -> None:
    structure, weight, rows = part.structure, system.weight, part.rows(number)
    kept, gone = structure.kept, structure.gone

    def without_slopes(of: Callable[[Part], Array]) -> Array:
        found = of(part)
        for slope, view in less:
            found = found - slope * of(view)
        return found

    half = without_slopes(lambda p: p.reduced(system, number))
    half += rng.standard_normal(half.shape)
    sums = system.expand(half)
    n_rest = len(structure.rest)
    found[structure.rest] = sums[:n_rest]
    # A kept effect is its class's mean plus a deviation; deviations sum to 0 in a class.
    right = without_slopes(lambda p: np.tensordot(p.vectors.deviation[rows], weight, axes=(0, 0)))
    free = _draw_units(kept, system.kept, right, None, rng)
    top = np.zeros((kept.width, kept.n_classes, weight.shape[1]))
    top[structure.kept_place, structure.kept_class] = sums[n_rest:]
    shift = top / np.sqrt(kept.size)[:, None] - _class_means(kept, free)
    _put(found, kept, free + shift[:, kept.member])
    right = without_slopes(lambda p: np.tensordot(p.vectors.of_gone[rows], weight, axes=(0, 0)))
    explained = np.einsum("wkcb,kb->wcb", system.coupling, sums) / np.sqrt(gone.size)[:, None]
    _put(found, gone, _draw_units(gone, system.gone, right, explained, rng))


def _put(found: Array, units: Units, values: Array) -> None:
    """Put values by unit, (width, n_units, B), to the places of their effects."""
    for effect, value in zip(units.effect.T, values, strict=True):
        real = effect >= 0
        found[effect[real]] = value if real.all() else value[real]


def _draw_units(
    units: Units, lower: Array, right: Array, explained: Array | None, rng: Generator
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


@on_one_thread
def moments(block: Block, effects: Array, noise: Array, weights: Array) -> tuple[Array, Array]:
    """Return the exact conditional moments of linear functions of the effects.

    `effects` (n_sds, D). `noise` (n_noise, D): standard deviations, one draw a column. `weights`
    (F, n_effects): one linear function a row. Returns `mean, variance` (F, D): of the functions,
    given the standard deviations; means less the prior mean.
    """
    if not len(block.slopes):
        return _moments_of_shared(block, effects, noise, weights)
    on_shared, on_slopes = np.split(weights, [block.offset[-1]], axis=1)
    mean, variance = _moments_of_shared(block, effects, noise, on_shared)
    of_views = [_moments_of_shared(view, effects, noise, on_shared)[0] for view in block.views]
    left = on_slopes[:, :, None] - np.stack(of_views, axis=1)
    step = min(part.step for part in block.parts)
    for i in range(0, noise.shape[1], step):
        at = slice(i, i + step)
        slopes = block.coefficients(effects[:, at], noise[:, at])
        mean[:, at] += (left[:, :, at] * slopes.mean).sum(axis=1)
        variance[:, at] += slopes.variance(left[:, :, at])
    return mean, variance


def _moments_of_shared(
    block: Block, effects: Array, noise: Array, weights: Array
) -> tuple[Array, Array]:
    """Return the moments of functions of all but the slopes, as if there were none."""
    n = noise.shape[1]
    mean, variance = np.zeros((len(weights), n)), np.zeros((len(weights), n))
    for part, wanted in _by_part(block, weights):
        if isinstance(part, Crossed):
            step = max(1, part.step // (1 + len(weights) // 4))
            for i in range(0, n, step):
                at = slice(i, i + step)
                both = part.moments(block.mean_sd or 1.0, effects[:, at], noise[:, at], wanted)
                mean[:, at] += both[0]
                variance[:, at] += both[1]
            continue
        sets = [_Functions(part, number, one) for number, one in enumerate(wanted) if one.any()]
        step = max(1, part.structure.step // (1 + len(weights) // 4))
        for i in range(0, n, step) if sets else ():
            at = slice(i, i + step)
            system = part.system(block.mean_sd or 1.0, effects[:, at], noise[:, at])
            for functions in sets:
                of_set = functions.moments(system)
                mean[:, at] += of_set[0]
                variance[:, at] += of_set[1]
    return mean, variance


def _by_part(block: Block, weights: Array) -> list[tuple[Part | Crossed, Array]]:
    """Return parts, each with the weights of its effects, (n_sets, F, n_part_effects)."""
    copies = block.replicates
    if copies is None:
        return [(block.parts[0], weights[None])]
    of_terms = np.split(
        weights[:, block.n_means :], np.array(block.offset[1:-1]) - block.n_means, 1
    )
    if copies.alike is not None and of_terms[copies.alike].any():
        raise ValueError("effects of single pairs that are alike are drawn, not solved for")
    if copies.single is not None and of_terms[copies.single].any():
        if isinstance(block.parts[0], Crossed):
            raise ValueError("effects of single pairs are drawn where attributes are similar")
        # There these effects are a part of the noise; asked for by name, they are solved for.
        whole = block.whole()
        whole.observe((block.response - block.mean)[None])
        return [(whole, weights[None])]
    root = len(copies.rows) ** 0.5
    means, deviations = [weights[:, : block.n_means] / root], []
    for number, (own, of_term) in enumerate(zip(copies.own, of_terms, strict=True)):
        if own is not None:
            rotated = np.tensordot(copies.rotation, of_term[:, own], axes=(1, 1))
            means.append(rotated[0])
            deviations.append(rotated[1:])
        elif number not in (copies.single, copies.alike):
            means.append(of_term / root)
    first, *others = block.parts
    of_deviations = np.concatenate(deviations, axis=2)
    if len(others) == 1:
        return [(first, np.hstack(means)[None]), (others[0], of_deviations)]
    one_each = zip(others, of_deviations[:, None], strict=True)
    return [(first, np.hstack(means)[None]), *one_each]


class _Functions:
    """Linear functions, (F, n_effects), of the effects of one set of a part."""

    def __init__(self, part: Part, number: int, weights: Array) -> None:
        structure, rows = part.structure, part.rows(number)
        self.part, self.number = part, number
        self.wanted = wanted = Vectors(structure, weights)
        self.products = [
            _products(units, own, given[rows])
            for units, own, given in (
                (structure.gone, wanted.of_gone, part.vectors.of_gone),
                (structure.kept, wanted.deviation, part.vectors.deviation),
            )
        ]

    def moments(self, system: System) -> tuple[Array, Array]:
        """Return fᵀP⁻¹r and fᵀP⁻¹f, summed over the parts of P that are not coupled."""
        weight = system.weight
        size = weight.shape[1]
        kept = np.repeat(self.wanted.kept.T[:, :, None], size, axis=2)
        gone = np.repeat(self.wanted.gone.transpose(1, 0, 2)[..., None], size, axis=3)
        half = system.reduce(kept, gone)
        mean = (half * self.part.reduced(system, self.number)[:, None]).sum(axis=0)
        variance = (half**2).sum(axis=0)
        for (own, both), lower in zip(self.products, (system.gone, system.kept), strict=True):
            inverted = inverse(lower).reshape(-1, size)
            variance += own @ inverted
            mean += ((both @ inverted) * weight).sum(axis=1)
        return mean, variance


def _products(units: Units, own: Array, other: Array) -> tuple[Array, Array]:
    """Return products with themselves, (F, entries), and responses, (F, n_noise, entries)."""
    n, m = len(own), len(other)
    both = units.products(np.repeat(own, m, axis=0), np.tile(other, (n, 1, 1)))
    return units.products(own, own), both.reshape(n, m, -1)
