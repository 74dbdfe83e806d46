"""Which words to debias, found without a list of words that are gendered by definition.

Two directions are compared: that of pairs which differ by definition (man, woman), and that of
pairs which differ by stereotype (doctor, midwife). A word that lies more along the second has its
gender from a stereotype and is to be debiased (Ethayarajh et al. 2019).
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayesbias.debias.geometry import CHUNK
from bayesbias.debias.words import Dropped, checked_words, set_tuples, sets_present, warn_of
from bayesbias.errors import ArgumentError, EmbeddingError, WordListError
from bayesbias.pairs.word_lists import WordPair
from bayesbias.support.arrays import Index
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import spelt_as_in, vectors_of
from bayesbias.vectors.subspaces import bias_subspace


def choose_words(
    vectors: KeyedVectors,
    *,
    actual: Sequence[Sequence[str] | WordPair],
    stereotype: Sequence[Sequence[str] | WordPair],
    words: Iterable[str] | None = None,
) -> pd.DataFrame:
    """Choose the words associated by stereotype, not by meaning (Ethayarajh et al. 2019).

    A word w is chosen if |⟨w, b_actual⟩| < |⟨w, b_stereotype⟩|, where each b is the unit first
    principal component of the ordered differences of its pairs (uncentred). No vector is
    normalised.

    Parameters
    ----------
    actual : sequence of pairs
        Pairs that differ by definition, such as (man, woman).
    stereotype : sequence of pairs
        Pairs that differ by stereotype, such as (doctor, midwife).
    words : iterable of str, optional
        The words to judge; all words of the vectors if None.

    Returns
    -------
    DataFrame
        Columns ``word``; ``actual`` and ``stereotype``, the inner products, positive toward the
        first members of the pairs; ``chosen``. The chosen words are what `subspace` takes as
        `neutralise`. ``attrs`` has the pairs used and dropped.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if a pair has not two members, all pairs of a kind have
        identical vectors, or one of `words` is not in the vectors.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"man": [2, 0], "woman": [0, 0.1], "doctor": [0, 3],
    ...                      "midwife": [0.1, 0], "king": [2, 1], "nurse": [-1, -2]})
    >>> table = choose_words(kv, actual=[["man", "woman"]], stereotype=[["doctor", "midwife"]])
    >>> table.loc[table.chosen, "word"].tolist()
    ['woman', 'doctor', 'nurse']
    """
    dropped: list[Dropped] = []
    kinds = {"actual": actual, "stereotype": stereotype}
    used = {name: _pairs(vectors, pairs, name, dropped) for name, pairs in kinds.items()}
    directions = np.empty((2, vectors.vectors.shape[1]))
    for place, pairs in enumerate(used.values()):
        ends = [vectors_of(vectors, pair) for pair in pairs]
        differences = np.array([first - second for first, second in ends])
        directions[place] = bias_subspace([differences], 1, centre=False).basis[0]
    index = _index(vectors, words)
    products = np.empty((len(index), 2))
    for start in range(0, len(index), CHUNK):
        rows = vectors.vectors[index[start : start + CHUNK]].astype(np.float64)
        products[start : start + CHUNK] = rows @ directions.T
    judged = [vectors.index_to_key[i] for i in index]
    if not np.isfinite(products).all():
        word = judged[int(np.flatnonzero(~np.isfinite(products).all(axis=1))[0])]
        raise EmbeddingError(f"the vector of {word!r} has NaN or infinite components; repair it")
    warn_of(dropped, stacklevel=3)
    table = pd.DataFrame({"word": judged, "actual": products[:, 0], "stereotype": products[:, 1]})
    table["chosen"] = table["actual"].abs() < table["stereotype"].abs()
    table.attrs = {
        **{name: [list(pair) for pair in pairs] for name, pairs in used.items()},
        "dropped": [{"words": list(d.words), "reason": d.reason} for d in dropped],
    }
    return table


def _pairs(
    vectors: KeyedVectors, pairs: Any, name: str, dropped: list[Dropped]
) -> tuple[tuple[str, ...], ...]:
    given = set_tuples(pairs, name, vectors)
    for pair in given:
        if len(pair) != 2:
            raise ArgumentError(f"{name} {list(pair)}: must be a pair of words")
    used = sets_present(vectors, given, name, dropped)
    if not used:
        shown = "; ".join(f"{', '.join(d.words)}: {d.reason}" for d in dropped if d.role == name)
        raise WordListError(f"no {name} pairs are left ({shown or 'none given'}); give others")
    return used


def _index(vectors: KeyedVectors, words: Iterable[str] | None) -> Index:
    if words is None:
        return np.arange(len(vectors.index_to_key))
    wanted = spelt_as_in(vectors, checked_words(words, "words"))
    if absent := [word for word in wanted if word not in vectors.key_to_index]:
        raise WordListError(f"{', '.join(absent)}: not in the vectors; leave out of `words`")
    return np.array([vectors.key_to_index[word] for word in wanted], dtype=np.intp)
