"""Word lists, and the long frame of cosine distances that they and vectors make."""

from typing import TYPE_CHECKING

from bayesbias.support import lazy_names

if TYPE_CHECKING:
    from bayesbias.words.distance_frame import contextual_distances as contextual_distances
    from bayesbias.words.files import list_published as list_published
    from bayesbias.words.files import published_distances as published_distances

_MODULES = {
    "contextual_distances": "distance_frame",
    "list_published": "files",
    "published_distances": "files",
}
__getattr__, __dir__, __all__ = lazy_names(__name__, _MODULES)
