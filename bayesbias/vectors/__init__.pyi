from .templates import SEAT_TEMPLATES as SEAT_TEMPLATES
from .templates import contexts_from as contexts_from
from .conversion import convert_embedding as convert_embedding
from .seeded_runs import training_runs as training_runs
