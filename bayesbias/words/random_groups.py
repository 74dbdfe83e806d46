"""Random groups: how far groups of any words differ between the same lists, without a model.

A random group is a frequent word of the vectors with the words nearest to it, as many as the list's
group has. In every draw each group of the list is played by one, and the same weights on cells give
the same contrast. The share of draws that differ at least as much says how usual a difference is:
a yardstick for its size, and no test (re-dealt lists of close groups, such as he and she, have a
large share too, since rivers and trees are farther apart).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbias.support.arguments import Array, KeyedVectors
from bayesbias.vectors.lookup import vectors_of
from bayesbias.vectors.samples import Sample, nearest, unit

N_DRAWS: Final = 2000

FEWEST_WORDS: Final = 500
"""Words beside the list's own, of which groups are drawn."""


@dataclass(frozen=True)
class RandomGroups:
    """Mean distances of random groups to lists.

    `means` (n_draws, n_cells): for every draw and cell of a group and a list of the word list.
    """

    means: Array

    def contrasts(self, weights: Array) -> Array:
        """Return contrasts of random groups, (n_draws, n_rows); weights (n_rows, n_cells)."""
        return self.means @ weights.T

    def shares(self, weights: Array, observed: Array) -> Array:
        """Return the share of draws with a contrast at least as large, (n_rows,), 1 added to both.

        `observed` (at least n_rows,): the contrasts of the list.
        """
        size = np.abs(self.contrasts(weights))
        reached = (size >= np.abs(observed[: len(weights)]) - 1e-12).sum(axis=0)
        return np.asarray((1 + reached) / (1 + len(self.means)))


def random_groups(
    vectors: KeyedVectors,
    cells: Sequence[tuple[str, Sequence[str], Sequence[str]]],
    sample: Sample,
    *,
    seed: int,
    draws: int = N_DRAWS,
) -> RandomGroups | None:
    """Draw random groups from the vectors' own frequent words.

    `cells`: of every cell the group, its words, and the list's attributes, as keys in the vectors.
    `sample`: of the vectors' vocabulary. None where it has fewer than 500 words besides these.
    """
    own = {word for _, words, attributes in cells for word in (*words, *attributes)}
    usable = np.array([word not in own for word in sample.words], dtype=bool)
    if usable.sum() < FEWEST_WORDS:
        return None
    pool = unit(np.asarray(sample.vectors, dtype=np.float64)[usable])
    place = np.cumsum(usable) - 1
    groups = sample.groups[usable[sample.groups[:, 0]]]
    drawn = place[groups[:, 0]]
    sizes: dict[str, int] = {}
    for group, words, _ in cells:
        sizes[group] = max(sizes.get(group, 0), len(set(words)))
    size, is_usable = min(max(sizes.values()), len(pool)), usable[groups]
    # The sample has the nearest words already, some of which may be the list's own.
    ordered = np.take_along_axis(groups, np.argsort(~is_usable, axis=1, kind="stable"), axis=1)
    near = np.zeros((len(drawn), size), np.intp)
    near[:, : groups.shape[1]] = place[ordered[:, :size]]
    lacking = (is_usable.sum(axis=1) < size) | sample.is_changed
    if lacking.any():
        near[lacking] = nearest(pool, drawn[lacking], size)
    lists = {tuple(attributes) for *_, attributes in cells}
    # The mean distance to a list is 1 − v·(mean of the attributes' unit vectors).
    means = {key: 1.0 - pool @ unit(vectors_of(vectors, list(key))).mean(axis=0) for key in lists}
    rng = np.random.default_rng([seed, 7])
    players = np.stack([rng.choice(len(drawn), len(sizes), replace=False) for _ in range(draws)])
    column = {group: i for i, group in enumerate(sizes)}
    parts = []
    for group, _, attributes in cells:
        of_words = near[players[:, column[group]], : sizes[group]]
        parts.append(means[tuple(attributes)][of_words].mean(axis=1))
    return RandomGroups(np.column_stack(parts))
