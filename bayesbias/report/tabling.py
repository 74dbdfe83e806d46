"""Turns the package's frames into the tables of a report."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from bayesbias.constants import CONNECTION, PROTECTED_WORD
from bayesbias.report.parts import Column, Table

_MEANS: Final = (
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
DECISIONS: Final = (
    Column("n_pairs", "pairs", "count"),
    Column("mean", "mean", "signed"),
    Column("low", "low", "signed"),
    Column("high", "high", "signed"),
    Column("p_below_zero", "P(< 0)", "distance"),
    Column("inside_rope", "in ROPE", "share"),
    Column("verdict", "verdict", "verdict"),
)
WORD: Final = Column(PROTECTED_WORD, "word")


def table(frame: pd.DataFrame, caption: str, columns: Sequence[Column], **options: Any) -> Table:
    """Return the columns of a frame as a table, values as plain Python ones."""
    keys = list(dict.fromkeys([*(c.key for c in columns),
                               *(k for k in options.values() if isinstance(k, str))]))  # fmt: skip
    rows = tuple(
        {key: _plain(value) for key, value in zip(keys, values, strict=True)}
        for values in frame[keys].itertuples(index=False, name=None)
    )
    return Table(caption, tuple(columns), rows, **options)


def means_table(frame: pd.DataFrame, caption: str, *first: Column, chains: bool = True) -> Table:
    """Return a table of means and intervals, `first` columns in front."""
    return table(frame, caption, [*first, *_MEANS, *(_CHAINS if chains else ())])


def words_table(frame: pd.DataFrame, caption: str, *between: Column) -> Table:
    """Return the means per protected word and connection, to sort and filter."""
    return table(
        frame,
        caption,
        [WORD, Column("group", "group"), Column(CONNECTION, "connection"),
         Column("n_pairs", "pairs", "count"), *between, *_MEANS],
        sortable=True, word=PROTECTED_WORD, connection=CONNECTION,
    )  # fmt: skip


def _plain(value: Any) -> Any:
    """Return a value in plain Python's types."""
    return value.item() if hasattr(value, "item") else value
