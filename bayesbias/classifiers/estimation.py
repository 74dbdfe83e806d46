"""Gaps of GP, TPR and PP between groups, with intervals.

A gap is a difference of two rates (`rates`). These have posteriors under conjugate priors, or under
a model that pools classes (`hierarchical`), or persons are resampled; draws of a gap are
differences of draws of rates. Of few persons an interval leans on the prior, so that a direction
needs an exact test besides (`exact`). Where nobody is in a denominator, a gap has a reason and no
number.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.classifiers.exact import fisher_tails, ratio_intervals
from bayesbias.classifiers.gap_models import GapSpec, load_gap_model
from bayesbias.classifiers.gapresults import FEWEST, FOUR_FIFTHS, Gaps
from bayesbias.classifiers.predictions import Predictions, as_labels, count_predictions
from bayesbias.classifiers.rates import (
    METRICS,
    beta_draws,
    bootstrap_draws,
    dirichlet_draws,
    rate_counts,
    rates_of,
)
from bayesbias.constants import GAP_ROPE, HDPI_PROB, VERDICTS
from bayesbias.errors import ArgumentError, ConvergenceWarning, PredictionsError, one_of, suggest
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.intervals import interval_of, rope_shares, verdicts
from bayesbias.inference.nuts import NutsSettings
from bayesbias.support.arrays import Array
from bayesbias.support.progress import shows_progress
from bayesbias.support.seeds import seed_as_integer

METHODS: Final = ("beta", "hierarchical", "bootstrap", "point")

_NUMBERS: Final = (
    *("mean", "sd", "low", "high", "p_above_zero", "p_direction"),
    *("below_rope", "inside_rope", "above_rope"),
)
_WORDS: Final = {
    word: word.replace("closer", "lower").replace("farther", "higher") for word in VERDICTS
}
_EMPTY: Final = {
    "GP": "nobody is of group {group}",
    "TPR": "nobody of group {group} is of class {label}",
    "PP": "nobody of group {group} was predicted {label}",
}
_COUNTED: Final = ("s", "n", "s_reference", "n_reference")
_TURNED: Final = {
    **{"group": "reference", "reference": "group"},
    **{"n": "n_reference", "n_reference": "n", "s": "s_reference", "s_reference": "s"},
}
_ROUNDING: Final = 1e-12

Covariates: TypeAlias = pd.DataFrame | pd.Series | Mapping[Any, float]

_DRAWS: Final = 4000
_DRAWS_PER_CHAIN: Final = 2000
_SAMPLER_OPTIONS: Final = ("tune", "chains", "cores", "sampler", "target_accept")


def gaps(
    frame: pd.DataFrame,
    *,
    true: str,
    predicted: str,
    group: str | Sequence[str],
    reference: Any = None,
    cut: Sequence[float] | None = None,
    classes: Sequence[Any] | None = None,
    method: str = "beta",
    prior: tuple[float, float] = (1.0, 1.0),
    class_prior: float = 0.5,
    covariates: Covariates | None = None,
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

    GP = P(prediction is k | group), TPR = P(prediction is k | truth is k, group), PP = P(truth is k
    | prediction is k, group); a gap is a group's rate minus the reference's, undefined, with a
    reason and no number, if one of them has an empty denominator. A verdict on a direction needs
    Fisher's exact test besides the interval, at half of 1 − `prob` on its side, so that with groups
    of any size equal rates are called different in at most 1 − `prob` of samples; of a group of one
    person no direction is said. The hierarchical method, whose classes learn from each other, goes
    without the test. A ConvergenceWarning tells if the
    sampler's draws should not be trusted.

    Parameters
    ----------
    frame, true, predicted, group, classes, reference, cut
        As in `count_predictions`.
    method : {"beta", "hierarchical", "bootstrap", "point"}
        ``"beta"``: each TPR and PP has a posterior of its own, Beta(a + successes, b + failures);
        the GPs of a group, which sum to 1 over classes, a joint one, Dirichlet(c + predictions).
        ``"hierarchical"``: classes are partially pooled (`GapSpec.equations`), by NUTS, in 20
        seconds to a few minutes; coverage is too low for classes unlike the others
        (docs/classifiers.md). ``"bootstrap"``: persons are resampled within groups. ``"point"``:
        observed differences alone.
    prior : (float, float)
        a and b.
    class_prior : float
        c for each class; the default is Jeffreys'.
    covariates : DataFrame, Series or mapping, optional
        Properties of the classes, indexed by class, such as the share of women in an occupation.
        The hierarchical method pools classes towards a line in them; `Gaps.slopes` has its slopes.
    model : str, Path or GapSpec
        Of the hierarchical method.
    rope : float
        Half-width of the region of practical equivalence, as a difference of rates. A GP is about
        as large as the share of its class, so choose it for the metric and class that matter.
    prob, interval
        As in `Fit.contrasts`; intervals of the bootstrap are percentiles.
    draws : int, optional
        By default 4000; of the hierarchical method 2000 per chain.
    nuts : mapping, optional
        ``tune``, ``chains``, ``cores``, ``sampler``, ``target_accept`` of the hierarchical method.

    Raises
    ------
    PredictionsError
        If the table is malformed (see `count_predictions`), or a class lacks a covariate.
    ArgumentError
        If another argument is outside its range.
    ModelError
        If the model is malformed, unknown or lacks a prior for covariates.

    Examples
    --------
    >>> people = pd.DataFrame({"y": [1, 1, 0, 0] * 10, "p": [1, 0, 0, 0] * 10,
    ...                        "g": (["f"] * 3 + ["m"]) * 10})
    >>> found = gaps(people, true="y", predicted="p", group="g", method="point", classes=[0, 1])
    >>> found.undefined["reason"].tolist()
    ['nobody of group m is of class 1', 'nobody of group m was predicted 1']
    """
    one_of(method, "method", METHODS)
    if not 0 <= rope < math.inf:
        raise ArgumentError(f"rope={rope}: must be a difference of rates, 0 or more")
    DecisionRule(prob=prob, interval=interval)
    rule: dict[str, Any] = {"prob": prob, "interval": interval, "rope": rope}
    if covariates is not None and method != "hierarchical":
        raise ArgumentError("covariates: only method='hierarchical' uses them")
    columns: dict[str, Any] = {"true": true, "predicted": predicted, "group": group, "cut": cut}
    counted = count_predictions(frame, **columns, classes=classes, reference=reference)
    successes, trials = rate_counts(counted.counts)
    rates = _rates_frame(counted, successes, trials)
    pairs = _pairs_frame(counted, rates)

    def to_reference(table: pd.DataFrame) -> pd.DataFrame:
        return table[table["reference"] == counted.reference].reset_index(drop=True)

    if method == "point":
        gap_table = to_reference(_gap_frame(pairs, None, rule))
        return Gaps(gap_table, rates, method, **rule, seed=None, details={})
    used_seed = seed_as_integer(seed)
    rng = np.random.default_rng(used_seed)
    if draws is None:
        draws = _DRAWS_PER_CHAIN if method == "hierarchical" else _DRAWS
    details: dict[str, Any] = {"draws": draws}
    slopes = None
    if method == "beta":
        drawn = beta_draws(successes, trials, prior=prior, draws=draws, rng=rng)
        # GP comes first; over the classes of a group its rates sum to 1, and have one posterior.
        drawn[:, 0] = dirichlet_draws(successes[0], prior=class_prior, draws=draws, rng=rng)
        details["prior"] = f"Beta({prior[0]:g}, {prior[1]:g})"
        details["class_prior"] = f"Dirichlet({class_prior:g})"
    elif method == "bootstrap":
        drawn = bootstrap_draws(counted.counts, draws=draws, rng=rng)
        rule["interval"] = "percentile"
    else:
        table = None if covariates is None else _covariate_table(covariates, counted.classes)
        drawn, slope_draws, found = _hierarchical(
            counted, table, model, draws, nuts, used_seed, progress
        )
        details |= found
        if table is not None and slope_draws is not None:
            slopes = _slope_frame(counted, list(table), slope_draws, rule)
    gap_draws = _gap_draws(counted, drawn)
    answered = _gap_frame(pairs, gap_draws, rule, exact=method != "hierarchical")
    told: dict[str, Any] = {"seed": used_seed, "details": details, "slopes": slopes}
    told["ratios"] = _ratio_frame(pairs, prob)
    if len(counted.groups) > 2:
        told |= {"pairs": answered, "largest": _largest_frame(answered, gap_draws)}
    return Gaps(to_reference(answered), rates, method, **rule, **told)


