"""Analogies a : b :: c : ?, with and without the query's own words as answers.

`analogy` asks one in every form, `solve` many at once; `rank_pairs` is Bolukbasi et al.'s form
from a and c alone; `mean_rank` and `vocabulary_grid` show what an answer depends on; `accuracy`
asks files of questions. docs/measures.md says why constrained answers mislead.

All raise an `ArgumentError` if a word is not in the vectors, a and c are one word, or an argument
is out of range, and an `EmbeddingError` if the vector of a word is zero, or Bolukbasi's formula has
no direction.
"""

from bayesbias.analogies.batch import solve
from bayesbias.analogies.comparisons import MeanRanks, VocabularyGrid, mean_rank, vocabulary_grid
from bayesbias.analogies.evaluation import Accuracy, accuracy
from bayesbias.analogies.pairs import PairRanking, rank_pairs
from bayesbias.analogies.queries import Analogy, analogy
from bayesbias.analogies.questions import read_questions

__all__ = [
    "Accuracy",
    "Analogy",
    "MeanRanks",
    "PairRanking",
    "VocabularyGrid",
    "accuracy",
    "analogy",
    "mean_rank",
    "rank_pairs",
    "read_questions",
    "solve",
    "vocabulary_grid",
]


def __dir__() -> list[str]:
    return __all__
