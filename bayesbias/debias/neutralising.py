"""Debiasing by projection: chosen words lose their part in a bias subspace.

Pairs such as (he, she) differ in gender and little else, so that their differences span a bias
subspace B. To neutralise a word is to take away its projection on B; to equalise a pair is to leave
its words their difference within B alone, so that a neutral word is equally close to both
(Bolukbasi et al. 2016; k dimensions: Manzini et al. 2019; the span of the differences: Ethayarajh
et al. 2019; difference of means: Dev and Phillips 2019). `half_sibling` takes away what a ridge
regression on gendered words predicts (Yang and Feng 2020). A copy, one singular value decomposition
of the defining words, and 4·k·dim operations for each word neutralised are the cost.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bayesbias.debias.geometry import equalised, separable
from bayesbias.debias.steps import Debiased, Work
from bayesbias.debias.words import EVERY, Dropped, SetsOfWords, WordPlan, plan_words
from bayesbias.errors import ArgumentError
from bayesbias.pairs.word_lists import WordList
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.subspaces import RANK_TOLERANCE, Subspace, bias_subspace, explained_shares


def hard(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    defining_sets: SetsOfWords | None = None,
    neutralise: Iterable[str] | Literal["all", "listed"] | None = None,
    equalise: SetsOfWords | None = None,
    keep: Iterable[str] = (),
    normalise: bool = True,
) -> Debiased:
    """Neutralise words against one bias direction, and equalise pairs (Bolukbasi et al. 2016).

    The direction is the first right singular vector of the defining sets, each centred. A
    neutralised word is (w − w_B)/‖w − w_B‖: at right angles to the direction. The members of an
    equalised pair differ along the direction only, and are equally far from every neutralised word.
    All other words are scaled to unit length; with ``normalise=False`` they stay as they are, to
    the bit.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        Not changed.
    wordlist : WordList, str or Path, optional
        Gives its defining sets, and the words that are specific to a group, which are left.
    defining_sets : sequence of sets of words, or of WordPair, optional
        Sets of words that differ only in what is protected. A set with a missing member is dropped.
    neutralise : iterable of str, "all" or "listed", optional
        The words to neutralise. By default all but protected words, the list's specific words, and
        `keep`, as Bolukbasi et al. do; a list without specific words (``WordList.specific``) has no
        default. ``"all"``: all but the words of defining sets, of sets to equalise, and `keep`.
        ``"listed"``: the list's stereotype attributes, which leaves all others as biased as before.
        A word that is equalised is not neutralised.
    equalise : sequence of pairs, optional
        Pairs to equalise, in this order; the defining sets if None; ``()`` for none. A pair with a
        missing member, or with a word of an earlier pair, is dropped.
    keep : iterable of str
        More words to leave alone, where a rule chooses those to neutralise.
    normalise : bool
        Scale all vectors to unit length first, and neutralised words again afterwards. Without it
        the members of an equalised set get one length, the root of their mean squared length.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if a set to equalise has not two members.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [0.8, 0.6], "she": [-0.8, 0.6], "nurse": [-0.6, 0.8]})
    >>> result = hard(kv, defining_sets=[["he", "she"]], neutralise=["nurse"])
    >>> result.vectors["nurse"].tolist()
    [0.0, 1.0]
    """
    plan = plan_words(vectors, wordlist, defining_sets, neutralise, equalise, keep)
    refuse_more_than_pairs(plan)
    work = Work(vectors, plan, normalise=normalise)
    bias = bias_subspace(work.defining_vectors(), 1)
    neutralise_and_equalise(work, bias)
    return work.result("hard", bias, k=1, normalise=normalise)


def multiclass(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    k: int = 2,
    defining_sets: SetsOfWords | None = None,
    neutralise: Iterable[str] | Literal["all", "listed"] | None = None,
    equalise: SetsOfWords | None = None,
    keep: Iterable[str] = (),
    normalise: bool = True,
    as_published: bool = False,
) -> Debiased:
    """Neutralise words against a bias subspace, and equalise sets (Manzini et al. 2019, hard).

    As `hard`, with the first k right singular vectors of the centred defining sets in place of one
    direction, and sets of any size in place of pairs; each counts with all of its members.

    Parameters
    ----------
    vectors, wordlist, defining_sets, neutralise, equalise, keep, normalise
        As in `hard`.
    k : int
        Dimension of the subspace.
    as_published : bool
        Do what the authors' program does, step by step: the subspace is that of the vectors at
        their own lengths; words to neutralise are neutralised even if they are equalised later;
        and a set that repeats a word of an earlier one is equalised again, which partly reverses
        the first time. Sets with a missing member are dropped all the same.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if the defining sets span fewer than k dimensions, or
        `as_published` comes with ``normalise=False``.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"jew": [1, 0, 0], "christian": [0, 1, 0], "muslim": [0, 0, 1],
    ...                      "greedy": [2, 1, 0]})
    >>> result = multiclass(kv, k=2, defining_sets=[["jew", "christian", "muslim"]],
    ...                     neutralise=["greedy"])
    >>> result.vectors["greedy"].astype(float).round(3).tolist()
    [0.577, 0.577, 0.577]
    """
    if as_published and not normalise:
        raise ArgumentError("as_published=True: the authors' program scales vectors to unit length")
    plan = plan_words(
        vectors, wordlist, defining_sets, neutralise, equalise, keep, repeated=as_published
    )
    if k == 1 and not as_published:
        refuse_more_than_pairs(plan)
    work = Work(vectors, plan, normalise=normalise)
    bias = bias_subspace(work.defining_vectors(vectors.vectors if as_published else None), k)
    neutralise_and_equalise(work, bias, apart=not as_published)
    parameters: dict[str, Any] = {"k": k, "normalise": normalise}
    if as_published:
        parameters["as_published"] = True
    return work.result("multiclass", bias, **parameters)


def subspace(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    defining_sets: SetsOfWords | None = None,
    neutralise: Iterable[str] | Literal["all", "listed"] | None = None,
    keep: Iterable[str] = (),
    normalise: bool = False,
) -> Debiased:
    """Project words away from the span of the defining pairs (Ethayarajh et al. 2019).

    w − proj_B w, with B the span of all differences within the defining sets, not their principal
    component, and vectors of their own lengths, which carry information. Afterwards ⟨w, x − y⟩ = 0,
    but for rounding to float32, for every two members x, y of a defining set and every debiased w.

    Parameters
    ----------
    vectors, wordlist, defining_sets, neutralise, keep
        As in `hard`; `choose_words` finds words to neutralise.
    normalise : bool
        Scale all vectors to unit length first; debiased words are not rescaled.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if the defining sets span the whole space.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"man": [2, 0, 1], "woman": [0, 0, 1], "nurse": [-1, 2, 3]})
    >>> result = subspace(kv, defining_sets=[["man", "woman"]], neutralise=["nurse"])
    >>> result.vectors["nurse"].tolist()
    [0.0, 2.0, 3.0]
    """
    plan = plan_words(vectors, wordlist, defining_sets, neutralise, (), keep)
    work = Work(vectors, plan, normalise=normalise)
    span = bias_subspace(work.defining_vectors(), None)
    dim = work.matrix.shape[1]
    if len(span.basis) >= dim:
        raise ArgumentError(
            f"the {len(plan.defining_sets)} defining sets span all {dim} dimensions, so that "
            f"nothing would be left of any word; give fewer sets"
        )
    work.neutralise(span)
    return work.result("subspace", span, k=len(span.basis), normalise=normalise)


def two_means(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    defining_sets: SetsOfWords | None = None,
    neutralise: Iterable[str] | Literal["all", "every", "listed"] | None = EVERY,
    keep: Iterable[str] = (),
    normalise: bool = True,
) -> Debiased:
    """Project words away from the difference of two groups' means (Dev and Phillips 2019).

    w − ⟨w, v⟩v, with v = (μ₁ − μ₂)/‖μ₁ − μ₂‖, μ₁ and μ₂ the mean vectors of the pairs' first and
    second words. Every word is projected, those of the pairs too, and none is rescaled. Afterwards
    the two groups have the same mean, if both are projected.

    Parameters
    ----------
    vectors, wordlist, neutralise, keep, normalise
        As in `inlp`.
    defining_sets : sequence of pairs, optional
        Pairs whose first words are one group and whose second words are the other. Only the two
        means count: how they are paired does not matter.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if a defining set is no pair or both groups have the
        same mean.

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
    work = Work(vectors, plan, normalise=normalise)
    pairs = np.array(work.defining_vectors())
    difference = (pairs[:, 0] - pairs[:, 1]).mean(axis=0)
    length = float(np.linalg.norm(difference))
    if length <= RANK_TOLERANCE * np.abs(pairs).max():
        raise ArgumentError("defining_sets: first and second words have the same mean vector")
    bias = explained_shares(list(pairs), difference[None, :] / length)
    work.neutralise(bias)
    return work.result("two_means", bias, normalise=normalise)


