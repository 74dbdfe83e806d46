"""Columns of a frame as integers, and the levels into which a term sorts the pairs.

A term by some columns has a random effect for each combination of their values that occurs: its
levels (the grouping factor ``group:attribute`` of lme4). The values are coded from 0, a combination
is one number in a mixed radix, and the combinations that occur are numbered again without gaps.

The attribute is not the word alone: *nurse* among the stereotypes and *nurse* in a list of neutral
words are two attributes, since what a stereotype list has says nothing of another kind of list. The
kind of list follows from the connection and is made here, so that a term by it is an ordinary one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_KINDS,
    CONNECTION,
    CONNECTIONS,
    KIND_OF_CONNECTION,
    PROTECTED_WORD,
    TEXT_COLUMNS,
)
from bayesbias.errors import ModelError, suggest
from bayesbias.models.layout import Balance
from bayesbias.models.priors import Prior
from bayesbias.models.terms import ATTRIBUTE_KIND, TermSpec
from bayesbias.support.arguments import Array, Index, Mask

_LARGEST: Final = 1e100
"""Number of a slope beyond which its square is none."""

_CONSTANT: Final = 1e-12  # of a column's size: less than that is rounding


class Factor(NamedTuple):
    """A column as integers (n_pairs,), which are indices into `labels`."""

    code: Index
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Term:
    """A term as found in data.

    `level` (n_pairs,): index of every pair's level, −1 where the term does not act. `columns`: per
    column of the term the value that each level has. `sd` (n_levels,): which of the term's standard
    deviations each level has; `sd_labels` is ``("",)`` and `sd_dims`, their dimension, empty where
    there is one. `similar`: whether effects of similar attributes are alike, and
    `has_common_factor` whether all words share them. `balance`: which effects sum to 0, if any do.
    `x` (n_pairs,): of a slope, what its effect is multiplied by, in standard deviations; 0 where it
    does not act. `unit`: how much of the numbers one of these is; of a product 1.
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
        connection = _ordered(frame[CONNECTION], CONNECTIONS)
        kind = _ordered(frame[CONNECTION].map(KIND_OF_CONNECTION), ATTRIBUTE_KINDS)
        # An attribute is a word in lists of one kind.
        text, n_kinds = _factor(frame[ATTRIBUTE]), len(kind.labels)
        attribute, codes = pd.factorize(text.code * n_kinds + kind.code)
        words, kinds = np.divmod(codes, n_kinds)
        count = np.bincount(words)
        names = tuple(
            text.labels[word] + (f" ({kind.labels[k]})" if count[word] > 1 else "")
            for word, k in zip(words, kinds, strict=True)
        )
        self._factors = {
            CONNECTION: connection,
            ATTRIBUTE_KIND: kind,
            ATTRIBUTE: Factor(np.asarray(attribute, np.int64), names),
        }
        if ATTRIBUTE_KIND in frame:
            derived = np.array(kind.labels)[kind.code]
            if not (frame[ATTRIBUTE_KIND] == derived).all():
                raise self._fail(
                    f"the frame has a column {ATTRIBUTE_KIND!r} of its own, which the package "
                    f"derives from the connection; rename it"
                )

    def _fail(self, message: str) -> ModelError:
        return ModelError(f"model {self._model!r}: {message}")

    def _column(self, column: str, where: str, valid: Sequence[object]) -> "pd.Series[str]":
        if column not in self._frame:
            raise self._fail(
                f"{where}: the frame has no column {column!r}; add it to the frame"
                f"{suggest(column, map(str, valid))}"
            )
        return self._frame[column]

    def factor(self, column: str, where: str = "the frame") -> Factor:
        """Return a column as integers; `where` is what needs it, for messages."""
        if column not in self._factors:
            valid = [c for c in self._frame.columns if self._frame[c].dtype.kind not in "fc"]
            values = self._column(column, where, [*valid, ATTRIBUTE_KIND])
            if values.dtype.kind in "fc":
                raise self._fail(
                    f"{where}: column {column!r} holds numbers with fractions, which name no "
                    f"levels; make it texts or whole numbers"
                )
            if values.isna().any():
                row = int(np.flatnonzero(values.isna())[0]) + 1
                raise self._fail(
                    f"{where}: column {column!r} is empty in row {row:,}; fill it, or drop the row"
                )
            self._factors[column] = _factor(values.astype(str))
        return self._factors[column]

    def term(self, spec: TermSpec) -> Term:
        """Sort the pairs into the levels of a term; it may turn out to have none."""
        acts = self._frame[CONNECTION].isin(spec.connections or CONNECTIONS).to_numpy()
        level, n_levels = np.where(acts, 0, -1), int(acts.any())
        labels: tuple[str, ...] = ("all",) * n_levels
        columns: dict[str, tuple[str, ...]] = {}
        if spec.by:
            factors = [self.factor(column, f"term {spec.name!r}") for column in spec.by]
            sizes = [len(factor.labels) for factor in factors]
            joint = np.ravel_multi_index([factor.code[acts] for factor in factors], sizes)
            present, inverse = np.unique(joint, return_inverse=True)
            level[acts] = np.ravel(inverse)
            codes = np.unravel_index(present, sizes)
            columns = {
                column: tuple(factor.labels[c] for c in code)
                for column, factor, code in zip(spec.by, factors, codes, strict=True)
            }
            labels = tuple(" × ".join(values) for values in zip(*columns.values(), strict=True))
        sd, sd_labels, sd_dims = self._sds(spec, level, len(labels))
        x, unit = self._numbers(spec, acts)
        return Term(
            name=spec.name,
            level=level,
            labels=labels,
            columns=columns,
            sd=sd,
            sd_labels=sd_labels,
            sd_dims=sd_dims,
            prior=spec.prior,
            fixed_sd=spec.sd,
            sd_by=spec.sd_by,
            similar=bool(spec.similar),
            has_common_factor=bool(spec.similar) and spec.has_common_factor,
            balance=self._balance(spec, columns, sd),
            x=x,
            unit=unit,
        )

    def _sds(
        self, spec: TermSpec, level: Index, n_levels: int
    ) -> tuple[Index, tuple[str, ...], tuple[str, ...]]:
        """Return which standard deviation each level has, their labels and their dimension."""
        if spec.sd_by is None:
            return np.zeros(n_levels, np.int64), ("",), ()
        factor = self.factor(spec.sd_by, f"term {spec.name!r}: sd_by")
        acts, of_level = level >= 0, np.zeros(n_levels, np.int64)
        of_level[level[acts]] = factor.code[acts]
        twice = np.flatnonzero(acts)[of_level[level[acts]] != factor.code[acts]]
        if len(twice):
            codes = factor.code[twice[0]], of_level[level[twice[0]]]
            first, other = (factor.labels[code] for code in codes)
            raise self._fail(
                f"term {spec.name!r}: sd_by = {spec.sd_by!r}, but one level has pairs of both "
                f"{first!r} and {other!r} and cannot have two standard deviations; add "
                f"{spec.sd_by!r} to by, or delete sd_by"
            )
        present, sd = np.unique(of_level, return_inverse=True)
        dim = sd_dimension(f"{spec.name}_sd", spec.sd_by, len(present) == len(factor.labels))
        return np.ravel(sd), tuple(factor.labels[code] for code in present), (dim,)

    def _balance(
        self, spec: TermSpec, columns: Mapping[str, tuple[str, ...]], sd: Index
    ) -> Balance | None:
        """Return which levels sum to 0: those that differ in these columns alone."""
        if not spec.sum_to_zero or not len(sd):
            return None
        levels = pd.DataFrame(columns)
        size = levels.groupby(list(spec.sum_to_zero)).ngroups
        if size < 2:
            return None
        others = [column for column in spec.by if column not in spec.sum_to_zero]
        together = levels.groupby(others, sort=False).ngroup().to_numpy()
        if pd.Series(sd).groupby(together).agg(np.ptp).any():
            raise self._fail(
                f"term {spec.name!r}: sd_by = {spec.sd_by!r}: effects that sum to 0 have several "
                f"standard deviations; go by a column that they share, or delete sum_to_zero"
            )
        return Balance(together, size)

    def _numbers(self, spec: TermSpec, acts: Mask) -> tuple[Array | None, float]:
        """Return what a slope's effects are multiplied by, and how much one of it is."""
        if not spec.of:
            return None, 1.0
        x, unit = acts.astype(float), 1.0
        for column in spec.of if acts.any() else ():
            values = self._column_of_numbers(column, f"slope {spec.name!r}")
            unit = float(values[acts].std())
            # A column that does not vary becomes 0, and its slope is refused (`Design`).
            spread = unit if unit > _CONSTANT * np.abs(values).max() else np.inf
            x = x * (values - values[acts].mean()) / spread
        return x, unit if len(spec.of) == 1 else 1.0

    def _column_of_numbers(self, column: str, where: str) -> Array:
        """Return a column for a slope; texts and missing numbers are refused."""
        values = self._column(column, where, list(self._frame.select_dtypes("number").columns))
        if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
            raise self._fail(
                f"{where}: column {column!r} holds no numbers, and a slope is of numbers; "
                f"make a term of it, or convert it with pd.to_numeric"
            )
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        if not np.isfinite(numbers).all():
            row = int(np.flatnonzero(~np.isfinite(numbers))[0])
            pair = self._frame.iloc[row]
            raise self._fail(
                f"{where}: column {column!r} has no finite number in row {row + 1:,} "
                f"({pair[PROTECTED_WORD]!r} and {pair[ATTRIBUTE]!r}); fill it, or drop the rows of "
                f"the word that has none"
            )
        if np.abs(numbers).max() > _LARGEST:
            raise self._fail(
                f"{where}: column {column!r} has numbers as large as {np.abs(numbers).max():.1e}; "
                f"give it in another unit"
            )
        return numbers


def sd_dimension(parameter: str, column: str, is_complete: bool) -> str:
    """Return the dimension of standard deviations that go by a column.

    It is the column, unless it lacks some of the column's values or bears a name of the user's,
    which might be that of another dimension.
    """
    shared = is_complete and column in (*TEXT_COLUMNS, ATTRIBUTE_KIND) and column != ATTRIBUTE
    return column if shared else f"{parameter}_{column}"


def _factor(column: "pd.Series[str]") -> Factor:
    """Index a column by its values, in the order in which they come."""
    code, labels = pd.factorize(column)
    return Factor(np.asarray(code, np.int64), tuple(map(str, labels)))


def _ordered(column: "pd.Series[str]", order: Sequence[str]) -> Factor:
    """Index a column by its values, in the order given."""
    values = pd.Categorical(column, order).remove_unused_categories()
    return Factor(np.asarray(values.codes, np.int64), tuple(values.categories))
