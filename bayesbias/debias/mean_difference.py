"""Linear projection along the difference of two means (Dev and Phillips 2019)."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayesbias.debias.results import Debiased
from bayesbias.debias.steps import defining_vectors, projected, working_copy
from bayesbias.debias.words import EVERY, WordSets, plan_words
from bayesbias.errors import ArgumentError
from bayesbias.pairs.word_lists import WordList
from bayesbias.vectors.subspaces import RANK_TOLERANCE, explained_shares

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def two_means(
    vectors: "KeyedVectors",
    wordlist: WordList | str | Path | None = None,
    *,
    defining_sets: WordSets | None = None,
    neutralise: Iterable[str] | Literal["all", "every"] | None = EVERY,
    keep: Iterable[str] = (),
    normalise: bool = True,
    memory_mb: float = math.inf,
) -> Debiased:
    """Project words away from the difference of two groups' means (Dev and Phillips 2019).

    w − ⟨w, v⟩v, with v = (μ₁ − μ₂)/‖μ₁ − μ₂‖, μ₁ and μ₂ the mean vectors of the pairs' first and
    second words. Every word is projected, those of the pairs too, and none is rescaled. Afterwards
    the two groups have the same mean, if both are projected.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        Not changed.
    wordlist, keep
        As in `hard`.
    defining_sets : sequence of pairs, optional
        Pairs whose first words are one group and whose second words are the other. Only the two
        means count: how they are paired does not matter.
    neutralise : iterable of str, "all" or "every", optional
        ``"every"``, as the authors do, ``"all"`` for every word but those of the pairs, or a list;
        None for the stereotype attributes of the word list.
    normalise : bool
        Scale all vectors to unit length first.
    memory_mb : float
        As in `hard`.

    Returns
    -------
    Debiased

    Raises
    ------
    ArgumentError
        As `hard`, and if a defining set is no pair or both groups have the same mean.
    WordListError, EmbeddingError, OutputError
        As `hard`.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [0.8, 0.6], "she": [-0.8, 0.6], "nurse": [-0.6, 0.8]})
    >>> result = two_means(kv, defining_sets=[["he", "she"]])
    >>> result.vectors["nurse"].astype(float).round(3).tolist()
    [0.0, 0.8]
    """
    plan = plan_words(vectors, wordlist, defining_sets, neutralise, (), keep)
    for one in plan.defining_sets:
        if len(one) != 2:
            raise ArgumentError(
                f"defining set {list(one)}: two means need pairs of words; give pairs, or use "
                f"debias.multiclass or debias.inlp"
            )
    matrix, notes = working_copy(vectors, normalise=normalise, memory_mb=memory_mb)
    pairs = np.array(defining_vectors(matrix, vectors, plan))
    difference = (pairs[:, 0] - pairs[:, 1]).mean(axis=0)
    length = float(np.linalg.norm(difference))
    if length <= RANK_TOLERANCE * np.abs(pairs).max():
        raise ArgumentError("defining_sets: first and second words have the same mean vector")
    bias = explained_shares(list(pairs), difference[None, :] / length)
    return projected(
        "two_means",
        vectors,
        matrix,
        plan,
        bias,
        parameters={"normalise": normalise},
        notes=notes,
        wordlist=wordlist,
    )
