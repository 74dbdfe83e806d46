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
from scipy.special import chdtri

from bayesbias.errors import ArgumentError, suggest
from bayesbias.frames import validate_distances
from bayesbias.inference.design import Design
from bayesbias.spec import ModelSpec, Prior, load_model

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
    if parametrisation not in PARAMETRISATIONS:
        raise ArgumentError(
            f"parametrisation={parametrisation!r}{suggest(parametrisation, PARAMETRISATIONS)}"
        )
    if parametrisation != "auto":
        return np.full(len(design.connections), parametrisation == "centred")
    counts, means = design.cell_counts(), design.cell_means()
    residual = design.distance - means[design.word, design.connection]
    squares = np.bincount(design.connection, weights=residual**2, minlength=counts.shape[1])
    shares = [
        _cautious_share(counts[:, c], means[:, c], squares[c]) for c in range(counts.shape[1])
    ]
    return np.array(shares) > _CENTRED_ABOVE


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
