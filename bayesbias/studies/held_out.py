"""What debiasing did to words that the method did not use, which are the ones that test it.

A method such as ``hard`` takes a direction from a list's protected words and removes it from its
attributes. On these words the difference between groups is then 0 by construction: it says what
was done, as the error on training data does, and nothing about other words. Bias is still found in
words that no list names (Gonen and Goldberg 2019, "Lipstick on a Pig").

So the words that the method used are left out, by the record that it keeps. What remains is the
rest of its own list, and the shipped lists about the same groups. Each list is a change of its own
(`studies.change`), since lists share words.
"""

import warnings
from collections.abc import Iterable, Mapping
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
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.debias.record import Treatment, lists_on_the_same_groups, treatment_of_file
from bayesbias.debias.steps import Debiased
from bayesbias.errors import ArgumentError, BayesBiasWarning, EmbeddingError, WordListError
from bayesbias.fits.between_groups import OTHER_GROUPS, ZERO
from bayesbias.fits.next_step import next_step
from bayesbias.pairs.distance_frame import distances
from bayesbias.pairs.reference import without_reference
from bayesbias.pairs.word_lists import WordList, load_wordlist
from bayesbias.studies.change import NO_CHANGE, Change, compare_change
from bayesbias.studies.change_screen import table_of_lines
from bayesbias.studies.change_sentences import MIXED, headline_of_held_out, tell
from bayesbias.support.result import Result, plain
from bayesbias.support.text_tables import Blocks, Column, Table, join_words, quoted
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.loading import load_embedding

_LIST: Final = "word_list"
_TOWARDS: Final = "towards"
_AVERAGE: Final = "on average"
_ALL: Final = "all, on average"
_MOST_LISTS: Final = 2  # besides the compared one


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
    headline : str
        What became of the words that the method did not use; "" where no list has enough of them.
    found : mapping of str to str
        By word list, what became of the pairs without a word that the method used.
    table : DataFrame
        A row per attribute list, of several first one of their average: before, after, change and
        what is left between groups; columns ``word_list``, ``towards``, and those of
        `Change.left_by_list`.
    changes : mapping of str to Change
        By word list, the whole comparison; empty where it was read from a folder.
    is_undecided : bool
        Whether other words were tested, and of none it is known what changed.
    """

    method: str
    reached: tuple[str, ...]
    wordlist: str
    on_the_list: str
    headline: str
    found: Mapping[str, str]
    table: pd.DataFrame
    changes: Mapping[str, Change] = field(default_factory=dict)
    is_undecided: bool = False

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "HeldOut":
        """Return what `to_dict` gave."""
        names = ("method", "wordlist", "on_the_list", "headline")
        method, wordlist, on_the_list, headline = (str(content[name]) for name in names)
        found, table = dict(content["found"]), pd.DataFrame(content["table"])
        undecided = bool(content.get("is_undecided", False))
        said = tuple(content["reached"]), wordlist, on_the_list, headline
        return cls(method, *said, found, table, is_undecided=undecided)

    @property
    def answers(self) -> list[str]:
        """What held-out words show, on each word list, and what the compared list can tell."""
        return [*self._findings, self.on_the_list]

    @property
    def _findings(self) -> list[str]:
        of_each = [f"{name}: {text}" for name, text in self.found.items()]
        return [self.headline, *of_each] if self.headline else of_each

    def before(self, answers: list[str]) -> list[str]:
        """Put the sentences before what is said of the list."""
        return [*self.answers, *of_the_list(answers)]

    @property
    def _lines(self) -> Table:
        """The difference before and after on every attribute list, and what is left of it."""
        # A word list is named once.
        named = self.table[_LIST].where(~self.table[_LIST].duplicated(), "")
        rows = [
            (name, _ALL if row.towards == _AVERAGE else row.towards, row, bool(getattr(row, ZERO)))
            for name, row in zip(named, self.table.itertuples(), strict=True)
        ]
        return table_of_lines(Column(_LIST, "word list"), rows, self.table["prob"].iloc[0])

    @property
    def blocks(self) -> Blocks:
        """What was found, what the compared list can tell, and before and after in lines."""
        then = next_step("change", self.is_undecided, held_out=True, typed=False)
        return self.screen(then)

    def screen(self, then: str = "") -> Blocks:
        """Return all of it; `then`: what to do next."""
        head = [*self._findings, self.on_the_list, *([then] if then else [])]
        if self.table.empty:
            return head
        return [*head, "", tell("of_word_lists"), self._lines, tell("used")]

    def to_dict(self) -> dict[str, Any]:
        """Return sentences and table as plain data."""
        names = ("method", "reached", "wordlist", "on_the_list", "headline", "found")
        content = {name: plain(getattr(self, name)) for name in names}
        known = {"is_undecided": self.is_undecided, "table": plain(self.table)}
        return {**content, "answers": self.answers, **known}


def nothing_known(change: Change, tested: HeldOut | None) -> bool:
    """Tell whether nothing is known of what changed; in held-out words, if such were compared."""
    return change.is_undecided if tested is None or tested.table.empty else tested.is_undecided


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
    words = _asked_words(distances(before, wordlist))
    any_used = _uses(treatment, words)
    found: dict[str, Change | str] = {}
    if any_used:
        for one in (wordlist, *lists_on_the_same_groups(wordlist)):
            if len(found) < _MOST_LISTS + (wordlist.name in found):
                found |= _finding(before, after, treatment, one, options)
    kind = "test" if not any_used else "part" if wordlist.name in found else "no test"
    what = _what_of(treatment, words)
    said = tell("test_of_list", kind, wordlist.name, quoted(treatment.method), what)
    if any_used and not found:
        said = f"{said} {tell('no_other_list', treatment.method)}"
    changes = {name: one for name, one in found.items() if isinstance(one, Change)}
    outcomes = {name: changes[name].outcome if name in changes else "unchanged" for name in found}
    # Where several lists became different things, their average does not speak for all.
    short = {
        name: one.headline if one.outcome == MIXED else one.average or one.headline
        for name, one in changes.items()
    }
    return HeldOut(
        method=treatment.method,
        reached=treatment.reached,
        wordlist=wordlist.name,
        on_the_list=said,
        headline=headline_of_held_out(treatment.method, outcomes) if outcomes else "",
        found={n: one if isinstance(one, str) else short[n] for n, one in found.items()},
        table=_table(changes),
        changes=changes,
        is_undecided=bool(changes) and all(one.is_undecided for one in changes.values()),
    )


def uses_words_of(treatment: Treatment, frame: pd.DataFrame) -> bool:
    """Tell whether a method used protected words or attributes of a frame."""
    return _uses(treatment, _asked_words(frame))


def no_test_of(treated: Iterable[tuple[Treatment, pd.DataFrame]], name: str) -> list[str]:
    """Say of which methods a word list is no test; each used words of its frame."""
    methods: dict[tuple[str, ...], list[str]] = {}
    for treatment, frame in treated:
        what = _what_of(treatment, _asked_words(frame))
        methods.setdefault(what, []).append(quoted(treatment.method))
    return [
        tell("test_of_list", "no test", name, join_words(list(dict.fromkeys(found))), what)
        for what, found in methods.items()
    ]


def _asked_words(frame: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return the protected words and the attributes of a list's stereotype pairs."""
    own = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    return own[PROTECTED_WORD].drop_duplicates(), own[ATTRIBUTE].drop_duplicates()


