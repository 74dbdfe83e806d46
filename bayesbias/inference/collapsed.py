"""The collapsed engine: everything but the standard deviations in closed form.

Connections that share an effect or a standard deviation form a block (`block`), and blocks are
independent. Where a block has one connection and at most one term, a grid over its one or two
standard deviations gives independent draws (`grid`); else they are sampled (`importance`). Given
them, means and effects are drawn from their exact normal conditional (`effects`). Both give the
marginal likelihood. Time and memory follow the number of words and attributes; pairs are counted
once.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from bayesbias.inference.block import Block, blocks_of
from bayesbias.inference.design import Design
from bayesbias.inference.effects import draw_effects
from bayesbias.inference.folded import FoldedMixture
from bayesbias.inference.grid import GridDraws, sample_on_grid, suits
from bayesbias.inference.importance import Points, resample, weighted_points
from bayesbias.inference.parameters import labelled
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.word_means import derived

Array = NDArray[np.float64]

_FEWEST_PROPOSALS: Final = 2000


def sample_collapsed(
    design: Design, spec: ModelSpec, *, draws: int, chains: int, seed: int
) -> tuple[xr.Dataset, xr.Dataset, dict[str, Any]]:
    """Draw from the posterior of a Gaussian specification.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
        With a normal likelihood.
    draws, chains : int
        `draws` × `chains` draws are made; chains are only a label here.
    seed : int

    Returns
    -------
    posterior : Dataset
        Variables as from `inference.nuts.sample_nuts`.
    sample_stats : Dataset
        Per ``block`` of connections: ``pareto_k`` and ``importance_ess`` (of `proposals`); for a
        grid k̂ is −∞ and every draw is effective.
    record : dict
        With ``log_marginal_likelihood``.

    Raises
    ------
    DistancesError
        If the distances of a connection do not vary, so that no posterior exists.
    """
    total = draws * chains
    rng = np.random.default_rng(seed)
    values = _empty(design, total)
    blocks = [Block(design, spec, connections) for connections in blocks_of(design)]
    integrals = [integrate(block, total, rng) for block in blocks]
    for block, integral in zip(blocks, integrals, strict=True):
        _fill(values, design, block, integral, total, rng)
    for term in design.terms:
        if term.prior is not None and not term.sd_dim:
            values[f"{term.name}_sd"] = values[f"{term.name}_sd"][:, 0]
    if not design.noise_dim:
        values["noise_sd"] = values["noise_sd"][:, 0]
    values |= derived(values, design, rng)
    stats = xr.Dataset(
        {
            "pareto_k": ("block", np.array([found.pareto_k for found in integrals])),
            "importance_ess": ("block", np.array([found.ess for found in integrals])),
            "proposals": ("block", np.array([found.proposals for found in integrals])),
        },
        coords={"block": [block.name for block in blocks]},
    )
    on_grid = all(isinstance(found.source, GridDraws) for found in integrals)
    record = {
        "engine": "collapsed",
        "sampler": "grid" if on_grid else "importance sampling",
        "draws": draws,
        "chains": chains,
        "log_marginal_likelihood": sum(found.log_marginal_likelihood for found in integrals),
    }
    posterior = labelled(values, design, spec, draws=draws, chains=chains)
    return posterior, stats, record


def log_marginal_likelihood(design: Design, spec: ModelSpec, *, seed: int) -> float:
    """Return the log evidence of a Gaussian specification, without drawing effects.

    Examples
    --------
    >>> import bayesbias as bb
    >>> from bayesbias.simulate import planted_embedding
    >>> wl = bb.load_wordlist("weat7")
    >>> frame = bb.distances(planted_embedding(wl, similarity=0.2, seed=1).vectors, wl)
    >>> paper, crossed = bb.load_model("paper"), bb.load_model("crossed")
    >>> designs = [Design.from_frame(frame, spec) for spec in (paper, crossed)]
    >>> log_marginal_likelihood(designs[0], paper, seed=1) < log_marginal_likelihood(
    ...     designs[1], crossed, seed=1
    ... )
    True
    """
    rng = np.random.default_rng(seed)
    blocks = (Block(design, spec, connections) for connections in blocks_of(design))
    return sum(integrate(block, 1, rng).log_marginal_likelihood for block in blocks)


@dataclass(frozen=True)
class Integral:
    """A block whose standard deviations were integrated, by either way.

    Parameters
    ----------
    source : GridDraws or Points
    pareto_k, ess : float
        Of the importance weights; −∞ and `proposals` for a grid.
    proposals : int
    log_marginal_likelihood : float
    """

    source: GridDraws | Points
    pareto_k: float
    ess: float
    proposals: int
    log_marginal_likelihood: float


def integrate(
    block: Block, n_draws: int, rng: np.random.Generator, start: FoldedMixture | None = None
) -> Integral:
    """Integrate over the standard deviations of a block.

    Parameters
    ----------
    block : Block
    n_draws : int
        How many draws are wanted of it.
    rng : Generator
    start : FoldedMixture, optional
        See `importance.weighted_points`.
    """
    if suits(block):
        drawn = sample_on_grid(block, n_draws, rng)
        return Integral(drawn, -np.inf, float(n_draws), n_draws, drawn.log_marginal_likelihood)
    n = max(n_draws, _FEWEST_PROPOSALS)
    points = weighted_points(block, n, rng, start)
    return Integral(points, points.pareto_k, points.ess, n, points.log_marginal_likelihood)


def _empty(design: Design, total: int) -> dict[str, Array]:
    """Return arrays for all parameters but those that follow from others."""
    values = {"noise_sd": np.empty((total, len(design.noise_labels)))}
    if design.fixed_mean is None:
        values["connection_mean"] = np.empty((total, len(design.connections)))
    for term in design.terms:
        values[f"{term.name}_effect"] = np.empty((total, term.n_levels))
        if term.prior is not None:
            values[f"{term.name}_sd"] = np.empty((total, len(term.sd_labels)))
    return values


def _fill(
    values: dict[str, Array],
    design: Design,
    block: Block,
    integral: Integral,
    total: int,
    rng: np.random.Generator,
) -> None:
    """Put draws of a block's parameters to their places."""
    source = integral.source
    if isinstance(source, GridDraws):
        mean, effects, noise = source.mean[:, None], source.effect_sd[None], source.noise_sd[None]
        found = source.effect
    else:
        chosen = source.x[resample(source.weights, total, rng)]
        effects, noise = block.standard_deviations(chosen)
        found = draw_effects(block, effects, noise, rng)
        n_means = block.structure.offset[0]
        mean, found = block.mean + found[:, :n_means], found[:, n_means:]
    if design.fixed_mean is None:
        values["connection_mean"][:, block.connections] = mean
    values["noise_sd"][:, block.noise] = noise.T
    for (number, index), sd in zip(block.sds, effects, strict=False):
        term = design.terms[number]
        if term.prior is not None:
            values[f"{term.name}_sd"][:, index] = sd
    start = 0
    for number, levels in zip(block.terms, block.levels, strict=True):
        part = found[:, start : start + len(levels)]
        values[f"{design.terms[number].name}_effect"][:, levels] = part
        start += len(levels)
