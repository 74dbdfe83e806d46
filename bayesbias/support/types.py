"""Types by their names alone: to name one loads none of the libraries that it is from."""

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
