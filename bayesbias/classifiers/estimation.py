"""Gaps of GP, TPR and PP between groups, with intervals."""

import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.classifiers.gapresults import Gaps
from bayesbias.classifiers.posteriors import beta_draws, bootstrap_draws
from bayesbias.classifiers.predictions import Predictions, count_predictions
from bayesbias.classifiers.rates import METRICS, empty_reason, rate_counts, rates_of
from bayesbias.classifiers.specification import GapSpec, load_gap_model
from bayesbias.constants import GAP_ROPE, HDPI_PROB, VERDICTS
from bayesbias.errors import ArgumentError, ConvergenceWarning, suggest
from bayesbias.inference.intervals import interval_of, rope_shares, verdicts
from bayesbias.inference.nuts import NutsSettings
from bayesbias.support.progress import shows_progress
from bayesbias.support.seeds import seed_as_integer

METHODS: Final = ("beta", "hierarchical", "bootstrap", "point")
"""How gaps are estimated; see `gaps`."""

_WORDS: Final = dict(zip(VERDICTS, ("lower", "higher", *VERDICTS[2:]), strict=True))
_DRAWS: Final = 4000
_DRAWS_PER_CHAIN: Final = 2000
_SAMPLER_OPTIONS: Final = ("draws", "tune", "chains", "cores", "sampler", "target_accept")


def gaps(
    frame: pd.DataFrame,
    *,
    true: str,
    predicted: str,
    group: str,
    reference: Any = None,
    classes: Sequence[Any] | None = None,
    method: str = "beta",
    prior: tuple[float, float] = (1.0, 1.0),
    model: "str | Path | GapSpec" = "gaps",
    rope: float = GAP_ROPE,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    draws: int | None = None,
    nuts: Mapping[str, Any] | None = None,
    seed: int | np.random.Generator | None = None,
    progress: bool | None = None,
) -> Gaps:
    """Compare the rates GP, TPR and PP of every class between groups.

    GP = P(prediction is k | group), TPR = P(prediction is k | truth is k, group), PP = P(truth is
    k | prediction is k, group); a gap is a group's rate less the reference's.

    Parameters
    ----------
    frame : DataFrame
        One row per person.
    true, predicted, group : str
        Its columns of true classes, predicted classes, and groups.
    reference : label, optional
        The group that is subtracted from each of the others; by default the last in sorted order,
        so that two groups give female − male, or 0 − 1.
    classes : sequence, optional
        The classes there are; by default those that occur.
    method : {"beta", "hierarchical", "bootstrap", "point"}
        ``"beta"``: every rate has a posterior of its own, Beta(a + successes, b + failures).
        ``"hierarchical"``: classes are partially pooled (`GapSpec.equations`), by NUTS; better on
        average, less honest for classes unlike the others (docs/classifier-intervals.md).
        ``"bootstrap"``: persons are resampled within groups; percentile intervals.
        ``"point"``: observed differences alone.
    prior : (float, float)
        a and b of the Beta prior.
    model : str, Path or GapSpec
        Of the hierarchical method.
    rope : float
        Half-width of the region of practical equivalence, as a difference of rates. A GP is of the
        order of its class's share, so choose it for the metric and class that matter.
    prob : float
        Probability of the intervals.
    interval : {"hpdi", "eti"}
        Their kind; the bootstrap's are percentile intervals whatever is said here.
    draws : int, optional
        Posterior draws or bootstrap samples, by default 4000; for the hierarchical method, draws
        per chain, by default 2000.
    nuts : mapping, optional
        ``tune``, ``chains``, ``cores``, ``sampler``, ``target_accept`` of the hierarchical method.
    seed : int or Generator, optional
    progress : bool, optional
        Show the sampler's bar; by default in a terminal or a notebook.

    Returns
    -------
    Gaps
        Gaps of which a rate has an empty denominator are undefined whatever the method:
        `Gaps.table` has a reason and no number.

    Raises
    ------
    PredictionsError
        If the table is malformed; see `count_predictions`.
    ArgumentError
        If another argument is outside its range.
    ModelError
        If the model is malformed or unknown.

    Warns
    -----
    ConvergenceWarning
        If the sampler's draws should not be trusted.

    Notes
    -----
    Cost: draws · groups · classes for ``"beta"``, times classes again for ``"bootstrap"``;
    ``"hierarchical"`` takes 20 seconds to a few minutes.

    Examples
    --------
    >>> people = pd.DataFrame({"y": [1, 1, 0, 0] * 10, "p": [1, 0, 0, 0] * 10,
    ...                        "g": (["f"] * 3 + ["m"]) * 10})
    >>> found = gaps(people, true="y", predicted="p", group="g", method="point", classes=[0, 1])
    >>> found.undefined["reason"].tolist()
    ['nobody of group m is of class 1', 'nobody of group m was predicted 1']
    """
    _check(method, rope, prob, interval)
    counted = count_predictions(
        frame, true=true, predicted=predicted, group=group, classes=classes, reference=reference
    )
    successes, trials = rate_counts(counted.counts)
    details: dict[str, Any] = {}
    used_seed: int | None = None
    drawn: NDArray[np.float64] | None = None
    if method != "point":
        used_seed = seed_as_integer(seed)
        if draws is None:
            draws = _DRAWS_PER_CHAIN if method == "hierarchical" else _DRAWS
        details["draws"] = draws
    number = details.get("draws", 0)
    if method == "beta":
        rng = np.random.default_rng(used_seed)
        drawn = beta_draws(successes, trials, prior=prior, draws=number, rng=rng)
        details["prior"] = f"Beta({prior[0]:g}, {prior[1]:g})"
    elif method == "bootstrap":
        drawn = bootstrap_draws(counted.counts, draws=number, rng=np.random.default_rng(used_seed))
        interval = "percentile"
    elif method == "hierarchical":
        drawn, found = _hierarchical(counted, model, number, nuts, used_seed, progress)
        details |= found
    rates = _rates_frame(counted, successes, trials)
    table = _gap_frame(counted, rates, drawn, rope, prob, interval)
    return Gaps(table, rates, method, rope, prob, interval, used_seed, details)


