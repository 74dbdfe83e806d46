"""A table of predictions, one row per person, checked and counted."""

import math
import re
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.errors import DataWarning, PredictionsError, short, suggest
from bayesbias.support.arguments import refuse_no_frame
from bayesbias.support.arrays import Array, Index
from bayesbias.support.text_tables import counted

_SHOWN: Final = 6
_CROSSED: Final = ", "  # between the levels of a crossed group
_MOST_CODES: Final = 20
"""More different numbers are measurements; up to so many whole ones may be codes of groups."""

_FEW_VALUES: Final = 5  # more different numbers, some of them not whole, are measurements
_MISSING: Final = frozenset(("na", "n/a", "nan", "null", "none", "#n/a", "?", "missing", ""))
"""What stands for a missing value in files."""

_WHOLE: Final = re.compile(r"[+-]?\d+\.0*")


@dataclass(frozen=True, eq=False)
class Predictions:
    """How often each class was predicted for each class, per group.

    `counts`, (n_groups, n_classes, n_classes), are persons by group, true class and predicted
    class; `reference` is the group that is subtracted.
    """

    counts: NDArray[np.int64]
    classes: tuple[str, ...]
    groups: tuple[str, ...]
    reference: str

    @property
    def n(self) -> int:
        """Persons in all."""
        return int(self.counts.sum())

    @property
    def contrasts(self) -> list[tuple[str, int, int]]:
        """What each other group less the reference is called, and the places of both."""
        last = self.groups.index(self.reference)
        return [self._contrast(i, last) for i in range(len(self.groups)) if i != last]

    @property
    def pairs(self) -> list[tuple[str, int, int]]:
        """Likewise every pair of groups, those with the reference first."""
        last = self.groups.index(self.reference)
        others = [i for i in range(len(self.groups)) if i != last]
        return [*self.contrasts, *(self._contrast(i, j) for i, j in combinations(others, 2))]

    def _contrast(self, i: int, j: int) -> tuple[str, int, int]:
        return f"{self.groups[i]} − {self.groups[j]}", i, j

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{g} {n:,}" for g, n in zip(self.groups, self.counts.sum((1, 2)), strict=True)
        )
        return f"Predictions({self.n:,} persons: {sizes}; {len(self.classes)} classes)"


def count_predictions(
    frame: pd.DataFrame,
    *,
    true: str,
    predicted: str,
    group: str | Sequence[str],
    classes: Sequence[Any] | None = None,
    reference: Any = None,
    cut: Sequence[float] | None = None,
) -> Predictions:
    """Check a table of predictions and count it.

    Parameters
    ----------
    frame : DataFrame
        One row per person.
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
    cut : sequence of float, optional
        Where to cut a column of numbers into groups: ``(30, 50)`` makes ``below 30``,
        ``30 to below 50`` and ``50 or more``.

    Raises
    ------
    PredictionsError
        If a column or a value is missing, a label is not among `classes`, there is one group only,
        the reference is absent, true and predicted classes have no label in common, two labels
        look alike, or a column of groups holds measurements, such as ages, and is not cut.

    Examples
    --------
    >>> people = pd.DataFrame({"y": [0, 1, 1], "p": [0, 1, 0], "g": ["f", "m", "m"]})
    >>> count_predictions(people, true="y", predicted="p", group="g")
    Predictions(3 persons: f 1, m 2; 2 classes)
    """
    refuse_no_frame(frame)
    for name, column in (("true", true), ("predicted", predicted)):
        _refuse_absent(frame, name, column)
    if frame.empty:
        raise PredictionsError("the table of predictions has no rows")
    labels = {column: as_labels(frame[column], column) for column in (true, predicted)}
    known = _classes(labels[true], labels[predicted], classes)
    of_group, groups = grouped(frame, group, cut)
    counts = _table(labels[true], labels[predicted], of_group, known, groups)
    if reference is None:
        sizes = counts.sum(axis=(1, 2))
        reference = groups[int(np.flatnonzero(sizes == sizes.max())[-1])]
    (subtracted,) = as_labels([reference], "reference")
    if subtracted not in groups:
        raise PredictionsError(
            f"reference={reference!r}: no such group in column {of_group.name!r}"
            f"{suggest(subtracted, groups)}"
        )
    return Predictions(counts, known, groups, subtracted)


