"""The debiasing methods: each declared once, for the commands, the pages and the common tests."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from bayesbias.debias.classes import inlp, leace
from bayesbias.debias.double import double_hard
from bayesbias.debias.neutralising import hard, multiclass, subspace
from bayesbias.debias.steps import Debiased
from bayesbias.errors import ArgumentError, suggest


@dataclass(frozen=True)
class DebiasMethod:
    """A debiasing method: its function, authors and year.

    The function takes vectors, then options by keyword. `whole_vocabulary` says whether a word's
    new vector depends on words that neither the word list nor an option names: a sweep reads all
    vectors for such a method, and the named words alone for others.
    """

    function: Callable[..., Debiased]
    source: str
    whole_vocabulary: bool = True

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the options."""
        return tuple(inspect.signature(self.function).parameters)[1:]


METHODS: Final[Mapping[str, DebiasMethod]] = MappingProxyType(
    {
        "hard": DebiasMethod(hard, "Bolukbasi et al. (2016)", whole_vocabulary=False),
        "multiclass": DebiasMethod(multiclass, "Manzini et al. (2019)", whole_vocabulary=False),
        "subspace": DebiasMethod(subspace, "Ethayarajh et al. (2019)", whole_vocabulary=False),
        "inlp": DebiasMethod(inlp, "Ravfogel et al. (2020)"),
        "leace": DebiasMethod(leace, "Belrose et al. (2023)"),
        "double_hard": DebiasMethod(double_hard, "Wang et al. (2020)"),
    }
)
"""The methods by name."""


def find_method(name: str) -> Callable[..., Debiased]:
    """Return a method's function by its name."""
    if name not in METHODS:
        raise ArgumentError(f"no debiasing method {name!r}{suggest(name, METHODS)}")
    return METHODS[name].function
