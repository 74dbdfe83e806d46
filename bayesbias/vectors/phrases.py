"""Phrases that vectors lack, as the mean of their words: only on request (fallback ``mean``)."""

from collections.abc import Iterable, Sequence

import numpy as np

from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.capitals import same_capitals
from bayesbias.vectors.lookup import MEAN, find_words, keyed_vectors, without_direction
from bayesbias.vectors.near_spellings import near_spellings, remember_near
from bayesbias.vectors.origins import same_origin
from bayesbias.vectors.ranks import Ranks, ranks_of, remember_ranks
from bayesbias.vectors.samples import remember_sample, sample_of


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
    kept = list(dict.fromkeys(key for key in found.values() if key is not None))
    rows = [np.asarray(vectors[key], dtype=np.float64) for key in kept]
    rows += [np.mean([vectors[key] for key in keys], axis=0) for keys in made.values()]
    new = keyed_vectors([*kept, *made], np.array(rows))
    sample, ranks = sample_of(vectors), ranks_of(vectors)
    places = {key: ranks.rows[key] for key in kept}
    # A phrase is at least as rare as the rarest of its words.
    places |= {phrase: max(ranks.rows[key] for key in keys) for phrase, keys in made.items()}
    remember_sample(new, sample)
    remember_ranks(new, Ranks(places, ranks.n_words, ranks.frequent))
    remember_near(new, near_spellings(vectors, found))
    same_capitals(new, as_of=vectors)
    same_origin(new, as_of=vectors)
    return new, made
