"""A model's log-density from its equations, by scipy, independent of the package's builders."""

import numpy as np
from scipy import stats


def density_of(point, design, spec):
    """The log-density of parameters and responses, by scipy, from the equations."""
    laws = {
        "normal": lambda p: stats.norm(p["mean"], p["sd"]),
        "half_normal": lambda p: stats.halfnorm(scale=p["sd"]),
        "exponential": lambda p: stats.expon(scale=1 / p["rate"]),
        "gamma": lambda p: stats.gamma(p["shape"], scale=1 / p["rate"]),
    }
    total = 0.0
    for name, prior in spec.priors.items():
        total += laws[prior.distribution](prior.parameters).logpdf(point[name]).sum()
    means = point.get("connection_mean", np.full(len(design.connections), design.fixed_mean))
    mean = means[design.connection]
    for term in design.terms:
        sd = np.atleast_1d(point.get(f"{term.name}_sd", term.fixed_sd))
        effect = point[f"{term.name}_effect"]
        total += stats.norm(0.0, sd[term.sd]).logpdf(effect).sum()
        mean = mean + np.where(term.acts, effect[term.level], 0.0)
    noise = np.atleast_1d(point["noise_sd"])[design.noise]
    law = (
        stats.t(point["degrees_of_freedom"], mean, noise)
        if "degrees_of_freedom" in point
        else (stats.norm(mean, noise))
    )
    return total + law.logpdf(design.response).sum()
