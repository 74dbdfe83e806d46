"""Debiasing by projection: chosen words lose their part in a bias subspace.

Pairs such as (he, she) differ in gender and little else, so that their differences span a bias
subspace B. To neutralise a word is to take away its projection on B, w − w_B; to equalise a pair is
to leave its words their difference within B alone, so that a neutral word is equally close to both
(Bolukbasi et al. 2016; k dimensions: Manzini et al. 2019; the span of the differences: Ethayarajh
et al. 2019). A copy, one singular value decomposition of the defining words, and 4·k·dim operations
for each word neutralised are the cost.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bayesbias.debias.geometry import equalised, separable
from bayesbias.debias.steps import Debiased, Work
from bayesbias.debias.words import Dropped, Neutralise, SetsOfWords, WordPlan, plan_words
from bayesbias.errors import ArgumentError
from bayesbias.support.arguments import KeyedVectors
from bayesbias.vectors.subspaces import Subspace, bias_subspace
from bayesbias.words.word_lists import WordList


def hard(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    matched: SetsOfWords | None = None,
    neutralise: Neutralise = None,
    equalise: SetsOfWords | None = None,
    keep: Iterable[str] = (),
    normalise: bool = True,
) -> Debiased:
    """Neutralise words against one bias direction, and equalise pairs (Bolukbasi et al. 2016).

    The direction is the first right singular vector of the matched sets, each centred. A
    neutralised word is (w − w_B)/‖w − w_B‖, at right angles to it. The members of an equalised pair
    differ along the direction only, and are equally far from every neutralised word. Other words
    are scaled to unit length; with ``normalise=False`` they stay as they are, to the bit.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        Not changed.
    wordlist : WordList, str or Path, optional
        Gives its matched sets, and the words that are specific to a group, which are left.
    matched : sequence of sets of words, or of WordPair, optional
        Sets of words that differ only in what is protected. A set with a missing member is dropped.
    neutralise : iterable of str, "all" or "listed", optional
        By default all but protected words, the list's specific words, and `keep`, as Bolukbasi et
        al. do; a list without specific words (``WordList.specific``) has no default. ``"all"``: all
        but the words of matched sets, of sets to equalise, and `keep`. ``"listed"``: the list's
        stereotype attributes alone. A word that is equalised is not neutralised.
    equalise : sequence of pairs, optional
        Pairs to equalise, in this order; the matched sets if None; ``()`` for none. A pair with a
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
    >>> result = hard(kv, matched=[["he", "she"]], neutralise=["nurse"])
    >>> result.vectors["nurse"].tolist()
    [0.0, 1.0]
    """
    plan = plan_words(vectors, wordlist, matched, neutralise, equalise, keep)
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
    matched: SetsOfWords | None = None,
    neutralise: Neutralise = None,
    equalise: SetsOfWords | None = None,
    keep: Iterable[str] = (),
    normalise: bool = True,
    as_published: bool = False,
) -> Debiased:
    """Neutralise words against a bias subspace, and equalise sets (Manzini et al. 2019, hard).

    As `hard`, with the first k right singular vectors of the centred matched sets in place of one
    direction, and sets of any size in place of pairs; each counts with all of its members.

    Parameters
    ----------
    vectors, wordlist, matched, neutralise, equalise, keep, normalise
        As in `hard`.
    k : int
        Dimension of the subspace.
    as_published : bool
        As the authors' program: the subspace is that of the vectors at their own lengths; words to
        neutralise are neutralised even if they are equalised later; and a set that repeats a word
        of an earlier one is equalised again, which partly reverses the first time.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if the matched sets span fewer than k dimensions, or
        `as_published` comes with ``normalise=False``.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"jew": [1, 0, 0], "christian": [0, 1, 0], "muslim": [0, 0, 1],
    ...                      "greedy": [2, 1, 0]})
    >>> result = multiclass(kv, k=2, matched=[["jew", "christian", "muslim"]],
    ...                     neutralise=["greedy"])
    >>> result.vectors["greedy"].astype(float).round(3).tolist()
    [0.577, 0.577, 0.577]
    """
    if as_published and not normalise:
        raise ArgumentError("as_published=True: the authors' program scales vectors to unit length")
    plan = plan_words(vectors, wordlist, matched, neutralise, equalise, keep, repeated=as_published)
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
    matched: SetsOfWords | None = None,
    neutralise: Neutralise = None,
    keep: Iterable[str] = (),
    normalise: bool = False,
) -> Debiased:
    """Project words away from the span of the defining pairs (Ethayarajh et al. 2019).

    w − proj_B w, with B the span of all differences within the matched sets, not their principal
    component, and vectors of their own lengths. Afterwards ⟨w, x − y⟩ = 0, to float32, for every
    two members x, y of a matched set and every debiased w.

    Parameters
    ----------
    vectors, wordlist, matched, neutralise, keep
        As in `hard`; `choose_words` finds words to neutralise.
    normalise : bool
        Scale all vectors to unit length first; debiased words are not rescaled.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if the matched sets span the whole space.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"man": [2, 0, 1], "woman": [0, 0, 1], "nurse": [-1, 2, 3]})
    >>> result = subspace(kv, matched=[["man", "woman"]], neutralise=["nurse"])
    >>> result.vectors["nurse"].tolist()
    [0.0, 2.0, 3.0]
    """
    plan = plan_words(vectors, wordlist, matched, neutralise, (), keep)
    work = Work(vectors, plan, normalise=normalise)
    span = bias_subspace(work.defining_vectors(), None)
    dim = work.matrix.shape[1]
    if len(span.basis) >= dim:
        raise ArgumentError(
            f"the {len(plan.matched)} matched sets span all {dim} dimensions, so that "
            f"nothing would be left of any word; give fewer sets"
        )
    work.neutralise(span)
    return work.result("subspace", span, k=len(span.basis), normalise=normalise)


def refuse_more_than_pairs(plan: WordPlan) -> None:
    """Refuse to equalise sets of three and more words in one dimension."""
    for words in plan.equalise:
        if len(words) > 2:
            raise ArgumentError(
                f"equalise {', '.join(words)}: in one dimension only two words can be equalised, "
                f"since a third would become the same vector as another; give pairs, use "
                f"debias.multiclass with k of 2 or more, or say equalise=()"
            )


def neutralise_and_equalise(work: Work, bias: Subspace, *, apart: bool = True) -> None:
    """Neutralise words, then equalise the sets for which that is possible."""
    work.neutralise(bias, rescale=work.normalise)
    done = []
    for words in work.plan.equalise:
        rows = work.rows(words)
        if separable(rows, bias.basis, apart=apart):
            work.matrix[work.index(words)] = equalised(rows, bias.basis)
            done.append(words)
        else:
            reason = "within the bias subspace, members lie on their mean or on the same side of it"
            work.dropped.append(Dropped(words, "equalise", reason))
    work.equalised = tuple(done)
