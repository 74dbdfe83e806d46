"""Measures of cosines alone, for which a frame of distances is enough: WEAT, WEFAT and MAC.

Differential association (Caliskan, Bryson and Narayanan 2017, Science 356) is

    s(w) = mean cos(w, A) − mean cos(w, B)
    WEAT: statistic = Σ_X s − Σ_Y s,   effect size = (mean_X s − mean_Y s) / sd of s over X and Y
    WEFAT: of each word w, s(w) / sd of cos(w, a) over A and B

and p is the share of partitions of the words of X and Y into sets of the same sizes that are as
extreme. Numeric cores take arrays: s holds the words of X first, then those of Y, along the last
axis; axes before it are separate data sets. Mean average cosine distance (Manzini et al. 2019) is

    MAC = mean over targets t and attribute sets A_j of s(t, A_j)
    s(t, A) = mean over a in A of 1 − cos(t, a)

A MAC nearer to 1 after debiasing is read as less bias. It does not tell a group's own set from
those of others, nor these from controls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_SET, DISTANCE, PROTECTED_WORD
from bayesbias.errors import ArgumentError, one_of
from bayesbias.measures.measure_result import MeasureResult, measured
from bayesbias.measures.words import RoleWords, WordSets, WordSource, find_sets, similarities
from bayesbias.support.arguments import Array, seed_as_integer
from bayesbias.words.keys import pairs_of_sets

ALTERNATIVES: Final = ("greater", "less", "two-sided")

NO_SPREAD: Final = 1e-12  # a standard deviation of associations below this is rounding
_TIE: Final = 1e-13  # sums that differ by less, relative to the sum of |s|, are equal
_MOST_SUMS: Final = 50_000_000  # half-sums held in memory by the exact count: 400 MB
_MOST_ROWS: Final = 1 << 16  # partitions drawn at once


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
    seed: int | np.random.Generator | None = None,
) -> MeasureResult:
    """Word Embedding Association Test: how much closer to A, not B, is X than Y.

    Parameters
    ----------
    source : KeyedVectors or DataFrame
        Vectors, or a frame of distances in which X and Y are protected words.
    x, y : sequence of str
        Protected words; the groups may differ in size.
    a, b : sequence of str
        Attributes.
    alternative : {"greater", "less", "two-sided"}
        Which partitions are as extreme as the observed one: those whose mean difference is at
        least, at most, or in absolute value at least as great.
    draws, most_exact : int
        Partitions drawn where there are more than `most_exact`, else all are counted. It may be
        raised to 10¹² (21 + 21 words) at the cost of seconds.
    seed : int or Generator, optional
        For the draws; where it is needed and not given, one is chosen and recorded.
    ddof : {1, 0}
        Divisor n − ddof in the standard deviation of the effect size. The values of Caliskan et al.
        use 1; the Bayesian paper's example and several packages use 0.

    Returns
    -------
    MeasureResult
        The effect size, ``p_value``, and ``by_word`` with every word's association; ``details`` has
        ``statistic``, ``mean_difference`` (of cosines) and the ``permutation`` test.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package, and if all associations are equal.

    Notes
    -----
    Neither the effect size nor p says how sure one can be about other words.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"he": [1.0, 0.1], "man": [0.9, 0.3], "she": [0.2, 1.0],
    ...                         "woman": [0.4, 1.0], "work": [1.0, 0.0], "home": [0.0, 1.0]})
    >>> weat(kv, ["he", "man"], ["she", "woman"], ["work"], ["home"])
    WEAT = 1.7072   (X 2, Y 2, A 1, B 1 used)
      statistic 2.8695, mean_difference 1.4348
      p = 0.167 (exact: all 6 partitions, one-sided: greater)
      (mean_X s − mean_Y s) / sd of s over X and Y (ddof=1), s = mean cos to A − mean cos to B
    """
    seed = None if seed is None else seed_as_integer(seed)
    sets = find_sets(source, {"X": x, "Y": y}, {"A": a, "B": b})
    words, n_x = sets.used["X"] + sets.used["Y"], len(sets.used["X"])
    s = association(*(similarities(source, words, sets.used[role]) for role in "AB"))
    effect = effect_size(s, n_x, ddof=ddof)
    test = permutation_test(
        s, n_x, alternative=alternative, draws=draws, most_exact=most_exact, seed=seed
    )
    details = {
        "statistic": float(test_statistic(s, n_x)),
        "mean_difference": float(mean_difference(s, n_x)),
        "ddof": ddof,
        "permutation": test,
    }
    text = f"(mean_X s − mean_Y s) / sd of s over X and Y (ddof={ddof}), "
    text += "s = mean cos to A − mean cos to B"
    seed = test.seed if seed is None else seed
    test_of: dict[str, Any] = {"p_value": test.p_value, "p_method": test.method, "seed": seed}
    return measured("WEAT", sets, text, effect, words, s, details, **test_of)


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
        ``by_word`` has the effect size of every word; the value is their mean. Caliskan et al. set
        the words' values against a fact about each, such as the share of women in an occupation.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"nurse": [0.2, 1.0], "he": [1.0, 0.0], "she": [0.0, 1.0]})
    >>> round(wefat(kv, ["nurse"], ["she"], ["he"]).by_word["nurse"], 3)
    1.414
    """
    sets = find_sets(source, {"words": words}, {"A": a, "B": b})
    used = sets.used
    matrix = similarities(source, used["words"], used["A"] + used["B"])
    values = np.asarray(effect_size(matrix, len(used["A"]), ddof=ddof))
    text = (
        f"mean over words of (mean cos to A − mean cos to B) / sd of cos to A and B (ddof={ddof})"
    )
    return measured("WEFAT", sets, text, values.mean(), used["words"], values, {"ddof": ddof})


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
        pairs = pairs_of_sets(source)
        s = pairs.pivot_table(DISTANCE, PROTECTED_WORD, ATTRIBUTE_SET, sort=False)
        of_sets = pairs.groupby(ATTRIBUTE_SET, sort=False)[ATTRIBUTE].unique().map(tuple)
        sets = RoleWords({"targets": tuple(s.index), **of_sets}, ())
    elif targets is None or attribute_sets is None:
        raise ArgumentError("MAC needs both targets and attribute_sets, or for a frame neither")
    else:
        sets = find_sets(source, {"targets": targets}, attribute_sets, overlap=True)
        words = sets.used["targets"]
        to = {name: similarities(source, words, sets.used[name]) for name in attribute_sets}
        means = {name: (1.0 - matrix).mean(axis=1) for name, matrix in to.items()}
        s = pd.DataFrame(means, index=list(words))
    text = "mean over targets t and attribute sets A_j of the mean cosine distance of t to A_j"
    details = {"s": {word: row.dropna().to_dict() for word, row in s.iterrows()}}
    own = s.mean(axis=1)
    return measured("MAC", sets, text, np.nanmean(s.to_numpy()), list(own.index), own, details)


