"""The effects of a block as units that the data cannot tell apart.

A unit holds the effects that lie within one level of a term: a protected word's own effect and its
effects on single connections, or an attribute's effect and its effects on single groups. Effects
of different units of one side have no pairs in common, so that a side is block-diagonal, with a
small matrix for every unit. Units with the same counts inside and with all other effects are
exchangeable and form a class; in complete data there are as many classes of words as groups, and of
attributes as attribute sets, whatever the number of words.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.support.arrays import Array, Index

_LARGEST_UNIT: Final = 16  # a unit is factorised by loops over its effects
_EXACT: Final = 1 << 20  # times this, numbers that differ by less than rounding are the same


def split_sides(
    levels: Sequence[Sequence[Index]], sizes: Sequence[int]
) -> tuple[list[list[int]], list[int]]:
    """Choose the terms to be eliminated, the terms kept in units, and the rest.

    `levels` (n_pairs,): every term's, −1 where it does not act; several where pairs have several
    effects of a term, which then names no units. `sizes`: number of levels. Returns for both sides
    the terms within whose first one the others of the list lie, the first side having most effects;
    and the rest.
    """
    free = set(range(len(levels)))
    inside = {unit: _inside(unit, levels, sizes) for unit in free if len(levels[unit]) == 1}
    sides: list[list[int]] = []
    for _ in range(2):
        units = sorted(free & inside.keys())
        if not units:
            sides.append([])
            continue
        gain = {u: (sum(sizes[t] for t in inside[u] & free), -sizes[u]) for u in units}
        unit = max(units, key=gain.__getitem__)
        sides.append([unit, *sorted((inside[unit] & free) - {unit})])
        free -= inside[unit]
    return sides, sorted(free)


def _inside(unit: int, levels: Sequence[Sequence[Index]], sizes: Sequence[int]) -> set[int]:
    """Return the terms that lie within one, as many as make no large units."""
    others = [t for t in range(len(levels)) if t != unit]
    width = {t: _width(levels[t], levels[unit][0], sizes[t]) for t in others}
    found, total = {unit}, 1
    for term in sorted(width, key=lambda t: (width[t], t)):
        total += width[term]
        if total <= _LARGEST_UNIT:
            found.add(term)
    return found


def _width(levels: Sequence[Index], unit: Index, size: int) -> int:
    """Return how many levels of a term a unit has at most; too many where units share a level."""
    unit_of = np.full(size, -1, np.int64)
    unit_of[levels[0][levels[0] >= 0]] = unit[levels[0] >= 0]
    for level in levels:
        acts = level >= 0
        if (unit[acts] < 0).any() or not np.array_equal(unit_of[level[acts]], unit[acts]):
            return _LARGEST_UNIT
    return int(np.bincount(unit_of).max())


def signatures(
    own: Sequence[tuple[Index, Array]],
    other: Sequence[tuple[Index, Array]],
    noise: Index,
    n_noise: int,
    n_effects: int,
) -> Index:
    """Return a number per effect, the same for effects that have the same counts with all others.

    It is a random linear form, modulo 2^64, of the counts of pairs with every other effect and
    noise level; different counts share a number by an accident of probability 2^-63. `own`, `other`
    (n_pairs,): the effects that every pair has, −1 for none, and times what, of the side and of all
    others.
    """
    rng = np.random.default_rng(20150817)
    table = rng.integers(0, 2**63, size=(n_effects + 1, n_noise), dtype=np.int64)
    table[-1] = 0  # where the index is −1
    of_pair = np.zeros(len(noise), np.int64)
    for column, value in other:
        of_pair += table[column, noise] * _odd(value)  # wraps around
    found = np.zeros(n_effects + 1, np.int64)
    for column, value in own:
        np.add.at(found, column, of_pair * _odd(value))
    return found[:-1]


def _odd(value: Array) -> Index:
    """Return whole numbers that stand for others, 1 for 1; odd, so that products keep all bits."""
    return np.where(value == 1.0, 1, 2 * _rounded(value) + 1)


def _rounded(value: Array) -> Index:
    return np.rint(value * _EXACT).astype(np.int64)


class Units:
    """The units of one side, sorted into classes.

    `unit` (n_pairs,): the unit of every pair, −1 for none. `columns` (n_pairs,): the side's effects
    that every pair has, −1 for none, and times what. `prior` (n_effects,): which standard deviation
    is the prior of every effect of the block. `signature` (n_effects,): see `signatures`.

    `width`: the largest number of effects in a unit; smaller units are filled up with −1. `effect`
    (n_units, width): which effects are in every unit. `place` (n_effects,): which place in its unit
    every effect has; −1 for effects of others. `member` (n_units,): the class of every unit.
    `first` (n_classes,): a unit that stands for its class. `size` (n_classes,). `inner` (width,
    width, n_classes, n_noise): numbers of pairs that the effects of a unit have in common. `prior`
    (width, n_classes): −1 for places that are not filled.
    """

    def __init__(
        self,
        unit: Index,
        columns: Sequence[tuple[Index, Array]],
        prior: Index,
        signature: Index,
        noise: Index,
        n_noise: int,
    ) -> None:
        owner = np.full(len(prior), -1, np.int64)
        for column, _ in columns:
            acts = column >= 0
            owner[column[acts]] = unit[acts]
        effects = np.flatnonzero(owner >= 0)
        # The same order in every unit, so that exchangeable units compare equal.
        effects = effects[np.lexsort((signature[effects], prior[effects], owner[effects]))]
        own = owner[effects]
        counts = np.bincount(own, minlength=int(unit.max(initial=-1)) + 1)
        n, d = len(counts), int(counts.max(initial=0))
        place = np.arange(len(effects)) - (np.cumsum(counts) - counts)[own]
        self.unit, self.width = unit, d
        self.effect = np.full((n, d), -1, np.int64)
        self.effect[own, place] = effects
        self.place = np.full(len(prior), -1, np.int64)
        self.place[effects] = place
        inner = self._inner(columns, noise, n, n_noise)
        real = self.effect >= 0
        self.first, self.member = _distinct(
            np.where(real, signature[self.effect], 0) if d else real,
            np.where(real, prior[self.effect], -1) if d else real,
            _rounded(inner),
        )
        self.size = np.bincount(self.member).astype(float)
        self.n_classes = len(self.first)
        inner = inner[self.first].reshape(self.n_classes, d, d, n_noise)
        self.inner = np.ascontiguousarray(inner.transpose(1, 2, 0, 3), dtype=float)
        real = real[self.first].T
        self.prior = np.where(real, prior[self.effect[self.first].T], -1) if d else real.astype(int)

    def _inner(
        self, columns: Sequence[tuple[Index, Array]], noise: Index, n_units: int, n_noise: int
    ) -> Array:
        d = self.width
        inner = np.zeros(n_units * d * d * n_noise)
        for one, of_one in columns:
            for two, of_two in columns:
                both = np.flatnonzero((one >= 0) & (two >= 0))
                at = (self.unit[both] * d + self.place[one[both]]) * d + self.place[two[both]]
                value = of_one[both] * of_two[both]
                inner += np.bincount(at * n_noise + noise[both], value, len(inner))
        return inner.reshape(n_units, d * d * n_noise)

    def class_of_first(self) -> Index:
        """Return, per pair, the class for which the pair's unit stands, or −1."""
        stands_for = np.full(len(self.member) + 1, -1, np.int64)
        stands_for[self.first] = np.arange(self.n_classes)
        return stands_for[self.unit]

    def of_units(self, values: Array) -> Array:
        """Arrange numbers per effect by unit: (..., n_effects) to (..., n_units, width)."""
        filled = np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
        return np.asarray(filled[..., self.effect])

    def class_sums(self, values: Array) -> Array:
        """Sum over the members of every class: (..., n_units, width) to (..., width, classes).

        Sums are divided by the root of the class's size, which makes them orthonormal combinations
        of the members.
        """
        n = len(self.member)
        if n == 0:
            return np.zeros((*values.shape[:-2], 0, 0))
        rows = values.reshape(-1, n, self.width).transpose(0, 2, 1).reshape(-1, n)
        total = [np.bincount(self.member, weights=row, minlength=self.n_classes) for row in rows]
        sums = np.array(total).reshape(*values.shape[:-2], self.width, self.n_classes)
        return np.asarray(sums / np.sqrt(self.size))

    def products(self, one: Array, two: Array) -> Array:
        """Sum, over members, the products of unit vectors: (p, n_units, d) to (p, d * d * classes).

        So that a quadratic form with one d × d matrix per class is a single product.
        """
        n, d = len(one), self.width
        out = np.empty((n, d, d, self.n_classes))
        if self.n_classes:
            order = np.argsort(self.member, kind="stable")
            start = np.searchsorted(self.member[order], np.arange(self.n_classes))
            one, two = one[:, order], two[:, order]
            for i in range(d):
                for j in range(d):
                    np.add.reduceat(one[..., i] * two[..., j], start, axis=1, out=out[:, i, j])
        return out.reshape(n, -1)


def _distinct(*parts: NDArray[np.generic]) -> tuple[Index, Index]:
    """Return the first row of every distinct row of joint arrays, and each row's number."""
    rows = np.ascontiguousarray(np.hstack([part.astype(np.int64) for part in parts]))
    if rows.size == 0:
        n = min(len(rows), 1)
        return np.arange(n), np.zeros(len(rows), np.int64)
    as_bytes = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, member = np.unique(as_bytes, return_index=True, return_inverse=True)
    return first.astype(np.int64), member.ravel().astype(np.int64)