def grouped(
    frame: pd.DataFrame, group: str | Sequence[str], cut: Sequence[float] | None
) -> tuple[pd.Series, tuple[str, ...]]:
    """Return everybody's group, of one column or of several crossed, and the groups in order."""
    names = [group] if isinstance(group, str) or not isinstance(group, Sequence) else list(group)
    if not names or len(set(names)) < len(names):
        raise PredictionsError(f"group={group!r}: name one column or several, each once")
    found: list[tuple[pd.Series, tuple[str, ...]]] = []
    used = False
    for name in names:
        _refuse_absent(frame, "group", name)
        labels = as_labels(frame[name], name)
        groups = _sorted(labels)
        refuse_unlike(groups, f"column {name!r}")
        _refuse_case(groups, f"column {name!r}")
        _say_missing(labels, "a group")
        if cut is not None and (len(names) == 1 or _is_measured(groups)):
            labels, groups = _cut(labels, cut)
            used = True
        elif _is_measured(groups):
            raise PredictionsError(
                f"column {name!r} has {len(groups):,} different numbers, such as "
                f"{', '.join(groups[:3])}: measurements, not groups; cut it, such as "
                f"cut={_thirds(labels)}"
            )
        if len(groups) < 2:
            raise PredictionsError(
                f"column {name!r} has one group only, {short(groups[0])}; a gap needs two"
            )
        found.append((labels, groups))
    if cut is not None and not used:
        raise PredictionsError(f"cut={tuple(cut)}: none of the columns {names} holds measurements")
    if len(found) == 1:
        return found[0]
    crossed = found[0][0].str.cat([labels for labels, _ in found[1:]], sep=_CROSSED)
    there = set(crossed)
    every = (_CROSSED.join(parts) for parts in product(*(groups for _, groups in found)))
    return crossed.rename(_CROSSED.join(names)), tuple(one for one in every if one in there)


def _refuse_absent(frame: pd.DataFrame, name: str, column: Any) -> None:
    if column not in frame.columns:
        raise PredictionsError(
            f"{name}={column!r}: no such column{suggest(str(column), map(str, frame.columns))}"
        )
    if list(frame.columns).count(column) > 1:
        raise PredictionsError(f"{name}={column!r}: several columns have this name; rename one")


def _is_measured(groups: Sequence[str]) -> bool:
    """Tell whether groups are measurements: many numbers, or some that are not whole."""
    values = _numbers(groups)
    has_fractions = bool((values[np.isfinite(values)] % 1).any())
    return len(values) > _MOST_CODES or (len(values) > _FEW_VALUES and has_fractions)


def _numbers(labels: Sequence[str]) -> Array:
    """Return the numbers that labels are; none where one of them is no number."""
    try:
        return np.array([float(label) for label in labels])
    except ValueError:
        return np.empty(0)


def _thirds(labels: pd.Series) -> tuple[float, ...]:
    """Return where the numbers of a column have their thirds, to two digits."""
    ends = np.quantile(labels.astype(float), [1 / 3, 2 / 3])
    return tuple(dict.fromkeys(float(f"{end:.2g}") for end in ends))


