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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbias.support.arguments import Array, Index
from bayesbias.words.profiles import Profiles, joined_by, topics_of_lists

_SMALLEST: Final = 1e-5
"""Share of the largest eigenvalue below which one is rounding."""

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

_JITTER: Final = 1e-9
"""Added to a similarity of lower rank, whose diagonal is about 1, before it is factorised."""


@dataclass(frozen=True)
class Similarity:
    """Covariances of effects over attributes, in the order of the attributes.

    `covariance` (n, n): K. `common_loadings` (n, n_columns): N, in cosine distance. `topic` (n,):
    of each attribute; no two lists have one in common.
    """

    covariance: Array
    common_loadings: Array
    topic: Index


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

    `attributes`, `kind`, `attribute_set`, `topic` (n,): of each attribute its word, the numbers of
    its kind of list and of its list, and its topic where a list names topics. `of_changes`: whether
    the model is of changes.

    Attributes of different kinds of list are kept apart, and the diagonal of a kind has the mean 1,
    so that a standard deviation with K compares with one without.
    """
    place = {word: i for i, word in enumerate(profiles.words)}
    if not set(attributes) <= set(place):
        return None
    at, n = [place[word] for word in attributes], len(attributes)
    matrix, nearness = profiles.matrix[:, at], profiles.nearness[at]
    of_prior = np.inf if of_changes else _TOPICS_OF_THE_PRIOR
    joined = joined_by(profiles.random_sd)
    named = None if topic is None else np.asarray(topic)
    covariance, columns, numbers = np.zeros((n, n)), [], np.zeros(n, np.int64)
    for code in range(kind.max() + 1):
        members = np.flatnonzero(kind == code)
        # A kind's mean is a part of the mean that was taken off: the variance of what is left of
        # it is too small, by the factor 1 − m / n with m of all n attributes in the kind.
        missing = max(1.0 - len(members) / len(profiles.words), 1e-3) ** -0.5 - 1.0
        part, near = matrix[:, members], nearness[members]
        part, near = part + missing * part.mean(axis=1, keepdims=True), near + missing * near.mean()
        topics = None if named is None else named[members]
        of_kind = _of_kind(part, near, attribute_set[members], topics, of_prior, joined)
        if of_kind is None:
            return None
        covariance[np.ix_(members, members)] = of_kind.covariance
        columns.append(np.zeros((n, of_kind.common_loadings.shape[1])))
        columns[-1][members] = of_kind.common_loadings
        numbers[members] = numbers.max() + 1 + of_kind.topic
    loadings = np.hstack(columns)
    loadings = loadings[:, np.abs(loadings).max(axis=0) > _SMALLEST]
    return Similarity(covariance, _COUNTED**0.5 * loadings, numbers)


def _of_kind(
    profiles: Array, near: Array, lists: Index, topic: Index | None, of_prior: float, joined: float
) -> Similarity | None:
    """Return how alike the attributes of one kind of list are.

    `profiles` (n_sample, m), `near` (m,): distances of sampled words and of the mean word. `lists`
    (m,). `topic` (m,): as the list names them, or None. `of_prior`: how many topics the distance of
    these lists counts for. `joined`: the correlation from which attributes are of one topic. None
    where all attributes are the same.
    """
    code = np.unique(lists, return_inverse=True)[1].ravel()
    averaging = np.eye(code.max() + 1)[:, code]
    averaging /= averaging.sum(axis=1, keepdims=True)
    covariance = profiles.T @ profiles
    of_lists = averaging @ covariance  # (n_lists, m)
    among = of_lists @ averaging.T
    # (I − M) C (I − M), entry by entry.
    around = covariance - of_lists[code] - of_lists[code].T + among[np.ix_(code, code)]
    list_near = averaging @ near
    near_around = near - list_near[code]
    topic = topics_of_lists(around, code, topic, joined=joined)
    n_lists = len(averaging)
    # One degree of freedom goes to the mean of each list.
    degrees = len(np.unique(topic)) - n_lists
    weight = degrees / (degrees + of_prior)
    of_mean = _variances_of_means(around, code, topic)
    of_near = _variances_of_means(np.outer(near_around, near_around), code, topic)
    sampled = weight * np.diag(of_mean) + (1.0 - weight) * among
    k = around + sampled[np.ix_(code, code)]
    scale = k.diagonal().mean()
    if not scale > 0:
        return None
    level = np.full(len(near), near.mean())
    own = np.eye(n_lists)[code]
    columns = np.c_[level, list_near[code] - level]
    near_sampled = np.c_[
        near_around, (1 - weight) ** 0.5 * columns, own * (weight * of_near) ** 0.5
    ]
    return Similarity(k / scale, near_sampled, topic)


def _variances_of_means(around: Array, lists: Index, topic: Index) -> Array:
    """Return the sampling variance of every list's mean, (n_lists,): σ_b² Σ p_t² + σ_w² / m.

    `around` (m, m): the covariance of deviations from lists' means. Half the mean squared
    difference of two attributes of one topic is σ_w², that of attributes of two topics of a list
    σ_w² + σ_b². Both are means over all pairs of all lists; differences do not contain the means.
    """
    same_list = lists[:, None] == lists
    within = same_list & (topic[:, None] == topic)
    across = same_list & ~within
    np.fill_diagonal(within, False)
    diagonal = around.diagonal()
    halved = (diagonal[:, None] + diagonal) / 2.0 - around
    of_topics = float(halved[within].mean()) if within.any() else 0.0
    between = max(float(halved[across].mean()) - of_topics, 0.0) if across.any() else 0.0
    variances = np.empty(lists.max() + 1)
    for code in range(len(variances)):
        _, counts = np.unique(topic[lists == code], return_counts=True)
        m = counts.sum()
        variances[code] = between * ((counts / m) ** 2).sum() + of_topics / m
    return variances


def directions(similarity: Array) -> tuple[Array, Array]:
    """Return eigenvalues, (n,), and eigenvectors, in columns, of a similarity matrix."""
    values, vectors = np.linalg.eigh(similarity)
    return np.maximum(values, 0.0), vectors


def root_of(similarity: Array) -> Array:
    """Return a matrix R with R Rᵀ = K, but for rounding."""
    return np.asarray(np.linalg.cholesky(similarity + _JITTER * np.eye(len(similarity))))


def rank_of(similarity: Array) -> int:
    """Return how many directions a similarity matrix has."""
    eigenvalues, _ = directions(similarity)
    return int((eigenvalues > _SMALLEST * eigenvalues.max()).sum())
