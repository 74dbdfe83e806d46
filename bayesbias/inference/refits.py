"""Many fits of one model to data that differ by little: placebo lists, worlds, words left out.

No effects are drawn: means, intervals and tail areas of contrasts are those of mixtures of normals
(`conditional`). The first fits find where the standard deviations are, and their draws together
make a proposal from which later ones start; a block whose pairs and priors a late fit had is not
fitted again.
"""

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

import numpy as np

from bayesbias.inference.block import Block, every_block
from bayesbias.inference.collapsed import Integral, integrate
from bayesbias.inference.conditional import NormalMixture, moments_of_parts
from bayesbias.inference.design import Design
from bayesbias.inference.folded import FoldedMixture, fitted
from bayesbias.inference.questions import LinearCombinations
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.arrays import Array

Key = tuple[str, int, int]

_FIRST_FITS: Final = 8
"""As many as it takes to know how far fits differ: the proposal of one suits few of the others."""

_OF_EACH: Final = 250

_KEPT: Final = 32
"""Blocks whose fit is kept, for a later one with the same pairs and priors."""


@dataclass(frozen=True)
class Refit:
    """What one fit says; `pareto_k` is the largest of all blocks.

    `unrelated` (n_answers, n_draws): their standard deviations were groups unrelated to the lists,
    where that is asked and known.
    """

    answers: tuple[NormalMixture, ...]
    log_marginal_likelihood: float
    pareto_k: float
    unrelated: Array | None = None


@dataclass
class Refits:
    """Fits of one model, or of some that differ by little, each profiting from those before.

    `draws`: of the standard deviations, per fit, and number of points that they come from.
    """

    spec: ModelSpec
    draws: int = 1000
    _first: dict[Key, list[Array]] = field(default_factory=dict, repr=False)
    _starts: dict[Key, FoldedMixture] = field(default_factory=dict, repr=False)
    _known: dict[bytes, Integral] = field(default_factory=dict, repr=False)

    def answers(
        self,
        design: Design,
        weights: LinearCombinations,
        spec: ModelSpec | None = None,
        *,
        unrelated: bool = False,
    ) -> Refit:
        """Fit, another model where one is given, and return the posteriors of linear functions."""
        spec = self.spec if spec is None else spec
        blocks = every_block(design, spec)
        integrals = [self._integral(block) for block in blocks]
        parts = [
            (block, found.effects, found.noise)
            for block, found in zip(blocks, integrals, strict=True)
        ]
        mean, sd = moments_of_parts(design, parts, weights)
        apart = None
        if unrelated and design.alike is not None:
            blocks = every_block(design, spec, unrelated=True)
            few = [
                (block, found.effects[:, :_OF_EACH], found.noise[:, :_OF_EACH])
                for block, found in zip(blocks, integrals, strict=True)
            ]
            apart = moments_of_parts(design, few, weights)[1]
        return Refit(
            tuple(NormalMixture(*row) for row in zip(mean, sd, strict=True)),
            sum(found.log_marginal_likelihood for found in integrals),
            max(found.pareto_k for found in integrals),
            apart,
        )

    def _integral(self, block: Block) -> Integral:
        digest = _digest(block)
        if (found := self._known.pop(digest, None)) is None:
            # A frame that lacks terms has other coordinates, for which the proposal is not made.
            key = block.name, block.n_free, block.dimension
            start = self._starts.get(key)
            found = integrate(block, self.draws, start=start, proposals=self.draws)
            first = self._first.setdefault(key, [])
            if found.coordinates is not None and len(first) < _FIRST_FITS:
                first.append(found.coordinates[:_OF_EACH])
                x = np.concatenate(first)
                even = np.full(len(x), 1 / len(x))
                self._starts[key] = fitted(x, even, block.n_free, components=2)
        self._known[digest] = found  # the last that was asked for stands last
        if len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
        return found


def _digest(block: Block) -> bytes:
    """Return what changes with anything that a block's fit follows from."""
    priors = [block.mean, block.mean_sd, block.effect_priors, block.noise_prior]
    priors += [block.share_prior, block.noise_similar.tolist()]
    content = blake2b(repr([block.name, block.sds, block.fixed_sds.tolist(), *priors]).encode())
    content.update(block.response.tobytes())
    for balance in block.balances:
        if balance is not None:
            content.update(repr([balance.size, balance.together.tolist()]).encode())
    for column in (
        block.noise_of_rows,
        *block.levels_of_rows,
        *block.sd_of_levels,
        *(layout.similarity for layout in block.layouts if layout.similarity is not None),
        block.slopes,
    ):
        content.update(column.tobytes())
    return content.digest()
