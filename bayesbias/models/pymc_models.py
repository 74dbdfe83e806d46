"""The PyMC model of a specification: one random variable for each parameter that a fit stores.

This is the model as ``ModelSpec.formula`` writes it, to be read, extended, and used with a fit's
draws: PyMC's posterior predictive, log-likelihood and log prior need free variables of the same
names. For the sampler alone effects are written non-centred, effect = sd · z with z ~ Normal(0, 1):
where pairs say little about a level its standard deviation may be near 0, and the form above is a
funnel, in which chains stick.
"""

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bayesbias.models.design import NOISE_SIMILAR, Design, Term
from bayesbias.models.parameters import NOISE_SHARE, NOISE_TOTAL, axes, coordinates
from bayesbias.models.specification import ModelSpec
from bayesbias.models.terms import Prior
from bayesbias.support.compatibility import quiet_imports

if TYPE_CHECKING:
    import pymc

_TINY: Final = 1e-4  # sd of an effect, in cosine distance, beside those that sum to 0


def pymc_model(spec: ModelSpec, design: Design, *, non_centred: bool = False) -> "pymc.Model":
    """Build the model of pairs as `Fit.pymc_model` has it, or as it is sampled, `non_centred`."""
    with quiet_imports():
        import pymc as pm
        import pytensor.tensor as pt

    coords = coordinates(design)
    with pm.Model(coords=coords | {"pair": np.arange(len(design.word))}) as model:
        mean = pt.zeros(len(design.connections)) + (design.fixed_mean or 0.0)
        if isinstance(spec.connection_mean, Prior):
            mean = _with_prior("connection_mean", spec.connection_mean, ("connection",))
        mean = mean[design.connection]
        if not (is_alike := design.noise_similar.any()):
            noise_sd = _with_prior("noise_sd", spec.noise.prior, design.noise_dims)
        for term in design.terms:
            effects = _effects(design, term, non_centred=non_centred)
            of_pairs = pt.concatenate([effects, np.zeros(1)])[term.level]  # −1 is the last
            mean = mean + (of_pairs if term.x is None else of_pairs * term.x)
        if is_alike:
            _observe_alike(design, spec, mean)
            return model
        sigma = noise_sd[design.noise] if design.noise_dims else noise_sd
        pm.Normal(spec.response, mean, sigma, observed=design.response, dims="pair")
    return model


def _with_prior(name: str, prior: Prior, dims: tuple[str, ...]) -> Any:
    """Make a PyMC variable with a prior, inside a model."""
    import pymc as pm

    arguments = {"mean": "mu", "sd": "sigma", "shape": "alpha"}
    arguments["rate"] = "lam" if prior.distribution == "exponential" else "beta"
    parameters = {arguments.get(key, key): value for key, value in prior.parameters.items()}
    return getattr(pm, prior.title)(name, dims=dims or None, **parameters)


def _effects(design: Design, term: Term, *, non_centred: bool) -> Any:
    """Make a term's effects, independent or correlated; non-centred of standard normal ones."""
    import pymc as pm
    import pytensor.tensor as pt

    name, dims, n = f"{term.name}_effect", f"{term.name}_level", len(term.labels)
    root, near = design.root_of(term), design.loadings_of(term)
    raw: Any = pm.Normal(f"{term.name}_raw", 0.0, 1.0, shape=n) if non_centred else None
    if term.prior is None:
        sd: Any = pt.as_tensor(np.full(n, term.fixed_sd))
    else:
        sd = pt.atleast_1d(_with_prior(f"{term.name}_sd", term.prior, term.sd_dims))[term.sd]
    if non_centred:
        effects = sd * (raw if root is None else pt.dot(root, raw))
        if near.size:
            count = pm.Normal(f"{term.name}_nearness", 0.0, 1.0, shape=near.shape[1])
            effects = effects + pt.dot(near, count)
        return pm.Deterministic(name, effects, dims=dims)
    if root is None:
        return pm.Normal(name, 0.0, sd, dims=dims)
    # With R Rᵀ the correlation, (D R)(D R)ᵀ is the covariance, D the sds. Effects that sum to 0
    # have no density: to their sum is given a tiny variance.
    near = near if term.root is None else _TINY * np.eye(n)
    half = sd[:, None] * root
    return pm.MvNormal(name, np.zeros(n), cov=pt.dot(half, half.T) + near @ near.T, dims=dims)


def _observe_alike(design: Design, spec: ModelSpec, mean: Any) -> None:
    """Observe words × attributes, for each level of the noise with a similar part, and the rest."""
    import pymc as pm
    import pytensor.tensor as pt

    assert design.similarity is not None
    assert spec.noise.similar_share is not None
    dims = design.noise_dims, tuple(axes(design)[NOISE_SIMILAR])
    total = pt.atleast_1d(_with_prior(NOISE_TOTAL, spec.noise.prior, dims[0]))
    share = pt.atleast_1d(_with_prior(NOISE_SHARE, spec.noise.similar_share, dims[1]))
    at = np.flatnonzero(design.noise_similar)
    noise_sd = pt.set_subtensor(total[at], total[at] * pt.sqrt(1.0 - share))
    alike = total[at] * pt.sqrt(share)
    for name, parts, of in (("noise_sd", noise_sd, dims[0]), (NOISE_SIMILAR, alike, dims[1])):
        pm.Deterministic(name, parts if of else parts[0], dims=of or None)
    for place, level in enumerate(at.tolist()):
        rows = np.flatnonzero(design.noise == level)
        rows = rows[np.lexsort((design.attribute[rows], design.word[rows]))]
        attributes = np.unique(design.attribute[rows])
        table = rows.reshape(-1, len(attributes))  # every word meets every attribute
        similarity = design.similarity[np.ix_(attributes, attributes)]
        covariance = noise_sd[level] ** 2 * pt.eye(len(attributes)) + alike[place] ** 2 * similarity
        pm.MvNormal(
            f"{spec.response}_{design.noise_labels[level] or 'all'}",
            mean[table],
            chol=pt.linalg.cholesky(covariance),
            observed=design.response[table],
        )
    if len(rest := np.flatnonzero(~design.noise_similar[design.noise])):
        sigma = noise_sd[design.noise[rest]]
        pm.Normal(f"{spec.response}_rest", mean[rest], sigma, observed=design.response[rest])
