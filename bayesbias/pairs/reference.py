"""Rows of reference words: the last of a frame, with ``reference`` as group and connection."""

from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, REFERENCE
from bayesbias.support.arguments import refuse_no_frame
from bayesbias.support.arrays import Mask

FEWEST_REFERENCE_WORDS: Final = 3
"""With fewer, their scatter says nothing, and a model is fitted without them."""


def without_reference(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of protected words; a frame without reference words is returned itself."""
    is_reference = _is_reference(frame)
    return frame[~is_reference] if is_reference.any() else frame


def reference_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of reference words, numbered from 0; empty where there are none."""
    return frame[_is_reference(frame)].reset_index(drop=True)


def reference_last(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with the rows of reference words behind all others, numbered from 0."""
    order = _is_reference(frame).argsort(kind="stable")
    return frame.iloc[order].reset_index(drop=True)


def reference_distances(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the distances of the list's reference words to its stereotype attributes.

    Reference words, such as *person*, belong to no protected group, and show how near lists of
    attributes are to words of no group.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.

    Examples
    --------
    >>> import bayesbias as bb
    >>> frame = bb.distances(bb.example_embedding(), "gender")
    >>> bb.pairs.reference_distances(frame).protected_word.unique().tolist()[:2]
    ['person', 'people']
    """
    refuse_no_frame(frame)
    return reference_rows(frame)


def _is_reference(frame: pd.DataFrame) -> Mask:
    """Return which rows are those of reference words, as an array."""
    if CONNECTION not in frame.columns:
        return np.zeros(len(frame), dtype=bool)
    return (frame[CONNECTION] == REFERENCE).to_numpy(dtype=bool)
