"""Builds a `pymc.Model` from a specification and a frame of distances.

Two rewritings leave the posterior as it is and give the sampler an easier geometry.

**Centring.** Centred, word_mean ~ Normal(group_mean, word_sd), suits words with many informative
pairs. Where pairs say little about a word, word_sd may be near zero and the centred form is a
funnel; then the non-centred form, word_mean = group_mean + word_sd · z with z ~ Normal(0, 1),
samples without divergences. Connections differ in this within one data set, so the choice is made
for each: with λ = 1 for centred and 0 for non-centred,

    word_raw  ~ Normal(λ · group_mean, word_sd ** λ)
    word_mean = group_mean + word_sd ** (1 − λ) · (word_raw − λ · group_mean)

which is one graph whatever the choice (Gorinova, Moore and Hoffman 2020, "Automatic
reparameterisation of probabilistic programs", with their λ at its two ends).

**Sum to zero.** With attribute effects b_j of one kind of list, adding a constant to all of them
and taking it from the means hardly changes the fit. So b is split into its mean β, which is
Normal(0, attribute_sd / √A), and deviations that sum to zero; the sampler sees the means with β
added, group_mean + β ~ Normal(prior mean + β, prior sd), which the data pin down, and β itself,
which they do not. Afterwards β is taken off the means again and added to the deviations.
"""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtri

from bayesbias.errors import ArgumentError, suggest
from bayesbias.inference.design import Design
from bayesbias.inference.model_files import load_model
from bayesbias.inference.parameters import coordinates
from bayesbias.inference.priors import Prior
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.checks import validate_distances

if TYPE_CHECKING:
    from pathlib import Path

    import pymc

PARAMETRISATIONS: Final = ("auto", "centred", "non-centred")

# Cautious share of a word's own data in its posterior mean above which centred samples better.
# With .5 none of the 18 published files diverges, and where data are plenty there are up to ten
# times the effective draws of non-centred throughout.
_CENTRED_ABOVE: Final = 0.5
# Fewer words than this leave word_sd so uncertain that a draw in thousands still diverges.
_FEWEST_WORDS: Final = 10


def build_model(
    frame: pd.DataFrame,
    model: "str | Path | ModelSpec" = "paper",
    *,
    parametrisation: str = "auto",
) -> "pymc.Model":
    """Build the PyMC model of a specification for a frame of distances.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.
    model : str, Path or ModelSpec
        What `load_model` takes.
    parametrisation : {"auto", "centred", "non-centred"}
        How word means are written; "auto" chooses per connection from the data.

    Returns
    -------
    pymc.Model
        With coordinates ``protected_word``, ``connection`` and ``pair``. Build it anew for every
        fit: PyMC's samplers may change a model they were given.

    Raises
    ------
    DistancesError, ModelError, ArgumentError

    Examples
    --------
    >>> from bayesbias import distances, load_wordlist
    >>> from bayesbias.simulate import planted_embedding
    >>> wl = load_wordlist("weat7")
    >>> kv = planted_embedding(wl, similarity=0.2, seed=1).vectors
    >>> model = build_model(distances(kv, wl))  # doctest: +SKIP
    """
    spec = load_model(model)
    validate_distances(frame, response=spec.response)
    design = Design.from_frame(frame, spec.response)
    centred = centred_connections(design, parametrisation)
    return model_of_design(design, spec, centred)


def model_of_design(
    design: Design, spec: ModelSpec, centred: NDArray[np.bool_], *, response: Any = None
) -> "pymc.Model":
    """Build the PyMC model for indexed data.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
    centred : ndarray of bool, shape (n_connections,)
    response : optional
        Makes the observed values; by default those of the design. Called inside the model, it may
        return a ``pymc.Data`` that is replaced later.
    """
    import pymc as pm

    coords = coordinates(design, spec, 1, 1) | {"pair": np.arange(len(design.response))}
    del coords["chain"], coords["draw"]
    with pm.Model(coords=coords) as model:
        noise = ("connection",) if spec.noise == "connection" else ()
        noise_sd = prior_variable("noise_sd", spec.priors["noise_sd"], noise)
        shift = _attribute_means(design, spec)
        word_mean = _word_means(design, spec, centred.astype(float), shift)
        mean = word_mean[design.word, design.connection]
        if spec.attribute_effects == "crossed":
            mean = mean + _attribute_deviations(design, shift)[design.attribute]
        arguments = {
            "mu": mean,
            "sigma": noise_sd[design.connection] if noise else noise_sd,
            "observed": design.response if response is None else response(),
            "dims": "pair",
        }
        if spec.likelihood == "student_t":
            arguments["nu"] = prior_variable(
                "degrees_of_freedom", spec.priors["degrees_of_freedom"], ()
            )
            pm.StudentT(spec.response, **arguments)
        else:
            pm.Normal(spec.response, **arguments)
    return model


def _word_means(design: Design, spec: ModelSpec, lam: NDArray[np.float64], shift: Any) -> Any:
    """Make word and group means; returns word means with the attributes' mean effect added."""
    import pymc as pm
    import pytensor.tensor as pt

    dims = ("protected_word", "connection")
    if spec.pooling == "none":
        word_mean = prior_variable("word_mean", spec.priors["word_mean"], dims)
        filled = design.cell_counts > 0
        pm.Deterministic("group_mean", (word_mean * filled).sum(0) / filled.sum(0),
                         dims="connection")  # fmt: skip
        return word_mean
    if spec.attribute_effects == "none":
        group = prior_variable("group_mean", spec.priors["group_mean"], ("connection",))
    else:
        prior = spec.priors["group_mean"].parameters
        group = pm.Normal("shifted_mean", prior["mean"] + shift, prior["sd"], dims="connection")
        pm.Deterministic("group_mean", group - shift, dims="connection")
    if spec.pooling == "complete":
        shape = (len(design.protected_words), len(design.connections))
        return pm.Deterministic("word_mean", pt.broadcast_to(group, shape), dims=dims)
    word_sd = prior_variable("word_sd", spec.priors["word_sd"], ("connection",))
    raw = pm.Normal("word_raw", lam * group, word_sd**lam, dims=dims)
    word_mean = group + word_sd ** (1 - lam) * (raw - lam * group)
    pm.Deterministic("word_mean", word_mean - shift, dims=dims)
    return word_mean


