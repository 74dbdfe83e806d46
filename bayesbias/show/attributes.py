"""What each attribute adds to a leading contrast: differences of observed mean distances.

A contrast is a mean over attributes, so that it falls apart into one number for each: between two
groups the difference of their mean distances to the attribute; over all the distance of the groups
that a list belongs to, minus that of the others; of a single group the attribute's distance minus
the mean of the list that it is compared with.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import ArgumentError, suggest
from bayesbias.show.narrator import Names, leading_row


@dataclass(frozen=True)
class Differences:
    """Differences of attributes, the most negative first, and what both sides of 0 mean.

    `table`: ``attribute``, ``list``, ``difference``. `row`: the contrast that they are parts of.
    `lists`: those of the table, in the order of the groups that they belong to, so that a list has
    the colour of its group.
    """

    table: pd.DataFrame
    left: str
    right: str
    row: pd.Series
    lists: tuple[str, ...]


def differences(
    frame: pd.DataFrame,
    contrasts: pd.DataFrame,
    names: Names,
    response: str,
    groups: Sequence[str] | None = None,
) -> Differences | None:
    """Return the differences of attributes behind the leading contrast.

    `contrasts`: with all pairs of groups, where `groups` names two of them. None where the leading
    contrast is withheld.
    """
    row = leading_row(contrasts if groups is None else of_pair(contrasts, names, groups))
    if row is None:
        return None
    pairs = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    means = pairs.pivot_table(response, [ATTRIBUTE_SET, ATTRIBUTE], GROUP, sort=False)
    if groups is not None or row.level == "list":
        first, second = row.group.split(", "), row.other.split(", ")
        values = means[first].mean(axis=1) - means[second].mean(axis=1)
        sides = [f"closer to {names.group(name)}" for name in (row.group, row.other)]
    elif row.level == "over all":
        values, sides = _own_and_others(pairs, means, contrasts, names)
    else:
        values, sides = _of_one_group(frame, means, row, names, response)
    table = values.dropna().rename("difference").reset_index()
    table = table.rename(columns={ATTRIBUTE_SET: "list"})[[ATTRIBUTE, "list", "difference"]]
    table = table.sort_values("difference", kind="stable", ignore_index=True)
    own = pairs[pairs[CONNECTION] == "associated"].drop_duplicates(ATTRIBUTE_SET)
    owner = own.set_index(ATTRIBUTE_SET)[GROUP].map(names.groups.index).to_dict()
    present = [name for name in names.lists if name in set(table["list"])]
    lists = sorted(present, key=lambda name: owner.get(name, len(names.groups)))
    return Differences(table, sides[0], sides[1], row, tuple(lists))


def of_pair(contrasts: pd.DataFrame, names: Names, groups: Sequence[str]) -> pd.DataFrame:
    """Return the rows by list that compare two groups."""
    for name in groups:
        if name not in names.groups:
            raise ArgumentError(f"groups: no group {name!r}{suggest(name, names.groups)}")
    if len(set(groups)) != 2:
        raise ArgumentError(f"groups={tuple(groups)!r}: name two groups, as ('a', 'b')")
    first, second = groups
    ways = (contrasts[GROUP] == first) & (contrasts["other"] == second)
    ways |= (contrasts[GROUP] == second) & (contrasts["other"] == first)
    return contrasts[ways & (contrasts["level"] == "list")]


def _own_and_others(
    pairs: pd.DataFrame, means: pd.DataFrame, contrasts: pd.DataFrame, names: Names
) -> tuple[pd.Series, list[str]]:
    """Compare two groups; of more, those that a list belongs to with the others."""
    if len(names.groups) == 2:
        by_list = contrasts[(contrasts["level"] == "list") & (contrasts["withheld"] == "")]
        largest = by_list.loc[by_list["standardised"].abs().idxmax()]
        values = means[largest.group] - means[largest.other]
        return values, [f"closer to {names.group(name)}" for name in largest[[GROUP, "other"]]]
    is_own = pairs.assign(own=pairs[CONNECTION] == "associated")
    own = is_own.pivot_table("own", [ATTRIBUTE_SET, ATTRIBUTE], GROUP, aggfunc="max", sort=False)
    own = own.reindex_like(means).astype(bool)
    values = means.where(own).mean(axis=1) - means.where(~own).mean(axis=1)
    return values, ["closer to its own group", "closer to the other groups"]


def _of_one_group(
    frame: pd.DataFrame, means: pd.DataFrame, row: pd.Series, names: Names, response: str
) -> tuple[pd.Series, list[str]]:
    """Compare a group's own attributes with the mean of what its list is compared with."""
    compared = row.contrast.partition(" − ")[2]
    own = frame[frame[CONNECTION] == "associated"]
    if row.group:
        own = own[own[GROUP] == row.group]
    group = own[GROUP].iloc[0]
    others = frame[(frame[CONNECTION] == compared) & frame[GROUP].isin(own[GROUP].unique())]
    lists = own.loc[own[GROUP] == group, ATTRIBUTE_SET].unique()
    values = means.loc[means.index.isin(lists, level=0), own[GROUP].unique()].mean(axis=1)
    what = f"{compared} words" if compared != "different" else "the other lists"
    return values - others[response].mean(), [f"closer than {what}", f"farther than {what}"]
