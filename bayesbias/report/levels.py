"""The answers of a fit at every level that it has: what the folder and the page share.

A `Fit` keeps its answers, so that asking twice costs nothing.
"""

from collections.abc import Mapping
from typing import Final

import pandas as pd

from bayesbias.constants import GROUP, PROTECTED_WORD, REPEATING
from bayesbias.errors import FitError
from bayesbias.fits.contrasts import Contrasts
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.quantities import LEVELS
from bayesbias.fits.summaries import Summary
from bayesbias.inference.decision import DecisionRule
from bayesbias.report.chosen_words import ShownWords, shown_words
from bayesbias.studies.change import Change

_OPTIONAL: Final = ("attribute", "slope", *REPEATING)


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


def contrasts_of(fit: Fit, rule: DecisionRule) -> dict[str, Contrasts]:
    """Return the contrasts by level; empty where no two connections are compared."""
    return {by: fit.contrasts(by, rule=rule) for by in fit.contrast_levels}


def words_of_fit(words: Summary, contrasts: Mapping[str, Contrasts]) -> ShownWords:
    """Return the words of a fit that are shown; `contrasts` are those of `contrasts_of`."""
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
