"""Sentences about a change: their templates, and which of them a result takes.

As for a fit (`fits.sentences`), a headline is one sentence of at most 25 words with shipped titles.
It says what became of the difference between groups on each attribute list; how large it was and
is, and how much of it is left, is a line for each list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import HDPI_PROB, STEREOTYPE_CONNECTIONS
from bayesbias.fits.narrator import SIZES, edge, in_sds, sides, within
from bayesbias.fits.sentences import (
    CLOSER,
    Names,
    elided,
    every_list,
    groups_of,
    interval,
    lists_of_group,
    number,
    sentence,
    short_titles,
    tell,
    towards,
    which_lists,
)
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.text_tables import bounds, listed, percent, shown, typeset, verdict_shown

REMOVED: Final = "removed for this list: {groups} {how} differ in how close they are to {lists}"
NOTHING_TO_REMOVE: Final = (
    "{groups} {how} differ in how close they are to {lists}; before, no difference was sure"
)
_HOW: Final = {True: "no longer", False: "practically no longer"}
_MOST_LEFT: Final = {
    "one": "for other words like these, up to {most} of the difference towards {lists} may be left",
    "several": "for other words like these, up to {most} of the difference towards any list "
    "may be left",
    "average": "for other words like these, on average up to {most} of the difference may be left",
}
UNTESTED: Final = "other words were not tested"

CHANGES: Final = {
    "zero": "{groups} no longer differ towards {lists}",
    "gone": "{groups} practically no longer differ towards {lists}",
    "weaker": "{groups} still differ, but less, towards {lists}",
    "not seen": "{groups} no longer clearly differ towards {lists}",
    "stronger": "{groups} now differ more towards {lists}",
    "turned": "{groups} differ the other way towards {lists}",
    "appeared": "{groups} now clearly differ towards {lists}",
    "unchanged": "practically nothing changed between {groups} towards {lists}",
    "none": "{groups} never clearly differed towards {lists}",
    "undecided": "we cannot tell whether {groups} now differ less or more towards {lists}",
}
_SHORT: Final = {
    "zero": "towards {lists} they no longer do",
    "gone": "towards {lists} they practically no longer do",
    "weaker": "towards {lists} still, but less",
    "not seen": "towards {lists} no longer clearly",
    "stronger": "towards {lists} they differ more",
    "turned": "towards {lists} the other way",
    "appeared": "towards {lists} they clearly do",
    "unchanged": "towards {lists} practically nothing changed",
    "none": "towards {lists} they never clearly did",
    "undecided": "towards {lists} we cannot tell",
}
"""What became of a difference: of the first lists, and of others after them."""

_ON_AVERAGE: Final = "{said}; {which} alone we cannot tell"

_LINE: Final = (
    "{lists}: before, {own} were {before} than {others} ({label} {interval_before}); after, {after}"
)
_AFTER: Final = "they are {after} ({interval_after})"
_ZERO_AFTER: Final = "the difference is 0 by construction"
_LEFT: Final = "{left:z.0%} of it is left ({low:z.0%} to {high:z.0%})"
_NOT_KNOWN: Final = "how much of it is left is not known: {reason}"
_EQUALLY: Final = "as close"
_SHARED: Final = (
    "compared with people in general, all these words are now closer to {near} than to {far}, by "
    "{size} ({label} {interval}): that is no difference between the groups"
)
_OF_GROUPS: Final = "compared with people in general, afterwards {said}"
ZERO_NOTE: Final = (
    "every listed attribute of {lists} is now as far from one group as from the other: the step "
    "makes this 0 by construction, which is no evidence about other words"
)

OVER_ALL: Final = {
    "unchanged": "practically nothing changed",
    "undecided": "we cannot tell whether the association changed",
    "none": "something changed, but no association was sure before, and none is after",
    "appeared": "there is now an association, which was not sure before",
    "stronger": "the association is stronger",
    "weaker": "the association is weaker, and not gone",
    "turned": "the association has turned round",
    "gone": "the association is practically gone",
    "not seen": "the association is no longer clearly seen",
}
"""What became of an association where groups are not compared list by list."""

_OVER_ALL: Final = "{outcome}: {who} were {before} {what} before, and are {after} after"
_SIZES: Final = (
    "before they were {before} ({label} {interval_before}), after they are {after} "
    "({interval_after}); {left}"
)
_OWN_WHAT: Final = "to their own attributes{lists} than to the others'"
_OTHER_WHAT: Final = "to {first} words than to {second} words"
_EVERYBODY: Final = "over all groups, protected words"
_EACH: Final = "{group} {after} ({interval_after})"
_OPPOSITE: Final = "after, of each group by itself, relative to the other lists: {said}"
_GREW: Final = "the association grew for {who}"
_FROM_TO: Final = "{group} (from {before} to {after})"

_CONTROLS: Final = {
    "moved": "{words} words, which should stay, moved too",
    "stayed": "mean distances to {words} words stayed, as they should",
    "unknown": "whether {words} words moved cannot be told",
}
_NO_CONTROLS: Final = "there are no control words to say what else moved"

_RATES: Final = {
    "change-maximal": (
        "of lists that a step does not change, this model calls 5 to 18% changed, where {nominal} "
        "should be: distrust a small change, above all if attributes come from few topics"
    ),
    "change-runs": (
        "of lists that differ by training again alone, this model calls 15.5% changed with five "
        "runs a side, where {nominal} should be: distrust a small change"
    ),
}
_UNKNOWN_RATE: Final = (
    "how often this model finds a change where there is none was not measured: distrust a small "
    "change"
)

_COORDINATES: Final = "the coordinates of common words correlate at {agreement:.2f}"
NOT_ONE_TRAINING: Final = "not of one training ({coordinates})"
_CHANCE: Final = (
    "one run a side cannot tell what was done from what training again does by chance: compare "
    "several runs of each (docs/sources.md)"
)
_ORIGINS: Final = {
    "still": "both files come from one training: {words} distances are the same in both",
    "no vectors": (
        "whether both files come from one training cannot be told without vectors of common words; "
        "if not, {chance}"
    ),
    "one": "both files can come from one training, one made from the other: {coordinates}",
    "two": "the two files are {two}, and {chance}",
    "unclear": (
        "whether both files come from one training cannot be told ({coordinates}); if not, {chance}"
    ),
}

_CONTRAST: Final = (
    "{contrast} went from {before} before to {after} after (plain means of the listed pairs). The "
    "modelled change is {change} ({label} {ends}{sds}): {verdict}{size}{edge}"
)
_VERDICTS: Final = {
    "closer": "{first} words came closer relative to {second} words",
    "farther": "{first} words moved away relative to {second} words",
    "practically equal": "practically no change (within {rope})",
    "undecided": "whether it changed is undecided",
}
_BRIEFLY: Final = "{contrast} from {before} to {after} (change {change}, {ends}: {verdict})"
_OTHERS: Final = "other contrasts: {said}"
_MOVES: Final = {
    "closer": "{name} words moved closer to the protected words",
    "farther": "{name} words moved farther away",
    "practically equal": "{name} words practically stayed",
    "undecided": "whether {name} words moved is undecided",
}
_MOVE: Final = "{what}{size}{edge} ({change}, {ends})"
_UNMOVED: Final = "{name} words did not move (no pair by more than {largest:.1g})"
_BY_CONNECTION: Final = "by connection: {said}"
_CONTROLS_MOVED: Final = "controls should stay, and {words} words did not"
_BY_WORD: Final = "word by word, {said}"
_OF_WORDS: Final = "the change to {name} words is {counts}"


@dataclass(frozen=True)
class ChangeOfList:
    """What became of the difference on one list: a key of `CHANGES`; whether it is 0 by making."""

    name: str
    outcome: str
    zero: bool
    row: Any


def known_rate(model: str, prob: float) -> str:
    """Say how often a model finds a change where there is none; docs/debiasing.md has the tests."""
    text = _RATES.get(model, _UNKNOWN_RATE) if prob == HDPI_PROB else _UNKNOWN_RATE
    return sentence(text.format(nominal=percent(round(1.0 - prob, 6))))


def direction(value: float) -> str:
    """Write a difference in words, such as "0.09 closer", or "equally close"."""
    return _EQUALLY if abs(value) < 0.0005 else towards(value)


def _sizes(row: Any, label: str) -> dict[str, str]:
    """Return what templates say of a row: before and after with intervals, and what is left."""
    return {
        "label": label,
        "before": direction(row.before),
        "after": direction(row.after),
        "interval_before": interval(row.before_low, row.before_high),
        "interval_after": interval(row.after_low, row.after_high),
        "left": typeset(
            _NOT_KNOWN.format(reason=row.reason)
            if row.reason
            else _LEFT.format(left=row.left, low=row.left_low, high=row.left_high)
        ),
    }


def lines_of_change(found: Sequence[ChangeOfList], names: Names, label: str) -> tuple[str, ...]:
    """Return a sentence per list: the difference before and after, and what is left of it."""
    said = []
    for one in found:
        own, others = map(names.together, names.sides(one.name))
        words = {**_sizes(one.row, label), "own": own, "others": others}
        after = _ZERO_AFTER if one.zero else _AFTER.format(**words)
        after += "" if one.zero and one.row.reason else f"; {words['left']}"
        words |= {"after": after, "lists": names.set_title[one.name]}
        said.append(sentence(_LINE.format(**words)))
    return tuple(said)


def compared_with_people(
    groups: pd.DataFrame, found: Sequence[ChangeOfList], names: Names, label: str
) -> str:
    """Say what groups have after, relative to reference words; "" where nothing is sure.

    `groups`: rows of `Change.left`, one a group. Where no list tells two groups apart they share
    what each of them has.
    """
    sure = [r for r in groups.itertuples() if r.after_high < 0 or r.after_low > 0]
    if not sure:
        return ""
    near = next((row for row in sure if row.after < 0), None)
    if near is not None and len(found) == 2 and all(one.zero for one in found):
        own, other = names.own[near.group], names.other[near.group]
        titles = elided([names.set_title[own[0]], names.set_title[other[0]]])
        words = {"near": titles[0], "far": titles[1], "size": number(near.after), "label": label}
        ends = interval(near.after_low, near.after_high)
        return sentence(_SHARED.format(**words, interval=ends.removesuffix(f" {CLOSER}")))
    said = []
    for row in sure:
        words = {"own": names.title[row.group], **lists_of_group(row.group, names)}
        ends = interval(row.after_low, row.after_high).rpartition(" ")[0]
        state, by = towards(row.after).rpartition(" ")[2], f"{number(row.after)} ({ends})"
        said.append(tell("one_group", state, **words, by=by))
    return sentence(_OF_GROUPS.format(said=listed(said)))


def zero_note(lists: Sequence[str]) -> str:
    """Say that differences on lists, by their titles, are 0 by construction."""
    return sentence(ZERO_NOTE.format(lists=listed(elided(lists))))


def headline_of_change(
    found: Sequence[ChangeOfList], names: Names, over_all: ChangeOfList | None = None
) -> str:
    """Say what became of the differences between groups; `over_all`: of all lists' average."""
    who = listed([names.title[group] for group in groups_of(found, names)])
    every = names.set_title[found[0].name] if len(found) == 1 else every_list(len(found))
    whole = [*found, *([over_all] if over_all is not None else [])]
    if all(one.zero or one.outcome == "gone" for one in found):
        words = {"groups": who, "lists": every, "how": _HOW[all(one.zero for one in found)]}
        if not any(one.row.before_low > 0 or one.row.before_high < 0 for one in whole):
            return sentence(NOTHING_TO_REMOVE.format(**words))
        said = [REMOVED.format(**words), _most_left(found, names, over_all), UNTESTED]
        return " ".join(sentence(one) for one in said if one)
    of_lists = {one.outcome for one in found if not one.zero}
    if over_all is not None and of_lists <= UNSURE and over_all.outcome not in UNSURE:
        words = {"groups": who, "lists": f"{every} on average"}
        first = CHANGES[over_all.outcome].format(**words)
        which = which_lists(found) or "for this list"
        return sentence(_ON_AVERAGE.format(said=first, which=which))
    return sentence("; ".join(_by_outcome(found, names, who, every)))