def _cut(labels: pd.Series, cut: Sequence[float]) -> tuple[pd.Series, tuple[str, ...]]:
    """Return the groups of numbers between cuts, those that occur."""
    try:
        ends = np.array([float(end) for end in cut])
        values = labels.astype(float).to_numpy()
    except (TypeError, ValueError):
        raise PredictionsError(
            f"cut={cut!r}: needs numbers, such as 30 and 50, and a column of numbers; "
            f"{labels.name!r} begins with {short(labels.iloc[0])}"
        ) from None
    if not len(ends) or not np.isfinite(ends).all() or (np.diff(ends) <= 0).any():
        raise PredictionsError(f"cut={tuple(cut)}: give finite numbers, each larger than the last")
    shown = [f"{end:g}" for end in ends]
    between = [f"{low} to below {high}" for low, high in pairwise(shown)]
    names = [f"below {shown[0]}", *between, f"{shown[-1]} or more"]
    places = np.searchsorted(ends, values, side="right")
    there = tuple(name for i, name in enumerate(names) if (places == i).any())
    return pd.Series([names[i] for i in places], dtype=str, name=labels.name), there


def count_part(true: Any, predicted: Any, group: Any, whole: Predictions) -> NDArray[np.int64]:
    """Count some of the persons in the classes and groups of the whole."""
    columns = {"true": true, "predicted": predicted, "group": group}
    y, p, g = (as_labels(values, name) for name, values in columns.items())
    return _table(y, p, g, whole.classes, whole.groups)


def _table(
    true: pd.Series,
    predicted: pd.Series,
    group: pd.Series,
    classes: tuple[str, ...],
    groups: tuple[str, ...],
) -> NDArray[np.int64]:
    """Count labels by group, true class and predicted class."""
    cells = _codes(group, groups, "groups")
    for values in (true, predicted):
        cells = cells * len(classes) + _codes(values, classes, "classes")
    shape = (len(groups), len(classes), len(classes))
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(np.int64)


def _classes(true: pd.Series, predicted: pd.Series, given: Sequence[Any] | None) -> tuple[str, ...]:
    if given is None:
        found = _sorted(pd.concat([true, predicted]))
        refuse_disjoint(true, predicted)
        columns = f"columns {true.name!r} and {predicted.name!r}"
        refuse_unlike(found, columns)
        _refuse_case(found, columns)
        _say_odd_classes(true, predicted)
        return found
    known = tuple(as_labels(list(given), "classes"))
    if len(set(known)) < len(known) or not known:
        raise PredictionsError("classes: name each class once, and at least one")
    refuse_unlike(known, "classes")
    _refuse_case(known, "classes")
    return known


def _say_odd_classes(true: pd.Series, predicted: pd.Series) -> None:
    """Warn of classes that are missing values, or of which each column has its own."""
    for labels in (true, predicted):
        _say_missing(labels, "a class")
    classes, guesses = set(true), set(predicted)
    never_guessed, never_true = sorted(classes - guesses), sorted(guesses - classes)
    if never_guessed and never_true:
        warnings.warn(
            f"classes of {true.name!r} alone: {_named(never_guessed)}; of {predicted.name!r} "
            f"alone: {_named(never_true)}. If both columns are of the same classes, write them "
            f"alike",
            DataWarning,
            stacklevel=5,
        )


def _say_missing(labels: pd.Series, what: str) -> None:
    """Warn of labels that files have in place of a value."""
    found = labels[labels.str.lower().isin(_MISSING)]
    if len(found):
        warnings.warn(
            f"column {labels.name!r}: {counted(len(found), 'row')} of {short(found.iloc[0])} "
            f"{'counts' if len(found) == 1 else 'count'} as {what} of that name; if it stands for "
            f"a missing value, leave those persons out",
            DataWarning,
            stacklevel=6,
        )


def _named(labels: Sequence[str]) -> str:
    return ", ".join(map(repr, labels[:_SHOWN])) + (", …" if len(labels) > _SHOWN else "")


def _codes(labels: pd.Series, known: tuple[str, ...], what: str) -> Index:
    codes = pd.Index(known).get_indexer(labels)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise PredictionsError(
            f"column {labels.name!r}: {short(labels[row])} in row {row} (counted from 0) is not "
            f"one of the {what}{suggest(labels[row], known)}"
        )
    return codes


