"""Any file, table or encoder becomes gensim ``KeyedVectors``; words are looked up in them."""

from typing import TYPE_CHECKING

from bayesbias.support import lazy_names

if TYPE_CHECKING:
    from bayesbias.vectors.encoders import SEAT_TEMPLATES as SEAT_TEMPLATES
    from bayesbias.vectors.encoders import encode as encode
    from bayesbias.vectors.loading import load_contexts as load_contexts

_MODULES = {"SEAT_TEMPLATES": "encoders", "encode": "encoders", "load_contexts": "loading"}
__getattr__, __dir__, __all__ = lazy_names(__name__, _MODULES)
