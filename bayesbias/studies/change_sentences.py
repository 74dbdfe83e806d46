"""What became of a difference, and which template of ``change.jinja`` says it.

The terminal, JSON and the page quote these sentences.

As for a fit (`fits.sentences`), a headline is one sentence of at most 25 words with shipped titles.
It says what became of the difference between groups on each attribute list; how large it was and
is, and how much of it is left, is a line for each list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, CONTROL_CONNECTIONS, HDPI_PROB
from bayesbias.fits import sentences
from bayesbias.fits.between_groups import ZERO
from bayesbias.fits.narrator import DIRECTIONS, MOST_NAMED, counted_words, in_sds, sides
from bayesbias.fits.sentences import (
    CLOSER,
    Names,
    edge_clause,
    elided,
    every_list,
    groups_of,
    interval,
    lists_of_group,
    no_list,
    number,
    own_lists,
    sentence,
    short_titles,
    towards,
    which_lists,
    who,
)
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.text_tables import (
    bounds,
    join_words,
    percent,
    typeset,
    verdict_shown,
    with_true_minus,
)
from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.studies", "change.jinja")

CHANGES: Final = (
    *("zero", "gone", "weaker", "not seen", "stronger", "turned", "appeared", "unchanged", "none"),
    "undecided",
)
"""What can have become of a difference, in the order in which sentences say it."""

_NEGATED: Final = frozenset(("zero", "gone", "none", "undecided"))
"""Outcomes whose sentence denies or doubts: of *either* list, not of both."""

MIXED: Final = "mixed"
"""What became of several without an outcome in common, of which some changed."""

UNSURE: Final = frozenset(("undecided", "none"))
"""Outcomes that are none."""

ONE_TRAINING: Final = 0.7
TWO_TRAININGS: Final = 0.4
"""Correlations of coordinates from which two files can be of one training, and below which not.

Every method of debiasing leaves at least .83 (25 dimensions; .97 in 300), two trainings at most .1.
"""


@dataclass(frozen=True)
class ChangeOfList:
    """What became of the difference on one list: a key of `CHANGES`; whether it is 0 by making."""

    name: str
    outcome: str
    zero: bool
    row: Any


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


def known_rate(model: str, prob: float) -> str:
    """Say how often a model finds a change where there is none; docs/debiasing.md has the tests."""
    return tell("known_rate", model, percent(round(1.0 - prob, 6)) if prob == HDPI_PROB else "")


def direction(value: float) -> str:
    """Write a difference in words, such as "0.09 closer", or "as close"."""
    return "as close" if abs(value) < 0.0005 else towards(value)


def _sizes(row: Any, label: str = "") -> dict[str, str]:
    """Return what templates say of a row: before and after with intervals, and what is left."""
    shares = (with_true_minus(f"{share:z.0%}") for share in (row.left, row.left_low, row.left_high))
    return {
        "before": direction(row.before),
        "after": direction(row.after),
        "interval_before": interval(row.before_low, row.before_high),
        "interval_after": interval(row.after_low, row.after_high),
        "left": tell("left", *shares, row.reason, label),
    }


def lines_of_change(found: Sequence[ChangeOfList], names: Names, label: str) -> list[str]:
    """Return a sentence per list: the difference before and after, and what is left of it."""
    said = []
    for one in found:
        own, others = map(names.together, names.sides(one.name))
        words = {**_sizes(one.row), "own": own, "others": others, "zero": one.zero, "label": label}
        if one.zero and one.row.reason:
            words["left"] = ""
        said.append(sentence(tell("line", names.set_title[one.name], **words)))
    return said


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
        ends = interval(near.after_low, near.after_high).removesuffix(f" {CLOSER}")
        return tell("shared", *titles, number(near.after), label, ends)
    said = []
    for row in sure:
        words = {"own": names.title[row.group], **lists_of_group(row.group, names)}
        ends = interval(row.after_low, row.after_high).rpartition(" ")[0]
        state, by = towards(row.after).rpartition(" ")[2], f"{number(row.after)} ({label} {ends})"
        said.append(sentences.tell("one_group", state, **words, by=by))
    return tell("of_groups", said)


def headline_of_change(
    found: Sequence[ChangeOfList], names: Names, over_all: ChangeOfList | None = None
) -> str:
    """Say what became of the differences between groups; `over_all`: of all lists' average."""
    who = join_words([names.title[group] for group in groups_of(found, names)])
    every, no = names.set_title[found[0].name], names.set_title[found[0].name]
    if len(found) > 1:
        every, no = every_list(len(found)), no_list(len(found))
    whole = [*found, *([over_all] if over_all is not None else [])]
    if all(one.zero or one.outcome == "gone" for one in found):
        sure = any(one.row.before_low > 0 or one.row.before_high < 0 for one in whole)
        said = sentence(tell("removed", who, no, all(one.zero for one in found), sure))
        if not sure:
            return said
        most = _most_left(found, names, over_all)
        return " ".join([said, *([sentence(most)] if most else []), tell("untested")])
    of_lists = {one.outcome for one in found if not one.zero}
    if over_all is not None and of_lists <= UNSURE and over_all.outcome not in UNSURE:
        which = which_lists(found) or "for this attribute list"
        return sentence(tell("on_average", over_all.outcome, who, every, which))
    return sentence("; ".join(_by_outcome(found, names, who, every, no)))


