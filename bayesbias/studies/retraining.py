"""Errors beyond a fit: what retraining leaves open in a mean over training runs, and more.

A run shifts all distances of a connection alike, by u ~ N(0, τ²), which leaves N(0, τ² / R) in the
mean over R runs. Shifts of single words or attributes are in the scatter of these, which a model of
the averages finds by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import chdtri

from bayesbias.constants import CONNECTION, RUN
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.quantities import Quantities, repeat_terms
from bayesbias.inference.conditional import NormalMixture
from bayesbias.inference.parameters import samples, sds_of
from bayesbias.support.arrays import Array


def retraining_error(fit: Fit, signs: Sequence[Mapping[str, float]]) -> Array:
    """Return what retraining leaves open in sums of connection means, (n_draws, n_sums).

    `signs` has per sum the weight of each connection.
    """
    frame = fit.frame
    one = np.flatnonzero((frame[RUN] == frame[RUN].iloc[0]) & ~frame.duplicated([RUN, CONNECTION]))
    connections = frame[CONNECTION].iloc[one].tolist()
    weights = np.array([[given.get(c, 0.0) for c in connections] for given in signs])
    variance = np.zeros((1, len(signs)))
    for term in repeat_terms(fit.design, RUN):
        name, level = f"{term.name}_sd", term.level[one]
        drawn = {} if term.fixed_sd is not None else {name: samples(fit.posterior, name)}
        sds = sds_of(term, drawn)
        for each in np.unique(level[level >= 0]):
            total = weights[:, level == each].sum(axis=1)
            variance = variance + sds[:, [term.sd[each]]] ** 2 * total**2
    return np.asarray(np.sqrt(variance / frame[RUN].nunique()))


def with_error(found: Quantities, error: Array) -> Quantities:
    """Add normal errors of these sds, (n_draws, n_quantities) or (n_quantities,), to quantities."""
    error = np.atleast_2d(error)
    noise = np.random.default_rng(0).standard_normal(found.draws.shape)  # one answer for all
    exact = tuple(
        NormalMixture(one.centre, np.hypot(one.spread, _of_size(own, len(one.spread))))
        for one, own in zip(found.mixtures, error.T, strict=bool(found.mixtures))
    )
    draws = found.draws + _of_size(error, len(noise)) * noise
    unrelated = found.unrelated
    if unrelated is not None:  # what retraining shifts, it shifts for unrelated groups too
        unrelated = np.hypot(unrelated, _of_size(error, unrelated.shape[1]).T)
    return replace(found, draws=draws, exact=exact, unrelated=unrelated)


def _of_size(draws: Array, n: int) -> Array:
    """Take `n` rows, evenly."""
    return draws[np.arange(n) * len(draws) // n]


def with_scatter(found: Quantities, error: Array, df: int) -> Quantities:
    """Add to quantities Student-t errors of so many degrees of freedom, (n_quantities,)."""
    rng = np.random.default_rng(0)  # one answer for all
    n = len(found.mixtures[0].centre) if found.mixtures else len(found.draws)
    # Evenly spread over the distribution of the variance, so that it is not left to chance.
    even = df / chdtri(df, (np.arange(n) + 0.5) / n)
    scale = np.sqrt(rng.permutation(even))
    return with_error(found, scale[:, None] * error)
