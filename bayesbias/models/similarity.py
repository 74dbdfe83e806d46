"""How alike attributes are: K, the covariance of what words like these have with them.

A cosine distance is 1 − w·a, linear in the attribute's unit vector a. If an effect of a group, a
word or everybody is a vector like those of other words, with covariance Ψ, then its values for
attributes j and k have the covariance C_jk = a_jᵀ Ψ a_k: that of the distances from the words of
the vocabulary to j and to k. It is estimated from a sample of words (`words.profiles`), up to a
scale, which the model estimates as a variance component. Known relationship matrices enter animal
models in the same way (Henderson 1976), and brms as ``gr(cov=)``.

The estimand is the mean over attributes like the listed ones, so the attributes of a list are a
sample. With M averaging over each list, K consists of two parts that are independent of each other
(``models/SCHEMA.md`` says how both are used, and why):

- deviations from the lists' means, (I − M) C (I − M);
- the lists' means, independent from list to list: those of a two-stage sample of topics
  (`words.profiles`). A list of m attributes whose topics have the shares p_t has the variance
  σ_b² Σ p_t² + σ_w² / m, with σ_w² within and σ_b² between the topics of a list.

Few topics say little about σ_b². So the variance counts w = ν / (ν + 5), where ν is the number of
topics less that of lists, and the rest, 1 − w, is M C M, how far apart these lists are for
unrelated words. In changes all of it is M C M: with w a step on random topics of GoogleNews is
called a change in 20%, without in 9 to 11%.

The covariance between means and deviations is left out: with it the best estimate of a mean would
weigh attributes so that their weighted vector is short, and next to nothing of an association with
the vectors of a list would be left. What all attributes of a kind of list share is left out too: it
is in every mean, and in no contrast of them.

The main effects of attributes have a further part, N Nᵀ: an attribute close to the mean vector of
all words, which is not 0, is close to every word. N has the distances to the mean word: their
deviations from the lists' means, and for each list the sampling sd of its mean.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.linalg import block_diag

from bayesbias.support.arguments import Array, Index
from bayesbias.words.profiles import Profiles, joined_by, topics_of_lists

_SMALLEST: Final = 1e-5  # share of the largest eigenvalue below which one is rounding
_JITTER: Final = 1e-9  # for a factor of K of lower rank, whose diagonal is about 1
_COUNTED: Final = 0.5
"""Variance of how often the nearness counts.

With 1, lists drawn at random are called biased too seldom, since it does count about once; with .3
too often, where most of a contrast is nearness (`benchmarks/random_lists.py --seed 7`).
"""

_TOPICS_OF_THE_PRIOR: Final = 5.0
"""How many topics the distance of these very lists counts for, beside those that are listed.

Chosen on populations of words, halves of lists and random lists of seeds that neither tests nor
published tables use: with none, lists of two topics are called biased too often; with 8, intervals
of lists of ten topics are wider than halves of lists differ; with 4, 19% of random lists of two
topics are called biased in GoogleNews.
"""


@dataclass(frozen=True)
class Similarity:
    """Covariances of effects over attributes, in the order of the attributes.

    `covariance` (n, n): K. `common_loadings` (n, n_columns): N, in cosine distance. `topic` (n,):
    of each attribute; no two lists have one in common. `attributes` (n,): their labels, once a
    design has given them.
    """

    covariance: Array
    common_loadings: Array
    topic: Index
    attributes: tuple[str, ...] = ()

    def of(self, attributes: tuple[str, ...]) -> "Similarity":
        """Return it in the order of a design's attributes."""
        place = {name: i for i, name in enumerate(self.attributes or attributes)}
        at = np.array([place[name] for name in attributes])
        covariance, loadings = self.covariance[np.ix_(at, at)], self.common_loadings[at]
        return Similarity(covariance, loadings, self.topic[at], attributes)


