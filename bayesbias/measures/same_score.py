"""SAME: how far words lie along the differences of the groups' mean vectors.

Schröder, Schulz, Kenneweg, Feldhans, Hinder and Hammer (2021), Evaluating Metrics for Bias in Word
Embeddings; Schröder, Schulz and Hammer (2022), The SAME score: Improved cosine based bias score
for word embeddings.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError
from bayesbias.measures.bootstrap import Resample, bootstrap_interval
from bayesbias.measures.declaration import Measure
from bayesbias.measures.inputs import attributes_and_groups
from bayesbias.measures.results import MeasureResult
from bayesbias.measures.wordsets import (
    WordSets,
    find_sets,
    need_vectors,
    unit_vectors,
    warn_dropped,
)
from bayesbias.vectors.subspaces import RANK_TOLERANCE

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Array = NDArray[np.float64]


def same(
    vectors: "KeyedVectors",
    words: Sequence[str],
    groups: WordSets,
    *,
    draws: int = 1000,
    prob: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> MeasureResult:
    """Mean absolute cosine to the difference of the groups' means (Schröder et al. 2021).

    Parameters
    ----------
    vectors : KeyedVectors
    words : sequence of str
        Words that should be neutral.
    groups : mapping from name to words
        Two groups of protected words or more. A group's mean is that of its unit vectors.
    draws : int
        Draws of the bootstrap.
    prob : float
        Probability of the interval.
    seed : int or Generator, optional

    Returns
    -------
    MeasureResult
        Between 0 and 1. For two groups ``by_word`` has the cosines, positive toward the first
        group; ``details["skew"]`` is their mean and ``details["stereotype"]`` their standard
        deviation (ddof=0), as the authors call them. For more groups ``by_word`` has the length of
        a word's projection on the span of the differences. The interval is from a bootstrap over
        the words and the groups' words.

    Raises
    ------
    ArgumentError
        If there are fewer than two groups, a set is empty or none of it is in the vectors, a word
        is in two sets, or all groups have the same mean.
    EmbeddingError
        If a vector is zero or not finite.

    Warns
    -----
    MissingWordsWarning
        If words are missing; ``dropped`` lists them.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"he": [1.0, 0.0], "she": [0.0, 1.0], "work": [3.0, 0.0],
    ...                         "home": [2.0, 2.0]})
    >>> result = same(kv, ["work", "home"], {"man": ["he"], "woman": ["she"]}, seed=1)
    >>> round(result.value, 4), round(result.by_word["work"], 4)
    (0.3536, 0.7071)
    """
    need_vectors(vectors, "SAME")
    if len(groups) < 2:
        raise ArgumentError(f"groups: needs two or more, not {len(groups)}")
    used, dropped = find_sets(vectors, groups, {"words": words})
    units = {role: unit_vectors(vectors, found) for role, found in used.items()}
    members = [units[name] for name in groups]
    cosines = _components(units["words"], members)
    if not cosines.size:
        raise ArgumentError("groups: all have the same mean vector, so nothing sets them apart")

    def drawn_value(drawn: Resample) -> float:
        parts = [m[rows] for m, rows in zip(members, drawn[1:], strict=True)]
        found = _components(units["words"][drawn[0]], parts)
        return float(_lengths(found).mean()) if found.size else np.nan

    interval = bootstrap_interval(
        drawn_value,
        {"words": len(used["words"]), **{name: len(used[name]) for name in groups}},
        draws=draws,
        prob=prob,
        seed=seed,
    )
    two = len(groups) == 2
    by_word = cosines[:, 0] if two else _lengths(cosines)
    warn_dropped(dropped)
    return MeasureResult(
        measure="SAME",
        value=float(_lengths(cosines).mean()),
        formula="mean |cos(w, mean of the first group − mean of the second)|, means of unit vectors"
        if two
        else f"mean length of w/‖w‖ in the span of {len(groups)} group means' differences",
        words=used,
        dropped=dropped,
        details={"skew": float(by_word.mean()), "stereotype": float(by_word.std())} if two else {},
        by_word=dict(zip(used["words"], by_word.tolist(), strict=True)),
        **interval._asdict(),
    )


def _components(words: Array, members: Sequence[Array]) -> Array:
    """Return each word's components in the span of the differences of the groups' means."""
    means = np.array([m.mean(axis=0) for m in members])
    if len(means) == 2:
        difference = means[0] - means[1]
        length = np.linalg.norm(difference)
        basis = difference[None, :] / length if length > RANK_TOLERANCE else means[:0]
    else:
        _, size, right = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
        basis = right[size > RANK_TOLERANCE]
    components: Array = words @ basis.T
    return components


def _lengths(rows: Array) -> Array:
    return np.asarray(np.linalg.norm(rows, axis=1))


SAME = Measure(
    name="SAME",
    function=same,
    source="Schröder, Schulz, Kenneweg, Feldhans, Hinder and Hammer (2021), Evaluating Metrics for "
    "Bias in Word Embeddings",
    reading="says how far words lie along the differences of the groups' means; not whether a word "
    "lies where a stereotype would put it, and it is above 0 for any word list",
    calls=attributes_and_groups,
)