UNSURE: Final = frozenset(("undecided", "none"))
"""Outcomes that are none."""


def _by_outcome(found: Sequence[ChangeOfList], names: Names, who: str, every: str) -> list[str]:
    """Say of each outcome which lists have it."""
    by_outcome: dict[str, list[ChangeOfList]] = {}
    for key in CHANGES:
        if rows := [one for one in found if ("zero" if one.zero else one.outcome) == key]:
            by_outcome[key] = rows
    titles = short_titles([one.name for rows in by_outcome.values() for one in rows], names)
    said: list[str] = []
    for key, rows in by_outcome.items():
        where = every if len(rows) == len(found) else listed([titles[one.name] for one in rows])
        said.append((_SHORT if said else CHANGES)[key].format(groups=who, lists=where))
    return said


def _most_left(found: Sequence[ChangeOfList], names: Names, over_all: ChangeOfList | None) -> str:
    """Say how much may be left, and of what; "" where no share is known."""
    known = [one for one in found if not one.row.reason]
    if known:
        kind, most = "one" if len(known) == 1 else "several", max(o.row.left_high for o in known)
        return _MOST_LEFT[kind].format(lists=names.set_title[known[0].name], most=f"{most:.0%}")
    if over_all is not None and not over_all.row.reason:
        return _MOST_LEFT["average"].format(most=f"{over_all.row.left_high:.0%}")
    return ""