def _hierarchical(
    counted: Predictions,
    covariates: pd.DataFrame | None,
    model: "str | Path | GapSpec",
    draws: int,
    nuts: Mapping[str, Any] | None,
    seed: int,
    progress: bool | None,
) -> tuple[Array, Array | None, dict[str, Any]]:
    """Sample, and warn if the draws should not be trusted."""
    from bayesbias.classifiers.hierarchical import hierarchical_draws

    options = {"target_accept": 0.9, **(nuts or {})}
    for name in options:
        if name not in _SAMPLER_OPTIONS:
            raise ArgumentError(f"nuts: unknown {name!r}{suggest(name, _SAMPLER_OPTIONS)}")
    settings = NutsSettings(draws=draws, **options)
    spec = load_gap_model(model)
    drawn, slopes, diagnostics = hierarchical_draws(
        *rate_counts(counted.counts),
        spec,
        classes=counted.classes,
        groups=counted.groups,
        settings=settings,
        seed=seed,
        progress=shows_progress() if progress is None else progress,
        covariates=None if covariates is None else covariates.to_numpy(),
    )
    if diagnostics.problems:
        warnings.warn(diagnostics.sentence, ConvergenceWarning, stacklevel=3)
    details: dict[str, Any] = {"model": spec.name, "model_id": spec.id}
    details |= {name: getattr(settings, name) for name in ("chains", "tune", "target_accept")}
    details |= {"sampler": settings.chosen_sampler, "diagnostics": diagnostics.to_dict()}
    return drawn, slopes, details


