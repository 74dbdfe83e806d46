"""Columns of a frame as integers, and the levels into which a term sorts the pairs.

A term by some columns has a random effect for each combination of their values that occurs: its
levels (the grouping factor ``group:attribute`` of lme4). The values are coded from 0, a combination
is one number in a mixed radix, and the combinations that occur are numbered again without gaps.

The attribute is not the word alone: *nurse* among the stereotypes and *nurse* in a list of neutral
words are two attributes, since what a stereotype list has says nothing of another kind of list.
Columns that follow from the connection (`terms.DERIVED`) are made here, so that a frame need not
have them, and a term by them is an ordinary one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ALL_CONNECTIONS,
    ATTRIBUTE,
    ATTRIBUTE_KINDS,
    CONNECTION,
    KIND_OF_CONNECTION,
    PROTECTED_WORD,
    REFERENCE,
)
from bayesbias.errors import ModelError, suggest
from bayesbias.inference.balance import Balance
from bayesbias.inference.priors import Prior
from bayesbias.inference.terms import ATTRIBUTE_KIND, DERIVED, FRAME_COLUMNS, PAIR_KIND, TermSpec
from bayesbias.support.arrays import Array, Index, Mask

_LARGEST: Final = 1e100
"""Number of a slope beyond which its square is none."""

_CONSTANT: Final = 1e-12  # of a column's size: less than that is rounding

JOINT: Final = " × "
"""Joins the values that a level has in several columns."""


@dataclass(frozen=True)
class Factor:
    """A column as integers (n_pairs,), which are indices into `labels`."""

    code: Index
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Term:
    """A term as found in data.

    `level` (n_pairs,): index of every pair's level, −1 where the term does not act. `labels`: of
    the levels. `columns`: per column of the term the value that each level has. `sd` (n_levels,):
    which of the term's standard deviations each level has; `sd_labels` is ``("",)`` and `sd_dims`,
    their dimension, empty where there is one. `prior`: of the standard deviations; `fixed_sd`:
    where they have none. `sd_by`: the column that they go by. `similar`: whether effects of similar
    attributes are alike, and `has_common_factor` whether all words share them. `balance`: which
    effects sum to 0, if any do. `x` (n_pairs,): of a slope, what its effect is multiplied by, in
    standard deviations; 0 where it does not act. `unit`: how much of the numbers one of these
    is; of a product 1.
    """

    name: str
    level: Index
    labels: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    sd: Index
    sd_labels: tuple[str, ...]
    sd_dims: tuple[str, ...]
    prior: Prior | None
    fixed_sd: float | None = None
    sd_by: str | None = None
    similar: bool = False
    has_common_factor: bool = False
    balance: Balance | None = None
    x: Array | None = None
    unit: float = 1.0

    @cached_property
    def acts(self) -> Mask:
        """Mark the pairs on which the term acts."""
        return np.asarray(self.level >= 0)


class FrameColumns:
    """The columns of a validated frame as factors, each made when it is first asked for."""

    def __init__(self, frame: pd.DataFrame, model: str) -> None:
        self._frame, self._model = frame, model
        connection = _factor(frame[CONNECTION])
        kind = _renamed(connection, KIND_OF_CONNECTION, ATTRIBUTE_KINDS)
        pair_kinds = (*ATTRIBUTE_KINDS, REFERENCE)
        # An attribute is a word in lists of one kind.
        text, n_kinds = _factor(frame[ATTRIBUTE]), len(kind.labels)
        attribute, codes = pd.factorize(text.code * n_kinds + kind.code)
        words = [text.labels[code] for code in codes // n_kinds]
        count = Counter(words)
        named = tuple(
            word if count[word] == 1 else f"{word} ({kind.labels[code]})"
            for word, code in zip(words, codes % n_kinds, strict=True)
        )
        self._found = {
            PROTECTED_WORD: _factor(frame[PROTECTED_WORD]),
            CONNECTION: _renamed(connection, {c: c for c in ALL_CONNECTIONS}, ALL_CONNECTIONS),
            ATTRIBUTE_KIND: kind,
            PAIR_KIND: _renamed(
                connection, KIND_OF_CONNECTION | {REFERENCE: REFERENCE}, pair_kinds
            ),
            ATTRIBUTE: Factor(np.asarray(attribute, np.int64), named),
        }
        for column in DERIVED:
            code, labels = self._found[column].code, np.array(self._found[column].labels)
            if column in frame and not (frame[column] == labels[code]).all():
                raise self._fail(
                    f"the frame has a column {column!r} of its own, which the package derives from "
                    f"the connection; rename it"
                )

    def _fail(self, message: str) -> ModelError:
        return ModelError(f"model {self._model!r}: {message}")

    def factor(self, column: str, where: str) -> Factor:
        """Return a column as integers; `where` is what needs it, for messages."""
        if column in self._found:
            return self._found[column]
        if column not in self._frame:
            valid = [str(c) for c in self._frame.columns if self._frame[c].dtype.kind not in "fc"]
            raise self._fail(
                f"{where}: the frame has no column {column!r}; add it to the frame"
                f"{suggest(column, [*valid, *DERIVED])}"
            )
        values = self._frame[column]
        if values.dtype.kind in "fc":
            raise self._fail(
                f"{where}: column {column!r} holds numbers with fractions, which name no levels; "
                f"make it texts or whole numbers"
            )
        if values.isna().any():
            row = int(np.flatnonzero(values.isna())[0]) + 1
            raise self._fail(
                f"{where}: column {column!r} is empty in row {row:,}; fill it, or drop the row"
            )
        self._found[column] = _factor(values.astype(str))
        return self._found[column]

    def term(self, spec: TermSpec) -> Term:
        """Sort the pairs into the levels of a term; it may turn out to have none."""
        where = f"term {spec.name!r}"
        acts = np.ones(len(self._frame), dtype=bool)
        if spec.connections:
            connection = self._found[CONNECTION]
            acts = np.array([c in spec.connections for c in connection.labels])[connection.code]
        factors = {column: self.factor(column, where) for column in spec.by}
        levels = _levels(factors, acts)
        sds = self._sds(spec, levels[0], acts, len(levels[1]))
        alike = bool(spec.similar), bool(spec.similar) and spec.has_common_factor
        known = *alike, self._balance(spec, levels[2], sds[0])
        numbers = self._numbers(spec, acts)
        return Term(spec.name, *levels, *sds, spec.prior, spec.sd, spec.sd_by, *known, *numbers)

    def _balance(
        self, spec: TermSpec, columns: Mapping[str, tuple[str, ...]], sd: Index
    ) -> Balance | None:
        """Return which levels sum to 0: protected ones that differ in those columns alone."""
        if not spec.sum_to_zero or not len(sd):
            return None
        values = list(zip(*columns.values(), strict=True))
        at = [list(columns).index(column) for column in spec.sum_to_zero]
        own = [tuple(value[i] for i in at) for value in values]
        protected = np.array([REFERENCE not in value for value in own])
        size = len({value for value, is_group in zip(own, protected, strict=True) if is_group})
        if size < 2:
            return None
        rest = [tuple(v for i, v in enumerate(value) if i not in at) for value in values]
        together = pd.factorize(np.array([f"{other}" for other in rest], dtype=object))[0]
        together = np.where(protected, together, -1)
        _, first = np.unique(together, return_index=True)
        if (sd != sd[first[np.searchsorted(together[first], together)]])[protected].any():
            raise self._fail(
                f"term {spec.name!r}: sd_by = {spec.sd_by!r}: effects that sum to 0 have several "
                f"standard deviations; go by a column that they share, or delete sum_to_zero"
            )
        return Balance(together, size)

    def _numbers(self, spec: TermSpec, acts: Mask) -> tuple[Array | None, float]:
        """Return what a slope's effects are multiplied by, and how much one of it is."""
        if not spec.of:
            return None, 1.0
        x, unit = np.ones(len(acts)), 1.0
        for column in spec.of:
            values = self._column_of_numbers(column, f"slope {spec.name!r}")
            unit = float(values[acts].std()) if acts.any() else 0.0
            # A column that does not vary becomes 0, and its slope is left out or refused
            # (`why_no_slope`).
            spread = unit if unit > _CONSTANT * np.abs(values).max(initial=0.0) else np.inf
            x = x * (values - values[acts].mean()) / spread if acts.any() else 0.0 * x
        return np.where(acts, x, 0.0), unit if len(spec.of) == 1 else 1.0

    def _column_of_numbers(self, column: str, where: str) -> Array:
        """Return a column for a slope; texts and missing numbers are refused."""
        if column not in self._frame:
            numbers = self._frame.select_dtypes("number").columns
            raise self._fail(
                f"{where}: the frame has no column {column!r}; add it to the frame"
                f"{suggest(column, [str(c) for c in numbers])}"
            )
        values = self._frame[column]
        if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
            raise self._fail(
                f"{where}: column {column!r} holds no numbers, and a slope is of numbers; "
                f"make a term of it, or convert it with pd.to_numeric"
            )
        found = values.to_numpy(dtype=np.float64, na_value=np.nan)
        if not np.isfinite(found).all():
            row = int(np.flatnonzero(~np.isfinite(found))[0])
            pair = self._frame.iloc[row]
            raise self._fail(
                f"{where}: column {column!r} has no finite number in row {row + 1:,} "
                f"({pair[PROTECTED_WORD]!r} and {pair[ATTRIBUTE]!r}); fill it, or drop the rows of "
                f"the word that has none"
            )
        if np.abs(found).max(initial=0.0) > _LARGEST:
            raise self._fail(
                f"{where}: column {column!r} has numbers as large as {np.abs(found).max():.1e}; "
                f"give it in another unit"
            )
        return found

    def _sds(
        self, spec: TermSpec, level: Index, acts: Mask, n_levels: int
    ) -> tuple[Index, tuple[str, ...], tuple[str, ...]]:
        """Return which standard deviation each level has, their labels and their dimension."""
        if spec.sd_by is None:
            return np.zeros(n_levels, np.int64), ("",), ()
        factor = self.factor(spec.sd_by, f"term {spec.name!r}: sd_by")
        of_level = np.zeros(n_levels, np.int64)
        of_level[level[acts]] = factor.code[acts]
        twice = acts & (of_level[level] != factor.code) if n_levels else np.zeros_like(acts)
        if twice.any():
            pair = int(np.flatnonzero(twice)[0])
            same = [factor.labels[code] for code in (of_level[level[pair]], factor.code[pair])]
            raise self._fail(
                f"term {spec.name!r}: sd_by = {spec.sd_by!r}, but one level has pairs of both "
                f"{same[1]!r} and {same[0]!r} and cannot have two standard deviations; add "
                f"{spec.sd_by!r} to by, or delete sd_by"
            )
        present, sd = np.unique(of_level, return_inverse=True)
        is_complete = len(present) == len(factor.labels)
        dim = sd_dimension(f"{spec.name}_sd", spec.sd_by, is_complete)
        return np.ravel(sd), tuple(factor.labels[code] for code in present), (dim,)


