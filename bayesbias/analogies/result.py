"""What every function of the room returns: a headline, a table, and what it depends on."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from bayesbias.show.result import Blocks, Result, Table


@dataclass(frozen=True, eq=False, repr=False)
class AnalogyResult(Result):
    """Answers to analogies.

    Parameters
    ----------
    headline : str
        What was asked, and the first answer.
    table : DataFrame
        All numbers; the function that returns it names the columns.
    parameters : dict
        The arguments, defaults included, and ``n_words``, the number of candidates.
    shown : Table
        The table as a screen or a page has it.
    """

    headline: str
    table: pd.DataFrame
    parameters: dict[str, Any]
    shown: Table

    @property
    def blocks(self) -> Blocks:
        """The headline and the table."""
        return [self.headline, "", self.shown]

    def to_dict(self) -> dict[str, Any]:
        """Return headline, table and parameters as plain data."""
        content = super().to_dict()
        return {name: content[name] for name in ("headline", "table", "parameters")}


def marked(word: str, role: str) -> str:
    """Return a word as tables have it, with its letter where it is a word of the query."""
    return f"{word} ({role})" if role else word
