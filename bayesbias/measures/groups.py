"""Measures of groups by the vectors of their words: RND, ECT and RNSB.

RND (Garg et al. 2018) and ECT (Dev and Phillips 2019) replace a group by the mean of its words'
vectors. RND is by how much attributes are nearer to one mean, ECT whether both rank them alike:

    RND = mean over a of ‖a − x̄‖ − ‖a − ȳ‖,   ECT = Spearman's ρ over a of cos(a, x̄) and cos(a, ȳ)

How far apart the words of a group are is in neither number, and only in the interval, a bootstrap
of words. In RNSB (Sweeney and Najafian 2019) a classifier learns to tell negative words from
positive ones. Identity words have no sentiment, so that it should call all n of them negative with
the same probability. RNSB is how far their shares p of the summed probabilities are from equal
ones, Σ p log(n p).
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from bayesbias.errors import ArgumentError, one_of
from bayesbias.measures.measure_result import MeasureResult, bootstrap_interval, measured
from bayesbias.measures.subspaces import logistic_regression
from bayesbias.measures.words import WordSets, unit_vectors, wanted_words
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
    one_of(kind, "kind", RND_KINDS)
    words = wanted_words("RND", vectors, {"X": x, "Y": y}, {"attributes": attributes})
    rows_of = unit_vectors if normalise else vectors_of
    arrays = {role: rows_of(vectors, used) for role, used in words.used.items()}
    _refuse_no_mean(arrays)

    def differences(x: Array, y: Array, a: Array) -> Array:
        means = np.stack([x.mean(axis=0), y.mean(axis=0)])
        if kind == "norm":
            to_means = np.linalg.norm(a[:, None, :] - means[None, :, :], axis=2)
        else:
            to_means = 1.0 - cosine_distances(a, means)
        return to_means[:, 0] - to_means[:, 1]

    what = "‖a − mean X‖ − ‖a − mean Y‖" if kind == "norm" else "cos(a, mean X) − cos(a, mean Y)"
    text = f"mean over attributes of {what}, {'unit' if normalise else 'unscaled'} vectors"
    own = differences(*arrays.values())
    details = {"sum": float(own.sum()), "kind": kind}
    interval = bootstrap_interval(
        lambda *rows: differences(*rows).mean(), arrays, draws=draws, prob=prob, seed=seed
    )
    by = words.used["attributes"]
    return measured("RND", words, text, own.mean(), by, own, details, **interval)


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

    def ranks(x: Array, y: Array, chosen: Index) -> Array:
        scores = np.stack([x.mean(axis=0), y.mean(axis=0)], axis=1)[chosen]
        # Ranks less their mean; equal scores share theirs.
        return np.sign(scores[:, None] - scores[None]).sum(axis=1) / 2

    def value(*rows: Any) -> float:
        both = ranks(*rows)
        size = np.linalg.norm(both, axis=0)
        if not size.all():
            raise ArgumentError("attributes: all are equally near to a group, so nothing is ranked")
        return float(both[:, 0] @ both[:, 1] / size.prod())

    what = "Spearman correlation of cos(a, mean X) and cos(a, mean Y) over attributes"
    text = f"{what}, {'unit' if normalise else 'unscaled'} vectors"
    own = ranks(*arrays.values()) @ [1.0, -1.0]
    correlation = value(*arrays.values())
    interval = bootstrap_interval(value, arrays, draws=draws, prob=prob, seed=seed)
    return measured("ECT", words, text, correlation, by, own, **interval)


def rnsb(
    vectors: KeyedVectors,
    groups: WordSets,
    positive: Sequence[str],
    negative: Sequence[str],
    *,
    strength: float = 1.0,
    draws: int = 500,
    prob: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> MeasureResult:
    """Relative negative sentiment bias (Sweeney and Najafian 2019).

    A logistic regression learns to separate negative from positive words, all of them; RNSB is the
    Kullback-Leibler divergence from uniform of its probabilities of "negative" for the protected
    words, divided by their sum.

    Parameters
    ----------
    vectors : KeyedVectors
        Not scaled.
    groups : mapping from name to words
        Protected words, of any number of groups. The measure does not use which word is in which
        group; ``details["by_group"]`` has the groups' mean probabilities.
    positive, negative : sequence of str
        Words of the two sentiments, or of any other two classes.
    strength : float
        C of the logistic regression, the weight of the words against the ridge penalty.
    draws, prob, seed
        Of the bootstrap over the positive and negative words, each draw with a classifier of its
        own; another number of protected words would be another measure.

    Returns
    -------
    MeasureResult
        The value, 0 or more; ``by_word`` has the probability of "negative" of each protected word.
        ``details["accuracy"]`` is that on the words learned from.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"good": [0.0, 1.0], "kind": [0.1, 0.9], "bad": [1.0, 0.0],
    ...                         "evil": [0.8, 0.1], "he": [0.1, 1.0], "she": [0.2, 0.9]})
    >>> result = rnsb(kv, {"man": ["he"], "woman": ["she"]}, ["good", "kind"], ["bad", "evil"],
    ...               seed=1)
    >>> result.value < 0.01, result.by_word["he"] < result.by_word["she"]
    (True, True)
    """
    from scipy.special import expit

    words = wanted_words("RNSB", vectors, groups, {"positive": positive, "negative": negative})
    used = words.used
    protected = [word for name in groups for word in used[name]]
    learned = vectors_of(vectors, used["positive"] + used["negative"])
    # In their span, where the ridge penalty keeps the weights: long vectors cost no more.
    basis = np.linalg.svd(learned, full_matrices=False)[2]
    learned, place = learned @ basis.T, vectors_of(vectors, protected) @ basis.T
    n_positive = len(used["positive"])

    def chances(positive: Array, negative: Array) -> Array:
        rows = np.concatenate([positive, negative])
        labels = np.arange(len(rows)) >= len(positive)
        weights = logistic_regression(rows, labels, strength=strength)
        return expit(np.concatenate([place, rows]) @ weights[:-1] + weights[-1])

    def value(*rows: Array) -> float:
        chance = chances(*rows)[: len(place)]
        share = chance / chance.sum()
        return float(np.sum(share * np.log(len(share) * share)))  # Kullback-Leibler, from uniform

    text = (
        f"Σ p log(n p), p each word's probability of 'negative' over their sum, from "
        f"logistic regression (C={strength:g}), unscaled vectors"
    )
    arrays = {"positive": learned[:n_positive], "negative": learned[n_positive:]}
    own, of_learned = np.split(chances(*arrays.values()), [len(place)])
    right = (of_learned > 0.5) == (np.arange(len(learned)) >= n_positive)
    of_word = dict(zip(protected, own.tolist(), strict=True))
    by_group = {name: float(np.mean([of_word[w] for w in used[name]])) for name in groups}
    details = {"accuracy": float(right.mean()), "by_group": by_group}
    divergence = value(*arrays.values())
    interval = bootstrap_interval(value, arrays, draws=draws, prob=prob, seed=seed)
    return measured("RNSB", words, text, divergence, protected, own, details, **interval)


def _refuse_no_mean(arrays: dict[str, Array]) -> None:
    for role in ("X", "Y"):
        if not arrays[role].mean(axis=0).any():
            raise ArgumentError(f"{role}: its vectors cancel, so their mean has no direction")
