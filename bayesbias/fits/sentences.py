"""Sentences about groups and lists: which template of ``sentences.jinja`` a result takes.

A headline is one sentence of at most 25 words with shipped titles, without signs, and with one
number at most. It names the lists with a direction and says of the others that one cannot tell;
what each list has, with its interval, is a line of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE_SET, CONNECTION, GROUP, STEREOTYPE_CONNECTIONS
from bayesbias.fits.between_groups import OTHER_GROUPS, ZERO
from bayesbias.pairs.provenance import source_part
from bayesbias.support.text_tables import join_words, nearest
from bayesbias.support.wording import Wording

CLOSER: Final = "closer"
FARTHER: Final = "farther"
EQUAL: Final = "practically equal"
UNDECIDED: Final = "undecided"
SAME: Final = "same"
"""What is known of a row; the last where the listed words are equal by construction."""

DIRECTIONS: Final = (CLOSER, FARTHER)

tell: Final = Wording("bayesbias.fits", "sentences.jinja")
"""The sentences of a fit."""

_OWN_LISTS: Final = "their own attribute lists"
_MOST_GROUPS: Final = 3
"""Groups that a sentence names."""
_FEW: Final = 0.01
"""A share below it is not told apart from smaller ones."""


@dataclass(frozen=True)
class Names:
    """What sentences call the groups of a list and their attribute sets.

    `own` and `other` are, by group, the sets that a stereotype associates with it, and the others.
    `levels`: what groups that are one level of a factor are called together, by their names.
    """

    title: Mapping[str, str]
    set_title: Mapping[str, str]
    own: Mapping[str, list[str]]
    other: Mapping[str, list[str]]
    levels: Mapping[frozenset[str], str] | None = None

    @classmethod
    def of_frame(cls, frame: pd.DataFrame) -> "Names":
        """Take them from the record of a frame; what has no title is quoted, to be right English.

        A name such as "woman" need not be a plural, and that of a list need not be a thing. A
        published file knows no groups: words then have the name of the set associated with them.
        """
        given = source_part(frame, "titles")
        sets: dict[str, dict[str, list[str]]] = {}
        for connection in STEREOTYPE_CONNECTIONS:
            rows = frame[frame[CONNECTION] == connection].drop_duplicates([GROUP, ATTRIBUTE_SET])
            of_group = rows.groupby(GROUP, sort=False)[ATTRIBUTE_SET].agg(list).to_dict()
            sets[connection] = {str(group): names for group, names in of_group.items()}

        def title(name: str, untitled: str) -> str:
            return given.get(name) or untitled.format(str(name).replace("_", " "))

        levels = {
            frozenset(members): f"groups with {factor} {level}"
            for factor, of_level in source_part(frame, "factors").items()
            for level, members in of_level.items()
        }
        lists = {
            name: title(name, 'the attribute list "{}"') for name in frame[ATTRIBUTE_SET].unique()
        }
        words = 'words of "{}"', 'protected words of "{}"'
        groups = {name: title(name, words[name in lists]) for name in frame[GROUP].unique()}
        return cls(groups, lists, sets["associated"], sets["different"], levels)

    def sets(self, names: Sequence[str]) -> str:
        """Return the titles of sets, a noun that they share said once."""
        return join_words(elided([self.set_title[name] for name in names]))

    def together(self, groups: Sequence[str]) -> str:
        """Return what several groups are called: the level that they are, or their titles."""
        level = (self.levels or {}).get(frozenset(groups))
        return level if level and len(groups) > 1 else join_words([self.title[g] for g in groups])

    def sides(self, name: str) -> tuple[list[str], list[str]]:
        """Return the groups that a list is associated with, and those that it is different for."""
        own = [group for group, sets in self.own.items() if name in sets]
        own = own or list(self.own)[:1]  # a list that is nobody's: the first group with the others
        return own, [g for g, sets in self.other.items() if name in sets and g not in own]


def who(names: Names) -> str:
    """Say who is asked about: the groups that have attribute lists of their own."""
    return tell("who", [names.title[group] for group in names.own], _MOST_GROUPS)


def own_lists(names: Names) -> str:
    """Say which attribute lists are whose own; "" where no group has any."""
    lists = elided([names.sets(own) for own in names.own.values()])
    named = [*zip((names.title[group] for group in names.own), lists, strict=True)]
    more = len(named) - _MOST_GROUPS
    return tell("own_lists", named[:_MOST_GROUPS], max(0, more)) if named else ""


class Titles(Mapping[str, Mapping[str, str]]):
    """What sentences call groups and attribute sets, by column; found when something is shown."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    @cached_property
    def _found(self) -> dict[str, Mapping[str, str]]:
        names = Names.of_frame(self._frame)
        return {GROUP: names.title, OTHER_GROUPS: names.title, ATTRIBUTE_SET: names.set_title}

    def __getitem__(self, column: str) -> Mapping[str, str]:
        return self._found[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self._found,)  # a table that is sent elsewhere goes without its pairs


