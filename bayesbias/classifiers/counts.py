"""True and predicted classes of persons in groups, checked, counted, and as costs.

All rates of the room are ratios of sums over cells of one table: group × true × predicted class. A
row may stand for several persons (aggregated counts), or for a share of a population (a survey).
Then a rate is a ratio of sums of weights, and its precision that of (Σw)² / Σw² persons, Kish's
effective sample size (1965), with both sums over those who are in the rate's denominator.

Labels of classes and groups are texts; two that look alike, or may be a slip, are refused. "Nurse"
for "nurse", a space at the end of a word: counted as they are, each would be a class or a group of
its own, with rates that nobody has.
"""

import math
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayesbias.errors import (
    ArgumentError,
    DataWarning,
    PredictionsError,
    counted,
    one_of,
    short,
    suggest,
)
from bayesbias.support.arguments import Array, Index, Mask, refuse_no_frame

METRICS: Final = ("GP", "TPR", "PP")  # the metrics, in the order of all tables and figures
FAIRNESS_MEASURES: Final = (
    *("demographic-parity", "equal-opportunity", "predictive-equality", "equalised-odds"),
)
_CROSSED: Final = ", "  # between the levels of a crossed group
_MOST_CODES: Final = 20  # of groups, that are numbers; more different ones are measurements
_SHOWN: Final = 6  # labels that a message names
_MISSING: Final = frozenset(("na", "n/a", "nan", "null", "none", "#n/a", "?", "missing", ""))
"""What stands for a missing value in files."""


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


