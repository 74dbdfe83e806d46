"""Measures along a bias direction: direct bias, RIPA and neighbours.

All take one direction from pairs (x, y) such as (she, he). Two ask how far words lie along it:

    direct bias = mean |cos(w, g)|^c,   g the first right singular vector of the pairs, each centred
    RIPA = ⟨w, b⟩,                      b the first right singular vector of the differences x − y

Direct bias (Bolukbasi et al. 2016) scales words to unit length, RIPA (Ethayarajh et al. 2019) keeps
their lengths. What words have off the one direction is in neither. Debiasing by projection takes g
away, and words that leaned to one side of it may be neighbours still (Gonen and Goldberg 2019). So
with the bias cos(w, g) in the vectors *before*,

    neighbour bias = corr over w of cos(w, g) and the share with cos(v, g) > 0 among w's k nearest v

where neighbours are those in the vectors after.
"""

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, Final

import numpy as np

from bayesbias.errors import ArgumentError
from bayesbias.measures.measure_result import MeasureResult, bootstrap_interval, measured
from bayesbias.measures.subspaces import Subspace, bias_subspace
from bayesbias.measures.words import (
    DroppedWord,
    RoleWords,
    WordPairs,
    unit_vectors,
    wanted_words,
    why_missing,
)
from bayesbias.support.arguments import Array, KeyedVectors, refuse_other
from bayesbias.vectors.lookup import refuse_no_vectors, vectors_of

_CHUNK: Final = 4096
_LEAST_SHARE: Final = 5  # the vocabulary must be this many times larger than what is taken of it


def direct_bias(
    vectors: KeyedVectors,
    words: Sequence[str],
    pairs: WordPairs,
    *,
    strictness: float = 1.0,
    normalise: bool = True,
) -> MeasureResult:
    """Mean absolute cosine of words to the bias direction (Bolukbasi et al. 2016).

    Parameters
    ----------
    words : sequence of str
        Words that should be neutral.
    pairs : sequence of pairs of words
        Such as ``[("she", "he")]``: they define the direction, which points toward their first
        words. Each pair is centred on its own mean; centring the differences instead would remove
        what they share.
    strictness : float
        The exponent c ≥ 0 of |cos|^c; at 0 every word counts 1, unless its cosine is 0.
    normalise : bool
        Scale the vectors of the pairs to unit length first, as the original does.

    Returns
    -------
    MeasureResult
        ``by_word`` has the signed cosines, positive toward the first words of the pairs;
        ``details`` the ``direction``, the words that it points ``toward`` and
        ``explained_variance``, the shares of all components: where the first share is not much
        greater than the second, there is no one direction to speak of.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package, and if `strictness` is negative.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"she": [1.0, 1.0], "he": [-1.0, 1.0], "nurse": [0.6, 0.8]})
    >>> result = direct_bias(kv, ["nurse"], [("she", "he")])
    >>> round(result.value, 6), result.details["toward"]
    (0.6, ('she',))
    """
    refuse_other(strictness, Real, "strictness", "a number, at least 0")
    if not strictness >= 0:
        raise ArgumentError(f"strictness={strictness}: must be at least 0")
    sets = wanted_words("direct bias", vectors, {"words": words}, pairs=pairs)
    scaled = unit_vectors if normalise else vectors_of
    subspace = bias_subspace([scaled(vectors, [*pair]) for pair in sets.pairs], 1)
    cosines = unit_vectors(vectors, sets.used["words"]) @ subspace.basis[0]
    sizes = np.abs(cosines) ** strictness if strictness else (cosines != 0).astype(np.float64)
    details = {"mean_signed": float(cosines.mean()), "strictness": strictness}
    details |= _direction_details(subspace, sets)
    text = (
        f"mean |cos(w, g)|^{strictness:g}, g the first right singular vector of the "
        f"{'unit' if normalise else 'unscaled'} vectors of the pairs, each pair centred"
    )
    return measured("direct bias", sets, text, sizes.mean(), sets.used["words"], cosines, details)


def ripa(vectors: KeyedVectors, words: Sequence[str], pairs: WordPairs) -> MeasureResult:
    """Relational inner product association (Ethayarajh et al. 2019).

    The direction b is the first right singular vector of the differences first − second, neither
    centred nor scaled; for one pair b = (x − y)/‖x − y‖. Words are not scaled to unit length.

    Parameters
    ----------
    words : sequence of str
        Words that should be neutral.
    pairs : sequence of pairs of words
        Ordered, such as ``[("she", "he")]``; positive values are toward the first words.

    Returns
    -------
    MeasureResult
        ``by_word`` has ⟨w, b⟩ of every word; the value is their mean, in units of vector length.
        ``details`` has ``direction``, ``toward``, ``explained_variance`` and ``mean_absolute``.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"she": [1.0, 1.0], "he": [-1.0, 1.0], "nurse": [3.0, 4.0]})
    >>> ripa(kv, ["nurse"], [("she", "he")]).by_word
    {'nurse': 3.0}
    """
    sets = wanted_words("RIPA", vectors, {"words": words}, pairs=pairs)
    ends = [vectors_of(vectors, [*pair]) for pair in sets.pairs]
    subspace = bias_subspace([[first - second for first, second in ends]], 1, centre=False)
    products = vectors_of(vectors, sets.used["words"]) @ subspace.basis[0]
    mean_absolute = float(np.abs(products).mean())
    details = {"mean_absolute": mean_absolute, **_direction_details(subspace, sets)}
    text = (
        "mean ⟨w, b⟩, w not normalised, b the first right singular vector of the pairs' "
        "differences, not centred"
    )
    return measured("RIPA", sets, text, products.mean(), sets.used["words"], products, details)


