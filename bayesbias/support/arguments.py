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
