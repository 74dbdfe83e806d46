"""What `gaps` returns: rates, gaps with intervals and verdicts, and what has no gap and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.classifiers.rates import METRICS
from bayesbias.support.figure_style import Size
from bayesbias.support.result import Result
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Table,
    interval_column,
    interval_label,
    percent,
)
from bayesbias.support.types import Axes, Figure

_MOST_ROWS: Final = 100


@dataclass(frozen=True, repr=False, eq=False)
class Gaps(Result):
    """Gaps of every metric and class between groups; made by `gaps`.

    Parameters
    ----------
    table : DataFrame
        One row per ``metric``, ``class`` and ``contrast`` (such as ``female − male``, of which
        ``group`` and ``reference`` are the parts): ``gap``, the difference of observed rates; and,
        unless the method is ``"point"``, ``mean`` and ``sd`` of the draws, ``low`` and ``high``,
        ``prob``, ``interval``, ``p_above_zero``, ``p_direction`` (probability of the likelier
        sign), ``rope``, ``below_rope``, ``inside_rope``, ``above_rope`` and ``verdict``. The
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
        label = self._label
        if self.rope == 0:
            return f"Verdict: lower or higher if the {label} excludes 0, else undecided."
        return (
            f"Verdict: lower (higher) if the whole {label} is below (above) 0; its size is "
            f"undecided where the interval meets the region of practical equivalence (ROPE) of "
            f"±{self.rope:g}, and practically equal where it lies within."
        )

    @property
    def _label(self) -> str:
        if self.interval == "percentile":
            return f"{percent(self.prob)} bootstrap percentile interval"
        return interval_label(self.prob, self.interval)

    def disagreements(self) -> pd.DataFrame:
        """Return where metrics contradict each other about a class.

        One row per ``class`` and ``contrast``: the observed gap of each metric; ``opposite``, the
        pairs of metrics whose observed gaps have opposite signs; and, unless the method is
        ``"point"``, ``opposite_surely``, the pairs whose intervals lie on opposite sides of 0. With
        few persons a posterior may lie on the other side than the observed gap.
        """
        rows = []
        for (label, contrast), part in self.table.groupby(["class", "contrast"], sort=False):
            by_metric = part.set_index("metric")
            row = {"class": label, "contrast": contrast, **by_metric["gap"].to_dict()}
            row["opposite"] = _pairs(np.sign(by_metric["gap"]).fillna(0))
            if self.method != "point":
                above, below = by_metric["low"] > 0, by_metric["high"] < 0
                row["opposite_surely"] = _pairs(above.astype(int) - below.astype(int))
            rows.append(row)
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the tables and the settings as plain data; a number that is missing is None."""
        content = super().to_dict()
        return {"gaps": content.pop("table"), **content, "caption": self.caption}

    def plot(self, *, ax: "Axes | None" = None, figsize: Size | None = None) -> Figure:
        """Draw a panel per metric, a row per class."""
        from bayesbias.classifiers.figures import plot_gaps

        label = "observed gap" if self.method == "point" else self._label
        return plot_gaps(self.table, label, ax=ax, figsize=figsize)

    @property
    def blocks(self) -> Blocks:
        """The gaps with intervals and verdicts, what is undefined, and the rule."""
        defined = self.table[self.table["reason"] == ""]
        columns: list[str | Column] = ["metric", "class", "contrast", Column("gap", form="signed")]
        if self.method != "point":
            columns += [
                interval_column(self._label),
                Column("p_above_zero", "P(> 0)", "distance", yields=1),
                Column("inside_rope", "in ROPE", "share", yields=2),
                Column("verdict", form="verdict"),
            ]
        whose = f"Gaps by {_METHOD_NAMES[self.method]}, the first group's rate less the second's:"
        blocks: list[str | Table] = [whose, ""]
        table = Table(defined.head(_MOST_ROWS), columns)
        blocks.append(table if len(defined) else "none defined")
        if len(defined) > _MOST_ROWS:
            blocks.append(f"... and {len(defined) - _MOST_ROWS} more; .to_frame() has them all")
        blocks.append("")
        for row in self.undefined.itertuples():
            blocks.append(f"undefined: {row.metric} of class {row[2]}: {row.reason}")
        if "undefined_draws" in self.table and (some := (defined["undefined_draws"] > 0).sum()):
            blocks.append(
                f"In some bootstrap samples {some} of these gaps were undefined; their intervals "
                f"rest on the other samples (column undefined_draws)."
            )
        if self.slopes is not None:
            blocks += ["Change of the gap, in logits, with one sd of a covariate:", ""]
            numbers = Column("mean", "slope", "sds"), interval_column(self._label, "sds")
            chance = Column("p_above_zero", "P(> 0)", "distance", yields=1)
            keys = "metric", "covariate", "contrast"
            blocks += [Table(self.slopes, [*keys, *numbers, chance]), ""]
        blocks.append(self.caption)
        if "diagnostics" in self.details:
            blocks.append(self.details["diagnostics"]["sentence"])
        return blocks


_METHOD_NAMES: Final = {
    "point": "observed rates alone",
    "bootstrap": "bootstrap within groups",
    "beta": "Beta and Dirichlet posteriors",
    "hierarchical": "the hierarchical model",
}


def _pairs(signs: pd.Series) -> str:
    """Name the pairs of metrics with opposite signs."""
    pairs = combinations(METRICS, 2)
    return ", ".join(f"{a} against {b}" for a, b in pairs if signs.get(a, 0) * signs.get(b, 0) < 0)
