"""Which words a debiasing method works on, decided before anything is computed.

Every decision that the vectors or the lists force is kept: words left out with the reason, and
notes. A set with a missing member is dropped whole: half a pair has no direction.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np

from bayesbias.debias.record_sentences import tell
from bayesbias.errors import ArgumentError, DataWarning, MissingWordsWarning, WordListError
from bayesbias.pairs.word_lists import WordList, WordPair, load_wordlist
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import ZERO_VECTOR, spelt_as_in, vectors_of
from bayesbias.vectors.subspaces import RANK_TOLERANCE

SetsOfWords: TypeAlias = Sequence[Sequence[str] | WordPair]  # sets of words, or pairs
ALL: Final = "all"  # what to say for `neutralise` to mean every word but the protected ones
EVERY: Final = "every"  # what to say for `neutralise` to mean every word, the protected ones too
LISTED: Final = "listed"  # to mean the word list's stereotype attributes alone
SPECIFIC: Final = "all but specific"  # what the default means of a list with specific words
MISSING: Final = "not in the vectors"


@dataclass(frozen=True)
class Dropped:
    """A word or set that a method was given, as its role says, and could not use."""

    words: tuple[str, ...]
    role: str
    reason: str


@dataclass(frozen=True)
class WordPlan:
    """The words that a method works on; all members of its sets are there."""

    defining_sets: tuple[tuple[str, ...], ...]
    equalise: tuple[tuple[str, ...], ...]
    neutralise: tuple[str, ...]  # in the order given, or in that of the vectors
    keep: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]  # decisions that drop nothing
    wordlist: WordList | None
    source: str  # of `neutralise`: "all but specific", "all", "every", "listed" or "given"

    @property
    def by_rule(self) -> bool:
        """Whether a rule chose the words to neutralise, and no list of them."""
        return self.source in (SPECIFIC, ALL, EVERY)


def plan_words(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None,
    defining_sets: SetsOfWords | None,
    neutralise: Iterable[str] | Literal["all", "every", "listed"] | None,
    equalise: SetsOfWords | None,
    keep: Iterable[str],
    *,
    repeated: bool = False,
) -> WordPlan:
    """Decide which words are used, from the arguments that all methods share.

    `repeated` equalises sets that repeat a word of an earlier one too, and neutralises words that
    are equalised.
    """
    if not hasattr(vectors, "key_to_index"):
        raise ArgumentError(
            f"vectors are a {type(vectors).__name__}, not KeyedVectors; use bb.load_embedding()"
        )
    listed = None if wordlist is None else load_wordlist(wordlist)
    dropped: list[Dropped] = []
    given = set_tuples(_defining(defining_sets, listed), "defining set", vectors)
    used = sets_present(vectors, given, "defining set", dropped)
    used = sets_without(partial(_identical, vectors), used, "defining set", dropped)
    if not used:
        raise WordListError(_nothing_left("defining sets", dropped, "defining set"))
    to_equalise = given if equalise is None else set_tuples(equalise, "equalise", vectors)
    equal = sets_present(vectors, to_equalise, "equalise", dropped)
    if not repeated:
        equal = sets_without(partial(_repeated, set()), equal, "equalise", dropped)
    kept = spelt_as_in(vectors, checked_words(keep, "keep"))
    dropped += [Dropped((w,), "keep", MISSING) for w in kept if w not in vectors.key_to_index]
    source = chosen_by(neutralise, listed)
    if source in (LISTED, "given"):
        asked = spelt_as_in(vectors, _asked(neutralise, listed))
        if both := [word for word in dict.fromkeys(asked) if word in kept]:
            raise ArgumentError(f"{', '.join(both)}: is in both `neutralise` and `keep`")
        chosen = _chosen(vectors, dict.fromkeys(asked), () if repeated else equal, dropped)
    else:
        left = set(kept)
        if source != EVERY:
            left.update(word for one in (*given, *to_equalise) for word in one)
        if source == SPECIFIC and listed is not None:
            left.update(_specific(vectors, listed))
        chosen = tuple(word for word in vectors.index_to_key if word not in left)
    if not chosen:
        raise WordListError(_nothing_left("words to neutralise", dropped, "neutralise"))
    notes = _notes(chosen, used)
    return WordPlan(used, equal, chosen, kept, tuple(dropped), notes, listed, source)


def chosen_by(neutralise: Iterable[str] | str | None, listed: WordList | None) -> str:
    """Return what chooses the words to neutralise: a rule, the word list, or what was given."""
    if isinstance(neutralise, str):
        if neutralise not in (ALL, EVERY, LISTED):
            raise ArgumentError(
                f'neutralise={neutralise!r}: give a list of words, "{ALL}", "{EVERY}" or "{LISTED}"'
            )
        return neutralise
    if neutralise is not None:
        return "given"
    if listed is None:
        raise ArgumentError('say which words to neutralise: a list of words, "all" or "every"')
    if not listed.specific:
        n = len(listed.protected_words)
        raise ArgumentError(
            f"the word list {listed.name!r} does not say which words are specific to its groups "
            f"(key specific)",
            advice=f'say which words to neutralise: "{ALL}" (but the {n} protected ones), '
            f'"{LISTED}" (the list\'s stereotype attributes alone) or a list of words',
            typed=f"say which words to neutralise: --all-words (but the {n} protected ones), "
            f"--words listed (the list's stereotype attributes alone) or --words FILE",
        )
    return SPECIFIC


def _specific(vectors: KeyedVectors, listed: WordList) -> Iterator[str]:
    """Yield the words of the vectors that are specific to a group, in any capitals.

    All protected words are; an attribute of the list is not, whatever a list of others says.
    """
    specific = {*listed.specific, *listed.protected_words} - set(listed.attributes)
    lower = {word.lower() for word in specific}
    return (word for word in vectors.index_to_key if word.lower() in lower)


def _defining(given: SetsOfWords | None, listed: WordList | None) -> SetsOfWords:
    if given is not None:
        return given
    if listed is None:
        raise ArgumentError(
            'say what the bias is: wordlist="gender", or defining_sets=[["he", "she"], ...]'
        )
    if not listed.defining_sets:
        raise WordListError(
            f"word list {listed.name!r} has no defining sets; give defining_sets=[[word, word], "
            f"...], sets of words that differ only in what is protected"
        )
    return listed.defining_sets


def _asked(neutralise: Iterable[str] | None, listed: WordList | None) -> tuple[str, ...]:
    """Return the words given, or the stereotype attributes of the word list."""
    if isinstance(neutralise, str):
        if listed is None:
            raise ArgumentError(f'neutralise="{LISTED}": give the word list too')
        sets = [s.words for s in listed.attribute_sets if s.kind == "stereotype"]
        return tuple(dict.fromkeys(word for words in sets for word in words))
    words = checked_words(neutralise or (), "neutralise")
    if not words:
        raise ArgumentError('neutralise is empty: give words, or "all" for all but protected words')
    return words


def checked_words(words: Iterable[str], name: str) -> tuple[str, ...]:
    """Return words without repeats; refuse what is not a list of texts."""
    if isinstance(words, str):
        raise ArgumentError(f"{name}={words!r}: give a list of words, such as [{words!r}]")
    found = tuple(dict.fromkeys(words))
    for word in found:
        if not isinstance(word, str):
            raise ArgumentError(f"{name}: {word!r} is not a text")
    return found


def set_tuples(sets: SetsOfWords, role: str, vectors: KeyedVectors) -> tuple[tuple[str, ...], ...]:
    """Return sets as tuples, spelt as the vectors spell them; refuse what is no set of words."""
    if isinstance(sets, str):
        raise ArgumentError(f'{role}: {sets!r} is not a list of sets, such as [["he", "she"]]')
    found = []
    for one in sets:
        if isinstance(one, str):
            raise ArgumentError(f'{role}: {one!r} is not a set of words, such as ["he", "she"]')
        words = tuple(one)
        checked_words(words, f"{role} {list(words)}")
        words = spelt_as_in(vectors, words)
        if len(words) < 2:
            raise ArgumentError(f"{role} {list(words)}: needs at least two words")
        if len(set(words)) < len(words):
            raise ArgumentError(f"{role} {list(words)}: names a word twice")
        found.append(words)
    return tuple(found)


def why_missing(vectors: KeyedVectors, word: str) -> str:
    """Return why vectors have nothing of a word: it is not there, or its vector is zero."""
    if word not in vectors.key_to_index:
        return MISSING
    return "" if np.asarray(vectors.vectors[vectors.key_to_index[word]]).any() else ZERO_VECTOR


def sets_present(
    vectors: KeyedVectors, sets: Iterable[tuple[str, ...]], role: str, dropped: list[Dropped]
) -> tuple[tuple[str, ...], ...]:
    """Return the sets whose members all have a vector that is not zero."""

    def absent(one: tuple[str, ...]) -> str:
        reasons = {word: reason for word in one if (reason := why_missing(vectors, word))}
        words = [word for word, reason in reasons.items() if reason == MISSING]
        said = [f"{MISSING}: {', '.join(words)}"] if words else []
        said += [f"{word}: {reason}" for word, reason in reasons.items() if word not in words]
        return "; ".join(said)

    return sets_without(absent, sets, role, dropped)


def sets_without(
    fault: Callable[[tuple[str, ...]], str],
    sets: Iterable[tuple[str, ...]],
    role: str,
    dropped: list[Dropped],
) -> tuple[tuple[str, ...], ...]:
    """Return the sets with no fault; record the others with theirs."""
    used = []
    for one in sets:
        if reason := fault(one):
            dropped.append(Dropped(one, role, reason))
        else:
            used.append(one)
    return tuple(used)


def _notes(chosen: Iterable[str], sets: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Note the words in several defining sets, and the defining words that are neutralised."""
    places = [word for one in sets for word in one]
    recurring = sorted({word for word in places if places.count(word) > 1})
    defining = set(places)
    both = [word for word in chosen if word in defining]
    notes = []
    if recurring:
        notes.append(tell("several_sets", recurring))
    if both:
        notes.append(tell("neutralised_too", both))
    return tuple(notes)


