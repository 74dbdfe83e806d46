"""The distances of a vocabulary's words to the words of a frame: how alike these are.

They go with a frame in its record (`provenance`), because pairs alone do not tell which attributes
are of one topic. The words are sampled from the vocabulary that the vectors come from
(`vectors.samples`): the same ones for every list, and whichever words were loaded.

What is asked is how much alike the distances of groups are, and a group is words that are alike.
So every sampled word stands with its nearest ones: the mean of their distances is what a group
around it would have. An average of like words keeps what they share and loses what is each one's
own, and what they share is more of topics.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from bayesbias.pairs.profile_records import RANDOM_SD, packed, unpacked
from bayesbias.pairs.provenance import provenance_of
from bayesbias.support.arrays import Array
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import vectors_of
from bayesbias.vectors.samples import FEWEST, SIZE, sample_of, unit

_N_CORRELATED: Final = 500  # sampled words whose profiles are correlated with each other
_ANCHORS: Final = 500
_COORDINATES: Final = 16
_FEWEST_ANCHORS: Final = 10
"""Sampled words, and coordinates of each, that tell whether vectors are of one training."""


def profiles_record(
    vectors: KeyedVectors, words: Mapping[str, str], n_attributes: int
) -> dict[str, Any] | None:
    """Return the record of profiles: distances of sampled words to the list's, less their mean.

    `words`: from every word of the list to its key in the vectors, the attributes first. None
    where the vocabulary has too few words besides these.
    """
    sample = sample_of(vectors)
    own = set(words.values())
    drawn = sample.drawn
    if sample.vectors is None or sample.groups is None or len(set(drawn) - own) < FEWEST:
        return None
    units = unit(np.asarray(sample.vectors, dtype=np.float64))
    mean = units[sample.groups[:, 0]].mean(axis=0)
    of_words = unit(vectors_of(vectors, list(words.values()))) - mean
    # A distance is 1 − g·a: less its mean over the groups g, it is −(g − mean)·a. Taking the mean
    # off a too adds a number to a group's distances to all words, which reading takes off again
    # (`profiles_of`); the numbers that are stored in 16 bits are smaller.
    groups = units[sample.groups].mean(axis=1)
    profiles = -(groups - mean) @ of_words.T
    sd = random_sd(groups, units[sample.groups[:, 0]])
    record = packed(list(words), drawn, profiles, n_attributes, -of_words @ mean, random_sd=sd)
    # The same ones of two vocabularies that have them, whatever else these have.
    others = (i for i, word in enumerate(sample.words) if word not in own and units[i].any())
    at = sorted(others, key=lambda i: hashlib.sha256(sample.words[i].encode()).digest())[:_ANCHORS]
    anchors = packed([sample.words[i] for i in at], (), units[at, :_COORDINATES].T)
    return {**record, "anchors": anchors}


def random_sd(groups: Array, words: Array) -> float | None:
    """Return the sd of correlations among sampled words' profiles; None where it is 0.

    `groups`, `words` (n_sample, dim): vectors of sampled words with their nearest ones, and alone.
    """
    mean = words.mean(axis=0)
    some = words[:: -(-len(words) // _N_CORRELATED)]  # evenly, since frequent words are alike
    profiles = (groups - mean) @ (some - mean).T
    profiles -= profiles.mean(axis=0)
    profiles = unit(profiles.T)
    return float(np.std((profiles @ profiles.T)[np.triu_indices(len(some), 1)])) or None


TOO_FEW: Final = (
    f"the vectors come with fewer than {FEWEST} words beside the list's, too few to tell how alike "
    f"attributes are"
)
"""Why there is no record of profiles."""


class Profiles(NamedTuple):
    """The profiles of a frame's words, each less its mean over all attributes.

    `matrix` (n_sample, n_words): the distances from every sampled word with its nearest ones, less
    their mean over these. `nearness` (n_words,): the distance to the mean sampled word.
    `n_attributes`: how many of `words`, the first, are attributes, those of lists left out too.
    `random_sd`: the sd of correlations among random words' profiles; None in records of old.
    """

    words: tuple[str, ...]
    matrix: Array
    nearness: Array
    n_attributes: int
    random_sd: float | None


def profiles_of(frame: pd.DataFrame) -> Profiles | None:
    """Return the profiles of a frame's words; None where it has no record of them."""
    record = provenance_of(frame).get("profiles")
    if record is None:
        return None
    words, profiles, mean = unpacked(record)
    n = int(record["n_attributes"])
    found = profiles - profiles.mean(axis=0)
    found -= found[:, :n].mean(axis=1, keepdims=True)
    return Profiles(words, found, mean - mean[:n].mean(), n, record.get(RANDOM_SD))


