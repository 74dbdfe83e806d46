"""Measures that compare the mean vectors of two groups: RND and ECT.

Garg et al. (2018), Word embeddings quantify 100 years of gender and ethnic stereotypes, PNAS;
Dev and Phillips (2019), Attenuating Bias in Word Vectors, AISTATS.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, suggest
from bayesbias.measures.results import MeasureResult
from bayesbias.measures.wordsets import find_sets, need_vectors, warn_dropped
from bayesbias.pairs.distance_frame import cosine_distances
from bayesbias.vectors.lookup import vectors_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

RND_KINDS: Final = ("norm", "cos")


def rnd(
    vectors: "KeyedVectors",
    x: Sequence[str],
    y: Sequence[str],
    attributes: Sequence[str],
    *,
    kind: str = "norm",
    normalise: bool = False,
) -> MeasureResult:
    """Relative norm distance of attributes to two groups (Garg et al. 2018).

    Parameters
    ----------
    vectors : KeyedVectors
    x, y : sequence of str
        Protected words.
    attributes : sequence of str
    kind : {"norm", "cos"}
        ``norm``: ‖a − x̄‖ − ‖a − ȳ‖, negative where a is nearer to X. ``cos``: cos(a, x̄) −
        cos(a, ȳ), *positive* where a is nearer to X.
    normalise : bool
        Scale all vectors to unit length before the means are taken (Garg et al. do).

    Returns
    -------
    MeasureResult
        The mean over attributes; ``details["sum"]`` is the sum, which Garg et al. report;
        ``by_word`` has the differences.

    Raises
    ------
    ArgumentError
        If a set is empty or none of it is in the vectors, a word stands in two places, or the
        kind is unknown.
    EmbeddingError
        If a vector is zero or not finite.

    Warns
    -----
    MissingWordsWarning
        If words are missing; ``dropped`` lists them.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"he": [0.0, 0.0, 1.0], "she": [4.0, 0.0, 1.0],
    ...                         "work": [0.0, 3.0, 1.0]})
    >>> rnd(kv, ["he"], ["she"], ["work"]).value
    -2.0
    """
    if kind not in RND_KINDS:
        raise ArgumentError(f"kind={kind!r}{suggest(kind, RND_KINDS)}")
    need_vectors(vectors, "RND")
    used, dropped = find_sets(vectors, {"X": x, "Y": y}, {"attributes": attributes})
    matrix, means = _attributes_and_means(vectors, used, normalise)
    if kind == "norm":
        to_means = np.linalg.norm(matrix[:, None, :] - means[None, :, :], axis=2)
    else:
        to_means = 1.0 - cosine_distances(matrix, means)
    difference = to_means[:, 0] - to_means[:, 1]
    warn_dropped(dropped)
    what = "‖a − mean X‖ − ‖a − mean Y‖" if kind == "norm" else "cos(a, mean X) − cos(a, mean Y)"
    return MeasureResult(
        measure="RND",
        value=float(difference.mean()),
        formula=f"mean over attributes of {what}, {'unit' if normalise else 'unscaled'} vectors",
        words=used,
        dropped=dropped,
        details={"sum": float(difference.sum()), "kind": kind},
        by_word=dict(zip(used["attributes"], difference.tolist(), strict=True)),
    )


def ect(
    vectors: "KeyedVectors",
    x: Sequence[str],
    y: Sequence[str],
    attributes: Sequence[str],
    *,
    normalise: bool = False,
) -> MeasureResult:
    """Embedding Coherence Test: do two groups rank attributes alike? (Dev and Phillips 2019).

    Parameters
    ----------
    vectors : KeyedVectors
    x, y : sequence of str
        Protected words.
    attributes : sequence of str
        At least two.
    normalise : bool
        Scale all vectors to unit length before the means are taken.

    Returns
    -------
    MeasureResult
        Spearman's rank correlation of the attributes' cosines to the two mean vectors, −1 to 1; 1
        where both groups rank them alike. ``by_word`` has each attribute's difference of ranks.

    Raises
    ------
    ArgumentError
        If a set is empty or none of it is in the vectors, a word stands in two places, fewer than
        two attributes are left, or all are equally near to a group.

    Warns
    -----
    MissingWordsWarning
        If words are missing; ``dropped`` lists them.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"he": [1.0, 0.0], "she": [0.0, 1.0], "work": [1.0, 0.1],
    ...                         "home": [0.1, 1.0]})
    >>> round(ect(kv, ["he"], ["she"], ["work", "home"]).value, 6)
    -1.0
    """
    from scipy.stats import rankdata

    need_vectors(vectors, "ECT")
    used, dropped = find_sets(vectors, {"X": x, "Y": y}, {"attributes": attributes})
    if len(used["attributes"]) < 2:
        raise ArgumentError("attributes: a rank correlation needs at least two in the vectors")
    matrix, means = _attributes_and_means(vectors, used, normalise)
    ranks = rankdata(1.0 - cosine_distances(matrix, means), axis=0)
    if not np.ptp(ranks, axis=0).all():
        raise ArgumentError("attributes: all are equally near to a group, so nothing is ranked")
    warn_dropped(dropped)
    return MeasureResult(
        measure="ECT",
        value=float(np.corrcoef(ranks.T)[0, 1]),
        formula=f"Spearman correlation of cos(a, mean X) and cos(a, mean Y) over attributes, "
        f"{'unit' if normalise else 'unscaled'} vectors",
        words=used,
        dropped=dropped,
        by_word=dict(zip(used["attributes"], (ranks[:, 0] - ranks[:, 1]).tolist(), strict=True)),
    )


def _attributes_and_means(
    vectors: "KeyedVectors", used: dict[str, tuple[str, ...]], normalise: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the attributes' vectors and, in two rows, the mean vectors of X and Y."""
    parts = {role: vectors_of(vectors, words) for role, words in used.items()}
    if normalise:
        parts = {r: v / np.linalg.norm(v, axis=1, keepdims=True) for r, v in parts.items()}
    means = np.stack([parts["X"].mean(axis=0), parts["Y"].mean(axis=0)])
    for mean, role in zip(means, ("X", "Y"), strict=True):
        if not mean.any():
            raise ArgumentError(f"{role}: its vectors cancel, so their mean has no direction")
    return parts["attributes"], means