_MOST_TITLES: Final = 3


def headline_over_all(outcome: str, row: Any, names: Names, pair: tuple[str, str]) -> str:
    """Say what became of the difference of two connections over all groups.

    `outcome`: a key of `OVER_ALL`; `row`: of `Change.left`.
    """
    one = len(names.own) == 1
    words = {
        "outcome": OVER_ALL[outcome],
        "who": names.title[next(iter(names.own))] if one else _EVERYBODY,
        "what": _to_what(names, pair),
        "before": direction(row.before),
        "after": direction(row.after),
    }
    return sentence(_OVER_ALL.format(**words))


def _to_what(names: Names, pair: tuple[str, str]) -> str:
    """Say what the two sides of a contrast are, those of stereotypes by the lists' titles."""
    if pair != STEREOTYPE_CONNECTIONS:
        return _OTHER_WHAT.format(first=pair[0], second=pair[1])
    named = len(names.own) <= _MOST_TITLES and any([g] != own for g, own in names.own.items())
    lists = f" ({'; '.join(map(names.sets, names.own.values()))})" if named else ""
    return _OWN_WHAT.format(lists=lists)


def sizes_over_all(row: Any, label: str) -> str:
    """Say how large a difference was and is, how sure, and what is left of it."""
    return sentence(_SIZES.format(**_sizes(row, label)))


