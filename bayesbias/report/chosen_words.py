"""Which words figures and tables show where there are more than anybody reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE, CONNECTION, PROTECTED_WORD, STEREOTYPE_CONNECTIONS

MOST_WORDS: Final = 80
"""Protected words that a figure or a table of the report shows."""

MOST_ATTRIBUTES: Final = 60
"""Attribute words that a figure or a table of the report shows."""


def extremes(table: pd.DataFrame, key: str, most: int) -> list[str]:
    """Return the labels of a table, or the `most` whose first rows have the ends of ``mean``."""
    labels = list(dict.fromkeys(table[key]))
    if len(labels) <= most:
        return labels
    ordered = table.drop_duplicates(key).sort_values("mean", kind="stable")[key].tolist()
    kept = {*ordered[: most // 2], *ordered[len(ordered) - most // 2 :]}
    return [label for label in labels if label in kept]


@dataclass(frozen=True)
class ShownWords:
    """The words that a page and figures show, and by what they were chosen if not all are."""

    words: list[str]
    note: str

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a table that are of these words."""
        return table[table[PROTECTED_WORD].isin(self.words)]


def shown_words(
    means: pd.DataFrame, contrasts: pd.DataFrame | None, where: str, *, change: bool = False
) -> ShownWords:
    """Choose the words farthest out by the first contrast, without contrasts by the first mean.

    `means`, `contrasts`: a row per word and connection or contrast; `where`: the file of all words.
    """
    if contrasts is None or contrasts.empty:
        order, what = means, f"mean distance to {means[CONNECTION].iloc[0]} words"
    else:
        order, what = contrasts, str(contrasts["contrast"].iloc[0])
    what = f"change of {what}" if change else what
    words, n_all = extremes(order, PROTECTED_WORD, MOST_WORDS), order[PROTECTED_WORD].nunique()
    return ShownWords(words, note_on_words(len(words), n_all, what, where))


def note_on_words(n_shown: int, n_all: int, what: str, where: str) -> str:
    """Say which words are shown; empty where all are."""
    if n_shown == n_all:
        return ""
    return (
        f"Of {n_all:,} words the {n_shown:,} with the lowest and the highest {what} are shown; "
        f"{where} has all."
    )


def few_attributes(pairs: pd.DataFrame, words: Sequence[str]) -> pd.DataFrame:
    """Return pairs of some words with their nearest and farthest attributes, and all controls."""
    response = "cosine_distance"
    mine = pairs[pairs[PROTECTED_WORD].isin(words)]
    is_stereotype = mine[CONNECTION].isin(STEREOTYPE_CONNECTIONS)
    kept = [mine[~is_stereotype]]
    for _, part in mine[is_stereotype].groupby(PROTECTED_WORD, sort=False):
        means = part.rename(columns={response: "mean"})
        kept.append(part[part[ATTRIBUTE].isin(extremes(means, ATTRIBUTE, MOST_ATTRIBUTES))])
    return pd.concat(kept).sort_index()