_FOLLOWS_A_NOUN: Final = ("of", "for", "about", "stereotyped", "associated", "linked", "in")


def elided(titles: Sequence[str]) -> list[str]:
    """Say a noun once: "occupations stereotyped as female", "those stereotyped as male"."""
    said: set[str] = set()
    found = []
    for title in titles:
        noun, _, rest = title.partition(" ")
        repeats = noun in said and rest.partition(" ")[0] in _FOLLOWS_A_NOUN
        found.append(f"those {rest}" if repeats else title)
        said.add(noun)
    return found


class Named(Protocol):
    """What is known of an attribute list, whose name it has."""

    @property
    def name(self) -> str:
        """The name of the list."""


@dataclass(frozen=True)
class OfList:
    """What is known of groups on one list; `row` is of the table, `state` one of the above."""

    name: str
    own: tuple[str, ...]
    others: tuple[str, ...]
    state: str
    row: Any


def lists_of_table(rows: pd.DataFrame, names: Names) -> list[OfList]:
    """Return what a table says, list by list; those with a direction first, then as listed."""
    found = []
    for row in rows.itertuples():
        own, others = names.sides(row.attribute_set)
        state = SAME if getattr(row, ZERO) else row.verdict.partition(", ")[0]
        found.append(OfList(row.attribute_set, tuple(own), tuple(others), state, row))
    order = (CLOSER, FARTHER), (EQUAL, SAME), (UNDECIDED,)
    return sorted(found, key=lambda one: [one.state in states for states in order].index(True))


def number(value: float) -> str:
    """Write a size in a sentence, without its sign; what two decimals would call 0 has three."""
    size = abs(value)
    return f"{size:.3f}" if 0.0005 <= size < 0.005 else f"{size:.2f}"


def towards(value: float) -> str:
    """Write a difference in words, such as "0.09 closer"."""
    return f"{number(value)} {CLOSER if value < 0 else FARTHER}"


def interval(low: float, high: float) -> str:
    """Write an interval in words: "0.01 to 0.17 closer"; if it holds 0, with both directions.

    These are joined by "up to": "closer to" would be read as what words are closer to.
    """
    if low < 0 < high:
        return f"{towards(low)} up to {towards(high)}"
    near, far = sorted((low, high), key=abs)
    return f"{number(near)} to {towards(far)}"


def sentence(text: str) -> str:
    """Return a text as a sentence."""
    return f"{text[0].upper()}{text[1:]}."


def size(row: Any) -> str:
    """Return how large a difference is, in the row's unit where it names one."""
    return f"{number(row.mean)}{getattr(row, 'unit', '')}"