def of_each_group(left: pd.DataFrame, names: Names) -> str:
    """Say which groups have an association after; an average of opposite ones shows none."""
    said = [
        _EACH.format(**_sizes(row, ""), group=names.title[row.group])
        for row in left.itertuples()
        if row.group in names.own and (row.after_low > 0 or row.after_high < 0)
    ]
    return sentence(_OPPOSITE.format(said=listed(said))) if said and len(names.own) > 1 else ""


def grew(groups: Sequence[tuple[str, float, float]], words: Sequence[str], most: int) -> str:
    """Say for whom an association grew: groups, with before and after, and words; "" of none."""
    who = [_FROM_TO.format(group=g, before=direction(b), after=direction(a)) for g, b, a in groups]
    who += words
    more = ", …" if len(who) > most else ""
    return sentence(_GREW.format(who=", ".join(who[:most]) + more)) if who else ""


def controls(found: Mapping[str, Sequence[str]]) -> str:
    """Say which control words, which should stay, did; `found`: by a key of `_CONTROLS`."""
    said = [text.format(words=listed(found[key])) for key, text in _CONTROLS.items() if found[key]]
    return sentence("; ".join(said) or _NO_CONTROLS)


def not_of_one_training(agreement: float) -> str:
    """Say what two files are whose coordinates do not correlate."""
    return NOT_ONE_TRAINING.format(coordinates=_COORDINATES.format(agreement=agreement))


