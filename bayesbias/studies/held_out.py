"""What debiasing did to words that the method did not use, which are the ones that test it."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    DISTANCE,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.debias.record import Treatment, lists_on_the_same_groups, treatment_of_file
from bayesbias.debias.steps import Debiased
from bayesbias.errors import ArgumentError, BayesBiasWarning, EmbeddingError, WordListError
from bayesbias.fits.between_groups import OTHER_GROUPS
from bayesbias.fits.sentences import sentence
from bayesbias.pairs.distance_frame import distances
from bayesbias.pairs.reference import without_reference
from bayesbias.pairs.word_lists import WordList, load_wordlist
from bayesbias.studies.change import NO_CHANGE, Change, compare_change
from bayesbias.studies.change_sentences import tell
from bayesbias.studies.left import left_table
from bayesbias.support.result import Result, plain
from bayesbias.support.text_tables import Blocks, Column, Table, label_of, listed
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.loading import load_embedding

_LIST: Final = "word_list"
_TOWARDS: Final = "towards"
_MOST_LISTS: Final = 2  # besides the compared one

_TESTS: Final = {
    "no test": "{name} itself is no test of {method}, which {what}",
    "part": "of {name} itself {method} {what}: only the others test it",
    "test": "{method} used no word of {name}, so that this comparison tests it",
}
_SHARES: Final = {
    "used": "used {share} of its {words}",
    "neutralised": "neutralised {share} of its {words}",
    "left": "left all {n} of its {words}",
}
_FOUND: Final = "In words that {method} did not use (list {name}): {said}"
_SIGNS: Final = (
    "In cosine distance, with {label}s; below 0: the group linked to the list is closer to it."
)
_USED: Final = (
    "Used: what gave the direction, was equalised, or was neutralised by name. A rule may have "
    "neutralised other words."
)
_NOTHING_MOVED: Final = "nothing changed: no distance moved by more than {most:g}."
_LEFT_ALONE: Final = "nothing changed: {method} left these words as they were."
_NO_OTHER: Final = (
    "no shipped list asks about these groups in other words of these vectors: compare with a list "
    "of words that {method} did not use"
)


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut(Result):
    """How far debiasing reached words that it did not use; made by `compare_held_out`.

    Parameters
    ----------
    method : str
        The method of debiasing.
    reached : tuple of str
        Sentences: what the method did to how many words.
    wordlist : str
        The list that is compared.
    on_the_list : str
        A sentence: what the compared list itself can tell.
    found : mapping of str to str
        By word list, what became of the pairs without a word that the method used.
    table : DataFrame
        A row per attribute list: before, after, change and what is left between groups; columns
        ``word_list``, ``towards``, and those of `Change.left_by_list`.
    changes : mapping of str to Change
        By word list, the whole comparison; empty where it was read from a folder.
    """

    method: str
    reached: tuple[str, ...]
    wordlist: str
    on_the_list: str
    found: Mapping[str, str]
    table: pd.DataFrame
    changes: Mapping[str, Change] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "HeldOut":
        """Return what `to_dict` gave."""
        names = ("method", "wordlist", "on_the_list")
        method, wordlist, on_the_list = (str(content[name]) for name in names)
        found, table = dict(content["found"]), pd.DataFrame(content["table"])
        return cls(method, tuple(content["reached"]), wordlist, on_the_list, found, table)

    @property
    def answers(self) -> list[str]:
        """A sentence for each list of held-out words, then what the compared list can tell."""
        return [*self._findings, self.on_the_list]

    @property
    def _findings(self) -> list[str]:
        return [
            _FOUND.format(name=name, method=self.method, said=f"{text[0].lower()}{text[1:]}")
            for name, text in self.found.items()
        ]

    def before(self, answers: list[str]) -> list[str]:
        """Put the sentences before what is said of the list."""
        return [*self.answers, *of_the_list(answers)]

    @property
    def _table_parts(self) -> Blocks:
        """The table of what is left, if there is one."""
        if self.table.empty:
            return []
        shown = left_table(self.table.assign(**{ATTRIBUTE_SET: self.table[_TOWARDS]}))
        keys = (GROUP, OTHER_GROUPS)
        columns = [column for column in shown.all_columns if column.key not in keys]
        said = _SIGNS.format(label=label_of(self.table))
        return [Table(shown.frame, [Column(_LIST, "word list"), *columns]), said, _USED]

    @property
    def blocks(self) -> Blocks:
        """What was found, with the table of what is left, then what the compared list can tell."""
        table = ["", *self._table_parts, ""] if len(self.table) else []
        return [*self._findings, *table, self.on_the_list]

    def to_dict(self) -> dict[str, Any]:
        """Return sentences and table as plain data."""
        names = ("method", "reached", "wordlist", "on_the_list", "found")
        content = {name: plain(getattr(self, name)) for name in names}
        return {**content, "answers": self.answers, "table": plain(self.table)}


def of_the_list(said: Blocks) -> list[Any]:
    """Return what is said of a list, without that other words were not tested: they were."""
    untested = f" {tell('untested')}"
    return [one.replace(untested, "") if isinstance(one, str) else one for one in said]


def words_to_look_up(wordlist: WordList) -> list[str]:
    """Return the words of the list and of those that hold words out."""
    lists = [wordlist, *lists_on_the_same_groups(wordlist)]
    return list(dict.fromkeys(word for one in lists for word in one.words))


def compare_held_out(
    before: KeyedVectors,
    after: Debiased | str | Path,
    wordlist: WordList | str | Path,
    **options: Any,
) -> HeldOut:
    """Test debiased vectors on words that the method did not use.

    Words that gave the bias direction, were equalised, or were named as neutral change because the
    method makes them change: they are no evidence that it worked. Here the change is compared on
    the list's other pairs, and on shipped lists that ask about the same groups in other words.

    Parameters
    ----------
    before : gensim.models.KeyedVectors
        The vectors that were debiased.
    after : Debiased, str or Path
        What the method returned; or the file that ``Debiased.save`` wrote, with its record beside.
    wordlist : WordList, str or Path
        The list that is compared.
    **options
        Passed on to `compare_change`.

    Returns
    -------
    HeldOut
        ``answers`` are sentences, ``table`` has what is left on each list, ``changes`` the whole
        comparisons.

    Raises
    ------
    ArgumentError
        If `after` is neither, or no record of it lies beside the file.

    Examples
    --------
    >>> import bayesbias as bb
    >>> vectors = bb.example_embedding()
    >>> found = bb.compare_held_out(vectors, bb.debias.hard(vectors, "gender"), "gender", seed=1)
    >>> list(found.changes)
    ['winobias', 'weat7']
    """
    give = "give what a method of bayesbias.debias returned, or the file that its save() wrote"
    if isinstance(after, Debiased):
        vectors, treatment = after.vectors, Treatment.of(after.record)
    elif isinstance(after, str | Path):
        known = treatment_of_file(after)
        if known is None:
            raise ArgumentError(
                f"{after}: has no record beside it of which words a debiasing used; {give}"
            )
        vectors, treatment = load_embedding(after), known
    else:
        raise ArgumentError(f"after is a {type(after).__name__}; {give}")
    return held_out(before, vectors, treatment, load_wordlist(wordlist), **options)


def held_out(
    before: KeyedVectors,
    after: KeyedVectors,
    treatment: Treatment,
    wordlist: WordList,
    **options: Any,
) -> HeldOut:
    """Compare before and after on words that a debiasing method did not use."""
    own = distances(before, wordlist)
    own = own[own[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    words = own[PROTECTED_WORD].drop_duplicates(), own[ATTRIBUTE].drop_duplicates()
    any_used = any(treatment.was_used(some).any() for some in words)
    found: dict[str, Change | str] = {}
    if any_used:
        for one in (wordlist, *lists_on_the_same_groups(wordlist)):
            if len(found) < _MOST_LISTS + (wordlist.name in found):
                found |= _finding(before, after, treatment, one, options)
    kind = "test" if not any_used else "part" if wordlist.name in found else "no test"
    named = zip(words, ("protected words", "attributes"), strict=True)
    what = listed([_share(treatment, some, noun) for some, noun in named])
    said = f"{_TESTS[kind].format(name=wordlist.name, method=treatment.method, what=what)}."
    if any_used and not found:
        said = f"{said} {sentence(_NO_OTHER.format(method=treatment.method))}"
    changes = {name: one for name, one in found.items() if isinstance(one, Change)}
    return HeldOut(
        treatment.method,
        treatment.reached,
        wordlist.name,
        said,
        {name: one if isinstance(one, str) else one.headline for name, one in found.items()},
        _table(changes),
        changes,
    )


def _share(treatment: Treatment, words: pd.Series, noun: str) -> str:
    """Say how many of a list's words a method used, or else neutralised."""
    n = len(words)
    for key, those in (
        ("used", treatment.was_used(words)),
        ("neutralised", treatment.was_reached(words)),
    ):
        if k := int(those.sum()):
            share = f"all {n}" if k == n else f"{k} of {n}"
            text = _SHARES[key] if k == n else _SHARES[key].replace(" of its", "")
            return text.format(share=share, words=noun)
    return _SHARES["left"].format(n=n, words=noun)


