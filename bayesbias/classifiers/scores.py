"""What the resampling protocol returns: accuracy, F1 and gaps of all subsamples, their spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.classifiers.predictions import Predictions
from bayesbias.classifiers.rates import METRICS, rate_counts, rates_of
from bayesbias.errors import ArgumentError, one_of, suggest
from bayesbias.support.figure_style import Place
from bayesbias.support.result import Result, plain
from bayesbias.support.text_tables import Blocks, Column, Columns, Table
from bayesbias.support.types import Figure

_KEYS: Final = ["size", "metric", "class", "contrast"]
_MOST_ROWS: Final = 40
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
    runs : DataFrame
        One row per ``size`` and ``sample``: ``accuracy`` on the test part.
    gaps : DataFrame
        One row per ``size``, ``sample``, ``metric``, ``class`` and ``contrast``: ``gap``, missing
        where a denominator was empty.
    f1 : DataFrame
        One row per ``size``, ``sample`` and ``class``: ``f1``, missing where nobody is of the class
        or was predicted it.
    """

    _main: ClassVar[str] = "gaps"

    runs: pd.DataFrame
    gaps: pd.DataFrame
    f1: pd.DataFrame
    seed: int
    test_share: float

    @classmethod
    def from_counts(
        cls,
        keys: Sequence[tuple[int, int]],
        counts: NDArray[np.int64],
        whole: Predictions,
        *,
        seed: int,
        test_share: float,
    ) -> "ProtocolScores":
        """Compute the scores of tables of counts, shape (n, n_groups, n_classes, n_classes)."""
        size, sample = (np.array(column) for column in zip(*keys, strict=True))
        everybody = counts.sum(axis=1)
        right = np.diagonal(everybody, axis1=1, axis2=2)
        accuracy = right.sum(axis=1) / everybody.sum(axis=(1, 2))
        runs = pd.DataFrame({"size": size, "sample": sample, "accuracy": accuracy})
        either = everybody.sum(axis=1) + everybody.sum(axis=2)
        cells = runs[["size", "sample"]].merge(pd.DataFrame({"class": whole.classes}), how="cross")
        f1 = cells.assign(f1=rates_of(2 * right, either).ravel())
        rates = rates_of(*rate_counts(counts))
        parts = []
        for m, metric in enumerate(METRICS):
            for contrast, g, reference in whole.contrasts:
                gap = (rates[:, m, g] - rates[:, m, reference]).ravel()
                parts.append(cells.assign(metric=metric, contrast=contrast, gap=gap))
        gaps = pd.concat(parts, ignore_index=True)
        order = ["size", "sample", "metric", "class", "contrast", "gap"]
        return cls(runs, gaps[order], f1, seed, test_share)

    def summary(self) -> pd.DataFrame:
        """Return the spread of gaps, and Student's t-test of their mean against 0.

        One row per ``size``, ``metric``, ``class`` and ``contrast``: ``n``, the subsamples in which
        the gap was defined, ``n_undefined``; ``mean``, ``sd`` (ddof=1), ``t`` and ``p_value``
        (two-sided); ``share_above_zero``. ``reason`` says why a number is missing. Subsamples
        overlap, so p-values are too small; see `resampling_protocol`.
        """
        table = _students(self.gaps, "gap")
        by = self.gaps.groupby(_KEYS, sort=False)["gap"]
        n_undefined = by.agg(lambda gaps: gaps.isna().sum()).to_numpy()
        table.insert(table.columns.get_loc("n") + 1, "n_undefined", n_undefined)
        share = by.agg(lambda gaps: (gaps > 0).sum()).to_numpy() / table["n"].where(table["n"] > 0)
        table["share_above_zero"] = share
        equal = np.where(table["sd"] == 0, "all gaps are equal, so there is no t", "")
        few = "the gap is defined in " + table["n"].astype(str) + " subsamples only"
        table["reason"] = few.where(table["n"] < 2, equal)
        return table

    def changes(self, other: "ProtocolScores") -> pd.DataFrame:
        """Compare with a run on the same subsamples, such as of scrubbed texts: other − this.

        One row per ``size``, ``metric``, ``class`` and ``contrast``: ``n`` subsamples in which both
        gaps are defined, ``mean`` and ``sd`` of the change, paired ``t`` and ``p_value`` (missing
        where n < 2 or no two changes differ).
        """
        if (self.seed, self.test_share) != (other.seed, other.test_share):
            raise ArgumentError("other: has another seed or test share, so nothing is paired")
        both = self.gaps.merge(other.gaps, on=["sample", *_KEYS], suffixes=("", "_other"))
        if both.empty:
            raise ArgumentError("other: has no subsample, class and contrast in common with this")
        both["change"] = both["gap_other"] - both["gap"]
        return _students(both, "change")

    def to_dict(self) -> dict[str, Any]:
        """Return the summary, mean accuracies and settings as plain data; missing is None."""
        return {
            "seed": self.seed,
            "test_share": self.test_share,
            "accuracy": self.runs.groupby("size")["accuracy"].mean().to_dict(),
            "gaps": plain(self.summary()),
        }

    def plot(
        self, what: str = "gaps", *, classes: Sequence[Any] | None = None, **place: Unpack[Place]
    ) -> Figure:
        """Draw box plots per size: of gaps, F1 or accuracy.

        Gaps have a row per class and a column per metric (the paper's Figs. 3 and 4), F1 a panel
        per class (Fig. 2). `classes` are by default all, at most eight.
        """
        from bayesbias.classifiers.gap_figures import plot_protocol

        one_of(what, "what", ("gaps", "f1", "accuracy"))
        known = list(dict.fromkeys(self.f1["class"]))
        chosen = known if classes is None else [str(label) for label in classes]
        for label in chosen:
            if label not in known:
                raise ArgumentError(f"classes: no class {label!r}{suggest(label, known)}")
        if len(chosen) > 8 and what != "accuracy":
            raise ArgumentError(f"{len(chosen)} classes are too many to draw; name at most eight")
        return plot_protocol(self.runs, self.gaps, self.f1, what, chosen, **place)

    @property
    def blocks(self) -> Blocks:
        """Accuracy per size and the spread of the gaps."""
        accuracy = self.runs.groupby("size")["accuracy"].agg(["mean", "std"])
        blocks: list[str | Table] = [
            f"{size:,} rows: accuracy {row['mean']:.3f} (sd {row['std']:.3f})"
            for size, row in accuracy.iterrows()
        ]
        table = self.summary()
        blocks += ["", Table(table.head(_MOST_ROWS), _COLUMNS)]
        if len(table) > _MOST_ROWS:
            blocks.append(f"... and {len(table) - _MOST_ROWS} more rows")
        return blocks


def _students(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return mean, sd and Student's t-test against 0 of a column, by size, metric and class."""
    from scipy.stats import t as student

    found = table.groupby(_KEYS, sort=False)[column].agg(["count", "mean", "std"])
    found = found.reset_index().rename(columns={"count": "n", "std": "sd"})
    found["t"] = found["mean"] / (found["sd"].where(found["sd"] > 0) / np.sqrt(found["n"]))
    found["p_value"] = 2 * student.sf(found["t"].abs(), found["n"] - 1)
    return found
