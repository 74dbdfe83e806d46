"""What a sweep found: one table of all tasks, and the tasks that failed.

The table is tidy: a row for every task and mean, list, contrast or measure, with the columns that a
fit has. Sizes are also shown in standard deviations of a neutral pair, which compare across
embeddings. `summary` shrinks the tasks' contrasts towards each other (`pooling`); their errors
are correlated, since tasks share words, and the correlation comes from how much every word counts.
A task that failed has its reason in place of rows, and the others stay.
"""

from dataclasses import dataclass
from typing import Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import TASK_COLUMNS
from bayesbias.fits.contrasts import about_chance, chance_columns
from bayesbias.studies.pooling import FEWEST, error_correlations, pool
from bayesbias.studies.several_narrator import tell
from bayesbias.support.figure_style import Place
from bayesbias.support.result import Result
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Table,
    counted,
    interval_column,
    label_of,
)
from bayesbias.support.types import Figure

_MOST_SHOWN: Final = 20
_SIZES: Final = ("mean", "low", "high")


@dataclass(frozen=True, repr=False)
class SweepResult(Result):
    """What a sweep found; made by `run_sweep`.

    Parameters
    ----------
    table : DataFrame
        Tidy: one row per task and connection (``table`` is ``mean``), attribute list on which
        groups are compared (``list``), contrast or measure; ``what`` names it. Columns ``source``,
        ``step``, ``wordlist``, ``model``; those of `Fit.contrasts`, and ``scale``, the standard
        deviation of a neutral pair's distance, empty where a mean has none (as ``chance`` is);
        ``log_marginal_likelihood``, ``n_missing``, ``trusted``, ``pareto_k``, ``seed``, ``fit``,
        ``pairs_sha256``, ``notes``; of a list and of a contrast ``words`` and
        ``influence``, what each word adds to it, from `pooling.packed_influences`. The value
        of a measure is its ``mean``, with ``low``, ``high`` and ``p_value`` where it has them; the
        reason why there is none is its ``verdict``.
    failures : DataFrame
        Tasks without a result: ``source``, ``step``, ``wordlist``, ``model``, ``reason``.
    n_done : int
        Tasks that this run worked on; the others had a result or a recorded failure.
    """

    table: pd.DataFrame
    failures: pd.DataFrame
    n_done: int

    @property
    def n_results(self) -> int:
        """Tasks with a result."""
        return len(self.table.drop_duplicates(list(TASK_COLUMNS)))

    @property
    def has_contrasts(self) -> bool:
        """Whether any task has a contrast."""
        return bool((self.table["table"] == "contrast").any())

    @property
    def summary(self) -> pd.DataFrame:
        """One row per task and list, then contrast: mean, interval, chance, verdict, trust.

        A list is called as who is compared on it, such as ``woman_stereotype: woman − man``.
        ``mean``, ``low`` and ``high`` are in cosine distance; ``mean_sd``, ``low_sd`` and
        ``high_sd`` in standard deviations of a neutral pair's distance, which alone compare across
        embeddings.

        ``shrunken``, ``shrunken_low`` and ``shrunken_high`` draw each towards the other tasks of
        the same step, model and contrast (`pooling.pool`, without factors), all in standard
        deviations of a neutral pair's distance, since embeddings spread differently, and give it
        back in its own cosine distance; empty where there are fewer than three. Errors of tasks
        that share words are correlated, as far as single words move both
        (`pooling.error_correlations`). So a task that errs with others may be drawn out of
        ``low`` to ``high``; ``shrunken_low`` to ``shrunken_high`` is the interval of ``shrunken``.
        """
        columns = ["contrast", *_SIZES, *(f"{name}_sd" for name in _SIZES), "interval", "prob"]
        columns += ["rope", "chance", "chance_reason", "verdict"]
        shrunken = ["shrunken", "shrunken_low", "shrunken_high"]
        found = self._contrasts.assign(**dict.fromkeys(shrunken, np.nan))
        for _, part in found.groupby(["step", "model", "contrast"], sort=False):
            usable = part[(part["sd"] > 0) & (part["scale"] > 0)]
            if len(usable) >= FEWEST:
                scale = usable["scale"]
                correlation = None  # of the tasks' errors, where their words are known
                if "influence" in usable and usable["influence"].notna().all():
                    of_words = usable["words"].tolist(), usable["influence"].tolist()
                    correlation = error_correlations(*of_words)
                pooled = pool(
                    usable["mean"] / scale,
                    usable["sd"] / scale,
                    prob=float(usable["prob"].iloc[0]),
                    interval=str(usable["interval"].iloc[0]),
                    correlation=correlation,
                ).table[["shrunken", "low", "high"]]
                found.loc[usable.index, shrunken] = pooled.to_numpy() * scale.to_numpy()[:, None]
        columns += [*shrunken, "trusted", "pareto_k", "notes"]
        return found.reindex(columns=[*TASK_COLUMNS, *columns])

    @property
    def _contrasts(self) -> pd.DataFrame:
        """The table's rows of lists, then those of contrasts."""
        rows = [self.table[self.table["table"] == kind] for kind in ("list", "contrast")]
        found = pd.concat(rows, ignore_index=True).rename(columns={"what": "contrast"})
        in_sd = {f"{name}_sd": found[name] / found["scale"] for name in _SIZES if name in found}
        return found.assign(**in_sd) if "scale" in found else found

    def plot(self, contrast: str | None = None, **place: Unpack[Place]) -> Figure:
        """Draw all tasks as a heat map in standard deviations, one panel per model.

        By default by list, between groups; with `contrast` that one, such as ``associated −
        different``. Without lists the first contrast that there is.
        """
        from bayesbias.studies.sweep_figure import plot_sweep

        return plot_sweep(self.table, self.failures, contrast, **place)

    @property
    def blocks(self) -> Blocks:
        """How many tasks there are, what failed, and by list and over all who is closer."""
        n_all = self.n_results + len(self.failures)
        numbers = self.n_results, len(self.failures), self.n_done, n_all - self.n_done
        done = tell("done", counted(n_all, "task"), *(f"{number:,}" for number in numbers))
        lines: list[str | Table] = [done]
        for row in self.failures.head(_MOST_SHOWN).itertuples():
            where = ", ".join(x for x in (row.source, row.step, row.wordlist, row.model) if x)
            lines.append(f"  {where}: {str(row.reason).strip().splitlines()[-1]}")
        if len(self.failures) > _MOST_SHOWN:
            lines.append(f"  {tell('more_failures', f'{len(self.failures) - _MOST_SHOWN:,}')}")
        return [*lines, *_answers(self._contrasts)]


