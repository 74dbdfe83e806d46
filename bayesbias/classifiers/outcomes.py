"""Whether the association of a class's word predicts the classifier's gap in that class.

Each class has a gap and the association of its word, both with errors. The line takes both into
account (`inference.errors_in_variables`). Associations are taken before any pooling
(`fits.unpooled`): pooled ones are drawn towards each other, and a line through them is too steep.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.classifiers.gapresults import Gaps
from bayesbias.classifiers.predictions import as_labels
from bayesbias.classifiers.rates import check_draws
from bayesbias.constants import HDPI_PROB, PROTECTED_WORD
from bayesbias.errors import ArgumentError, one_of, suggest
from bayesbias.fits.fact_lines import CORRELATION, FEWEST, line_through
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.unpooled import unshrunken_associations
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.arguments import refuse_no_frame
from bayesbias.support.arrays import Array
from bayesbias.support.figure_style import Place
from bayesbias.support.result import Result
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Columns,
    Table,
    interval_column,
    interval_label,
)
from bayesbias.support.types import Figure

_CONTRAST: Final = "associated − different"


@dataclass(frozen=True, repr=False, eq=False)
class Outcome(Result):
    """How gaps of classes go with the associations of their words; made by `outcome`.

    Parameters
    ----------
    table : DataFrame
        One row per ``metric``: ``n_classes``; ``mean``, ``sd``, ``low`` and ``high`` of the change
        of the gap with one standard deviation of the true associations, and ``p_above_zero``;
        ``verdict`` (rises, falls or undecided); ``slope``, the change of the gap with one unit of
        association, with ``slope_low`` and ``slope_high``, beside ``least_squares``, which takes
        associations as exact; ``correlation`` of the true values, with ``correlation_low`` and
        ``correlation_high``.
    classes : DataFrame
        One row per ``metric`` and ``class``: ``word``, ``association`` and ``association_sd``,
        ``gap`` and ``gap_sd`` (posterior means and standard deviations), ``predicted``, the
        line's height there.
    bands : DataFrame
        The lines: ``metric``, ``association``, ``mean``, ``low``, ``high``.
    left_out : DataFrame
        The classes that are not used: ``metric``, ``class`` and ``reason``.
    contrast : str
        Such as ``female − male``.
    """

    table: pd.DataFrame
    classes: pd.DataFrame
    bands: pd.DataFrame
    left_out: pd.DataFrame
    contrast: str
    prob: float
    interval: str
    seed: int

    @property
    def blocks(self) -> Blocks:
        """The slopes, and what they are."""
        columns: Columns = [
            "metric",
            Column("n_classes", "classes", "count", drop_priority=3),
            Column("mean", "change", "signed"),
            interval_column(interval_label(self.prob, self.interval)),
            Column("p_above_zero", "P(> 0)", "probability", drop_priority=1),
            CORRELATION,
            Column("verdict", form="verdict"),
        ]
        blocks: list[str | Table] = [
            f"Gap ({self.contrast}) of a class against the association of its word:",
            "",
            Table(self.table, columns),
            "",
            "Change: of the gap with one standard deviation of the association; verdict: rises or "
            "falls if its interval excludes 0. Associations and gaps both have errors.",
        ]
        if len(self.left_out):
            names = ", ".join(dict.fromkeys(self.left_out["class"]))
            blocks.append(f"Left out of at least one metric: {names}; the table left_out says why.")
        return blocks

    def plot(self, *, metric: str | None = None, **place: Unpack[Place]) -> Figure:
        """Draw gaps against associations, with the line and its interval; a panel per metric.

        `metric` chooses one.
        """
        from bayesbias.classifiers.gap_figures import plot_outcome

        known = list(self.table["metric"])
        if metric is not None:
            one_of(metric, "metric", known)
        chosen = known if metric is None else [metric]
        label = interval_label(self.prob, self.interval)
        drawn = self.table, self.classes, self.bands, chosen, self.contrast, label
        return plot_outcome(*drawn, **place)


def outcome(
    gaps: Gaps,
    association: Fit | pd.DataFrame,
    *,
    words: Mapping[Any, str] | None = None,
    metrics: Sequence[str] | None = None,
    contrast: str | None = None,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    draws: int = 4000,
    seed: int | np.random.Generator | None = None,
) -> Outcome:
    """Regress gaps of classes on the associations of their words, with the errors of both.

    The line is that of `bayesbias.facts`. Gaps enter with means and standard deviations, as if
    normal and independent between classes; associations of a fit are not pooled over classes,
    whatever the model, and come with the covariance of their errors; those of a table count as
    independent. The slope describes an association and is no causal effect.

    Parameters
    ----------
    gaps : Gaps
        Of the method ``"beta"`` or ``"bootstrap"``.
    association : Fit or DataFrame
        A fit of a word list whose protected words are the classes and whose attributes are, say,
        female (associated) and male (different) words: the association is associated − different,
        negative where a word is closer to the female ones. Or one row per word: ``protected_word``
        (or ``class``), and ``mean`` and ``sd`` of its association, estimated word by word, such as
        ``fit.contrasts(by="word").to_frame()`` of the model ``no-pooling``; pooled values would
        make slopes too steep.
    words : mapping of class to word, optional
        For classes whose word is spelled differently. Without it a class is its own word, with
        underscores for spaces where the exact spelling is absent.
    metrics : sequence of str, optional
        By default all that the gaps have.
    contrast : str, optional
        Needed if there are more than two groups, such as ``female − male``.
    prob, interval
        Probability and kind of the intervals.

    Raises
    ------
    ArgumentError
        If the gaps have no standard deviations or are pooled, a column is missing, a metric or
        contrast is unknown, or fewer than five classes have both a gap and an association.

    Examples
    --------
    >>> from bayesbias.classifiers import gaps
    >>> jobs = [f"job{i}" for i in range(5)]
    >>> people = pd.DataFrame({"y": jobs * 40, "p": jobs * 40, "g": ["f", "m"] * 100})
    >>> found = outcome(
    ...     gaps(people, true="y", predicted="p", group="g", seed=1),
    ...     pd.DataFrame({"class": jobs, "mean": [0.1, 0.2, 0.3, 0.4, 0.5], "sd": 0.05}),
    ...     metrics=["TPR"], seed=1,
    ... )
    >>> found.table["verdict"].tolist()
    ['undecided']
    """
    if not isinstance(gaps, Gaps):
        raise ArgumentError(f"gaps is a {type(gaps).__name__}; give what classifiers.gaps returns")
    check_draws(draws)
    DecisionRule(prob=prob, interval=interval)
    chosen, name = _chosen(gaps, metrics, contrast)
    known, covariance = _associations(association)
    seed = seed_as_integer(seed)
    rng = np.random.default_rng(seed)
    rows, classes, bands, left_out = [], [], [], []
    for metric, part in chosen.groupby("metric", sort=False):
        matched, missing = _matched(part, known, words)
        left_out.append(missing.assign(metric=metric))
        if len(matched) < FEWEST:
            few = missing.head(3).to_dict("records")
            first = "; ".join(f"{r['class']}: {r['reason']}" for r in few)
            raise ArgumentError(
                f"{metric}: {len(matched)} classes have both a gap and an association; a line "
                f"needs at least {FEWEST}. {first}"
            )
        at = [known.index.get_loc(word) for word in matched["word"]]
        x, x_sd, y, y_sd = (
            matched[name].to_numpy() for name in ("association", "association_sd", "gap", "gap_sd")
        )
        errors = x_sd if covariance is None else covariance[np.ix_(at, at)]
        line = line_through(x, errors, y, y_sd, prob=prob, interval=interval, draws=draws, rng=rng)
        rows.append({"metric": metric, "n_classes": len(matched), **line.row})
        classes.append(matched.assign(predicted=line.predicted, metric=metric))
        bands.append(line.band.rename(columns={"x": "association"}).assign(metric=metric))
    key = ["metric", "class"]
    of_classes = _joined(classes, [*key, "word", "association", "association_sd"])
    tables = of_classes, _joined(bands, ["metric"]), _joined(left_out, [*key, "reason"])
    return Outcome(pd.DataFrame(rows), *tables, name, prob, interval, seed)


def _joined(parts: list[pd.DataFrame], first: list[str]) -> pd.DataFrame:
    table = pd.concat(parts, ignore_index=True)
    return table[first + [column for column in table if column not in first]]


def _chosen(
    gaps: Gaps, metrics: Sequence[str] | None, contrast: str | None
) -> tuple[pd.DataFrame, str]:
    """Return the rows of the metrics and the contrast asked for, and the contrast's name."""
    table = gaps.table
    if "sd" not in table:
        raise ArgumentError("gaps: method='point' has no standard deviations; use method='beta'")
    if gaps.method == "hierarchical":
        raise ArgumentError(
            "gaps: method='hierarchical' has pooled them over classes, which flattens the line; "
            "use method='beta', or give the association as a covariate of the hierarchical method"
        )
    contrasts = list(table["contrast"].unique())
    if contrast is None and len(contrasts) > 1:
        raise ArgumentError(f"contrast: name one of {', '.join(contrasts)}")
    name = contrasts[0] if contrast is None else contrast
    one_of(name, "contrast", contrasts)
    known = list(table["metric"].unique())
    for metric in metrics or ():
        if metric not in known:
            raise ArgumentError(f"metrics: no metric {metric!r}{suggest(str(metric), known)}")
    wanted = known if metrics is None else list(metrics)
    return table[(table["contrast"] == name) & table["metric"].isin(wanted)], name


