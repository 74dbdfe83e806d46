"""The PyMC model that is sampled: the same posterior as `pymc_models`, in an easier geometry.

**Sum to zero.** Adding a constant to all effects of a term and taking it from the connection means
hardly changes the fit. So the effects of one standard deviation are split into their mean β, which
is Normal(0, sd / √n) for n levels, and deviations that sum to zero; the sampler sees the means with
all β of a connection added, connection_mean + Σ β ~ Normal(prior mean + Σ β, prior sd), which the
data pin down, and the β themselves, which they do not. Afterwards the β are taken off the means
again and added to the deviations. A term of which one connection meets several standard deviations
is not split, nor is a slope, nor is any where the connection means are fixed.

**Centring.** Centred, effect ~ Normal(0, sd), suits levels with many informative pairs. Where pairs
say little about a level, sd may be near zero and the centred form is a funnel; then the non-centred
form, effect = sd · z with z ~ Normal(0, 1), samples without divergences. Terms, and the standard
deviations of one term, differ in this within one data set, so the choice is made for each.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import chdtri

from bayesbias.errors import one_of
from bayesbias.models.design import Design
from bayesbias.models.levels import Term
from bayesbias.models.priors import Prior
from bayesbias.models.pymc_models import (
    model_coordinates,
    noise_variable,
    observe,
    of_pairs,
    sd_variable,
)
from bayesbias.models.specification import ModelSpec
from bayesbias.support.arguments import Array, Index, Mask

if TYPE_CHECKING:
    import pymc

Centred = Mapping[str, Mask]


def sampling_model(
    design: Design, spec: ModelSpec, centred: Centred, *, response: Callable[[], Any] | None = None
) -> "pymc.Model":
    """Build the model that is sampled; `response`: as in `pymc_models.observe`.

    Its deterministic variables are those parameters of the posterior that it does not sample as
    they are; word means are computed afterwards.
    """
    import pymc as pm
    import pytensor.tensor as pt

    spec.refuse_relative()
    with pm.Model(coords=model_coordinates(design)) as model:
        noise_sd = noise_variable(design, spec)
        free_means = isinstance(spec.connection_mean, Prior)
        shift = pt.zeros(len(design.connections))
        rest = pt.zeros(len(design.response))
        for term in design.terms:
            if term.similar or term.balance is not None:
                rest = rest + of_pairs(_similar_effects(design, term), term)
                continue
            part = part_of_connection(design, term) if free_means else None
            if part is None:
                # sd ** λ and sd ** (1 − λ), with λ 1 for centred and 0 for non-centred effects.
                sd, power = sd_variable(term)[term.sd], centred[term.name].astype(float)[term.sd]
                raw = pm.Normal(f"{term.name}_raw", 0.0, sd**power, shape=len(term.labels))
                name, dims = f"{term.name}_effect", f"{term.name}_level"
                effects = pm.Deterministic(name, sd ** (1.0 - power) * raw, dims=dims)
                rest = rest + of_pairs(effects, term)
                continue
            deviation, means = _split_effects(term, centred[term.name])
            rest = rest + of_pairs(deviation, term)
            # −1 takes the last: 0 where the term does not act.
            shift = shift + pt.concatenate([means, pt.zeros(1)])[part]
        if isinstance(spec.connection_mean, Prior):
            prior = spec.connection_mean.parameters
            shifted = pm.Normal(
                "shifted_mean", prior["mean"] + shift, prior["sd"], dims="connection"
            )
            pm.Deterministic("connection_mean", shifted - shift, dims="connection")
            mean = shifted[design.connection] + rest
        else:
            mean = spec.connection_mean + rest
        observe(design, spec, mean, noise_sd, response)
    return model


def part_of_connection(design: Design, term: Term) -> Index | None:
    """Return which standard deviation of a term each connection meets, −1 for none.

    None where a connection meets several, and for a slope, whose numbers have the mean 0.
    """
    if term.x is not None:
        return None
    part = np.full(len(design.connections), -1, np.int64)
    acts = term.acts
    sd, connection = term.sd[term.level[acts]], design.connection[acts]
    part[connection] = sd
    return part if np.array_equal(part[connection], sd) else None


def _similar_effects(design: Design, term: Term) -> Any:
    """Make a term's effects, as alike as their attributes are or summing to 0; not centred."""
    import pymc as pm
    import pytensor.tensor as pt

    raw = pm.Normal(f"{term.name}_raw", 0.0, 1.0, shape=len(term.labels))
    effects = sd_variable(term)[term.sd] * pt.dot(pt.as_tensor(design.root_of(term)), raw)
    near = design.loadings_of(term)
    if near.size:
        coefficient = pm.Normal(f"{term.name}_nearness", 0.0, 1.0, shape=near.shape[1])
        effects = effects + pt.dot(pt.as_tensor(near), coefficient)
    return pm.Deterministic(f"{term.name}_effect", effects, dims=f"{term.name}_level")


