"""Neutral words sampled from the vectors: controls in any language, where a list has none."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from bayesbias.errors import WordListError
from bayesbias.pairs.word_lists import AttributeSet, WordList
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import find_words
from bayesbias.vectors.phrases import extended
from bayesbias.vectors.samples import FEWEST, sample_of
from bayesbias.vectors.sources import ranks_of

SAMPLED: Final = "sampled"

_SIZE: Final = 200
_SEED: Final = 2  # not that of the sample


def with_sampled_controls(
    vectors: KeyedVectors, wordlist: WordList, fallbacks: Sequence[str] | None
) -> tuple[KeyedVectors, WordList]:
    """Return vectors and list with neutral words from the source's sample as the only control."""
    found = find_words(vectors, wordlist.words, fallbacks=fallbacks)
    own = {key.casefold() for key in found.values() if key is not None}
    own |= {word.casefold() for word in wordlist.words}
    sample = sample_of(vectors)
    free = [i for i, word in enumerate(sample.drawn) if word.casefold() not in own]
    if sample.vectors is None or len(free) < FEWEST:
        raise WordListError(
            f"controls={SAMPLED!r}: the vectors come with {len(free):,} words beside the list's, "
            f"and {FEWEST} are needed; take vectors of more words, or write your own under "
            f"[controls]"
        )
    chosen = np.sort(np.random.default_rng(_SEED).choice(free, _SIZE, replace=False))
    words = tuple(sample.drawn[i] for i in chosen)
    ranks = ranks_of(vectors).rows
    vectors = extended(
        vectors,
        [key for key in found.values() if key is not None],
        {sample.words[i]: np.asarray(sample.vectors[i], dtype=np.float64) for i in chosen},
        {word: ranks[word] for word in words if word in ranks},
        found,
    )
    stereotypes = [one for one in wordlist.attribute_sets if one.kind == "stereotype"]
    name = "sampled" if any(one.name == "neutral" for one in stereotypes) else "neutral"
    sets = (*stereotypes, AttributeSet(name, "neutral", words))
    topics = {  # of the controls that are left out
        topic: kept
        for topic, of in wordlist.topics.items()
        if (kept := tuple(word for word in of if any(word in one.words for one in stereotypes)))
    }
    return vectors, replace(wordlist, attribute_sets=sets, topics=topics)
