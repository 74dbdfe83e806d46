"""What became of a difference, and which sentences of `change_sentences` say it.

The terminal, JSON and the page quote them.
"""

from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, CONTROL_CONNECTIONS
from bayesbias.fits.between_groups import ZERO
from bayesbias.fits.narrator import DIRECTIONS, MOST_NAMED, counted_words
from bayesbias.fits.sentences import Names
from bayesbias.inference.decision import DecisionRule
from bayesbias.studies import change_sentences
from bayesbias.studies.change_sentences import ChangeOfList
from bayesbias.support.text_tables import join_words


def outcome_of(row: Any, rule: DecisionRule) -> str:
    """Return what became of a difference, one of `CHANGES`; "" if not known."""
    if row.change != row.change:
        return ""
    before, after, change = (
        _sign(getattr(row, f"{name}_low"), getattr(row, f"{name}_high"))
        for name in ("before", "after", "change")
    )
    if max(-row.change_low, row.change_high) <= rule.width:  # also if it is surely not 0
        return "unchanged"
    if not change:
        return "undecided"
    if not before:
        return "none" if not after else "appeared"
    if change == before:
        return "stronger"
    if max(-row.after_low, row.after_high) <= rule.width:
        return "gone"
    return {before: "weaker", -before: "turned", 0: "not seen"}[after]


def outcomes_of(left: pd.DataFrame, rule: DecisionRule) -> list[ChangeOfList]:
    """Return what became of each row of `Change.left_by_list`; [] where one is not known."""
    found = [
        ChangeOfList(row.attribute_set, outcome_of(row, rule), bool(getattr(row, ZERO)), row)
        for row in left.itertuples()
    ]
    return found if all(one.outcome for one in found) else []


def _sign(low: float, high: float) -> int:
    """Return the sign of all of an interval, 0 where it holds 0."""
    return int(low > 0) - int(high < 0)


def controls_sentence(table: pd.DataFrame, unmoved: pd.DataFrame) -> str:
    """Say which control words, which should stay, did."""
    verdicts = dict(zip(table[CONNECTION], table["verdict"], strict=True))
    verdicts |= dict.fromkeys(unmoved[CONNECTION], "practically equal")
    found: dict[str, list[str]] = {"moved": [], "stayed": [], "unknown": []}
    for name in CONTROL_CONNECTIONS:
        if name in verdicts:
            direction, _, size = verdicts[name].partition(", ")
            stays = "practically equal" in (direction, size)
            moves = direction in DIRECTIONS
            found["stayed" if stays else "moved" if moves else "unknown"].append(name)
    return change_sentences.controls(found)


def grown_associations(
    left: pd.DataFrame, words: pd.DataFrame, before: "pd.Series[float]", names: Names
) -> str:
    """Name the groups and words whose association grew; "" where there are none.

    `words`: changes of the words' contrasts. `before`: by word, the first contrast's plain one.
    """
    grown = [
        (names.title.get(row.group, row.group), row.before, row.after)
        for row in left.iloc[1:].itertuples()
        if _sign(row.change_low, row.change_high) == np.sign(row.after)
        and abs(row.after) > abs(row.before)
    ]
    own = words[words["contrast"] == left["contrast"].iloc[0]]
    of_words = [
        str(row.protected_word)
        for row in own.itertuples()
        if _sign(row.low, row.high) * before[row.protected_word] > 0
    ]
    return change_sentences.grew(grown, of_words, MOST_NAMED)


def other_training(agreement: float | None) -> str:
    """Say that neither side can be made from the other; "" where it may be, or cannot be told."""
    if agreement is None or agreement >= TWO_TRAININGS:
        return ""
    return change_sentences.not_of_one_training(agreement)


def same_training(agreement: float | None, unmoved: pd.DataFrame) -> str:
    """Say whether both sides can be of one training; see `profiles.coordinates_agree`."""
    if len(unmoved):
        return change_sentences.origin("still", words=join_words(unmoved[CONNECTION].tolist()))
    if agreement is None:
        return change_sentences.origin("no vectors")
    if agreement >= ONE_TRAINING:
        return change_sentences.origin("one", agreement)
    return change_sentences.origin("two" if agreement < TWO_TRAININGS else "unclear", agreement)


ONE_TRAINING: Final = 0.7
TWO_TRAININGS: Final = 0.4
"""Correlations of coordinates from which two files can be of one training, and below which not.

Every method of debiasing leaves at least .83 (25 dimensions; .97 in 300), two trainings at most .1.
"""


def answers_of(
    contrasts: pd.DataFrame,
    table: pd.DataFrame,
    words: pd.DataFrame,
    unmoved: pd.DataFrame,
    rule: DecisionRule,
) -> list[str]:
    """Return how the contrasts changed, then how connections and single words moved."""
    rows = list(contrasts.itertuples())
    controls = [
        row.connection
        for row in table.itertuples()
        if row.connection in CONTROL_CONNECTIONS and row.verdict in DIRECTIONS
    ]
    by_word = [
        (name, counted_words(part))
        for number, (name, part) in enumerate(words.groupby(CONNECTION, sort=False))
        if not number or part["verdict"].str.startswith(DIRECTIONS).any()
    ]
    moves = [
        *(change_sentences.moved(row) for row in table.itertuples()),
        *(change_sentences.unmoved(row) for row in unmoved.itertuples()),
    ]
    return [
        *(change_sentences.of_contrast(row, rule) for row in rows[:1]),
        *([change_sentences.of_other_contrasts(rows[1:])] if rows[1:] else []),
        change_sentences.by_connection(moves, controls),
        change_sentences.by_word(by_word),
    ]
