"""Phrases that vectors lack, as the mean of their words: only on request (fallback ``mean``)."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bayesbias.support.arrays import Array
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import MEAN, find_words, keyed_vectors, without_direction
from bayesbias.vectors.near_spellings import spellings_among
from bayesbias.vectors.samples import sample_of
from bayesbias.vectors.sources import Ranks, known_of, ranks_of, remember, same_source


def with_means(
    vectors: KeyedVectors, words: Iterable[str], fallbacks: Sequence[str] | None
) -> tuple[KeyedVectors, dict[str, list[str]]]:
    """Return the vectors of words, and of phrases the means of the words that they consist of.

    The vectors themselves if nothing is asked for or lacking; and from every phrase that was made
    to the keys whose vectors were averaged.
    """
    if MEAN not in (fallbacks or ()):
        return vectors, {}
    found = find_words(vectors, words, fallbacks=fallbacks)
    made = {}
    for phrase in (word for word, key in found.items() if key is None and " " in word):
        keys = list(find_words(vectors, phrase.split(), fallbacks=fallbacks).values())
        known = [key for key in keys if key is not None]
        if len(known) == len(keys) and not without_direction(vectors, known):
            made[phrase] = known
    if not made:
        return vectors, {}
    rows = {
        phrase: np.mean([vectors[key] for key in keys], axis=0) for phrase, keys in made.items()
    }
    # A phrase is at least as rare as the rarest of its words.
    ranks = ranks_of(vectors).rows
    places = {phrase: max(ranks[key] for key in keys) for phrase, keys in made.items()}
    kept = [key for key in found.values() if key is not None]
    return extended(vectors, kept, rows, places, found), made


def with_sample(vectors: KeyedVectors) -> KeyedVectors:
    """Return vectors of some words with those of the source's sample behind them."""
    sample = sample_of(vectors)
    if sample.vectors is None:
        return vectors
    pairs = zip(sample.words, np.asarray(sample.vectors, dtype=np.float64), strict=True)
    rows = {word: row for word, row in pairs if word not in vectors.key_to_index}
    return extended(vectors, vectors.index_to_key, rows, {})


def extended(
    vectors: KeyedVectors,
    kept: Iterable[str],
    rows: Mapping[str, Array],
    places: Mapping[str, int],
    asked: Iterable[str] = (),
) -> KeyedVectors:
    """Return some of the vectors and other rows, which come from the same source.

    `places`: at which rows of the source the other ones stand. `asked`: words whose other spellings
    are to be known.
    """
    kept = list(dict.fromkeys(kept))
    matrix = [np.asarray(vectors[key], dtype=np.float64) for key in kept]
    new = keyed_vectors([*kept, *rows], np.array([*matrix, *rows.values()]))
    ranks = ranks_of(vectors)
    known = {key: ranks.rows[key] for key in kept}
    remember(
        new,
        ranks=Ranks({**known, **places}, ranks.n_words, ranks.frequent),
        sample=sample_of(vectors),
        near=known_of(vectors, "near") or spellings_among(vectors.index_to_key, asked),
    )
    same_source(new, "capitals", "origin", as_of=vectors)
    return new
