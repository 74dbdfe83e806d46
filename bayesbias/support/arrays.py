"""Kinds of arrays for signatures. It loads numpy, which commands do only when they run."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]  # of integers that say where something stands
Mask = NDArray[np.bool_]  # of what is so and what is not
