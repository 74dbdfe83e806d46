"""Finds the words of a measure in vectors or in a frame of distances, and their similarities."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Union

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, DISTANCE, PROTECTED_WORD
from bayesbias.errors import ArgumentError, DistancesError, MissingWordsWarning
from bayesbias.measures.measure_result import DroppedWord
from bayesbias.pairs.checks import repeated_pairs, validate_distances
from bayesbias.pairs.distance_frame import cosine_distances
from bayesbias.pairs.reference import without_reference
from bayesbias.pairs.word_lists import WordPair
from bayesbias.support.arrays import Array
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import ZERO_VECTOR, spelt_as_in, vectors_of, without_direction

WordSource = Union["KeyedVectors", pd.DataFrame]  # vectors, or the long frame of distances
WordSets = Mapping[str, Sequence[str]]  # words by role, such as ``{"X": ["he"], "Y": ["she"]}``


class RoleWords(NamedTuple):
    """The words of a measure: used by role, the pairs among them, and those that could not be."""

    used: dict[str, tuple[str, ...]]
    dropped: tuple[DroppedWord, ...]
    pairs: tuple[WordPair, ...] = ()


def wanted_words(
    measure: str,
    vectors: Any,
    targets: WordSets,
    attributes: WordSets | None = None,
    *,
    pairs: Sequence[WordPair] | None = None,
) -> RoleWords:
    """Find what a measure wants in vectors: sets as `find_sets` does, and pairs."""
    need_vectors(vectors, measure)
    words = find_sets(vectors, targets, attributes or {})
    if pairs is None:
        return words
    found, lacking = find_pairs(vectors, pairs)
    used = {**words.used, "pairs": tuple(str(pair) for pair in found)}
    return RoleWords(used, words.dropped + lacking, found)


def find_sets(
    source: WordSource, targets: WordSets, attributes: WordSets, *, overlap: bool = False
) -> RoleWords:
    """Return the words of each set that the source has, and those that it lacks; refuse repeats.

    In a frame targets are protected words. With `overlap` attribute sets may share words.
    """
    if shared := targets.keys() & attributes.keys():
        raise ArgumentError(f"{shared.pop()!r} is the name of two sets; choose another for one")
    _refuse_repeats(targets, attributes, overlap)
    where = "the vectors"
    if isinstance(source, pd.DataFrame):
        validate_distances(source)
        where = "the frame"
        pairs = without_reference(source)
        known = (set(pairs[PROTECTED_WORD]), set(pairs[ATTRIBUTE]))
    elif hasattr(source, "key_to_index"):
        known = (source.key_to_index, source.key_to_index)
        targets = {role: spelt_as_in(source, words) for role, words in targets.items()}
        attributes = {role: spelt_as_in(source, words) for role, words in attributes.items()}
        _refuse_repeats(targets, attributes, overlap)  # two forms may be one word of the vectors
    else:
        raise ArgumentError(
            f"measures need gensim KeyedVectors or a frame of distances, not "
            f"{type(source).__name__}; see load_embedding and distances"
        )
    empty: set[str] = set()
    if not isinstance(source, pd.DataFrame):
        every = (*targets.values(), *attributes.values())
        named = dict.fromkeys(w for words in every for w in words if w in source.key_to_index)
        empty = without_direction(source, list(named))
    used: dict[str, tuple[str, ...]] = {}
    dropped: list[DroppedWord] = []
    for sets, have in zip((targets, attributes), known, strict=True):
        for role, words in sets.items():
            used[role] = tuple(word for word in words if word in have and word not in empty)
            dropped += [DroppedWord(w, role, ZERO_VECTOR) for w in words if w in empty]
            dropped += [DroppedWord(w, role, f"not in {where}") for w in words if w not in have]
            if not used[role]:
                raise ArgumentError(
                    f"{role}: none of its words is in {where} ({', '.join(words)}); choose others"
                )
    return RoleWords(used, tuple(dropped))


def _refuse_repeats(targets: WordSets, attributes: WordSets, overlap: bool) -> None:
    seen: dict[str, str] = {}
    for sets, may_share in ((targets, False), (attributes, overlap)):
        before = dict(seen) if may_share else seen
        for role, words in sets.items():
            if isinstance(words, str) or not all(isinstance(word, str) for word in words):
                raise ArgumentError(f"{role}: give a list of words, not {words!r}")
            if not len(words):
                raise ArgumentError(f"{role}: is empty; it needs at least one word")
            own: set[str] = set()
            for word in words:
                if word in own:
                    raise ArgumentError(f"{role}: {word!r} is named twice; name it once")
                own.add(word)
                if (other := before.get(word)) is not None:
                    raise ArgumentError(
                        f"{word!r} is in {other} and in {role}; keep it in one of them"
                    )
            seen.update(dict.fromkeys(own, role))


def unit_vectors(vectors: KeyedVectors, words: Sequence[str]) -> Array:
    """Return the vectors of words at unit length, shape (n_words, dim)."""
    rows = vectors_of(vectors, words)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def find_pairs(
    vectors: KeyedVectors, pairs: Sequence[WordPair]
) -> tuple[tuple[WordPair, ...], tuple[DroppedWord, ...]]:
    """Return the pairs whose words are both in the vectors, and the others; refuse repeats."""
    for pair in pairs:
        if not isinstance(pair, WordPair):
            raise ArgumentError(
                f"pairs: {pair!r} is not a pair; write bb.pairs.WordPair('she', 'he')"
            )
    pairs = pairs_as_in(vectors, pairs)
    for number, pair in enumerate(pairs):
        if pair in pairs[:number] or WordPair(pair.second, pair.first) in pairs[:number]:
            raise ArgumentError(f"pairs: {pair} is named twice")
    used, dropped = [], []
    for pair in pairs:
        absent = [w for w in pair if w not in vectors.key_to_index]
        empty = without_direction(vectors, [w for w in pair if w not in absent])
        if absent:
            what = " and ".join(repr(word) for word in absent)
            dropped.append(DroppedWord(str(pair), "pairs", f"{what} not in the vectors"))
        elif empty:
            what = " and ".join(repr(word) for word in pair if word in empty)
            dropped.append(DroppedWord(str(pair), "pairs", f"{what}: {ZERO_VECTOR}"))
        else:
            used.append(pair)
    if not used:
        named = ", ".join(str(pair) for pair in pairs) or "none given"
        raise ArgumentError(f"pairs: no pair has both words in the vectors ({named})")
    return tuple(used), tuple(dropped)


def pairs_as_in(vectors: KeyedVectors, pairs: Sequence[WordPair]) -> list[WordPair]:
    """Return the pairs with their words spelt as the vectors spell them."""
    return [WordPair(*spelt_as_in(vectors, [*pair])) for pair in pairs]


def warn_dropped(dropped: Sequence[DroppedWord], *, stacklevel: int = 3) -> None:
    """Warn about words that were left out, if there are any."""
    if not dropped:
        return
    named = ", ".join(f"{d.word!r} ({d.role})" for d in dropped[:5])
    more = f" and {len(dropped) - 5} more" if len(dropped) > 5 else ""
    warnings.warn(
        f"left out: {named}{more}; .dropped of the result lists all with the reason",
        MissingWordsWarning,
        stacklevel=stacklevel,
    )


def need_vectors(source: Any, measure: str) -> None:
    """Refuse distances, which are not enough."""
    if not hasattr(source, "key_to_index"):
        raise ArgumentError(
            f"{measure} needs the vectors themselves (gensim KeyedVectors), not "
            f"{type(source).__name__}; load them with load_embedding"
        )


def similarities(source: WordSource, targets: Sequence[str], attributes: Sequence[str]) -> Array:
    """Return the cosines of targets with attributes, shape (n_targets, n_attributes)."""
    if not isinstance(source, pd.DataFrame):
        left, right = vectors_of(source, targets), vectors_of(source, attributes)
        return 1.0 - cosine_distances(left, right)
    wanted = source[PROTECTED_WORD].isin(targets) & source[ATTRIBUTE].isin(attributes)
    part = source[wanted]
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
