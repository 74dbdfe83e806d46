"""Neighbours and clusters: are words of the same former bias still near each other.

Debiasing by projection takes a direction away. Words that leaned to one side of it may be
neighbours still, and then their bias can be found again (Gonen and Goldberg 2019). So bias is
measured in the vectors before, along the pairs' direction, and looked for in those after: among
each word's nearest neighbours, and in two clusters of the most biased words.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import comb
from typing import Any, Final

import numpy as np

from bayesbias.errors import ArgumentError
from bayesbias.measures.arrangements import attributes_and_pairs, pairs_only
from bayesbias.measures.declaration import Measure, Value, measured
from bayesbias.measures.measure_result import DroppedWord, MeasureResult
from bayesbias.measures.wordsets import (
    RoleWords,
    find_pairs,
    find_sets,
    need_vectors,
    pairs_as_in,
    unit_vectors,
)
from bayesbias.pairs.word_lists import WordPair
from bayesbias.support.arrays import Array, Mask
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.subspaces import bias_subspace
from bayesbias.vectors.two_classes import two_clusters

_CHUNK: Final = 4096
_LEAST_SHARE: Final = 5  # the vocabulary must be this many times larger than what is taken of it


def neighbour_bias(
    vectors: KeyedVectors,
    words: Sequence[str],
    pairs: Sequence[WordPair],
    *,
    before: "KeyedVectors | None" = None,
    vocabulary: Sequence[str] | None = None,
    k: int = 100,
    draws: int = 1000,
    prob: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> MeasureResult:
    """Correlate the bias of words with that of their neighbours (Gonen and Goldberg 2019).

    Parameters
    ----------
    vectors : KeyedVectors
        In which neighbours are looked for.
    words : sequence of str
        Such as professions.
    pairs : sequence of WordPair
        Define the bias direction, which points toward their first words, as in `direct_bias`.
    before : KeyedVectors, optional
        Vectors that give the bias, such as those before debiasing; `vectors` themselves if None.
        `words` that either of the two lacks are left out.
    vocabulary : sequence of str, optional
        The words that count as neighbours, such as frequent words that are not gendered by
        definition; all but those of the pairs if None.
    k : int
        Neighbours of each word.
    draws, prob, seed
        Of the bootstrap over the words.

    Returns
    -------
    MeasureResult
        Pearson's correlation, over the words, of the cosine with the direction and the share of the
        k nearest neighbours that lean to the pairs' first words. ``by_word`` has the shares.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package, and if a word is also in `pairs`, where it would help to
        define its own bias; if fewer than three words are left, all shares are equal, or the
        vocabulary has fewer than 5k words, whose k nearest would not be near.

    Examples
    --------
    >>> import bayesbias as bb
    >>> rng = np.random.default_rng(1)
    >>> matrix = rng.normal(size=(60, 3))
    >>> kv = bb.load_embedding(([f"w{i}" for i in range(60)], matrix))
    >>> result = neighbour_bias(kv, ["w2", "w3", "w4", "w5"], [bb.pairs.WordPair("w0", "w1")], k=5,
    ...                         seed=1)
    >>> result.value > 0.5
    True
    """
    if k < 1:
        raise ArgumentError(f"k={k}: must be at least 1")
    known, of_pairs, bias, names = _biases(vectors, pairs, before, vocabulary)
    found = _words_of_both(vectors, words, pairs, before)
    used = found.used["words"]
    if len(used) < 3:
        raise ArgumentError("words: a correlation needs at least three in the vectors")
    _refuse_few(names, k, f"k={k}")
    own = _cosines(known, used, bias)
    leans = _cosines(known, names, bias) > 0
    shares = _shares_of_neighbours(vectors, used, names, leans, k)

    def formula(rows: Array) -> Value:
        if not np.ptp(rows, axis=0).all():
            raise ArgumentError("words: all have the same neighbours' share, so nothing correlates")
        correlation = np.corrcoef(rows[:, 0], rows[:, 1])[0, 1]
        return Value(correlation, rows[:, 1], {"k": k, "n_vocabulary": len(names)})

    text = (
        f"correlation over words of cos(w, g) and the share of words with cos > 0 among "
        f"the {k} nearest of {len(names):,}; g as in direct bias"
    )
    every = RoleWords({**found.used, **of_pairs.used}, found.dropped + of_pairs.dropped)
    arrays = {"words": np.stack([own, shares], axis=1)}
    drawn: dict[str, Any] = {"draws": draws, "prob": prob, "seed": seed}
    return measured("neighbour bias", every, formula, text, arrays, by=used, **drawn)


def cluster_bias(
    vectors: KeyedVectors,
    pairs: Sequence[WordPair],
    *,
    before: "KeyedVectors | None" = None,
    vocabulary: Sequence[str] | None = None,
    n: int = 500,
    seed: int | np.random.Generator | None = None,
) -> MeasureResult:
    """Cluster the most biased words and compare with their bias (Gonen and Goldberg 2019).

    k-means with two centres, the best of ten starts at words drawn at random. Where the words are
    chosen by the vectors that are clustered, some agreement follows from the choice.

    Parameters
    ----------
    vectors : KeyedVectors
        In which words are clustered, at unit length.
    pairs, before, vocabulary
        As in `neighbour_bias`; the n most biased words to either side are taken from the
        vocabulary.
    seed : int or Generator, optional
        For the starts of k-means.

    Returns
    -------
    MeasureResult
        Share of the 2n words whose cluster, of two, agrees with the side that they lean to; .5 to
        1. The p-value is that of a permutation of the sides over the words with the clusters as
        they are, counted exactly. ``by_word`` has the cosines with the direction, negative to the
        pairs' second words.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package, and if the vocabulary has fewer than 5 · 2n words, so that
        the most biased would be all there are.

    Examples
    --------
    >>> import bayesbias as bb
    >>> rng = np.random.default_rng(1)
    >>> matrix = rng.normal(size=(300, 3))
    >>> matrix[:, 0] *= 4
    >>> matrix[:2] = [[4.0, 0.0, 1.0], [-4.0, 0.0, 1.0]]
    >>> kv = bb.load_embedding(([f"w{i}" for i in range(300)], matrix))
    >>> cluster_bias(kv, [bb.pairs.WordPair("w0", "w1")], n=20, seed=1).value
    1.0
    """
    if n < 2:
        raise ArgumentError(f"n={n}: must be at least 2")
    known, of_pairs, bias, names = _biases(vectors, pairs, before, vocabulary)
    _refuse_few(names, 2 * n, f"n={n}")
    cosines = _cosines(known, names, bias)
    order = np.argsort(cosines, kind="stable")
    chosen = np.concatenate([order[-n:][::-1], order[:n]])
    taken = tuple(names[i] for i in chosen)
    seed = seed_as_integer(seed)
    cluster = two_clusters(unit_vectors(vectors, taken), np.random.default_rng(seed))
    size, both = int(cluster.sum()), int(cluster[:n].sum())
    agree = max(both + n - (size - both), size - both + n - both)
    # Given the clusters' sizes, the number of one side's words in a cluster is hypergeometric.
    counts = range(max(0, size - n), min(size, n) + 1)
    extreme = (k for k in counts if abs(2 * k - size) >= abs(2 * both - size))
    p_value = sum(comb(n, k) * comb(n, size - k) for k in extreme) / comb(2 * n, size)
    return measured(
        "cluster bias",
        RoleWords({"first": taken[:n], "second": taken[n:], **of_pairs.used}, of_pairs.dropped),
        lambda: Value(agree / (2 * n), cosines[chosen], {"n_vocabulary": len(names)}),
        f"share of the {n} + {n} words with the largest and smallest cos(w, g) whose "
        f"k-means cluster agrees with their side; g as in direct bias",
        by=taken,
        p_value=p_value,
        p_method="exact: all permutations of the sides over the words, clusters fixed",
        seed=seed,
    )


def _biases(
    vectors: KeyedVectors,
    pairs: Sequence[WordPair],
    before: "KeyedVectors | None",
    vocabulary: Sequence[str] | None,
) -> tuple["KeyedVectors", RoleWords, Array, list[str]]:
    """Return the vectors that give the bias, the pairs, the direction and the vocabulary."""
    need_vectors(vectors, "the test of neighbours or clusters")
    known = vectors if before is None else before
    used, dropped = find_pairs(known, pairs)
    ends = [unit_vectors(known, [*pair]) for pair in used]
    direction = bias_subspace(ends, 1).basis[0]
    defining = {word for pair in used for word in pair}
    names = [
        word
        for word in dict.fromkeys(known.index_to_key if vocabulary is None else vocabulary)
        if word not in defining and word in known.key_to_index and word in vectors.key_to_index
    ]
    named = {"pairs": tuple(str(pair) for pair in used)}
    return known, RoleWords(named, _said_of(before, dropped)), direction, names


def _words_of_both(
    vectors: KeyedVectors,
    words: Sequence[str],
    pairs: Sequence[WordPair],
    before: "KeyedVectors | None",
) -> RoleWords:
    """Return the words that both vectors have, and those that either lacks."""
    known = vectors if before is None else before
    found = find_sets(known, {"words": words}, {})
    defining = {word for pair in pairs_as_in(known, pairs) for word in pair}
    used, lacking = [], []
    for word in found.used["words"]:
        if word in defining:
            raise ArgumentError(f"{word!r} is in words and in pairs; keep it in one of them")
        if word in vectors.key_to_index:
            used.append(word)
        else:
            lacking.append(DroppedWord(word, "words", "not in the vectors"))
    return RoleWords({"words": tuple(used)}, (*_said_of(before, found.dropped), *lacking))


def _said_of(
    before: "KeyedVectors | None", dropped: tuple[DroppedWord, ...]
) -> tuple[DroppedWord, ...]:
    """Return what was looked up in the vectors that give the bias, with a reason that says so."""
    if before is None:
        return dropped
    return tuple(replace(d, reason=f"{d.reason} before") for d in dropped)


def _refuse_few(names: Sequence[str], taken: int, option: str) -> None:
    if len(names) < _LEAST_SHARE * taken:
        raise ArgumentError(
            f"{option}: needs a vocabulary of at least {_LEAST_SHARE * taken:,} words, and there "
            f"are {len(names):,}",
            advice="take fewer, or vectors of more words",
            typed="take vectors of more words",
        )


def _cosines(vectors: KeyedVectors, words: Sequence[str], direction: Array) -> Array:
    """Return the cosines of many words with a unit direction, chunk by chunk."""
    starts = range(0, len(words), _CHUNK)
    return np.concatenate(
        [unit_vectors(vectors, words[i : i + _CHUNK]) @ direction for i in starts]
    )


def _shares_of_neighbours(
    vectors: KeyedVectors, words: Sequence[str], names: Sequence[str], leans: Mask, k: int
) -> Array:
    """Return, per word, the share of its k nearest names that lean to the first words."""
    rows = unit_vectors(vectors, words)
    starts = range(0, len(names), _CHUNK)
    parts = [rows @ unit_vectors(vectors, names[i : i + _CHUNK]).T for i in starts]
    near = np.concatenate(parts, axis=1)
    place = {name: column for column, name in enumerate(names)}
    for row, word in enumerate(words):
        if word in place:
            near[row, place[word]] = -np.inf  # a word is no neighbour of its own
    nearest = np.argpartition(-near, k - 1, axis=1)[:, :k]
    return np.asarray(leans[nearest].mean(axis=1))


_SOURCE: Final = (
    "Gonen and Goldberg (2019), Lipstick on a Pig: Debiasing Methods Cover up Systematic Gender "
    "Biases in Word Embeddings But do not Remove Them, NAACL"
)
MEASURES: Final = (
    Measure(
        name="neighbour bias",
        function=neighbour_bias,
        source=_SOURCE,
        reading="says whether a word's neighbours are still words of the same former bias; not "
        "whether neighbours of similar meaning, such as other professions, would give the "
        "same",
        calls=attributes_and_pairs,
        whole_vocabulary=True,
    ),
    Measure(
        name="cluster bias",
        function=cluster_bias,
        source=_SOURCE,
        reading="says whether the most biased words of either side can be separated; nothing about "
        "the other words, and topics that the sides differ in count as bias",
        calls=pairs_only,
        whole_vocabulary=True,
    ),
)
