"""Least-squares concept erasure: the smallest change after which classes have one mean.

Belrose, Schneider-Joseph, Ravfogel, Cotterell, Raff and Biderman (2023), LEACE: Perfect Linear
Concept Erasure in Closed Form, NeurIPS.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import numpy as np

from bayesbias.debias.classes import class_members
from bayesbias.debias.results import Debiased
from bayesbias.debias.steps import Work
from bayesbias.debias.words import EVERY, WordSets, plan_words
from bayesbias.errors import ArgumentError
from bayesbias.pairs.word_lists import WordList
from bayesbias.support.arrays import Array
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.subspaces import RANK_TOLERANCE, explained_shares

_SAME_MEAN: Final = 1e-4
"""Standard deviations, in whitened vectors, that rounding of float32 keeps class means apart."""


def leace(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    classes: Mapping[str, Sequence[str]] | None = None,
    defining_sets: WordSets | None = None,
    neutralise: Iterable[str] | Literal["all", "every"] | None = EVERY,
    keep: Iterable[str] = (),
    normalise: bool = True,
    memory_mb: float = math.inf,
) -> Debiased:
    """Give classes of words one mean, by the smallest change (Belrose et al. 2023, LEACE).

    r(w) = w − W⁺PW(w − μ), with μ and Σ the mean and covariance of the words learned from, W the
    pseudo-inverse of Σ^½, and P the orthogonal projection on the span of W times the differences of
    the class means. Afterwards no linear classifier of the words learned from is better, by any
    convex loss, than one that says the same of all of them; of all maps of which that holds, this
    one moves these words least, in the mean square, however components are weighted. Zero vectors,
    which it would move, are left out. An ArgumentError if a word is in two classes, or the classes
    have the same mean, as they have after this; a WordListError if a class has fewer than four
    words in the vectors.

    Parameters
    ----------
    vectors, wordlist, classes, defining_sets, neutralise, keep, normalise, memory_mb
        As in `inlp`. A word that was learned from and is not neutralised keeps classes apart.

    Returns
    -------
    Debiased
        ``record.basis`` spans the differences of the class means, one direction fewer than there
        are classes; ``record.diagnostics`` has how many words of each class were learned from.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"a": [1, 1], "b": [1, -1], "c": [3, 1], "d": [3, -1],
    ...                      "e": [-1, 1], "f": [-1, -1], "g": [-3, 1], "h": [-3, -1]})
    >>> classes = {"one": list("abcd"), "two": list("efgh")}
    >>> result = leace(kv, classes=classes, defining_sets=[["a", "e"]], normalise=False)
    >>> result.vectors["c"].round(6).tolist()
    [0.0, 1.0]
    """
    plan = plan_words(vectors, wordlist, defining_sets, neutralise, (), keep)
    work = Work(vectors, plan, normalise=normalise, memory_mb=memory_mb)
    members = class_members(work, classes)
    centre, along, span = erasure(members)
    if not len(span):
        raise ArgumentError(
            "the classes have the same mean, so that there is nothing to take away; give other "
            "classes="
        )
    bias = explained_shares(work.defining_vectors(), span)
    work.neutralise(bias, along=along, centre=centre)
    found = {"n_learned": [len(rows) for rows in members]}
    return work.result("leace", bias, diagnostics=found, normalise=normalise)


def erasure(members: Sequence[Array]) -> tuple[Array, Array, Array]:
    """Return c, A and orthonormal B, (k, dim), of w − Bᵀ A (w − c); classes are (n_words, dim)."""
    rows = np.concatenate(members)
    centre = rows.mean(axis=0)
    spread = rows - centre
    values, axes = np.linalg.eigh(spread.T @ spread / len(rows))
    seen = values > values[-1] * RANK_TOLERANCE
    root, axes = np.sqrt(values[seen]), axes[:, seen]
    means = np.array([one.mean(axis=0) - centre for one in members])
    _, apart, right = np.linalg.svd((means @ axes) / root, full_matrices=False)
    right = right[apart > _SAME_MEAN]
    # Columns of Σ^½ R and rows of R W; the first made orthonormal, the second turned along.
    basis, turned = np.linalg.qr(axes @ (root[:, None] * right.T))
    return centre, turned @ (right / root) @ axes.T, basis.T
