"""Finds the words of a measure in vectors or in a frame of distances, and their similarities."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, Union

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, DISTANCE, PROTECTED_WORD
from bayesbias.errors import ArgumentError, DistancesError, MissingWordsWarning
from bayesbias.support.arguments import Array, KeyedVectors, refuse_other
from bayesbias.vectors.lookup import (
    ZERO_VECTOR,
    refuse_no_vectors,
    spelt_as_in,
    vectors_of,
    within_limit,
)
from bayesbias.words.distance_frame import cosine_distances
from bayesbias.words.keys import repeated_pairs, validate_distances

WordSource: TypeAlias = Union["KeyedVectors", pd.DataFrame]  # vectors, or a frame of distances
WordSets: TypeAlias = Mapping[str, Sequence[str]]  # by role: ``{"X": ["he"], "Y": ["she"]}``
WordPairs: TypeAlias = Sequence[Sequence[str]]  # ``[("she", "he")]``, in this order

MISSING = "not in the vectors"


@dataclass(frozen=True)
class DroppedWord:
    """A word, or a pair, that a measure could not use; `role` is its set, such as ``"X"``."""

    word: str
    role: str
    reason: str


class RoleWords(NamedTuple):
    """The words of a measure: used by role, the pairs among them, and those that could not be."""

    used: dict[str, tuple[str, ...]]
    dropped: tuple[DroppedWord, ...]
    pairs: tuple[tuple[str, ...], ...] = ()


def wanted_words(
    measure: str,
    vectors: Any,
    targets: WordSets,
    attributes: WordSets = MappingProxyType({}),
    *,
    pairs: WordPairs | None = None,
) -> RoleWords:
    """Find what a measure wants in vectors: sets as `find_sets` does, and pairs."""
    refuse_no_vectors(vectors, measure)
    words = find_sets(vectors, targets, attributes)
    return words if pairs is None else _with_pairs(words, vectors, pairs)


def find_sets(
    source: WordSource, targets: WordSets, attributes: WordSets, *, overlap: bool = False
) -> RoleWords:
    """Return the words of each set that the source has, and those that it lacks; refuse repeats.

    In a frame targets are protected words. With `overlap` attribute sets may share words.
    """
    for sets in (targets, attributes):
        refuse_other(sets, Mapping, "sets", "a mapping of names to lists of words")
    if shared := targets.keys() & attributes.keys():
        raise ArgumentError(f"{shared.pop()!r} is the name of two sets; choose another for one")
    for role, words in chain(targets.items(), attributes.items()):
        is_list = isinstance(words, Iterable) and not isinstance(words, str)
        if not is_list or not all(isinstance(word, str) for word in words):
            raise ArgumentError(f"{role}: give a list of words, not {words!r}")
        if not len(words):
            raise ArgumentError(f"{role}: is empty; it needs at least one word")
    if isinstance(source, pd.DataFrame):
        validate_distances(source)
        where = "the frame"
        columns = [set(source[column]) for column in (PROTECTED_WORD, ATTRIBUTE)]
    elif hasattr(source, "key_to_index"):
        where, columns = "the vectors", []
        # Two forms may be one word of the vectors.
        targets = {role: spelt_as_in(source, words) for role, words in targets.items()}
        attributes = {role: spelt_as_in(source, words) for role, words in attributes.items()}
    else:
        raise ArgumentError(
            f"measures need gensim KeyedVectors or a frame of distances, not "
            f"{type(source).__name__}; see load_embedding and distances"
        )
    _refuse_repeats(targets, attributes, overlap)

    def reason(word: str, side: int) -> str:
        if columns:
            return "" if word in columns[side] else "not in the frame"
        return why_missing(source, word)

    used: dict[str, tuple[str, ...]] = {}
    dropped: list[DroppedWord] = []
    for side, sets in enumerate((targets, attributes)):
        for role, words in sets.items():
            reasons = {word: reason(word, side) for word in words}
            used[role] = tuple(word for word in words if not reasons[word])
            dropped += [DroppedWord(word, role, why) for word, why in reasons.items() if why]
            if not used[role]:
                hint = "" if columns else within_limit(source)
                raise ArgumentError(
                    f"{role}: none of its words is in {where} ({', '.join(words)}){hint}; "
                    f"choose others"
                )
    return RoleWords(used, tuple(dropped))


def _refuse_repeats(targets: WordSets, attributes: WordSets, overlap: bool) -> None:
    """Refuse a word in two places."""
    roles: dict[str, str] = {}
    for sets, may_share in ((targets, False), (attributes, overlap)):
        elsewhere = dict(roles) if may_share else roles
        for role, words in sets.items():
            for place, word in enumerate(words):
                if word in words[:place]:
                    raise ArgumentError(f"{role}: {word!r} is named twice; name it once")
                if word in elsewhere:
                    raise ArgumentError(
                        f"{word!r} is in {elsewhere[word]} and in {role}; keep it in one of them"
                    )
            roles.update(dict.fromkeys(words, role))


def why_missing(vectors: KeyedVectors, word: str) -> str:
    """Return why vectors have no direction of a word: it is absent or zero; "" where they have."""
    if word not in vectors.key_to_index:
        return MISSING
    return "" if np.asarray(vectors.vectors[vectors.key_to_index[word]]).any() else ZERO_VECTOR


def _with_pairs(words: RoleWords, vectors: KeyedVectors, pairs: WordPairs) -> RoleWords:
    """Add the pairs whose words are both in the vectors, and the others; refuse repeats."""
    used: list[tuple[str, ...]] = []
    dropped, seen = list(words.dropped), set[frozenset[str]]()
    for ends in pairs:
        is_texts = not isinstance(ends, str) and all(isinstance(end, str) and end for end in ends)
        if not is_texts or len(ends) != 2:
            raise ArgumentError(f"pairs: {ends!r} is not a pair; write ('she', 'he')")
        pair = spelt_as_in(vectors, ends)
        name = "–".join(pair)
        if pair[0] == pair[1]:
            raise ArgumentError(f"pairs: {name}: both are the same; give two words")
        if frozenset(pair) in seen:
            raise ArgumentError(f"pairs: {name} is named twice")
        seen.add(frozenset(pair))
        reasons = {word: why for word in pair if (why := why_missing(vectors, word))}
        parts = [f"{w!r}{'' if why == MISSING else ':'} {why}" for w, why in reasons.items()]
        if parts:
            dropped.append(DroppedWord(name, "pairs", "; ".join(parts)))
        else:
            used.append(pair)
    if not used:
        shown = ", ".join(d.word for d in dropped if d.role == "pairs") or "none given"
        raise ArgumentError(f"pairs: no pair has both words in the vectors ({shown})")
    named = {**words.used, "pairs": tuple(map("–".join, used))}
    return RoleWords(named, tuple(dropped), tuple(used))


def unit_vectors(vectors: KeyedVectors, words: Sequence[str]) -> Array:
    """Return the vectors of words at unit length, shape (n_words, dim)."""
    rows = vectors_of(vectors, words)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def warn_dropped(dropped: Sequence[DroppedWord], *, stacklevel: int = 3) -> None:
    """Warn about words that were left out, if there are any."""
    if not dropped:
        return
    named = ", ".join(f"{d.word!r} ({d.role})" for d in dropped[:5])
    more = f" and {len(dropped) - 5} more" if len(dropped) > 5 else ""
    text = f"left out: {named}{more}; `dropped` of the result lists all"
    warnings.warn(text, MissingWordsWarning, stacklevel=stacklevel)


def similarities(source: WordSource, targets: Sequence[str], attributes: Sequence[str]) -> Array:
    """Return the cosines of targets with attributes, shape (n_targets, n_attributes)."""
    if not isinstance(source, pd.DataFrame):
        return 1.0 - cosine_distances(vectors_of(source, targets), vectors_of(source, attributes))
    part = source[source[PROTECTED_WORD].isin(targets) & source[ATTRIBUTE].isin(attributes)]
    repeated_pairs(part)  # refuses a pair with two distances
    row = pd.Index(targets).get_indexer(part[PROTECTED_WORD])
    column = pd.Index(attributes).get_indexer(part[ATTRIBUTE])
    matrix = np.full((len(targets), len(attributes)), np.nan)
    matrix[row, column] = part[DISTANCE].to_numpy(dtype=np.float64)
    if np.isnan(matrix).any():
        i, j = (int(k) for k in np.argwhere(np.isnan(matrix))[0])
        raise DistancesError(
            f"the frame has no distance for {targets[i]!r} and {attributes[j]!r}; leave one of "
            f"them out"
        )
    return 1.0 - matrix
