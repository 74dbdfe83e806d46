"""How alike attributes are: K, the covariance of what words like these have with them.

A cosine distance is 1 − w·a, linear in the attribute's unit vector a. If an effect of a group, a
word or everybody is a vector like those of other words, with covariance Ψ, then its values for
attributes j and k have the covariance C_jk = a_jᵀ Ψ a_k: that of the distances from the words of
the vocabulary to j and to k. It is estimated from a sample of words (`pairs.profiles`), up to a
scale, which the model estimates as a variance component. Known relationship matrices enter animal
models in the same way (Henderson 1976), and brms as ``gr(cov=)``.

The estimand is the mean over attributes like the listed ones, so the attributes of a list are a
sample. With M averaging over each list, K consists of two parts that are independent of each other.

- Deviations from the lists' means: (I − M) C (I − M).
- The lists' means, independent from list to list. The attributes of a list are of topics
  (`pairs.topics`), and topics are what is sampled. A list of m attributes whose topics have the
  shares p_t has a mean with the sampling variance of a two-stage sample, σ_b² Σ p_t² + σ_w² / m:
  σ_w² is the variance within topics, σ_b² that between topics of a list, both averaged over C.

Few topics say little about σ_b². So the variance counts w = ν / (ν + 5), where ν is the number of
topics less that of lists, and the rest, 1 − w, is M C M, how far apart these lists are for
unrelated words. In changes all of it is M C M: what a step does to a few topics says little about
others. With w a step on random topics of GoogleNews is called a change in 20%, without in 9 to 11%.

The covariance between means and deviations is left out. With it the best estimate of a mean would
weigh attributes so that their weighted vector is short: of whatever a group has with the vectors of
a list, an association included, next to nothing would be left. What all attributes of a kind of
list share is left out too: it is in every mean, and in no contrast of them.

The main effects of attributes have a further part, N Nᵀ. The mean vector of all words is not 0, and
an attribute that is close to it is close to every word. N has the distances to the mean word: their
deviations from the lists' means, and for each list the sampling sd of its mean, found in the same
way.

A second question needs another covariance: do unrelated groups differ as much between these very
lists? Unrelated groups differ by M C M, which no number of words reduces (`unrelated`).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, TOPIC
from bayesbias.inference.levels import Factor
from bayesbias.pairs.profiles import profiles_of
from bayesbias.pairs.topics import joined_by, topics_of_lists
from bayesbias.support.arrays import Array, Index

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
published tables use, in the same files of vectors: with none, lists of two topics are called biased
too often; with 8, intervals of lists of ten topics are wider than halves of lists differ. With 4,
fewer lists of populations are undecided, and more random lists of two topics each are called biased
in GoogleNews, 19%.
"""

_JITTER: Final = 1e-9
"""Added to a similarity of lower rank, whose diagonal is about 1, before it is factorised."""

_MANY: Final = 2000
"""Attributes beyond which it is asked whether directions are few.

Stored profiles are rounded, and have as many as there are sampled words (`vectors.samples.SIZE`,
2,000): fewer than half as many as attributes from 4,000 of these.
"""


_GROUPS_DIFFER: Final = 1.15
"""Variance of lists' means over unrelated groups, over what the scale of deviations says.

The sample of words has their ratio right. But priors expect less of a group than random words with
their nearest ones have: the scale is shrunk. Chosen on random lists of seeds 77 to 79, which no
page shows, in the files of vectors that pages use.
"""


@dataclass(frozen=True)
class Similarity:
    """Covariances of effects over attributes, in the order of the attributes.

    `covariance` (n, n): K. `common_loadings` (n, n_columns): N, in cosine distance.
    """

    covariance: Array
    common_loadings: Array


@dataclass(frozen=True)
class Alike:
    """How alike attributes are as a sample, and how far these very lists are apart.

    `sampled`: of means over attributes like the listed ones. `unrelated`: what groups that are
    unrelated to the lists have with these.
    """

    sampled: Similarity
    unrelated: Similarity


