"""What `gaps` returns: rates, gaps with intervals and verdicts, and what has no gap and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from bayesbias.classifiers.rates import METRICS
from bayesbias.support.text_tables import Blocks, Table, as_text, interval_label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_ROWS: Final = 100


@dataclass(frozen=True, repr=False, eq=False)
class Gaps:
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
    rope, prob : float
    interval : str
        ``"hpdi"`` or ``"eti"``; of a bootstrap, ``"percentile"``.
    seed : int or None
        None where nothing was random.
    details : mapping
        Prior or model, number of draws, diagnostics.
    """

    table: pd.DataFrame
    rates: pd.DataFrame
    method: str
    rope: float
    prob: float
    interval: str
    seed: int | None
    details: Mapping[str, Any]

    @property
    def undefined(self) -> pd.DataFrame:
        """The rates that do not exist: metric, class, group and reason."""
        part = self.rates[self.rates["reason"] != ""]
        return part[["metric", "class", "group", "reason"]].reset_index(drop=True)

    @property
    def caption(self) -> str:
        """The rule behind the verdicts, in words."""
        if self.method == "point":
            return "Observed differences of rates; nothing is said about how sure they are."
        label = self._label
        if self.rope == 0:
            return f"Verdict: lower or higher if the {label} excludes 0, else undecided."
        return (
            f"Verdict: lower if the whole {label} of the gap is below −{self.rope:g}, higher if "
            f"above +{self.rope:g}, practically equal if within ±{self.rope:g} (the region of "
            f"practical equivalence, ROPE), else undecided."
        )

    @property
    def _label(self) -> str:
        if self.interval == "percentile":
            return f"{100 * self.prob:g}% bootstrap percentile interval"
        return interval_label(self.prob, self.interval)

    def disagreements(self) -> pd.DataFrame:
        """Return where metrics contradict each other about a class.

        Returns
        -------
        DataFrame
            One row per ``class`` and ``contrast``: the gap of each metric; ``opposite``, the pairs
            of metrics whose gaps have opposite signs; and, unless the method is ``"point"``,
            ``opposite_surely``, those of them whose intervals both exclude 0.

        Examples
        --------
        >>> from bayesbias.classifiers import gaps
        >>> people = pd.DataFrame({"y": [1, 0, 0, 1, 1, 0], "p": [1, 1, 0, 1, 0, 0],
        ...                        "g": ["f", "f", "f", "m", "m", "m"]})
        >>> found = gaps(people, true="y", predicted="p", group="g", method="point", reference="m")
        >>> found.disagreements()["opposite"].tolist()
        ['GP against PP, TPR against PP', 'GP against PP, TPR against PP']
        """
        rows = []
        for (label, contrast), part in self.table.groupby(["class", "contrast"], sort=False):
            by_metric = part.set_index("metric")
            signs = np.sign(by_metric["gap"]).fillna(0)
            row = {"class": label, "contrast": contrast, **by_metric["gap"].to_dict()}
            row["opposite"] = _pairs(signs)
            if self.method != "point":
                sure = (by_metric["low"] > 0) | (by_metric["high"] < 0)
                row["opposite_surely"] = _pairs(signs.where(sure, 0))
            rows.append(row)
        return pd.DataFrame(rows)

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return the tables and the settings as plain data; a number that is missing is None."""
        tables = {
            name: [
                {k: None if isinstance(v, float) and np.isnan(v) else v for k, v in row.items()}
                for row in frame.to_dict("records")
            ]
            for name, frame in (("gaps", self.table), ("rates", self.rates))
        }
        return {"method": self.method, "rope": self.rope, "prob": self.prob,
                "interval": self.interval, "seed": self.seed, "details": dict(self.details),
                "caption": self.caption, **tables}  # fmt: skip

    def plot(self) -> "Figure":
        """Draw the gaps, a panel per metric, a row per class (and contrast)."""
        from bayesbias.classifiers.figures import plot_gaps

        return plot_gaps(self.table, "observed gap" if self.method == "point" else self._label)

    @property
    def blocks(self) -> Blocks:
        """The gaps with intervals and verdicts, what is undefined, and the rule."""
        defined = self.table[self.table["reason"] == ""]
        shown = defined[["metric", "class", "contrast"]].astype(str)
        shown["gap"] = defined["gap"].map("{:+.3f}".format)
        if self.method != "point":
            shown[self._label] = [f"{r.low:+.3f} to {r.high:+.3f}" for r in defined.itertuples()]
            shown["P(> 0)"] = defined["p_above_zero"].map("{:.3f}".format)
            shown["in ROPE"] = defined["inside_rope"].map("{:.1%}".format)
            shown["verdict"] = defined["verdict"]
        blocks: list[str | Table] = [f"Gaps by {_METHOD_NAMES[self.method]}:", ""]
        blocks.append(Table(shown.head(_MOST_ROWS), left=3) if len(shown) else "none defined")
        if len(shown) > _MOST_ROWS:
            blocks.append(f"... and {len(shown) - _MOST_ROWS} more; .to_frame() has them all")
        blocks.append("")
        for row in self.undefined.itertuples():
            blocks.append(f"undefined: {row.metric} of class {row[2]}: {row.reason}")
        if "undefined_draws" in self.table and (some := (defined["undefined_draws"] > 0).sum()):
            blocks.append(
                f"In some bootstrap samples {some} of these gaps were undefined; their intervals "
                f"rest on the other samples (column undefined_draws)."
            )
        blocks.append(self.caption)
        if "diagnostics" in self.details:
            blocks.append(self.details["diagnostics"]["sentence"])
        return blocks

    def __repr__(self) -> str:
        """Show the gaps as text."""
        return as_text(self.blocks)


_METHOD_NAMES: Final = {
    "point": "observed rates alone",
    "bootstrap": "bootstrap within groups",
    "beta": "Beta-Binomial posteriors",
    "hierarchical": "the hierarchical model",
}


def _pairs(signs: pd.Series) -> str:
    """Name the pairs of metrics with opposite signs."""
    found = [
        f"{a} against {b}"
        for a, b in combinations(METRICS, 2)
        if signs.get(a, 0) * signs.get(b, 0) < 0
    ]
    return ", ".join(found)
