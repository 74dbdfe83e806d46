"""The collapsed engine: everything but the standard deviations in closed form.

Without attribute effects a grid gives independent draws (`grid`); with them, importance sampling
(`crossed`, `importance`). Both give the marginal likelihood. Time and memory follow the number of
words and attributes; pairs are counted once.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from bayesbias.inference.crossed import Block
from bayesbias.inference.design import Design
from bayesbias.inference.grid import (
    Connection,
    GridDraws,
    sample_separately,
    sample_with_shared_noise,
)
from bayesbias.inference.importance import BlockDraws, sample_block
from bayesbias.inference.parameters import coordinates, dimensions
from bayesbias.inference.specification import ModelSpec

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
        Per ``block`` of connections: ``pareto_k`` and ``importance_ess`` (of `proposals`); for
        the grid k̂ is −∞ and every draw is effective.
    record : dict
        With ``log_marginal_likelihood``.

    Raises
    ------
    DistancesError
        If the distances of a connection do not vary, so that no posterior exists.
    """
    total = draws * chains
    rng = np.random.default_rng(seed)
    if spec.attribute_effects == "crossed":
        values, stats, evidence = _by_blocks(design, spec, total, rng)
    else:
        values, stats, evidence = _on_grids(design, spec, total, rng)
    posterior = _labelled(values, design, spec, draws, chains)
    engine = "importance sampling" if spec.attribute_effects == "crossed" else "grid"
    record = {
        "engine": "collapsed",
        "sampler": engine,
        "draws": draws,
        "chains": chains,
        "log_marginal_likelihood": evidence,
    }
    return posterior, stats, record


def _on_grids(
    design: Design, spec: ModelSpec, total: int, rng: np.random.Generator
) -> tuple[dict[str, Array], xr.Dataset, float]:
    parts = [Connection(design, i, spec) for i in range(len(design.connections))]
    if spec.noise == "shared":
        found, evidence = sample_with_shared_noise(parts, total, rng)
        names = ["+".join(design.connections)]
    else:
        pairs = [sample_separately(part, total, rng) for part in parts]
        found, evidence = [draws for draws, _ in pairs], sum(value for _, value in pairs)
        names = list(design.connections)
    stats = _stats(names, [-np.inf] * len(names), [float(total)] * len(names), total)
    return _of_grid(found, spec), stats, evidence


def _of_grid(found: Sequence[GridDraws], spec: ModelSpec) -> dict[str, Array]:
    values = {
        "group_mean": np.stack([d.group_mean for d in found], axis=-1),
        "noise_sd": np.stack([d.noise_sd for d in found], axis=-1),
        "word_mean": np.stack([d.word_mean for d in found], axis=-1),
    }
    if spec.pooling == "partial":
        values["word_sd"] = np.stack([d.word_sd for d in found], axis=-1)
    return values


def _by_blocks(
    design: Design, spec: ModelSpec, total: int, rng: np.random.Generator
) -> tuple[dict[str, Array], xr.Dataset, float]:
    groups = blocks_of(design, spec)
    proposals = max(total, _FEWEST_PROPOSALS)
    blocks = [Block(design, spec, connections) for connections in groups]
    found = [sample_block(block, total, proposals, rng) for block in blocks]
    values = _of_blocks(design, blocks, found, total)
    names = ["+".join(design.connections[c] for c in connections) for connections in groups]
    stats = _stats(names, [d.pareto_k for d in found], [d.ess for d in found], proposals)
    return values, stats, sum(d.log_marginal_likelihood for d in found)


def blocks_of(design: Design, spec: ModelSpec) -> list[list[int]]:
    """Return the connections that must be drawn together: those that share words or noise."""
    if spec.noise == "shared":
        return [list(range(len(design.connections)))]
    kind_of = np.zeros(len(design.connections), dtype=int)
    kind_of[design.connection] = design.kind[design.attribute]
    return [np.flatnonzero(kind_of == kind).tolist() for kind in range(len(design.kinds))]


def _of_blocks(
    design: Design, blocks: list[Block], found: list[BlockDraws], total: int
) -> dict[str, Array]:
    n_words, n_connections = design.cell_shape
    values = {
        "group_mean": np.empty((total, n_connections)),
        "word_sd": np.empty((total, n_connections)),
        "noise_sd": np.empty((total, n_connections)),
        "attribute_sd": np.empty((total, len(design.kinds))),
        "word_mean": np.empty((total, n_words, n_connections)),
        "attribute_effect": np.empty((total, len(design.attributes))),
    }
    for block, drawn in zip(blocks, found, strict=True):
        for name in ("group_mean", "word_sd", "noise_sd"):
            values[name][:, block.connections] = getattr(drawn, name)
        values["word_mean"][:, :, block.connections] = drawn.word_mean
        values["attribute_sd"][:, block.kinds] = drawn.attribute_sd
        values["attribute_effect"][:, block.attributes] = drawn.attribute_effect
    return values


def _stats(names: list[str], pareto_k: list[float], ess: list[float], proposals: int) -> xr.Dataset:
    return xr.Dataset(
        {
            "pareto_k": ("block", np.array(pareto_k)),
            "importance_ess": ("block", np.array(ess)),
            "proposals": ("block", np.full(len(names), proposals)),
        },
        coords={"block": names},
    )


def _labelled(
    values: dict[str, Array], design: Design, spec: ModelSpec, draws: int, chains: int
) -> xr.Dataset:
    """Name dimensions and cut the draws into chains."""
    dims = dimensions(spec)
    if spec.noise == "shared":
        values["noise_sd"] = values["noise_sd"][:, 0]
    variables = {
        name: (("chain", "draw", *dims[name]), v.reshape(chains, draws, *v.shape[1:]))
        for name, v in sorted(values.items(), key=lambda item: list(dims).index(item[0]))
    }
    return xr.Dataset(variables, coords=coordinates(design, spec, draws, chains))
