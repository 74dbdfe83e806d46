"""Labels of classes and groups are texts; two that look alike, or may be a slip, are refused.

A file has 3 where another has 3.0, "Nurse" for "nurse", a space at the end of a word: counted as
they are, each would be a class or a group of its own, with rates that nobody has.
"""

import math
import re
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.errors import DataWarning, PredictionsError, counted, short
from bayesbias.support.arguments import Array

_SHOWN: Final = 6  # labels that a message names
_MISSING: Final = frozenset(("na", "n/a", "nan", "null", "none", "#n/a", "?", "missing", ""))
"""What stands for a missing value in files."""

_WHOLE: Final = re.compile(r"[+-]?\d+\.0*")


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


def in_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Return distinct labels, numbers in the order of numbers, all else in that of texts."""
    unique = list(dict.fromkeys(labels))
    try:
        return tuple(sorted(unique, key=float))
    except ValueError:
        return tuple(sorted(unique))


def numbers_of(labels: Sequence[str]) -> Array:
    """Return the numbers that labels are; none where one of them is no number."""
    try:
        return np.array([float(label) for label in labels])
    except ValueError:
        return np.empty(0)


def refuse_alike(labels: Iterable[str], what: str) -> None:
    """Refuse labels that a reader takes for one: of these, one is a slip for the other."""
    forms = {
        "spaces, invisible characters or the way a number is written": _skeleton,
        "capitals": str.casefold,
    }
    for difference, form in forms.items():
        seen: dict[str, str] = {}
        for label in dict.fromkeys(labels):
            other = seen.setdefault(form(label), label)
            if other != label:
                raise PredictionsError(
                    f"{what}: {other!a} and {label!a} differ only in {difference}; write them alike"
                )


def _skeleton(label: str) -> str:
    """Return a label without what readers cannot see."""
    seen = "".join(c for c in label if unicodedata.category(c) not in ("Cf", "Cc") or c.isspace())
    text = " ".join(seen.split())
    # Beyond 15 digits two numbers may be one float.
    return str(int(float(text))) if _WHOLE.fullmatch(text) and len(text) < 16 else text


def refuse_disjoint(true: pd.Series, predicted: pd.Series) -> None:
    """Refuse true and predicted classes that have no label in common."""
    if set(true) & set(predicted):
        return
    of_truth, guesses = (
        ", ".join(map(repr, sorted(set(labels))[:_SHOWN])) + ", …" * (labels.nunique() > _SHOWN)
        for labels in (true, predicted)
    )
    values = numbers_of(list(dict.fromkeys(predicted)))
    within = (values >= 0) & (values <= 1)
    if within.all() and 2 * (values % 1 != 0).sum() > len(values):
        raise PredictionsError(
            f"column {predicted.name!r} has probabilities ({guesses}); make classes of them, such "
            f"as 1 from 0.5 on"
        )
    raise PredictionsError(
        f"no label of {true.name!r} ({of_truth}) is among those of {predicted.name!r} ({guesses}); "
        f"write the same classes alike in both, or, if every prediction is wrong, name all classes "
        f"with classes="
    )


def warn_missing(labels: pd.Series, what: str) -> None:
    """Warn of labels that files have in place of a value."""
    odd = labels[labels.str.lower().isin(_MISSING)]
    if len(odd):
        warnings.warn(
            f"column {labels.name!r}: {counted(len(odd), 'row')} of {short(odd.iloc[0])} "
            f"{'counts' if len(odd) == 1 else 'count'} as {what} of that name; if it stands for a "
            f"missing value, leave those persons out",
            DataWarning,
            stacklevel=5,
        )