def headline_of_lists(found: Sequence[OfList], names: Names, over_all: Any = None) -> str:
    """Say who is closer to which list; `over_all`: the contrast of all groups, where it is one.

    Lists that are nobody's have lines of their own, but no part of the headline.
    """
    owned = {name for sets in names.own.values() for name in sets}
    found = [one for one in found if one.name in owned] or found
    known = [one for one in found if one.state != UNDECIDED]
    if not known:
        return sentence(_of_none(found, names, over_all))
    states = {one.state for one in found}
    if len(found) > 1 and len(states) == 1 and (state := found[0].state) in (EQUAL, SAME):
        groups = join_words([names.title[group] for group in groups_of(found, names)])
        return sentence(tell("all_equal", state, groups=groups, lists=every_list(len(found))))
    titles = short_titles([one.name for one in found], names)
    said = _of_two if len(found) < 3 else _of_many
    return sentence("; ".join(said(found, known, names, titles)))


def groups_of(found: Sequence[Named], names: Names) -> list[str]:
    """Return the groups that are compared, those with a list of their own first."""
    sides = [names.sides(one.name) for one in found]
    return list(dict.fromkeys(g for place in (0, 1) for side in sides for g in side[place]))


def every_list(n: int) -> str:
    """Say that all of so many lists are meant."""
    return "both attribute lists" if n == 2 else "all attribute lists"


def no_list(n: int) -> str:
    """Say that none of so many lists is meant, after a negation or a doubt."""
    return "either attribute list" if n == 2 else "any attribute list"


def short_titles(order: Sequence[str], names: Names) -> dict[str, str]:
    """Return what lists are called, in the order of the sentence, a shared noun said once."""
    return dict(zip(order, elided([names.set_title[name] for name in order]), strict=True))


def _of_two(
    found: Sequence[OfList], known: Sequence[OfList], names: Names, titles: Mapping[str, str]
) -> list[str]:
    """Say what one list or two have: of one direction the size, of two none."""
    first, *others = found
    by = size(first.row) if sum(one.state in DIRECTIONS for one in known) == 1 else ""
    said = [tell("between", first.state, **_words(first, names), lists=titles[first.name], by=by)]
    for one in others:
        own = names.together(one.own)
        said.append(tell("second", one.state, own=own, lists=titles[one.name]))
    return said


def _words(one: OfList, names: Names) -> dict[str, str]:
    return {"own": names.together(one.own), "others": names.together(one.others)}


def _of_many(
    found: Sequence[OfList], known: Sequence[OfList], names: Names, titles: Mapping[str, str]
) -> list[str]:
    """Say what three lists and more have: whose direction is known, and of how many it is not."""
    said = []
    for state in (CLOSER, FARTHER, EQUAL, SAME):
        of_state = [one for one in known if one.state == state]
        if not of_state:
            continue
        one = of_state[0]
        groups = list(dict.fromkeys(group for each in of_state for group in each.own))
        where = titles[one.name] if len(of_state) == 1 else _OWN_LISTS
        by = size(one.row) if len(known) == 1 and state in DIRECTIONS else ""
        words = {"own": names.together(groups), "others": others_of(one, names), "lists": where}
        said.append(tell("between", state, **words, by=by))
    n = len(found) - len(known)
    return [*said, *([tell("other_lists", n)] if n else [])]


def others_of(one: OfList, names: Names) -> str:
    """Return what a list's own groups are compared with."""
    return names.together(one.others) if len(one.others) == 1 else "the other groups"


def which_lists(found: Sequence[Named]) -> str:
    """Say of which lists something is not known; "" of a single one."""
    return {1: "", 2: "for either list"}.get(len(found), "for any list")


def _of_none(found: Sequence[OfList], names: Names, over_all: Any) -> str:
    """Say that no list has a direction, or that only all together have one."""
    direction = "" if over_all is None else over_all.verdict.partition(", ")[0]
    if direction in DIRECTIONS and len(found) > 1:
        own = list(dict.fromkeys(group for one in found for group in one.own))
        groups = join_words([names.title[group] for group in own])
        return tell("only_together", len(found), direction, groups=groups, by=size(over_all))
    one = found[0]
    words = _words(one, names) if len(found) < 3 else {"own": "", "others": others_of(one, names)}
    titles = list(short_titles([each.name for each in found], names).values())
    return tell("no_list", len(found), **words, lists=titles)


