"""Debiasing of word vectors: vectors in, new vectors and a record of what was done out.

Every method raises an `ArgumentError` if arguments contradict each other or are out of range, a
`WordListError` if the words cannot be found in the word list or in the vectors, and an
`EmbeddingError` if a vector is not finite. A word whose vector is zero counts as missing. It warns
(`MissingWordsWarning`, `DataWarning`) of words left out; ``record.dropped`` has them all.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
