"""Debiasing of word vectors: vectors in, new vectors and a record of what was done out.

Every method raises an `ArgumentError` if arguments contradict each other or are out of range, a
`WordListError` if the words cannot be found in the word list or in the vectors, an `EmbeddingError`
if a vector is not finite, or that of a word that is named is zero, and an `OutputError` if there is
no room for a temporary file. It warns (`MissingWordsWarning`, `DataWarning`) of words left out;
``record.dropped`` has them all.
"""

from bayesbias.debias.corpus import Cooccurrences, corpus_genderedness, count_cooccurrences
from bayesbias.debias.cost import Utility, utility
from bayesbias.debias.double import double_hard
from bayesbias.debias.erasure import leace
from bayesbias.debias.methods import METHODS, DebiasMethod, find_method
from bayesbias.debias.neutralising import hard, multiclass, subspace, two_means
from bayesbias.debias.nullspace import inlp
from bayesbias.debias.regression import half_sibling
from bayesbias.debias.results import Debiased, DebiasRecord
from bayesbias.debias.selection import choose_words
from bayesbias.debias.transformation import soft

__all__ = [
    "METHODS",
    "Cooccurrences",
    "DebiasMethod",
    "DebiasRecord",
    "Debiased",
    "Utility",
    "choose_words",
    "corpus_genderedness",
    "count_cooccurrences",
    "double_hard",
    "find_method",
    "half_sibling",
    "hard",
    "inlp",
    "leace",
    "multiclass",
    "soft",
    "subspace",
    "two_means",
    "utility",
]


def __dir__() -> list[str]:
    return __all__