def _covariate_table(given: Covariates, classes: tuple[str, ...]) -> pd.DataFrame:
    """Return covariates of the classes in their order, with mean 0 and sd 1 over classes."""
    table = given if isinstance(given, pd.DataFrame) else pd.Series(given).to_frame("covariate")
    table = table.set_axis(as_labels(list(table.index), "classes of covariates"), axis=0)
    if not table.index.is_unique:
        raise PredictionsError("covariates: a class occurs twice; give one row per class")
    lacking = [name for name in classes if name not in table.index]
    if lacking:
        raise PredictionsError(f"covariates: no row for class {', '.join(map(repr, lacking))}")
    try:
        values = table.loc[list(classes)].astype(float)
    except (TypeError, ValueError):
        raise ArgumentError("covariates: must be numbers") from None
    spread = values.std()
    if not (np.isfinite(values.to_numpy()).all() and (spread > 0).all()):
        raise ArgumentError("covariates: must be finite, and differ between classes")
    return (values - values.mean()) / spread


def _slope_frame(
    counted: Predictions, names: list[Any], slopes: Array, rule: dict[str, Any]
) -> pd.DataFrame:
    """Return one row per metric, covariate and contrast."""
    rows = []
    for m, c in np.ndindex(slopes.shape[1:3]):
        for contrast, g, reference in counted.contrasts:
            key = {"metric": METRICS[m], "covariate": str(names[c]), "contrast": contrast}
            both = slopes[:, m, c, g] - slopes[:, m, c, reference]
            rows.append(key | _summary(both, False, rule, None))
    summarised = ("mean", "sd", "low", "high", "prob", "interval", "p_above_zero")
    return pd.DataFrame(rows)[["metric", "covariate", "contrast", *summarised]]


def _rates_frame(
    counted: Predictions, successes: NDArray[np.int64], trials: NDArray[np.int64]
) -> pd.DataFrame:
    """Return one row per metric, class and group."""
    rows = list(product(METRICS, counted.classes, counted.groups))
    table = pd.DataFrame(rows, columns=["metric", "class", "group"])
    numbers = {"successes": successes, "trials": trials, "rate": rates_of(successes, trials)}
    for name, values in numbers.items():
        table[name] = values.swapaxes(1, 2).ravel()
    table["reason"] = [
        "" if n else _EMPTY[metric].format(group=group, label=label)
        for (metric, label, group), n in zip(rows, table["trials"], strict=True)
    ]
    return table


def _pairs_frame(counted: Predictions, rates: pd.DataFrame) -> pd.DataFrame:
    """Return one row per metric, class and pair of groups, with what is known of both rates."""
    named = [(name, counted.groups[i], counted.groups[j]) for name, i, j in counted.pairs]
    keys = product(METRICS, counted.classes, named)
    table = pd.DataFrame(
        [(metric, label, *names) for metric, label, names in keys],
        columns=["metric", "class", "contrast", "group", "reference"],
    )
    cells = rates.set_index(["metric", "class", "group"])
    first, second = (
        cells.loc[pd.MultiIndex.from_frame(table[["metric", "class", side]])].reset_index()
        for side in ("group", "reference")
    )
    for name, column in (("n", "trials"), ("s", "successes")):
        table[name], table[f"{name}_reference"] = first[column], second[column]
    table["gap"] = first["rate"] - second["rate"]
    both = zip(first["reason"], second["reason"], strict=True)
    table["reason"] = ["; ".join(filter(None, reasons)) for reasons in both]
    return table


def _gap_draws(counted: Predictions, drawn: Array) -> Array:
    """Return draws of the gaps of all pairs, (draws, n_rows), as the rows of `_pairs_frame`."""
    gaps = np.stack([drawn[:, :, i] - drawn[:, :, j] for _, i, j in counted.pairs], axis=-1)
    return gaps.reshape(len(drawn), -1)


