"""Topics of attributes: those that a list names, or those that the vectors tell."""

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_KINDS,
    ATTRIBUTE_SET,
    CONNECTION,
    KIND_OF_CONNECTION,
    REFERENCE,
    TOPIC,
)
from bayesbias.pairs.profiles import profiles_of

THRESHOLD: Final = 0.5
"""Mean correlation of profiles above which attributes are of one topic."""

_MOST: Final = 4000
"""Attributes above which no topics are looked for: every two are compared."""


def topics_of(frame: pd.DataFrame) -> pd.DataFrame | None:
    """Return the topic of every attribute; None where neither list nor vectors tell.

    By average linkage of the correlations of attributes' profiles, within every kind of list, cut
    at `THRESHOLD`.

    Returns
    -------
    DataFrame
        ``kind``, ``attribute_set``, ``attribute`` and ``topic``, a row per attribute of a kind.
    """
    pairs = frame[frame[CONNECTION] != REFERENCE]
    kind = pairs[CONNECTION].map(KIND_OF_CONNECTION)
    listed = pairs.assign(kind=kind).drop_duplicates(["kind", ATTRIBUTE])
    columns = ["kind", ATTRIBUTE_SET, ATTRIBUTE]
    if TOPIC in listed:
        return listed[[*columns, TOPIC]].reset_index(drop=True)
    found = profiles_of(frame)
    if found is None or len(listed) > _MOST or not set(listed[ATTRIBUTE]) <= set(found[0]):
        return None
    place = {word: i for i, word in enumerate(found[0])}
    centred = found[1] - found[1].mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    parts = []
    for _, part in listed.groupby("kind", sort=False):
        profiles = centred[:, [place[word] for word in part[ATTRIBUTE]]]
        parts.append(part[columns].assign(**{TOPIC: _clusters(profiles)}))
    return pd.concat(parts, ignore_index=True)


def _clusters(profiles: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the cluster of every column."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import pdist

    if profiles.shape[1] < 2:
        return np.ones(profiles.shape[1], np.int64)
    length = np.linalg.norm(profiles, axis=0)
    unit = profiles / np.where(length > 0, length, 1.0)
    tree = linkage(np.maximum(pdist(unit.T, "cosine"), 0.0), "average")
    return np.asarray(fcluster(tree, 1 - THRESHOLD, "distance"), np.int64)


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
    how = "as the list names them" if TOPIC in frame else f"similarity above {THRESHOLD:g}"
    said = f"Attributes and their topics ({how}): {', '.join(parts)}."
    lists = found[found["kind"] == ATTRIBUTE_KINDS[0]].groupby(ATTRIBUTE_SET)[TOPIC]
    counts = lists.agg(["size", "nunique"])
    if len(counts) and (counts["nunique"] < 2).all() and (counts["size"] > 1).all():
        said += (
            " Every stereotype list is one topic, so the answer is about these topics and not "
            "about attributes in general."
        )
    return said
