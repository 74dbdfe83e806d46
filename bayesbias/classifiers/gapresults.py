"""What `gaps` returns: rates, gaps with intervals and verdicts, and what has no gap and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.classifiers.rates import METRICS
from bayesbias.classifiers.sentences import tell
from bayesbias.fits.sentences import number
from bayesbias.support.figure_style import Place
from bayesbias.support.result import Result
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Table,
    counted,
    interval_column,
    interval_label,
    join_words,
    percent,
)
from bayesbias.support.types import Figure

_STATES: Final = ("lower", "higher"), ("practically equal",), ("undecided",)
"""What a gap can be, in the order in which sentences count it."""

_MOST_ROWS: Final = 100

FEWEST: Final = 2
"""Persons of a group without which nothing is said of a direction: one is no group."""

FOUR_FIFTHS: Final = 0.8
"""Share of the higher rate below which the lower one is evidence of adverse impact.

Uniform Guidelines on Employee Selection Procedures (1978), 29 CFR 1607.4 D.
"""


@dataclass(frozen=True, repr=False, eq=False)
class Gaps(Result):
    """Gaps of every metric and class between groups; made by `gaps`.

    Parameters
    ----------
    table : DataFrame
        One row per ``metric``, ``class`` and ``contrast`` (such as ``female − male``, of which
        ``group`` and ``reference`` are the parts): ``n`` and ``n_reference``, the persons that the
        rates are of; ``gap``, the difference of observed rates; and,
        unless the method is ``"point"``, ``mean`` and ``sd`` of the draws, ``low`` and ``high``,
        ``prob``, ``interval``, ``p_above_zero``, ``p_direction`` (probability of the likelier
        sign), ``rope``, ``below_rope``, ``inside_rope``, ``above_rope`` and ``verdict``;
        ``fisher_p``, the smaller of the one-sided p-values of Fisher's exact test (not of the
        hierarchical method). The
        bootstrap adds ``undefined_draws``, the share of its samples in which the gap was undefined
        and which were left out. Numbers are missing where ``reason`` says why; it is empty
        elsewhere.
    rates : DataFrame
        One row per ``metric``, ``class`` and ``group``: ``successes``, ``trials``, ``rate``, and
        ``reason`` where there is none.
    method : str
        ``"point"``, ``"bootstrap"``, ``"beta"`` or ``"hierarchical"``.
    interval : str
        ``"hpdi"`` or ``"eti"``; of a bootstrap, ``"percentile"``.
    seed : int or None
        None where nothing was random.
    details : mapping
        Priors or model, number of draws, diagnostics.
    slopes : DataFrame or None
        With covariates: one row per ``metric``, ``covariate`` and ``contrast``; ``mean``, ``sd``,
        ``low``, ``high`` and ``p_above_zero`` of the change of the gap, in logits, with one
        standard deviation of the covariate.
    ratios : DataFrame or None
        One row per ``metric``, ``class`` and pair of groups, the lower observed rate over the
        higher one: ``ratio_of``, ``group``, ``reference``, ``n``, ``n_reference``, ``ratio``;
        ``low`` and ``high``, an interval that is free of priors (`exact.ratio_intervals`), and its
        ``prob``; ``four_fifths``: ``below`` if the whole interval is below 0.8, ``kept`` if none of
        it is, ``undecided``, or ``undefined`` with a ``reason``. None of the method ``"point"``.
    pairs : DataFrame or None
        Of three groups and more: as `table`, with a row for every pair of groups.
    largest : DataFrame or None
        Likewise the pair with the largest observed gap for each metric and class; ``p_largest`` is
        the share of draws in which it is the largest.
    """

    table: pd.DataFrame
    rates: pd.DataFrame
    method: str
    rope: float
    prob: float
    interval: str
    seed: int | None
    details: Mapping[str, Any]
    slopes: pd.DataFrame | None = None
    ratios: pd.DataFrame | None = None
    pairs: pd.DataFrame | None = None
    largest: pd.DataFrame | None = None

    @property
    def undefined(self) -> pd.DataFrame:
        """The rates that do not exist: metric, class, group and reason."""
        part = self.rates[self.rates["reason"] != ""]
        return part[["metric", "class", "group", "reason"]].reset_index(drop=True)

    @property
    def caption(self) -> str:
        """The rule behind the verdicts, in words."""
        if self.method == "point":
            return "Observed differences of rates, without intervals."
        exact = "" if self.method == "hierarchical" else f"{(1 - self.prob) / 2:.3g}"
        return tell("rule", self._label, exact, f"{self.rope:g}" if self.rope else "")

    @property
    def _label(self) -> str:
        if self.interval == "percentile":
            return f"{percent(self.prob)} bootstrap percentile interval"
        return interval_label(self.prob, self.interval)

    def disagreements(self) -> pd.DataFrame:
        """Return where metrics contradict each other about a class.

        One row per ``class`` and ``contrast``: the observed gap of each metric; ``opposite``, the
        pairs of metrics whose observed gaps have opposite signs; and, unless the method is
        ``"point"``, ``opposite_surely``, the pairs whose verdicts are lower and higher. With
        few persons a posterior may lie on the other side than the observed gap.
        """
        rows = []
        for (label, contrast), part in self.table.groupby(["class", "contrast"], sort=False):
            by_metric = part.set_index("metric")
            row = {"class": label, "contrast": contrast, **by_metric["gap"].to_dict()}
            row["opposite"] = _pairs(np.sign(by_metric["gap"]).fillna(0))
            if self.method != "point":
                above, below = (by_metric["verdict"].str.startswith(w) for w in ("higher", "lower"))
                row["opposite_surely"] = _pairs(above.astype(int) - below.astype(int))
            rows.append(row)
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the tables and the settings as plain data; a number that is missing is None."""
        content = super().to_dict()
        return {
            "answers": self.answers,
            "gaps": content.pop("table"),
            **content,
            "caption": self.caption,
        }

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw a panel per metric, a row per class."""
        from bayesbias.classifiers.gap_figures import plot_gaps

        label = "observed gap" if self.method == "point" else self._label
        return plot_gaps(self.table, label, **place)

    @property
    def answers(self) -> list[str]:
        """In how many comparisons groups differ, a sentence per metric; [] without verdicts."""
        if self.method == "point":
            return []
        said = []
        for metric, part in self.table[self.table["reason"] == ""].groupby("metric", sort=False):
            state = part["verdict"].str.partition(", ")[0]
            is_pair = len(set(part["contrast"])) == 1
            n = counted(len(part), *(("class", "classes") if is_pair else ("comparison",)))
            counts = (int(state.isin(found).sum()) for found in _STATES)
            most = _largest(part[state.isin(_STATES[0])])
            unknown = _largest(part[state.isin(_STATES[2])])
            pair = map(str, part[["group", "reference"]].iloc[0])
            who = f"groups {join_words([*pair])}" if is_pair else "groups"
            said.append(tell("gaps", metric, who, n, most, unknown, *counts, self._label))
        return said

    @property
    def blocks(self) -> Blocks:
        """In how many classes groups differ, the gaps, what is undefined, and the rule."""
        return self.screen(tell("next", typed=False, folder=""))

    def screen(self, then: str) -> Blocks:
        """Return all of it; `then`: what to do next."""
        defined = self.table[self.table["reason"] == ""]
        columns: list[str | Column] = ["metric", "class", "contrast", *_SIZES]
        columns.append(Column("gap", form="signed"))
        if self.method != "point":
            columns += [
                interval_column(self._label),
                Column("p_above_zero", "P(> 0)", "probability", drop_priority=1),
                Column("inside_rope", "in ROPE", "share", drop_priority=2),
                Column("verdict", form="verdict"),
            ]
        whose = f"Gaps by {_METHOD_NAMES[self.method]}, the first group's rate minus the second's:"
        blocks: list[str | Table] = [*self.answers, then, "", whose, ""]
        table = Table(defined.head(_MOST_ROWS), columns)
        blocks.append(table if len(defined) else "none defined")
        if len(defined) > _MOST_ROWS:
            blocks.append(f"... and {len(defined) - _MOST_ROWS} more rows")
        blocks.append("")
        blocks += [*self._largest_blocks(), *self._ratio_blocks()]
        for row in self.undefined.itertuples():
            blocks.append(tell("undefined", row.metric, row[2], row.reason))
        if "undefined_draws" in self.table and (some := (defined["undefined_draws"] > 0).sum()):
            blocks.append(tell("undefined_draws", some))
        if self.slopes is not None:
            blocks += ["Change of the gap, in logits, with one sd of a covariate:", ""]
            numbers = Column("mean", "slope", "sds"), interval_column(self._label, "sds")
            chance = Column("p_above_zero", "P(> 0)", "probability", drop_priority=1)
            keys = "metric", "covariate", "contrast"
            blocks += [Table(self.slopes, [*keys, *numbers, chance]), ""]
        blocks.append(self.caption)
        if "diagnostics" in self.details:
            blocks.append(self.details["diagnostics"]["sentence"])
        return blocks

    def _largest_blocks(self) -> Blocks:
        """Return the largest gap of any two groups, where there are more."""
        if self.largest is None or self.largest.empty:
            return []
        columns: list[str | Column] = ["metric", "class", Column("contrast", "largest gap")]
        columns += _SIZES
        columns += [Column("gap", form="signed"), interval_column(self._label)]
        columns += [Column("p_largest", "P(largest)", "distance", drop_priority=1)]
        columns.append(Column("verdict", form="verdict"))
        table = Table(self.largest.head(_MOST_ROWS), columns)
        return ["Largest gap of any two groups (the table pairs has all of them):", "", table, ""]

    def _ratio_blocks(self) -> Blocks:
        """Return the ratios of GP, of which the four fifths rule speaks."""
        if self.ratios is None:
            return []
        rows = self.ratios[(self.ratios["metric"] == "GP") & (self.ratios["reason"] == "")]
        label = f"{percent(self.prob)} interval"
        columns: list[str | Column] = [
            *("metric", "class", Column("ratio_of", "ratio"), *_SIZES),
            Column("ratio", "lower / higher", "distance"),
            Column(("low", "high"), label, "distance"),
            Column("four_fifths", "four fifths", "verdict"),
        ]
        said = tell("four_fifths", f"{FOUR_FIFTHS:g}")
        return ["Ratios of GP:", "", Table(rows.head(_MOST_ROWS), columns), "", said]


_SIZES: Final = (
    Column("n", form="count", drop_priority=3),
    Column("n_reference", "n ref.", "count", drop_priority=3),
)
"""How many persons both rates are of."""

_METHOD_NAMES: Final = {
    "point": "observed rates alone",
    "bootstrap": "bootstrap within groups",
    "beta": "Beta and Dirichlet posteriors",
    "hierarchical": "the hierarchical model",
}


def _largest(gaps: pd.DataFrame) -> tuple[Any, ...] | None:
    """Return class, size, whether it is higher, both groups and interval of the largest gap."""
    if gaps.empty:
        return None
    row = gaps.loc[gaps["gap"].abs().idxmax()]
    ends = " to ".join(number(end) for end in sorted((row["low"], row["high"]), key=abs))
    if row["low"] < 0.0 < row["high"]:
        ends = f"{number(row['low'])} lower up to {number(row['high'])} higher"
    size, is_higher = number(row["gap"]), bool(row["gap"] > 0)
    return row["class"], size, is_higher, row["group"], row["reference"], ends


def _pairs(signs: pd.Series) -> str:
    """Name the pairs of metrics with opposite signs."""
    pairs = combinations(METRICS, 2)
    return ", ".join(f"{a} against {b}" for a, b in pairs if signs.get(a, 0) * signs.get(b, 0) < 0)
