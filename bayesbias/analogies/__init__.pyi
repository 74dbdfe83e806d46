from .batch import solve as solve
from .comparisons import MeanRanks as MeanRanks
from .comparisons import VocabularyGrid as VocabularyGrid
from .comparisons import mean_rank as mean_rank
from .comparisons import vocabulary_grid as vocabulary_grid
from .evaluation import Accuracy as Accuracy, accuracy as accuracy
from .pairs import PairRanking as PairRanking, rank_pairs as rank_pairs
from .queries import Analogy as Analogy, analogy as analogy
from .question_files import read_questions as read_questions
