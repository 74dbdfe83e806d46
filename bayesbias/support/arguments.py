"""Checks and types of the arguments that many functions take."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, short

if TYPE_CHECKING:  # to name a type loads none of the libraries that it is from
    import gensim.models
    import matplotlib.axes
    import matplotlib.figure
    import pandas as pd

Array = NDArray[np.float64]
Index = NDArray[np.intp]  # of integers that say where something stands
Mask = NDArray[np.bool_]  # of what is so and what is not
Generator: TypeAlias = "np.random.Generator"
Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"
KeyedVectors: TypeAlias = "gensim.models.KeyedVectors"


def as_path(path: object) -> Path:
    """Return a path as a `Path`; refuse what is neither a text nor a path."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"path is a {type(path).__name__}, not the path of a file or folder")
    return Path(path)


def refuse_other(value: object, kinds: Any, name: str, what: str) -> None:
    """Refuse an argument that is of no kind that is wanted; `what`: those in words."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
        raise ArgumentError(f"{name}={short(value)}: is a {type(value).__name__}; give {what}")


def refuse_no_frame(frame: "pd.DataFrame") -> None:
    """Refuse what is no pandas DataFrame."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise ArgumentError(f"frame is a {type(frame).__name__}, not a pandas DataFrame")


def whole_number(value: object, name: str, what: str, *, least: int) -> int:
    """Return a count as an int; refuse what is none."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least:  # type: ignore[operator]
        raise ArgumentError(f"{name}={value!r}: give a whole number of {what}, at least {least}")
    return int(value)  # type: ignore[call-overload]


def seed_as_integer(seed: int | np.random.Generator | None) -> int:
    """Return a seed as a whole number; a Generator is drawn from, None is replaced by chance."""
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool):
        if seed < 0:
            raise ArgumentError(f"seed={seed}: must not be negative")
        return int(seed)
    if seed is not None and not isinstance(seed, np.random.Generator):
        raise ArgumentError(f"seed={seed!r}: must be a whole number, a Generator or None")
    return int(np.random.default_rng(seed).integers(2**31))
