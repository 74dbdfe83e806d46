"""Differential association: WEAT and WEFAT (Caliskan, Bryson and Narayanan 2017, Science 356).

The association of a word is its mean cosine with the attributes A minus that with B. WEAT compares
it between two groups of words, in units of its spread over all of them; WEFAT has one value a word,
in units of the spread of its cosines. `association` has the arithmetic and the permutation test.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from bayesbias.measures.arrangements import two_groups_two_sets, words_two_sets
from bayesbias.measures.association import (
    association,
    effect_size,
    mean_difference,
    permutation_test,
    test_statistic,
)
from bayesbias.measures.declaration import Measure, Value, measured
from bayesbias.measures.measure_result import MeasureResult
from bayesbias.measures.ttests import TTest, welch_test
from bayesbias.measures.wordsets import WordSource, find_sets, similarities
from bayesbias.support.arrays import Array
from bayesbias.support.seeds import seed_as_integer


class WeatResult(MeasureResult):
    """The result of `weat`; its value is the effect size."""

    @property
    def effect_size(self) -> float:
        """Mean difference over the standard deviation of all associations."""
        return float(self.details["effect_size"])

    @property
    def statistic(self) -> float:
        """Σ_X s − Σ_Y s."""
        return float(self.details["statistic"])

    @property
    def mean_difference(self) -> float:
        """mean_X s − mean_Y s, a difference of cosines."""
        return float(self.details["mean_difference"])

    @property
    def raw_tests(self) -> dict[str, TTest | None]:
        """Welch tests of raw similarities of X and Y to A and to B; None of a single pair."""
        return dict(self.details["raw_tests"])


def weat(
    source: WordSource,
    x: Sequence[str],
    y: Sequence[str],
    a: Sequence[str],
    b: Sequence[str],
    *,
    alternative: str = "greater",
    ddof: int = 1,
    draws: int = 10_000,
    most_exact: int = 1_000_000,
    prob: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> WeatResult:
    """Word Embedding Association Test: how much nearer to A, not B, is X than Y.

    Parameters
    ----------
    source : KeyedVectors or DataFrame
        Vectors, or a frame of distances in which X and Y are protected words.
    x, y : sequence of str
        Protected words; the groups may differ in size.
    a, b : sequence of str
        Attributes.
    alternative, draws, most_exact, seed
        Of `permutation_test`.
    ddof : {1, 0}
        Divisor n − ddof in the standard deviation of the effect size. The values of Caliskan et al.
        use 1; the Bayesian paper's example and several packages use 0.
    prob : float
        Confidence of the intervals of the raw tests.

    Returns
    -------
    WeatResult
        ``effect_size``, ``statistic``, ``mean_difference``, ``p_value``, ``by_word`` with every
        word's association, and ``raw_tests``.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package, and if all associations are equal.

    Notes
    -----
    The p-value says how a partition of *these* words compares with the others; the effect size is
    in units of a spread of means. Neither says how sure one can be about other words. The raw tests
    are those of the Bayesian paper's section 4: Welch's t-test of the similarities of all X words
    to all A words against those of the Y words, without averaging first, and so for B. They take
    pairs as independent, which pairs that share a word are not.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"he": [1.0, 0.1], "man": [0.9, 0.3], "she": [0.2, 1.0],
    ...                         "woman": [0.4, 1.0], "work": [1.0, 0.0], "home": [0.0, 1.0]})
    >>> weat(kv, ["he", "man"], ["she", "woman"], ["work"], ["home"])
    WEAT = 1.7072   (X 2, Y 2, A 1, B 1 used)
      effect_size 1.7072, statistic 2.8695, mean_difference 1.4348
      p = 0.167 (exact: all 6 partitions, one-sided: greater)
      (mean_X s − mean_Y s) / sd of s over X and Y (ddof=1), s = mean cos to A − mean cos to B
    """
    seed = None if seed is None else seed_as_integer(seed)
    found = find_sets(source, {"X": x, "Y": y}, {"A": a, "B": b})
    words = found.used["X"] + found.used["Y"]
    n_x = len(found.used["X"])
    to_a, to_b = (similarities(source, words, found.used[role]) for role in ("A", "B"))
    s = association(to_a, to_b)
    effect = float(effect_size(s, n_x, ddof=ddof))
    test = permutation_test(
        s, n_x, alternative=alternative, draws=draws, most_exact=most_exact, seed=seed
    )
    details = {
        "effect_size": effect,
        "statistic": float(test_statistic(s, n_x)),
        "mean_difference": float(mean_difference(s, n_x)),
        "ddof": ddof,
        "permutation": test,
        "raw_tests": {
            "A": _raw_test(to_a[:n_x], to_a[n_x:], prob),
            "B": _raw_test(to_b[:n_x], to_b[n_x:], prob),
        },
    }
    result = measured(
        "WEAT",
        found,
        lambda: Value(effect, s, details),
        f"(mean_X s − mean_Y s) / sd of s over X and Y (ddof={ddof}), "
        f"s = mean cos to A − mean cos to B",
        by=words,
        p_value=test.p_value,
        p_method=test.method,
        seed=test.seed if seed is None else seed,
    )
    return WeatResult(**vars(result))


def _raw_test(first: Array, second: Array, prob: float) -> TTest | None:
    """Return Welch's test of raw similarities; None where they are too few or do not vary."""
    if min(first.size, second.size) < 2 or not (np.ptp(first) or np.ptp(second)):
        return None
    return welch_test(first, second, prob=prob)


def wefat(
    source: WordSource, words: Sequence[str], a: Sequence[str], b: Sequence[str], *, ddof: int = 1
) -> MeasureResult:
    """Word Embedding Factual Association Test: each word's own effect size, A against B.

    Parameters
    ----------
    source, a, b
        As in `weat`; of a frame, `words` are protected words.
    words : sequence of str
    ddof : {1, 0}
        Divisor n − ddof in the standard deviation of a word's cosines to A and B together.

    Returns
    -------
    MeasureResult
        ``by_word`` has the association of every word; the value is their mean. Caliskan et al. set
        the words' values against a fact about each, such as the share of women in an occupation.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package, and if a word's cosines are all equal.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"nurse": [0.2, 1.0], "he": [1.0, 0.0], "she": [0.0, 1.0]})
    >>> round(wefat(kv, ["nurse"], ["she"], ["he"]).by_word["nurse"], 3)
    1.414
    """
    found = find_sets(source, {"words": words}, {"A": a, "B": b})
    used = found.used
    matrix = similarities(source, used["words"], used["A"] + used["B"])
    values = np.asarray(effect_size(matrix, len(used["A"]), ddof=ddof))
    return measured(
        "WEFAT",
        found,
        lambda: Value(values.mean(), values, {"ddof": ddof}),
        f"mean over words of (mean cos to A − mean cos to B) / sd of cos to A and B (ddof={ddof})",
        by=used["words"],
    )


_SOURCE: Final = (
    "Caliskan, Bryson and Narayanan (2017), Semantics derived automatically from language corpora "
    "contain human-like biases, Science 356"
)
MEASURES: Final = (
    Measure(
        name="WEAT",
        function=weat,
        source=_SOURCE,
        reading="says whether this split of these words stands out among their re-partitions; not "
        "how large the association is, which words carry it, or what other words would "
        "give",
        calls=two_groups_two_sets,
    ),
    Measure(
        name="WEFAT",
        function=wefat,
        source=_SOURCE,
        reading="ranks words between A and B; its mean lets near and far words cancel",
        calls=words_two_sets,
    ),
)
