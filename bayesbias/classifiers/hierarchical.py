"""Draws of rates from the hierarchical model, by NUTS.

All metrics are sampled in one model, though they share nothing, because compiling takes the time:
some 10 to 20 seconds, whatever the data. Group effects and deviations sum to zero over groups: they
are written in an orthonormal basis of the contrasts between groups. A covariate of the classes
shifts the mean of class effects and of deviations: classes are exchangeable given the covariate.

Class effects and deviations are each written non-centred, unless classes surely differ by more than
their data are uncertain (`centred_metrics`), where the centred form mixes better. Either form has
the same posterior: with λ = 1 for centred and 0 for non-centred,

    raw ~ Normal(λ · mean, sd ** λ),   effect = mean + sd ** (1 − λ) · (raw − λ · mean).
"""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import helmert
from scipy.special import chdtri

from bayesbias.classifiers.gap_models import GapSpec
from bayesbias.classifiers.rates import METRICS
from bayesbias.errors import ModelError
from bayesbias.inference.diagnostics import Diagnostics, diagnose
from bayesbias.inference.nuts import NutsSettings, chain_lengths, sample_model, was_interrupted
from bayesbias.inference.pymc_models import prior_variable
from bayesbias.support.arrays import Array, Mask
from bayesbias.support.compatibility import quiet_imports

if TYPE_CHECKING:
    import pymc

_LEAST_FREEDOM: Final = 4
_REMEDY: Final = (
    "raise target_accept by nuts={'target_accept': 0.99}; compare with method='beta', which needs "
    "no chains"
)
_HYPER: Final = ("class_mean", "class_sd", "group_effect", "deviation_sd")


def build_gap_model(
    successes: NDArray[np.int64],
    trials: NDArray[np.int64],
    spec: GapSpec,
    *,
    classes: tuple[str, ...],
    groups: tuple[str, ...],
    centred: Mask,
    covariates: Array | None = None,
) -> "pymc.Model":
    """Build the PyMC model of counts, (n_metrics, n_groups, n_classes), anew for every fit.

    `centred`, (2, n_metrics), is from `centred_metrics`; covariates, (n_classes, n_covariates), are
    standardised over classes.
    """
    import pymc as pm

    # (n_groups, n_groups − 1): columns are orthonormal and sum to 0, so that independent normal
    # coefficients are group effects with the covariance sd² (I − J / n), the same for all groups.
    basis = helmert(len(groups)).T
    coords: dict[str, Any] = {
        "metric": METRICS[: len(successes)],
        "group": groups,
        "class": classes,
    }
    coords["group_contrast"] = np.arange(basis.shape[1])
    # Cells of nobody have no likelihood, and their rate is what the model expects.
    filled = np.nonzero(trials)
    with pm.Model(coords=coords) as model:
        class_mean, class_sd, deviation_sd = (
            prior_variable(name, spec.priors[name], ("metric",))
            for name in ("class_mean", "class_sd", "deviation_sd")
        )
        contrast = prior_variable(
            "group_contrast_effect", spec.priors["group_effect"], ("metric", "group_contrast")
        )
        pm.Deterministic("group_effect", contrast @ basis.T, dims=("metric", "group"))
        # A group's effect is the mean of its deviations over classes: in `of_cell` it is already
        # there.
        mean_of_class, mean_of_cell = class_mean[:, None], contrast[:, None, :]
        if covariates is not None:
            model.add_coord("covariate", np.arange(covariates.shape[1]))
            prior = spec.priors["covariate_effect"]
            slope = prior_variable("class_slope", prior, ("metric", "covariate"))
            tilt = prior_variable(
                "group_contrast_slope", prior, ("metric", "covariate", "group_contrast")
            )
            pm.Deterministic("group_slope", tilt @ basis.T, dims=("metric", "covariate", "group"))
            mean_of_class = mean_of_class + slope @ covariates.T
            mean_of_cell = mean_of_cell + sum(
                tilt[:, i, None, :] * x[None, :, None] for i, x in enumerate(covariates.T)
            )
        of_class = _effects(
            "class_raw", mean_of_class, class_sd[:, None], centred[0][:, None], ("metric", "class")
        )
        of_cell = _effects(
            "deviation_raw",
            mean_of_cell,
            deviation_sd[:, None, None],
            centred[1][:, None, None],
            ("metric", "class", "group_contrast"),
        )
        logit = of_class[:, None, :] + (of_cell @ basis.T).dimshuffle(0, 2, 1)
        pm.Deterministic("rate", pm.math.sigmoid(logit), dims=("metric", "group", "class"))
        pm.Binomial(
            "successes", n=trials[filled], logit_p=logit[filled], observed=successes[filled]
        )
    return model


