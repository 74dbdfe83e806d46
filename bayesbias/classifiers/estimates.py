"""Gaps of GP, TPR and PP between groups, with intervals.

A gap is a difference of two rates (`gaps` defines them). By default these have posteriors under
conjugate priors: Beta(1 + s, 1 + n − s) for a TPR or PP of s of n persons, and for the GPs of a
group, which sum to 1 over classes, Dirichlet(1/2 + predictions); draws of a gap are differences of
draws of rates. Where nobody is in a denominator, a gap has a reason and no number.

Posteriors of rates of few persons are skewed, and what their intervals exclude is as much the
prior's doing as the data's: with a uniform prior one person against 200 has a "difference" in up to
all samples of equal rates, and the highest density interval of three against three in 22%. So a
direction needs an exact test besides. Fisher's test keeps its rate whatever the sizes and the
common rate are. It is the posterior probability of the wrong sign under the prior that is least
favourable to the verdict, Beta(0, 1) of the higher rate and Beta(1, 0) of the lower one (Altham
1969, "Exact Bayesian analysis of a 2 × 2 contingency table, and Fisher's 'exact' significance
test"). The exact interval holds for any rates and sizes, and is wider.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayesbias.classifiers.counts import METRICS, Predictions, count_predictions, rates_of
from bayesbias.constants import GAP_ROPE, HDPI_PROB, VERDICTS
from bayesbias.engine.intervals import check_prob, interval_of, rope_shares, verdicts
from bayesbias.errors import ArgumentError, one_of
from bayesbias.show.result import Blocks, Column, Columns, Result, Table, interval_column, percent
from bayesbias.support.arguments import Array, Figure, refuse_other, seed_as_integer, whole_number

if TYPE_CHECKING:
    from bayesbias.show.style import Size

METHODS: Final = ("beta", "exact")
FEWEST: Final = 2  # persons of a group without which no direction is said: one is no group
_WORDS: Final = {w: w.replace("closer", "lower").replace("farther", "higher") for w in VERDICTS}
_EMPTY: Final = {
    "GP": "nobody is of group {group}",
    "TPR": "nobody of group {group} is of class {label}",
    "PP": "nobody of group {group} was predicted {label}",
}
_PRIOR: Final = (1.0, 1.0)  # uniform
_CLASS_PRIOR: Final = 0.5  # Jeffreys'
_ROUNDING: Final = 1e-12
_MOST_ROWS: Final = 100


@dataclass(frozen=True, repr=False, eq=False)
class Gaps(Result):
    """Gaps of every metric and class between groups; made by `gaps`.

    Parameters
    ----------
    table : DataFrame
        One row per ``metric``, ``class`` and ``contrast`` (such as ``female − male``, of which
        ``group`` and ``reference`` are the parts), of every two groups: ``n`` and ``n_reference``,
        the persons that the rates are of (of a survey their effective number); ``gap``, the
        difference of observed rates; ``low`` and ``high``, ``prob``, ``rope`` and ``verdict``.
        Posteriors add ``mean`` and ``sd`` of the draws, ``p_above_zero``, ``below_rope``,
        ``inside_rope``, ``above_rope`` and ``fisher_p``, the smaller of the one-sided p-values of
        Fisher's exact test. Numbers are missing where ``reason`` says why; it is empty elsewhere.
    rates : DataFrame
        One row per ``metric``, ``class`` and ``group``: ``successes``, ``trials``, ``rate``, and
        ``reason`` where there is none.
    reference : str
        The group with which others are compared first.
    settings : dict
        The method, weights, number of draws and seed.
    """

    table: pd.DataFrame
    rates: pd.DataFrame
    reference: str
    settings: dict[str, Any]

    @property
    def headline(self) -> str:
        """In how many comparisons groups differ, and where most."""
        defined = self.table[self.table["reason"] == ""]
        if defined.empty:
            return f"No gap is defined: {self.table['reason'].iloc[0]}."
        differ = defined[defined["verdict"].str.startswith(("lower", "higher"))]
        pool = differ if len(differ) else defined
        top = pool.loc[pool["gap"].abs().idxmax()]
        start = f"Groups differ in {len(differ)} of {len(defined)} gaps, most in"
        if differ.empty:
            start = f"None of {len(defined)} gaps can be distinguished from 0; the largest is"
        return (
            f"{start} {top['metric']} of {top['class']}: {abs(top['gap']):.2f} "
            f"{'higher' if top['gap'] > 0 else 'lower'} for {top['group']} than for "
            f"{top['reference']}."
        )

    def disagreements(self) -> pd.DataFrame:
        """Return where metrics contradict each other about a class.

        One row per ``class`` and ``contrast``: the observed gap of each metric; ``opposite``, the
        pairs of metrics whose observed gaps have opposite signs; ``opposite_surely``, the pairs
        whose verdicts are lower and higher. With few persons a posterior may lie on the other side
        than the observed gap.
        """
        rows = []
        for (label, contrast), part in self.table.groupby(["class", "contrast"], sort=False):
            by = part.set_index("metric")
            above, below = (by["verdict"].str.startswith(w) for w in ("higher", "lower"))
            rows.append({"class": label, "contrast": contrast, **by["gap"]})
            for name, sign in (("opposite", by["gap"]), ("opposite_surely", above * 1 - below * 1)):
                pairs = ((a, b) for a, b in combinations(METRICS, 2) if sign[a] * sign[b] < 0)
                rows[-1][name] = ", ".join(f"{a} against {b}" for a, b in pairs)
        return pd.DataFrame(rows)

    @property
    def label(self) -> str:
        """What the interval is called."""
        kind = "HPDI" if "mean" in self.table else "exact interval"
        return f"{percent(self.table['prob'].iloc[0])} {kind}"

    def to_dict(self) -> dict[str, Any]:
        """Return the tables and the settings as plain data; a number that is missing is None."""
        return {"headline": self.headline, **super().to_dict()}

    def plot(self, *, figsize: "Size" = None) -> Figure:
        """Draw a panel per metric, a row per class and group compared with the reference."""
        from bayesbias.show import style as look

        table = self.table[self.table["reference"] == self.reference]
        several = len(table["contrast"].unique()) > 1
        # A mark is the posterior mean, which the prior pulls away from the observed gap.
        is_posterior = "mean" in table
        names = table["class"] + (", " + table["contrast"] if several else "")
        table = table.assign(row=names, mean=table["mean" if is_posterior else "gap"])
        order = table[table["metric"] == METRICS[0]].sort_values("gap")["row"].tolist()
        rope = float(table["rope"].iloc[0])
        contrast = "" if several else f" {table['contrast'].iloc[0]}"
        what = f"{'posterior mean of the gap' if is_posterior else 'gap'}{contrast}, {self.label}"
        width = look.width_of(figsize)
        columns = max(1, min(len(METRICS), int(width / 1.7)))
        lines = -(-len(METRICS) // columns)
        with look.style(width):
            height = lines * (0.5 + 0.19 * len(order))
            height += look.title_height(self.headline, width) + 0.8
            shape = lines, columns
            figure, axes = look.new_figure(*shape, figsize, height, sharey=True, sharex=True)
            for axis, metric in zip(axes, METRICS, strict=False):
                of_metric = table[table["metric"] == metric].set_index("row")
                rows = of_metric.loc[order].reset_index()
                rows["y"] = np.arange(len(rows), dtype=float)
                defined = rows["reason"] == ""
                labels = rows.loc[defined, "row"].tolist()
                look.draw_forest(axis, rows[defined], labels, rope=rope)
                axis.plot(np.zeros((~defined).sum()), rows.loc[~defined, "y"], "x", color=look.EDGE)
                axis.set_yticks(rows["y"], rows["row"], parse_math=False)
                axis.set(ylim=(len(rows) - 0.3, -0.7), title=metric)
                axis.grid(axis="x")
                look.fewer_ticks(axis, 0.7 * width / columns)
            for axis in axes[len(METRICS) :]:
                axis.remove()
            text = f"◄ lower    {what}{', grey: ROPE' if rope else ''}    higher ►"
            figure.supxlabel(look.folded(text, width, 8), fontsize=8)
            look.set_title(figure, self.headline)
        return figure

    @property
    def blocks(self) -> Blocks:
        """The headline and the gaps, with the reason where one is undefined."""
        is_posterior, defined = "mean" in self.table, self.table["reason"] == ""
        verdict = self.table["verdict"].where(defined, "undefined: " + self.table["reason"])
        posterior = [
            Column("p_above_zero", "P(> 0)", "probability", drop_priority=1),
            Column("inside_rope", "in ROPE", "share", drop_priority=2),
            Column("fisher_p", "Fisher's p", ".2g", drop_priority=2),
        ]
        columns: Columns = [
            *("metric", "class", "contrast"),
            Column("n", form="count", drop_priority=3),
            Column("n_reference", "n ref.", "count", drop_priority=3),
            Column("gap", form="signed"),
            interval_column(self.label),
            *(posterior if is_posterior else []),
            "verdict",
        ]
        more = len(self.table) - _MOST_ROWS
        rest = [f"and {more:,} more rows, in .table"] if more > 0 else []
        shown = self.table.assign(verdict=verdict).head(_MOST_ROWS)
        return [self.headline, "", Table(shown, columns), *rest]


def gaps(
    frame: pd.DataFrame,
    *,
    true: str,
    predicted: str,
    group: str | Sequence[str],
    reference: Any = None,
    classes: Sequence[Any] | None = None,
    weights: str | None = None,
    survey: bool = False,
    method: str = "beta",
    rope: float = GAP_ROPE,
    prob: float = HDPI_PROB,
    draws: int = 4000,
    seed: int | np.random.Generator | None = None,
) -> Gaps:
    """Compare the rates GP, TPR and PP of every class between groups.

    GP = P(prediction is k | group) is group parity, TPR = P(prediction is k | truth is k, group)
    the true positive rate, PP = P(truth is k | prediction is k, group) predictive parity ("Are
    fairness metric scores enough to assess discrimination biases in machine learning?", 2023). A
    gap is a group's rate minus the reference's, undefined, with a reason and no number, if one of
    them has an empty denominator.

    Parameters
    ----------
    frame, true, predicted, group, classes, reference, weights, survey
        As in `count_predictions`.
    method : {"beta", "exact"}
        ``"beta"``: each TPR and PP has a posterior of its own, Beta(1 + successes, 1 + failures);
        the GPs of a group, which sum to 1 over classes, a joint one, Dirichlet(1/2 + predictions).
        A verdict on a direction needs Fisher's exact test besides, at half of 1 − `prob` on its
        side, so that equal rates are called different in at most 1 − `prob` of samples of any size;
        of a group of one person no direction is said.
        ``"exact"``: intervals that contain the true gap in at least `prob` of samples, whatever the
        rates and sizes are, from Clopper and Pearson's for each rate.
    rope : float
        Half-width of the region of practical equivalence, as a difference of rates. A GP is about
        as large as the share of its class, so choose it for the metric and class that matter.
    prob : float
        Probability of the intervals, which of posteriors have the highest density.
    draws : int
        Posterior draws.
    seed : int or Generator, optional

    Returns
    -------
    Gaps

    Examples
    --------
    >>> people = pd.DataFrame({"y": [1, 1, 0, 0] * 10, "p": [1, 0, 0, 0] * 10,
    ...                        "g": (["f"] * 3 + ["m"]) * 10})
    >>> result = gaps(people, true="y", predicted="p", group="g", method="exact", classes=[0, 1])
    >>> [reason for reason in result.rates["reason"] if reason]
    ['nobody of group m is of class 1', 'nobody of group m was predicted 1']
    """
    one_of(method, "method", METHODS)
    check_prob(prob)
    refuse_other(rope, Real, "rope", "a difference of rates, 0 or more")
    if not 0 <= rope < math.inf:
        raise ArgumentError(f"rope={rope}: must be a difference of rates, 0 or more")
    columns: dict[str, Any] = {"true": true, "predicted": predicted, "group": group}
    columns |= {"weights": weights, "survey": survey, "classes": classes, "reference": reference}
    counted = count_predictions(frame, **columns)
    rates = _rates_frame(counted)
    # A gap is the difference of two rows of that frame, in which groups change fastest.
    starts = np.arange(0, len(rates), len(counted.groups))
    first, second = (starts[:, None, None] + np.array(counted.pairs)).reshape(-1, 2).T
    a, b = (rates.iloc[place].reset_index(drop=True) for place in (first, second))
    both = zip(a["reason"], b["reason"], strict=True)
    reasons = pd.Series(["; ".join(filter(None, pair)) for pair in both], dtype=object)
    undefined = reasons != ""
    # Of a gap that is undefined, counts are those of one person, so that nothing divides by 0.
    numbers = [x[c].mask(undefined, 1).to_numpy() for x in (a, b) for c in ("successes", "trials")]
    settings: dict[str, Any] = {"method": method, "weights": weights, "survey": survey}
    if method == "exact":
        low, high = exact_intervals(*numbers, prob=prob).T
        answers, words = {"low": low, "high": high}, verdicts(low, high, rope)
    else:
        whole_number(draws, "draws", "draws", least=2)
        seed = seed_as_integer(seed)
        settings |= {"draws": draws, "seed": seed}
        drawing: dict[str, Any] = {"draws": draws, "rng": np.random.default_rng(seed)}
        successes, trials = counted.effective
        drawn = beta_draws(successes, trials, prior=_PRIOR, **drawing)
        # GP comes first; over the classes of a group its rates sum to 1, and have one posterior.
        drawn[:, 0] = dirichlet_draws(successes[0], prior=_CLASS_PRIOR, **drawing)
        drawn = drawn.swapaxes(2, 3).reshape(draws, -1)  # rates as the rows of their frame
        answers, words = _posterior(drawn[:, first] - drawn[:, second], numbers, prob, rope)
    table = a[["metric", "class"]].assign(
        contrast=a["group"] + " − " + b["group"],
        group=a["group"],
        reference=b["group"],
        n=a["trials"],
        n_reference=b["trials"],
        gap=a["rate"] - b["rate"],
    )
    verdict = np.where(undefined, "undefined", [_WORDS[str(word)] for word in words])
    table = table.join(pd.DataFrame(answers).mask(undefined))
    table = table.assign(prob=prob, rope=rope, verdict=verdict, reason=reasons)
    return Gaps(table, rates, counted.reference, settings)


def _rates_frame(counted: Predictions) -> pd.DataFrame:
    """Return one row per metric, class and group."""
    rows = list(product(METRICS, counted.classes, counted.groups))
    table = pd.DataFrame(rows, columns=["metric", "class", "group"])
    successes, trials = counted.effective
    numbers = {"successes": successes, "trials": trials, "rate": rates_of(successes, trials)}
    for name, values in numbers.items():
        table[name] = values.swapaxes(1, 2).ravel()
    table["reason"] = [
        "" if n else _EMPTY[metric].format(group=group, label=label)
        for (metric, label, group), n in zip(rows, table["trials"], strict=True)
    ]
    return table


def _posterior(
    draws: Array, numbers: Sequence[Array], prob: float, rope: float
) -> tuple[dict[str, Array], NDArray[np.str_]]:
    """Return what draws (draws, n_gaps) say of every gap, and the verdicts.

    Fisher's test takes effective numbers of persons down to whole ones; of a group of one person it
    shows nothing.
    """
    low, high = interval_of(draws, prob, "hdi").T
    below, inside, above = rope_shares(draws, rope).T
    s, n, s_ref, n_ref = numbers
    sizes = [np.floor(size + _ROUNDING).clip(1).astype(int) for size in (n, n_ref)]
    hits = np.rint(s / n * sizes[0]).astype(int), np.rint(s_ref / n_ref * sizes[1]).astype(int)
    tails = fisher_tails(hits[0], sizes[0], hits[1], sizes[1])
    tails[np.minimum(*sizes) < FEWEST] = 1.0
    agree = tails <= (1 - prob) / 2 + _ROUNDING
    # What the exact test does not reject has an interval that reaches 0.
    least = np.where(agree[:, 1], low, np.minimum(low, 0.0))
    most = np.where(agree[:, 0], high, np.maximum(high, 0.0))
    answers = {
        **{"mean": draws.mean(axis=0), "sd": draws.std(axis=0, ddof=1), "low": low, "high": high},
        **{"p_above_zero": (draws > 0).mean(axis=0), "below_rope": below, "inside_rope": inside},
        **{"above_rope": above, "fisher_p": tails.min(axis=1)},
    }
    return answers, verdicts(least, most, rope)


def beta_draws(
    successes: NDArray[Any],
    trials: NDArray[Any],
    *,
    prior: tuple[float, float],
    draws: int,
    rng: np.random.Generator,
) -> Array:
    """Draw rates from Beta(a + successes, b + failures); shape (draws, *successes.shape)."""
    a, b = prior
    return rng.beta(a + successes, b + trials - successes, size=(draws, *successes.shape))


def dirichlet_draws(
    counts: NDArray[Any], *, prior: float, draws: int, rng: np.random.Generator
) -> Array:
    """Draw shares of classes, (draws, ..., n_classes), from Dirichlet(prior + counts).

    Shares sum to 1, so separate Beta(1, 1) priors contradict each other: over 28 classes they
    expect shares that sum to 14.
    """
    drawn = rng.standard_gamma(prior + counts, size=(draws, *counts.shape))
    return drawn / drawn.sum(axis=-1, keepdims=True)


def exact_intervals(
    s: ArrayLike, n: ArrayLike, s_ref: ArrayLike, n_ref: ArrayLike, *, prob: float
) -> Array:
    """Return intervals (..., 2) of s/n − s_ref/n_ref with coverage of `prob` at least, always.

    Each rate has the interval of Clopper and Pearson (1934), from B(α/2; s, n − s + 1) to
    B(1 − α/2; s + 1, n − s) with B a quantile of Beta and 1 − α = √prob. Groups are independent:
    both hold their rates, and so the difference of their ends that of the rates, with probability
    √prob · √prob. With effective sizes it is the interval of Korn and Graubard (1998) for surveys.
    """
    from scipy.stats import beta

    s, n, s_ref, n_ref = np.broadcast_arrays(s, n, s_ref, n_ref)
    k, m = np.stack([s, s_ref]).astype(float), np.stack([n, n_ref]).astype(float)
    tail = (1 - np.sqrt(prob)) / 2
    low = np.where(k > 0, beta.ppf(tail, np.maximum(k, 1e-9), m - k + 1), 0.0)
    high = np.where(k < m, beta.ppf(1 - tail, k + 1, np.maximum(m - k, 1e-9)), 1.0)
    return np.stack([low[0] - high[1], high[0] - low[1]], axis=-1)


def fisher_tails(s: ArrayLike, n: ArrayLike, s_ref: ArrayLike, n_ref: ArrayLike) -> Array:
    """Return the one-sided p-values of Fisher's test, (..., 2): of a lower and of a higher rate.

    s of n against s_ref of n_ref, at least one person each.
    """
    from scipy.stats import hypergeom

    s, n, s_ref, n_ref = (np.asarray(value) for value in (s, n, s_ref, n_ref))
    margins = hypergeom(n + n_ref, s + s_ref, n)
    return np.stack([margins.cdf(s), margins.sf(s - 1)], axis=-1)
