"""What a word list, or a frame of distances, offers to a measure.

A measure is defined on two groups, two attribute lists, or pairs of words. A word list has any
number of groups and lists: a measure of two groups is computed for every pair of groups, a measure
of one list for every list. Each arrangement of words is a function here, which a measure names in
its declaration, so that this is the one place that decides what X, Y, A and B of a list are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, NamedTuple

import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import ArgumentError
from bayesbias.words.keys import validate_distances
from bayesbias.words.word_lists import WordList

WordTuple = tuple[str, ...]


class Call(NamedTuple):
    """One computation of a measure: what follows the vectors, and how the list names the sets."""

    arguments: tuple[Any, ...]
    names: dict[str, str]  # by role; empty where there is one computation only
    options: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Inputs:
    """The words that a list or a frame has for measures; control lists have no place in one."""

    where: str  # what to call it in messages
    groups: Mapping[str, WordTuple]  # protected words
    sets: Mapping[str, WordTuple]  # stereotype attributes, those of the first group first
    associated: Mapping[str, WordTuple]  # from group to names of sets
    matched: tuple[WordTuple, ...] = ()
    of_frame: bool = False

    @classmethod
    def from_wordlist(cls, word_list: WordList) -> "Inputs":
        """Return what a word list offers."""
        associated = {g.name: g.associated for g in word_list.groups}
        sets = {s.name: s.words for s in word_list.attribute_sets if s.kind == "stereotype"}
        return cls(
            f"list {word_list.name!r}",
            {g.name: g.words for g in word_list.groups},
            _in_order_of_owners(sets, associated),
            associated,
            word_list.matched,
        )

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> "Inputs":
        """Return what a frame of distances offers."""
        validate_distances(frame)
        rows = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
        groups = _collected(rows, GROUP, PROTECTED_WORD)
        own = _collected(rows[rows[CONNECTION] == "associated"], GROUP, ATTRIBUTE_SET)
        associated = {group: own.get(group, ()) for group in groups}
        sets = _in_order_of_owners(_collected(rows, ATTRIBUTE_SET, ATTRIBUTE), associated)
        return cls("the frame", groups, sets, associated, of_frame=True)


def _in_order_of_owners(
    sets: Mapping[str, WordTuple], associated: Mapping[str, WordTuple]
) -> dict[str, WordTuple]:
    owned = (name for names in associated.values() for name in names)
    return {name: sets[name] for name in dict.fromkeys([*owned, *sets])}


def _collected(rows: pd.DataFrame, key: str, column: str) -> dict[str, WordTuple]:
    """Return the distinct values of a column under each key, in order of appearance."""
    return {
        str(name): tuple(dict.fromkeys(part[column].map(str)))
        for name, part in rows.groupby(key, sort=False)
    }


def two_groups_two_sets(inputs: Inputs) -> list[Call]:
    """Return X, Y, A and B: every two groups, with A a list that X owns and Y does not.

    B is a list that Y owns and X does not. Where one of them owns none, every other list takes its
    place; where neither does, every two lists are A and B, and no direction is expected.
    """
    calls = []
    groups, lists = _two(inputs, "groups"), _two(inputs, "sets")
    for x, y in groups:
        of_x, of_y = inputs.associated[x], inputs.associated[y]
        own_x = [name for name in of_x if name not in of_y]
        own_y = [name for name in of_y if name not in of_x]
        a = own_x or [name for name in inputs.sets if name not in own_y]
        b = own_y or [name for name in inputs.sets if name not in own_x]
        is_directed = (own_x or own_y) and a and b
        options = {} if is_directed else {"alternative": "two-sided"}
        for pair in product(a, b) if is_directed else lists:
            names = dict(zip("XYAB", (x, y, *pair), strict=True))
            sets = (inputs.groups[x], inputs.groups[y], *(inputs.sets[name] for name in pair))
            calls.append(Call(sets, names, options))
    return calls


def words_two_sets(inputs: Inputs) -> list[Call]:
    """Return all protected words, A and B, for every two lists."""
    words = _joined(inputs.groups)
    return [
        Call((words, inputs.sets[a], inputs.sets[b]), {"A": a, "B": b})
        for a, b in _two(inputs, "sets")
    ]


def groups_two_sets(inputs: Inputs) -> list[Call]:
    """Return all groups by name, and every two lists as positive and negative."""
    return [
        Call((inputs.groups, inputs.sets[a], inputs.sets[b]), {"positive": a, "negative": b})
        for a, b in _two(inputs, "sets")
    ]


def words_and_sets(inputs: Inputs) -> list[Call]:
    """Return all protected words, and the lists; nothing of a frame, which may lack pairs."""
    return [Call(() if inputs.of_frame else (_joined(inputs.groups), inputs.sets), {})]


def two_groups_each_set(inputs: Inputs) -> list[Call]:
    """Return X, Y and one list, for every two groups and every list."""
    return [
        Call((inputs.groups[x], inputs.groups[y], words), {"X": x, "Y": y, "attributes": name})
        for x, y in _two(inputs, "groups")
        for name, words in inputs.sets.items()
    ]


def attributes_and_pairs(inputs: Inputs) -> list[Call]:
    """Return all attributes, and the first words of two groups in every matched set as pairs."""
    if not inputs.matched:
        raise ArgumentError(f"{inputs.where} has no matched sets")
    attributes, calls = _joined(inputs.sets), []
    for x, y in _two(inputs, "groups"):
        ends = (inputs.groups[x], inputs.groups[y])
        firsts = ([[w for w in of if w in end][:1] for end in ends] for of in inputs.matched)
        if pairs := dict.fromkeys(pair for both in firsts for pair in product(*both)):
            calls.append(Call((attributes, list(pairs)), {"first": x, "second": y}))
    if not calls:
        raise ArgumentError(f"needs matched sets with words of two groups of {inputs.where}")
    return calls if len(calls) > 1 else [calls[0]._replace(names={})]


def _two(inputs: Inputs, what: str) -> list[tuple[str, str]]:
    """Return every two of the groups or of the sets."""
    names = list(getattr(inputs, what))
    if len(names) < 2:
        noun = "groups" if what == "groups" else "attribute sets"
        raise ArgumentError(f"needs two {noun} or more; {inputs.where} has {len(names)}")
    return list(combinations(names, 2))


def _joined(sets: Mapping[str, WordTuple]) -> WordTuple:
    return tuple(dict.fromkeys(word for words in sets.values() for word in words))
