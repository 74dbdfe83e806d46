from .assumptions import Assumptions as Assumptions
from .characteristics import Characteristics as Characteristics
from .characteristics import operating_characteristics as operating_characteristics
from .null_worlds import NullWeat as NullWeat, null_weat as null_weat
from .planted import Planted as Planted, planted_embedding as planted_embedding