def _sorted(labels: pd.Series) -> tuple[str, ...]:
    """Sort numbers as numbers, all else as text."""
    unique = labels.unique().tolist()
    try:
        return tuple(sorted(unique, key=float))
    except ValueError:
        return tuple(sorted(unique))


def as_labels(values: Any, column: str) -> pd.Series:
    """Return labels as texts in Unicode's NFC; 3.0 is written 3, as in a column without gaps."""
    series = values if isinstance(values, pd.Series) else pd.Series(_as_column(values))
    missing = series.isna().to_numpy()
    if missing.any():
        raise PredictionsError(
            f"column {column!r}: row {int(np.argmax(missing))} is missing (counted from 0), and "
            f"{int(missing.sum()):,} in all; leave those persons out"
        )
    if pd.api.types.is_numeric_dtype(series.dtype):
        texts = series.map({value: _text(value) for value in series.unique()})
    else:
        texts = pd.Series([_text(value) for value in series.astype(object)], dtype=object)
    return texts.astype(str).reset_index(drop=True).rename(column)


def refuse_unlike(labels: Iterable[str], what: str) -> None:
    """Refuse labels that differ only in spaces, invisible characters or a number's form."""
    seen: dict[str, str] = {}
    for label in dict.fromkeys(labels):
        other = seen.setdefault(_skeleton(label), label)
        if other != label:
            raise PredictionsError(
                f"{what}: {other!a} and {label!a} differ only in spaces, invisible "
                f"characters or the way a number is written; write them alike"
            )


def _refuse_case(labels: Iterable[str], what: str) -> None:
    """Refuse groups or classes that differ in capitals alone: one is a slip for the other."""
    seen: dict[str, str] = {}
    for label in labels:
        other = seen.setdefault(label.casefold(), label)
        if other != label:
            raise PredictionsError(
                f"{what}: {short(other)} and {short(label)} differ only in capitals; write them "
                f"alike"
            )


def refuse_disjoint(first: pd.Series, second: pd.Series) -> None:
    """Refuse true and predicted classes that have no label in common."""
    sets = [list(dict.fromkeys(labels)) for labels in (first, second)]
    if not set(sets[0]) & set(sets[1]):
        shown = [_named(sorted(labels)) for labels in sets]
        if _are_probabilities(sets[1]):
            raise PredictionsError(
                f"column {second.name!r} has probabilities ({shown[1]}); make classes of them, "
                f"such as 1 from 0.5 on"
            )
        raise PredictionsError(
            f"no label of {first.name!r} ({shown[0]}) is among those of {second.name!r} "
            f"({shown[1]})",
            advice="write the same classes alike in both, or, if every prediction is wrong, name "
            "all classes with classes=",
            typed="write the same classes alike in both columns",
        )


def _are_probabilities(labels: Sequence[str]) -> bool:
    """Tell whether labels are numbers between 0 and 1 of which most have a fraction."""
    values = _numbers(labels)
    within = (values >= 0) & (values <= 1)
    return bool(within.all() and 2 * (values % 1 != 0).sum() > len(values))


def _as_column(values: Any) -> Any:
    """Keep the types of a list's elements: numpy would make texts of numbers and Booleans."""
    if isinstance(values, list | tuple):
        column = np.empty(len(values), dtype=object)
        column[:] = values
        return column
    return np.asarray(values)


def _text(value: Any) -> str:
    if isinstance(value, float | np.floating) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return unicodedata.normalize("NFC", str(value))


def _skeleton(label: str) -> str:
    """Return a label without what readers cannot see."""
    seen = "".join(c for c in label if unicodedata.category(c) not in ("Cf", "Cc") or c.isspace())
    text = " ".join(seen.split())
    # Beyond 15 digits two numbers may be one float.
    return str(int(float(text))) if _WHOLE.fullmatch(text) and len(text) < 16 else text