def association(to_a: ArrayLike, to_b: ArrayLike) -> Array:
    """Return s, the mean of cosines to A, (..., n, n_a), minus that to B, (..., n, n_b)."""
    a, b = np.asarray(to_a, dtype=np.float64), np.asarray(to_b, dtype=np.float64)
    return np.asarray(a.mean(axis=-1) - b.mean(axis=-1))


def test_statistic(s: ArrayLike, n_x: int) -> Any:
    """Return the WEAT statistic, Σ_X s − Σ_Y s; s has the shape (..., n_x + n_y)."""
    x, y = _split(s, n_x)
    return x.sum(axis=-1) - y.sum(axis=-1)


def mean_difference(s: ArrayLike, n_x: int) -> Any:
    """Return mean_X s − mean_Y s; with groups of n words each it is the statistic over n."""
    x, y = _split(s, n_x)
    return x.mean(axis=-1) - y.mean(axis=-1)


def effect_size(s: ArrayLike, n_x: int, *, ddof: int = 1) -> Any:
    """Return the WEAT effect size, the mean difference over the spread of all s, (..., n_x + n_y).

    The variance over X and Y together is divided by n − ddof; Caliskan et al. use 1.
    """
    if ddof not in (0, 1):
        raise ArgumentError(f"ddof={ddof}: must be 1 (the original) or 0")
    difference = mean_difference(s, n_x)
    spread = np.asarray(s, dtype=np.float64).std(axis=-1, ddof=ddof)
    if np.any(spread < NO_SPREAD):
        raise ArgumentError(
            "all words have the same association, so the effect size, which divides by the "
            "spread, does not exist; use the mean difference"
        )
    return difference / spread