def _gap_frame(
    pairs: pd.DataFrame, draws: Array | None, rule: dict[str, Any], *, exact: bool = False
) -> pd.DataFrame:
    """Return the gaps with what draws say of each; `exact`: verdicts need Fisher's test."""
    table = pairs.drop(columns=["s", "s_reference", "reason"])
    if draws is not None:
        rows = []
        for row, drawn in zip(pairs.to_dict("records"), draws.T, strict=True):
            tails = None
            if exact and not row["reason"]:  # of a group of one person nothing is known
                enough = min(row["n"], row["n_reference"]) >= FEWEST
                tails = fisher_tails(*(row[c] for c in _COUNTED)) if enough else np.ones(2)
            rows.append(_summary(drawn, bool(row["reason"]), rule, tails))
        table = table.join(pd.DataFrame(rows))
    return table.assign(reason=pairs["reason"])


def _ratio_frame(table: pd.DataFrame, prob: float) -> pd.DataFrame:
    """Return the ratio of the lower rate to the higher one of every pair of groups, a row each."""
    turned = table["gap"] > 0  # the rule is about the lower rate
    # Renamed, and in the same order of columns, a row has its two groups exchanged.
    table = table.where(~turned, table.rename(columns=_TURNED)[table.columns])
    table["ratio_of"] = table["group"] + " / " + table["reference"]
    none = (table["reason"] == "") & (table["s_reference"] == 0)
    table["reason"] = table["reason"].mask(none, "both rates are 0")
    known = (table["reason"] == "").to_numpy()
    s, n, s_ref, n_ref = (table.loc[known, name].to_numpy() for name in _COUNTED)
    table["ratio"] = np.nan
    table.loc[known, "ratio"] = (s / n) / (s_ref / n_ref)
    ends = np.full((len(table), 2), np.nan)
    ends[known] = ratio_intervals(s, n, s_ref, n_ref, prob)
    table["low"], table["high"] = ends.T
    table["prob"] = prob
    enough = table[["n", "n_reference"]].min(axis=1) >= FEWEST
    below = enough & (table["high"] < FOUR_FIFTHS)
    within = enough & (table["low"] >= FOUR_FIFTHS)
    said = np.select([~known, below, within], ["undefined", "below", "kept"], "undecided")
    table["four_fifths"] = said
    names = ["metric", "class", "ratio_of", "group", "reference", "n", "n_reference", "ratio"]
    return table[[*names, "low", "high", "prob", "four_fifths", "reason"]]


def _largest_frame(pairs: pd.DataFrame, draws: Array) -> pd.DataFrame:
    """Return the pair with the largest observed gap, a row per metric and class.

    ``p_largest`` is the share of draws in which its gap is the largest of all pairs that have one.
    """
    rows = []
    known = pairs[pairs["reason"] == ""]
    for _, part in known.groupby(["metric", "class"], sort=False):
        top = part.loc[part["gap"].abs().idxmax()]
        # Draws of a bootstrap in which a gap was undefined cannot have the largest.
        widest = np.abs(np.nan_to_num(draws[:, part.index])).argmax(axis=1)
        share = float((widest == part.index.get_loc(top.name)).mean())
        rows.append({**top.to_dict(), "p_largest": share})
    return pd.DataFrame(rows, columns=[*pairs.columns, "p_largest"])


def _summary(
    draws: Array, undefined: bool, rule: dict[str, Any], tails: Array | None
) -> dict[str, Any]:
    """Summarise the draws of one gap; of a bootstrap, those in which it was defined.

    `tails`, (2,): one-sided p-values of a lower and of a higher rate, without which the side that
    an interval excludes is no verdict.
    """
    prob, interval, rope = (rule[name] for name in ("prob", "interval", "rope"))
    extra: dict[str, Any] = {}
    if interval == "percentile":
        defined = draws[~np.isnan(draws)]
        extra = {"undefined_draws": 1.0 if undefined else 1 - len(defined) / len(draws)}
        draws, interval = defined, "eti"
    numbers: list[Any] = [math.nan] * len(_NUMBERS)
    verdict = "undefined"
    if not undefined and len(draws) > 1:
        low, high = interval_of(draws, prob, interval)
        positive, negative = (draws > 0).mean(), (draws < 0).mean()
        numbers = [draws.mean(), draws.std(ddof=1), low, high, positive, max(positive, negative)]
        numbers += [*rope_shares(draws, rope)]
        if tails is not None:
            # What the exact test does not reject has an interval that reaches 0.
            is_lower, is_higher = tails <= (1 - prob) / 2 + _ROUNDING
            low, high = low if is_higher else min(low, 0.0), high if is_lower else max(high, 0.0)
        verdict = _WORDS[str(verdicts(low, high, rope))]
    summary = dict(zip(_NUMBERS, map(float, numbers), strict=True))
    fisher = math.nan if tails is None else float(tails.min())
    return {**summary, "fisher_p": fisher, **rule, "verdict": verdict, **extra}
