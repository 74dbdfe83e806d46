"""What a model expects of the differences between groups, replicated with new words and attributes.

The posterior predictive check of leave-one-out looks at single pairs, and cannot see that a model
gives all groups one answer. Here the effects of words and attributes are drawn anew, those of fixed
levels kept (Gelman, Meng and Stern 1996), and the groups' contrasts of the replicated pairs are
compared with those of the data.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import xarray as xr

from bayesbias.constants import STEREOTYPE_CONNECTIONS
from bayesbias.inference.design import Design
from bayesbias.inference.parameters import samples
from bayesbias.inference.predictive import alike, draw_predictive, thinned
from bayesbias.inference.word_means import sds_of
from bayesbias.support.arrays import Array

_NUMBERS: Final = 1 << 23
"""Replicated distances at a time."""


@dataclass(frozen=True)
class GroupReplication:
    """How far groups' associated − different are from their mean, and what the model expects.

    `largest`: the largest distance of a group's plain contrast from the mean over groups.
    `expected`: the median of the same in replications. `share`: share of replications in which it
    is at least as large. `draws`: replications.
    """

    largest: float
    expected: float
    share: float
    draws: int


def replicated_groups(
    posterior: xr.Dataset, design: Design, rng: np.random.Generator
) -> GroupReplication | None:
    """Replicate the contrast of every group; None for one group, or without both lists."""
    weights = _contrast_of_groups(design)
    if weights is None:
        return None
    few = thinned(posterior, int(np.clip(_NUMBERS // weights.shape[1], 50, 1000)))
    drawn = draw_predictive(_with_new_effects(few, design, rng), design, rng=rng)
    replicated = drawn.to_numpy().reshape(-1, weights.shape[1]).astype(float) @ weights.T
    largest = float(_largest(weights @ design.response))
    found = _largest(replicated)
    return GroupReplication(
        largest, float(np.median(found)), float((found >= largest).mean()), len(found)
    )


def _contrast_of_groups(design: Design) -> Array | None:
    """Return the weights of pairs in every group's plain contrast, (n_groups, n_pairs)."""
    if not set(STEREOTYPE_CONNECTIONS) <= set(design.connections):
        return None
    group = design.group[design.word]
    rows = []
    for own in design.protected_groups:
        row = np.zeros(len(group))
        for name, sign in zip(STEREOTYPE_CONNECTIONS, (1.0, -1.0), strict=True):
            pairs = (group == own) & (design.connection == design.connections.index(name))
            if not pairs.any():
                return None
            row[pairs] = sign / pairs.sum()
        rows.append(row)
    return np.array(rows) if len(rows) > 1 else None


def _largest(contrasts: Array) -> Array:
    return np.asarray(np.abs(contrasts - contrasts.mean(axis=-1, keepdims=True)).max(axis=-1))


def _with_new_effects(
    posterior: xr.Dataset, design: Design, rng: np.random.Generator
) -> xr.Dataset:
    """Draw the effects anew whose standard deviations the model finds."""
    new = {}
    for term in design.terms:
        if term.prior is None:
            continue
        name = f"{term.name}_effect"
        old = posterior[name]
        size = old.sizes["chain"] * old.sizes["draw"]
        sd = sds_of(term, {f"{term.name}_sd": samples(posterior, f"{term.name}_sd")})
        z = alike(design, term, rng.standard_normal((size, term.n_levels)))
        new[name] = (old.dims, (z * sd[:, term.sd]).reshape(old.shape))
    return posterior.assign(new)
