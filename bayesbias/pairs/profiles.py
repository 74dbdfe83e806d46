"""The distances of common words to the attributes of a frame: how alike attributes are.

They go with a frame in its record (`provenance`), because pairs alone do not tell which attributes
are of one topic. The words are the same for every list and every file of vectors, so that an answer
does not depend on which other words were loaded.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.errors import BayesBiasError
from bayesbias.pairs.profile_records import packed, unpacked
from bayesbias.pairs.provenance import provenance_of
from bayesbias.support.text_files import read_text
from bayesbias.vectors.lookup import vectors_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Array = NDArray[np.float64]

FEWEST: Final = 200
"""Common words without which a covariance says little."""


@cache
def common_words() -> tuple[str, ...]:
    """Return a thousand common English words, which vectors are asked for beside a list's own."""
    place = files("bayesbias.vectors") / "common_words.txt"
    return tuple(read_text(str(place), BayesBiasError).split())


def profiles_record(
    vectors: "KeyedVectors", attributes: Mapping[str, str], own: Sequence[str]
) -> dict[str, Any] | None:
    """Return the record of profiles: distances of common words to attributes, less their mean.

    Parameters
    ----------
    vectors : KeyedVectors
    attributes : mapping of str to str
        From an attribute to its key in the vectors.
    own : sequence of str
        Keys of the list's words, which stand in where the vectors have few of the common ones.
    """
    found = _with_direction(vectors, [w for w in common_words() if w in vectors.key_to_index])
    if len(found) < FEWEST:
        found = list(dict.fromkeys(own))
        found = found[:: -(-len(found) // len(common_words()))]  # no more than the common ones
    sample = _unit(vectors_of(vectors, found))
    mean = sample.mean(axis=0)
    of_attributes = _unit(vectors_of(vectors, list(attributes.values()))) - mean
    return packed(list(attributes), found, -(sample - mean) @ of_attributes.T)


def _with_direction(vectors: "KeyedVectors", words: list[str]) -> list[str]:
    """Return the words whose vector has one: of those on no list, the others are left out."""
    matrix = np.asarray(vectors.vectors[[vectors.key_to_index[word] for word in words]])
    sound = np.isfinite(matrix).all(axis=1) & matrix.any(axis=1)
    return [word for word, has_one in zip(words, sound, strict=True) if has_one]


def _unit(matrix: Array) -> Array:
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True))


def profiles_of(frame: pd.DataFrame) -> tuple[tuple[str, ...], Array] | None:
    """Return the attributes of a frame's profiles, and these, (n_sample, n_attributes)."""
    record = provenance_of(frame).get("profiles")
    return None if record is None else unpacked(record)


def averaged(frames: Iterable[pd.DataFrame]) -> dict[str, Any] | None:
    """Return the record of several runs: what is alike in them on average."""
    records = [provenance_of(frame).get("profiles") for frame in frames]
    known = [record for record in records if record is not None]
    if len(known) < len(records):
        return None
    both = [unpacked(record) for record in known]
    shared = [word for word in both[0][0] if all(word in words for words, _ in both)]
    parts = []
    for words, profiles in both:
        at = {word: i for i, word in enumerate(words)}
        part = profiles[:, [at[word] for word in shared]]
        parts.append((part - part.mean(axis=0)) / np.sqrt(len(part) * len(both)))
    return packed(shared, (), np.concatenate(parts) * 10.0)


def of_change(before: pd.DataFrame, after: pd.DataFrame) -> dict[str, Any] | None:
    """Return the record of a change: how the distances of common words changed."""
    old, new = (provenance_of(frame).get("profiles") for frame in (before, after))
    if not old or not new or old["sample_sha256"] != new["sample_sha256"]:
        return None
    (words, first), (others, second) = unpacked(old), unpacked(new)
    at = {word: i for i, word in enumerate(others)}
    shared = [i for i, word in enumerate(words) if word in at]
    names = [words[i] for i in shared]
    if not names or len(first) != len(second):
        return None
    change = second[:, [at[name] for name in names]] - first[:, shared]
    return {**packed(names, (), change), "sample_sha256": old["sample_sha256"]}
