"""Mean average cosine distance (MAC; Manzini et al. 2019).

    MAC = mean over targets t and attribute sets A_j of s(t, A_j)
    s(t, A) = mean over a in A of 1 − cos(t, a)

A MAC nearer to 1 after debiasing is read as less bias. It does not tell a group's own set from
those of others, nor these from controls.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_SET, DISTANCE, PROTECTED_WORD
from bayesbias.errors import ArgumentError
from bayesbias.measures.measure_result import MeasureResult, Value, measured
from bayesbias.measures.words import RoleWords, WordSets, WordSource, find_sets, similarities
from bayesbias.words.keys import pairs_of_sets


def mac(
    source: WordSource, targets: Sequence[str] | None = None, attribute_sets: WordSets | None = None
) -> MeasureResult:
    """Mean average cosine distance of targets to attribute sets (Manzini et al. 2019).

    Parameters
    ----------
    source : KeyedVectors or DataFrame
        Vectors, or a frame of distances.
    targets : sequence of str
        Protected words. May be left out, together with `attribute_sets`, for a frame: its protected
        words and stereotype sets are taken then, and a pair in two contexts counts twice.
    attribute_sets : mapping from name to words
        Attribute sets, which may share words. Each counts alike, whatever its size.

    Returns
    -------
    MeasureResult
        A cosine distance, 0 to 2; ``details["s"]`` has s(t, A_j), the mean distance of each target
        to each set, and ``by_word`` its mean per target.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"he": [1.0, 0.0], "work": [0.6, 0.8], "home": [0.0, 1.0]})
    >>> round(mac(kv, ["he"], {"outside": ["work"], "inside": ["home"]}).value, 6)
    0.7
    """
    if targets is None and attribute_sets is None:
        if hasattr(source, "key_to_index"):
            raise ArgumentError("MAC of vectors needs targets and attribute_sets")
        return _mac_of_frame(source)
    if targets is None or attribute_sets is None:
        raise ArgumentError("MAC needs both targets and attribute_sets, or for a frame neither")
    sets = find_sets(source, {"targets": targets}, attribute_sets, overlap=True)
    words = sets.used["targets"]
    means = {
        name: (1.0 - similarities(source, words, sets.used[name])).mean(axis=1)
        for name in attribute_sets
    }
    return _mac(pd.DataFrame(means, index=list(words)), sets)


def _mac_of_frame(frame: pd.DataFrame) -> MeasureResult:
    """Return the MAC of a frame's protected words and stereotype sets."""
    pairs = pairs_of_sets(frame)
    means = pairs.pivot_table(DISTANCE, PROTECTED_WORD, ATTRIBUTE_SET, sort=False)
    words = {"targets": tuple(means.index)}
    for name, part in pairs.groupby(ATTRIBUTE_SET, sort=False):
        words[str(name)] = tuple(dict.fromkeys(part[ATTRIBUTE]))
    return _mac(means, RoleWords(words, ()))


def _mac(s: pd.DataFrame, words: RoleWords) -> MeasureResult:
    """Return MAC from s(t, A_j), a row per target and a column per set; NaN where there is none."""
    details = {
        word: {name: float(d) for name, d in row.items() if not np.isnan(d)}
        for word, row in s.iterrows()
    }
    return measured(
        "MAC",
        words,
        lambda: Value(np.nanmean(s.to_numpy()), s.mean(axis=1), {"s": details}),
        "mean over targets t and attribute sets A_j of the mean cosine distance of t to A_j",
        by=list(details),
        stacklevel=5,
    )
