"""Who is closer to each attribute list, between groups: ``by="list"``.

For a list s of stereotypes, with the groups that s is associated with on one side and the other
groups that meet s on the other,

    Δ_s = mean over the first of a group's mean distance to s − mean over the second.

What a list or an attribute has with everybody cancels in it, so that it needs no reference words;
it is 0 where groups are equally far from s; and with two groups, a list each, the contrast
associated − different over all groups is the mean of both Δ_s. Which group has which list follows
from the pairs: a list of several groups compares their mean, one of all groups compares nobody and
has no row, one that is nobody's compares the first group with the others (where other lists have
groups on both sides), and a group without pairs
with s is on neither side.

What a group has with every attribute, such as names that are rare, is in Δ_s. The same difference
for neutral words (human ones where there are no others) tells how much that is: Δ_s minus it has a
row of its own.
"""

from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE_SET,
    CONNECTION,
    CONTROL_CONNECTIONS,
    GROUP,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import FitError, one_of
from bayesbias.inference.design import Design
from bayesbias.inference.questions import (
    LinearCombinations,
    ListPairs,
    between_weights,
    list_weights,
)
from bayesbias.support.arrays import Array, Index
from bayesbias.support.text_tables import join_words

LIST: Final = "list"
"""The level, as in ``by=``."""

ZERO: Final = "zero_by_construction"
"""The column that says whether the listed words are equal: every attribute as far from both sides,
as after equalisation. Such a mean is 0 whatever the data, and no evidence of anything."""

NEGLIGIBLE: Final = 1e-6
"""Largest difference (cosine distance) of an attribute that is rounding of the vectors."""

OTHER_GROUPS: Final = "other_groups"
"""The column of the groups that a list is compared with."""

BETWEEN: Final = "between groups"
"""The contrast of groups on one list."""


def compared_with(control: str) -> str:
    """Name the contrast of groups on one list, minus their difference for a control's words."""
    return f"compared with {control} words"


def has_lists(design: Design) -> bool:
    """Tell whether groups can be compared list by list."""
    return bool(ListPairs.of(design).compared)


def lists_of(design: Design) -> ListPairs:
    """Return which groups are compared on which lists; refuse where none are, and say what to ask.

    An answer of one group alone would hold the difference of the lists themselves.
    """
    found = ListPairs.of(design)
    if found.compared:
        return found
    groups = [design.groups[g] for g in design.protected_groups]
    if not len(found.lists):
        raise FitError(
            "by='list' compares groups on lists of stereotypes, and this fit has no such list; ask "
            "fit.summary('group') for the mean distances of each group"
        )
    if len(groups) == 1:
        raise FitError(
            f"by='list' compares groups, and this fit has one, {groups[0]!r}; ask "
            f"fit.contrasts('group') for its own answer"
        )
    raise FitError(
        f"by='list' compares the groups that a list is associated with and the others, and here "
        f"every list is the same for {join_words(groups)}; ask fit.contrasts('group') for the "
        f"answer of each group, or 'factor' where groups are crossed"
    )


def summary_of_lists(design: Design) -> tuple[pd.DataFrame, LinearCombinations]:
    """Return the mean distance of every group to every list: labels, and a row of weights each."""
    found = lists_of(design)
    means, counts = listed_of_lists(design, found)
    order = [k for j in range(len(found.lists)) for k, key in enumerate(found.pairs) if key[1] == j]
    keys = [list(found.pairs)[k] for k in order]
    rows = []
    for group, place in keys:
        connection = design.connections[design.connection[found.pairs[group, place][0]]]
        name = design.groups[design.protected_groups[group]]
        rows.append((design.attribute_sets[found.lists[place]], name, connection))
    labels = pd.DataFrame(rows, columns=[ATTRIBUTE_SET, GROUP, CONNECTION], dtype=object)
    labels["n_pairs"] = [counts[key] for key in keys]
    labels["listed"] = [means[key] for key in keys]
    return labels, list_weights(design, found).rows(np.array(order))