def _associations(given: Fit | pd.DataFrame) -> tuple[pd.DataFrame, Array | None]:
    """Return mean and sd by word, and the covariance of a fit's."""
    if isinstance(given, Fit):
        leans = unshrunken_associations(given, "word")
        # There positive is closer to the associated words; here the sign is that of associated −
        # different.
        known = {"mean": -leans.mean, "sd": np.sqrt(leans.covariance.diagonal())}
        return pd.DataFrame(known, index=list(leans.words)), leans.covariance
    refuse_no_frame(given)
    table = given
    if "contrast" in table and len(table["contrast"].unique()) > 1:
        table = table[table["contrast"] == _CONTRAST]
    key = next((name for name in ("class", PROTECTED_WORD) if name in table), None)
    for column in ("mean", "sd"):
        if key is None or column not in table:
            raise ArgumentError(
                f"association: needs the columns 'class' or {PROTECTED_WORD!r}, 'mean' and 'sd', "
                f"not {', '.join(map(repr, table.columns))}"
            )
    values = table[["mean", "sd"]].to_numpy(dtype=float)
    if not (np.isfinite(values).all() and (values[:, 1] >= 0).all()):
        raise ArgumentError("association: means must be finite, and sds finite and not negative")
    found = pd.DataFrame(values, index=as_labels(table[key], str(key)), columns=["mean", "sd"])
    if not found.index.is_unique:
        word = found.index[found.index.duplicated()][0]
        raise ArgumentError(f"association: {word!r} has two rows; give one per word")
    return found, None


def _matched(
    part: pd.DataFrame, known: pd.DataFrame, words: Mapping[Any, str] | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the classes with both sides, and the others with the reason."""
    given = {} if words is None else words
    renamed = dict(zip(as_labels(list(given), "words"), given.values(), strict=True))
    rows, missing = [], []
    for row in part.to_dict("records"):
        word = renamed.get(row["class"], row["class"])
        if word not in known.index:
            word = word.replace(" ", "_")
        if row["reason"] or not np.isfinite(row["sd"]):
            missing.append((row["class"], row["reason"] or "the gap has no standard deviation"))
        elif word not in known.index:
            missing.append((row["class"], f"no association of {word!r} is given"))
        else:
            there = known.loc[word]
            rows.append((row["class"], word, there["mean"], there["sd"], row["mean"], row["sd"]))
    columns = ["class", "word", "association", "association_sd", "gap", "gap_sd"]
    return pd.DataFrame(rows, columns=columns), pd.DataFrame(missing, columns=["class", "reason"])
