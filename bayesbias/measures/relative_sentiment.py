"""RNSB: how equally identity words share negative sentiment.

Sweeney and Najafian (2019), A Transparent Framework for Evaluating Unintended Demographic Bias in
Word Embeddings, ACL.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bayesbias.measures.bootstrap import bootstrap_interval
from bayesbias.measures.declaration import Measure
from bayesbias.measures.inputs import groups_two_sets
from bayesbias.measures.results import MeasureResult
from bayesbias.measures.wordsets import WordSets, find_sets, need_vectors, warn_dropped
from bayesbias.vectors.linear_classifier import logistic_regression, probabilities
from bayesbias.vectors.lookup import vectors_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def rnsb(
    vectors: "KeyedVectors",
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

    A logistic regression learns to separate negative from positive words; RNSB is the
    Kullback-Leibler divergence from uniform of its probabilities of "negative" for the protected
    words, divided by their sum.

    Parameters
    ----------
    vectors : KeyedVectors
    groups : mapping from name to words
        Protected words, of any number of groups. The measure does not use which word is in which
        group; ``details["by_group"]`` has the groups' mean probabilities.
    positive, negative : sequence of str
        Words of the two sentiments, or of any other two classes.
    strength : float
        C of the logistic regression, the weight of the words against the ridge penalty.
    draws : int
        Draws of the bootstrap.
    prob : float
        Probability of the interval.
    seed : int or Generator, optional

    Returns
    -------
    MeasureResult
        The value, 0 or more; ``by_word`` has the probability of "negative" of each protected word.
        The interval is from a bootstrap over the positive and negative words, each draw with a
        classifier of its own; the protected words are those given, since another number of them
        would be another measure. ``details["accuracy"]`` is that on the words learned from.

    Raises
    ------
    ArgumentError
        If a set is empty or none of it is in the vectors, a word is in two sets, or an
        option is outside its range.
    EmbeddingError
        If a vector is zero or not finite.

    Warns
    -----
    MissingWordsWarning
        If words are missing; ``dropped`` lists them.

    Notes
    -----
    All given words are learned from: there is no random split, and the same words give the same
    value. Vectors are not scaled. Cost: a singular value decomposition of the n words learned
    from, then n³ operations a draw.

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
    need_vectors(vectors, "RNSB")
    sentiments = {"positive": positive, "negative": negative}
    used, dropped = find_sets(vectors, groups, sentiments)
    words = [word for name in groups for word in used[name]]
    learned, place = _coordinates(
        vectors_of(vectors, used["positive"] + used["negative"]), vectors_of(vectors, words)
    )
    n_positive = len(used["positive"])
    labels = np.arange(len(learned)) >= n_positive

    def negative_probabilities(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        weights = logistic_regression(learned[rows], labels[rows], strength=strength)
        return probabilities(place, weights)

    everything = np.arange(len(learned))
    chance = negative_probabilities(everything)
    interval = bootstrap_interval(
        lambda drawn: _divergence(
            negative_probabilities(np.concatenate([drawn[0], n_positive + drawn[1]]))
        ),
        {role: len(used[role]) for role in sentiments},
        draws=draws,
        prob=prob,
        seed=seed,
    )
    weights = logistic_regression(learned, labels, strength=strength)
    right = (probabilities(learned, weights) > 0.5) == labels
    by_word = dict(zip(words, chance.tolist(), strict=True))
    by_group = {name: float(np.mean([by_word[w] for w in used[name]])) for name in groups}
    warn_dropped(dropped)
    return MeasureResult(
        measure="RNSB",
        value=_divergence(chance),
        formula=f"Σ p log(n p), p each word's probability of 'negative' over their sum, from "
        f"logistic regression (C={strength:g}), unscaled vectors",
        words=used,
        dropped=dropped,
        details={"accuracy": float(right.mean()), "by_group": by_group},
        by_word=by_word,
        **interval._asdict(),
    )


def _coordinates(
    learned: NDArray[np.float64], others: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coordinates in the span of the words learned from.

    The ridge penalty keeps the weights there, so that every classifier costs what the number of
    words costs, not what the dimension of the vectors does.
    """
    basis = np.linalg.svd(learned, full_matrices=False)[2]
    return learned @ basis.T, others @ basis.T


def _divergence(chance: NDArray[np.float64]) -> float:
    """Return the Kullback-Leibler divergence of shares from uniform."""
    share = chance / chance.sum()
    return float(np.sum(share * np.log(len(share) * share)))


RNSB = Measure(
    name="RNSB",
    function=rnsb,
    source="Sweeney and Najafian (2019), A Transparent Framework for Evaluating Unintended "
    "Demographic Bias in Word Embeddings, ACL",
    reading="says whether single words get unequal shares of the negative class; not towards which "
    "group, and it grows with differences within a group as with those between groups",
    calls=groups_two_sets,
)