def _effects(name: str, mean: Any, sd: Any, centred: Mask, dims: tuple[str, ...]) -> Any:
    """Make effects around a mean, centred or not."""
    import pymc as pm

    lam = centred.astype(float)
    raw = pm.Normal(name, lam * mean, sd**lam, dims=dims)
    return mean + sd ** (1 - lam) * (raw - lam * mean)


def centred_metrics(
    successes: NDArray[np.int64], trials: NDArray[np.int64], covariates: Array | None = None
) -> Mask:
    """Decide whose class effects, and deviations, are better written centred; (2, n_metrics).

    As `sampling_form.centred_terms`, with empirical logits: their variance over classes, around the
    line in covariates, as small as the data may allow (the .9999 quantile of chi²), must be more
    than twice the mean variance of their errors.
    """
    n_metrics, n_groups, n_classes = successes.shape
    columns = [np.ones(n_classes), *([] if covariates is None else covariates.T)]
    line = np.stack(columns, axis=-1)
    if n_classes - line.shape[1] < _LEAST_FREEDOM:
        return np.zeros((2, n_metrics), dtype=bool)
    basis = helmert(n_groups).T
    together = _logits(successes.sum(axis=1), trials.sum(axis=1))
    logit, error = _logits(successes, trials)
    contrasts = np.einsum("mgk,gj->mjk", logit, basis)
    # Groups are different persons: of independent errors the variances add up.
    errors = np.einsum("mgk,gj->mjk", error, basis**2)
    by_contrast = _surely_differ(contrasts, errors, line).all(axis=1)
    return np.stack([_surely_differ(*together, line), by_contrast])


def _logits(successes: NDArray[np.int64], trials: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return empirical logits and the variances of their errors."""
    # Half a count to each, so that 0 and all have a logit, nearly without bias (Haldane 1956).
    hits, misses = successes + 0.5, trials - successes + 0.5
    return np.log(hits / misses), 1 / hits + 1 / misses


def _surely_differ(values: Array, errors: Array, line: Array) -> Mask:
    freedom = len(line) - line.shape[1]
    # Least squares: y − X X⁺ y.
    rest = values - values @ np.linalg.pinv(line).T @ line.T
    between = (rest**2).sum(axis=-1) / chdtri(freedom, 1e-4)
    return between > 2 * errors.mean(axis=-1)


def hierarchical_draws(
    successes: NDArray[np.int64],
    trials: NDArray[np.int64],
    spec: GapSpec,
    *,
    classes: tuple[str, ...],
    groups: tuple[str, ...],
    settings: NutsSettings,
    seed: int,
    progress: bool,
    covariates: Array | None = None,
) -> tuple[Array, Array | None, Diagnostics]:
    """Sample the rates of all cells, (draws, n_metrics, n_groups, n_classes).

    Also slopes of logits, (draws, n_metrics, n_covariates, n_groups), or None, and diagnostics.
    """
    if covariates is not None and "covariate_effect" not in spec.priors:
        raise ModelError(
            f"model {spec.name!r}: priors lack 'covariate_effect', which covariates need"
        )
    centred = centred_metrics(successes, trials, covariates)
    named: dict[str, Any] = {"classes": classes, "groups": groups}
    with quiet_imports():
        model = build_gap_model(
            successes, trials, spec, centred=centred, covariates=covariates, **named
        )
    posterior, statistics = sample_model(model, settings, seed=seed, progress=progress)
    if was_interrupted(chain_lengths(posterior), settings):
        raise KeyboardInterrupt
    slopes, kept = None, [*_HYPER, "rate"]
    if covariates is not None:
        slopes = _flat(posterior, "group_slope", "metric", "covariate", "group")
        kept += ["class_slope", "group_slope"]
    draws = _flat(posterior, "rate", "metric", "group", "class")
    return draws, slopes, diagnose(posterior[kept], statistics, remedy=_REMEDY)


def _flat(posterior: Any, name: str, *dims: str) -> Array:
    """Return a parameter's draws, all chains behind each other, then its dimensions."""
    stacked = posterior[name].stack(sample=("chain", "draw"))
    values: Array = stacked.transpose("sample", *dims).to_numpy()
    return values
