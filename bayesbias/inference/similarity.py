"""How alike attributes are: the covariance of what words like these have with them.

A cosine distance is 1 − w·a, linear in the attribute's unit vector a. If what a group, a word or
everybody has beyond the average is a vector like those of other words, with covariance Ψ, then its
effects on attributes j and k have the covariance a_jᵀ Ψ a_k: that of the distances which the words
of the vocabulary have to j and to k. It is estimated from a sample of them (`pairs.profiles`) and
known up to a scale, which the model finds. Known relationship matrices enter animal models in the
same way (Henderson 1976), and brms as ``gr(cov=)``.

A list's mean is what a model estimates, and attributes around it are what makes that uncertain. So
the covariance of the lists' means, M K M, and that of deviations from them, (I − M) K (I − M), are
kept, with M the averaging over each list, and the covariance between the two is not. With it the
best estimate of a mean would weigh attributes so that their weighted vector is short: of whatever a
group has with the lists' vectors, an association included, next to nothing would be left.

Common words tell only about how far apart lists' means are, beside how far attributes are from
these. Over random groups of eight like words the difference of the means has a variance of .7 to
1.7 times the one that is found, in nine of ten lists of topics, and on average of 1.04 to 1.12
times in four files of vectors (`benchmarks/random_lists.py --geometry`). So M K M counts 1.1 times;
else intervals would be too narrow.

What all attributes of a list share is left out: it is in every mean, and in no contrast of them.

What everybody has is another matter than what a group or a word has beyond it. The mean of words'
vectors is not 0, and an attribute that is near to it is near to all words: its distance to the mean
word is a part of every distance. So effects that all words share have the covariance sd² K + N Nᵀ,
with N, the nearness, in proportion to that distance, whatever the rest does. It is in N in three
parts, each of which counts by itself: the mean of a kind of list, what its lists have more, and the
deviations of attributes from their list. Else what tells one list from the other would also tell
how near both are, and their contrasts with the controls would lose what is everybody's.
"""

from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE
from bayesbias.inference.levels import Factor
from bayesbias.pairs.profiles import means_count, n_attributes, nearness_of, profiles_of
from bayesbias.support.arrays import Array, Index

_SMALLEST: Final = 1e-5
"""Share of the largest eigenvalue below which one is rounding."""

_COUNTED: Final = 0.5
"""Variance of how often the nearness counts.

With 1, lists drawn at random are called biased too seldom, since it does count about once; with .3
too often, where most of a contrast is nearness (`benchmarks/random_lists.py --seed 7`).
"""

_JITTER: Final = 1e-9
"""Added to a similarity of lower rank, whose diagonal is about 1, before it is factorised."""

_MANY: Final = 2000
"""Attributes beyond which the directions are fewer than half as many."""


def similarity_of(
    frame: pd.DataFrame, attribute: Factor, kind: Factor, attribute_set: Factor
) -> tuple[Array, Array] | None:
    """Return K, (n_attributes, n_attributes), and N; None where the frame has no record of vectors.

    Attributes of different kinds of list are kept apart, and the diagonal of a kind has the mean 1,
    so that a standard deviation with K compares with one without. N (n_attributes, n_columns), in
    cosine distance: its mean in a kind, what lists have more, and deviations from their means.
    """
    found = profiles_of(frame)
    if found is None:
        return None
    words, profiles = found
    _, first = np.unique(attribute.code, return_index=True)
    at = {word: i for i, word in enumerate(words)}
    places = [at.get(word, -1) for word in frame[ATTRIBUTE].iloc[first]]
    if min(places) < 0:
        return None
    profiles = np.vstack([profiles, nearness_of(frame)])[:, places]
    n = n_attributes(frame)
    of_kind, of_set = kind.code[first], attribute_set.code[first]
    similarity = np.zeros((len(first), len(first)))
    parts = np.zeros((len(first), 3, len(kind.labels)))
    for code in range(len(kind.labels)):
        members = np.flatnonzero(of_kind == code)
        part = profiles[:, members]
        # A kind's mean is a part of the mean that was taken off: what is left of it is too small.
        mean = part.mean(axis=1, keepdims=True)
        part = part + mean * (max(1.0 - len(members) / n, 1e-3) ** -0.5 - 1.0)
        covariance = _by_lists(part[:-1].T @ part[:-1], of_set[members], means_count(frame))
        if not covariance.diagonal().mean() > 0:
            return None
        similarity[np.ix_(members, members)] = covariance / covariance.diagonal().mean()
        lists = _averaging(of_set[members])
        of_lists = part[-1] @ lists.T @ (lists > 0)
        level = np.full(len(members), part[-1].mean())
        parts[members, :, code] = np.c_[level, of_lists - level, part[-1] - of_lists]
    nearness = parts.reshape(len(first), -1)
    nearness = nearness[:, np.abs(nearness).max(axis=0) > _SMALLEST]
    return similarity, _COUNTED**0.5 * nearness


def _averaging(lists: Index) -> Array:
    """Return the matrix that averages attributes over their lists, (n_lists, n_attributes)."""
    _, code = np.unique(lists, return_inverse=True)
    averaging = np.eye(code.max() + 1)[:, code]
    return np.asarray(averaging / averaging.sum(axis=1, keepdims=True))


def _by_lists(covariance: Array, lists: Index, count: float) -> Array:
    """Return a covariance without that of lists' means with deviations; the means' counts more."""
    averaging = _averaging(lists)
    code = averaging.argmax(axis=0)
    of_lists = averaging @ covariance  # (n_lists, n_attributes)
    among_lists = (of_lists @ averaging.T)[np.ix_(code, code)]
    across = of_lists[code]
    return np.asarray(covariance - across - across.T + (1.0 + count) * among_lists)


def directions(similarity: Array) -> tuple[Array, Array]:
    """Return eigenvalues, (n,), and eigenvectors, in columns, of a similarity matrix.

    A matrix of many attributes has no more directions than common words and lists. Those are found
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
