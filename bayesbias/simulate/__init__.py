"""Made-up worlds whose truth is known."""

from bayesbias.simulate.characteristics import Characteristics, operating_characteristics
from bayesbias.simulate.deciders import METHODS
from bayesbias.simulate.null_worlds import NullWeat, null_weat
from bayesbias.simulate.planted import Planted, planted_embedding

__all__ = [
    "METHODS",
    "Characteristics",
    "NullWeat",
    "Planted",
    "null_weat",
    "operating_characteristics",
    "planted_embedding",
]