def _identical(vectors: KeyedVectors, one: tuple[str, ...]) -> str:
    """Say whether a set has identical vectors, and so no direction."""
    rows = vectors_of(vectors, one)
    same = np.abs(rows - rows[0]).max() <= RANK_TOLERANCE * np.abs(rows).max()
    return "its members have identical vectors" if same else ""


def _repeated(seen: set[str], one: tuple[str, ...]) -> str:
    """Say which words were equalised before; to equalise them again would undo that."""
    if again := [word for word in one if word in seen]:
        return f"repeats a word of an earlier set: {', '.join(again)}"
    seen.update(one)
    return ""


def _chosen(
    vectors: KeyedVectors,
    asked: Iterable[str],
    equal: Iterable[tuple[str, ...]],
    dropped: list[Dropped],
) -> tuple[str, ...]:
    """Return the words asked for that are there and are not equalised instead."""
    equalised = {word for one in equal for word in one}
    chosen = []
    for word in asked:
        if reason := why_missing(vectors, word):
            dropped.append(Dropped((word,), "neutralise", reason))
        elif word in equalised:
            dropped.append(Dropped((word,), "neutralise", "is equalised instead"))
        else:
            chosen.append(word)
    return tuple(chosen)


def _nothing_left(what: str, dropped: Iterable[Dropped], role: str) -> str:
    reasons = "; ".join(f"{', '.join(d.words)}: {d.reason}" for d in dropped if d.role == role)
    return f"no {what} are left ({reasons or 'every word is protected'}); give others"


def warn_of(dropped: Sequence[Dropped], *, stacklevel: int = 4) -> None:
    """Warn of words left out, but those to keep: once of missing ones, once of others."""
    of_kind: dict[type[Warning], list[Dropped]] = {MissingWordsWarning: [], DataWarning: []}
    for one in dropped:
        is_missing = MISSING in one.reason or ZERO_VECTOR in one.reason
        if one.role != "keep":
            of_kind[MissingWordsWarning if is_missing else DataWarning].append(one)
    for kind, some in of_kind.items():
        if some:
            shown = "; ".join(f"{d.role} {', '.join(d.words)}: {d.reason}" for d in some[:5])
            more = f"; and {len(some) - 5} more" if len(some) > 5 else ""
            warnings.warn(
                f"left out: {shown}{more} (all in record.dropped)", kind, stacklevel=stacklevel
            )