def _uses(treatment: Treatment, words: tuple[pd.Series, pd.Series]) -> bool:
    return any(treatment.was_used(some).any() for some in words)


def _what_of(treatment: Treatment, words: tuple[pd.Series, pd.Series]) -> tuple[str, ...]:
    """Say what a method did to the protected words and the attributes of a list."""
    named = zip(words, ("protected words", "attributes"), strict=True)
    return tuple(_share(treatment, some, noun) for some, noun in named)


def _share(treatment: Treatment, words: pd.Series, noun: str) -> str:
    """Say how many of a list's words a method used, or else neutralised."""
    n = len(words)
    for key, those in (
        ("used", treatment.was_used(words)),
        ("neutralised", treatment.was_reached(words)),
    ):
        if k := int(those.sum()):
            return tell("words_of_list", key, k, n, noun)
    return tell("words_of_list", "left", 0, n, noun)


def _table(changes: Mapping[str, Change]) -> pd.DataFrame:
    """Return what is left on each list of several comparisons."""
    parts = []
    for name, change in changes.items():
        table = change.left_by_list
        towards = [change.names.set_title[one] for one in table[ATTRIBUTE_SET]]
        if len(table) > 1:
            whole = change.left[:1].assign(**{ATTRIBUTE_SET: "", OTHER_GROUPS: ""})
            table = pd.concat([whole.assign(**{ZERO: bool(table[ZERO].all())}), table])
            towards.insert(0, _AVERAGE)
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
            left = [set(without_reference(frame)[CONNECTION]) for frame in frames]
            if not all(set(STEREOTYPE_CONNECTIONS) <= connections for connections in left):
                return {}
            first, second = (frame[DISTANCE] for frame in frames)
            if len(first) == len(second) and np.allclose(first, second, rtol=0, atol=NO_CHANGE):
                words = frames[0][PROTECTED_WORD], frames[0][ATTRIBUTE]
                moved = any(treatment.was_reached(some).any() for some in words)
                method = "" if moved else treatment.method
                return {wordlist.name: tell("unchanged_words", method, f"{NO_CHANGE:g}")}
            return {wordlist.name: compare_change(*frames, **options)}
        except (EmbeddingError, WordListError):  # the vectors lack a whole group or list
            return {}
