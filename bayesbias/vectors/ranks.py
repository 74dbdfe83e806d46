"""At which row of their source words stand: in files sorted by frequency, how rare they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.sources import known_of

_FREQUENT: Final = """
the of and to in for that is on with was by as at from he it an are be his have has but
not they this or who you had were their been its one more would about will there when
she her we all out what up if can so no my them me him your other some could than then
only into now over just like also how first after our any these time very even because
"""

FREQUENT: Final = frozenset(_FREQUENT.split())
"""Words that are among the most frequent of any English text."""


@dataclass
class Ranks:
    """Rows of a source, counted from 0."""

    rows: Mapping[str, int]
    """Of the words that were loaded."""

    n_words: int
    """Of the source."""

    frequent: dict[str, int] = field(default_factory=dict)
    """Of those of the most frequent English words that the source has."""


def ranks_of(vectors: KeyedVectors) -> Ranks:
    """Return at which rows of their source, or of the vectors themselves, words stand."""
    found: Ranks | None = known_of(vectors, "ranks")
    return ranks_in(vectors.key_to_index) if found is None else found


def ranks_in(index: Mapping[str, int]) -> Ranks:
    """Return the ranks of a whole vocabulary."""
    return Ranks(index, len(index), {word: index[word] for word in FREQUENT if word in index})
