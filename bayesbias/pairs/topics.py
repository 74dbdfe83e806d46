"""Topics of attributes and clusters of protected words: those that other words hold alike.

A list may name the topics of its attributes itself.

Two words are alike as their distances to groups of sampled words correlate (`profiles`). Average
linkage joins them. In vectors of few dimensions correlations of random words scatter more, and a
fixed threshold would join them by chance: it is relative to their sd. The attributes of a list have
a domain in common, such as occupations, which is what the list is about and no topic. So topics of
a list are those of deviations from its mean.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_KINDS,
    ATTRIBUTE_SET,
    CONNECTION,
    KIND_OF_CONNECTION,
    REFERENCE,
    TOPIC,
)
from bayesbias.pairs.profile_records import RANDOM_SD
from bayesbias.pairs.profiles import profiles_of
from bayesbias.pairs.provenance import provenance_of
from bayesbias.support.arrays import Array, Index

JOINED: Final = 1.5
"""Mean correlation from which average linkage joins two clusters, in sds of random words' ones.

Chosen on random lists of known topics and lists drawn from populations, of seeds that neither tests
nor published tables use: with 1.6 answers are as good, with 1.75 more random lists are called
biased in 25 dimensions. There a fixed correlation of .4, as much as this in GoogleNews, is less
than one sd.
"""

_SURELY_JOINED: Final = 0.9
"""The correlation from which words are always of one topic, even in vectors of two dimensions."""

_JOINED_OF_OLD: Final = 0.4
"""The correlation where a record does not tell how random words' profiles correlate."""

_MOST: Final = 4000  # attributes above which no topics are looked for: every two are compared


def correlations(frame: pd.DataFrame, words: Sequence[str]) -> Array | None:
    """Return how alike words are, (n, n); None where the frame's record lacks one of them."""
    found = profiles_of(frame)
    if found is None:
        return None
    at = {word: i for i, word in enumerate(found.words)}
    if not set(words) <= set(at):
        return None
    chosen = found.matrix[:, [at[word] for word in words]]
    length = np.linalg.norm(chosen, axis=0)
    unit = chosen / np.where(length > 0, length, 1.0)
    return np.asarray(unit.T @ unit)


def joined_from(frame: pd.DataFrame) -> float:
    """Return the mean correlation from which words of a frame are of one topic."""
    return joined_by((provenance_of(frame).get("profiles") or {}).get(RANDOM_SD))


def joined_by(random_sd: float | None) -> float:
    """Return the correlation of one topic, given the sd of random words' correlations."""
    return _JOINED_OF_OLD if random_sd is None else min(JOINED * random_sd, _SURELY_JOINED)


def topics(similarity: Array, joined: float) -> Index:
    """Return the topic of every word, numbered from 0; `similarity` (n, n): from `correlations`."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(similarity) < 2:
        return np.zeros(len(similarity), np.int64)
    # A correlation above 1 by rounding would be a negative distance.
    apart = squareform(np.maximum(1.0 - similarity, 0.0), checks=False)
    found = fcluster(linkage(apart, "average"), 1.0 - joined, "distance")
    # scipy numbers clusters as it likes; here in the order of their first words.
    _, first, topic = np.unique(found, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[topic.ravel()], np.int64)


def topics_of_lists(
    around: Array, lists: Index, named: Index | None = None, *, joined: float
) -> Index:
    """Return the topic of every attribute, no two lists having one in common, (m,).

    `around` (m, m): the covariance of deviations from the lists' means. `lists` (m,): from 0.
    `named` (m,): topics as the lists name them, in place of those that are found. `joined`: the
    mean correlation of one topic.
    """
    found = np.zeros(len(lists), np.int64)
    start = 0
    for one in range(int(lists.max()) + 1):
        at = np.flatnonzero(lists == one)
        if named is not None:
            own = np.unique(named[at], return_inverse=True)[1].ravel()
        else:
            length = np.sqrt(np.maximum(around[at, at], 0.0))
            length[length == 0] = 1.0
            own = topics(around[np.ix_(at, at)] / np.outer(length, length), joined)
        found[at] = start + own
        start += own.max() + 1
    return found


def topics_of(frame: pd.DataFrame) -> pd.DataFrame | None:
    """Return kind, set and topic of every attribute; None where neither list nor vectors tell."""
    pairs = frame[frame[CONNECTION] != REFERENCE]
    kind = pairs[CONNECTION].map(KIND_OF_CONNECTION)
    listed = pairs.assign(kind=kind).drop_duplicates(["kind", ATTRIBUTE])
    columns = ["kind", ATTRIBUTE_SET, ATTRIBUTE]
    if TOPIC in listed:
        return listed[[*columns, TOPIC]].reset_index(drop=True)
    found = profiles_of(frame)
    if found is None:
        return None
    at = {word: i for i, word in enumerate(found.words)}
    parts = []
    for _, part in listed.groupby("kind", sort=False):
        if len(part) > _MOST or not set(part[ATTRIBUTE]) <= set(at):
            return None
        code = pd.factorize(part[ATTRIBUTE_SET])[0]
        profiles = found.matrix[:, [at[word] for word in part[ATTRIBUTE]]]
        means = np.stack([profiles[:, code == one].mean(axis=1) for one in range(code.max() + 1)])
        around = profiles - means[code].T
        topic = topics_of_lists(around.T @ around, code, joined=joined_by(found.random_sd))
        parts.append(part[columns].assign(**{TOPIC: topic}))
    return pd.concat(parts, ignore_index=True)


def topics_sentence(frame: pd.DataFrame) -> str:
    """Say how many topics the attributes are of; "" where that is not known."""
    found = topics_of(frame)
    if found is None:
        return ""
    parts = []
    for name in ATTRIBUTE_KINDS:
        own = found[found["kind"] == name]
        if len(own):
            parts.append(f"{len(own):,} {name} in {own[TOPIC].nunique():,}")
    how = (
        "as the list names them"
        if TOPIC in frame
        else f"correlation above {joined_from(frame):.2g}"
    )
    said = f"Attributes and their topics ({how}): {', '.join(parts)}."
    lists = found[found["kind"] == ATTRIBUTE_KINDS[0]].groupby(ATTRIBUTE_SET)[TOPIC]
    counts = lists.agg(["size", "nunique"])
    if len(counts) and (counts["nunique"] < 2).all() and (counts["size"] > 1).all():
        said += (
            " Every stereotype list is one topic, so the answer is about these topics and not "
            "about attributes in general."
        )
    return said
