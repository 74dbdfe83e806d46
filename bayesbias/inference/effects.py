"""What a block says of its effects, given its standard deviations: draws and exact moments.

Given the variance components the effects of a linear mixed model are normal: their means are the
best linear unbiased predictions (BLUPs) of Henderson's equations, shrunken by the prior, and their
covariance does not depend on the responses. Both engines' parts (`complete_effects`,
`mixed_model_equations`) give draws of them, and moments of linear functions; here the parts of a
block are put together:

- of copies, such as training runs, the Helmert rotation is undone (`replicates`);
- slopes are solved for by generalised least squares, and all else is what it would be for the
  responses less the slopes (`slopes`). Moments are linear in the responses, so that the column of a
  slope is one set of responses more.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from bayesbias.inference import complete_effects, mixed_model_equations
from bayesbias.inference.block import Block, Part
from bayesbias.inference.complete_block import CompleteBlock
from bayesbias.inference.replicates import Replicates
from bayesbias.support.arrays import Array
from bayesbias.support.threads import on_one_thread
from bayesbias.support.types import Generator

_CHUNK: Final = 1 << 19
"""Numbers that are drawn at a time: a few megabytes, which stay in the cache."""


@on_one_thread
def draw_effects(block: Block, effects: Array, noise: Array, rng: Generator) -> Array:
    """Draw the means and all effects from their exact normal conditional.

    `effects` (n_sds, D). `noise` (n_noise, D): standard deviations, one draw a column. Returns
    (n_effects, D): means less the prior mean.
    """
    largest = max(part.n_effects for part in block.parts)
    step = min(part.step for part in block.parts)
    step = max(16, min(step, _CHUNK // (6 * largest + 1)))
    n = noise.shape[1]
    rotated = block.rotated(block.response - block.mean)[0]
    found = np.empty((block.n_effects, n))
    for i in range(0, n, step):
        at = slice(i, i + step)
        sds = effects[:, at], noise[:, at]
        slopes = np.empty((0, sds[1].shape[1]))
        if len(block.slopes):
            slopes = block.coefficients(*sds).draw(rng)
        drawn = []
        for number, part in enumerate(block.parts):
            columns = zip(slopes, block.slope_parts, strict=True)
            offsets = [(slope, column[number]) for slope, column in columns]
            if isinstance(part, CompleteBlock):
                drawn.append(complete_effects.draw(part, *sds, rng, offsets))
            else:
                drawn.append(part.draw(*sds, rng, offsets))
        shared = found[: block.offset[-1], at]
        if block.replicates is None:
            shared[:] = drawn[0][0]
        else:
            rest = np.repeat(rotated[:, None], sds[1].shape[1], axis=1)
            for slope, x in zip(slopes, block.slopes, strict=True):
                rest -= block.rotated(x)[0][:, None] * slope
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
    means, deviations = drawn[0][0], drawn[1]
    root, rotation = len(copies.rows) ** 0.5, copies.rotation
    part = block.parts[0]
    # The rotated mean of R copies has √R times what they share.
    found[: block.n_means] = means[: block.n_means] / root
    place, other = block.n_means, 0
    for number, own in enumerate(copies.copy_levels):
        start, end = block.offset[number], block.offset[number + 1]
        if number in (copies.pair_effect, copies.pair_effect_K):
            continue
        size = end - start if own is None else own.shape[1]
        of_means = means[place : place + size]
        place += size
        if own is None:
            found[start:end] = of_means / root
            continue
        # b̃ = Q b with Q orthonormal, so that b = Qᵀ b̃.
        turned = np.concatenate([of_means[None], deviations[:, other : other + size]])
        other += size
        found[start + own.ravel()] = np.tensordot(rotation.T, turned, 1).reshape(own.size, -1)
    if copies.pair_effect is None and copies.pair_effect_K is None:
        return
    start = 0
    for term in block.layouts[0].terms:
        level = term.level[:, None]
        # In the end the noise is left, and √R times the effects of single pairs.
        rest = rest - np.where(level >= 0, means[start + term.level], 0.0)
        start += len(term.variance)
    if isinstance(part, CompleteBlock):
        both = complete_effects.draw_of_pairs(part, rest, effects, noise, rng)
    else:
        both = part.draw_of_pairs(rest, effects, noise, rng)
    alike, single = both
    for of_term, of_pairs in ((copies.pair_effect_K, alike), (copies.pair_effect, single)):
        if of_term is not None:
            level = copies.levels[of_term]
            acts = level >= 0
            found[block.offset[of_term] + level[acts]] = of_pairs[acts] / root


@on_one_thread
def moments(
    block: Block, effects: Array, noise: Array, weights: Array, slope: int | None = None
) -> tuple[Array, Array]:
    """Return the exact conditional moments of linear functions of the effects.

    `effects` (n_sds, D). `noise` (n_noise, D): standard deviations, one draw a column. `weights`
    (F, n_effects): one linear function a row. Returns `mean, variance` (F, D): of the functions,
    given the standard deviations; means less the prior mean. `slope`: whose numbers are taken for
    the responses, as if there were no slopes.
    """
    shared, n = weights[:, : block.offset[-1]], noise.shape[1]
    mean, variance = np.zeros((len(weights), n)), np.zeros((len(weights), n))
    parts: Sequence[Part] = block.parts
    y = block.response - block.mean
    if slope is not None:
        parts, y = block.slope_parts[slope], block.slopes[slope]
    of_parts = [(parts[0], shared[None])]
    if block.replicates is not None:
        of_parts = _of_copies(block, block.replicates, parts, y, shared)
    for part, wanted in of_parts:
        step = max(1, part.step // (1 + len(weights) // 4))
        complete = isinstance(part, CompleteBlock)
        of_set: Any = complete_effects.Functions if complete else mixed_model_equations.Functions
        sets = [of_set(part, number, one) for number, one in enumerate(wanted) if one.any()]
        for i in range(0, n, step) if sets else ():
            at = slice(i, i + step)
            state = part.at(effects[:, at], noise[:, at])
            for one in sets:
                of_mean, of_variance = one.moments(state)
                mean[:, at] += of_mean
                variance[:, at] += of_variance
    if slope is None and len(block.slopes):
        _add_slopes(block, effects, noise, weights, mean, variance)
    return mean, variance


def _add_slopes(
    block: Block, effects: Array, noise: Array, weights: Array, mean: Array, variance: Array
) -> None:
    """Add what slopes change in the moments of functions to those that there are without them."""
    numbers = range(len(block.slopes))
    of_views = [moments(block, effects, noise, weights, slope)[0] for slope in numbers]
    # Given slopes β the mean is m(y) − Σ β_k m(x_k), and the variance that without slopes: so a
    # function is another function of β, and its moments add up by the laws of total expectation and
    # total variance.
    left = weights[:, block.offset[-1] :, None] - np.stack(of_views, axis=1)
    step = min(part.step for part in block.parts)
    for i in range(0, noise.shape[1], step):
        at = slice(i, i + step)
        slopes = block.coefficients(effects[:, at], noise[:, at])
        mean[:, at] += (left[:, :, at] * slopes.mean).sum(axis=1)
        variance[:, at] += slopes.variance(left[:, :, at])


def _of_copies(
    block: Block, copies: Replicates, parts: Sequence[Part], y: Array, weights: Array
) -> list[tuple[Part, Array]]:
    """Return parts, each with the weights of its effects, (n_sets, F, n_part_effects)."""
    of_terms = np.split(
        weights[:, block.n_means :], np.array(block.offset[1:-1]) - block.n_means, 1
    )
    if copies.pair_effect_K is not None and of_terms[copies.pair_effect_K].any():
        raise ValueError("effects of single pairs that are alike are drawn, not solved for")
    if copies.pair_effect is not None and of_terms[copies.pair_effect].any():
        if block.is_similar:
            raise ValueError("effects of single pairs are drawn where attributes are similar")
        # There these effects are a part of the noise; asked for by name, they are solved for.
        return [(block.whole(y), weights[None])]
    root = len(copies.rows) ** 0.5
    means, deviations = [weights[:, : block.n_means] / root], []
    for number, (own, of_term) in enumerate(zip(copies.copy_levels, of_terms, strict=True)):
        if own is not None:
            # wᵀb = (Q w)ᵀ(Q b): weights rotate as effects do.
            rotated = np.tensordot(copies.rotation, of_term[:, own], axes=(1, 1))
            means.append(rotated[0])
            deviations.append(rotated[1:])
        elif number not in (copies.pair_effect, copies.pair_effect_K):
            means.append(of_term / root)
    of_means, of_deviations = np.hstack(means)[None], np.concatenate(deviations, axis=2)
    return [(parts[0], of_means), (parts[1], of_deviations)]
