from .context_texts import SEAT_TEMPLATES as SEAT_TEMPLATES
from .context_texts import contexts_from as contexts_from
from .conversion import convert_embedding as convert_embedding
from .seeded_runs import training_runs as training_runs
