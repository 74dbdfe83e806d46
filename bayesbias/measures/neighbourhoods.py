"""Neighbours: are words of the same former bias still near each other.

Debiasing by projection takes a direction g away. Words that leaned to one side of it may be
neighbours still (Gonen and Goldberg 2019). So with the bias cos(w, g) in the vectors *before*,

    neighbour bias = corr over w of cos(w, g) and the share with cos(v, g) > 0 among w's k nearest v

where neighbours are those in the vectors after.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from bayesbias.errors import ArgumentError
from bayesbias.measures.measure_result import MeasureResult, Value, measured
from bayesbias.measures.words import (
    DroppedWord,
    RoleWords,
    WordPairs,
    need_vectors,
    unit_vectors,
    wanted_words,
    why_missing,
)
from bayesbias.support.arguments import Array, KeyedVectors, Mask
from bayesbias.vectors.subspaces import bias_subspace

_CHUNK: Final = 4096
_LEAST_SHARE: Final = 5  # the vocabulary must be this many times larger than what is taken of it


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
    need_vectors(vectors, "neighbour bias")
    source = vectors if before is None else before
    sets = _words_of_both(
        wanted_words("neighbour bias", source, {"words": words}, pairs=pairs), vectors, before
    )
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
    direction = bias_subspace([unit_vectors(source, [*pair]) for pair in sets.pairs], 1).basis[0]
    shares = _shares_of_neighbours(vectors, used, names, _cosines(source, names, direction) > 0, k)

    def formula(rows: Array) -> Value:
        if not np.ptp(rows, axis=0).all():
            raise ArgumentError("words: all have the same neighbours' share, so nothing correlates")
        correlation = np.corrcoef(rows[:, 0], rows[:, 1])[0, 1]
        return Value(correlation, rows[:, 1], {"k": k, "n_vocabulary": len(names)})

    text = (
        f"correlation over words of cos(w, g) and the share of words with cos > 0 among "
        f"the {k} nearest of {len(names):,}; g as in direct bias"
    )
    arrays = {"words": np.stack([_cosines(source, used, direction), shares], axis=1)}
    drawn: dict[str, Any] = {"draws": draws, "prob": prob, "seed": seed}
    return measured("neighbour bias", sets, formula, text, arrays, by=used, **drawn)


def _words_of_both(
    sets: RoleWords, vectors: KeyedVectors, before: "KeyedVectors | None"
) -> RoleWords:
    """Take away the words, of those found in the vectors before, that those after lack."""
    if before is None:
        return sets
    reasons = {word: why_missing(vectors, word) for word in sets.used["words"]}
    used = tuple(word for word, reason in reasons.items() if not reason)
    dropped = [replace(d, reason=f"{d.reason} before") for d in sets.dropped]
    dropped += [DroppedWord(word, "words", reason) for word, reason in reasons.items() if reason]
    return RoleWords({**sets.used, "words": used}, tuple(dropped), sets.pairs)


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