def sd_dimension(parameter: str, column: str, is_complete: bool) -> str:
    """Return the dimension of standard deviations that go by a column.

    It is the column, unless it lacks some of the column's values or bears a name of the user's,
    which might be that of another dimension.
    """
    if is_complete and column in (*FRAME_COLUMNS, *DERIVED) and column != ATTRIBUTE:
        return column
    return f"{parameter}_{column}"


def same_levels(one: Index, other: Index, among: Mask | None = None) -> bool:
    """Tell whether two numberings sort the pairs alike, −1 standing for no level."""
    if among is not None:
        one, other = one[among], other[among]
    elif not np.array_equal(one < 0, other < 0):
        return False
    return follows(one, other) and follows(other, one)


def follows(one: Index, other: Index) -> bool:
    """Tell whether pairs of one level, of −1 too, all have the same other level."""
    last = np.zeros(one.max(initial=-1) + 2, np.int64)  # that of −1 comes last
    last[one] = other
    return np.array_equal(last[one], other)


def _levels(
    factors: Mapping[str, Factor], acts: Mask
) -> tuple[Index, tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Give each combination of factors that occurs a number; the last factor varies fastest."""
    sizes = [len(factor.labels) for factor in factors.values()]
    joint = np.zeros(len(acts), np.int64)
    for factor, size in zip(factors.values(), sizes, strict=True):
        joint = joint * size + factor.code
    found, inverse = np.unique(joint[acts], return_inverse=True)
    level = np.full(len(acts), -1, np.int64)
    level[acts] = np.ravel(inverse)
    codes: list[Index] = []
    for size in reversed(sizes):
        found, code = np.divmod(found, size)
        codes.insert(0, code)
    columns = {
        name: tuple(factor.labels[c] for c in code)
        for (name, factor), code in zip(factors.items(), codes, strict=True)
    }
    if not factors:
        return level, ("all",) * len(found), columns
    labels = tuple(JOINT.join(values) for values in zip(*columns.values(), strict=True))
    return level, labels, columns


def _factor(column: "pd.Series[str]") -> Factor:
    """Index a column by its values, in the order in which they come."""
    code, labels = pd.factorize(column)
    return Factor(np.asarray(code, np.int64), tuple(str(label) for label in labels))


def _renamed(factor: Factor, names: Mapping[str, str], order: Sequence[str]) -> Factor:
    """Index what values are called by another name, in the order given."""
    called = [names[label] for label in factor.labels]
    present = tuple(name for name in order if name in called)
    code = np.array([present.index(name) for name in called], dtype=np.int64)
    return Factor(code[factor.code], present)
