"""Which words figures and tables show where there are more than anybody reads."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE, CONNECTION, PROTECTED_WORD, STEREOTYPE_CONNECTIONS

MOST_WORDS: Final = 80
"""Protected words that a figure or a table of the report shows."""

MOST_ATTRIBUTES: Final = 60
"""Attribute words that a figure or a table of the report shows."""


def extremes(table: pd.DataFrame, key: str, most: int) -> list[str]:
    """Return the labels of a table, or those with the lowest and the highest mean.

    Parameters
    ----------
    table : DataFrame
        Columns `key` and ``mean``; the first value of `key` that names a contrast or connection
        decides where each word has several rows.
    key : str
    most : int
        How many labels to return, half of them from each end, in the table's order.

    Examples
    --------
    >>> means = pd.DataFrame({"word": list("abcd"), "mean": [0.3, 0.1, 0.4, 0.2]})
    >>> extremes(means, "word", 2)
    ['b', 'c']
    """
    labels = list(dict.fromkeys(table[key]))
    if len(labels) <= most:
        return labels
    ordered = table.drop_duplicates(key).sort_values("mean", kind="stable")[key].tolist()
    kept = {*ordered[: most // 2], *ordered[len(ordered) - most // 2 :]}
    return [label for label in labels if label in kept]


def shown_words(words: pd.DataFrame) -> list[str]:
    """Return the protected words to show: at most `MOST_WORDS`, those farthest out."""
    return extremes(words, PROTECTED_WORD, MOST_WORDS)


def note_on_words(n_shown: int, n_all: int, where: str) -> str:
    """Say which words are shown; empty where all are.

    Examples
    --------
    >>> note_on_words(3, 3, "x.csv")
    ''
    """
    if n_shown == n_all:
        return ""
    return (
        f"Of {n_all:,} words the {n_shown:,} with the lowest and the highest means are shown; "
        f"{where} has all."
    )


def few_attributes(pairs: pd.DataFrame, words: Sequence[str]) -> pd.DataFrame:
    """Return the pairs of some words with at most `MOST_ATTRIBUTES` stereotype attributes each.

    Those are the nearest and the farthest of each word; control words are kept, as a cloud.
    """
    response = "cosine_distance"
    mine = pairs[pairs[PROTECTED_WORD].isin(words)]
    is_stereotype = mine[CONNECTION].isin(STEREOTYPE_CONNECTIONS)
    kept = [mine[~is_stereotype]]
    for _, part in mine[is_stereotype].groupby(PROTECTED_WORD, sort=False):
        means = part.rename(columns={response: "mean"})
        kept.append(part[part[ATTRIBUTE].isin(extremes(means, ATTRIBUTE, MOST_ATTRIBUTES))])
    return pd.concat(kept).sort_index()
