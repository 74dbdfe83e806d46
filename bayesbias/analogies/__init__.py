"""Analogies a : b :: c : ?, with and without the query's own words as answers.

`analogy` asks one by each formula, `rank_pairs` takes a and c alone, as Bolukbasi et al. do,
`vocabulary_grid` shows what an answer depends on, and `accuracy` asks a file of questions.
docs/measures.md says why constrained answers mislead.

All raise an `ArgumentError` if a word is not in the vectors, a and c are one word, or an argument
is out of range, and an `EmbeddingError` if the vector of a word is zero, or Bolukbasi's formula has
no direction.
"""

from bayesbias.analogies.pairs import rank_pairs
from bayesbias.analogies.queries import AnalogyResult, analogy, vocabulary_grid
from bayesbias.analogies.scored_questions import Accuracy, accuracy, read_questions

__all__ = [
    "Accuracy", "AnalogyResult", "accuracy", "analogy", "rank_pairs", "read_questions",
    "vocabulary_grid",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
