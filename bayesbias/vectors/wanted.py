"""Which words of a source are wanted: in lower case too where it has no capitals."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesbias.vectors.capitals import Capitals
from bayesbias.vectors.lookup import MEAN, lowered_by_default, spellings

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class Wanted:
    """Spellings to look for in a source."""

    named: frozenset[str]
    lower: Mapping[str, str]
    """From other spellings, in lower case, to the capitalised word that may be found so."""

    @property
    def all(self) -> frozenset[str]:
        """Every spelling that a reader should keep, for the time being."""
        return self.named | self.lower.keys()

    def settled(
        self, words: Sequence[str], vectors: NDArray[Scalar], capitals: Callable[[], Capitals]
    ) -> tuple[list[str], NDArray[Scalar]]:
        """Drop lower-case spellings (n_words, dim) that were found where there are capitals."""
        if not any(word in self.lower for word in words):
            return list(words), vectors
        of_source = capitals()
        keep = [i for i, w in enumerate(words) if w in self.named or of_source.lack(self.lower[w])]
        return [words[i] for i in keep], vectors[keep]


def wanted(words: Iterable[str], fallbacks: Sequence[str] | None) -> Wanted:
    """Return what is wanted for words; in lower case too where needed, unless "none" is asked."""
    words = list(words)
    named = frozenset(spellings(words, () if fallbacks is None else fallbacks))
    if fallbacks is not None and MEAN in fallbacks:
        parts = [part for word in words if " " in word for part in word.split()]
        named |= frozenset(spellings(parts, fallbacks))
    lower = {
        form: word
        for word in words
        for form in lowered_by_default(word, fallbacks)
        if form not in named
    }
    return Wanted(named, lower)
