"""What changed, in sentences, which the terminal, JSON and the page quote."""

from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, CONTROL_CONNECTIONS, STEREOTYPE_CONNECTIONS
from bayesbias.fits.between_groups import ZERO
from bayesbias.fits.narrator import (
    DIRECTIONS,
    MOST_NAMED,
    SIZES,
    counted_words,
    edge,
    in_sds,
    sides,
    sizes,
    within,
)
from bayesbias.fits.sentences import ChangeOfList, Names
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.text_tables import bounds, listed, shown, verdict_shown


def outcome(left: pd.DataFrame, rule: DecisionRule) -> str:
    """Say what became of the first row of `Change.left`, in a word or two; "" if not known."""
    return "" if left.empty else _OUTCOMES.get(outcome_of(next(left.itertuples()), rule), "")


def outcome_of(row: Any, rule: DecisionRule) -> str:
    """Return what became of a difference, a key of `sentences.CHANGES`; "" if it is not known."""
    if row.change != row.change:
        return ""
    before, after, change = (
        _sign(getattr(row, f"{name}_low"), getattr(row, f"{name}_high"))
        for name in ("before", "after", "change")
    )
    if not change:
        stays = max(-row.change_low, row.change_high) <= rule.width
        return "unchanged" if stays else "undecided"
    if not before:
        return "none" if not after else "appeared"
    if change == before:
        return "stronger"
    if max(-row.after_low, row.after_high) <= rule.width:
        return "gone"
    return {before: "weaker", -before: "turned", 0: "not seen"}[after]


UNCHANGED: Final = "The association is practically the same"
UNDECIDED: Final = "Whether the association changed cannot be told"
NONE_BEFORE: Final = "Something changed, but there was no sure association before and is none after"
APPEARED: Final = "There is an association that was not sure before"
STRONGER: Final = "The association is stronger"
WEAKER: Final = "The association is weaker, and not gone"
TURNED: Final = "The association has turned round"
GONE: Final = "The association is practically gone"
NOT_SEEN: Final = "The association is no longer seen"
_OUTCOMES: Final = {
    "unchanged": UNCHANGED,
    "undecided": UNDECIDED,
    "none": NONE_BEFORE,
    "appeared": APPEARED,
    "stronger": STRONGER,
    "weaker": WEAKER,
    "turned": TURNED,
    "gone": GONE,
    "not seen": NOT_SEEN,
}


def of_lists(left: pd.DataFrame, rule: DecisionRule) -> list[ChangeOfList]:
    """Return what became of each row of `Change.left_by_list`; [] where one is not known."""
    found = [
        ChangeOfList(row.attribute_set, outcome_of(row, rule), bool(getattr(row, ZERO)), row)
        for row in left.itertuples()
    ]
    return found if all(one.outcome for one in found) else []


def _sign(low: float, high: float) -> int:
    """Return the sign of all of an interval, 0 where it holds 0."""
    return int(low > 0) - int(high < 0)


def headline(
    left: pd.DataFrame,
    table: pd.DataFrame,
    unmoved: pd.DataFrame,
    names: Names,
    rule: DecisionRule,
) -> str:
    """Say for a layman whether it worked, what is left, and what else moved; "" if unknown."""
    said = outcome(left, rule)
    if not said:
        return ""
    row = next(left.itertuples())
    left_over = row.reason
    if not left_over:
        share = f"{shown(row.left, 'percent')} ({_ends(row, 'left', 'percent')}) of"
        is_rest = said not in (STRONGER, TURNED)
        left_over = f"{share} it is left" if is_rest else f"it is {share} what it was"
    before, *ends = sizes(row.before < 0, row.before, row.before_low, row.before_high)
    one = len(names.own) == 1
    who = names.title[next(iter(names.own))] if one else "over all groups, protected words"
    return (
        f"{said}: {who} were {_near(row.before)} {_to_what(names, row.contrast)} by "
        f"{before} before ({rule.label} {' to '.join(ends)}) and {_after(row)}; {left_over}. "
        f"{_of_groups(left, names)}{controls_sentence(table, unmoved)}"
    )


