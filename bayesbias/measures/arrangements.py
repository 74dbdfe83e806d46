"""What a word list, or a frame of distances, offers to a measure.

Most measures take one of five arrangements of words; each is a function here, which a measure
names in its declaration. This is the one place that decides what X, Y, A and B of a list are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
from bayesbias.pairs.checks import validate_distances
from bayesbias.pairs.word_lists import WordList, WordPair

WordTuple = tuple[str, ...]


class Call(NamedTuple):
    """One computation of a measure: what follows the vectors, and how the list names the sets."""

    arguments: tuple[Any, ...]
    names: dict[str, str]  # by role; empty where there is one computation only


@dataclass(frozen=True)
class Inputs:
    """The words that a list or a frame has for measures; control lists have no place in one."""

    where: str  # what to call it in messages
    groups: Mapping[str, WordTuple]  # protected words
    sets: Mapping[str, WordTuple]  # stereotype attributes
    associated: Mapping[str, WordTuple]  # from group to names of sets
    defining_sets: tuple[WordTuple, ...] = ()
    of_frame: bool = False

    @classmethod
    def from_wordlist(cls, word_list: WordList) -> "Inputs":
        """Return what a word list offers."""
        return cls(
            f"list {word_list.name!r}",
            {g.name: g.words for g in word_list.groups},
            {s.name: s.words for s in word_list.attribute_sets if s.kind == "stereotype"},
            {g.name: g.associated for g in word_list.groups},
            word_list.defining_sets,
        )

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> "Inputs":
        """Return what a frame of distances offers."""
        validate_distances(frame)
        rows = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
        own = rows[rows[CONNECTION] == "associated"]
        return cls(
            "the frame",
            _collected(rows, GROUP, PROTECTED_WORD),
            _collected(rows, ATTRIBUTE_SET, ATTRIBUTE),
            _collected(own, GROUP, ATTRIBUTE_SET),
            of_frame=True,
        )


def _collected(rows: pd.DataFrame, key: str, column: str) -> dict[str, WordTuple]:
    """Return the distinct values of a column under each key, in order of appearance."""
    return {
        str(name): tuple(dict.fromkeys(part[column].map(str)))
        for name, part in rows.groupby(key, sort=False)
    }


def two_groups_two_sets(inputs: Inputs) -> list[Call]:
    """Return X, Y, A and B: two groups, and the sets that they are associated with."""
    own = [sets[0] for sets in inputs.associated.values() if len(sets) == 1]
    sizes = {len(inputs.groups), len(inputs.sets), len(inputs.associated), len(own), len(set(own))}
    if sizes != {2}:
        raise ArgumentError(
            f"needs two groups, each associated with one of two attribute sets; {inputs.where} "
            f"has {len(inputs.groups)} groups and {len(inputs.sets)} sets"
        )
    (x, y), (a, b) = inputs.associated, own
    sets = (inputs.groups[x], inputs.groups[y], inputs.sets[a], inputs.sets[b])
    return [Call(sets, {"X": x, "Y": y, "A": a, "B": b})]


def words_two_sets(inputs: Inputs) -> list[Call]:
    """Return all protected words, A and B."""
    [(sets, names)] = two_groups_two_sets(inputs)
    return [Call((_joined(inputs.groups), *sets[2:]), {role: names[role] for role in "AB"})]


def groups_two_sets(inputs: Inputs) -> list[Call]:
    """Return the groups by name, and A and B as positive and negative."""
    [(sets, names)] = two_groups_two_sets(inputs)
    return [Call((inputs.groups, *sets[2:]), {"positive": names["A"], "negative": names["B"]})]


def words_and_sets(inputs: Inputs) -> list[Call]:
    """Return all protected words, and the sets; nothing of a frame, which may lack pairs."""
    if inputs.of_frame:
        return [Call((), {})]
    return [Call((_joined(inputs.groups), inputs.sets), {})]


def attributes_and_groups(inputs: Inputs) -> list[Call]:
    """Return all attributes, and the groups by name, two or more."""
    if len(inputs.groups) < 2:
        raise ArgumentError(f"needs two groups or more; {inputs.where} has {len(inputs.groups)}")
    return [Call((_joined(inputs.sets), inputs.groups), {})]


def two_groups_each_set(inputs: Inputs) -> list[Call]:
    """Return X, Y and one attribute set, for every set."""
    if len(inputs.groups) != 2:
        raise ArgumentError(f"needs two groups; {inputs.where} has {len(inputs.groups)}")
    x, y = inputs.groups
    return [
        Call((inputs.groups[x], inputs.groups[y], words), {"X": x, "Y": y, "attributes": name})
        for name, words in inputs.sets.items()
    ]


def attributes_and_pairs(inputs: Inputs) -> list[Call]:
    """Return all attributes, and the defining sets as pairs."""
    return [Call((_joined(inputs.sets), _pairs(inputs)), {})]


def pairs_only(inputs: Inputs) -> list[Call]:
    """Return the defining sets as pairs."""
    return [Call((_pairs(inputs),), {})]


def not_from_a_list(what: str) -> Callable[[Inputs], list[Call]]:
    """Return an arrangement that no word list has, and that says what the measure takes."""

    def refuse(inputs: Inputs) -> list[Call]:
        raise ArgumentError(f"takes {what}; {inputs.where} has none")

    return refuse


def _joined(sets: Mapping[str, WordTuple]) -> WordTuple:
    return tuple(dict.fromkeys(word for words in sets.values() for word in words))


def _pairs(inputs: Inputs) -> list[WordPair]:
    if not inputs.defining_sets:
        raise ArgumentError(f"{inputs.where} has no defining sets")
    for words in inputs.defining_sets:
        if len(words) != 2:
            raise ArgumentError(f"needs defining sets of two words; one is {', '.join(words)}")
    return [WordPair(*words) for words in inputs.defining_sets]
