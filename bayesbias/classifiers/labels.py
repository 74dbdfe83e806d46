"""Labels of classes and groups as texts, and checks that they match."""

import math
import re
import unicodedata
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.errors import PredictionsError

_SHOWN: Final = 6
_WHOLE: Final = re.compile(r"[+-]?\d+\.0*")


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


def refuse_disjoint(first: pd.Series, second: pd.Series) -> None:
    """Refuse true and predicted classes that have no label in common."""
    sets = [list(dict.fromkeys(labels)) for labels in (first, second)]
    if not set(sets[0]) & set(sets[1]):
        shown = [
            ", ".join(map(repr, sorted(labels)[:_SHOWN])) + (", …" if len(labels) > _SHOWN else "")
            for labels in sets
        ]
        raise PredictionsError(
            f"no label of {first.name!r} ({shown[0]}) is among those of {second.name!r} "
            f"({shown[1]}); write the same classes alike in both, or, if every prediction is "
            f"wrong, name all classes with classes="
        )


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
    return str(int(float(text))) if _WHOLE.fullmatch(text) and len(text) < 16 else text
