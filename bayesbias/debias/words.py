"""The words and sets that a debiasing method is given: checked, spelt as in the vectors, present.

Words that are left out are recorded with the reason. A set with a missing member is dropped whole:
half a pair has no direction.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bayesbias.errors import ArgumentError, DataWarning, MissingWordsWarning, WordListError
from bayesbias.measures.words import MISSING, why_missing
from bayesbias.support.arguments import KeyedVectors
from bayesbias.vectors.lookup import ZERO_VECTOR, spelt_as_in
from bayesbias.words.word_lists import WordList, WordPair

SetsOfWords: TypeAlias = Sequence[Sequence[str] | WordPair]  # sets of words, or pairs
SetTuples: TypeAlias = tuple[tuple[str, ...], ...]
Neutralise: TypeAlias = Iterable[str] | Literal["all", "every", "listed"] | None

ALL: Final = "all"  # every word but the protected ones
EVERY: Final = "every"  # every word, the protected ones too
LISTED: Final = "listed"  # the word list's stereotype attributes alone
SPECIFIC: Final = "all but specific"  # what the default means of a list with specific words
NAMED: Final = "named"  # the words that were given


@dataclass(frozen=True)
class Dropped:
    """Words or a set that a method was given, as its role says, and could not use."""

    words: tuple[str, ...]
    role: str
    reason: str


def chosen_by(neutralise: Neutralise | str, listed: WordList | None) -> str:
    """Return what chooses the words to neutralise: a rule, the word list, or a list of words."""
    if isinstance(neutralise, str):
        if neutralise not in (ALL, EVERY, LISTED):
            raise ArgumentError(
                f'neutralise={neutralise!r}: give a list of words, "{ALL}", "{EVERY}" or "{LISTED}"'
            )
        return neutralise
    if neutralise is not None:
        return NAMED
    if listed is None:
        raise ArgumentError('say which words to neutralise: a list of words, "all" or "every"')
    if not listed.specific:
        raise ArgumentError(
            f"the word list {listed.name!r} does not say which words are specific to its groups "
            f'(key specific); say which words to neutralise: "{ALL}" (--all-words; but the '
            f'{len(listed.protected_words)} protected ones), "{LISTED}" (the list\'s stereotype '
            f"attributes alone) or a list of words (--words FILE)"
        )
    return SPECIFIC


def matched_of(sets: SetsOfWords | None, listed: WordList | None) -> SetsOfWords:
    """Return the sets given, or those of the word list."""
    if sets is not None:
        return sets
    if listed is None:
        raise ArgumentError(
            'say what the bias is: wordlist="gender", or matched=[["he", "she"], ...]'
        )
    if not listed.matched:
        raise WordListError(
            f"word list {listed.name!r} has no matched sets; give matched=[[word, word], "
            f"...], sets of words that differ only in what is protected"
        )
    return listed.matched


def named_words(neutralise: Neutralise, listed: WordList | None) -> tuple[str, ...]:
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
    distinct = tuple(dict.fromkeys(words))
    for word in distinct:
        if not isinstance(word, str):
            raise ArgumentError(f"{name}: {word!r} is not a text")
    return distinct


def set_tuples(sets: SetsOfWords, role: str, vectors: KeyedVectors) -> SetTuples:
    """Return sets as tuples, spelt as the vectors spell them; refuse what is no set of words."""
    if isinstance(sets, str):
        raise ArgumentError(f'{role}: {sets!r} is not a list of sets, such as [["he", "she"]]')
    tuples = []
    for members in sets:
        if isinstance(members, str):
            raise ArgumentError(f'{role}: {members!r} is not a set of words, such as ["he", "she"]')
        words = tuple(members)
        checked_words(words, f"{role} {list(words)}")
        words = spelt_as_in(vectors, words)
        if len(words) < 2:
            raise ArgumentError(f"{role} {list(words)}: needs at least two words")
        if len(set(words)) < len(words):
            raise ArgumentError(f"{role} {list(words)}: names a word twice")
        tuples.append(words)
    return tuple(tuples)


def usable_sets(
    vectors: KeyedVectors,
    sets: SetTuples,
    role: str,
    dropped: list[Dropped],
    fault: Callable[[tuple[str, ...]], str] | None = None,
) -> SetTuples:
    """Return the sets whose members all have a vector and that have no fault; record the others."""
    used = []
    for words in sets:
        reason = _absence(vectors, words) or (fault(words) if fault else "")
        if reason:
            dropped.append(Dropped(words, role, reason))
        else:
            used.append(words)
    return tuple(used)


def usable_pairs(
    vectors: KeyedVectors, sets: SetsOfWords, role: str, dropped: list[Dropped]
) -> SetTuples:
    """Return sets of two words that the vectors have; refuse others, and none at all."""
    pairs = set_tuples(sets, role, vectors)
    if odd := [pair for pair in pairs if len(pair) != 2]:
        raise ArgumentError(f"{role} {list(odd[0])}: must be a pair of words")
    used = usable_sets(vectors, pairs, role, dropped)
    if not used:
        raise WordListError(none_usable(f"{role} pairs", dropped, role, "none given"))
    return used


def _absence(vectors: KeyedVectors, words: tuple[str, ...]) -> str:
    """Say which words are not in the vectors, or zero there."""
    reasons = {word: why_missing(vectors, word) for word in words}
    absent = [word for word, reason in reasons.items() if reason == MISSING]
    parts = [f"{MISSING}: {', '.join(absent)}"] if absent else []
    parts += [f"{word}: {why}" for word, why in reasons.items() if why and word not in absent]
    return "; ".join(parts)


def none_usable(what: str, dropped: Iterable[Dropped], role: str, otherwise: str) -> str:
    """Say that nothing is left of what was given, and why."""
    reasons = "; ".join(f"{', '.join(d.words)}: {d.reason}" for d in dropped if d.role == role)
    return f"no {what} are left ({reasons or otherwise}); give others"


def warn_of(dropped: Sequence[Dropped], *, stacklevel: int = 4) -> None:
    """Warn of words left out, but those to keep: once of missing ones, once of others."""
    of_kind: dict[type[Warning], list[Dropped]] = {MissingWordsWarning: [], DataWarning: []}
    for item in dropped:
        is_missing = MISSING in item.reason or ZERO_VECTOR in item.reason
        if item.role != "keep":
            of_kind[MissingWordsWarning if is_missing else DataWarning].append(item)
    for kind, some in of_kind.items():
        if some:
            shown = "; ".join(f"{d.role} {', '.join(d.words)}: {d.reason}" for d in some[:5])
            more = f"; and {len(some) - 5} more (record.dropped)" if len(some) > 5 else ""
            warnings.warn(f"left out: {shown}{more}", kind, stacklevel=stacklevel)
