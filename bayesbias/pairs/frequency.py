"""How rare words are, so that distances can be compared at equal frequency.

Rare words are farther from others in most vectors, and nearer to rare ones, so that a difference
between words may be one of their frequency (Valentini et al. 2022, The undesirable dependence on
frequency of gender bias metrics; van Loon et al. 2022, Negative associations in word embeddings
predict anti-black bias). Rarity is ln(rank) in vectors that are sorted by frequency, or −ln(count)
where the file has counts.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, PROTECTED_WORD
from bayesbias.errors import DistancesError
from bayesbias.pairs.provenance import source_of
from bayesbias.support.types import KeyedVectors

RARITY: Final = {PROTECTED_WORD: "word_rarity", ATTRIBUTE: "attribute_rarity"}
"""The columns of how rare the words of a pair are."""

_FREQUENT: Final = """
the of and to in for that is on with was by as at from he it an are be his have has but
not they this or who you had were their been its one more would about will there when
she her we all out what up if can so no my them me him your other some could than then
only into now over just like also how first after our any these time very even because
"""
"""Words that are among the most frequent of any English text."""

_TOP: Final = 0.05
_FEWEST: Final = 10


def rarity_of(vectors: KeyedVectors, words: Mapping[str, str]) -> dict[str, Any]:
    """Return how rare words (with their keys) are as plain data, or why that is not known."""
    counts = getattr(vectors, "expandos", {}).get("count")  # a store has none
    if counts is not None and not _are_ranks(np.asarray(counts)):
        values = {w: -float(np.log(vectors.get_vecattr(key, "count"))) for w, key in words.items()}
        return {"of": "−ln count", "values": _rounded(values)}
    if reason := _why_unsorted(vectors):
        return {"unknown": reason}
    ranks = {word: np.log1p(vectors.key_to_index[key]) for word, key in words.items()}
    return {"of": f"ln rank among {len(vectors.key_to_index):,} words", "values": _rounded(ranks)}


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {word: round(float(value), 6) for word, value in values.items()}


def _are_ranks(counts: "np.ndarray[Any, Any]") -> bool:
    """Tell whether counts are gensim's stand-ins for a file without any, or of no use."""
    stand_ins = np.arange(len(counts), 0, -1)
    return bool((counts <= 0).any() or np.array_equal(counts, stand_ins))


def _why_unsorted(vectors: KeyedVectors) -> str:
    """Say why the order of vectors does not tell how frequent words are; "" where it does."""
    frequent = _FREQUENT.split()
    at = [vectors.key_to_index[word] for word in frequent if word in vectors.key_to_index]
    if len(at) < _FEWEST:
        return (
            f"the vectors have {len(at)} of the {len(frequent)} most frequent English words, "
            f"whose places would tell whether the file is sorted by frequency"
        )
    # Where few words were loaded, these are more than a twentieth of them.
    n = len(vectors.key_to_index)
    first = max(round(_TOP * n), 2 * len(at))
    share = np.mean(np.array(at) < first)
    if share < 0.9:
        return (
            f"the vectors are not sorted by frequency: {share:.0%} of the most frequent English "
            f"words are among the first {first:,} of {n:,}, and they have no counts"
        )
    return ""


def with_rarity(frame: pd.DataFrame) -> pd.DataFrame:
    """Add ``word_rarity`` and ``attribute_rarity`` to a frame from `distances`, if not there."""
    if set(RARITY.values()) <= set(frame.columns):
        return frame
    known = source_of(frame).get("frequency", {})
    values = known.get("values")
    if values is None:
        columns = " and ".join(RARITY.values())
        of_your_own = f"numeric columns {columns} of your own, larger for rarer words"
        why = known.get("unknown", "the distances do not say")
        raise DistancesError(
            f"how frequent the words are is not known: {why}",
            advice=f"take the frame that distances() returned, or give it {of_your_own}",
            typed=f"give word vectors and --wordlist, or a file of distances with {of_your_own}",
        )
    rarity = {column: frame[of].map(values) for of, column in RARITY.items()}
    return frame.assign(**rarity)
