"""Mean average cosine distance (MAC; Manzini et al. 2019), and its change.

Of each protected word the mean distance to each attribute set, averaged over all: a MAC nearer to 1
after debiasing is read as less bias. It does not tell a group's own set from those of others, nor
these from controls (`pairs.averages` has the share of controls within the same bounds).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    CONTROL_CONNECTIONS,
    DISTANCE,
    PROTECTED_WORD,
    REFERENCE,
)
from bayesbias.errors import ArgumentError
from bayesbias.measures.arrangements import words_and_sets
from bayesbias.measures.declaration import Measure, Value, measured
from bayesbias.measures.measure_result import DroppedWord, MeasureResult
from bayesbias.measures.ttests import paired_test
from bayesbias.measures.wordsets import RoleWords, WordSets, WordSource, find_sets, similarities
from bayesbias.pairs.averages import mean_average_distance as mean_average_distance
from bayesbias.pairs.averages import pairs_of_sets
from bayesbias.pairs.averages import shares_within as shares_within
from bayesbias.pairs.provenance import missing_of


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
        words and stereotype sets are taken then, as `mean_average_distance` does.
    attribute_sets : mapping from name to words
        Attribute sets, which may share words. Each counts alike, whatever its size.

    Returns
    -------
    MeasureResult
        A cosine distance, 0 to 2; ``details["s"]`` has s(t, A_j), the mean distance of each target
        to each set, and ``by_word`` its mean per target.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package.
    DistancesError
        If a frame lacks a pair.

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
    found = find_sets(source, {"targets": targets}, attribute_sets, overlap=True)
    distinct = list(dict.fromkeys(word for name in attribute_sets for word in found.used[name]))
    distance = 1.0 - similarities(source, found.used["targets"], distinct)
    table = pd.DataFrame(distance, index=list(found.used["targets"]), columns=distinct)
    s = {name: table[list(found.used[name])].mean(axis=1) for name in attribute_sets}
    return _mac(pd.DataFrame(s).stack(), found)


def _mac_of_frame(frame: pd.DataFrame) -> MeasureResult:
    """Return the MAC of a frame's protected words and stereotype sets."""
    pairs = pairs_of_sets(frame)
    means = pairs.groupby([PROTECTED_WORD, ATTRIBUTE_SET], sort=False)[DISTANCE].mean()
    words = {"targets": tuple(dict.fromkeys(word for word, _ in means.index))}
    for name, part in pairs.groupby(ATTRIBUTE_SET, sort=False):
        words[str(name)] = tuple(dict.fromkeys(part[ATTRIBUTE]))
    # The frame's record covers control and reference words too, which MAC does not use.
    controls = frame.loc[frame[CONNECTION].isin(CONTROL_CONNECTIONS), ATTRIBUTE_SET]
    unused = {*controls, *CONTROL_CONNECTIONS}
    dropped = tuple(
        DroppedWord(m["word"], m["list"], m["reason"])
        for m in missing_of(frame) or ()
        if m["list"] not in unused and m["role"] != REFERENCE
    )
    # Whoever made the frame has warned of them.
    return replace(_mac(means, RoleWords(words, ())), dropped=dropped)


def _mac(s: "pd.Series[float]", words: RoleWords) -> MeasureResult:
    """Return MAC from s(t, A_j), a series by target and set."""
    details: dict[str, dict[str, float]] = {}
    for (word, name), distance in s.items():
        details.setdefault(word, {})[name] = float(distance)
    by_word = [np.mean(list(row.values())) for row in details.values()]
    return measured(
        "MAC",
        words,
        lambda: Value(s.mean(), by_word, {"s": details}),
        "mean over targets t and attribute sets A_j of the mean cosine distance of t to A_j",
        by=list(details),
        stacklevel=5,
    )


def mac_change(before: MeasureResult, after: MeasureResult, *, prob: float = 0.95) -> MeasureResult:
    """Change of MAC with the paired t-test of Manzini et al. (2019): a legacy value.

    The test takes the averages s(t, A_j) as independent data. They are not: those of one target, or
    of one set, go up and down together, and averaging has removed the spread of single distances.
    It is here so that published p-values can be compared.

    Parameters
    ----------
    before, after : MeasureResult
        From `mac`, such as of vectors and of the same vectors debiased.
    prob : float
        Confidence of the interval.

    Returns
    -------
    MeasureResult
        MAC after less MAC before, over the (t, A_j) that both have; ``details["test"]`` has the
        test with its interval. A target or set that only one of them has is dropped.

    Raises
    ------
    ArgumentError
        If one is no MAC, they share fewer than two (t, A_j), or all changes are equal.

    Examples
    --------
    >>> import bayesbias as bb
    >>> old = bb.load_embedding({"he": [1.0, 0.0], "she": [0.8, 0.6], "work": [0.6, 0.8]})
    >>> new = bb.load_embedding({"he": [1.0, 0.0], "she": [0.8, 0.6], "work": [0.0, 1.0]})
    >>> one, two = (mac(kv, ["he", "she"], {"work": ["work"]}) for kv in (old, new))
    >>> round(mac_change(one, two).value, 6)
    0.48
    """
    for result, name in ((before, "before"), (after, "after")):
        if result.measure != "MAC" or result.value is None:
            raise ArgumentError(f"{name}: is not a result of mac(), but {result.measure!r}")
    old, new = (  # s(t, A_j) by target and set
        {(t, a): v for t, row in result.details["s"].items() for a, v in row.items()}
        for result in (before, after)
    )
    shared = [key for key in old if key in new]
    if len(shared) < 2:
        raise ArgumentError(
            f"before and after share {len(shared)} pairs of a target and an attribute set; the "
            f"test needs at least two"
        )
    test = paired_test([new[k] for k in shared], [old[k] for k in shared], prob=prob)
    dropped = tuple(
        DroppedWord(f"{t}, {a}", "s(t, A_j)", f"only {where}")
        for one, other, where in ((old, new, "before"), (new, old, "after"))
        for t, a in one
        if (t, a) not in other
    )
    used = {
        "targets": tuple(dict.fromkeys(t for t, _ in shared)),
        "attribute sets": tuple(dict.fromkeys(a for _, a in shared)),
    }
    details = {
        "before": float(np.mean([old[k] for k in shared])),
        "after": float(np.mean([new[k] for k in shared])),
        "test": test,
    }
    return measured(
        "MAC change",
        RoleWords(used, dropped),
        lambda: Value(test.difference, details=details),
        f"MAC after − MAC before, over {len(shared)} s(t, A_j)",
        p_value=test.p_value,
        p_method=f"legacy: paired t-test on {len(shared)} averages s(t, A_j), two-sided",
    )


MEASURES: Final = (
    Measure(
        name="MAC",
        function=mac,
        source="Manzini, Lim, Tsvetkov and Black (2019), Black is to Criminal as Caucasian is to "
        "Police: Detecting and Removing Multiclass Bias in Word Embeddings, NAACL",
        reading="says whether protected words and attributes are near at all; not whether a "
        "stereotype's own group is nearer than others, or neutral words any farther",
        calls=words_and_sets,
    ),
)
