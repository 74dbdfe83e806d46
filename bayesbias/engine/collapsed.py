"""The collapsed engine: everything but the standard deviations in closed form.

A linear mixed model with normal noise has a marginal likelihood of its variance components alone:
that which REML maximises, but for the prior of the means. Here it is multiplied by the components'
priors and integrated over, so that intervals have their uncertainty, which a point estimate leaves
out (so does INLA: Rue, Martino and Chopin 2009).

Connections that share an effect or a standard deviation form a block (`block`), and blocks are
independent. The standard deviations of each are integrated by importance sampling (`importance`),
which follows a fixed rule and gives the marginal likelihood; the seed is that of the means and
effects, which are drawn from their exact normal conditional (`effects`).

Answers have no Monte Carlo error in the effects. Given the standard deviations, a linear function
of means and effects (`parameters`) is normal, with a mean and a variance in closed form. Its
posterior is the mixture of these normals over the draws of the standard deviations, which come from
the fixed rule: mean, tail areas and intervals do not change with the seed at all.

With other data or priors an answer has the same draws: θ from p(θ | y) are draws from another
posterior q(θ | y') if they get the weights q(y', θ) / p(y, θ), smoothed. Pareto k says whether they
can be trusted: above 0.7 the two posteriors are too different, and the model has to be fitted
again. Blocks are independent, so that an answer needs those alone that it weighs.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import xarray as xr

from bayesbias.engine.block import Block, every_block
from bayesbias.engine.diagnostics import PARETO_K_LIMIT, smoothed_weights
from bayesbias.engine.effects import draw_effects, moments, prior_draws
from bayesbias.engine.importance import Points, spread_over, weighted_points
from bayesbias.engine.intervals import NormalMixture
from bayesbias.models.design import Design
from bayesbias.models.parameters import Weights, derived, drawn_shapes, labelled, samples, sds_of
from bayesbias.models.specification import ModelSpec
from bayesbias.support.arguments import Array
from bayesbias.support.machine import on_one_thread

_FEWEST_PROPOSALS: Final = 2000
_AT_ONCE: Final = 256  # functions whose weights are written out at a time


def integrate_blocks(
    design: Design,
    spec: ModelSpec,
    *,
    draws: int,
    chains: int,
    proposals: int = _FEWEST_PROPOSALS,
    blocks: Sequence[Block] | None = None,
) -> tuple[xr.Dataset, xr.Dataset, dict[str, Any]]:
    """Integrate over the standard deviations of a Gaussian specification, and draw these.

    `draws` × `chains` draws are made of at least `proposals` points; chains are only a label here.
    All follows a fixed rule, no seed. Returns the draws, variables
    ``<term>_sd`` and ``noise_sd``; per ``block`` of connections ``pareto_k`` and
    ``importance_ess`` (of ``proposals``); and a record with ``log_marginal_likelihood``. `blocks`:
    some of the design's; the standard deviations of others are not set. A `DistancesError` where
    the distances of a connection do not vary, so that no posterior exists.
    """
    blocks = every_block(design, spec) if blocks is None else blocks
    sds, points = np.empty((len(design.sd_priors), draws * chains)), []
    for block in blocks:
        # Shares of the noise have long tails, in which few of so many points are effective.
        n = proposals * (2 if block.n_shares else 1)
        x, of_block = integrate(block, draws * chains, proposals=n)
        sds[block.sds], sds[block.noise_sds] = block.standard_deviations(x)
        points.append(of_block)
    values = {name: sds[at].T for name, at in design.sd_places.items()}
    numbers = {
        "pareto_k": [p.pareto_k for p in points],
        "importance_ess": [p.ess for p in points],
        "proposals": [len(p.x) for p in points],
    }
    coords = {"block": [block.name for block in blocks]}
    stats = xr.Dataset({name: ("block", of) for name, of in numbers.items()}, coords=coords)
    record = {
        "engine": "collapsed",
        "sampler": "importance sampling",
        "draws": draws,
        "chains": chains,
        "log_marginal_likelihood": sum(p.log_marginal_likelihood for p in points),
    }
    return labelled(values, design, draws=draws, chains=chains), stats, record


def with_effects(
    sds: xr.Dataset, design: Design, spec: ModelSpec, *, seed: int, prior: bool = False
) -> xr.Dataset:
    """Return draws of standard deviations with means and effects drawn given each of them.

    And given the responses, unless `prior`. The variables are those of `engine.nuts.sample_nuts`.
    """
    rng = np.random.Generator(np.random.SFC64(seed))  # a third of the time goes to normal numbers
    values, every_sd = {str(name): samples(sds, str(name)) for name in sds}, sds_of(sds, design)
    # The draws of one effect stand together: so they are made and read.
    drawn = np.zeros((design.n_parameters, every_sd.shape[1]))
    for block in every_block(design, spec):
        own = every_sd[block.sds], every_sd[block.noise_sds], rng
        effects = prior_draws(block, *own)[0] if prior else draw_effects(block, *own)
        drawn[block.parameters] = block.mixing @ effects
        drawn[block.connections] += block.mean
    names = drawn_shapes(design)
    values |= {name: drawn[at].T for name, at in design.places.items() if name in names}
    values |= derived(values, design)
    draws, chains = sds.sizes["draw"], sds.sizes["chain"]
    return labelled(values, design, draws=draws, chains=chains)


@on_one_thread
def integrate(
    block: Block, n_draws: int, *, proposals: int = _FEWEST_PROPOSALS
) -> tuple[Array, Points]:
    """Integrate over the standard deviations of a block: `n_draws` coordinates, (n_draws, d)."""
    # Blocks are independent, and so must the order of their draws be.
    order = np.random.default_rng([0, *block.connections])
    points = weighted_points(block, max(n_draws, proposals), np.random.default_rng(0))
    # Drawn systematically, which adds the least noise, then shuffled.
    chosen = spread_over(points.weights, n_draws, order.random())
    return points.x[order.permutation(chosen)], points


def conditional_moments(
    blocks: Sequence[Block], sds: Array, weights: Weights
) -> tuple[Array, Array]:
    """Return means and sds of linear functions, (F, n_draws), given draws of `sds_of`."""
    mean, variance = np.zeros((2, weights.shape[0], sds.shape[1]))
    for start in range(0, len(mean), _AT_ONCE):
        some = weights[start : start + _AT_ONCE]
        for block in blocks:
            of_means = block.mean * some[:, block.connections].sum(axis=1)
            mean[start : start + _AT_ONCE] += of_means[:, None]
            on_effects = (some[:, block.parameters] @ block.mixing).toarray()
            if len(at := np.flatnonzero(on_effects.any(axis=1))):
                own = moments(block, sds[block.sds], sds[block.noise_sds], on_effects[at])
                mean[start + at] += own[0]
                variance[start + at] += own[1]
    return mean, np.sqrt(np.maximum(variance, 0.0))


def log_joints(blocks: Sequence[Block], sds: Array) -> dict[str, Array]:
    """Return of every block, by its name, the log density of draws of `sds_of`."""
    return {block.name: block.log_joint(sds[block.sds], sds[block.noise_sds]) for block in blocks}


def posterior_of_changed(
    draws: xr.Dataset,
    fitted: Design,
    log_joint: Mapping[str, Array],
    changed: tuple[Design, ModelSpec],
    weights: Weights,
) -> tuple[NormalMixture, bool]:
    """Return the posterior of a linear function in a changed model, and whether it was fitted.

    `draws`, `log_joint`: draws of the standard deviations given the `fitted` design, and their
    `log_joints`; reweighted where Pareto k allows it, else as many are drawn anew. `weights`: a
    row, of the changed design.
    """
    design, spec = changed
    blocks = [
        block
        for block in every_block(design, spec)
        if weights[:, np.union1d(block.connections, block.parameters)].count_nonzero()
    ]
    if _sds_told_apart(design) == _sds_told_apart(fitted):
        sds = sds_of(draws, design)
        log_ratio = np.zeros(sds.shape[1])
        for name, density in log_joints(blocks, sds).items():
            log_ratio += density - log_joint[name]
        share, k = smoothed_weights(log_ratio) if np.isfinite(log_ratio).all() else (None, np.inf)
        if k <= PARETO_K_LIMIT:
            (centre,), (spread,) = conditional_moments(blocks, sds, weights)
            mean = centre @ share
            variance = (spread**2 + (centre - mean) ** 2) @ share  # law of total variance
            return NormalMixture(np.array([mean]), np.sqrt([variance])), False
    n = draws.sizes["chain"] * draws.sizes["draw"]
    drawn_anew, _, _ = integrate_blocks(design, spec, draws=n, chains=1, proposals=n, blocks=blocks)
    (centre,), (spread,) = conditional_moments(blocks, sds_of(drawn_anew, design), weights)
    return NormalMixture(centre, spread), True


def _sds_told_apart(design: Design) -> tuple[object, ...]:
    """Return which standard deviations a design has."""
    of_terms = [(term.name, term.sd_labels) for term in design.terms]
    return of_terms, design.noise_labels, design.noise_similar.tolist()
