"""Contrasts of crossed groups: by factor, such as race and gender, and their interaction.

What a group has with a list is compared between two lists, for all groups the same two: the
distance to the first list's attributes less that to the second's. Main effects are differences of
means over levels; an interaction is a difference of differences, what a group has beyond its
levels: black women less white women, less black men less white men. All are rows of weights.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, product

import numpy as np
import pandas as pd

from bayesbias.errors import FitError
from bayesbias.fits.between_groups import listed_of_lists
from bayesbias.inference.design import Design
from bayesbias.inference.questions import LinearCombinations, ListPairs, list_weights
from bayesbias.pairs.word_lists import levels_of
from bayesbias.support.arrays import Array

Factors = Mapping[str, Mapping[str, tuple[str, ...]]]

GROUPS = "group"
"""What stands for the factor in the rows of single groups."""


def are_crossed(design: Design, factors: Factors) -> bool:
    """Tell whether contrasts by factor can be given."""
    try:
        factor_weights(design, factors)
    except FitError:
        return False
    return True


def factor_weights(design: Design, factors: Factors) -> tuple[pd.DataFrame, LinearCombinations]:
    """Return groups, main effects and interactions: labels, and a row of weights each."""
    groups = [design.groups[g] for g in design.protected_groups]
    placed = [{g for of in levels.values() for g in of} for levels in factors.values()]
    if not factors or any(set(groups) != members for members in placed):
        raise FitError(
            "the groups of this fit are not crossed; give the word list [factors] "
            "(wordlists/SCHEMA.md)"
        )
    lacking = set(product(*factors.values())) - {levels_of(factors, group) for group in groups}
    if lacking:
        raise FitError(
            f"the groups of this fit are not crossed: none is {' and '.join(min(lacking))}; every "
            f"combination of levels needs a group"
        )
    found = ListPairs.of(design)
    words = [design.word[design.pair_group == g] for g in design.protected_groups]
    for (i, of_group), (j, s) in product(enumerate(words), enumerate(found.lists)):
        if len(found.pairs.get((i, j), ())) < len(np.unique(of_group)):
            raise FitError(
                f"not every protected word meets list {design.attribute_sets[s]!r}, so that groups "
                f"cannot be compared on the same lists"
            )
    means = list_weights(design, found)
    lists = [design.attribute_sets[s] for s in found.lists]
    listed, counts = listed_of_lists(design, found)
    rows, weights = [], []
    for contrast, of_lists in _of_lists(lists):
        for factor, comparison, of_groups in _of_groups(groups, factors):
            # Means are by group, then list: the weights are a Kronecker product of both contrasts.
            weights.append(np.outer(of_groups, of_lists).ravel())
            used = counts[np.ix_(of_groups != 0, of_lists != 0)]
            plain = float(of_groups @ listed @ of_lists)
            rows.append((factor, comparison, contrast, int(used.min()), plain))
    columns = ["factor", "comparison", "contrast", "n_pairs", "listed"]
    return pd.DataFrame(rows, columns=columns), means.combined(np.array(weights))


def _of_lists(lists: list[str]) -> Iterator[tuple[str, Array]]:
    """Yield contrasts of lists: the last of two less the first, or each less the others' mean."""
    if len(lists) < 2:
        raise FitError("crossed groups need two lists of attributes, of which one is nearer")
    if len(lists) == 2:
        yield f"{lists[1]} − {lists[0]}", np.array([-1.0, 1.0])
        return
    for i, name in enumerate(lists):
        weights = np.full(len(lists), -1 / (len(lists) - 1))
        weights[i] = 1.0
        yield f"{name} − other lists", weights


def _of_groups(groups: list[str], factors: Factors) -> Iterator[tuple[str, str, Array]]:
    """Yield single groups, main effects by factor, and interactions of two levels with two."""
    for i, group in enumerate(groups):
        yield GROUPS, group.replace("_", " "), np.eye(len(groups))[i]
    means = {
        (factor, level): np.isin(groups, members) / len(members)
        for factor, levels in factors.items()
        for level, members in levels.items()
    }
    for factor, levels in factors.items():
        for first, second in combinations(levels, 2):
            yield factor, f"{first} − {second}", means[factor, first] - means[factor, second]
    of_group = dict(zip(groups, (levels_of(factors, group) for group in groups), strict=True))
    names = list(factors)
    for a, b in combinations(range(len(names)), 2):
        pairs = (combinations(factors[names[k]], 2) for k in (a, b))
        others = len(groups) // (len(factors[names[a]]) * len(factors[names[b]]))
        for one, two in product(*pairs):
            # Difference of differences: + − − + for the four combinations of two levels by two.
            signs = [_sign(of_group[g][a], one) * _sign(of_group[g][b], two) for g in groups]
            name = f"{one[0]} {two[0]} beyond both"
            if len(factors[names[a]]) > 2 or len(factors[names[b]]) > 2:
                name += f", against {one[1]} {two[1]}"  # which of the other levels
            yield f"{names[a]} × {names[b]}", name, np.array(signs) / others


def _sign(level: str, pair: tuple[str, ...]) -> float:
    return 0.0 if level not in pair else 1.0 if level == pair[0] else -1.0