def _direction_details(subspace: Subspace, sets: RoleWords) -> dict[str, Any]:
    """Return the direction, where it points, and the share of variance of every component."""
    return {
        "direction": tuple(subspace.basis[0].tolist()),
        "toward": tuple(first for first, _ in sets.pairs),
        "explained_variance": tuple(subspace.explained_variance.tolist()),
    }


def neighbour_bias(
    vectors: KeyedVectors,
    words: Sequence[str],
    pairs: WordPairs,
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
    pairs : sequence of pairs of words
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
        define its own bias; if fewer than three words remain, all shares are equal, or the
        vocabulary has fewer than 5k words, whose k nearest would not be near.

    Examples
    --------
    >>> import bayesbias as bb
    >>> rng = np.random.default_rng(1)
    >>> matrix = rng.normal(size=(60, 3))
    >>> kv = bb.load_embedding(([f"w{i}" for i in range(60)], matrix))
    >>> neighbour_bias(kv, ["w2", "w3", "w4", "w5"], [("w0", "w1")], k=5, seed=1).value > 0.5
    True
    """
    if k < 1:
        raise ArgumentError(f"k={k}: must be at least 1")
    refuse_no_vectors(vectors, "neighbour bias")
    source = vectors if before is None else before
    sets = wanted_words("neighbour bias", source, {"words": words}, pairs=pairs)
    if before is not None:
        sets = _words_of_both(sets, vectors)
    used = sets.used["words"]
    if len(used) < 3:
        raise ArgumentError("words: a correlation needs at least three in the vectors")
    defining = {word for pair in sets.pairs for word in pair}
    if both := [word for word in used if word in defining]:
        raise ArgumentError(f"{both[0]!r} is in words and in pairs; keep it in one of them")
    names = [
        word
        for word in dict.fromkeys(source.index_to_key if vocabulary is None else vocabulary)
        if word not in defining and word in source.key_to_index and word in vectors.key_to_index
    ]
    if len(names) < _LEAST_SHARE * k:
        raise ArgumentError(
            f"k={k}: needs a vocabulary of at least {_LEAST_SHARE * k:,} words, and there are "
            f"{len(names):,}; take fewer, or vectors of more words"
        )
    basis = bias_subspace([unit_vectors(source, [*pair]) for pair in sets.pairs], 1).basis
    near = _cosines(vectors, names, unit_vectors(vectors, used)).T
    place = {name: column for column, name in enumerate(names)}
    for row, word in enumerate(used):
        if word in place:
            near[row, place[word]] = -np.inf  # a word is no neighbour of its own
    nearest = np.argpartition(-near, k - 1, axis=1)[:, :k]
    shares = (_cosines(source, names, basis)[:, 0] > 0)[nearest].mean(axis=1)

    def value(rows: Array) -> float:
        if not np.ptp(rows, axis=0).all():
            raise ArgumentError("words: all have the same neighbours' share, so nothing correlates")
        return float(np.corrcoef(rows[:, 0], rows[:, 1])[0, 1])

    text = (
        f"correlation over words of cos(w, g) and the share of words with cos > 0 among "
        f"the {k} nearest of {len(names):,}; g as in direct bias"
    )
    rows = np.column_stack([_cosines(source, used, basis), shares])
    correlation, details = value(rows), {"k": k, "n_vocabulary": len(names)}
    interval = bootstrap_interval(value, {"words": rows}, draws=draws, prob=prob, seed=seed)
    return measured("neighbour bias", sets, text, correlation, used, shares, details, **interval)


def _words_of_both(sets: RoleWords, vectors: KeyedVectors) -> RoleWords:
    """Take away the words, of those found in the vectors before, that those after lack."""
    reasons = {word: why_missing(vectors, word) for word in sets.used["words"]}
    used = tuple(word for word, reason in reasons.items() if not reason)
    dropped = [replace(d, reason=f"{d.reason} before") for d in sets.dropped]
    dropped += [DroppedWord(word, "words", reason) for word, reason in reasons.items() if reason]
    return RoleWords({**sets.used, "words": used}, tuple(dropped), sets.pairs)


def _cosines(vectors: KeyedVectors, words: Sequence[str], units: Array) -> Array:
    """Return the cosines of many words with unit vectors (n, dim), chunk by chunk, (n_words, n)."""
    parts = (words[start : start + _CHUNK] for start in range(0, len(words), _CHUNK))
    return np.concatenate([unit_vectors(vectors, part) @ units.T for part in parts])
