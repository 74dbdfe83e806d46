"""RNSB: how equally identity words share negative sentiment.

A classifier learns to tell negative words from positive ones. Identity words have no sentiment, so
that it should call all n of them negative with the same probability. RNSB (Sweeney and Najafian
2019) is how far their shares p of the summed probabilities are from equal ones, Σ p log(n p).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesbias.measures.measure_result import MeasureResult, Value, measured
from bayesbias.measures.words import WordSets, wanted_words
from bayesbias.support.arguments import Array, KeyedVectors
from bayesbias.vectors.lookup import vectors_of
from bayesbias.vectors.subspaces import logistic_regression


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

    def formula(positive: Array, negative: Array) -> Value:
        rows = np.concatenate([positive, negative])
        labels = np.arange(len(rows)) >= len(positive)
        weights = logistic_regression(rows, labels, strength=strength)
        chance = expit(place @ weights[:-1] + weights[-1])
        accuracy = ((rows @ weights[:-1] + weights[-1] > 0) == labels).mean()
        of_word = dict(zip(protected, chance.tolist(), strict=True))
        by_group = {name: float(np.mean([of_word[w] for w in used[name]])) for name in groups}
        share = chance / chance.sum()
        divergence = np.sum(share * np.log(len(share) * share))  # Kullback-Leibler, from uniform
        return Value(divergence, chance, {"accuracy": float(accuracy), "by_group": by_group})

    text = (
        f"Σ p log(n p), p each word's probability of 'negative' over their sum, from "
        f"logistic regression (C={strength:g}), unscaled vectors"
    )
    arrays = {"positive": learned[:n_positive], "negative": learned[n_positive:]}
    drawn: dict[str, Any] = {"draws": draws, "prob": prob, "seed": seed}
    return measured("RNSB", words, formula, text, arrays, by=protected, **drawn)
