"""Made-up worlds whose truth is known."""

from bayesbias.simulate.assumptions import Assumptions
from bayesbias.simulate.characteristics import Characteristics, operating_characteristics
from bayesbias.simulate.null_worlds import NullWeat, null_weat
from bayesbias.simulate.planted import Planted, planted_embedding

__all__ = [
    "Assumptions",
    "Characteristics",
    "NullWeat",
    "Planted",
    "null_weat",
    "operating_characteristics",
    "planted_embedding",
]


def __dir__() -> list[str]:
    return __all__
