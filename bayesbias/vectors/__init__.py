"""Any file, table or encoder becomes gensim ``KeyedVectors``; words are looked up in them."""

from typing import TYPE_CHECKING

from bayesbias.support import lazy_names

if TYPE_CHECKING:
    from bayesbias.vectors.loading import load_contexts as load_contexts
    from bayesbias.vectors.models import SEAT_TEMPLATES as SEAT_TEMPLATES
    from bayesbias.vectors.models import encode as encode

_MODULES = {"SEAT_TEMPLATES": "models", "encode": "models", "load_contexts": "loading"}
__getattr__, __dir__, __all__ = lazy_names(__name__, _MODULES)
