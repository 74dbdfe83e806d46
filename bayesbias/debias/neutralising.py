"""Debiasing by projection: chosen words lose their part in a bias subspace.

Pairs such as (he, she) differ in gender and little else, so that their differences span a bias
subspace B. To neutralise a word is to take away its projection on B, w − w_B; to equalise a pair is
to leave its words their difference within B alone, so that a neutral word is equally close to both
(Bolukbasi et al. 2016; k dimensions: Manzini et al. 2019; the span of the differences: Ethayarajh
et al. 2019). A copy, one singular value decomposition of the defining words, and 4·k·dim operations
for each word neutralised are the cost.

Large components of word vectors carry frequency, which mixes with gender. So double-hard debiasing
removes each in turn, and that one stays removed after which two clusters of the most biased words
agree least with their former sides; then follows hard debiasing (Wang et al. 2020, Double-Hard
Debias, ACL).
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np

from bayesbias.debias.record import Debiased, Dropped, SetTuples
from bayesbias.debias.work import (
    NOTHING_LEFT,
    Neutralise,
    SetsOfWords,
    Work,
    chunks,
    lengths_of,
    project_out,
)
from bayesbias.errors import ArgumentError, EmbeddingError, WordListError
from bayesbias.measures.subspaces import Subspace, bias_subspace
from bayesbias.support.arguments import Array, Index, KeyedVectors, seed_as_integer, whole_number
from bayesbias.words.word_lists import WordList

_FEWEST: Final = 4  # words of a side, of which clusters say something
_STARTS: Final = 10  # of k-means


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
    matched : sequence of sets of words, optional
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
    work = Work(vectors, wordlist, matched, neutralise, equalise, keep, normalise=normalise)
    _refuse_more_than_pairs(work.equalise)
    bias = bias_subspace(work.defining_vectors(), 1)
    _neutralise_and_equalise(work, bias)
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
    whole_number(k, "k", "dimensions", least=1)
    if as_published and not normalise:
        raise ArgumentError("as_published=True: the authors' program scales vectors to unit length")
    words: Any = (wordlist, matched, neutralise, equalise, keep)
    work = Work(vectors, *words, normalise=normalise, repeated=as_published)
    if k == 1 and not as_published:
        _refuse_more_than_pairs(work.equalise)
    source = vectors.vectors if as_published else work.matrix
    bias = bias_subspace([source[work.index(words)] for words in work.matched], k)
    _neutralise_and_equalise(work, bias, apart=not as_published)
    return work.result("multiclass", bias, k=k, normalise=normalise, as_published=as_published)


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
    work = Work(vectors, wordlist, matched, neutralise, (), keep, normalise=normalise)
    span = bias_subspace(work.defining_vectors(), None)
    dim = work.matrix.shape[1]
    if len(span.basis) >= dim:
        raise ArgumentError(
            f"the {len(work.matched)} matched sets span all {dim} dimensions, so that "
            f"nothing would be left of any word; give fewer sets"
        )
    work.neutralise(span)
    return work.result("subspace", span, k=len(span.basis), normalise=normalise)


def _refuse_more_than_pairs(sets: SetTuples) -> None:
    """Refuse to equalise sets of three and more words in one dimension."""
    for words in sets:
        if len(words) > 2:
            raise ArgumentError(
                f"equalise {', '.join(words)}: in one dimension only two words can be equalised, "
                f"since a third would become the same vector as another; give pairs, use "
                f"debias.multiclass with k of 2 or more, or say equalise=()"
            )


def _neutralise_and_equalise(work: Work, bias: Subspace, *, apart: bool = True) -> None:
    """Neutralise words, then equalise the sets for which that is possible."""
    work.neutralise(bias, rescale=work.normalise)
    done = []
    for words in work.equalise:
        new = equalised(work.rows(words), bias.basis, apart=apart)
        if new is not None:
            work.matrix[work.index(words)] = new
            done.append(words)
        else:
            reason = "within the bias subspace, members lie on their mean or on the same side of it"
            work.dropped.append(Dropped(words, "equalise", reason))
    work.equalised = tuple(done)


def equalised(vectors: Array, basis: Array, *, apart: bool = True) -> Array | None:
    """Return the vectors of a set that differ in the subspace only, all of one length.

    v = μ_⊥ + sqrt(r² − ‖μ_⊥‖²) (v_B − μ_B)/‖v_B − μ_B‖, with μ the mean of the set, ``_B`` the
    projection on the subspace, ``_⊥`` the rest (Bolukbasi et al. 2016, §5; Manzini et al. 2019,
    §3.2) and r² the members' mean squared length: 1 in the sources, whose vectors have unit length.
    None where members would not differ from each other: in the subspace one is the mean of the set
    or, if `apart`, two lie in the same direction from it. In one dimension only pairs can differ.
    """
    mean = vectors.mean(axis=0)
    along = (vectors - mean) @ basis.T
    lengths = lengths_of(along)
    if (lengths <= NOTHING_LEFT * lengths_of(vectors).max()).any():
        return None
    along /= lengths[:, None]
    between = np.linalg.norm(along[:, None] - along[None, :], axis=2)
    # 1 on the diagonal: no member is compared with itself.
    if apart and (between + np.eye(len(along)) <= NOTHING_LEFT).any():
        return None
    perpendicular = mean - (mean @ basis.T) @ basis
    # The mean is no longer than the root of the mean squared length, but for rounding.
    squared = float(np.mean(lengths_of(vectors) ** 2))
    rest = np.sqrt(max(0.0, squared - float(perpendicular @ perpendicular)))
    return perpendicular + rest * (along @ basis)


def double_hard(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    components: int = 20,
    n: int = 500,
    matched: SetsOfWords | None = None,
    neutralise: Neutralise = None,
    equalise: SetsOfWords | None = None,
    keep: Iterable[str] = (),
    normalise: bool = True,
    seed: int | np.random.Generator | None = 1,
) -> Debiased:
    """Remove a principal component of all words, then debias hard (Wang et al. 2020, Double-Hard).

    All vectors are centred: w − μ. Each of the first principal components is tried: the words that
    lean most to either side lose it, and their part along the bias direction, and are put into two
    clusters. The component after which the clusters agree least with the sides is removed from all
    words, and `hard` does the rest.

    Parameters
    ----------
    vectors, wordlist, matched, neutralise, equalise, keep, normalise
        As in `hard`. All words are centred and lose the component, those of `keep` too.
    components : int
        How many components are tried, fewer if there are not so many dimensions.
    n : int
        Words of each side, by the cosine with the bias direction before; at most a quarter of the
        words that are in no matched set, in no set to equalise and not in `keep`.
    seed : int or Generator, optional
        For the starts of k-means.

    Returns
    -------
    Debiased
        ``record.diagnostics`` has the ``component`` removed, from 1, and ``agreement``, the share
        of words whose cluster agrees with their side, for every component tried.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if a set to equalise has not two members, or fewer than
        16 words could be clustered.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> rng = np.random.default_rng(1)
    >>> matrix = rng.normal(size=(80, 6)) * [1, 5, 1, 1, 1, 1]
    >>> kv = load_embedding(([f"w{i}" for i in range(80)], matrix))
    >>> record = double_hard(kv, matched=[["w0", "w1"]], neutralise="all").record
    >>> len(record.diagnostics["agreement"])
    6
    """
    whole_number(components, "components", "principal components", least=1)
    whole_number(n, "n", "words", least=_FEWEST)
    number = seed_as_integer(seed)
    work = Work(vectors, wordlist, matched, neutralise, equalise, keep, normalise=normalise)
    _refuse_more_than_pairs(work.equalise)
    sides = _sides(work, n)
    centre = work.matrix.mean(axis=0, dtype=np.float64)
    moments = np.zeros((len(centre), len(centre)))
    for _, rows in chunks(work.matrix):
        moments += rows.T @ rows
    covariance = moments / len(work.matrix) - np.outer(centre, centre)
    tried = np.linalg.eigh(covariance)[1][:, ::-1].T[:components]
    rng = np.random.default_rng(number)
    agreement = [_agreement(work, sides, centre, axis, rng) for axis in tried]
    best = int(np.argmin(agreement))
    # The centre would move a zero vector, which has no direction, and so no bias.
    index = np.flatnonzero(work.matrix.any(axis=1))
    for places, rows in chunks(work.matrix, index):
        work.matrix[places] = rows - centre
    emptied = project_out(work.matrix, index, tried[best : best + 1], rescale=normalise)
    if emptied.size:
        raise EmbeddingError(
            f"{vectors.index_to_key[emptied[0]]!r} would become the zero vector without component "
            f"{best + 1}; leave the word out"
        )
    work.notes.append(
        f"all words are centred and without principal component {best + 1}, after which clusters "
        f"agree with the sides in {agreement[best]:.1%}"
    )
    bias = bias_subspace(work.defining_vectors(), 1)
    _neutralise_and_equalise(work, bias)
    diagnostics = {"component": best + 1, "agreement": agreement, "n_learned": len(sides[0])}
    arguments: dict[str, Any] = {"components": components, "n": n, "normalise": normalise}
    return work.result("double_hard", bias, diagnostics=diagnostics, seed=number, **arguments)


def _sides(work: Work, n: int) -> Index:
    """Return the rows of the words that lean most to either side, (2, n_words)."""
    direction = bias_subspace(work.defining_vectors(), 1).basis[0]
    named = {*work.keep, *(w for words in (*work.matched, *work.equalise) for w in words)}
    cosines = np.empty(len(work.matrix))
    for places, rows in chunks(work.matrix):
        lengths = np.linalg.norm(rows, axis=1)
        cosines[places] = rows @ direction / np.where(lengths, lengths, 1.0)
    free = np.array([i for w, i in work.vectors.key_to_index.items() if w not in named], np.intp)
    size = min(n, len(free) // 4)
    if size < _FEWEST:
        raise WordListError(
            f"{len(free)} words are in no matched set, in no set to equalise and not kept, and "
            f"the clusters need {4 * _FEWEST}; load more vectors"
        )
    order = free[np.argsort(-cosines[free], kind="stable")]
    return np.stack([order[:size], order[::-1][:size]])


def _agreement(
    work: Work, sides: Index, centre: Array, component: Array, rng: np.random.Generator
) -> float:
    """Return how many words are with their side in two clusters, without a component and bias."""

    def without(rows: Array) -> Array:
        rows = rows - centre
        rest: Array = rows - np.outer(rows @ component, component)
        return rest / np.linalg.norm(rest, axis=1, keepdims=True) if work.normalise else rest

    bias = bias_subspace([without(rows) for rows in work.defining_vectors()], 1).basis
    rows = without(work.matrix[sides.ravel()].astype(np.float64))
    cluster = _two_clusters(rows - (rows @ bias.T) @ bias, rng)
    agree = float(np.mean(cluster == np.repeat([1, 0], sides.shape[1])))
    # Which of the clusters is called the second is chance.
    return max(agree, 1 - agree)


def _two_clusters(rows: Array, rng: np.random.Generator) -> Index:
    """Return in which of two clusters, 0 or 1, k-means puts rows, the best of some starts."""
    from scipy.cluster.vq import kmeans, vq

    starts = (rows[rng.choice(len(rows), size=2, replace=False)] for _ in range(_STARTS))
    clusters = [vq(rows, kmeans(rows, start, thresh=0)[0]) for start in starts]
    best: Index = min(clusters, key=lambda cluster: float((cluster[1] ** 2).sum()))[0]
    return best