def lines_of_lists(found: Sequence[OfList], names: Names, label: str) -> tuple[str, ...]:
    """Return a sentence per list: who is closer than whom, by how much, and how sure."""
    return tuple(sentence(_line(one, names, label)) for one in found)


def _line(one: OfList, names: Names, label: str) -> str:
    row = one.row
    return tell(
        "line_of_list",
        one.state,
        **_words(one, names),
        lists=names.set_title[one.name],
        size=towards(row.mean),
        label=label,
        interval=interval(row.low, row.high),
        said="" if one.state == SAME else f"{row.verdict}{chance_clause(row)}",
        edge=edge_clause(row),
    )


def edge_clause(row: Any) -> str:
    """Say which end of an interval is so near to what that the verdict could change; "" if none."""
    if not row.on_edge:
        return ""
    end, near = nearest(row)
    return tell("edge", f"{abs(end):.4f}", f"{abs(near):.4f}", zero=near == 0)


def chance_clause(row: Any) -> str:
    """Say how many unrelated groups differ as much; "" where that is not known.

    A difference with a direction is said to be no more than theirs where they differ as much more
    often than an interval of the row's probability misses.
    """
    chance = getattr(row, "chance", np.nan)
    if np.isnan(chance):
        return ""
    has_direction = row.verdict.partition(", ")[0] in DIRECTIONS
    return tell("chance", share(chance), has_direction, is_common(row))


def is_common(row: Any) -> bool:
    """Tell whether a difference has a direction, but unrelated groups often differ as much."""
    has_direction = row.verdict.partition(", ")[0] in DIRECTIONS
    chance = getattr(row, "chance", np.nan)
    return has_direction and not np.isnan(chance) and chance > 1.0 - row.prob


def no_more(chances: Sequence[float], *, changes: bool = False) -> str:
    """Say that differences, or changes, are no more than unrelated groups' often are."""
    shares = [*dict.fromkeys(map(share, sorted(chances)))]
    few = shares if len(shares) < 3 else [f"{shares[0]} to {shares[-1]}"]
    return tell("no_more", len(chances), few, changes)


def share(chance: float) -> str:
    """Write a share in a sentence."""
    return "fewer than 1%" if chance < _FEW else f"{chance:.0%}"


def headline_of_groups(rows: pd.DataFrame, names: Names) -> str:
    """Say of each group which lists it is closer to: where groups cannot be compared."""
    said, unknown = [], []
    words: dict[str, str] = {}
    for row in rows.itertuples():
        state = row.verdict.partition(", ")[0]
        words = lists_of_group(row.group, names)
        if state == UNDECIDED and len(rows) > 1:
            unknown.append(names.title[row.group])
            continue
        by = size(row) if len(rows) == 1 and state in DIRECTIONS else ""
        said.append(tell("one_group", state, own=names.title[row.group], **words, by=by))
    if unknown:
        if not said and len({*map(str, names.own.values())}) > 1:  # each has lists of its own
            words = {"lists": _OWN_LISTS, "others": "the others"}
        said.append(tell("undecided_groups", unknown, **words, alone=not said))
    return sentence("; ".join(said))


def lists_of_group(group: str, names: Names) -> dict[str, str]:
    """Return what a group's own lists and the others are called, a shared noun said once."""
    own, other = names.own[group], names.other[group]
    if len(own) == len(other) == 1:
        lists, others = elided([names.set_title[own[0]], names.set_title[other[0]]])
        return {"lists": lists, "others": others}
    return {"lists": names.sets(own), "others": names.sets(other)}
