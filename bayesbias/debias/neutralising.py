"""Hard debiasing: chosen words lose their part in a bias subspace.

Cost of every method: one pass that copies (and scales) the vectors, 4·k·dim operations for each
word neutralised, and a singular value decomposition of the defining words alone.
"""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import NDArray

from bayesbias.debias.geometry import equalised, separable
from bayesbias.debias.results import Debiased
from bayesbias.debias.steps import (
    debiased,
    defining_vectors,
    neutralise_rows,
    projected,
    working_copy,
)
from bayesbias.debias.words import Dropped, WordPlan, WordSets, plan_words, rows_of
from bayesbias.errors import ArgumentError
from bayesbias.pairs.word_lists import WordList
from bayesbias.vectors.subspaces import Subspace, bias_subspace

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def hard(
    vectors: "KeyedVectors",
    wordlist: WordList | str | Path | None = None,
    *,
    defining_sets: WordSets | None = None,
    neutralise: Iterable[str] | Literal["all"] | None = None,
    equalise: WordSets | None = None,
    keep: Iterable[str] = (),
    normalise: bool = True,
    memory_mb: float = math.inf,
) -> Debiased:
    """Neutralise words against one bias direction, and equalise pairs (Bolukbasi et al. 2016).

    The direction is the first right singular vector of the defining sets, each centred. A
    neutralised word is (w − w_B)/‖w − w_B‖: at right angles to the direction. The members of an
    equalised pair differ along the direction only, and are equally far from every neutralised
    word. All other words keep their direction and are scaled to unit length; with
    ``normalise=False`` they stay as they are, to the bit.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        Not changed.
    wordlist : WordList, str or Path, optional
        Gives its defining sets, and its stereotype attributes as words to neutralise, where these
        are not given.
    defining_sets : sequence of sets of words, or of WordPair, optional
        Sets of words that differ only in what is protected. A set with a missing member is
        dropped.
    neutralise : iterable of str, or "all", optional
        The words to neutralise, or ``"all"`` but the words of defining sets, of sets to equalise,
        and of `keep`. A word that is equalised is not neutralised.
    equalise : sequence of pairs, optional
        Pairs to equalise, in this order; the defining sets if None; ``()`` for none. A pair with a
        missing member, or with a word of an earlier pair, is dropped.
    keep : iterable of str
        With ``neutralise="all"``: more words to leave alone.
    normalise : bool
        Scale all vectors to unit length first, and neutralised words again afterwards. Without it
        nothing is rescaled, and the members of an equalised set get one length, the root of their
        mean squared length.
    memory_mb : float
        Megabytes of new vectors that may be held in memory. Larger results are put into a
        temporary file without a name, mapped into memory, in the folder that TMPDIR names. The
        list of words comes on top, and `vectors` themselves unless they are a store.

    Returns
    -------
    Debiased

    Raises
    ------
    ArgumentError
        If arguments contradict each other, or a set to equalise has not two members.
    WordListError
        If the words cannot be found, in the word list or in the vectors.
    EmbeddingError
        If a vector is not finite, or that of a word that is named is zero.
    OutputError
        If there is no room for a temporary file.

    Warns
    -----
    MissingWordsWarning, DataWarning
        If words were left out; ``record.dropped`` has them all.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [0.8, 0.6], "she": [-0.8, 0.6], "nurse": [-0.6, 0.8]})
    >>> result = hard(kv, defining_sets=[["he", "she"]], neutralise=["nurse"])
    >>> result.vectors["nurse"].tolist()
    [0.0, 1.0]
    """
    plan = plan_words(vectors, wordlist, defining_sets, neutralise, equalise, keep)
    _refuse_more_than_pairs(plan)
    parameters: dict[str, Any] = {"k": 1, "normalise": normalise}
    return _neutralised_and_equalised("hard", vectors, plan, wordlist, parameters, memory_mb)


