"""Measures that compare the mean vectors of two groups: RND and ECT.

A group is replaced by the mean of its words' vectors. RND (Garg et al. 2018) is by how much
attributes are nearer to one mean, ECT (Dev and Phillips 2019) whether both means rank them alike:

    RND = mean over a of ‖a − x̄‖ − ‖a − ȳ‖,   ECT = Spearman's ρ over a of cos(a, x̄) and cos(a, ȳ)

How far apart the words of a group are is in neither number, and only in the interval, a bootstrap
of words.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from bayesbias.errors import ArgumentError, suggest
from bayesbias.measures.measure_result import MeasureResult, Value, measured
from bayesbias.measures.words import unit_vectors, wanted_words
from bayesbias.support.arguments import Array, Index, KeyedVectors
from bayesbias.vectors.lookup import vectors_of
from bayesbias.words.distance_frame import cosine_distances

RND_KINDS: Final = ("norm", "cos")


def rnd(
    vectors: KeyedVectors,
    x: Sequence[str],
    y: Sequence[str],
    attributes: Sequence[str],
    *,
    kind: str = "norm",
    normalise: bool = False,
    draws: int = 1000,
    prob: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> MeasureResult:
    """Relative norm distance of attributes to two groups (Garg et al. 2018).

    Parameters
    ----------
    x, y : sequence of str
        Protected words.
    kind : {"norm", "cos"}
        ``norm``: ‖a − x̄‖ − ‖a − ȳ‖, negative where a is nearer to X. ``cos``: cos(a, x̄) −
        cos(a, ȳ), *positive* where a is nearer to X.
    normalise : bool
        Scale all vectors to unit length before the means are taken (Garg et al. do).
    draws, prob, seed
        Of the bootstrap over the words of X, of Y and the attributes.

    Returns
    -------
    MeasureResult
        The mean over attributes; ``details["sum"]`` is the sum, which Garg et al. report;
        ``by_word`` has the differences.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package, and if a group's vectors cancel.

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
    words = wanted_words("RND", vectors, {"X": x, "Y": y}, {"attributes": attributes})
    rows_of = unit_vectors if normalise else vectors_of
    arrays = {role: rows_of(vectors, used) for role, used in words.used.items()}
    _refuse_no_mean(arrays)

    def formula(x: Array, y: Array, a: Array) -> Value:
        means = np.stack([x.mean(axis=0), y.mean(axis=0)])
        if kind == "norm":
            to_means = np.linalg.norm(a[:, None, :] - means[None, :, :], axis=2)
        else:
            to_means = 1.0 - cosine_distances(a, means)
        difference = to_means[:, 0] - to_means[:, 1]
        return Value(difference.mean(), difference, {"sum": float(difference.sum()), "kind": kind})

    what = "‖a − mean X‖ − ‖a − mean Y‖" if kind == "norm" else "cos(a, mean X) − cos(a, mean Y)"
    text = f"mean over attributes of {what}, {'unit' if normalise else 'unscaled'} vectors"
    by = words.used["attributes"]
    return measured("RND", words, formula, text, arrays, by=by, draws=draws, prob=prob, seed=seed)


def ect(
    vectors: KeyedVectors,
    x: Sequence[str],
    y: Sequence[str],
    attributes: Sequence[str],
    *,
    normalise: bool = False,
    draws: int = 1000,
    prob: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> MeasureResult:
    """Embedding Coherence Test: do two groups rank attributes alike? (Dev and Phillips 2019).

    Parameters
    ----------
    x, y, attributes, normalise, draws, prob, seed
        As in `rnd`.

    Returns
    -------
    MeasureResult
        Spearman's rank correlation of the attributes' cosines to the two mean vectors, −1 to 1; 1
        where both groups rank them alike. ``by_word`` has each attribute's difference of ranks.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package, and if fewer than two attributes are left, all are equally
        near to a group, or a group's vectors cancel.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"he": [1.0, 0.0], "she": [0.0, 1.0], "work": [1.0, 0.1],
    ...                         "home": [0.1, 1.0]})
    >>> round(ect(kv, ["he"], ["she"], ["work", "home"]).value, 6)
    -1.0
    """
    words = wanted_words("ECT", vectors, {"X": x, "Y": y}, {"attributes": attributes})
    by = words.used["attributes"]
    if len(by) < 2:
        raise ArgumentError("attributes: a rank correlation needs at least two in the vectors")
    rows_of = unit_vectors if normalise else vectors_of
    members = {role: rows_of(vectors, words.used[role]) for role in ("X", "Y")}
    _refuse_no_mean(members)
    unit = unit_vectors(vectors, by)
    # The length of a mean does not change the order of the cosines with it.
    arrays: dict[str, Any] = {role: rows @ unit.T for role, rows in members.items()}
    arrays["attributes"] = np.arange(len(by))

    def formula(x: Array, y: Array, chosen: Index) -> Value:
        scores = np.stack([x.mean(axis=0), y.mean(axis=0)], axis=1)[chosen]
        # Ranks less their mean; equal scores share theirs.
        ranks = np.sign(scores[:, None] - scores[None]).sum(axis=1) / 2
        size = np.linalg.norm(ranks, axis=0)
        if not size.all():
            raise ArgumentError("attributes: all are equally near to a group, so nothing is ranked")
        return Value(ranks[:, 0] @ ranks[:, 1] / size.prod(), ranks[:, 0] - ranks[:, 1])

    what = "Spearman correlation of cos(a, mean X) and cos(a, mean Y) over attributes"
    text = f"{what}, {'unit' if normalise else 'unscaled'} vectors"
    return measured("ECT", words, formula, text, arrays, by=by, draws=draws, prob=prob, seed=seed)


def _refuse_no_mean(arrays: dict[str, Array]) -> None:
    for role in ("X", "Y"):
        if not arrays[role].mean(axis=0).any():
            raise ArgumentError(f"{role}: its vectors cancel, so their mean has no direction")