def _table(changes: Mapping[str, Change]) -> pd.DataFrame:
    """Return what is left on each list of several comparisons."""
    parts = []
    for name, change in changes.items():
        table = change.left_by_list
        towards = [change.names.set_title[one] for one in table[ATTRIBUTE_SET]]
        parts.append(table.assign(**{_LIST: name, _TOWARDS: towards}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _finding(
    before: KeyedVectors,
    after: KeyedVectors,
    treatment: Treatment,
    wordlist: WordList,
    options: Mapping[str, Any],
) -> dict[str, Change | str]:
    """Return what became of a list's pairs without a used word; nothing if it has too few."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayesBiasWarning)  # of words of lists that nobody named
        try:
            frames = [treatment.not_used(distances(kv, wordlist)) for kv in (before, after)]
            if not all(map(_can_be_compared, frames)):
                return {}
            first, second = (frame[DISTANCE] for frame in frames)
            if len(first) == len(second) and np.allclose(first, second, rtol=0, atol=NO_CHANGE):
                return {wordlist.name: _nothing_changed(treatment, frames[0])}
            return {wordlist.name: compare_change(*frames, **options)}
        except (EmbeddingError, WordListError):  # the vectors lack a whole group or list
            return {}


def _nothing_changed(treatment: Treatment, frame: pd.DataFrame) -> str:
    """Say that nothing changed, and why: the words were left, or moved by next to nothing."""
    if any(treatment.was_reached(frame[c]).any() for c in (PROTECTED_WORD, ATTRIBUTE)):
        return _NOTHING_MOVED.format(most=NO_CHANGE)
    return _LEFT_ALONE.format(method=treatment.method)


def _can_be_compared(frame: pd.DataFrame) -> bool:
    """Tell whether associated and different pairs of two words at least are left."""
    pairs = without_reference(frame)
    return set(STEREOTYPE_CONNECTIONS) <= set(pairs[CONNECTION])
