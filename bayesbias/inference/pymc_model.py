"""Builds a `pymc.Model` from a specification and a frame of distances.

The word means can be written in two ways with the same posterior but a different geometry for
the sampler. Centred, word_mean ~ Normal(group_mean, word_sd), suits words with many informative
pairs. Where pairs say little about a word, word_sd may be near zero and the centred form is a
funnel; then the non-centred form, word_mean = group_mean + word_sd · z with z ~ Normal(0, 1),
samples without divergences. Connections differ in this within one data set, so the choice is made
for each: with λ = 1 for centred and 0 for non-centred,

    word_raw  ~ Normal(λ · group_mean, word_sd ** λ)
    word_mean = group_mean + word_sd ** (1 − λ) · (word_raw − λ · group_mean)

which is one graph whatever the choice (Gorinova, Moore and Hoffman 2020, "Automatic
reparameterisation of probabilistic programs", with their λ at its two ends).
"""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, suggest
from bayesbias.frames import validate_distances
from bayesbias.inference.design import Design
from bayesbias.spec import ModelSpec, Prior, load_model

if TYPE_CHECKING:
    from pathlib import Path

    import pymc

PARAMETRISATIONS: Final = ("auto", "centred", "non-centred")

# Share of a word's own data in its posterior mean above which centred samples better. On the 18
# published files .72 gave no divergence and 2 to 8 times the effective draws of non-centred
# throughout; .3 gave hundreds of divergences on religion, .6 a few on race.
_CENTRED_ABOVE: Final = 0.72


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
    validate_distances(frame)
    design = Design.from_frame(frame)
    centred = centred_connections(design, parametrisation)
    return model_of_design(design, load_model(model), centred)


def model_of_design(design: Design, spec: ModelSpec, centred: NDArray[np.bool_]) -> "pymc.Model":
    """Build the PyMC model for indexed data; `centred` has shape (n_connections,)."""
    import pymc as pm

    coords: dict[str, Any] = {
        "protected_word": list(design.protected_words),
        "connection": list(design.connections),
        "pair": np.arange(len(design.distance)),
    }
    lam = centred.astype(float)
    with pm.Model(coords=coords) as model:
        group_mean = _variable("group_mean", spec.group_mean)
        word_sd = _variable("word_sd", spec.word_sd)
        noise_sd = _variable("noise_sd", spec.noise_sd)
        dims = ("protected_word", "connection")
        raw = pm.Normal("word_raw", lam * group_mean, word_sd**lam, dims=dims)
        scaled = word_sd ** (1 - lam) * (raw - lam * group_mean)
        word_mean = pm.Deterministic("word_mean", group_mean + scaled, dims=dims)
        pm.Normal(
            "cosine_distance",
            word_mean[design.word, design.connection],
            noise_sd[design.connection],
            observed=design.distance,
            dims="pair",
        )
    return model


def _variable(name: str, prior: Prior) -> Any:
    """Make a PyMC variable, one value per connection."""
    import pymc as pm

    arguments = {"mean": "mu", "sd": "sigma", "rate": "lam"}
    kinds = {"normal": pm.Normal, "half_normal": pm.HalfNormal, "exponential": pm.Exponential}
    parameters = {arguments[key]: value for key, value in prior.parameters.items()}
    return kinds[prior.distribution](name, dims="connection", **parameters)


def centred_connections(design: Design, parametrisation: str = "auto") -> NDArray[np.bool_]:
    """Choose, per connection, whether word means are written centred.

    The choice compares the spread of word means with the error of each, by the method of moments:
    with word variance t², noise variance s² and n pairs per word (harmonic mean), the data's share
    in a word's posterior mean is n t² / (n t² + s²).

    Raises
    ------
    ArgumentError
        If `parametrisation` is unknown.
    """
    if parametrisation not in PARAMETRISATIONS:
        raise ArgumentError(
            f"parametrisation={parametrisation!r}{suggest(parametrisation, PARAMETRISATIONS)}"
        )
    if parametrisation != "auto":
        return np.full(len(design.connections), parametrisation == "centred")
    counts, means = design.cell_counts(), design.cell_means()
    residual = design.distance - means[design.word, design.connection]
    squares = np.bincount(design.connection, weights=residual**2, minlength=counts.shape[1])
    shares = [_share_of_data(counts[:, c], means[:, c], squares[c]) for c in range(counts.shape[1])]
    return np.array(shares) > _CENTRED_ABOVE


def _share_of_data(counts: NDArray[np.int64], means: NDArray[np.float64], squares: float) -> float:
    filled = counts > 0
    freedom = counts.sum() - filled.sum()
    if filled.sum() < 2 or freedom < 1 or squares == 0:
        return 0.0
    n = filled.sum() / (1.0 / counts[filled]).sum()
    noise = squares / freedom
    between = max(float(means[filled].var(ddof=1)) - noise / n, 0.0)
    return float(n * between / (n * between + noise))