def _split_effects(term: Term, centred: Mask) -> tuple[Any, Any]:
    """Make a term's effects; returns their deviations from the means of their parts, and these."""
    import pymc as pm

    sd, power = sd_variable(term), centred.astype(float)
    size = np.bincount(term.sd)
    means = sd / np.sqrt(size) * pm.Normal(f"{term.name}_mean_raw", 0.0, 1.0, shape=len(size))
    # One vector for all parts: n levels of a part have n − 1 free deviations.
    free_part = np.repeat(np.arange(len(size)), size - 1)
    raw = pm.Normal(f"{term.name}_raw", 0.0, (sd**power)[free_part], shape=len(free_part))
    deviation = (sd ** (1.0 - power))[term.sd] * _summing_to_zero(raw, term.sd, free_part)
    pm.Deterministic(f"{term.name}_effect", deviation + means[term.sd], dims=f"{term.name}_level")
    return deviation, means


def _summing_to_zero(free: Any, part: Index, free_part: Index) -> Any:
    """Map n − 1 free values per part to n that sum to zero, as ``pymc.ZeroSumNormal`` does."""
    import pytensor.tensor as pt

    size = np.bincount(part)
    sums = pt.dot((free_part == np.arange(len(size))[:, None]).astype(float), free)
    # A reflection, which keeps lengths: so no direction among the n is preferred.
    shift = sums / (np.sqrt(size) + size)
    last = shift - sums / np.sqrt(size)
    # Where each level's value stands: the free ones of all parts, then the last one of each part.
    place = np.empty(len(part), np.int64)
    for k in range(len(size)):
        levels = np.flatnonzero(part == k)
        place[levels[:-1]] = np.flatnonzero(free_part == k)
        place[levels[-1]] = len(free_part) + k
    return pt.concatenate([free, last])[place] - shift[part]


PARAMETRISATIONS: Final = ("auto", "centred", "non-centred")

# Cautious share of a level's own data in its posterior mean above which centred samples better.
# With .5 none of the 18 published files diverges under `paper`, and where data are plenty there
# are up to ten times the effective draws of non-centred throughout.
_CENTRED_ABOVE: Final = 0.5
# Fewer levels than this leave their sd so uncertain that a draw in thousands still diverges.
_FEWEST_LEVELS: Final = 10
_SWEEPS: Final = 5


def centred_terms(design: Design, parametrisation: str = "auto") -> dict[str, Mask]:
    """Choose, per term and standard deviation, whether the effects are written centred.

    With effect variance t², noise variance s² and n pairs per level (harmonic mean), the means of J
    levels vary with v = t² + s² / n, and the data's share in a level's posterior mean is 1 − s² /
    (n v). Centred sampling fails where t may be near zero, so the choice looks at the smallest v
    that is compatible with the data, the observed variance of level means times (J − 1) divided by
    the .9999 quantile of chi² with J − 1 degrees of freedom.
    """
    one_of(parametrisation, "parametrisation", PARAMETRISATIONS)
    if parametrisation != "auto":
        value = parametrisation == "centred"
        return {term.name: np.full(len(term.sd_labels), value) for term in design.terms}
    chosen = {term.name: np.zeros(len(term.sd_labels), dtype=bool) for term in design.terms}
    for term, residual in _residuals(design):
        shares = _shares(design, term, residual)
        chosen[term.name] = np.array([share > _CENTRED_ABOVE for share in shares])
    return chosen


def _residuals(design: Design) -> Iterator[tuple[Term, Array]]:
    """Yield each term with what the connection means and the other terms leave of the responses.

    Slopes, which are few, are neither yielded nor taken off. The terms' level means are taken off
    in turn, a few times over (backfitting).
    """
    rest = design.response - _level_means(design.response, design.connection)[design.connection]
    terms = [term for term in design.terms if term.x is None]
    means = {term.name: np.zeros(len(term.labels)) for term in terms}
    for _ in range(_SWEEPS):
        for term in terms:
            acts, level = term.acts, term.level[term.acts]
            rest[acts] += means[term.name][level]
            means[term.name] = _level_means(rest[acts], level)
            rest[acts] -= means[term.name][level]
    for term in terms:
        residual = rest.copy()
        residual[term.acts] += means[term.name][term.level[term.acts]]
        yield term, residual


def _level_means(values: Array, level: Index) -> Array:
    return np.asarray(np.bincount(level, weights=values) / np.bincount(level))


def _shares(design: Design, term: Term, residual: Array) -> Iterator[float]:
    """Yield the cautious share of the data for every standard deviation of a term."""
    for k in range(len(term.sd_labels)):
        pairs = np.flatnonzero(term.acts)
        pairs = pairs[term.sd[term.level[pairs]] == k]
        _, level = np.unique(term.level[pairs], return_inverse=True)
        counts, means = np.bincount(level), _level_means(residual[pairs], level)
        squares = float(((residual[pairs] - means[level]) ** 2).sum())
        # Each term's means were taken off: as many degrees of freedom, at most.
        taken = sum(len(np.unique(t.level[pairs][t.acts[pairs]])) for t in design.terms)
        freedom, freedom_between = len(pairs) - taken, len(counts) - 1
        if len(counts) < _FEWEST_LEVELS or freedom < 1:
            yield 0.0
            continue
        # Harmonic: the mean of s² / n_j over levels is s² over this.
        n = len(counts) / (1.0 / counts).sum()
        between = float(means.var(ddof=1)) * freedom_between / chdtri(freedom_between, 1e-4)
        noise = squares / freedom / n
        yield float(1.0 - noise / between) if between > noise else 0.0
