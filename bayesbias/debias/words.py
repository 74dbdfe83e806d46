"""Which words a debiasing method works on, decided before anything is computed.

Words that are left out are recorded with the reason. A set with a missing member is dropped whole:
half a pair has no direction.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np

from bayesbias.errors import ArgumentError, DataWarning, MissingWordsWarning, WordListError
from bayesbias.measures.words import MISSING, why_missing
from bayesbias.support.arguments import KeyedVectors
from bayesbias.vectors.lookup import ZERO_VECTOR, spelt_as_in, vectors_of
from bayesbias.vectors.subspaces import RANK_TOLERANCE
from bayesbias.words.list_files import load_wordlist
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


@dataclass(frozen=True)
class WordPlan:
    """The words that a method works on; all members of its sets are there."""

    matched: SetTuples
    equalise: SetTuples
    neutralise: tuple[str, ...]  # in the order given, or in that of the vectors
    keep: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    wordlist: WordList | None
    source: str  # of `neutralise`: SPECIFIC, ALL, EVERY, LISTED or NAMED

    @property
    def by_rule(self) -> bool:
        """Whether a rule chose the words to neutralise, and no list of them."""
        return self.source in (SPECIFIC, ALL, EVERY)


def plan_words(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None,
    matched: SetsOfWords | None,
    neutralise: Neutralise,
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
    defining = set_tuples(_matched(matched, listed), "matched set", vectors)
    used = usable_sets(vectors, defining, "matched set", dropped, partial(_identical, vectors))
    if not used:
        raise WordListError(_none_usable("matched sets", dropped, "matched set", "none given"))
    to_equalise = defining if equalise is None else set_tuples(equalise, "equalise", vectors)
    fault = None if repeated else partial(_repeated, set())
    equal = usable_sets(vectors, to_equalise, "equalise", dropped, fault)
    keep = spelt_as_in(vectors, checked_words(keep, "keep"))
    dropped += [Dropped((w,), "keep", MISSING) for w in keep if w not in vectors.key_to_index]
    source = chosen_by(neutralise, listed)
    if source in (LISTED, NAMED):
        named = spelt_as_in(vectors, _named_words(neutralise, listed))
        if both := [word for word in dict.fromkeys(named) if word in keep]:
            raise ArgumentError(f"{', '.join(both)}: is in both `neutralise` and `keep`")
        chosen = _present(vectors, dict.fromkeys(named), () if repeated else equal, dropped)
    else:
        spared = set(keep)
        if source != EVERY:
            spared.update(word for words in (*defining, *to_equalise) for word in words)
        specific: set[str] = set()
        if source == SPECIFIC and listed is not None:
            # An attribute of the list is not specific, whatever a list of others says.
            words_of_groups = {*listed.specific, *listed.protected_words}
            specific = {word.lower() for word in words_of_groups - set(listed.attributes)}
        free = (word for word in vectors.index_to_key if word not in spared)
        chosen = tuple(word for word in free if word.lower() not in specific)
    if not chosen:
        raise WordListError(
            _none_usable("words to neutralise", dropped, "neutralise", "all are protected")
        )
    return WordPlan(used, equal, chosen, keep, tuple(dropped), listed, source)


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
            f'{len(listed.protected_words)} protected ones), "{LISTED}" (--words {LISTED}; the '
            f"list's stereotype attributes alone) or a list of words"
        )
    return SPECIFIC


def _matched(sets: SetsOfWords | None, listed: WordList | None) -> SetsOfWords:
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


def _named_words(neutralise: Neutralise, listed: WordList | None) -> tuple[str, ...]:
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
        raise WordListError(_none_usable(f"{role} pairs", dropped, role, "none given"))
    return used


def _absence(vectors: KeyedVectors, words: tuple[str, ...]) -> str:
    """Say which words are not in the vectors, or zero there."""
    reasons = {word: why_missing(vectors, word) for word in words}
    absent = [word for word, reason in reasons.items() if reason == MISSING]
    parts = [f"{MISSING}: {', '.join(absent)}"] if absent else []
    parts += [f"{word}: {why}" for word, why in reasons.items() if why and word not in absent]
    return "; ".join(parts)


def _identical(vectors: KeyedVectors, words: tuple[str, ...]) -> str:
    """Say whether a set has identical vectors, and so no direction."""
    rows = vectors_of(vectors, words)
    same = np.abs(rows - rows[0]).max() <= RANK_TOLERANCE * np.abs(rows).max()
    return "its members have identical vectors" if same else ""


def _repeated(earlier: set[str], words: tuple[str, ...]) -> str:
    """Say which words were equalised before; to equalise them again would undo that."""
    if again := [word for word in words if word in earlier]:
        return f"repeats a word of an earlier set: {', '.join(again)}"
    earlier.update(words)
    return ""


def _present(
    vectors: KeyedVectors, words: Iterable[str], equal: SetTuples, dropped: list[Dropped]
) -> tuple[str, ...]:
    """Return the words that are there and are not equalised instead."""
    equalised = {word for members in equal for word in members}
    reasons = {
        word: why_missing(vectors, word) or ("is equalised instead" if word in equalised else "")
        for word in words
    }
    dropped += [Dropped((word,), "neutralise", why) for word, why in reasons.items() if why]
    return tuple(word for word, why in reasons.items() if not why)


def _none_usable(what: str, dropped: Iterable[Dropped], role: str, otherwise: str) -> str:
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
