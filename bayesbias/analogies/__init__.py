"""Analogies a : b :: c : ?, with and without the query's own words as answers.

`analogy` asks one in every form, `solve` many at once; `rank_pairs` is Bolukbasi et al.'s form
from a and c alone; `mean_rank` and `vocabulary_grid` show what an answer depends on; `accuracy`
asks files of questions. docs/measures.md says why constrained answers mislead.

All raise an `ArgumentError` if a word is not in the vectors, a and c are one word, or an argument
is out of range, and an `EmbeddingError` if the vector of a word is zero, or Bolukbasi's formula has
no direction.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
