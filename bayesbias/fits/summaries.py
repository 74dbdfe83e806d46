"""Summaries of a posterior: means with intervals, level by level."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    CONNECTIONS,
    GROUP,
    INNER_PROB,
    PROTECTED_WORD,
    REPEATING,
)
from bayesbias.fits import captions
from bayesbias.fits.between_groups import LIST
from bayesbias.fits.quantities import (
    FitContext,
    Groups,
    Quantities,
    estimand,
    groups_of,
    quantities,
)
from bayesbias.fits.shown_rows import Shown, Titled, chosen_rows, titled
from bayesbias.inference.design import Design
from bayesbias.inference.predictive import predictive_intervals
from bayesbias.support.arrays import Array
from bayesbias.support.compatibility import ess_and_rhat
from bayesbias.support.result import Result
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Table,
    interval_column,
    label_of,
    with_blank_lines,
)
from bayesbias.support.types import Figure

_KEYS: Final = {
    LIST: [ATTRIBUTE_SET, GROUP, CONNECTION],
    "connection": [CONNECTION],
    "group": [GROUP, CONNECTION],
    "word": [PROTECTED_WORD, GROUP, CONNECTION],
    "attribute": [ATTRIBUTE, "kind"],
    "term": ["parameter", "applies_to"],
    "slope": ["slope", "applies_to"],
    **{by: ["quantity", by] for by in REPEATING},
}


@dataclass(frozen=True, repr=False)
class Summary(Titled):
    """Means with intervals; made by `Fit.summary`.

    Parameters
    ----------
    table : DataFrame
        The level's own columns; for means per connection ``n_pairs`` and ``listed``, the plain
        mean of the listed pairs; then ``mean``, ``sd``, ``low``, ``high``, ``interval``, ``prob``
        and, for Markov chains, ``ess_bulk``, ``ess_tail``, ``r_hat``.
    by : str
        The level.
    inner : DataFrame
        ``low`` and ``high`` of the 50% interval, row by row.
    only_listed : bool
        Whether means are over the listed words alone, as of models that fix the connection means.
    groups : Groups
        What the model knows of groups.
    titles : mapping
        What figures and LaTeX call groups and attribute sets, as sentences do, by column.
    """

    table: pd.DataFrame
    by: str
    inner: pd.DataFrame
    only_listed: bool = False
    groups: Groups = field(default_factory=Groups)
    titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def caption(self) -> str:
        """What the numbers are about."""
        return estimand(self.by, self.groups, only_listed=self.only_listed)

    @property
    def blocks(self) -> Blocks:
        """The table, in parts where it is one of words, contexts or runs, and the caption."""
        if self.by == "word":
            part_of, keys = GROUP, [PROTECTED_WORD, CONNECTION]
        elif self.by in REPEATING:
            part_of, keys = "contrast", _KEYS[self.by]
        else:
            return [means_table(self.table, _KEYS[self.by]), self.caption]
        blocks: list[str | Table] = []
        for name, part in self.table.groupby(part_of, sort=False):
            blocks += [f"{name}:", means_table(part, keys), ""]
        return [*blocks, self.caption]

    def plot(self, **shown: Unpack[Shown]) -> Figure:
        """Draw the means with their intervals; by context or run, of the first contrast.

        Other Parameters
        ----------------
        contrasts, groups, words : str or sequence of str, optional
            Only these, in this order, as far as the level has them.
        ax, figsize, palette : Axes, float or pair, str or sequence, optional
            Your axes; width in inches, or width and height; colours: the docs' page on figures.
        """
        from bayesbias.fits.interval_figures import plot_repeats, plot_rows, plot_words

        table, place = chosen_rows(self.table, shown)
        inner = self.inner.loc[table.index]
        if self.by == "word":
            return plot_words(table, **place)
        if self.by in REPEATING:
            return plot_repeats(table, inner, self.by, **place)
        return plot_rows(titled(table, self.titles), inner, _KEYS[self.by], **place)


@dataclass(frozen=True, repr=False)
class Coverage(Result):
    """Shares of pairs inside their predictive interval, in-sample; made by `Fit.coverage`.

    Parameters
    ----------
    table : DataFrame
        Columns ``connection`` (first ``all``), ``n_pairs``, ``prob``, ``interval``, ``inside``.
    """

    table: pd.DataFrame

    @property
    def blocks(self) -> Blocks:
        """The table, and why its shares are somewhat too large."""
        columns = [
            Column(CONNECTION),
            Column("n_pairs", "pairs", "count", drop_priority=1),
            Column("prob", "interval", "prob"),
            Column("inside", form="share"),
        ]
        return with_blank_lines(
            "Share of pairs inside their predictive interval, in-sample:",
            Table(self.table, columns),
            captions.tell("in_sample"),
        )


def summary_of(fitted: FitContext, by: str, *, prob: float, interval: str) -> Summary:
    """Summarise a level of a fit; see `Fit.summary`."""
    found = quantities(fitted, by)
    bounds, narrow = found.intervals((prob, INNER_PROB), interval)
    table = summarise(found, bounds, prob=prob, interval=interval)
    inner = pd.DataFrame(narrow, columns=["low", "high"])
    if by == "slope":
        table["per_unit"] = table["mean"] / table["unit"]
    if by == "attribute":
        order = np.argsort(table["mean"].to_numpy(), kind="stable")
        table, inner = (f.iloc[order].reset_index(drop=True) for f in (table, inner))
    only_listed = fitted.design.fixed_mean is not None
    return Summary(table, by, inner, only_listed, groups_of(fitted.design))


def summarise(found: Quantities, bounds: Array, *, prob: float, interval: str) -> pd.DataFrame:
    """Summarise draws, one row per quantity; `bounds` are the ends of their intervals.

    The labels, then ``mean``, ``sd``, ``low``, ``high``, ``interval``, ``prob``, and of Markov
    chains ``ess_bulk``, ``ess_tail``, ``r_hat``.
    """
    table, values = found.labels.reset_index(drop=True), found.draws
    means, sds = values.mean(axis=0), values.std(axis=0, ddof=1)
    for row, mixture in enumerate(found.exact):
        if found.drawn is None or not found.drawn[row]:
            means[row], sds[row] = mixture.mean, mixture.sd
    table["mean"], table["sd"] = means, sds
    table["low"], table["high"] = bounds[:, 0], bounds[:, 1]
    table["interval"], table["prob"] = interval, prob
    if found.chains:
        chains = xr.DataArray(
            values.reshape(found.chains, -1, values.shape[1]), dims=("chain", "draw", "quantity")
        )
        for name, check in ess_and_rhat(chains).items():
            table[name] = check.to_numpy()
    return table


def means_table(
    frame: pd.DataFrame, keys: Sequence[str | Column], caption: str = "", **options: Any
) -> Table:
    """Return means with their intervals as a table, `keys` first, without columns that it lacks."""
    form = "signed" if {"kind", "contrast", "slope"} & set(frame) else "distance"
    columns = [
        *(key if isinstance(key, Column) else Column(key) for key in keys),
        Column("n_pairs", "pairs", "count", drop_priority=2),
        Column("listed", form=form, drop_priority=1),
        Column("mean", form=form),
        Column("sd", form="distance", detail=True),
        interval_column(label_of(frame), form),
        Column("per_unit", "per unit", "signed", drop_priority=1),
        Column("ess_bulk", "ESS bulk", "count", detail=True),
        Column("ess_tail", "ESS tail", "count", detail=True),
        Column("r_hat", "R-hat", "distance", detail=True),
    ]
    present = [c for c in columns if set(c.keys) <= set(frame)]
    return Table(frame, present, caption, **options)


def predictions(
    posterior: xr.Dataset, design: Design, *, probs: Sequence[float], interval: str
) -> list[pd.DataFrame]:
    """Return each pair's predicted mean and interval, and whether it is inside: a table a prob."""
    mean, ends = predictive_intervals(posterior, design, probs=probs, interval=interval)
    common = {
        PROTECTED_WORD: np.array(design.protected_words, dtype=object)[design.word],
        ATTRIBUTE: np.array(design.attributes, dtype=object)[design.attribute],
        CONNECTION: np.array(design.connections, dtype=object)[design.connection],
        "observed": design.response,
        "mean": mean,
    }
    tables = []
    for prob, (low, high) in zip(probs, (found.T for found in ends), strict=True):
        inside = (design.response >= low) & (design.response <= high)
        columns = {"low": low, "high": high, "interval": interval, "prob": prob, "inside": inside}
        tables.append(pd.DataFrame({**common, **columns}))
    return tables


def coverage_table(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the share of pairs inside their predictive interval, in all and per connection."""
    rows = []
    for table in tables:
        present = [c for c in CONNECTIONS if (table[CONNECTION] == c).any()]
        parts = [("all", table), *((c, table[table[CONNECTION] == c]) for c in present)]
        rows += [
            (name, len(part), part["prob"].iloc[0], part["interval"].iloc[0], part["inside"].mean())
            for name, part in parts
        ]
    return pd.DataFrame(rows, columns=[CONNECTION, "n_pairs", "prob", "interval", "inside"])
