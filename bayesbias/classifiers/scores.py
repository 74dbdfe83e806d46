"""What the resampling protocol returns: scores of all subsamples, their spread, and t-tests.

Of m subsamples of a size, with mean x̄ and standard deviation s of a score, Student's t against 0 is
x̄ / (s / √m); between two sizes it is (x̄₁ − x̄₂) / √(s₁²/m₁ + s₂²/m₂), with Welch's degrees of
freedom (of equally many subsamples that is the t of equal variances). Small samples vary more, so
variances are not equal. Subsamples of one data set overlap: all p-values are too small.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.classifiers.counts import METRICS, Predictions, rate_counts, rates_of
from bayesbias.errors import ArgumentError, suggest
from bayesbias.show.result import Blocks, Column, Columns, Result, Table, plain
from bayesbias.support.arguments import Figure

if TYPE_CHECKING:
    from bayesbias.show.style import Size

_SCORE: Final = ["metric", "class", "contrast"]  # what tells a score from others
_KEYS: Final = ["size", *_SCORE]
_MOST_ROWS: Final = 60
_MOST_CLASSES: Final = 8
_COLUMNS: Final[Columns] = [
    *_KEYS,
    Column("mean", form="signed", missing="undefined"),
    Column("sd", form="distance", missing="undefined", drop_priority=1),
    Column("t", form="+z.1f", missing="undefined", drop_priority=2),
    Column("p_value", "p", "p", missing="undefined"),
    Column("share_above_zero", "share > 0", "percent", missing="undefined"),
    Column("n_undefined", "undefined in", "count", drop_priority=3),
]


@dataclass(frozen=True, repr=False, eq=False)
class ProtocolScores(Result):
    """Scores of a classifier on many subsamples; made by `resampling_protocol`.

    Parameters
    ----------
    scores : DataFrame
        One row per ``size``, ``sample``, ``metric``, ``class`` and ``contrast``: ``value``, the
        gap of GP, TPR or PP, missing where a denominator was empty; the F1 of a class (no
        contrast), missing where nobody is of the class or was predicted it; the accuracy on the
        test part (neither class nor contrast).
    seed, test_share
        As in `resampling_protocol`.
    """

    scores: pd.DataFrame
    seed: int
    test_share: float

    @property
    def table(self) -> pd.DataFrame:
        """The spread of scores, and Student's t-test of their mean against 0.

        One row per ``size``, ``metric``, ``class`` and ``contrast``: ``n``, the subsamples in which
        the score was defined, ``n_undefined``; ``mean``, ``sd`` (ddof=1), ``t`` and ``p_value``
        (two-sided); ``share_above_zero``. ``reason`` says why a number is missing. Subsamples
        overlap, so p-values are too small; see `resampling_protocol`.
        """
        table = _students(self.scores, "value")
        by = self.scores.groupby(_KEYS, sort=False)["value"]
        table.insert(len(_KEYS) + 1, "n_undefined", (by.size() - by.count()).to_numpy())
        above = by.agg(lambda values: (values > 0).sum()).to_numpy()
        table["share_above_zero"] = above / table["n"].where(table["n"] > 0)
        equal = np.where(table["sd"] == 0, "all values are equal, so there is no t", "")
        few = "the score is defined in " + table["n"].astype(str) + " subsamples only"
        table["reason"] = few.where(table["n"] < 2, equal)
        return table

    def between_sizes(self) -> pd.DataFrame:
        """Compare the mean score of every two sizes of subsamples by Welch's t-test.

        One row per ``metric``, ``class``, ``contrast`` and pair of sizes: ``size`` and
        ``other_size``, the larger, ``difference`` (the mean of the larger minus that of the
        smaller), ``t``, ``df`` and ``p_value`` (two-sided), missing where a score is defined in
        fewer than two subsamples of a size, or does not vary.
        """
        from scipy.stats import t as student

        spread = self.table
        both = spread.merge(spread, on=_SCORE, suffixes=("", "_other"))
        both = both[both["size"] < both["size_other"]]
        both = both.sort_values(["size", "size_other"], kind="stable", ignore_index=True)
        sds, ns = both[["sd", "sd_other"]], both[["n", "n_other"]]
        errors = sds.to_numpy() ** 2 / ns.where(ns > 1).to_numpy()
        error = pd.Series(errors.sum(axis=1)).where(lambda total: total > 0)
        difference = both["mean_other"] - both["mean"]
        t = difference / np.sqrt(error)
        df = error**2 / (errors**2 / (ns - 1)).sum(axis=1, skipna=False)
        p_value = 2 * student.sf(t.abs(), df)
        answers = {"difference": difference, "t": t, "df": df, "p_value": p_value}
        sizes = both[["size", "size_other"]].rename(columns={"size_other": "other_size"})
        return both[_SCORE].join(sizes).assign(**answers)

    def changes(self, other: "ProtocolScores") -> pd.DataFrame:
        """Compare with a run on the same subsamples, such as of scrubbed texts: other − this.

        One row per ``size``, ``metric``, ``class`` and ``contrast``: ``n`` subsamples in which both
        scores are defined, ``mean`` and ``sd`` of the change, paired ``t`` and ``p_value`` (missing
        where n < 2 or no two changes differ).
        """
        if (self.seed, self.test_share) != (other.seed, other.test_share):
            raise ArgumentError("other: has another seed or test share, so nothing is paired")
        both = self.scores.merge(other.scores, on=["sample", *_KEYS], suffixes=("", "_other"))
        if both.empty:
            raise ArgumentError("other: has no subsample, class and contrast in common with this")
        return _students(both.assign(change=both["value_other"] - both["value"]), "change")

    @property
    def headline(self) -> str:
        """The size of the spread, and how it depends on the size of the subsamples."""
        table = self.table
        sds = table[table["contrast"] != ""].groupby("size")["sd"].median()
        accuracy = table[table["metric"] == "accuracy"].set_index("size")["mean"]
        sizes = sorted({sds.index.min(), sds.index.max()})
        parts = [f"{sds[n]:.2f} with {n:,} rows (accuracy {accuracy[n]:.2f})" for n in sizes]
        return f"The median standard deviation of a gap is {' and '.join(parts)}."

    def to_dict(self) -> dict[str, Any]:
        """Return the spread and the settings as plain data; single scores stay in `scores`."""
        content = {"headline": self.headline, "table": plain(self.table)}
        return {**content, "seed": self.seed, "test_share": self.test_share}

    def plot(
        self,
        metrics: Sequence[str] = METRICS,
        *,
        classes: Sequence[Any] | None = None,
        figsize: "Size" = None,
    ) -> Figure:
        """Draw box plots of scores per size, a row per class and a column per metric.

        The paper's Figs. 3 and 4 have gaps, Fig. 2 ``["F1"]`` and Fig. 1 ``["accuracy"]``.
        `classes` are by default all, at most eight.
        """
        from bayesbias.show import style as look

        part = self.scores
        chosen = part["class"].unique() if classes is None else ["", *map(str, classes)]
        for column, wanted in (("metric", metrics), ("class", chosen)):
            valid = self.scores[column].unique()
            if unknown := [value for value in wanted if value not in valid]:
                raise ArgumentError(f"no {column} {unknown[0]!r}{suggest(unknown[0], valid)}")
            part = part[part[column].isin(wanted)]
        if part["class"].nunique() > _MOST_CLASSES:
            raise ArgumentError(f"{len(chosen)} classes are too many to draw; name at most eight")
        lines = part[["class", "contrast"]].drop_duplicates().to_numpy().tolist()
        line = {"color": "#6B6B6B"}
        boxes: dict[str, Any] = {"boxprops": line, "whiskerprops": line, "capprops": line}
        boxes |= {"widths": 0.55, "medianprops": {"color": look.INK}}
        boxes |= {"flierprops": {"markersize": 3, "markeredgecolor": line["color"]}}
        width = look.width_of(figsize)
        with look.style(width):
            height = look.title_height(self.headline, width) + 0.5 + 1.6 * len(lines)
            shape = len(lines), len(metrics)
            figure, axes = look.new_figure(*shape, figsize, height, sharey="row", sharex=True)
            cells = product(lines, metrics)
            for axis, ((label, contrast), metric) in zip(axes, cells, strict=True):
                keys = part[["class", "contrast", "metric"]] == [label, contrast, metric]
                by_size = dict(list(part[keys.all(axis=1)].groupby("size")["value"]))
                values = [own.dropna().to_numpy() for own in by_size.values()]
                axis.boxplot(values, positions=range(len(values)), **boxes)
                axis.set_xticks(range(len(by_size)), [f"{n:,}" for n in by_size])
                axis.grid(axis="y")
                axis.set_title(f"{label}: {metric}" if label else metric)
                if contrast:
                    axis.axhline(0, color=look.INK, linewidth=0.8, linestyle=(0, (4, 3)))
                if metric == metrics[0]:
                    axis.set_ylabel(f"gap {contrast}" if contrast else "score")
            figure.supxlabel("rows per subsample, training and test together", fontsize=8)
            look.set_title(figure, self.headline)
        return figure

    @property
    def blocks(self) -> Blocks:
        """The headline and the spread of gaps."""
        table = self.table
        table = table[table["contrast"] != ""]
        more = len(table) - _MOST_ROWS
        rest = [f"and {more:,} more rows, in .table"] if more > 0 else []
        return [self.headline, "", Table(table.head(_MOST_ROWS), _COLUMNS), *rest]


def scores_of(
    keys: Sequence[tuple[int, int]], counts: NDArray[np.int64], whole: Predictions
) -> pd.DataFrame:
    """Return the scores of tables of counts, shape (n, n_groups, n_classes, n_classes)."""
    samples = pd.DataFrame(list(keys), columns=["size", "sample"])
    everybody = counts.sum(axis=1)
    right = np.diagonal(everybody, axis1=1, axis2=2)
    either = everybody.sum(axis=1) + everybody.sum(axis=2)
    rates = rates_of(*rate_counts(counts))
    cells = samples.merge(pd.DataFrame({"class": whole.classes}), how="cross")
    accuracy = right.sum(axis=1) / everybody.sum(axis=(1, 2))
    parts = [
        samples.assign(metric="accuracy", **{"class": ""}, contrast="", value=accuracy),
        cells.assign(metric="F1", contrast="", value=rates_of(2 * right, either).ravel()),
    ]
    for m, metric in enumerate(METRICS):
        for i, j in whole.pairs:
            gap = (rates[:, m, i] - rates[:, m, j]).ravel()
            contrast = f"{whole.groups[i]} − {whole.groups[j]}"
            parts.append(cells.assign(metric=metric, contrast=contrast, value=gap))
    order = ["size", "sample", "metric", "class", "contrast", "value"]
    return pd.concat(parts, ignore_index=True)[order]


def _students(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return mean, sd and Student's t-test against 0 of a column, by size and score."""
    from scipy.stats import t as student

    spread = table.groupby(_KEYS, sort=False)[column].agg(["count", "mean", "std"])
    spread = spread.reset_index().rename(columns={"count": "n", "std": "sd"})
    spread["t"] = spread["mean"] / (spread["sd"].where(spread["sd"] > 0) / np.sqrt(spread["n"]))
    spread["p_value"] = 2 * student.sf(spread["t"].abs(), spread["n"] - 1)
    return spread
