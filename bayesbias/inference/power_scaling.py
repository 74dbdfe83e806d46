"""How much a posterior depends on its prior and on its likelihood, without refitting.

Kallioinen, Paananen, Bürkner and Vehtari (2024, "Detecting and diagnosing prior and likelihood
sensitivity with power-scaling"): raise one component to a power α near 1 by importance weights
component^(α − 1), and measure how fast the posterior's distribution function moves. The measure
is the cumulative Jensen-Shannon distance per doubling of the component; above 0.05 it counts.
"""

from typing import Final

import numpy as np
import xarray as xr

from bayesbias.inference.parameters import NOISE_TOTAL, samples
from bayesbias.inference.pareto import smoothed_weights
from bayesbias.inference.priors import Prior
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.arrays import Array

STEP: Final = 0.01
"""α is 1 less and plus this, as in the authors' package priorsense."""


def log_prior(posterior: xr.Dataset, spec: ModelSpec) -> Array:
    """Return the log prior density of every draw, shape (S,).

    Only the priors that the specification states count, not the distributions of effects whose
    standard deviation is estimated, which are part of the model. What the data left out of the
    model has no draws, and no prior.
    """
    total = np.zeros(posterior.sizes["chain"] * posterior.sizes["draw"])
    stated = {name: prior for name, prior in spec.priors.items() if name in posterior}
    if NOISE_TOTAL not in posterior:  # nothing of the noise is alike
        stated["noise_sd"] = spec.noise.prior
    for term in spec.terms:
        if term.sd is not None and (name := f"{term.name}_effect") in posterior:
            stated[name] = Prior("normal", mean=0.0, sd=term.sd)
    for name, prior in stated.items():
        density = prior.log_density(samples(posterior, name))
        total += density.reshape(len(total), -1).sum(axis=1)
    return total


def power_scaled(log_component: Array, power: float) -> tuple[Array, float]:
    """Return importance weights that raise a component (S,) of the posterior to a power, and k̂."""
    return smoothed_weights((power - 1.0) * log_component)


def sensitivity_to(log_component: Array, draws: Array) -> Array:
    """Return how far the distribution of quantities moves per doubling of a component.

    `log_component` (S,), `draws` (S, Q). Returns (Q,): cumulative Jensen-Shannon distance per unit
    of log2 α, the mean of both directions.
    """
    order = np.argsort(draws, axis=0)
    ordered = np.take_along_axis(draws, order, axis=0)
    slopes = []
    for power in (1 - STEP, 1 + STEP):
        weights, _ = power_scaled(log_component, power)
        # Turned round (x to −x), the same distributions have another distance: the larger counts.
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
    # Between two draws in a row both distribution functions are constant: integrals are sums.
    p = (np.arange(1, n) / n)[:, None]
    q = np.cumsum(weights, axis=0)[:-1]
    middle = 0.5 * (p + q)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = p * np.log2(p / middle) + np.where(q > 0, q * np.log2(q / middle), 0.0)
    bound = (width * (p + q)).sum(axis=0)
    return np.asarray(np.sqrt(np.maximum((width * terms).sum(axis=0), 0.0) / bound))
