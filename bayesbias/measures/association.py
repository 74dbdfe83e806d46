"""The arithmetic of WEAT: associations, their statistics, and the test by re-partition.

Caliskan, Bryson and Narayanan (2017), Semantics derived automatically from language corpora
contain human-like biases, Science 356. Arrays in, arrays out: s holds the associations of the
words of X first, then those of Y, along the last axis; axes before it are separate worlds.
"""

from dataclasses import dataclass
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from bayesbias.errors import ArgumentError, suggest
from bayesbias.support.arrays import Array
from bayesbias.support.seeds import seed_as_integer

ALTERNATIVES: Final = ("greater", "less", "two-sided")

NO_SPREAD: Final = 1e-12  # a standard deviation of associations below this is rounding
_TIE: Final = 1e-13  # sums that differ by less, relative to the sum of |s|, are equal
_MOST_SUMS: Final = 50_000_000  # half-sums held in memory by the exact count: 400 MB
_CHUNK: Final = 1 << 21  # random numbers made at once


def association(to_a: ArrayLike, to_b: ArrayLike) -> Array:
    """Return s(w, A, B), the mean of cosines to A, (..., n, n_a), less that to B, (..., n, n_b)."""
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


@dataclass(frozen=True)
class PermutationTest:
    """How often a re-partition of all words into groups of the same sizes is as extreme.

    The p-value is ``n_extreme / n_partitions`` where every partition was counted (`exact`), the
    observed one included, else ``(n_extreme + 1) / (n_partitions + 1)`` of those drawn without it.
    `seed` is what the draws were made from.
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
        two = self.alternative == "two-sided"
        sides = self.alternative if two else f"one-sided: {self.alternative}"
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
    """Test whether X is more associated with A than Y is, by re-partition of the words.

    Parameters
    ----------
    s : array_like, shape (n_x + n_y,)
    n_x : int
        Number of words in X.
    alternative : {"greater", "less", "two-sided"}
        Which partitions are as extreme as the observed one: those whose statistic is at least, at
        most, or whose mean difference is in absolute value at least as great: with groups of
        unequal size the statistic is not centred on 0.
    draws : int
        Partitions drawn when there are too many to count.
    most_exact : int
        Count all partitions when there are no more than this.
    seed : int or Generator, optional
        For the draws; where it is needed and not given, one is chosen and recorded.

    Notes
    -----
    The exact count sorts the partial sums of either half of the words and looks the rest up: with n
    words it takes time and memory of the order of 2^(n/2), not of the number of partitions, so
    `most_exact` may be raised to 10¹² (21 + 21 words) at the cost of seconds. Draws are distinct
    partitions other than the observed one, so that (b + 1)/(m + 1) is valid (Phipson and Smyth
    2010) and tends to the exact value as m grows.

    Examples
    --------
    One partition of six is as extreme as this one.

    >>> test = permutation_test([0.5, 0.3, -0.6, -0.3], 2)
    >>> test.n_extreme, test.n_partitions, test.exact
    (1, 6, True)
    """
    x, y = _split(s, n_x)
    if x.ndim != 1:
        raise ArgumentError(f"s: needs one dimension here, not {x.ndim}")
    if alternative not in ALTERNATIVES:
        raise ArgumentError(f"alternative={alternative!r}{suggest(alternative, ALTERNATIVES)}")
    for name, value in (("draws", draws), ("most_exact", most_exact)):
        if value < 1:
            raise ArgumentError(f"{name}={value}: must be at least 1")
    values, observed, size = _one_sided_form(x, y, alternative)
    tie = _TIE * float(np.abs(values).sum())
    both = alternative == "two-sided"
    possible = comb(len(values), size)
    if possible <= max(most_exact, draws + 1):
        n_extreme = _count_exactly(values, size, observed - tie, both)
        p_value = n_extreme / possible
        return PermutationTest(p_value, True, possible, n_extreme, possible, alternative)
    seed = seed_as_integer(seed)
    sums = _draw_sums(values, size, len(x) == size, draws, np.random.default_rng(seed))
    n_extreme = int(np.sum((np.abs(sums) if both else sums) >= observed - tie))
    p_value = (n_extreme + 1) / (draws + 1)
    return PermutationTest(p_value, False, draws, n_extreme, possible, alternative, seed)


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


def _one_sided_form(x: Array, y: Array, alternative: str) -> tuple[Array, float, int]:
    """Return values, signed so that great sums are extreme, the smaller group's sum and size."""
    values = np.concatenate([x, y])
    # Centred, the sums of X and Y are opposite. The mean difference is a multiple of that of X, and
    # Σ_X s − Σ_Y s twice that, but for a constant. So one sum, of the smaller group, does.
    values = values - values.mean()
    x_is_small = len(x) <= len(y)
    small = values[: len(x)] if x_is_small else values[len(x) :]
    if alternative == "two-sided":
        return values, abs(float(small.sum())), len(small)
    sign = 1.0 if x_is_small == (alternative == "greater") else -1.0
    return sign * values, sign * float(small.sum()), len(small)


def _count_exactly(values: Array, size: int, least: float, both: bool) -> int:
    """Count the subsets of a size whose sum is at least `least` (or at most −`least`)."""
    half = len(values) // 2
    right_half = len(values) - half
    held = sum(comb(right_half, k) for k in range(size + 1))
    if held > _MOST_SUMS:
        raise ArgumentError(
            f"most_exact: counting all partitions of {len(values)} words needs {held:,} partial "
            f"sums in memory; lower it, and partitions are drawn"
        )
    if both and least <= 0:
        return comb(len(values), size)
    # Meet in the middle (Horowitz and Sahni 1974): k words of the left half go with size − k of the
    # right, and for each right sum a binary search counts the left ones that are enough.
    left = _subset_sums(values[:half], size)
    right = _subset_sums(values[half:], size)
    count = 0
    for k in range(max(0, size - right_half), min(size, half) + 1):
        a, b = np.sort(left[k]), np.sort(right[size - k])
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


def _draw_sums(
    values: Array, size: int, small_first: bool, draws: int, rng: np.random.Generator
) -> Array:
    """Return the sums of distinct random subsets of a size, the observed one left out."""
    n = len(values)
    observed = np.zeros((1, n), dtype=bool)
    observed[0, slice(0, size) if small_first else slice(n - size, n)] = True
    # The observed partition stands first, so that no draw repeats it, and is left out at the end.
    seen = np.packbits(observed, axis=1)
    sums = np.zeros(1)
    while len(sums) <= draws:
        wanted = draws + 1 - len(sums)
        for start in range(0, wanted, max(1, _CHUNK // n)):
            m = min(wanted - start, max(1, _CHUNK // n))
            # The places of the smallest of random numbers: a random subset.
            chosen = np.argpartition(rng.random((m, n)), size - 1, axis=1)[:, :size]
            member = np.zeros((m, n), dtype=bool)
            np.put_along_axis(member, chosen, True, axis=1)
            seen = np.concatenate([seen, np.packbits(member, axis=1)])
            sums = np.concatenate([sums, member @ values])
        keys = seen.view(np.dtype((np.void, seen.shape[1])))[:, 0]
        # Draws that repeat an earlier one are made again, until there are enough.
        first = np.sort(np.unique(keys, return_index=True)[1])
        seen, sums = seen[first], sums[first]
    return sums[1:]