def of_unknown(row: Any, rule: DecisionRule, names: Names, *, n_lists: int) -> str:
    """Say how far a difference may have changed, of which it is not known whether it has."""
    low, high = row.change_low, row.change_high
    if low != low:
        return ""
    ends = [towards(low), towards(high)]
    if all(float(number(end)) <= rule.width for end in (low, high)):  # else it looked negligible
        ends = [f"{abs(end):.3f} {towards(end).split()[1]}" for end in (low, high)]
    return tell("unknown", n_lists, *ends, rule.label, own_lists(names))


def of_average(
    found: Sequence[ChangeOfList], over_all: ChangeOfList, names: Names, label: str
) -> str:
    """Say how large the average over lists was and is, and of whose words; "" where not known."""
    if len(found) < 2 or over_all.outcome in ("", *UNSURE) or all(one.zero for one in found):
        return ""
    row = over_all.row
    sides = (
        (row.before, row.before_low, row.before_high),
        (row.after, row.after_low, row.after_high),
    )
    sure = ["" if low <= 0.0 <= high else direction(mean) for mean, low, high in sides]
    ends = [
        interval(low, high) if low <= 0.0 <= high else interval(low, high).rpartition(" ")[0]
        for _, low, high in sides
    ]
    left = "" if row.reason else _sizes(row, label)["left"]
    return " ".join([tell("average", who(names), *sure, *ends, label, left), own_lists(names)])


def outcome_together(found: Sequence[ChangeOfList], over_all: str) -> str:
    """Return what became of all lists of a word list together; `over_all`: of their average."""
    outcomes = {"zero" if one.zero else one.outcome for one in found}
    known = outcomes - UNSURE
    average = "" if over_all in UNSURE else over_all
    if len(outcomes) == 1 and (known or not average):
        return next(iter(outcomes))
    if known <= {average, "unchanged"}:
        return average or "undecided"
    return MIXED


def headline_of_held_out(method: str, outcomes: Mapping[str, str]) -> str:
    """Say what became of word lists in words that a method did not use; by name what it was."""
    order = (*CHANGES[:-1], MIXED, CHANGES[-1])
    names = {key: [name for name, outcome in outcomes.items() if outcome == key] for key in order}
    return tell("held_out", method, [(key, found) for key, found in names.items() if found])


def _by_outcome(
    found: Sequence[ChangeOfList], names: Names, who: str, every: str, no: str
) -> list[str]:
    """Say of each outcome which lists have it."""
    by_outcome: dict[str, list[ChangeOfList]] = {}
    for key in CHANGES:
        if rows := [one for one in found if ("zero" if one.zero else one.outcome) == key]:
            by_outcome[key] = rows
    titles = short_titles([one.name for rows in by_outcome.values() for one in rows], names)
    said: list[str] = []
    for key, rows in by_outcome.items():
        where = join_words([titles[one.name] for one in rows])
        if len(rows) == len(found):
            where = no if key in _NEGATED else every
        said.append(tell("further", key, where) if said else tell("change", key, who, where))
    return said


def _most_left(found: Sequence[ChangeOfList], names: Names, over_all: ChangeOfList | None) -> str:
    """Say how much may be left, and of what; "" where no share is known."""
    known = [one for one in found if not one.row.reason]
    if known:
        kind, most = "one" if len(known) == 1 else "several", max(o.row.left_high for o in known)
        return tell("most_left", kind, f"{most:.0%}", names.set_title[known[0].name])
    if over_all is not None and not over_all.row.reason:
        return tell("most_left", "average", f"{over_all.row.left_high:.0%}", "")
    return ""


_MOST_TITLES: Final = 3


def headline_over_all(outcome: str, row: Any, names: Names, pair: tuple[str, str]) -> str:
    """Say what became of the difference of two connections over all groups.

    `outcome`: what became of it, as of a list; `row`: of `Change.left`.
    """
    own = names.own
    named = len(own) <= _MOST_TITLES and any([g] != sets for g, sets in own.items())
    lists = [names.sets(sets) for sets in own.values()] if named else []
    who = names.title[next(iter(own))] if len(own) == 1 else ""
    both = direction(row.before), direction(row.after)
    return sentence(tell("over_all", outcome, who, *pair, lists, *both))


def sizes_over_all(row: Any, label: str) -> str:
    """Say how large a difference was and is, how sure, and what is left of it."""
    return tell("sizes", label=label, **_sizes(row))