def _of_groups(left: pd.DataFrame, names: Names) -> str:
    """Say which groups have an association after; an average of opposite ones shows none."""
    said = []
    for row in left.itertuples():
        if row.group in names.own and _sign(row.after_low, row.after_high):
            size, *ends = sizes(row.after < 0, row.after, row.after_low, row.after_high)
            where = f"{_near(row.after)} theirs by {size} ({' to '.join(ends)})"
            said.append(f"{names.title[row.group]} are {where}")
    return f"Afterwards, {listed(said)}. " if said and len(names.own) > 1 else ""


def _to_what(names: Names, contrast: str) -> str:
    """Say what the two sides of a contrast are, those of stereotypes by the lists' titles."""
    first, second = sides(contrast)
    if (first, second) != STEREOTYPE_CONNECTIONS:
        return f"{first} words than to {second} words"
    named = len(names.own) <= _MOST_TITLES and any([g] != own for g, own in names.own.items())
    what = f" ({'; '.join(map(names.sets, names.own.values()))})" if named else ""
    return f"their own attributes{what} than to the others'"


_MOST_TITLES: Final = 3


def _near(difference: float) -> str:
    return "nearer to" if difference < 0 else "farther from"


def _after(row: Any) -> str:
    """Say the difference after in the direction of before, or in its own where it has turned."""
    turned = row.before * row.after < 0 and _sign(row.after_low, row.after_high)
    negative = (row.after if turned else row.before) < 0
    size, *ends = sizes(negative, row.after, row.after_low, row.after_high)
    where = f"are {_near(row.after)} them " if turned else ""
    return f"{where}by {size} after ({' to '.join(ends)})"


def _ends(row: Any, name: str, form: str) -> str:
    low, high = (shown(getattr(row, f"{name}_{end}"), form) for end in ("low", "high"))
    return f"{low} to {high}"


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
    said = []
    if found["moved"]:
        said.append(f"{listed(found['moved'])} words, which should stay, moved too")
    if found["stayed"]:
        said.append(f"{listed(found['stayed'])} words stayed, as they should")
    if found["unknown"]:
        said.append(f"whether {listed(found['unknown'])} words moved cannot be told")
    text = "; ".join(said) or "there are no control words to say what else moved"
    return f"{text[0].upper()}{text[1:]}."


def against(
    left: pd.DataFrame, words: pd.DataFrame, before: "pd.Series[float]", names: Names
) -> str:
    """Name the groups and words whose association grew; "" where there are none.

    `words`: changes of the words' contrasts. `before`: by word, the first contrast's plain one.
    """
    if left.empty:
        return ""
    grown = [
        f"{names.title.get(row.group, row.group)} (from {shown(row.before, 'signed')} to "
        f"{shown(row.after, 'signed')})"
        for row in left.iloc[1:].itertuples()
        if _sign(row.change_low, row.change_high) == np.sign(row.after)
        and abs(row.after) > abs(row.before)
    ]
    own = words[words["contrast"] == left["contrast"].iloc[0]]
    grown += [
        str(row.protected_word)
        for row in own.itertuples()
        if _sign(row.low, row.high) * before[row.protected_word] > 0
    ]
    if not grown:
        return ""
    more = ", …" if len(grown) > MOST_NAMED else ""
    return f"Against what debiasing is for, it grew for {', '.join(grown[:MOST_NAMED])}{more}."


def other_training(agreement: float | None) -> str:
    """Say that neither side can be made from the other; "" where it may be, or cannot be told."""
    if agreement is None or agreement >= TWO_TRAININGS:
        return ""
    return f"not of one training ({_coordinates(agreement)})"


def _coordinates(agreement: float) -> str:
    return f"the coordinates of common words correlate by {shown(agreement, 'sds').lstrip('+')}"


