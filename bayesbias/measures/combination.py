"""CEAT: effect sizes of many samples of contexts, combined by a random-effects model.

An encoder gives a word another vector in every sentence, so that WEAT has an effect size for every
draw of contexts. CEAT (Guo and Caliskan 2021) treats these as a meta-analysis treats studies: each
has a sampling variance, and their true values scatter by τ² (DerSimonian and Laird 1986).
"""

from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONTEXT
from bayesbias.errors import ArgumentError
from bayesbias.inference.intervals import check_prob
from bayesbias.measures.arrangements import Inputs, not_from_a_list, two_groups_two_sets
from bayesbias.measures.declaration import Measure
from bayesbias.measures.differential import weat
from bayesbias.measures.measure_result import MeasureResult
from bayesbias.support.text_tables import percent

_COLUMNS = ("effect_size", "variance")


def ceat(table: pd.DataFrame, *, prob: float = 0.95) -> MeasureResult:
    """Combine effect sizes by a random-effects model, as CEAT does (Guo and Caliskan 2021).

    With weights 1/V: Q = Σ w E² − (Σ w E)²/Σ w and c = Σ w − Σ w²/Σ w; the variance between samples
    is max(0, (Q − (n − 1))/c) (DerSimonian and Laird 1986), and the combined effect size has
    weights 1/(V + that variance). The samples share their words, so the interval is about other
    contexts of these words, and narrows without limit as samples are added.

    Parameters
    ----------
    table : DataFrame
        A row per sample, such as a WEAT on one context drawn for every word: ``effect_size``, and
        ``variance``, its variance within the sample, such as `effect_size_variance`.
        `context_effects` makes it from a frame with contexts.
    prob : float
        Confidence of the interval.

    Returns
    -------
    MeasureResult
        The combined effect size, its normal interval and two-sided p-value;
        ``details["between_variance"]``, ``details["q"]``, and ``details["heterogeneity"]``, I², the
        share of the spread that is not within-sample noise.

    Raises
    ------
    ArgumentError
        If the table lacks a column or has fewer than two rows, a value is not finite or a variance
        not positive, or `prob` is no probability.

    Examples
    --------
    >>> table = pd.DataFrame({"effect_size": [0.2, 0.8], "variance": [0.1, 0.1]})
    >>> result = ceat(table)
    >>> round(result.value, 6), round(result.details["between_variance"], 6)
    (0.5, 0.08)
    """
    from scipy.special import ndtr, ndtri

    check_prob(prob)
    effects, variances = _columns(table)
    n = len(effects)
    weights = 1 / variances
    q = float(np.sum(weights * (effects - np.average(effects, weights=weights)) ** 2))
    scale = weights.sum() - np.sum(weights**2) / weights.sum()
    between = max(0.0, (q - (n - 1)) / float(scale))
    weights = 1 / (variances + between)
    value, error = float(np.average(effects, weights=weights)), float(weights.sum() ** -0.5)
    half = float(ndtri((1 + prob) / 2)) * error
    mean = "the random-effects mean"
    heterogeneity = max(0.0, 1 - (n - 1) / q) if q else 0.0
    spread = {"between_variance": between, "q": q, "heterogeneity": heterogeneity}
    return MeasureResult(
        measure="CEAT",
        value=value,
        formula="Σ E/(V + τ²) / Σ 1/(V + τ²), τ² between samples by DerSimonian and Laird",
        words={},
        details={**spread, "n_samples": n},
        interval=(value - half, value + half),
        interval_method=f"{percent(prob)} normal interval of {mean}, {n:,} samples",
        p_value=2 * float(ndtr(-abs(value / error))),
        p_method=f"z-test of {mean}, two-sided",
    )


def context_effects(frame: pd.DataFrame) -> pd.DataFrame:
    """Compute the WEAT effect size in every context, for `ceat`.

    `frame` is from `contextual_distances`, of a list with two groups and a set for each. Returns
    one row per context: ``context``, ``effect_size``, ``variance`` (`effect_size_variance`) and
    ``n_words``, the words of X and Y.

    Examples
    --------
    >>> import bayesbias as bb
    >>> def letters(texts):  # stands for a model
    ...     return [[text.count(letter) + 1.0 for letter in "aehnost"] for text in texts]
    >>> contexts = ["This is {}.", "{} is here."]
    >>> frame = bb.pairs.contextual_distances(letters, "weat7", templates=contexts)
    >>> ceat(context_effects(frame)).details["n_samples"]
    2
    """
    if CONTEXT not in frame:
        raise ArgumentError(
            "the frame has no column 'context'; make it with pairs.contextual_distances"
        )
    rows = []
    for context, part in frame.groupby(CONTEXT, sort=False):
        [call] = two_groups_two_sets(Inputs.from_frame(part))
        found = weat(part, *call.arguments, draws=100, most_exact=1, seed=1)  # no p-value is used
        n_x, n_y = len(found.words["X"]), len(found.words["Y"])
        variance = effect_size_variance(found.effect_size, n_x, n_y)
        rows.append((context, found.effect_size, variance, n_x + n_y))
    return pd.DataFrame(rows, columns=[CONTEXT, *_COLUMNS, "n_words"])


def effect_size_variance(effect_size: Any, n_x: int, n_y: int) -> Any:
    """Return the sampling variance of a standardised mean difference (Hedges and Olkin 1985).

    (n_x + n_y)/(n_x n_y) + d²/(2 (n_x + n_y)), for n_x words of X and n_y of Y, at least one each,
    and a difference d in units of the spread within groups. WEAT's spread is that of both groups
    together, which makes its effect sizes smaller.

    Examples
    --------
    >>> effect_size_variance(1.0, 8, 8)
    0.28125
    """
    if min(n_x, n_y) < 1:
        raise ArgumentError(f"n_x={n_x}, n_y={n_y}: must be at least 1")
    d = np.asarray(effect_size, dtype=np.float64)
    found = (n_x + n_y) / (n_x * n_y) + d**2 / (2 * (n_x + n_y))
    return float(found) if found.ndim == 0 else found


def _columns(table: Any) -> tuple[Any, Any]:
    """Return effect sizes and variances, checked."""
    if not isinstance(table, pd.DataFrame):
        raise ArgumentError(f"CEAT takes a frame of effect sizes, not {type(table).__name__}")
    if missing := [name for name in _COLUMNS if name not in table]:
        raise ArgumentError(f"the table lacks the column {missing[0]!r}; it needs {_COLUMNS}")
    effects, variances = (table[name].to_numpy(dtype=np.float64) for name in _COLUMNS)
    if len(effects) < 2:
        raise ArgumentError(f"the table has {len(effects)} rows; a combination needs at least two")
    if not (np.isfinite(effects).all() and np.isfinite(variances).all() and variances.min() > 0):
        raise ArgumentError("effect sizes must be finite, and variances finite and above 0")
    return effects, variances


MEASURES: Final = (
    Measure(
        name="CEAT",
        function=ceat,
        source="Guo and Caliskan (2021), Detecting Emergent Intersectional Biases: Contextualized "
        "Word Embeddings Contain a Distribution of Human-like Biases, AIES",
        reading="says what the effect size is on average over samples of contexts; not what other "
        "words would give, however many contexts are drawn",
        calls=not_from_a_list("effect sizes and their variances"),
    ),
)