def of_each_group(left: pd.DataFrame, names: Names) -> str:
    """Say which groups have an association after; an average of opposite ones shows none."""
    said = [
        (names.title[row.group], direction(row.after), interval(row.after_low, row.after_high))
        for row in left.itertuples()
        if row.group in names.own and (row.after_low > 0 or row.after_high < 0)
    ]
    return tell("each_group", said) if said and len(names.own) > 1 else ""


def grown_associations(
    left: pd.DataFrame, words: pd.DataFrame, before: "pd.Series[float]", names: Names
) -> str:
    """Name the groups, with before and after, and words whose association grew; "" of none.

    `words`: changes of the words' contrasts. `before`: by word, the first contrast's plain one.
    """
    groups = [
        (names.title.get(row.group, row.group), direction(row.before), direction(row.after))
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
    who, n = groups[:MOST_NAMED], len(groups) + len(of_words)
    return tell("grew", who, of_words[: MOST_NAMED - len(who)], n > MOST_NAMED) if n else ""


def controls_sentence(table: pd.DataFrame, unmoved: pd.DataFrame) -> str:
    """Say which control words, which should stay, did."""
    verdicts = dict(zip(table[CONNECTION], table["verdict"], strict=True))
    verdicts |= dict.fromkeys(unmoved[CONNECTION], "practically equal")
    found: dict[str, list[str]] = {"moved": [], "stayed": [], "unknown": []}
    for name in CONTROL_CONNECTIONS:
        if name in verdicts:
            state, _, size = verdicts[name].partition(", ")
            stays = "practically equal" in (state, size)
            found["stayed" if stays else "moved" if state in DIRECTIONS else "unknown"].append(name)
    return sentence(tell("controls", **found))


def other_training(agreement: float | None) -> str:
    """Say that neither side can be made from the other; "" where it may be, or cannot be told."""
    if agreement is None or agreement >= TWO_TRAININGS:
        return ""
    return tell("two_trainings", f"{agreement:.2f}")


def same_training(agreement: float | None, unmoved: pd.DataFrame) -> str:
    """Say whether both sides can be of one training; see `profiles.coordinates_agree`."""
    if len(unmoved):
        return tell("origin", "still", "", join_words(unmoved[CONNECTION].tolist()))
    if agreement is None:
        return tell("origin", "no vectors", "", "")
    kind = "one" if agreement >= ONE_TRAINING else "unclear"
    kind = "two" if agreement < TWO_TRAININGS else kind
    return tell("origin", kind, f"{agreement:.2f}", "")


def answers_of(
    contrasts: pd.DataFrame,
    table: pd.DataFrame,
    words: pd.DataFrame,
    unmoved: pd.DataFrame,
    rule: DecisionRule,
) -> list[str]:
    """Return how the contrasts changed, then how connections and single words moved."""
    asked, rows = list(contrasts.itertuples()), list(table.itertuples())
    controls = [row.connection for row in rows if row.verdict in DIRECTIONS]
    controls = [name for name in controls if name in CONTROL_CONNECTIONS]
    by_word = [
        (name, counted_words(part))
        for number, (name, part) in enumerate(words.groupby(CONNECTION, sort=False))
        if not number or part["verdict"].str.startswith(DIRECTIONS).any()
    ]
    moves = [*map(moved, rows), *map(unmoved_one, unmoved.itertuples())]
    further = [(row.contrast, *_modelled(row), verdict_shown(row)) for row in asked[1:]]
    return [
        *(of_contrast(row, rule) for row in asked[:1]),
        *([tell("other_contrasts", further)] if further else []),
        tell("by_connection", moves, controls),
        tell("by_word", by_word),
    ]


def of_contrast(row: Any, rule: DecisionRule) -> str:
    """Say how a contrast was before and after, and what its modelled change is."""
    sds = in_sds(row.standardised, rule)
    told = *_modelled(row), *_verdict(row)
    before, after, change, ends, state, size, edge = told
    rope = f"{rule.width:.2g}"
    first, second = sides(row.contrast)
    both = before, after, change, rule.label, ends
    return tell("contrast", first, second, *both, sds, state, size, rope, edge)


def _modelled(row: Any) -> tuple[str, str, str, str]:
    """Return before, after, the modelled change and its interval."""
    before, after = (typeset(value, "signed") for value in (row.before, row.after))
    return before, after, typeset(row.mean, "signed"), bounds(row, "signed")


def _verdict(row: Any) -> tuple[str, str, str]:
    """Return the direction, how clear the size is, and why the verdict is on the edge."""
    state, _, size = row.verdict.partition(", ")
    return state, size, edge_clause(row)


def moved(row: Any) -> str:
    """Say how a connection moved."""
    change = typeset(row.mean, "signed"), bounds(row, "signed")
    return tell("moved", row.connection, *_verdict(row), *change)


def unmoved_one(row: Any) -> str:
    """Say that a connection did not move."""
    return tell("unmoved", row.connection, f"{row.largest_change:.1g}")