def origin_of_sides(agreement: float | None, unmoved: pd.DataFrame) -> str:
    """Say whether both sides can be of one training; see `profiles.coordinates_agree`."""
    if len(unmoved):
        still = f"{listed(unmoved[CONNECTION].tolist())} distances are the same on both sides"
        return f"Both sides are of one training: {still}."
    if agreement is None:
        return (
            f"Whether both sides are of one training cannot be told without vectors of common "
            f"words; if not, {_CHANCE}."
        )
    told = _coordinates(agreement)
    if agreement >= ONE_TRAINING:
        return f"Both sides can be of one training, one made from the other: {told}."
    if apart := other_training(agreement):
        return f"The two sides are {apart}, and {_CHANCE}."
    return f"Whether both sides are of one training cannot be told ({told}); if not, {_CHANCE}."


ONE_TRAINING: Final = 0.7
TWO_TRAININGS: Final = 0.4
"""Correlations of coordinates from which two files can be of one training, and below which not.

Every method of debiasing leaves at least .83 (25 dimensions; .97 in 300), two trainings at most .1.
"""

_CHANCE: Final = (
    "one run a side cannot tell what was done from what training again does by chance: compare "
    "several runs of each (docs/sources.md)"
)


def answers_of(
    contrasts: pd.DataFrame,
    table: pd.DataFrame,
    words: pd.DataFrame,
    unmoved: pd.DataFrame,
    rule: DecisionRule,
) -> list[str]:
    """Return how the contrasts changed, then how connections and single words moved."""
    rows = list(contrasts.itertuples())
    others = [_changed_briefly(row) for row in rows[1:]]
    moves = [_moved(row, rule) for row in table.itertuples()]
    moves += [
        f"{row.connection} words did not move (no pair by more than {row.largest_change:.1g})"
        for row in unmoved.itertuples()
    ]
    controls = [
        row.connection
        for row in table.itertuples()
        if row.connection in CONTROL_CONNECTIONS and row.verdict in DIRECTIONS
    ]
    warning = f" Controls should stay, and {listed(controls)} words did not." if controls else ""
    by_word = [
        f"the change to {name} words is {counted_words(part)}"
        for number, (name, part) in enumerate(words.groupby(CONNECTION, sort=False))
        if not number or part["verdict"].str.startswith(DIRECTIONS).any()
    ]
    return [
        *(_changed(row, rule) for row in rows[:1]),
        *([f"Other contrasts: {'; '.join(others)}."] if others else []),
        f"By connection: {'; '.join(moves)}.{warning}",
        f"Word by word, {'; '.join(by_word)}.",
    ]


def _changed(row: Any, rule: DecisionRule) -> str:
    """Say how a contrast was before and after, and what its modelled change is."""
    first, second = sides(row.contrast)
    direction, _, size = row.verdict.partition(", ")
    what = {
        "closer": f"{first} words came closer relative to {second} words",
        "farther": f"{first} words moved away relative to {second} words",
        "practically equal": f"practically no change (within {within(rule)})",
        "undecided": "whether it changed is undecided",
    }[direction]
    return (
        f"{row.contrast.capitalize()} went from {_plain(row.before)} before to "
        f"{_plain(row.after)} after (plain means of the listed pairs). The modelled change is "
        f"{shown(row.mean, 'signed')} ({rule.label} {bounds(row, 'signed')}"
        f"{in_sds(row.standardised, rule)}): {what}{SIZES.get(size, '')}{edge(row, rule)}."
    )


def _changed_briefly(row: Any) -> str:
    return (
        f"{row.contrast} from {_plain(row.before)} to {_plain(row.after)} (change "
        f"{shown(row.mean, 'signed')}, {bounds(row, 'signed')}: {verdict_shown(row)})"
    )


def _plain(difference: float) -> str:
    """Write a difference; one that rounds to 0 without a sign."""
    text = shown(difference, "signed")
    return text[1:] if float(text[1:]) == 0 else text


def _moved(row: Any, rule: DecisionRule) -> str:
    direction, _, size = row.verdict.partition(", ")
    name = f"{row.connection} words"
    what = {
        "closer": f"{name} moved closer to the protected words",
        "farther": f"{name} moved farther away",
        "practically equal": f"{name} practically stayed",
        "undecided": f"whether {name} moved is undecided",
    }[direction]
    numbers = f"{shown(row.mean, 'signed')}, {bounds(row, 'signed')}"
    return f"{what}{SIZES.get(size, '')}{edge(row, rule)} ({numbers})"