def _answers(contrasts: pd.DataFrame) -> Blocks:
    """Return the lists of the first tasks, then their first contrast, each with its interval."""
    lists = contrasts[contrasts["table"] == "list"]
    of_lists = _rows_of("Who is closer to each list, between groups", lists, ["contrast"])
    rest = contrasts[contrasts["table"] == "contrast"]
    if rest.empty:
        return of_lists
    name = rest["contrast"].iloc[0]
    of_first = _rows_of(str(name), rest[rest["contrast"] == name], [])
    said = about_chance(contrasts, of_lists=len(lists) > 0)
    return [*of_lists, *of_first, *([""] if said else []), *said]


def _rows_of(name: str, found: pd.DataFrame, own: list[str]) -> Blocks:
    """Return the first rows of many, under a name, with `own` columns behind the task's."""
    if found.empty:
        return []
    part = found.head(_MOST_SHOWN)
    names = {"wordlist": "word list"}
    keys = [Column(c, names.get(c, "")) for c in TASK_COLUMNS if part[c].astype(bool).any()]
    keys += [Column(c, "between groups") for c in own]
    trusted = np.where(part["trusted"], "", " (not to be trusted)")
    part = part.assign(verdict_label=part["verdict"] + trusted)
    numbers = (
        Column("mean", form="signed"),
        interval_column(label_of(part)),
        Column("mean_sd", "in sd", "signed"),
    )
    verdict = *chance_columns(part), Column("verdict_label", "verdict", "verdict")
    table = Table(part, [*keys, *numbers, *verdict])
    left_out = len(found) - len(part)
    more = [tell("more_tasks", f"{left_out:,}")] if left_out else []
    return ["", f"{name}:", table, *more]
