"""Types by their names alone: to name one loads none of the libraries that it is from."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import gensim.models
    import matplotlib.axes
    import matplotlib.figure
    import numpy.random

Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"
Generator: TypeAlias = "numpy.random.Generator"
KeyedVectors: TypeAlias = "gensim.models.KeyedVectors"

Palette: TypeAlias = str | Sequence[str] | Mapping[str, str]
"""Colours of a figure in place of the usual ones; see `figure_style.Place`."""
