"""How much a posterior depends on its prior and on its likelihood, without refitting.

Kallioinen, Paananen, Bürkner and Vehtari (2024, "Detecting and diagnosing prior and likelihood
sensitivity with power-scaling"): raise one component to a power α near 1 by importance weights
component^(α − 1), and measure how fast the posterior's distribution function moves. The measure
is the cumulative Jensen-Shannon distance per doubling of the component; above 0.05 it counts.
"""

from typing import Final

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from bayesbias.inference.design import Design
from bayesbias.inference.parameters import samples
from bayesbias.inference.pareto import smoothed_weights
from bayesbias.inference.predictive import log_likelihood
from bayesbias.inference.priors import Prior
from bayesbias.inference.specification import ModelSpec

Array = NDArray[np.float64]

STEP: Final = 0.01
"""α is 1 less and plus this."""

_CHUNK: Final = 1 << 22


def log_prior(posterior: xr.Dataset, spec: ModelSpec) -> Array:
    """Return the log prior density of every draw, shape (S,).

    Only the priors that the specification states count, not the distributions of effects whose
    standard deviation is estimated, which are part of the model.
    """
    total = np.zeros(posterior.sizes["chain"] * posterior.sizes["draw"])
    stated = dict(spec.priors)
    fixed = [term for term in spec.terms if term.sd is not None]
    stated |= {term.effect_name: Prior("normal", mean=0.0, sd=term.sd) for term in fixed}
    for name, prior in stated.items():
        density = prior.log_density(samples(posterior, name))
        total += density.reshape(len(total), -1).sum(axis=1)
    return total


def total_log_likelihood(posterior: xr.Dataset, design: Design) -> Array:
    """Return the log-likelihood of all pairs under every draw, shape (S,)."""
    chains, length = posterior.sizes["chain"], posterior.sizes["draw"]
    step = max(1, _CHUNK // (chains * len(design.response)))
    parts = [
        log_likelihood(posterior.isel(draw=slice(i, i + step)), design).astype(float).sum("pair")
        for i in range(0, length, step)
    ]
    return np.asarray(xr.concat(parts, dim="draw").transpose("chain", "draw")).ravel()


def power_scaled(log_component: Array, power: float) -> tuple[Array, float]:
    """Return importance weights that raise a component of the posterior to a power, and k̂.

    Parameters
    ----------
    log_component : ndarray, shape (S,)
        Its log-density under every draw.
    power : float
        1 changes nothing.
    """
    return smoothed_weights((power - 1.0) * log_component)


def sensitivity_to(log_component: Array, draws: Array) -> Array:
    """Return how far the distribution of quantities moves per doubling of a component.

    Parameters
    ----------
    log_component : ndarray, shape (S,)
    draws : ndarray, shape (S, Q)

    Returns
    -------
    ndarray, shape (Q,)
        Cumulative Jensen-Shannon distance per unit of log2 α, the mean of both directions.
    """
    order = np.argsort(draws, axis=0)
    ordered = np.take_along_axis(draws, order, axis=0)
    slopes = []
    for power in (1 - STEP, 1 + STEP):
        weights, _ = power_scaled(log_component, power)
        moved = np.maximum(
            _distance(ordered, weights[order]), _distance(-ordered[::-1], weights[order][::-1])
        )
        slopes.append(moved / abs(np.log2(power)))
    return np.asarray(np.mean(slopes, axis=0))


def _distance(ordered: Array, weights: Array) -> Array:
    """Return the cumulative Jensen-Shannon distance of weighted draws to unweighted ones.

    Nguyen and Vreeken (2015, "Non-parametric Jensen-Shannon divergence"): with P and Q the two
    distribution functions and M their mean, the integral of P log2(P/M) + Q log2(Q/M), divided by
    its largest value ∫ P + Q, then its square root.
    """
    n = len(ordered)
    width = np.diff(ordered, axis=0)
    p = (np.arange(1, n) / n)[:, None]
    q = np.cumsum(weights, axis=0)[:-1]
    middle = 0.5 * (p + q)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = p * np.log2(p / middle) + np.where(q > 0, q * np.log2(q / middle), 0.0)
    bound = (width * (p + q)).sum(axis=0)
    return np.asarray(np.sqrt(np.maximum((width * terms).sum(axis=0), 0.0) / bound))