def similarity_of(
    frame: pd.DataFrame, attribute: Factor, kind: Factor, attribute_set: Factor, *, of_changes: bool
) -> Alike | None:
    """Return how alike attributes are; None where the frame has no record of vectors.

    `of_changes`: whether the model is of changes.

    Attributes of different kinds of list are kept apart, and the diagonal of a kind has the mean 1,
    so that a standard deviation with K compares with one without.
    """
    found = profiles_of(frame)
    if found is None:
        return None
    _, first = np.unique(attribute.code, return_index=True)
    at = {word: i for i, word in enumerate(found.words)}
    places = [at.get(word, -1) for word in frame[ATTRIBUTE].iloc[first]]
    if min(places) < 0:
        return None
    profiles = np.vstack([found.matrix, found.nearness])[:, places]
    named = frame[TOPIC].iloc[first].to_numpy() if TOPIC in frame else None
    of_kind, of_set = kind.code[first], attribute_set.code[first]
    of_prior = np.inf if of_changes else _TOPICS_OF_THE_PRIOR
    parts = []
    for code in range(len(kind.labels)):
        members = np.flatnonzero(of_kind == code)
        part = profiles[:, members]
        # A kind's mean is a part of the mean that was taken off: the variance of what is left of
        # it is too small, by the factor 1 − m / n with m of all n attributes in the kind.
        mean = part.mean(axis=1, keepdims=True)
        left = max(1.0 - len(members) / found.n_attributes, 1e-3)
        part = part + mean * (left**-0.5 - 1.0)
        topic = None if named is None else named[members]
        joined = joined_by(found.random_sd)
        of_lists = _of_kind(part[:-1], part[-1], of_set[members], topic, of_prior, joined)
        if of_lists is None:
            return None
        parts.append((members, of_lists))
    return Alike(
        _joined([(members, one.sampled) for members, one in parts]),
        _joined([(members, one.unrelated) for members, one in parts]),
    )


def _joined(parts: list[tuple[Index, Similarity]]) -> Similarity:
    """Return the similarity of all kinds of lists from that of each, with its attributes."""
    n = sum(len(members) for members, _ in parts)
    covariance, columns = np.zeros((n, n)), []
    for members, part in parts:
        covariance[np.ix_(members, members)] = part.covariance
        column = np.zeros((n, part.common_loadings.shape[1]))
        column[members] = part.common_loadings
        columns.append(column)
    nearness = np.hstack(columns)
    nearness = nearness[:, np.abs(nearness).max(axis=0) > _SMALLEST]
    return Similarity(covariance, _COUNTED**0.5 * nearness)


def _of_kind(
    profiles: Array, near: Array, lists: Index, topic: Index | None, of_prior: float, joined: float
) -> Alike | None:
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
    known = np.c_[level, list_near[code] - level]
    near_sampled = np.c_[near_around, (1 - weight) ** 0.5 * known, own * (weight * of_near) ** 0.5]
    apart = around + _GROUPS_DIFFER * among[np.ix_(code, code)]
    return Alike(
        Similarity(k / scale, near_sampled), Similarity(apart / scale, np.c_[near_around, known])
    )


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
    found = np.empty(lists.max() + 1)
    for one in range(len(found)):
        _, counts = np.unique(topic[lists == one], return_counts=True)
        m = counts.sum()
        found[one] = between * ((counts / m) ** 2).sum() + of_topics / m
    return found


def directions(similarity: Array) -> tuple[Array, Array]:
    """Return eigenvalues, (n,), and eigenvectors, in columns, of a similarity matrix.

    A matrix of many attributes has no more directions than sampled words and lists. Those are found
    from its pivoted Cholesky factor, and all others have the eigenvalue 0: so time grows with the
    square of the attributes, where that of a general decomposition grows with the third power.
    """
    from scipy.linalg import qr
    from scipy.linalg.lapack import dpstrf

    n = len(similarity)
    if n > _MANY:
        lower, pivots, rank, _ = dpstrf(similarity, lower=1)
        if rank <= n // 2:
            root = np.zeros((n, rank))
            root[pivots - 1] = np.tril(lower[:, :rank])
            # K = R Rᵀ, R = Q A and A = W S Vᵀ: the eigenvectors of K are Q W, the eigenvalues S².
            basis, triangle = qr(root, overwrite_a=True, check_finite=False)
            turn, values, _ = np.linalg.svd(triangle[:rank])
            basis[:, :rank] = basis[:, :rank] @ turn
            return np.r_[values**2, np.zeros(n - rank)], basis
    values, vectors = np.linalg.eigh(similarity)
    return np.maximum(values, 0.0), vectors


def root_of(similarity: Array) -> Array:
    """Return a matrix R with R Rᵀ = K, but for rounding."""
    if len(similarity) > _MANY:
        values, vectors = directions(similarity)
        return np.asarray(vectors * np.sqrt(values))
    return np.asarray(np.linalg.cholesky(similarity + _JITTER * np.eye(len(similarity))))


def rank_of(similarity: Array) -> int:
    """Return how many directions a similarity matrix has."""
    eigenvalues, _ = directions(similarity)
    return int((eigenvalues > _SMALLEST * eigenvalues.max()).sum())
