"""Any file, mapping or encoder becomes gensim ``KeyedVectors``; words are looked up in them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
