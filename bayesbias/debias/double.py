"""Double-hard debiasing: one principal component of all words goes before the bias direction does.

Large components of word vectors carry frequency, which mixes with gender. So each is removed in
turn, and that one stays removed after which two clusters of the most biased words agree least with
their former sides; then follows hard debiasing (Wang et al. 2020, Double-Hard Debias, ACL).
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np

from bayesbias.debias.geometry import CHUNK, centre_all, project_out, second_moments
from bayesbias.debias.neutralising import neutralise_and_equalise, refuse_more_than_pairs
from bayesbias.debias.steps import Debiased, Work
from bayesbias.debias.words import Neutralise, SetsOfWords, plan_words
from bayesbias.errors import EmbeddingError, WordListError
from bayesbias.support.arguments import (
    Array,
    Index,
    KeyedVectors,
    Mask,
    seed_as_integer,
    whole_number,
)
from bayesbias.vectors.subspaces import bias_subspace
from bayesbias.words.word_lists import WordList

_FEWEST: Final = 4  # words of a side, of which clusters say something
_STARTS: Final = 10  # of k-means


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
    plan = plan_words(vectors, wordlist, matched, neutralise, equalise, keep)
    refuse_more_than_pairs(plan)
    work = Work(vectors, plan, normalise=normalise)
    sides = _sides(work, n)
    centre = work.matrix.mean(axis=0, dtype=np.float64)
    covariance = second_moments(work.matrix) / len(work.matrix) - np.outer(centre, centre)
    tried = np.linalg.eigh(covariance)[1][:, ::-1].T[:components]
    rng = np.random.default_rng(number)
    agreement = [_agreement(work, sides, centre, axis, rng) for axis in tried]
    best = int(np.argmin(agreement))
    index = centre_all(work.matrix, centre)
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
    neutralise_and_equalise(work, bias)
    diagnostics = {"component": best + 1, "agreement": agreement, "n_learned": len(sides[0])}
    arguments: dict[str, Any] = {"components": components, "n": n, "normalise": normalise}
    return work.result("double_hard", bias, diagnostics=diagnostics, seed=number, **arguments)


def _sides(work: Work, n: int) -> Index:
    """Return the rows of the words that lean most to either side, (2, n_words)."""
    plan, direction = work.plan, bias_subspace(work.defining_vectors(), 1).basis[0]
    named = {*plan.keep, *(w for words in (*plan.matched, *plan.equalise) for w in words)}
    cosines = np.empty(len(work.matrix))
    for start in range(0, len(cosines), CHUNK):
        rows = work.matrix[start : start + CHUNK].astype(np.float64)
        lengths = np.linalg.norm(rows, axis=1)
        cosines[start : start + CHUNK] = rows @ direction / np.where(lengths, lengths, 1.0)
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
    agree = float(np.mean(cluster == np.repeat([True, False], sides.shape[1])))
    # Which of the clusters is called the second is chance.
    return max(agree, 1 - agree)


def _two_clusters(rows: Array, rng: np.random.Generator) -> Mask:
    """Return which rows k-means puts in the second of two clusters, the best of some starts."""
    from scipy.cluster.vq import kmeans, vq

    best, is_second = np.inf, np.zeros(len(rows), dtype=bool)
    for _ in range(_STARTS):
        start = rows[rng.choice(len(rows), size=2, replace=False)]
        cluster, distance = vq(rows, kmeans(rows, start, thresh=0)[0])
        inertia = float((distance**2).sum())
        if inertia < best:
            best, is_second = inertia, cluster == 1
    return is_second
