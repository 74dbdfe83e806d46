"""SAME: how far words lie along the differences of the groups' mean vectors.

Also Schröder, Schulz and Hammer (2022), The SAME score: Improved cosine based bias score for word
embeddings.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from bayesbias.errors import ArgumentError
from bayesbias.measures.arrangements import attributes_and_groups
from bayesbias.measures.declaration import Measure, Value, measured
from bayesbias.measures.measure_result import MeasureResult
from bayesbias.measures.wordsets import WordSets, unit_vectors, wanted_words
from bayesbias.support.arrays import Array
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.subspaces import RANK_TOLERANCE


def same(
    vectors: KeyedVectors,
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
    words : sequence of str
        Words that should be neutral.
    groups : mapping from name to words
        Two groups of protected words or more. A group's mean is that of its unit vectors.
    draws, prob, seed
        Of the bootstrap over the words and the groups' words.

    Returns
    -------
    MeasureResult
        Between 0 and 1. For two groups ``by_word`` has the cosines, positive toward the first
        group; ``details["skew"]`` is their mean and ``details["stereotype"]`` their standard
        deviation (ddof=0), as the authors call them. For more groups ``by_word`` has the length of
        a word's projection on the span of the differences.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package, and if there are fewer than two groups, or all have the
        same mean.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"he": [1.0, 0.0], "she": [0.0, 1.0], "work": [3.0, 0.0],
    ...                         "home": [2.0, 2.0]})
    >>> result = same(kv, ["work", "home"], {"man": ["he"], "woman": ["she"]}, seed=1)
    >>> round(result.value, 4), round(result.by_word["work"], 4)
    (0.3536, 0.7071)
    """
    if len(groups) < 2:
        raise ArgumentError(f"groups: needs two or more, not {len(groups)}")
    found = wanted_words("SAME", vectors, groups, {"words": words})
    arrays = {role: unit_vectors(vectors, found.used[role]) for role in ("words", *groups)}
    two = len(groups) == 2

    def formula(rows: Array, *members: Array) -> Value:
        components = rows @ _between_means(members).T
        if not components.size:
            raise ArgumentError("groups: all have the same mean vector, so nothing sets them apart")
        lengths = np.linalg.norm(components, axis=1)
        by_word = components[:, 0] if two else lengths
        details = {"skew": float(by_word.mean()), "stereotype": float(by_word.std())}
        return Value(lengths.mean(), by_word, details if two else {})

    text = f"mean length of w/‖w‖ in the span of {len(groups)} group means' differences"
    if two:
        text = "mean |cos(w, mean of the first group − mean of the second)|, means of unit vectors"
    by = found.used["words"]
    return measured("SAME", found, formula, text, arrays, by=by, draws=draws, prob=prob, seed=seed)


def _between_means(members: Sequence[Array]) -> Array:
    """Return an orthonormal basis of the span of the differences of the groups' means."""
    means = np.array([m.mean(axis=0) for m in members])
    if len(means) == 2:
        difference = means[0] - means[1]
        length = np.linalg.norm(difference)
        return difference[None, :] / length if length > RANK_TOLERANCE else means[:0]
    _, size, right = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    return np.asarray(right[size > RANK_TOLERANCE])


MEASURES: Final = (
    Measure(
        name="SAME",
        function=same,
        source="Schröder, Schulz, Kenneweg, Feldhans, Hinder and Hammer (2021), Evaluating Metrics "
        "for Bias in Word Embeddings",
        reading="says how far words lie along the differences of the groups' means; not whether a "
        "word lies where a stereotype would put it, and it is above 0 for any word list",
        calls=attributes_and_groups,
    ),
)