def averaged(
    frames: Iterable[pd.DataFrame],
    scales: Iterable[float] | None = None,
    *,
    signs: Sequence[int] | None = None,
) -> dict[str, Any] | None:
    """Return the record of several runs or embeddings: what is alike in them on average.

    The profiles of each are divided by its scale, by default 1. `signs`: −1 and 1 where what is
    asked of the frames is the difference of the second from the first.
    """
    frames = list(frames)
    every = [found for found in map(profiles_of, frames) if found is not None]
    if len(every) < len(frames):
        return None
    shared, places, n = _shared([one.words for one in every], every[0].n_attributes)
    parts, nearness = [], np.zeros(len(shared))
    factors: Sequence[float] = signs or [1 / len(every)] * len(every)
    each = zip(every, places, factors, scales or [1.0] * len(every), strict=True)
    for one, chosen, factor, scale in each:
        weight = np.sqrt(SIZE / len(one.matrix)) / scale  # each counts the same
        parts.append(one.matrix[:, chosen] * weight)
        nearness += factor / scale * one.nearness[chosen]
    samples = [provenance_of(frame)["profiles"]["sample_sha256"] for frame in frames]
    sd = _mean_sd([one.random_sd for one in every])
    return packed(shared, samples, np.concatenate(parts), n, nearness, random_sd=sd)


def _shared(
    words: Sequence[Sequence[str]], n_attributes: int
) -> tuple[list[str], list[list[int]], int]:
    """Return the words that all records have, their places in each, and how many are attributes."""
    places = [{word: i for i, word in enumerate(one)} for one in words]
    names = [word for word in words[0] if all(word in at for at in places)]
    n = sum(places[0][name] < n_attributes for name in names)
    return names, [[at[name] for name in names] for at in places], n


def _mean_sd(sds: Sequence[float | None]) -> float | None:
    """Return the mean of what records know of random words; None where one does not know it."""
    known = [sd for sd in sds if sd is not None]
    return sum(known) / len(known) if len(known) == len(sds) else None


def coordinates_agree(before: pd.DataFrame, after: pd.DataFrame) -> float | None:
    """Return how far sampled words have the same coordinates in both vectors: a correlation.

    A step on finished vectors leaves them near where they were; another training has no reason to
    put any word where the first did, however alike its distances are. None where a frame comes
    without vectors, or too few sampled words are in both; 0 where one has fewer coordinates.
    """
    records = [provenance_of(frame).get("profiles") or {} for frame in (before, after)]
    if not all("anchors" in record for record in records):
        return None
    (old, first, _), (new, second, _) = (unpacked(record["anchors"]) for record in records)
    place = {word: i for i, word in enumerate(new)}
    shared = [i for i, word in enumerate(old) if word in place]
    if len(shared) < _FEWEST_ANCHORS:
        return None
    if len(first) != len(second):
        return 0.0
    both = first[:, shared].ravel(), second[:, [place[old[i]] for i in shared]].ravel()
    return float(np.corrcoef(*both)[0, 1])


def of_sum(frames: Sequence[pd.DataFrame], weights: Sequence[float]) -> dict[str, Any] | None:
    """Return the record of a weighted sum of distances; None where the samples are not the same."""
    records = [provenance_of(frame).get("profiles") or {} for frame in frames]
    first = records[0]
    if not first or len({record.get("sample_sha256") for record in records}) > 1:
        return None
    found = [unpacked(record) for record in records]
    names, places, n = _shared([words for words, *_ in found], first["n_attributes"])
    if not names or len({len(profiles) for _, profiles, _ in found}) > 1:
        return None
    each = list(zip(weights, places, found, strict=True))
    summed = sum(weight * profiles[:, at] for weight, at, (_, profiles, _) in each)
    mean = np.asarray(weights) @ np.array([mean[at] for _, at, (*_, mean) in each])
    sd = _mean_sd([record.get(RANDOM_SD) for record in records])
    record = packed(names, (), np.asarray(summed), n, mean, random_sd=sd)
    return {**record, "sample_sha256": first["sample_sha256"]}
