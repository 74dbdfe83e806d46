"""What single words add to a contrast: how far the errors of tasks go together that share a list.

An error comes from which words happen to be listed. Two embeddings of one list have the same words,
so that a word which is unusual in both moves both contrasts. What each word adds to a contrast of
the plain means, the sum of its pairs' deviations from their list's mean, weighted as the contrast
weighs them, is its influence (the infinitesimal jackknife: Efron 1982); the squares of all sum to
the contrast's error variance, and their products over two tasks to the covariance of the errors.
"""

import base64
from collections.abc import Sequence

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    DISTANCE,
    GROUP,
    PROTECTED_WORD,
)
from bayesbias.pairs.reference import without_reference
from bayesbias.support.arrays import Array

_OWN = 1e-3
"""Share of its error that a task has alone, whatever the words: equal files are not one task."""


def influences(frame: pd.DataFrame, pair: tuple[str, str]) -> "pd.Series[float]":
    """Return the influence of every protected word and attribute on a contrast, by its name."""
    rows = without_reference(frame)
    rows = rows[rows[CONNECTION].isin(pair)]
    sign = np.where(rows[CONNECTION] == pair[0], 1.0, -1.0) / rows[GROUP].nunique()
    return _moved(rows, sign)


def influences_on_list(
    frame: pd.DataFrame, name: str, own: Sequence[str], others: Sequence[str]
) -> "pd.Series[float]":
    """Return the same for the difference between groups on a list."""
    rows = frame[(frame[ATTRIBUTE_SET] == name) & frame[GROUP].isin([*own, *others])]
    return _moved(rows, np.where(rows[GROUP].isin(own), 1 / len(own), -1 / len(others)))


def _moved(rows: pd.DataFrame, sign: Array) -> "pd.Series[float]":
    """Return what each word adds to a sum of the means of groups and connections, so weighted."""
    cells = rows.groupby([GROUP, CONNECTION])[DISTANCE].transform("size")
    weight = sign / cells
    mean = rows.groupby([GROUP, CONNECTION, ATTRIBUTE_SET])[DISTANCE].transform("mean")
    moved = weight * (rows[DISTANCE] - mean)
    parts = []
    for role, within, word in (
        ("protected", GROUP, PROTECTED_WORD),
        ("attribute", ATTRIBUTE_SET, ATTRIBUTE),
    ):
        name = role + " " + rows[within].astype(str) + " " + rows[word].astype(str)
        parts.append(moved.groupby(name.to_numpy(), sort=False).sum())
    return pd.concat(parts)


def packed_influences(found: "pd.Series[float]") -> dict[str, str]:
    """Return influences as two texts, ``words`` and ``influence``, for a table of many tasks."""
    largest = float(found.abs().max()) or 1.0  # only the shares of each other count
    content = (found / largest).to_numpy(dtype="<f2").tobytes()
    names = "\n".join(str(name) for name in found.index)
    return {"words": names, "influence": base64.b64encode(content).decode()}


def error_correlations(words: Sequence[str], influence: Sequence[str]) -> Array:
    """Return the correlations of the errors of tasks, (n, n), from `packed_influences` of each."""
    columns = []
    for names, text in zip(words, influence, strict=True):
        values = np.frombuffer(base64.b64decode(text), dtype="<f2").astype(float)
        columns.append(pd.Series(values, index=names.split("\n")))
    both = pd.concat(columns, axis=1).fillna(0.0).to_numpy()
    length = np.linalg.norm(both, axis=0)
    unit = both / np.where(length > 0, length, 1.0)
    found = (1.0 - _OWN) * unit.T @ unit
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)