def similarity_of(
    profiles: Profiles,
    attributes: Sequence[str],
    kind: Index,
    attribute_set: Index,
    topic: Sequence[str] | None = None,
    *,
    of_changes: bool = False,
) -> Similarity | None:
    """Return how alike attributes are; None where a profile is missing, or all are the same.

    `attributes`, `kind`, `attribute_set`, `topic` (n,): the word, the numbers of its kind of list
    and of its list, and its topic where a list names topics. `of_changes`: whether the model is of
    changes. Kinds are kept apart, and the diagonal of each has the mean 1, so that a standard
    deviation with K compares with one without.
    """
    place = {word: i for i, word in enumerate(profiles.words)}
    if not set(attributes) <= set(place):
        return None
    at = np.array([place[word] for word in attributes])
    of_prior = np.inf if of_changes else _TOPICS_OF_THE_PRIOR
    joined, named = joined_by(profiles.random_sd), None if topic is None else np.asarray(topic)
    members = [np.flatnonzero(kind == code) for code in range(kind.max() + 1)]
    parts: list[Similarity] = []
    for own in members:
        # A kind's mean is a part of the mean that was taken off: the variance of what is left of
        # it is too small, by the factor 1 − m / n with m of all n attributes in the kind.
        missing = max(1.0 - len(own) / len(place), 1e-3) ** -0.5 - 1.0
        distances = np.vstack([profiles.matrix, profiles.nearness])[:, at[own]]
        distances += missing * distances.mean(axis=1, keepdims=True)
        topics = None if named is None else named[own]
        part = _of_kind(distances, attribute_set[own], topics, of_prior, joined)
        if part is None:
            return None
        start = sum(len(np.unique(other.topic)) for other in parts)
        parts.append(dataclasses.replace(part, topic=start + part.topic))
    order = np.argsort(np.concatenate(members))
    covariance = block_diag(*(part.covariance for part in parts))[np.ix_(order, order)]
    loadings = block_diag(*(part.common_loadings for part in parts))[order]
    loadings = loadings[:, np.abs(loadings).max(axis=0) > _SMALLEST]
    numbers = np.concatenate([part.topic for part in parts])[order]
    return Similarity(covariance, _COUNTED**0.5 * loadings, numbers)


def _of_kind(
    distances: Array, lists: Index, topic: Index | None, of_prior: float, joined: float
) -> Similarity | None:
    """Return how alike the attributes of one kind of list are; None where all are the same.

    `distances` (n_sample + 1, m): of sampled words, and last of the mean word. `lists` (m,).
    `topic` (m,): as the list names them, or None. `of_prior`: how many topics the distance of
    these lists counts for. `joined`: the correlation from which attributes are of one topic.
    """
    _, code, size = np.unique(lists, return_inverse=True, return_counts=True)
    own = np.eye(len(size))[code]
    means = distances @ own / size
    deviations = distances - means[:, code]
    near, near_around = means[-1], deviations[-1]
    around, among = (part[:-1].T @ part[:-1] for part in (deviations, means))
    topic = topics_of_lists(around, code, topic, joined=joined)
    # One degree of freedom goes to the mean of each list.
    degrees = len(np.unique(topic)) - len(size)
    weight = degrees / (degrees + of_prior)
    of_mean = _variances_of_means(around, code, topic)
    of_near = _variances_of_means(np.outer(near_around, near_around), code, topic)
    sampled = weight * np.diag(of_mean) + (1.0 - weight) * among
    k = around + sampled[np.ix_(code, code)]
    scale = k.diagonal().mean()
    if not scale > 0:
        return None
    level = np.full(len(code), distances[-1].mean())
    columns = (1.0 - weight) ** 0.5 * np.c_[level, near[code] - level]
    return Similarity(
        k / scale, np.c_[near_around, columns, own * (weight * of_near) ** 0.5], topic
    )


def _variances_of_means(around: Array, lists: Index, topic: Index) -> Array:
    """Return the sampling variance of every list's mean, (n_lists,): σ_b² Σ p_t² + σ_w² / m.

    `around` (m, m): the covariance of deviations from lists' means. Half the mean squared
    difference of two attributes of one topic is σ_w², that of attributes of two topics of a list
    σ_w² + σ_b². Both are means over all pairs of all lists; differences do not contain the means.
    """
    within = topic[:, None] == topic
    across = (lists[:, None] == lists) & ~within
    np.fill_diagonal(within, False)
    diagonal = around.diagonal()
    halved = (diagonal[:, None] + diagonal) / 2.0 - around
    of_topics = float(halved[within].mean()) if within.any() else 0.0
    between = max(float(halved[across].mean()) - of_topics, 0.0) if across.any() else 0.0
    m, squares = np.bincount(lists), np.bincount(lists, np.bincount(topic)[topic])
    return np.asarray(between * squares / m**2 + of_topics / m)


def directions(similarity: Array) -> tuple[Array, Array]:
    """Return eigenvalues, (n,), and eigenvectors, in columns, of a similarity matrix."""
    values, vectors = np.linalg.eigh(similarity)
    return np.maximum(values, 0.0), vectors


def root_of(similarity: Array) -> Array:
    """Return a matrix R with R Rᵀ = K, but for rounding."""
    return np.asarray(np.linalg.cholesky(similarity + _JITTER * np.eye(len(similarity))))


def rank_of(similarity: Array) -> int:
    """Return how many directions a similarity matrix has."""
    return int(np.linalg.matrix_rank(similarity, rtol=_SMALLEST, hermitian=True))
