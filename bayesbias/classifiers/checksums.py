"""A checksum of the data of a protocol, so that its results are not used for other data."""

import datetime
import hashlib
import numbers
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.errors import ArgumentError

_PLAIN: Final = (
    numbers.Number,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    type(None),
    type(pd.NA),
)


def data_checksum(*data: Any) -> str:
    """Return the SHA-256 of data with their types and shapes: ["ab"] is not ["a", "b"]."""
    digest = hashlib.sha256()
    for part in data:
        _add(digest, part)
    return digest.hexdigest()


def _add(digest: Any, value: Any) -> None:
    if isinstance(value, str | bytes):
        content = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        digest.update(f"{type(value).__name__} {len(content)}:".encode())
        digest.update(content)
    elif isinstance(value, list | tuple):
        digest.update(f"sequence {len(value)}:".encode())
        for item in value:
            _add(digest, item)
    elif isinstance(value, Mapping):
        digest.update(f"mapping {len(value)}:".encode())
        for key, item in value.items():
            _add(digest, key)
            _add(digest, item)
    elif hasattr(value, "tocsr"):
        matrix = value.tocsr()
        digest.update(f"sparse {matrix.shape}:".encode())
        for part in (matrix.data, matrix.indices, matrix.indptr):
            _add(digest, part)
    elif hasattr(value, "iloc") and hasattr(value, "columns"):
        digest.update(f"table {value.shape}:".encode())
        for position, name in enumerate(value.columns):
            _add(digest, str(name))
            _add(digest, value.iloc[:, position].to_numpy())
    elif isinstance(value, _PLAIN) and not isinstance(value, np.generic):
        digest.update(f"{type(value).__name__} {value!r};".encode())
    else:
        _add_array(digest, value)


def _add_array(digest: Any, value: Any) -> None:
    """Add an array, or what can be made one, such as a numpy number or a tensor."""
    array = np.asarray(value)
    if array.dtype == object and array.ndim == 0:
        raise ArgumentError(
            f"X: it cannot be checked whether a {type(value).__name__} is the same in a later run; "
            f"give texts, numbers or arrays, or do without a folder"
        )
    digest.update(f"array {array.dtype.str} {array.shape}:".encode())
    if array.dtype == object:
        for item in array.ravel():
            _add(digest, item)
    else:
        digest.update(np.ascontiguousarray(array).tobytes())
