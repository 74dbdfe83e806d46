"""Debiasing of word vectors: vectors in, new vectors and a record of what was done out."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from bayesbias.debias.corpus import Cooccurrences, corpus_genderedness, count_cooccurrences
from bayesbias.debias.neutralising import hard, multiclass, subspace
from bayesbias.debias.results import Debiased, DebiasRecord
from bayesbias.debias.selection import choose_words
from bayesbias.debias.transformation import soft
from bayesbias.errors import ArgumentError, suggest

METHODS: Final[Mapping[str, Callable[..., Debiased]]] = MappingProxyType(
    {"hard": hard, "multiclass": multiclass, "soft": soft, "subspace": subspace}
)
"""The methods by name; each takes vectors, then options by keyword only."""

__all__ = [
    "METHODS",
    "Cooccurrences",
    "DebiasRecord",
    "Debiased",
    "choose_words",
    "corpus_genderedness",
    "count_cooccurrences",
    "find_method",
    "hard",
    "multiclass",
    "soft",
    "subspace",
]


def find_method(name: str) -> Callable[..., Debiased]:
    """Return a method by its name.

    Raises
    ------
    ArgumentError
        If there is no such method; the message lists those there are.

    Examples
    --------
    >>> find_method("hard") is hard
    True
    """
    if name not in METHODS:
        raise ArgumentError(f"no debiasing method {name!r}{suggest(name, METHODS)}")
    return METHODS[name]
