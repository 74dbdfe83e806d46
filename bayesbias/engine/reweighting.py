"""What would change: an answer with other data or priors, from the draws that there are.

Draws θ of the standard deviations from p(θ | y) are draws from another posterior q(θ | y') if they
get the weights q(y', θ) / p(y, θ), smoothed. Pareto k says whether they can be trusted:
above 0.7 the two posteriors are too different, and the model has to be fitted again. Blocks are
independent, so that an answer needs those alone that it weighs.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from bayesbias.engine.block import Block, every_block, sds_of_block
from bayesbias.engine.collapsed import conditional_moments, integrate_blocks
from bayesbias.engine.diagnostics import PARETO_K_LIMIT, smoothed_weights
from bayesbias.engine.intervals import NormalMixture
from bayesbias.models.design import Design
from bayesbias.models.parameters import LinearCombinations, samples
from bayesbias.models.specification import ModelSpec
from bayesbias.support.arguments import Array

Model = tuple[Design, ModelSpec]


def log_joints(sds: xr.Dataset, fitted: Model) -> dict[str, Array]:
    """Return of every block, by its name, the log density of draws of its standard deviations."""
    values = {str(name): samples(sds, str(name)) for name in sds.data_vars}
    return {
        block.name: block.log_joint(*sds_of_block(values, fitted[0], block))
        for block in every_block(*fitted)
    }


def weighed_blocks(changed: Model, weights: LinearCombinations) -> list[Block]:
    """Return the blocks whose means or effects a linear function weighs."""
    design, spec = changed
    weighed = []
    for block in every_block(design, spec):
        parts = [weights.mean[:, block.connections]]
        for number, levels in zip(block.terms, block.levels, strict=True):
            of_term = weights.effects.get(design.terms[number].name)
            parts += [] if of_term is None else [of_term[:, levels].toarray()]
        if any(part.any() for part in parts):
            weighed.append(block)
    return weighed


def posterior_of_changed(
    sds: xr.Dataset,
    fitted: Design,
    log_joint: Mapping[str, Array],
    changed: Model,
    weights: LinearCombinations,
) -> tuple[NormalMixture, bool]:
    """Return the posterior of a linear function in a changed model, and whether it was fitted.

    `sds`, `log_joint`: draws of the standard deviations given the `fitted` design, and their
    `log_joints`; reweighted where Pareto k allows it, else as many are drawn anew. `weights`: a
    row, of the changed design.
    """
    design, spec = changed
    blocks = weighed_blocks(changed, weights)
    if same_standard_deviations([fitted, design]):
        values = {str(name): samples(sds, str(name)) for name in sds.data_vars}
        log_ratio = np.zeros(len(values["noise_sd"]))
        for block in blocks:
            drawn = sds_of_block(values, design, block)
            log_ratio += block.log_joint(*drawn) - log_joint[block.name]
        share, k = smoothed_weights(log_ratio) if np.isfinite(log_ratio).all() else (None, np.inf)
        if k <= PARETO_K_LIMIT:
            (centre,), (spread,) = conditional_moments(design, blocks, sds, weights)
            mean = centre @ share
            # Law of total variance.
            variance = spread**2 @ share + (centre - mean) ** 2 @ share
            return NormalMixture(np.array([mean]), np.sqrt([variance])), False
    n = sds.sizes["chain"] * sds.sizes["draw"]
    drawn_anew, _, _ = integrate_blocks(design, spec, draws=n, chains=1, proposals=n, blocks=blocks)
    (centre,), (spread,) = conditional_moments(design, blocks, drawn_anew, weights)
    return NormalMixture(centre, spread), True


def same_standard_deviations(designs: Sequence[Design]) -> bool:
    """Tell whether models of several designs have the same standard deviations."""
    first = [(term.name, term.sd_labels) for term in designs[0].terms]
    return all(
        [(term.name, term.sd_labels) for term in design.terms] == first
        and design.noise_labels == designs[0].noise_labels
        and np.array_equal(design.noise_similar, designs[0].noise_similar)
        for design in designs
    )
