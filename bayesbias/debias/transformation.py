"""Soft debiasing: one linear map for all words that trades similarities against association.

Hard debiasing removes a direction from some words. Soft debiasing maps all words by one matrix,
chosen so that inner products of words change little and those of neutral words with the bias
subspace become small, with λ the price of the second (Bolukbasi et al. 2016; Manzini et al. 2019).
The problem is convex in TᵀT (`soft_optimisation`), so that there is one answer.
"""

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from bayesbias.debias.geometry import map_all, second_moments
from bayesbias.debias.soft_optimisation import soft_transformation
from bayesbias.debias.steps import Debiased, Work
from bayesbias.debias.words import SetsOfWords, plan_words
from bayesbias.errors import ArgumentError, ConvergenceWarning, EmbeddingError
from bayesbias.pairs.word_lists import WordList
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.subspaces import bias_subspace

_TOLD: Final = (
    *("converged", "iterations", "gradient_norm", "gradient_limit", "objective"),
    *("objective_at_identity", "distortion", "association", "smallest_eigenvalue"),
    "constrained",
)
PUBLISHED: Final = 0.2  # the weight of Bolukbasi et al. (2016) and Manzini et al. (2019)


def soft(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    k: int = 1,
    lam: float | None = None,
    defining_sets: SetsOfWords | None = None,
    neutralise: Iterable[str] | Literal["all", "listed"] | None = None,
    keep: Iterable[str] = (),
    normalise: bool = True,
) -> Debiased:
    """Map all words linearly so that neutral words leave the bias subspace (Manzini et al. 2019).

    T minimises ‖(TW)ᵀ(TW) − WᵀW‖²_F + λ‖(TN)ᵀ(TB)‖²_F: W holds all words, N the neutral ones, B the
    basis of the bias subspace. The minimiser is found to rounding (`soft_optimisation`), T is its
    symmetric root, and the new vectors are Tw, not rescaled.

    Parameters
    ----------
    vectors, wordlist, defining_sets, keep
        As in `hard`.
    k : int
        Dimension of the bias subspace.
    lam : float, optional
        λ, the weight of the association. The first term sums over all pairs of words, so that the
        same λ does the less the more words there are: 0.2, the authors' value, changes next to
        nothing on a large vocabulary. By default it is 0.2 with either term as a share of what it
        is for vectors that are zero (first) or as they were (second): λ = 0.2 ‖WᵀW‖²_F / ‖NᵀB‖²_F.
        ``record.parameters`` has the number.
    neutralise : iterable of str, "all" or "listed", optional
        The neutral words, N, as in `hard`.
    normalise : bool
        Scale all vectors to unit length first.

    Returns
    -------
    Debiased
        ``record.diagnostics`` has the path of the objective, the gradient's norm and both terms; a
        ConvergenceWarning tells if the minimiser was not reached.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if λ is so large that a word would become zero.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [0.8, 0.6], "she": [-0.8, 0.6], "nurse": [-0.6, 0.8]})
    >>> result = soft(kv, defining_sets=[["he", "she"]], neutralise=["nurse"], lam=10)
    >>> result.vectors["nurse"].astype(float).round(2).tolist()
    [-0.38, 0.79]
    """
    if lam is not None and not (np.isfinite(lam) and lam >= 0):
        raise ArgumentError(f"lam={lam}: must be a number from 0")
    plan = plan_words(vectors, wordlist, defining_sets, neutralise, (), keep)
    work = Work(vectors, plan, normalise=normalise)
    bias = bias_subspace(work.defining_vectors(), k)
    words = second_moments(work.matrix)
    neutral = second_moments(work.matrix, work.index(plan.neutralise))
    if lam is None:
        # ‖NᵀB‖²_F = tr BᵀNNᵀB; and ‖WᵀW‖_F = ‖WWᵀ‖_F, whose side is the dimension.
        association = float(np.sum((bias.basis @ neutral) * bias.basis))
        lam = PUBLISHED * float(np.sum(words**2)) / association if association > 0 else PUBLISHED
    solution = soft_transformation(words, neutral, bias.basis, lam=lam)
    if not solution.converged:
        warnings.warn(
            f"soft debiasing stopped after {solution.iterations:,} iterations with a gradient of "
            f"{solution.gradient_norm:.1e}, above {solution.gradient_limit:.1e}",
            ConvergenceWarning,
            stacklevel=2,
        )
    if (gone := map_all(work.matrix, solution.transformation)).size:
        raise EmbeddingError(
            f"{vectors.index_to_key[gone[0]]!r} would become the zero vector; choose a smaller lam"
        )
    found = {name: getattr(solution, name) for name in _TOLD} | {
        "objective": list(solution.objective),
        "association_at_identity": solution.objective_at_identity / lam if lam else None,
    }
    asked: dict[str, Any] = {"k": k, "lam": lam, "normalise": normalise}
    return work.result("soft", bias, diagnostics=found, **asked)
