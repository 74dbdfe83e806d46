"""How a vocabulary's words see the words of a list: the profile of every word.

Pairs alone do not tell which attributes are of one topic. The vocabulary does: two attributes are
alike if groups of like words are close to both or to neither. A sampled word with its nearest ones
(`vectors.samples`) is such a group, g the mean of its unit vectors, and its distance to the
attribute a is 1 − g·a. The profile of a are these distances over the groups, less their mean,

    p_a = −(g − ḡ)·a,   nearness of a = −ḡ·a,

each less its mean over the attributes. The covariance of profiles is that of a group effect over
attributes (`models.similarity`). The sample is the same whichever words were loaded.

Average linkage joins attributes with correlated profiles to topics, unless a list names its topics
itself. In vectors of few dimensions correlations of random words scatter more, and a fixed
threshold would join them by chance: it is relative to their sd. The attributes of a list have a
domain in common, such as occupations, which is what the list is about and no topic. So topics of a
list are those of deviations from its mean.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbias.support.arguments import Array, Index, KeyedVectors
from bayesbias.vectors.lookup import vectors_of
from bayesbias.vectors.samples import FEWEST, Sample, unit

_CORRELATED: Final = 500
"""Sampled words whose profiles are correlated with each other."""

TOO_FEW: Final = (
    f"the vectors have fewer than {FEWEST} words beside the list's, too few to tell how alike "
    f"attributes are"
)
"""Why there are no profiles."""

JOINED: Final = 1.5
"""Mean correlation from which average linkage joins two clusters, in sds of random words' ones.

Chosen on random lists of known topics and lists drawn from populations, of seeds that neither tests
nor published tables use: with 1.6 answers are as good, with 1.75 more random lists are called
biased in 25 dimensions. There a fixed correlation of .4, as much as this in GoogleNews, is less
than one sd.
"""

_SURELY_JOINED: Final = 0.9
"""The correlation from which words are always of one topic, even in vectors of two dimensions."""

_JOINED_OF_ALL: Final = 0.4
"""The correlation where random words' profiles do not vary."""


@dataclass(frozen=True)
class Profiles:
    """The profiles of attributes.

    `matrix` (n_groups, n_words): distances from the groups of sampled words, less their means over
    groups and over words. `nearness` (n_words,): distances to the mean sampled word, less their
    mean. `random_sd`: that of correlations among random words' profiles; None where it is 0.
    """

    words: tuple[str, ...]
    matrix: Array
    nearness: Array
    random_sd: float | None


def profiles_of(
    vectors: KeyedVectors,
    words: Mapping[str, str],
    sample: Sample,
    *,
    besides: Iterable[str] = (),
) -> Profiles | None:
    """Return the profiles of attributes; None where the vocabulary has too few other words.

    `words`: from every attribute to its key in the vectors. `sample`: of their vocabulary.
    `besides`: keys of further words of the list, which do not count for it.
    """
    drawn = {sample.words[i] for i in sample.groups[:, 0]}  # without those that are near to them
    if len(drawn - {*words.values(), *besides}) < FEWEST:
        return None
    units = unit(np.asarray(sample.vectors, dtype=np.float64))
    alone = units[sample.groups[:, 0]]
    groups = units[sample.groups].mean(axis=1)
    mean = alone.mean(axis=0)
    attributes = unit(vectors_of(vectors, list(words.values())))
    matrix, nearness = -(groups - mean) @ attributes.T, -attributes @ mean
    matrix -= matrix.mean(axis=0)
    matrix -= matrix.mean(axis=1, keepdims=True)
    return Profiles(tuple(words), matrix, nearness - nearness.mean(), _random_sd(groups, alone))


def _random_sd(groups: Array, words: Array) -> float | None:
    """Return the sd of correlations among sampled words' profiles.

    `groups`, `words` (n_groups, dim): vectors of sampled words with their nearest ones, and alone.
    """
    mean = words.mean(axis=0)
    some = words[:: -(-len(words) // _CORRELATED)]  # evenly, since frequent words are alike
    profiles = (groups - mean) @ (some - mean).T
    profiles -= profiles.mean(axis=0)
    profiles = unit(profiles.T)
    return float(np.std((profiles @ profiles.T)[np.triu_indices(len(some), 1)])) or None


def combined(profiles: Sequence[Profiles | None], weights: Sequence[float]) -> Profiles | None:
    """Return the profiles of a weighted sum of distances under several conditions.

    An effect of the sum has the variance Σ w² C of its parts, so profiles of the conditions, times
    their weights, stand below each other; nearness is the weighted sum. None where a condition has
    none, or they share no attribute.
    """
    present = [p for p in profiles if p is not None]
    if len(present) < len(profiles):
        return None
    words = [w for w in present[0].words if all(w in p.words for p in present)]
    if not words:
        return None
    places = [[p.words.index(w) for w in words] for p in present]
    sized = list(zip(weights, present, places, strict=True))
    parts = [abs(w) * p.matrix[:, at] / np.sqrt(len(p.matrix)) for w, p, at in sized]
    nearness = np.sum([w * p.nearness[at] for w, p, at in sized], axis=0)
    matrix = np.concatenate(parts) * np.sqrt(len(present[0].matrix))
    matrix -= matrix.mean(axis=1, keepdims=True)
    sds = [p.random_sd for p in present if p.random_sd is not None]
    sd = float(np.mean(sds)) if len(sds) == len(present) else None
    return Profiles(tuple(words), matrix, np.asarray(nearness - nearness.mean()), sd)


def joined_by(random_sd: float | None) -> float:
    """Return the correlation of one topic, given the sd of random words' correlations."""
    return _JOINED_OF_ALL if random_sd is None else min(JOINED * random_sd, _SURELY_JOINED)


def topics(similarity: Array, joined: float) -> Index:
    """Return the topic of every word, numbered from 0; `similarity` (n, n): correlations."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(similarity) < 2:
        return np.zeros(len(similarity), np.int64)
    # A correlation above 1 by rounding would be a negative distance.
    apart = squareform(np.maximum(1.0 - similarity, 0.0), checks=False)
    cluster = fcluster(linkage(apart, "average"), 1.0 - joined, "distance")
    # scipy numbers clusters as it likes; here in the order of their first words.
    _, first, topic = np.unique(cluster, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[topic.ravel()], np.int64)


def topics_of_lists(
    around: Array, lists: Index, named: Index | None = None, *, joined: float
) -> Index:
    """Return the topic of every attribute, no two lists having one in common, (m,).

    `around` (m, m): the covariance of deviations from the lists' means. `lists` (m,): from 0.
    `named` (m,): topics as the lists name them, in place of those that are found. `joined`: the
    mean correlation of one topic.
    """
    topic = np.zeros(len(lists), np.int64)
    start = 0
    for number in range(int(lists.max()) + 1):
        at = np.flatnonzero(lists == number)
        if named is not None:
            own = np.unique(named[at], return_inverse=True)[1].ravel()
        else:
            length = np.sqrt(np.maximum(around[at, at], 0.0))
            length[length == 0] = 1.0
            own = topics(around[np.ix_(at, at)] / np.outer(length, length), joined)
        topic[at] = start + own
        start += own.max() + 1
    return topic