def half_sibling(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    alpha: float = 2.0,
    defining_sets: SetsOfWords | None = None,
    neutralise: Iterable[str] | Literal["all", "listed"] | None = None,
    keep: Iterable[str] = (),
    normalise: bool = False,
) -> Debiased:
    """Subtract what a ridge regression on gendered words predicts (Yang and Feng 2020).

    w − D(DᵀD + αmI)⁻¹Dᵀw, with the words of the defining sets as the columns of D and m the mean of
    their squared lengths: each word is regressed on them, component by component, and keeps the
    residual. These words themselves stay as they are. The regression is not on their differences,
    so that a word loses what the words of a set have in common, too.

    Parameters
    ----------
    vectors, wordlist, defining_sets, neutralise, keep
        As in `hard`. Every word of a defining set counts once; the authors name hundreds of words.
    alpha : float
        α, the ridge penalty, in mean squared lengths of the words of the defining sets, so that the
        scale of the vectors does not matter. The authors' 60 is 2 where that mean is 30, as in
        GloVe. 0 projects words out of the span of all words of the defining sets; the larger, the
        less is subtracted.
    normalise : bool
        Scale all vectors to unit length first; debiased words are not rescaled.

    Returns
    -------
    Debiased
        ``record.basis`` spans the words of the defining sets; ``record.diagnostics`` has the share
        of a word that is subtracted along each of its directions, and the penalty, αm.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if the defining words span the whole space and `alpha`
        is 0.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [2, 0, 0], "she": [0, 1, 0], "nurse": [5, 2, 1]})
    >>> result = half_sibling(kv, alpha=0.4, defining_sets=[["he", "she"]], neutralise=["nurse"])
    >>> result.record.diagnostics["penalty"]
    1.0
    >>> result.vectors["nurse"].tolist()
    [1.0, 1.0, 1.0]
    """
    if not (np.isfinite(alpha) and alpha >= 0):
        raise ArgumentError(f"alpha={alpha}: must be a number from 0")
    plan = plan_words(vectors, wordlist, defining_sets, neutralise, (), keep)
    work = Work(vectors, plan, normalise=normalise)
    named = tuple(dict.fromkeys(word for one in plan.defining_sets for word in one))
    _, size, right = np.linalg.svd(work.rows(named), full_matrices=False)
    # The rows are Dᵀ, so that `right` is Uᵀ of D = U S Vᵀ.
    seen = size > RANK_TOLERANCE * size[0]
    penalty = alpha * float(np.sum(size**2)) / len(named)  # Σ size² = Σ ‖d‖²
    # The ridge regression D(DᵀD + p I)⁻¹Dᵀ is U diag(s² / (s² + p)) Uᵀ.
    share = size[seen] ** 2 / (size[seen] ** 2 + penalty)
    if not alpha and len(share) >= work.matrix.shape[1]:
        raise ArgumentError(
            f"alpha={alpha}: the {len(named)} words of the defining sets span all {len(share)} "
            f"dimensions, so that nothing would be left of any word; give a larger alpha"
        )
    span = explained_shares(work.defining_vectors(), right[seen])
    work.neutralise(span, along=share[:, None] * span.basis)
    asked: dict[str, Any] = {"alpha": alpha, "normalise": normalise}
    found = {"subtracted": share.tolist(), "penalty": penalty}
    return work.result("half_sibling", span, diagnostics=found, **asked)


def refuse_more_than_pairs(plan: WordPlan) -> None:
    """Refuse to equalise sets of three and more words in one dimension."""
    for one in plan.equalise:
        if len(one) > 2:
            raise ArgumentError(
                f"equalise {', '.join(one)}: in one dimension only two words can be equalised, "
                f"since a third would become the same vector as another",
                advice="give pairs, use debias.multiclass with k of 2 or more, or say equalise=()",
                typed="give pairs, use the method multiclass with --k 2, or say --no-equalise",
            )


def neutralise_and_equalise(work: Work, bias: Subspace, *, apart: bool = True) -> None:
    """Neutralise words, then equalise the sets for which that is possible."""
    work.neutralise(bias, rescale=work.normalise)
    done = []
    for one in work.plan.equalise:
        rows = work.rows(one)
        if separable(rows, bias.basis, apart=apart):
            work.matrix[work.index(one)] = equalised(rows, bias.basis)
            done.append(one)
        else:
            reason = "within the bias subspace, members lie on their mean or on the same side of it"
            work.dropped.append(Dropped(one, "equalise", reason))
    work.equalised = tuple(done)
