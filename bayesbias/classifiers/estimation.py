"""Gaps of GP, TPR and PP between groups, with intervals."""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
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
    empty_reason,
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
"""How gaps are estimated; see `gaps`."""

_NUMBERS: Final = (
    *("mean", "sd", "low", "high", "p_above_zero", "p_direction"),
    *("below_rope", "inside_rope", "above_rope"),
)
_WORDS: Final = {
    word: word.replace("closer", "lower").replace("farther", "higher") for word in VERDICTS
}
CLASS_PRIOR: Final = 0.5
"""Parameter of the Dirichlet prior of GP for each class (Jeffreys' prior of shares)."""

_COUNTED: Final = ("s", "n", "s_reference", "n_reference")
_SUCCESSES: Final = ("s", "s_reference")
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
    class_prior: float = CLASS_PRIOR,
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
    counted = count_predictions(
        frame,
        true=true,
        predicted=predicted,
        group=group,
        classes=classes,
        reference=reference,
        cut=cut,
    )
    successes, trials = rate_counts(counted.counts)
    rates = _rates_frame(counted, successes, trials)
    if method == "point":
        table = _gap_frame(counted, rates, None, rule, counted.contrasts)
        return Gaps(table, rates, method, **rule, seed=None, details={})
    used_seed = seed_as_integer(seed)
    rng = np.random.default_rng(used_seed)
    if draws is None:
        draws = _DRAWS_PER_CHAIN if method == "hierarchical" else _DRAWS
    details: dict[str, Any] = {"draws": draws}
    slopes = None
    if method == "beta":
        drawn = beta_draws(successes, trials, prior=prior, draws=draws, rng=rng)
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
    exact = method != "hierarchical"
    pairs = _gap_frame(counted, rates, drawn, rule, counted.pairs, exact=exact)
    gap_table = pairs[pairs["reference"] == counted.reference].reset_index(drop=True)
    told: dict[str, Any] = {"seed": used_seed, "details": details, "slopes": slopes}
    told["ratios"] = _ratio_frame(counted, rates, prob)
    if len(counted.groups) > 2:
        told |= {"pairs": pairs, "largest": _largest_frame(counted, pairs, drawn)}
    return Gaps(gap_table, rates, method, **rule, **told)


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
        "" if n else empty_reason(metric, group, label)
        for (metric, label, group), n in zip(rows, table["trials"], strict=True)
    ]
    return table


def _gap_frame(
    counted: Predictions,
    rates: pd.DataFrame,
    drawn: Array | None,
    rule: dict[str, Any],
    contrasts: Sequence[tuple[str, int, int]],
    *,
    exact: bool = True,
) -> pd.DataFrame:
    """Return one row per metric, class and contrast; `exact`: verdicts need Fisher's test."""
    rows: list[dict[str, Any]] = []
    for (m, k, g, base), row in _contrast_rows(counted, rates, contrasts):
        if drawn is not None:
            both = drawn[:, m, g, k] - drawn[:, m, base, k]
            tails = None
            if exact and not row["reason"]:  # of a group of one person nothing is known
                enough = min(row["n"], row["n_reference"]) >= FEWEST
                tails = fisher_tails(*(row[c] for c in _COUNTED)) if enough else np.ones(2)
            row |= _summary(both, bool(row["reason"]), rule, tails)
        reason = row.pop("reason")
        rows.append(
            {name: row[name] for name in row if name not in _SUCCESSES} | {"reason": reason}
        )
    return pd.DataFrame(rows)


def _contrast_rows(
    counted: Predictions, rates: pd.DataFrame, contrasts: Sequence[tuple[str, int, int]]
) -> Iterator[tuple[tuple[int, int, int, int], dict[str, Any]]]:
    """Yield the places of metric, class and both groups, and what is known of their rates."""
    cells = rates.set_index(["metric", "class", "group"])
    for (m, metric), (k, label) in product(enumerate(METRICS), enumerate(counted.classes)):
        for contrast, g, base in contrasts:
            groups = counted.groups[g], counted.groups[base]
            first, second = (cells.loc[(metric, label, group)] for group in groups)
            row: dict[str, Any] = {"metric": metric, "class": label, "contrast": contrast}
            row |= dict(zip(("group", "reference"), groups, strict=True))
            row |= {"n": int(first["trials"]), "n_reference": int(second["trials"])}
            row |= {"s": int(first["successes"]), "s_reference": int(second["successes"])}
            row |= {"gap": first["rate"] - second["rate"]}
            row["reason"] = "; ".join(r for r in (first["reason"], second["reason"]) if r)
            yield (m, k, g, base), row


def _ratio_frame(counted: Predictions, rates: pd.DataFrame, prob: float) -> pd.DataFrame:
    """Return the ratio of the lower rate to the higher one of every pair of groups, a row each."""
    rows = []
    for _, row in _contrast_rows(counted, rates, counted.pairs):
        if row["gap"] > 0:  # the rule is about the lower rate
            turned: dict[str, Any] = {new: row[old] for new, old in _TURNED.items()}
            row |= turned
        row["ratio_of"] = f"{row['group']} / {row['reference']}"
        if not row["reason"] and not row["s_reference"]:
            row["reason"] = "both rates are 0"
        rows.append(row)
    table = pd.DataFrame(rows)
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


def _largest_frame(counted: Predictions, pairs: pd.DataFrame, drawn: Array) -> pd.DataFrame:
    """Return the pair with the largest observed gap, a row per metric and class.

    ``p_largest`` is the share of draws in which its gap is the largest of all pairs that have one.
    """
    rows = []
    place = {group: i for i, group in enumerate(counted.groups)}
    for (metric, label), part in pairs.groupby(["metric", "class"], sort=False):
        known = part[part["reason"] == ""]
        if known.empty:
            continue
        top = known.loc[known["gap"].abs().idxmax()]
        m, k = METRICS.index(str(metric)), counted.classes.index(str(label))
        rates = drawn[:, m, :, k]
        sides = zip(known["group"], known["reference"], strict=True)
        gaps_of = [rates[:, place[a]] - rates[:, place[b]] for a, b in sides]
        widest = np.abs(np.nan_to_num(np.stack(gaps_of))).argmax(axis=0)
        share = float((widest == known.index.get_loc(top.name)).mean())
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
            is_lower, is_higher = tails <= (1 - prob) / 2 + _ROUNDING
            low, high = low if is_higher else min(low, 0.0), high if is_lower else max(high, 0.0)
        verdict = _WORDS[str(verdicts(low, high, rope))]
    summary = dict(zip(_NUMBERS, map(float, numbers), strict=True))
    fisher = math.nan if tails is None else float(tails.min())
    return {**summary, "fisher_p": fisher, **rule, "verdict": verdict, **extra}