def multiclass(
    vectors: "KeyedVectors",
    wordlist: WordList | str | Path | None = None,
    *,
    k: int = 2,
    defining_sets: WordSets | None = None,
    neutralise: Iterable[str] | Literal["all"] | None = None,
    equalise: WordSets | None = None,
    keep: Iterable[str] = (),
    normalise: bool = True,
    as_published: bool = False,
    memory_mb: float = math.inf,
) -> Debiased:
    """Neutralise words against a bias subspace, and equalise sets (Manzini et al. 2019, hard).

    As `hard`, with the first k right singular vectors of the centred defining sets in place of
    one direction, and sets of any size in place of pairs.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        Not changed.
    k : int
        Dimension of the subspace.
    wordlist, defining_sets, neutralise, equalise, keep, normalise, memory_mb
        As in `hard`. Sets may have different sizes; each counts with all of its members.
    as_published : bool
        Do what the authors' program does, step by step: the subspace is that of the vectors at
        their own lengths; words to neutralise are neutralised even if they are equalised later;
        and a set that repeats a word of an earlier one is equalised again, which partly reverses
        the first time. Sets with a missing member are dropped all the same.

    Returns
    -------
    Debiased

    Raises
    ------
    ArgumentError
        As `hard`, and if the defining sets span fewer than k dimensions, or `as_published` does
        not go with ``normalise=False``.
    WordListError, EmbeddingError, OutputError
        As `hard`.

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
        _refuse_more_than_pairs(plan)
    parameters: dict[str, Any] = {"k": k, "normalise": normalise}
    if as_published:
        parameters["as_published"] = True
    return _neutralised_and_equalised("multiclass", vectors, plan, wordlist, parameters, memory_mb)


def subspace(
    vectors: "KeyedVectors",
    wordlist: WordList | str | Path | None = None,
    *,
    defining_sets: WordSets | None = None,
    neutralise: Iterable[str] | Literal["all"] | None = None,
    keep: Iterable[str] = (),
    normalise: bool = False,
    memory_mb: float = math.inf,
) -> Debiased:
    """Project words away from the span of the defining pairs (Ethayarajh et al. 2019).

    w − proj_B w, with B the span of all differences within the defining sets, not their principal
    component, and vectors of their own lengths, which carry information. Afterwards ⟨w, x − y⟩ = 0,
    but for rounding to float32, for every two members x, y of a defining set and every debiased w.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        Not changed.
    wordlist, defining_sets, neutralise, keep
        As in `hard`; `choose_words` finds words to neutralise.
    normalise : bool
        Scale all vectors to unit length first; debiased words are not rescaled.
    memory_mb : float
        As in `hard`.

    Returns
    -------
    Debiased

    Raises
    ------
    ArgumentError
        As `hard`, and if the defining sets span the whole space.
    WordListError, EmbeddingError, OutputError
        As `hard`.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"man": [2, 0, 1], "woman": [0, 0, 1], "nurse": [-1, 2, 3]})
    >>> result = subspace(kv, defining_sets=[["man", "woman"]], neutralise=["nurse"])
    >>> result.vectors["nurse"].tolist()
    [0.0, 2.0, 3.0]
    """
    plan = plan_words(vectors, wordlist, defining_sets, neutralise, (), keep)
    matrix, notes = working_copy(vectors, normalise=normalise, memory_mb=memory_mb)
    dim = matrix.shape[1]
    span = bias_subspace(defining_vectors(matrix, vectors, plan), None)
    if len(span.basis) >= dim:
        raise ArgumentError(
            f"the {len(plan.defining_sets)} defining sets span all {dim} dimensions, so that "
            f"nothing would be left of any word; give fewer sets"
        )
    return projected(
        "subspace",
        vectors,
        matrix,
        plan,
        span,
        parameters={"k": len(span.basis), "normalise": normalise},
        notes=notes,
        wordlist=wordlist,
    )


def _neutralised_and_equalised(
    method: str,
    vectors: "KeyedVectors",
    plan: WordPlan,
    wordlist: WordList | str | Path | None,
    parameters: dict[str, Any],
    memory_mb: float,
) -> Debiased:
    normalise, as_published = parameters["normalise"], "as_published" in parameters
    matrix, notes = working_copy(vectors, normalise=normalise, memory_mb=memory_mb)
    lengths_from = vectors.vectors if as_published else matrix
    bias = bias_subspace(defining_vectors(lengths_from, vectors, plan), parameters["k"])
    dropped: list[Dropped] = []
    done = neutralise_rows(matrix, vectors, plan, bias, dropped, rescale=normalise)
    equal = _equalise(matrix, vectors, plan, bias, dropped, apart=not as_published)
    return debiased(
        method,
        vectors,
        matrix,
        plan,
        bias,
        parameters=parameters,
        neutralised=done,
        equalised=equal,
        dropped=dropped,
        notes=notes,
        wordlist=wordlist,
        stacklevel=5,
    )


def _refuse_more_than_pairs(plan: WordPlan) -> None:
    for one in plan.equalise:
        if len(one) > 2:
            raise ArgumentError(
                f"equalise {list(one)}: in one dimension only two words can be equalised, since "
                f"a third would become the same vector as another; give pairs, use "
                f"debias.multiclass with k of 2 or more, or say equalise=()"
            )


def _equalise(
    matrix: NDArray[Any],
    vectors: "KeyedVectors",
    plan: WordPlan,
    bias: Subspace,
    dropped: list[Dropped],
    *,
    apart: bool,
) -> tuple[tuple[str, ...], ...]:
    """Equalise sets in place; return those for which that was possible."""
    done = []
    for one in plan.equalise:
        rows = rows_of(matrix, vectors.key_to_index, one)
        if separable(rows, bias.basis, apart=apart):
            index = [vectors.key_to_index[word] for word in one]
            matrix[index] = equalised(rows, bias.basis, apart=apart)
            done.append(one)
        else:
            reason = "within the bias subspace, members lie on their mean or on the same side of it"
            dropped.append(Dropped(one, "equalise", reason))
    return tuple(done)
