"""Word lists, and the long frame of cosine distances that they and vectors make."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
