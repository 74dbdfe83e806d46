"""A table of predictions, one row per person or with weights, checked and counted.

All rates of the room are ratios of sums over cells of one table: group × true × predicted class. A
row may stand for several persons (aggregated counts), or for a share of a population (a survey).
Then a rate is a ratio of sums of weights, and its precision that of (Σw)² / Σw² persons, Kish's
effective sample size (1965), with both sums over those who are in the rate's denominator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.classifiers.labels import (
    as_labels,
    in_order,
    numbers_of,
    refuse_alike,
    refuse_disjoint,
    warn_missing,
)
from bayesbias.classifiers.rates import rate_counts
from bayesbias.errors import PredictionsError, short, suggest
from bayesbias.support.arguments import Array, Index, refuse_no_frame

_CROSSED: Final = ", "  # between the levels of a crossed group
_MOST_CODES: Final = 20
"""More different numbers are measurements; up to so many whole ones may be codes of groups."""

_FEW_VALUES: Final = 5  # more different numbers, some of them not whole, are measurements


@dataclass(frozen=True, eq=False)
class Predictions:
    """How often each class was predicted for each class, per group.

    `counts` and `squares`, (n_groups, n_classes, n_classes), are sums of weights and of squared
    weights by group, true class and predicted class; of persons, and of aggregated counts, both are
    numbers of persons. `reference` is the group that is subtracted.
    """

    counts: NDArray[Any]
    squares: NDArray[Any]
    classes: tuple[str, ...]
    groups: tuple[str, ...]
    reference: str

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The places of every two groups, the second subtracted; those with the reference first."""
        last = self.groups.index(self.reference)
        others = [i for i in range(len(self.groups)) if i != last]
        return [*((i, last) for i in others), *combinations(others, 2)]

    @property
    def effective(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Successes and trials of all rates, (3, n_groups, n_classes), in effective persons."""
        successes, trials = rate_counts(self.counts)
        if np.array_equal(self.counts, self.squares):
            return successes, trials
        _, squares = rate_counts(self.squares)
        factor = trials / np.where(squares > 0, squares, 1.0)
        return successes * factor, trials * factor


def count_predictions(
    frame: pd.DataFrame,
    *,
    true: str,
    predicted: str,
    group: str | Sequence[str],
    classes: Sequence[Any] | None = None,
    reference: Any = None,
    weights: str | None = None,
    survey: bool = False,
) -> Predictions:
    """Check a table of predictions and count it.

    Parameters
    ----------
    frame : DataFrame
        One row per person or, with `weights`, per combination of labels.
    true, predicted : str
        Its columns of true and of predicted classes.
    group : str or sequence of str
        Its column of groups. Of several columns every combination that occurs is a group, such as
        ``women, North``.
    classes : sequence, optional
        The classes there are, in the order of tables; by default those that occur, sorted.
    reference : label, optional
        The group that is subtracted; by default the largest, of equal ones the last in sorted
        order.
    weights : str, optional
        Its column of how many persons each row stands for, in whole numbers.
    survey : bool
        The weights are sampling weights: any numbers, whose sum says nothing of how many persons
        were asked.

    Returns
    -------
    Predictions

    Raises
    ------
    PredictionsError
        If a column or a value is missing, a label is not among `classes`, there is one group only,
        the reference is absent, true and predicted classes have no label in common, two labels
        look alike, groups are measurements, such as ages, or a weight is negative or, unless of a
        survey, not whole.

    Examples
    --------
    >>> people = pd.DataFrame({"y": [0, 1, 1], "p": [0, 1, 0], "g": ["f", "m", "m"]})
    >>> counted = count_predictions(people, true="y", predicted="p", group="g")
    >>> counted.groups, counted.counts.sum(axis=(1, 2)).tolist()
    (('f', 'm'), [1, 2])
    """
    refuse_no_frame(frame)
    for name, column in (("true", true), ("predicted", predicted)):
        refuse_absent(frame, name, column)
    if frame.empty:
        raise PredictionsError("the table of predictions has no rows")
    truth, guess = as_labels(frame[true], true), as_labels(frame[predicted], predicted)
    names = _classes(truth, guess, classes)
    of_group, groups = grouped(frame, group)
    weight = None if weights is None else weights_of(frame, weights, survey=survey)
    counts = squares = tabulated(truth, guess, of_group, names, groups, weight)
    if survey and weight is not None:
        squares = tabulated(truth, guess, of_group, names, groups, weight**2)
    if reference is None:
        sizes = counts.sum(axis=(1, 2))
        reference = groups[int(np.flatnonzero(sizes == sizes.max())[-1])]
    (subtracted,) = as_labels([reference], "reference")
    if subtracted not in groups:
        raise PredictionsError(
            f"reference={reference!r}: no such group in column {of_group.name!r}"
            f"{suggest(subtracted, groups)}"
        )
    return Predictions(counts, squares, names, groups, subtracted)


def weights_of(frame: pd.DataFrame, column: str, *, survey: bool) -> Array:
    """Return how many persons each row stands for, whole numbers unless of a survey."""
    refuse_absent(frame, "weights", column)
    values = pd.to_numeric(frame[column], errors="coerce").to_numpy(dtype=float)
    bad = ~(np.isfinite(values) & (values >= 0))
    wanted = "a number, 0 or more"
    if not survey and not bad.any():
        bad = values % 1 != 0
        wanted = "a whole number of persons; for sampling weights give survey=True (--survey)"
    if bad.any():
        row = int(np.argmax(bad))
        raise PredictionsError(
            f"column {column!r}: {frame[column].iloc[row]} in row {row} (counted from 0) is not "
            f"{wanted}"
        )
    if not values.any():
        raise PredictionsError(f"column {column!r}: all weights are 0")
    return values


def tabulated(
    true: pd.Series,
    predicted: pd.Series,
    group: pd.Series,
    classes: tuple[str, ...],
    groups: tuple[str, ...],
    weights: Array | None = None,
) -> NDArray[Any]:
    """Count labels, or add up weights, by group, true class and predicted class."""
    cells = _codes(group, groups, "groups")
    for values in (true, predicted):
        cells = cells * len(classes) + _codes(values, classes, "classes")
    shape = (len(groups), len(classes), len(classes))
    counts = np.bincount(cells, weights, minlength=int(np.prod(shape))).reshape(shape)
    return counts.astype(np.int64) if weights is None or (counts % 1 == 0).all() else counts


def grouped(frame: pd.DataFrame, group: str | Sequence[str]) -> tuple[pd.Series, tuple[str, ...]]:
    """Return everybody's group, of one column or of several crossed, and the groups in order."""
    names = [group] if isinstance(group, str) or not isinstance(group, Sequence) else list(group)
    if not names or len(set(names)) < len(names):
        raise PredictionsError(f"group={group!r}: name one column or several, each once")
    columns: list[tuple[pd.Series, tuple[str, ...]]] = []
    for name in names:
        refuse_absent(frame, "group", name)
        labels = as_labels(frame[name], name)
        groups = in_order(labels)
        refuse_alike(groups, f"column {name!r}")
        warn_missing(labels, "a group")
        values = numbers_of(groups)
        has_fractions = bool((values[np.isfinite(values)] % 1).any())
        if len(values) > _MOST_CODES or (len(values) > _FEW_VALUES and has_fractions):
            raise PredictionsError(
                f"column {name!r} has {len(groups):,} different numbers, such as "
                f"{', '.join(groups[:3])}: measurements, not groups; make groups of them, such as "
                f"with pandas.cut"
            )
        if len(groups) < 2:
            raise PredictionsError(
                f"column {name!r} has one group only, {short(groups[0])}; a gap needs two"
            )
        columns.append((labels, groups))
    if len(columns) == 1:
        return columns[0]
    crossed = columns[0][0].str.cat([labels for labels, _ in columns[1:]], sep=_CROSSED)
    present = set(crossed)
    every = (_CROSSED.join(parts) for parts in product(*(groups for _, groups in columns)))
    return crossed.rename(_CROSSED.join(names)), tuple(g for g in every if g in present)


def refuse_absent(frame: pd.DataFrame, name: str, column: Any) -> None:
    """Refuse an argument that names a column which is not there."""
    if column not in frame.columns:
        raise PredictionsError(
            f"{name}={column!r}: no such column{suggest(str(column), map(str, frame.columns))}"
        )
    if list(frame.columns).count(column) > 1:
        raise PredictionsError(f"{name}={column!r}: several columns have this name; rename one")


def _classes(
    true: pd.Series, predicted: pd.Series, wanted: Sequence[Any] | None
) -> tuple[str, ...]:
    """Return the classes, those named or those that occur."""
    if wanted is None:
        refuse_disjoint(true, predicted)
        names = in_order(pd.concat([true, predicted]))
        refuse_alike(names, f"columns {true.name!r} and {predicted.name!r}")
        for labels in (true, predicted):
            warn_missing(labels, "a class")
        return names
    names = tuple(as_labels(list(wanted), "classes"))
    if len(set(names)) < len(names) or not names:
        raise PredictionsError("classes: name each class once, and at least one")
    refuse_alike(names, "classes")
    return names


def _codes(labels: pd.Series, names: tuple[str, ...], what: str) -> Index:
    codes = pd.Index(names).get_indexer(labels)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise PredictionsError(
            f"column {labels.name!r}: {short(labels[row])} in row {row} (counted from 0) is not "
            f"one of the {what}{suggest(labels[row], names)}"
        )
    return codes
