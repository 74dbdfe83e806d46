"""The collapsed engine: everything but the standard deviations in closed form.

A linear mixed model with normal noise has a marginal likelihood of its variance components alone:
that which REML maximises, but for the prior of the means. Here it is multiplied by the components'
priors and integrated over, so that intervals have their uncertainty, which a point estimate leaves
out (so does INLA: Rue, Martino and Chopin 2009).

Connections that share an effect or a standard deviation form a block (`block`), and blocks are
independent. Where a block has one connection and at most one term, its one or two standard
deviations are integrated on a grid (`grid`); else by importance sampling (`importance`). Both
follow a fixed rule and give the marginal likelihood; the seed is that of the means and effects,
which are drawn from their exact normal conditional (`effects`). Time and memory follow the number
of words and attributes; pairs are counted once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import xarray as xr

from bayesbias.inference.block import NOISE, Block, every_block
from bayesbias.inference.design import Design
from bayesbias.inference.effects import draw_effects
from bayesbias.inference.folded import FoldedMixture
from bayesbias.inference.grid import integrate_on_grid, suits
from bayesbias.inference.importance import weighted_points
from bayesbias.inference.parameters import NOISE_SIMILAR, derived, drawn_shapes, labelled
from bayesbias.inference.pareto import resample
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.arrays import Array
from bayesbias.support.threads import on_one_thread

_FEWEST_PROPOSALS: Final = 2000


def sample_collapsed(
    design: Design, spec: ModelSpec, *, draws: int, chains: int, seed: int
) -> tuple[xr.Dataset, xr.Dataset, dict[str, Any]]:
    """Draw from the posterior of a Gaussian specification.

    `draws` × `chains` draws are made; chains are only a label here. `seed`: of the draws of means
    and effects; the standard deviations follow a fixed rule. Returns the posterior, with variables
    as from `inference.nuts.sample_nuts`; per ``block`` of connections ``pareto_k`` and
    ``importance_ess`` (of `proposals`), −∞ and all for a grid; and a record with
    ``log_marginal_likelihood``.

    A `DistancesError` where the distances of a connection do not vary, so that no posterior exists.
    """
    total = draws * chains
    rng = np.random.Generator(np.random.SFC64(seed))  # a third of the time goes to normal numbers
    shapes = drawn_shapes(design, spec)
    values = {name: np.empty((total, *shape)) for name, shape in shapes.items()}
    for term in design.terms:  # the draws of one effect stand together: so they are made and read
        values[f"{term.name}_effect"] = np.empty((len(term.labels), total)).T
    blocks = every_block(design, spec)
    # Shares of the noise have long tails, in which few of so many points are effective.
    proposals = [_FEWEST_PROPOSALS * (2 if block.n_shares else 1) for block in blocks]
    both = zip(blocks, proposals, strict=True)
    integrals = [integrate(block, total, proposals=n) for block, n in both]
    for block, found in zip(blocks, integrals, strict=True):
        drawn = draw_effects(block, found.effects, found.noise, rng)
        put_into(values, design, block, drawn, found.effects, found.noise)
    values |= derived(values, design, rng)
    stats = xr.Dataset(
        {
            "pareto_k": ("block", np.array([found.pareto_k for found in integrals])),
            "importance_ess": ("block", np.array([found.ess for found in integrals])),
            "proposals": ("block", np.array([found.proposals for found in integrals])),
        },
        coords={"block": [block.name for block in blocks]},
    )
    on_grid = all(found.coordinates is None for found in integrals)
    record = {
        "engine": "collapsed",
        "sampler": "grid" if on_grid else "importance sampling",
        "draws": draws,
        "chains": chains,
        "log_marginal_likelihood": sum(found.log_marginal_likelihood for found in integrals),
    }
    posterior = labelled(values, design, spec, draws=draws, chains=chains)
    return posterior, stats, record


def log_marginal_likelihood(design: Design, spec: ModelSpec, *, seed: int = 0) -> float:
    """Return the log evidence, without drawing effects; another `seed` is another rule."""
    found = (integrate(block, 1, shift=seed) for block in every_block(design, spec))
    return sum(one.log_marginal_likelihood for one in found)


@dataclass(frozen=True)
class Integral:
    """What integrating over the standard deviations of a block has found.

    `effects` (n_sds, D), `noise` (n_noise, D): draws of the standard deviations. `pareto_k`, `ess`:
    of the importance weights; −∞ and `proposals` for a grid. `coordinates` (D, dimension): of the
    same draws, as `block.Block` counts them; None for a grid.
    """

    effects: Array
    noise: Array
    log_marginal_likelihood: float
    pareto_k: float
    ess: float
    proposals: int
    coordinates: Array | None


@on_one_thread
def integrate(
    block: Block,
    n_draws: int,
    *,
    start: FoldedMixture | None = None,
    proposals: int = _FEWEST_PROPOSALS,
    shift: int = 0,
) -> Integral:
    """Integrate over the standard deviations of a block, of which `n_draws` draws are wanted.

    Points are those of a fixed rule, as in any quadrature, so that the answer does not depend on a
    seed; at least `proposals` of them. `start`: see `importance.weighted_points`. `shift`: another
    number gives another rule, to see how exact it is.
    """
    # Blocks are independent, and so must the order of their draws be.
    order = np.random.default_rng([shift, *block.connections])
    if suits(block):
        effect, noise, evidence = integrate_on_grid(block, n_draws, order)
        effects = effect[None] if block.sds else np.empty((0, n_draws))
        return Integral(effects, noise[None], evidence, -np.inf, float(n_draws), n_draws, None)
    n = max(n_draws, proposals)
    points = weighted_points(block, n, np.random.default_rng(shift), start)
    chosen = points.x[resample(points.weights, n_draws, order)]
    return Integral(
        *block.standard_deviations(chosen),
        points.log_marginal_likelihood,
        points.pareto_k,
        points.ess,
        len(points.x),
        chosen,
    )


def put_into(
    values: Mapping[str, Array],
    design: Design,
    block: Block,
    effects: Array,
    sds: Array,
    noise: Array,
) -> None:
    """Put a block's draws, those of its means and effects first, a column each, to their places.

    `values`: of all parameters but those that follow from others, a draw a row.
    """
    of = {name: found.reshape(len(found), -1) for name, found in values.items()}  # views
    start = block.n_means
    if start:
        of["connection_mean"][:, block.connections] = block.mean + effects[:start].T
    of["noise_sd"][:, block.noise] = noise.T
    for (number, index), sd in zip(block.sds, sds, strict=True):
        name = NOISE_SIMILAR if number == NOISE else f"{design.terms[number].name}_sd"
        if name in of:
            of[name][:, index] = sd
    for number, levels in zip(block.terms, block.levels, strict=True):
        part = effects[start : start + len(levels)]
        of[f"{design.terms[number].name}_effect"].T[levels] = part
        start += len(levels)
