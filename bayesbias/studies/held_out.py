"""What debiasing did to words that the method was not given, which are the ones that test it."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    CONNECTION,
    DISTANCE,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.debias.record import Treatment, lists_on_the_same_groups
from bayesbias.errors import BayesBiasWarning, EmbeddingError, WordListError
from bayesbias.pairs.distance_frame import distances
from bayesbias.pairs.reference import without_reference
from bayesbias.pairs.word_lists import WordList
from bayesbias.studies.change import NO_CHANGE, Change, compare_change
from bayesbias.studies.left import left_table
from bayesbias.support.result import Result, plain
from bayesbias.support.text_tables import Blocks, Column, Table
from bayesbias.support.types import KeyedVectors

_LIST: Final = "word_list"
_MOST_LISTS: Final = 2  # besides the compared one


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut(Result):
    """How far debiasing reached words that it was not given; made by `held_out`.

    Parameters
    ----------
    treatment : Treatment
        What the method did, and which words it was given.
    wordlist : str
        The list that is compared.
    given : mapping of str to (int, int)
        Of its protected words and its stereotype attributes, how many were given and how many the
        vectors have.
    found : mapping of str to Change or str
        By word list, the change of the pairs without a given word, or why there is none.
    """

    treatment: Treatment
    wordlist: str
    given: Mapping[str, tuple[int, int]]
    found: Mapping[str, Change | str]

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per attribute list: before, after, change and what is left between groups."""
        parts = [
            change.left_by_list.assign(**{_LIST: name})
            for name, change in self.found.items()
            if isinstance(change, Change)
        ]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    @property
    def any_given(self) -> bool:
        """Whether any word of the list was given to the method."""
        return any(n for n, _ in self.given.values())

    @property
    def on_the_list(self) -> str:
        """Say what the compared list itself can tell."""
        method, name = self.treatment.method, self.wordlist
        if not self.any_given:
            return f"No word of {name} was given to {method}, so that this comparison tests it."
        given = " and ".join(_share(n, of, what) for what, (n, of) in self.given.items())
        if name in self.found:
            return f"{method} was given {given}; only the others test it."
        return f"What follows on {name} is no evidence that {method} worked: it was given {given}."

    @property
    def answers(self) -> list[str]:
        """What the compared list can tell, then a sentence for each list of held-out words."""
        method = self.treatment.method
        said = [self.on_the_list]
        for name, one in self.found.items():
            said.append(
                f"Held-out words of {name}: {one if isinstance(one, str) else one.headline}"
            )
        if not self.found and self.any_given:
            said.append(
                f"No shipped list asks about these groups in other words of these vectors: compare "
                f"with a list of words that {method} was not given."
            )
        return said

    def before(self, answers: list[str]) -> list[str]:
        """Put the sentences before what is said of the list."""
        return [*self.answers, *of_the_list(answers)]

    @property
    def blocks(self) -> Blocks:
        """The sentences, and the table of what is left."""
        if self.table.empty:
            return self.answers
        table = left_table(self.table)
        columns = [Column(_LIST, "word list"), *(table.columns or ())]
        return [*self.answers, "", Table(self.table, columns)]

    def to_dict(self) -> dict[str, Any]:
        """Return sentences and table as plain data."""
        return {
            "method": self.treatment.method,
            "reached": list(self.treatment.reached),
            "wordlist": self.wordlist,
            "given": {what: list(numbers) for what, numbers in self.given.items()},
            "answers": self.answers,
            "table": plain(self.table),
        }


def _share(n: int, of: int, what: str) -> str:
    return f"all {of} {what}" if n == of else f"{n or 'none'} of {of} {what}"


def of_the_list(said: Blocks) -> list[Any]:
    """Return what is said of a list, without that other words were not tested: they were."""
    untested = " Other words were not tested."
    return [one.replace(untested, "") if isinstance(one, str) else one for one in said]


def words_to_look_up(wordlist: WordList) -> list[str]:
    """Return the words of the list and of those that hold words out."""
    lists = [wordlist, *lists_on_the_same_groups(wordlist)]
    return list(dict.fromkeys(word for one in lists for word in one.words))


def held_out(
    before: KeyedVectors,
    after: KeyedVectors,
    treatment: Treatment,
    wordlist: WordList,
    **options: Any,
) -> HeldOut:
    """Compare before and after on words that a debiasing method was not given.

    These are the pairs of the list without such a word, if there are associated and different ones,
    and those of shipped lists that ask about the same groups in other words. `options` go to
    `compare_change`.
    """
    own = distances(before, wordlist)
    own = own[own[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    words = {"protected words": own[PROTECTED_WORD], "stereotype attributes": own[ATTRIBUTE]}
    given = {
        what: (int(treatment.was_given(some.drop_duplicates()).sum()), some.nunique())
        for what, some in words.items()
    }
    found: dict[str, Change | str] = {}
    if any(n for n, _ in given.values()):
        others = lists_on_the_same_groups(wordlist)
        for one in (wordlist, *others):
            if len(found) < _MOST_LISTS + (wordlist.name in found):
                found |= _finding(before, after, treatment, one, options)
    return HeldOut(treatment, wordlist.name, given, found)


def _finding(
    before: KeyedVectors,
    after: KeyedVectors,
    treatment: Treatment,
    wordlist: WordList,
    options: Mapping[str, Any],
) -> dict[str, Change | str]:
    """Return what became of a list's pairs without a given word; nothing if it has too few."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayesBiasWarning)  # of words of lists that nobody named
        try:
            frames = [treatment.not_given(distances(kv, wordlist)) for kv in (before, after)]
            if not all(map(_can_be_compared, frames)):
                return {}
            first, second = (frame[DISTANCE] for frame in frames)
            if len(first) == len(second) and np.allclose(first, second, atol=NO_CHANGE):
                return {wordlist.name: f"nothing changed; {treatment.method} left these words."}
            return {wordlist.name: compare_change(*frames, **options)}
        except (EmbeddingError, WordListError):  # the vectors lack a whole group or list
            return {}


def _can_be_compared(frame: pd.DataFrame) -> bool:
    """Tell whether associated and different pairs of two words at least are left."""
    pairs = without_reference(frame)
    return set(STEREOTYPE_CONNECTIONS) <= set(pairs[CONNECTION])