def _check(method: str, rope: float, prob: float, interval: str) -> None:
    if method not in METHODS:
        raise ArgumentError(f"method={method!r}{suggest(str(method), METHODS)}")
    if not 0 <= rope < math.inf:
        raise ArgumentError(f"rope={rope}: must be a difference of rates, 0 or more")
    interval_of([0.0, 1.0], prob, interval)


def _hierarchical(
    counted: Predictions,
    model: "str | Path | GapSpec",
    draws: int,
    nuts: Mapping[str, Any] | None,
    seed: int | None,
    progress: bool | None,
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Sample, and tell if the draws should not be trusted."""
    from bayesbias.classifiers.hierarchical import hierarchical_draws

    options = {"target_accept": 0.9, **(nuts or {})}
    for name in options:
        if name not in _SAMPLER_OPTIONS[1:]:
            raise ArgumentError(f"nuts: unknown {name!r}{suggest(name, _SAMPLER_OPTIONS[1:])}")
    settings = NutsSettings(draws=draws, **options)
    spec = load_gap_model(model)
    successes, trials = rate_counts(counted.counts)
    drawn, diagnostics = hierarchical_draws(
        successes, trials, spec, classes=counted.classes, groups=counted.groups,
        settings=settings, seed=int(seed or 0),
        progress=shows_progress() if progress is None else progress,
    )  # fmt: skip
    if diagnostics.problems:
        warnings.warn(diagnostics.sentence, ConvergenceWarning, stacklevel=3)
    return drawn, {
        "model": spec.name,
        "model_id": spec.id,
        "chains": settings.chains,
        "tune": settings.tune,
        "target_accept": settings.target_accept,
        "sampler": settings.chosen_sampler,
        "diagnostics": diagnostics.to_dict(),
    }


def _rates_frame(
    counted: Predictions, successes: NDArray[np.int64], trials: NDArray[np.int64]
) -> pd.DataFrame:
    """Return one row per metric, class and group."""
    rates = rates_of(successes, trials)
    rows = [
        (metric, label, name, int(successes[m, g, k]), int(trials[m, g, k]), rates[m, g, k],
         "" if trials[m, g, k] else empty_reason(metric, name, label))
        for m, metric in enumerate(METRICS)
        for k, label in enumerate(counted.classes)
        for g, name in enumerate(counted.groups)
    ]  # fmt: skip
    columns = ["metric", "class", "group", "successes", "trials", "rate", "reason"]
    return pd.DataFrame(rows, columns=columns)


def _gap_frame(
    counted: Predictions,
    rates: pd.DataFrame,
    drawn: NDArray[np.float64] | None,
    rope: float,
    prob: float,
    interval: str,
) -> pd.DataFrame:
    """Return one row per metric, class and contrast."""
    cells = rates.set_index(["metric", "class", "group"])
    rows: list[dict[str, Any]] = []
    reference = counted.groups.index(counted.reference)
    for m, metric in enumerate(METRICS):
        for k, label in enumerate(counted.classes):
            base = cells.loc[(metric, label, counted.reference)]
            for name in counted.others:
                cell = cells.loc[(metric, label, name)]
                reason = "; ".join(r for r in (cell["reason"], base["reason"]) if r)
                row = {
                    "metric": metric,
                    "class": label,
                    "contrast": f"{name} − {counted.reference}",
                    "group": name,
                    "reference": counted.reference,
                    "gap": cell["rate"] - base["rate"],
                }
                if drawn is not None:
                    g = counted.groups.index(name)
                    both = drawn[:, m, g, k] - drawn[:, m, reference, k]
                    row |= _summary(both, bool(reason), rope, prob, interval)
                rows.append(row | {"reason": reason})
    return pd.DataFrame(rows)


def _summary(
    draws: NDArray[np.float64], undefined: bool, rope: float, prob: float, interval: str
) -> dict[str, Any]:
    """Summarise the draws of one gap; of a bootstrap, those in which it was defined."""
    settings: dict[str, Any] = {"prob": prob, "interval": interval, "rope": rope}
    extra: dict[str, Any] = {}
    if interval == "percentile":
        defined = draws[~np.isnan(draws)]
        extra = {"undefined_draws": 1.0 if undefined else 1 - len(defined) / len(draws)}
        draws, interval = defined, "eti"
    if undefined or len(draws) < 2:
        names = ("mean", "sd", "low", "high", "p_above_zero", "p_direction", "below_rope",
                 "inside_rope", "above_rope")  # fmt: skip
        return {**dict.fromkeys(names, math.nan), **settings, "verdict": "undefined", **extra}
    low, high = interval_of(draws, prob, interval)
    below, inside, above = rope_shares(draws, rope)
    positive, negative = float((draws > 0).mean()), float((draws < 0).mean())
    return {
        "mean": float(draws.mean()),
        "sd": float(draws.std(ddof=1)),
        "low": float(low),
        "high": float(high),
        "p_above_zero": positive,
        "p_direction": max(positive, negative),
        "below_rope": float(below),
        "inside_rope": float(inside),
        "above_rope": float(above),
        **settings,
        "verdict": _WORDS[str(verdicts(low, high, rope))],
        **extra,
    }
