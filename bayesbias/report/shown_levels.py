"""The answers of a fit at every level, and the words shown: what the folder and the page share.

A `Fit` keeps its answers, so that asking twice costs nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    CONNECTION,
    DISTANCE,
    GROUP,
    PROTECTED_WORD,
    REPEATING,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import FitError
from bayesbias.fits.between_groups import LIST
from bayesbias.fits.contrasts import Contrasts
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.quantities import LEVELS
from bayesbias.fits.summaries import Summary
from bayesbias.inference.decision import DecisionRule
from bayesbias.report.captions import tell
from bayesbias.studies.change import Change

_OPTIONAL: Final = (LIST, "attribute", "slope", *REPEATING)
MOST_WORDS: Final = 80  # protected words that a figure or a table of the report shows
MOST_ATTRIBUTES: Final = 60  # attribute words that a figure or a table of the report shows


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
    return tell("some_words", f"{n_all:,}", f"{n_shown:,}", what, where)


def few_attributes(pairs: pd.DataFrame, words: Sequence[str]) -> pd.DataFrame:
    """Return pairs of some words with their nearest and farthest attributes, and all controls."""
    mine = pairs[pairs[PROTECTED_WORD].isin(words)]
    is_stereotype = mine[CONNECTION].isin(STEREOTYPE_CONNECTIONS)
    kept = [mine[~is_stereotype]]
    for _, part in mine[is_stereotype].groupby(PROTECTED_WORD, sort=False):
        means = part.rename(columns={DISTANCE: "mean"})
        kept.append(part[part[ATTRIBUTE].isin(extremes(means, ATTRIBUTE, MOST_ATTRIBUTES))])
    return pd.concat(kept).sort_index()


def summaries_of(fit: Fit, rule: DecisionRule) -> dict[str, Summary]:
    """Return the summaries by level, without those that the model has no effects of."""
    found = {}
    for by in LEVELS:
        try:
            found[by] = fit.summary(by, rule=rule)
        except FitError:
            if by not in _OPTIONAL:
                raise
    return found


def shown_contrasts(fit: Fit, rule: DecisionRule) -> dict[str, Contrasts]:
    """Return the contrasts by level; empty where no two connections are compared."""
    return {by: fit.contrasts(by, rule=rule) for by in fit.contrast_levels}


def words_of_fit(words: Summary, contrasts: Mapping[str, Contrasts]) -> ShownWords:
    """Return the words of a fit that are shown; `contrasts` are those of `shown_contrasts`."""
    table = contrasts["word"].table if contrasts else None
    return shown_words(words.table, table, "summary_by_word.csv")


def words_of_change(change: Change) -> ShownWords:
    """Return the words of a change that are shown."""
    where = "changes_by_word.csv"
    return shown_words(change.words, change.word_contrasts, where, change=True)


def groups_by_word(pairs: pd.DataFrame) -> dict[str, str]:
    """Return the group of every protected word; one of several groups names them all."""
    once = pairs[[PROTECTED_WORD, GROUP]].drop_duplicates().astype(str)
    return once.groupby(PROTECTED_WORD, sort=False)[GROUP].agg(", ".join).to_dict()
