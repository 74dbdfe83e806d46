"""Debiasing of word vectors: vectors in, new vectors and a record of what was done out.

Every method raises an `ArgumentError` if arguments contradict each other or are out of range, a
`WordListError` if the words cannot be found in the word list or in the vectors, and an
`EmbeddingError` if a vector is not finite. A word whose vector is zero counts as missing. It warns
(`MissingWordsWarning`, `DataWarning`) of words left out; ``record.dropped`` has them all.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from bayesbias.debias.classes import inlp, leace
from bayesbias.debias.corpus import (
    change_by_class,
    choose_words,
    corpus_genderedness,
    count_cooccurrences,
)
from bayesbias.debias.neutralising import double_hard, hard, multiclass, subspace
from bayesbias.debias.record import Debiased, DebiasRecord
from bayesbias.errors import ArgumentError, suggest

METHODS: Final[Mapping[str, Callable[..., Debiased]]] = MappingProxyType({
    "hard": hard, "multiclass": multiclass, "subspace": subspace,
    "inlp": inlp, "leace": leace, "double_hard": double_hard,
})  # fmt: skip
"""The methods by name: a function of vectors, then options by keyword."""


def find_method(name: str) -> Callable[..., Debiased]:
    """Return a method's function by its name."""
    if name not in METHODS:
        raise ArgumentError(f"no debiasing method {name!r}{suggest(name, METHODS)}")
    return METHODS[name]


__all__ = [
    "METHODS", "DebiasRecord", "Debiased", "change_by_class", "choose_words",
    "corpus_genderedness", "count_cooccurrences", "double_hard", "find_method", "hard", "inlp",
    "leace", "multiclass", "subspace",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