def _attribute_means(design: Design, spec: ModelSpec) -> Any:
    """Make the mean effect of every kind of attributes; returns it per connection, or 0."""
    if spec.attribute_effects == "none":
        return 0.0
    import pymc as pm

    attribute_sd = prior_variable("attribute_sd", spec.priors["attribute_sd"], ("attribute_kind",))
    count = np.bincount(design.kind)
    z = pm.Normal("attribute_mean_raw", 0.0, 1.0, dims="attribute_kind")
    kind_of_connection = np.zeros(len(design.connections), dtype=int)
    kind_of_connection[design.connection] = design.kind[design.attribute]
    return (z * attribute_sd / np.sqrt(count))[kind_of_connection]


def _attribute_deviations(design: Design, shift: Any) -> Any:
    """Make the attribute effects; returns their deviations from the mean of their kind."""
    import pymc as pm
    import pytensor.tensor as pt

    model = pm.modelcontext(None)
    centred = centred_kinds(design)
    deviations = pt.zeros(len(design.attributes))
    mean = pt.zeros(len(design.attributes))
    for k, kind in enumerate(design.kinds):
        members = np.flatnonzero(design.kind == k)
        connection = design.connection[np.isin(design.attribute, members)][0]
        mean = pt.set_subtensor(mean[members], shift[connection])
        if len(members) > 1:
            sd = model["attribute_sd"][k]
            inner, outer = (sd, 1.0) if centred[k] else (1.0, sd)
            free = outer * pm.ZeroSumNormal(f"deviation_{kind}", inner, shape=len(members))
            deviations = pt.set_subtensor(deviations[members], free)
    pm.Deterministic("attribute_effect", deviations + mean, dims="attribute")
    return deviations


def prior_variable(name: str, prior: Prior, dims: tuple[str, ...]) -> Any:
    """Make a PyMC variable with a prior, inside a model."""
    import pymc as pm

    arguments = {"mean": "mu", "sd": "sigma"}
    arguments |= {"rate": "lam"} if prior.distribution == "exponential" else {}
    arguments |= {"shape": "alpha", "rate": "beta"} if prior.distribution == "gamma" else {}
    kinds = {"normal": pm.Normal, "half_normal": pm.HalfNormal, "exponential": pm.Exponential,
             "gamma": pm.Gamma}  # fmt: skip
    parameters = {arguments[key]: value for key, value in prior.parameters.items()}
    return kinds[prior.distribution](name, dims=dims or None, **parameters)


def centred_connections(design: Design, parametrisation: str = "auto") -> NDArray[np.bool_]:
    """Choose, per connection, whether word means are written centred.

    With word variance t², noise variance s² and n pairs per word (harmonic mean), the means of J
    words vary with v = t² + s² / n, and the data's share in a word's posterior mean is 1 − s² / (n
    v). Centred sampling fails where t may be near zero, so the choice looks at the smallest v that
    is compatible with the data, the observed variance of word means times (J − 1) divided by the
    .9999 quantile of chi² with J − 1 degrees of freedom.

    Raises
    ------
    ArgumentError
        If `parametrisation` is unknown.
    """
    check_parametrisation(parametrisation)
    if parametrisation != "auto":
        return np.full(len(design.connections), parametrisation == "centred")
    counts, means, squares = design.cell_counts, design.cell_means, design.squares_within
    shares = [
        _cautious_share(counts[:, c], means[:, c], squares[c]) for c in range(counts.shape[1])
    ]
    return np.array(shares) > _CENTRED_ABOVE


def centred_kinds(design: Design) -> NDArray[np.bool_]:
    """Choose, per kind of attribute list, whether attribute effects are written centred.

    As `centred_connections`, for what is left of the responses when cell means are taken off.
    """
    residual = design.response - design.cell_means[design.word, design.connection]
    n = len(design.attributes)
    counts = np.bincount(design.attribute, minlength=n)
    means = np.bincount(design.attribute, weights=residual, minlength=n) / counts
    squares = np.bincount(design.attribute, (residual - means[design.attribute]) ** 2, n)
    shares = []
    for kind in range(len(design.kinds)):
        members = design.kind == kind
        shares.append(_cautious_share(counts[members], means[members], squares[members].sum()))
    return np.array(shares) > _CENTRED_ABOVE


def check_parametrisation(parametrisation: str) -> None:
    """Raise `ArgumentError` if a parametrisation is unknown."""
    if parametrisation not in PARAMETRISATIONS:
        raise ArgumentError(
            f"parametrisation={parametrisation!r}{suggest(parametrisation, PARAMETRISATIONS)}"
        )


def _cautious_share(counts: NDArray[np.int64], means: NDArray[np.float64], squares: float) -> float:
    filled = counts > 0
    n_words = int(filled.sum())
    freedom = counts.sum() - n_words
    if n_words < _FEWEST_WORDS or freedom < 1:
        return 0.0
    n = n_words / (1.0 / counts[filled]).sum()
    between = float(means[filled].var(ddof=1)) * (n_words - 1) / chdtri(n_words - 1, 1e-4)
    noise = squares / freedom / n
    return float(1.0 - noise / between) if between > noise else 0.0
