"""Debiasing of word vectors: vectors in, new vectors and a record of what was done out."""

from bayesbias.debias.corpus import Cooccurrences, corpus_genderedness, count_cooccurrences
from bayesbias.debias.mean_difference import two_means
from bayesbias.debias.methods import METHODS, DebiasMethod, find_method
from bayesbias.debias.neutralising import hard, multiclass, subspace
from bayesbias.debias.nullspace import inlp
from bayesbias.debias.results import Debiased, DebiasRecord
from bayesbias.debias.selection import choose_words
from bayesbias.debias.transformation import soft

__all__ = [
    "METHODS",
    "Cooccurrences",
    "DebiasMethod",
    "DebiasRecord",
    "Debiased",
    "choose_words",
    "corpus_genderedness",
    "count_cooccurrences",
    "find_method",
    "hard",
    "inlp",
    "multiclass",
    "soft",
    "subspace",
    "two_means",
]