def rate_counts(counts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return successes and trials, (..., 3, n_groups, n_classes), of counts as in `Predictions`."""
    of_class = counts.sum(axis=-1)
    predicted = counts.sum(axis=-2)
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    everybody = np.broadcast_to(of_class.sum(axis=-1, keepdims=True), of_class.shape)
    successes = np.stack([predicted, right, right], axis=-3)
    return successes, np.stack([everybody, of_class, predicted], axis=-3)


def rates_of(successes: NDArray[Any], trials: NDArray[Any]) -> Array:
    """Return successes / trials, NaN where the denominator is 0."""
    empty = trials == 0
    return np.where(empty, np.nan, successes / np.where(empty, 1, trials))


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


def costs_of(
    measure: str, true: ArrayLike, predicted: ArrayLike, *, positive: Any
) -> tuple[Array, Mask]:
    """Return what each example costs, and whether it is counted, shape (n,) both.

    A measure of fairness is the difference of two groups' mean costs over the examples that it
    counts (Ethayarajh 2020, section 2). Equalised odds in the strict sense is equal opportunity and
    predictive equality, both: error rates may be equal where neither is (docs/classifiers.md).

    Parameters
    ----------
    measure : {"demographic-parity", "equal-opportunity", "predictive-equality", "equalised-odds"}
    true, predicted : array_like, shape (n,)
        Labels; all but `positive` count as negative.
    positive : label
        The class whose prediction is the good outcome.

    Returns
    -------
    costs : ndarray of float
        0 or 1; with truth y and prediction ŷ, 1 for the good outcome:

        ===================  ====================  ======================================
        demographic-parity   1 − ŷ, of everybody   rates of not being predicted positive
        equal-opportunity    1 − ŷ, where y = 1    false negative rates
        predictive-equality  ŷ, where y = 0        false positive rates
        equalised-odds       y ≠ ŷ, of everybody   error rates
        ===================  ====================  ======================================
    annotated : ndarray of bool

    Raises
    ------
    ArgumentError
        If the measure is unknown, the lengths differ or no label is `positive`.
    PredictionsError
        If a label is missing, or labels do not match as in `count_predictions`.

    Examples
    --------
    >>> costs, annotated = costs_of("equal-opportunity", [1, 1, 0], [1, 0, 0], positive=1)
    >>> costs.tolist(), annotated.tolist()
    ([0.0, 1.0, 1.0], [True, True, False])
    """
    one_of(measure, "measure", FAIRNESS_MEASURES)
    shapes = np.shape(true), np.shape(predicted)
    if len(shapes[0]) != 1 or shapes[0] != shapes[1]:
        raise ArgumentError(
            f"true and predicted have shapes {shapes[0]} and {shapes[1]}; give one label per "
            f"example in both"
        )
    truth, guess = as_labels(true, "true"), as_labels(predicted, "predicted")
    (wanted,) = as_labels([positive], "positive")
    labels = _in_order([*truth, *guess])
    y, p = (truth == wanted).to_numpy(), (guess == wanted).to_numpy()
    if not (y.any() or p.any()):
        raise ArgumentError(f"positive={positive!r}: no example has it{suggest(wanted, labels)}")
    if not (y.all() or p.all()):
        _refuse_disjoint(truth, guess)
    _refuse_alike([*labels, wanted], "true, predicted and positive")
    cost = {"predictive-equality": p, "equalised-odds": y != p}.get(measure, ~p)
    annotated = {"equal-opportunity": y, "predictive-equality": ~y}.get(measure, np.ones_like(y))
    return cost.astype(float), annotated


def weights_of(frame: pd.DataFrame, column: str, *, survey: bool) -> Array:
    """Return how many persons each row stands for, whole numbers unless of a survey."""
    refuse_absent(frame, "weights", column)
    values = pd.to_numeric(frame[column], errors="coerce").to_numpy(dtype=float)
    good, wanted = np.isfinite(values) & (values >= 0), "a number, 0 or more"
    if good.all() and not survey:
        good = values % 1 == 0
        wanted = "a whole number of persons; for sampling weights give survey=True (--survey)"
    if not good.all():
        row = int(np.argmin(good))
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
        groups = _distinct([labels], f"column {name!r}", "a group")
        if len(_numbers_of(groups)) > _MOST_CODES:
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
        _refuse_disjoint(true, predicted)
        where = f"columns {true.name!r} and {predicted.name!r}"
        return _distinct([true, predicted], where, "a class")
    names = tuple(as_labels(list(wanted), "classes"))
    if len(set(names)) < len(names) or not names:
        raise PredictionsError("classes: name each class once, and at least one")
    _refuse_alike(names, "classes")
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


def as_labels(values: Any, column: str) -> pd.Series:
    """Return labels as texts in Unicode's NFC; 3.0 is written 3, as in a column without gaps."""
    # numpy would make texts of a list's numbers and Booleans.
    cells = values.tolist() if hasattr(values, "tolist") else list(values)
    missing = pd.Series(cells, dtype=object).isna().to_numpy()
    if missing.any():
        raise PredictionsError(
            f"column {column!r}: row {int(np.argmax(missing))} is missing (counted from 0), and "
            f"{int(missing.sum()):,} in all; leave those persons out"
        )
    return pd.Series([_text(cell) for cell in cells], dtype=object, name=column)


def _text(value: Any) -> str:
    if isinstance(value, float | np.floating) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return unicodedata.normalize("NFC", str(value))


def _distinct(columns: Sequence[pd.Series], where: str, what: str) -> tuple[str, ...]:
    """Return the labels of columns in order; warn of those that files have in place of a value."""
    names = _in_order(pd.concat(columns))
    _refuse_alike(names, where)
    for labels in columns:
        odd = labels[labels.str.lower().isin(_MISSING)]
        if len(odd):
            warnings.warn(
                f"column {labels.name!r}: {counted(len(odd), 'row')} of {short(odd.iloc[0])} "
                f"{'counts' if len(odd) == 1 else 'count'} as {what} of that name; if it stands "
                f"for a missing value, leave those persons out",
                DataWarning,
                stacklevel=5,
            )
    return names


def _in_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Return distinct labels, numbers in the order of numbers, all else in that of texts."""
    unique = list(dict.fromkeys(labels))
    return tuple(sorted(unique, key=float if len(_numbers_of(unique)) else str))


def _numbers_of(labels: Sequence[str]) -> Array:
    """Return the numbers that labels are; none where one of them is no number."""
    try:
        return np.array([float(label) for label in labels])
    except ValueError:
        return np.empty(0)


def _refuse_alike(labels: Iterable[str], what: str) -> None:
    """Refuse labels that a reader takes for one: of these, one is a slip for the other."""
    seen: dict[str, str] = {}
    for label in dict.fromkeys(labels):
        # Without capitals, and without what readers cannot see.
        letters = (c for c in label if unicodedata.category(c) not in ("Cf", "Cc") or c.isspace())
        other = seen.setdefault(" ".join("".join(letters).split()).casefold(), label)
        if other != label:
            raise PredictionsError(
                f"{what}: {other!a} and {label!a} differ only in capitals, spaces or invisible "
                f"characters; write them alike"
            )


def _refuse_disjoint(true: pd.Series, predicted: pd.Series) -> None:
    """Refuse true and predicted classes that have no label in common."""
    if set(true) & set(predicted):
        return
    of_truth, guesses = (
        ", ".join(map(repr, names[:_SHOWN])) + ", …" * (len(names) > _SHOWN)
        for names in (sorted(set(true)), sorted(set(predicted)))
    )
    raise PredictionsError(
        f"no label of {true.name!r} ({of_truth}) is among those of {predicted.name!r} ({guesses}); "
        f"write the same classes alike in both; make classes of probabilities, such as 1 from 0.5 "
        f"on; or, if every prediction is wrong, name all classes with classes="
    )
