"""Turns the package's frames into the tables of a report."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from bayesbias.constants import CONNECTION, GROUP, PROTECTED_WORD
from bayesbias.report.answer import verdict_shown
from bayesbias.report.parts import Column, Part, Table, Text
from bayesbias.support import text_tables

_MEANS: Final = (
    Column("listed", "listed", "distance"),
    Column("mean", "mean", "distance"),
    Column("sd", "sd", "distance"),
    Column("low", "low", "distance"),
    Column("high", "high", "distance"),
)
_CHAINS: Final = (
    Column("ess_bulk", "ESS bulk", "count"),
    Column("ess_tail", "ESS tail", "count"),
    Column("r_hat", "R-hat", "distance"),
)
_DECISIONS: Final = (
    Column("listed", "listed", "signed"),
    Column("before", "before", "signed"),
    Column("after", "after", "signed"),
    Column("mean", "mean", "signed"),
    Column("low", "low", "signed"),
    Column("high", "high", "signed"),
    Column("standardised", "in sd", "sds"),
    Column("p_below_zero", "P(< 0)", "distance"),
    Column("inside_rope", "in ROPE", "share"),
    Column("shown_verdict", "verdict", "verdict"),
)
PAIRS: Final = Column("n_pairs", "pairs", "count")
WORD: Final = Column(PROTECTED_WORD, "word")
WORD_FILTER: Final = {"sortable": True, "word": PROTECTED_WORD, "connection": CONNECTION}
"""Options of a table of words that filters govern."""


def table(frame: pd.DataFrame, caption: str, columns: Sequence[Column], **options: Any) -> Table:
    """Return the columns of a frame as a table, values as plain Python ones."""
    filters = [value for value in options.values() if isinstance(value, str)]
    keys = list(dict.fromkeys([*(c.key for c in columns), *filters]))
    keys += [GROUP] if "word" in options and GROUP not in keys else []
    rows = tuple(
        {key: _plain(value) for key, value in zip(keys, values, strict=True)}
        for values in frame[keys].itertuples(index=False, name=None)
    )
    return Table(caption, tuple(columns), rows, **options)


def means_table(frame: pd.DataFrame, caption: str, *first: Column, **options: Any) -> Table:
    """Return a table of means and intervals, `first` columns in front.

    Columns that a summary lacks are left out: ``listed`` for terms, ESS and R-hat for draws that
    are no Markov chains.
    """
    rest = [column for column in (*_MEANS, *_CHAINS) if column.key in frame]
    return table(frame, caption, [*first, *rest], **options)


def decisions_table(frame: pd.DataFrame, caption: str, *first: Column, **options: Any) -> Table:
    """Return a table of decisions, `first` columns in front; columns of NaN are left out."""
    shown = frame.assign(
        shown_verdict=[verdict_shown(row) for row in frame.itertuples()],
        verdict=frame["verdict"].astype(object),
    )
    rest = [c for c in _DECISIONS if c.key in shown and shown[c.key].notna().any()]
    return table(shown, caption, [*first, *rest], **options)


def words_table(frame: pd.DataFrame, caption: str) -> Table:
    """Return the means per protected word and connection, to sort and filter."""
    first = (WORD, Column(GROUP, "group"), Column(CONNECTION, "connection"), PAIRS)
    return means_table(frame, caption, *first, **WORD_FILTER)


def parts_of(blocks: text_tables.Blocks, caption: str) -> tuple[Part, ...]:
    """Return what another result shows as parts: its sentences and its tables of texts."""
    found: list[Part] = []
    for block in blocks:
        if isinstance(block, str):
            found += [Text(block)] if block.strip() else []
            continue
        names = [str(name) for name in block.frame.columns]
        columns = [
            Column(name, name, "text" if is_left else "number")
            for name, is_left in zip(names, block.is_left, strict=True)
        ]
        found.append(table(block.frame.set_axis(names, axis=1).astype(str), caption, columns))
    return tuple(found)


def _plain(value: Any) -> Any:
    """Return a value in plain Python's types."""
    return value.item() if hasattr(value, "item") else value
