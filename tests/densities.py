"""A model's log-density from its equations, by scipy, independent of the package's builders."""

import numpy as np
from scipy import stats


def as_written():
    """The mode that computes a PyMC model as it is written: for one point, not to be compiled."""
    from pytensor.compile.mode import Mode

    return Mode(linker="py", optimizer=None)


def alike_levels(design, term):
    """How alike the levels of a term are: as their attributes, if they differ in nothing else.

    Of levels whose effects sum to 0 the others by −1 / (G − 1).
    """
    is_similar = term.similar and design.similarity is not None
    if not is_similar and term.root is None:
        return np.eye(len(term.labels))
    alike = np.ones((len(term.labels), len(term.labels)))
    mixed = ([0], [0]) if term.root is None else term.root.nonzero()
    for column, values in term.columns.items():
        if is_similar and column == "attribute":
            place = [design.attributes.index(name) for name in values]
            alike *= design.similarity[np.ix_(place, place)]
        elif (np.array(values)[mixed[0]] != np.array(values)[mixed[1]]).any():
            alike *= between_groups(np.array(values))
        else:
            alike *= same_value(np.array(values))
    return alike


def same_value(values):
    """1 where two values are the same, else 0."""
    return (values[:, None] == values).astype(float)


def between_groups(values):
    """How effects of groups correlate that sum to 0."""
    return np.where(same_value(values) > 0, 1.0, -1 / max(len(set(values)) - 1, 1))


def loadings_levels(design, term):
    """How near everybody is to the attributes of the levels; no columns where it does not count."""
    if not term.has_common_factor or design.alike is None:
        return np.zeros((len(term.labels), 0))
    at = [design.attributes.index(a) for a in term.columns["attribute"]]
    return design.alike.common_loadings[at]


def noise_covariance(point, design):
    """The covariance of the noise of all pairs; from the whole and the shares, where these are."""
    if "noise_total_sd" in point:
        own = np.atleast_1d(point["noise_total_sd"]).copy()
        share = np.atleast_1d(point["noise_similar_share"])
        similar = own[design.noise_similar] * np.sqrt(share)
        own[design.noise_similar] *= np.sqrt(1 - share)
        point = {**point, "noise_sd": own, "noise_similar_sd": similar}
    noise = np.atleast_1d(point["noise_sd"])[design.noise]
    covariance = np.diag(noise**2)
    if design.noise_similar.any():
        own = np.zeros(len(design.noise_labels))
        own[design.noise_similar] = np.atleast_1d(point["noise_similar_sd"])
        own = own[design.noise]
        alike = design.similarity[np.ix_(design.attribute, design.attribute)]
        covariance += np.outer(own, own) * alike * (design.word[:, None] == design.word)
    return covariance


def density_of(point, design, spec):
    """The log-density of parameters and responses, by scipy, from the equations.

    Given how often everybody's nearness counts where `point` says it.
    """
    laws = {
        "normal": lambda p: stats.norm(p["mean"], p["sd"]),
        "half_normal": lambda p: stats.halfnorm(scale=p["sd"]),
        "exponential": lambda p: stats.expon(scale=1 / p["rate"]),
        "gamma": lambda p: stats.gamma(p["shape"], scale=1 / p["rate"]),
        "beta": lambda p: stats.beta(p["alpha"], p["beta"]),
    }
    total = 0.0
    for name, prior in spec.priors.items():
        total += laws[prior.distribution](prior.parameters).logpdf(point[name]).sum()
    for term in design.terms:
        sd = np.atleast_1d(point.get(f"{term.name}_sd", term.fixed_sd))
        effect = point[f"{term.name}_effect"]
        covariance = np.outer(sd[term.sd], sd[term.sd]) * alike_levels(design, term)
        near, at = loadings_levels(design, term), 0.0
        if f"{term.name}_nearness" in point:
            count = point[f"{term.name}_nearness"]
            total += stats.norm.logpdf(count).sum()
            at = near @ count
        else:
            covariance += near @ near.T
        if term.root is not None:  # PyMC's effects sum to 0 but for so much
            covariance += 1e-8 * np.eye(len(term.labels))
        total += stats.multivariate_normal(cov=covariance).logpdf(effect - at)
    return total + likelihood_of(point, design)


def mean_of(point, design):
    """The mean of every pair given the effects."""
    fixed = np.full(len(design.connections), design.fixed_mean)
    means = fixed if design.fixed_mean is not None else point["connection_mean"]
    mean = means[design.connection]
    for term in design.terms:
        times = 1.0 if term.x is None else term.x
        mean = mean + np.where(term.acts, point[f"{term.name}_effect"][term.level], 0.0) * times
    return mean


def likelihood_of(point, design):
    """The log-density of the responses given all parameters, by scipy."""
    mean = mean_of(point, design)
    if design.noise_similar.any():
        law = stats.multivariate_normal(mean, noise_covariance(point, design))
        return law.logpdf(design.response)
    noise = np.atleast_1d(point["noise_sd"])[design.noise]
    return stats.norm(mean, noise).logpdf(design.response).sum()


def point_of(drawn, draw=0):
    """One draw of a posterior or prior, by parameter."""
    return {str(name): v.to_numpy()[0, draw] for name, v in drawn.data_vars.items()}


def simulated(drawn, design, rng):
    """Responses that follow from the first draw of all parameters."""
    point = point_of(drawn)
    return rng.multivariate_normal(mean_of(point, design), noise_covariance(point, design))
