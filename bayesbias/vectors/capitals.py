"""Whether vectors are of lower-case text: a count over their own vocabulary, not a guess."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast

from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.sources import known_of

_FEW: Final = 1e-3
"""Share of a vocabulary below which words with capitals are marks such as ``<UNK>`` and slips."""


@dataclass(frozen=True)
class Capitals:
    """How many words of a vocabulary have capital letters."""

    n_words: int = 0
    n_latin: int = 0
    """Words with a letter from A to Z."""

    n_any: int = 0
    """Words with a capital of any alphabet; some text is lower-cased from A to Z alone."""

    def lack(self, word: str) -> bool:
        """Tell whether the vocabulary has next to no capitals of the kind that a word has."""
        found = self.n_latin if word.isascii() else self.n_any
        return self.n_words > 0 and found < _FEW * self.n_words

    def __str__(self) -> str:
        return f"{self.n_any:,} of {self.n_words:,} words"


class Tally:
    """Counts words as a file's reader passes them, as bytes of UTF-8."""

    def __init__(self) -> None:
        self._words = self._latin = self._other = 0

    def add(self, word: bytes) -> None:
        """Count a word."""
        self._words += 1
        if word.lower() != word:  # of bytes, from A to Z
            self._latin += 1
        elif not word.isascii():
            text = word.decode("utf-8", "replace")
            self._other += text != text.lower()

    @property
    def capitals(self) -> Capitals:
        """What was counted."""
        return Capitals(self._words, self._latin, self._latin + self._other)


def capital_counts(words: Iterable[str]) -> Capitals:
    """Count the capitals of words."""
    tally = Tally()
    for word in words:
        tally.add(word.encode("utf-8", "surrogatepass"))
    return tally.capitals


def capitals_of(vectors: KeyedVectors) -> Capitals:
    """Return the capitals of the vocabulary that vectors come from, or of their own."""
    found: Capitals | None = known_of(vectors, "capitals")
    return capital_counts(cast("Sequence[str]", vectors.index_to_key)) if found is None else found
