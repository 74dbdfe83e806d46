"""Half-sibling regression: words lose what the words of the defining sets predict of them.

Yang and Feng (2020), A Causal Inference Method for Reducing Gender Bias in Word Embedding
Relations, AAAI.
"""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bayesbias.debias.results import Debiased
from bayesbias.debias.steps import Work
from bayesbias.debias.words import WordSets, plan_words
from bayesbias.errors import ArgumentError
from bayesbias.pairs.word_lists import WordList
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.subspaces import RANK_TOLERANCE, explained_shares


def half_sibling(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    alpha: float = 60.0,
    defining_sets: WordSets | None = None,
    neutralise: Iterable[str] | Literal["all"] | None = None,
    keep: Iterable[str] = (),
    normalise: bool = False,
    memory_mb: float = math.inf,
) -> Debiased:
    """Subtract what a ridge regression on gendered words predicts (Yang and Feng 2020).

    w − D(DᵀD + αI)⁻¹Dᵀw, with the words of the defining sets as the columns of D: each word is
    regressed on them, component by component, and keeps the residual. These words themselves stay
    as they are. The regression is not on their differences, so that a word loses what the words of
    a set have in common, too. An ArgumentError if the defining words span the whole space and
    `alpha` is 0.

    Parameters
    ----------
    vectors, wordlist, defining_sets, neutralise, keep, memory_mb
        As in `hard`. Every word of a defining set counts once; the authors name hundreds of words.
    alpha : float
        α, the ridge penalty, which belongs to the lengths of the vectors: 60 is the authors' value
        for GloVe. 0 projects words out of the span of all words of the defining sets; the larger,
        the less is subtracted.
    normalise : bool
        Scale all vectors to unit length first; debiased words are not rescaled.

    Returns
    -------
    Debiased
        ``record.basis`` spans the words of the defining sets; ``record.diagnostics`` has the share
        of a word that is subtracted along each of its directions.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [2, 0, 0], "she": [0, 1, 0], "nurse": [5, 2, 1]})
    >>> result = half_sibling(kv, alpha=1, defining_sets=[["he", "she"]], neutralise=["nurse"])
    >>> result.vectors["nurse"].tolist()
    [1.0, 1.0, 1.0]
    """
    if not (np.isfinite(alpha) and alpha >= 0):
        raise ArgumentError(f"alpha={alpha}: must be a number from 0")
    plan = plan_words(vectors, wordlist, defining_sets, neutralise, (), keep)
    work = Work(vectors, plan, normalise=normalise, memory_mb=memory_mb)
    named = tuple(dict.fromkeys(word for one in plan.defining_sets for word in one))
    _, size, right = np.linalg.svd(work.rows(named), full_matrices=False)
    seen = size > RANK_TOLERANCE * size[0]
    share = size[seen] ** 2 / (size[seen] ** 2 + alpha)
    if not alpha and len(share) >= work.matrix.shape[1]:
        raise ArgumentError(
            f"alpha={alpha}: the {len(named)} words of the defining sets span all {len(share)} "
            f"dimensions, so that nothing would be left of any word; give a larger alpha"
        )
    span = explained_shares(work.defining_vectors(), right[seen])
    work.neutralise(span, along=share[:, None] * span.basis)
    asked: dict[str, Any] = {"alpha": alpha, "normalise": normalise}
    found = {"subtracted": share.tolist()}
    return work.result("half_sibling", span, diagnostics=found, **asked)
