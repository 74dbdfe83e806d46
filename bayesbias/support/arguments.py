"""Checks of the kinds of arguments that many functions take."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from bayesbias.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd


def as_path(path: object) -> Path:
    """Return a path as a `Path`; refuse what is neither a text nor a path."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"path is a {type(path).__name__}, not the path of a file or folder")
    return Path(path)


def refuse_no_frame(frame: "pd.DataFrame") -> None:
    """Refuse what is no pandas DataFrame."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise ArgumentError(f"frame is a {type(frame).__name__}, not a pandas DataFrame")


def whole_number(value: object, name: str, what: str, *, least: int) -> int:
    """Return a count as an int; refuse what is none."""
    import numpy as np

    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least:  # type: ignore[operator]
        raise ArgumentError(f"{name}={value!r}: give a whole number of {what}, at least {least}")
    return int(value)  # type: ignore[call-overload]