def contrasts_of_lists(design: Design) -> tuple[pd.DataFrame, LinearCombinations]:
    """Return who is closer to each list: labels, and a row of weights each.

    First of all lists between groups, then the same compared with the words of a control.
    """
    found = lists_of(design)
    means, counts = listed_of_lists(design, found)
    # The control whose words tell what a group has with all attributes, if there is one.
    controls = [c for c in reversed(CONTROL_CONNECTIONS) if c in design.connections][:1]
    of_controls = []
    for control in controls:
        met = design.connection == design.connections.index(control)
        parts = [design.response[met & (design.pair_group == g)] for g in design.protected_groups]
        plain_means = [part.mean() if len(part) else np.nan for part in parts]
        of_controls.append((compared_with(control), np.array(plain_means)))
    nothing = np.zeros(len(means))
    zero = zero_by_construction(design, found, design.response)
    rows = []
    for contrast, of_control in ((BETWEEN, nothing), *of_controls):
        for place in found.compared:
            sides = found.groups(place)
            own, others = (
                ", ".join(design.groups[design.protected_groups[i]] for i in side) for side in sides
            )
            name = design.attribute_sets[found.lists[place]]
            fewer = min(int(counts[side, place].sum()) for side in sides)
            first, second = (float((means[:, place] - of_control)[side].mean()) for side in sides)
            is_zero = contrast == BETWEEN and zero[place]
            rows.append((name, own, others, contrast, fewer, first - second, is_zero))
    columns = [ATTRIBUTE_SET, GROUP, OTHER_GROUPS, "contrast", "n_pairs", "listed", ZERO]
    return pd.DataFrame(rows, columns=columns), between_weights(design, found, controls)


def contrasts_of_sets(
    design: Design, sets: tuple[str, str]
) -> tuple[pd.DataFrame, LinearCombinations]:
    """Return how much closer each group is to one list than to another: labels, and weights."""
    found = ListPairs.of(design)
    names = [design.attribute_sets[at] for at in found.lists]
    for name in sets:
        one_of(name, "sets", names)
    first, second = map(names.index, sets)
    means, counts = listed_of_lists(design, found)
    keys, rows, weights = list(found.pairs), [], []
    for group, of in enumerate(design.protected_groups):
        if not {(group, first), (group, second)} <= set(keys):
            continue
        fewer = min(int(counts[group, place]) for place in (first, second))
        plain = float(means[group, first] - means[group, second])
        rows.append((design.groups[of], f"{sets[0]} − {sets[1]}", fewer, plain))
        signs = np.zeros(len(keys))
        signs[keys.index((group, first))], signs[keys.index((group, second))] = 1.0, -1.0
        weights.append(signs)
    labels = pd.DataFrame(rows, columns=[GROUP, "contrast", "n_pairs", "listed"])
    return labels, list_weights(design, found).combined(np.array(weights))


def zero_by_construction(design: Design, found: ListPairs, response: Array) -> dict[int, bool]:
    """Tell of every list that is compared whether no attribute tells its groups apart.

    `response` (n_pairs,): the distances that are asked, of one side of a change for instance.
    """
    is_stereotype = [name in STEREOTYPE_CONNECTIONS for name in design.connections]
    of_stereotypes = np.array(is_stereotype)[design.connection]
    zero = {}
    for place in found.compared:
        mine = of_stereotypes & (design.attribute_set == found.lists[place])
        cell = design.pair_group[mine], design.attribute[mine]
        shape = len(design.groups), len(design.attributes)
        sums, counts = np.zeros(shape), np.zeros(shape)
        np.add.at(sums, cell, response[mine])
        np.add.at(counts, cell, 1)
        with np.errstate(invalid="ignore"):
            means = (sums / counts)[design.protected_groups][:, np.unique(cell[1])]
        own, others = (means[side].mean(axis=0) for side in found.groups(place))
        zero[place] = bool((np.abs(own - others) < NEGLIGIBLE).all())  # what is missing is not 0
    return zero


def listed_of_lists(design: Design, found: ListPairs) -> tuple[Array, Index]:
    """Return the plain mean distance of every group to every list, and the number of its pairs.

    Both (n_groups, n_lists); NaN and 0 where a group has no pairs with a list.
    """
    means, counts = np.full(found.own.shape, np.nan), np.zeros(found.own.shape, np.int64)
    for key, rows in found.rows.items():
        means[key], counts[key] = design.response[rows].mean(), len(rows)
    return means, counts