def _split(s: ArrayLike, n_x: int) -> tuple[Array, Array]:
    """Return the associations of X and of Y."""
    array = np.asarray(s, dtype=np.float64)
    if array.ndim == 0 or not 0 < n_x < array.shape[-1]:
        raise ArgumentError(
            f"n_x={n_x}: X and Y need at least one word each; s has the shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ArgumentError("s: holds NaN or infinite associations; leave those words out")
    return array[..., :n_x], array[..., n_x:]


@dataclass(frozen=True)
class PermutationTest:
    """How often a re-partition of all words into groups of the same sizes is as extreme.

    The p-value is ``n_extreme / n_partitions`` where every partition was counted (`exact`), the
    observed one included, else ``(n_extreme + 1) / (n_partitions + 1)`` of those drawn without it.
    """

    p_value: float
    exact: bool
    n_partitions: int
    n_extreme: int
    n_possible: int  # partitions that there are
    alternative: str
    seed: int | None = None

    @property
    def method(self) -> str:
        """How the p-value was computed, in words."""
        is_two_sided = self.alternative == "two-sided"
        sides = self.alternative if is_two_sided else f"one-sided: {self.alternative}"
        if self.exact:
            return f"exact: all {self.n_possible:,} partitions, {sides}"
        return (
            f"{self.n_partitions:,} of {self.n_possible:,} partitions drawn without replacement, "
            f"(b + 1)/(m + 1), {sides}"
        )


def permutation_test(
    s: ArrayLike,
    n_x: int,
    *,
    alternative: str = "greater",
    draws: int = 10_000,
    most_exact: int = 1_000_000,
    seed: int | np.random.Generator | None = None,
) -> PermutationTest:
    """Test whether X is more associated with A than Y is, by re-partition of the words of s (n,).

    The exact count takes time and memory of the order of 2^(n/2). Draws are distinct partitions
    other than the observed one, so that (b + 1)/(m + 1) is valid (Phipson and Smyth 2010) and tends
    to the exact value as m grows.

    One partition of six is as extreme as this one:

    >>> test = permutation_test([0.5, 0.3, -0.6, -0.3], 2)
    >>> test.n_extreme, test.n_partitions, test.exact
    (1, 6, True)
    """
    values = np.concatenate(_split(s, n_x))
    if values.ndim != 1:
        raise ArgumentError(f"s: needs one dimension here, not {values.ndim}")
    one_of(alternative, "alternative", ALTERNATIVES)
    for name, value in (("draws", draws), ("most_exact", most_exact)):
        if value < 1:
            raise ArgumentError(f"{name}={value}: must be at least 1")
    # Centred, the sums of X and Y are opposite: the mean difference is a multiple of that of X.
    values = (values - values.mean()) * (-1.0 if alternative == "less" else 1.0)
    both = alternative == "two-sided"
    observed = float(values[:n_x].sum())
    least = (abs(observed) if both else observed) - _TIE * float(np.abs(values).sum())
    possible = comb(len(values), n_x)
    if possible <= max(most_exact, draws + 1):
        n_extreme = _count_exactly(values, n_x, least, both)
        p_value = n_extreme / possible
        return PermutationTest(p_value, True, possible, n_extreme, possible, alternative)
    seed = seed_as_integer(seed)
    sums = _draw_sums(values, n_x, draws, np.random.default_rng(seed))
    n_extreme = int(np.sum((np.abs(sums) if both else sums) >= least))
    p_value = (n_extreme + 1) / (draws + 1)
    return PermutationTest(p_value, False, draws, n_extreme, possible, alternative, seed)


def _count_exactly(values: Array, size: int, least: float, both: bool) -> int:
    """Count the subsets of a size whose sum is at least `least` (or at most −`least`)."""
    half = len(values) // 2
    right_half = len(values) - half
    n_sums = sum(comb(right_half, k) for k in range(size + 1))
    if n_sums > _MOST_SUMS:
        raise ArgumentError(
            f"most_exact: counting all partitions of {len(values)} words needs {n_sums:,} partial "
            f"sums in memory; lower it, and partitions are drawn"
        )
    if both and least <= 0:
        return comb(len(values), size)
    # Meet in the middle (Horowitz and Sahni 1974): k words of the left half go with size − k of the
    # right, and for each right sum a binary search counts the left ones that are enough.
    first, second = _subset_sums(values[:half], size), _subset_sums(values[half:], size)
    count = 0
    for k in range(max(0, size - right_half), min(size, half) + 1):
        a, b = np.sort(first[k]), np.sort(second[size - k])
        count += len(a) * len(b) - int(np.searchsorted(a, least - b, side="left").sum())
        if both:
            count += int(np.searchsorted(a, -least - b, side="right").sum())
    return count


def _subset_sums(values: Array, most: int) -> list[Array]:
    """Return the sums of all subsets of 0, 1, … `most` values, by size."""
    sums = [np.zeros(1), *(np.empty(0) for _ in range(most))]
    for value in values:
        for k in range(most, 0, -1):
            sums[k] = np.concatenate([sums[k], sums[k - 1] + value])
    return sums


def _draw_sums(values: Array, size: int, draws: int, rng: np.random.Generator) -> Array:
    """Return the sums of distinct random subsets of a size, without that of the first values."""
    n = len(values)
    # The observed partition stands first, so that no draw repeats it, and is left out at the end.
    packed = np.packbits((np.arange(n) < size)[None], axis=1)
    sums = np.zeros(1)
    while len(sums) <= draws:
        m = min(draws + 1 - len(sums), _MOST_ROWS)
        # The places of the smallest of random numbers: a random subset.
        chosen = np.argpartition(rng.random((m, n)), size - 1, axis=1)[:, :size]
        member = np.zeros((m, n), dtype=bool)
        np.put_along_axis(member, chosen, True, axis=1)
        packed = np.concatenate([packed, np.packbits(member, axis=1)])
        sums = np.concatenate([sums, member @ values])
        # Draws that repeat an earlier one are made again, until there are enough.
        keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
        first = np.sort(np.unique(keys, return_index=True)[1])
        packed, sums = packed[first], sums[first]
    return sums[1:]