def origin(kind: str, agreement: float = np.nan, words: str = "") -> str:
    """Say whether both sides can be of one training; `kind`: a key of `_ORIGINS`."""
    two, coordinates = not_of_one_training(agreement), _COORDINATES.format(agreement=agreement)
    text = _ORIGINS[kind].format(words=words, chance=_CHANCE, coordinates=coordinates, two=two)
    return sentence(text)


def of_contrast(row: Any, rule: DecisionRule) -> str:
    """Say how a contrast was before and after, and what its modelled change is."""
    first, second = sides(row.contrast)
    state, _, size = row.verdict.partition(", ")
    verdict = _VERDICTS[state].format(first=first, second=second, rope=within(rule))
    words = {**_modelled(row), "sds": in_sds(row.standardised, rule), "label": rule.label}
    words |= {"verdict": verdict, "size": SIZES.get(size, ""), "edge": edge(row, rule)}
    return sentence(_CONTRAST.format(**words))


def of_other_contrasts(rows: Sequence[Any]) -> str:
    """Say in a sentence how further contrasts changed."""
    said = [_BRIEFLY.format(**_modelled(row), verdict=verdict_shown(row)) for row in rows]
    return sentence(_OTHERS.format(said="; ".join(said)))


def _modelled(row: Any) -> dict[str, str]:
    return {
        "contrast": row.contrast,
        "before": _plain(row.before),
        "after": _plain(row.after),
        "change": shown(row.mean, "signed"),
        "ends": bounds(row, "signed"),
    }


def _plain(difference: float) -> str:
    """Write a difference; one that rounds to 0 without a sign."""
    text = shown(difference, "signed")
    return text[1:] if float(text[1:]) == 0 else text


def moved(row: Any, rule: DecisionRule) -> str:
    """Say how a connection moved."""
    state, _, size = row.verdict.partition(", ")
    words = {"change": shown(row.mean, "signed"), "ends": bounds(row, "signed")}
    words |= {"size": SIZES.get(size, ""), "edge": edge(row, rule)}
    return _MOVE.format(what=_MOVES[state].format(name=row.connection), **words)


def unmoved(row: Any) -> str:
    """Say that a connection did not move."""
    return _UNMOVED.format(name=row.connection, largest=row.largest_change)


def unmoved_note(row: Any) -> str:
    """Say in a sentence that a connection did not move."""
    return sentence(unmoved(row))


def by_connection(moves: Sequence[str], controls_moved: Sequence[str]) -> str:
    """Put together how connections moved, and that controls did, if any."""
    said = sentence(_BY_CONNECTION.format(said="; ".join(moves)))
    if not controls_moved:
        return said
    return f"{said} {sentence(_CONTROLS_MOVED.format(words=listed(controls_moved)))}"


def by_word(counts: Sequence[tuple[str, str]]) -> str:
    """Say how many words moved in which direction, connection by connection."""
    said = [_OF_WORDS.format(name=name, counts=text) for name, text in counts]
    return sentence(_BY_WORD.format(said="; ".join(said)))
