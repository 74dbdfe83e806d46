"""The debiasing methods: each declared once, for the commands, the pages and the common tests."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from bayesbias.debias.classes import inlp, leace
from bayesbias.debias.double import double_hard
from bayesbias.debias.neutralising import half_sibling, hard, multiclass, subspace, two_means
from bayesbias.debias.steps import Debiased
from bayesbias.debias.transformation import soft
from bayesbias.errors import ArgumentError, suggest


@dataclass(frozen=True)
class DebiasMethod:
    """A debiasing method: its function, authors and year, and what holds of the new vectors.

    The function takes vectors, then options by keyword. `whole_vocabulary` says whether a word's
    new vector depends on words that neither the word list nor an option names: a sweep reads all
    vectors for such a method, and the named words alone for others.
    """

    function: Callable[..., Debiased]
    source: str
    guarantee: str
    whole_vocabulary: bool = True

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the options."""
        return tuple(inspect.signature(self.function).parameters)[1:]


METHODS: Final[Mapping[str, DebiasMethod]] = MappingProxyType(
    {
        method.name: method
        for method in (
            DebiasMethod(
                hard,
                "Bolukbasi et al. (2016)",
                "neutral words are at right angles to one direction, and equally near to both "
                "members of an equalised pair",
                whole_vocabulary=False,
            ),
            DebiasMethod(
                multiclass,
                "Manzini et al. (2019)",
                "the same for k directions and sets of any size",
                whole_vocabulary=False,
            ),
            DebiasMethod(
                soft,
                "Manzini et al. (2019)",
                "the weighted sum of distortion and association is at its minimum",
            ),
            DebiasMethod(
                subspace,
                "Ethayarajh et al. (2019)",
                "debiased words have the same inner product with both words of every pair",
                whole_vocabulary=False,
            ),
            DebiasMethod(
                two_means,
                "Dev and Phillips (2019)",
                "the first and the second words of the pairs have the same mean vector",
                whole_vocabulary=False,
            ),
            DebiasMethod(
                inlp,
                "Ravfogel et al. (2020)",
                "debiased words are at right angles to every direction found, by which classes "
                "were separated on held-out words",
            ),
            DebiasMethod(
                leace,
                "Belrose et al. (2023)",
                "the classes of words learned from have the same mean, by the smallest change",
            ),
            DebiasMethod(
                double_hard,
                "Wang et al. (2020)",
                "as hard, of vectors that are centred and have lost one principal component",
            ),
            DebiasMethod(
                half_sibling,
                "Yang and Feng (2020)",
                "debiased words are residuals of a ridge regression on the defining words",
                whole_vocabulary=False,
            ),
        )
    }
)
"""The methods by name."""


def find_method(name: str) -> Callable[..., Debiased]:
    """Return a method's function by its name."""
    if name not in METHODS:
        raise ArgumentError(f"no debiasing method {name!r}{suggest(name, METHODS)}")
    return METHODS[name].function
