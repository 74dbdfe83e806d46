"""One world without association in full, with all its re-partitions (Bayesian paper, section 4)."""

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError
from bayesbias.measures.association import (
    PermutationTest,
    association,
    effect_size,
    permutation_test,
    test_statistic,
)
from bayesbias.measures.ttests import TTest, welch_test
from bayesbias.simulate.null_worlds import draw_similarities, refuse_world
from bayesbias.support.result import Result
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import Blocks, percent

_MOST_PARTITIONS: Final = 1_000_000
_MOST_TRIES: Final = 1_000_000


@dataclass(frozen=True, repr=False)
class NullSample(Result):
    """One world without association, in full.

    Parameters
    ----------
    to_a, to_b : ndarray, shape (n_words, n_attributes)
        Cosine similarities; the first half of the words is X.
    statistic, effect_size : float
        Of the sample, with ddof=1.
    partition_statistics, partition_effect_sizes : ndarray, shape (n_partitions,)
        Of every partition of the words into the same sizes, the sample's own first.
    permutation : PermutationTest
        Two-sided.
    raw_tests : dict
        Welch's t-test of the raw similarities of X against those of Y, to A and to B.
    sd : float
    seed : int
    least_effect : float
        The sample is the first one with an absolute effect size of at least this.
    n_tried : int
        Samples drawn until then.
    """

    to_a: NDArray[np.float64]
    to_b: NDArray[np.float64]
    statistic: float
    effect_size: float
    partition_statistics: NDArray[np.float64]
    partition_effect_sizes: NDArray[np.float64]
    permutation: PermutationTest
    raw_tests: dict[str, TTest]
    sd: float
    seed: int
    least_effect: float
    n_tried: int

    def distances(self) -> pd.DataFrame:
        """Return the raw distances: columns ``word``, ``group``, ``attribute_set``, ``distance``.

        One row per word and attribute.
        """
        n, n_attributes = self.to_a.shape
        word = np.repeat(
            [f"{'X' if i < n // 2 else 'Y'}{i % (n // 2) + 1}" for i in range(n)], n_attributes
        )
        return pd.concat(
            [
                pd.DataFrame(
                    {
                        "word": word,
                        "group": [w[0] for w in word],
                        "attribute_set": name,
                        "distance": 1.0 - matrix.ravel(),
                    }
                )
                for name, matrix in (("A", self.to_a), ("B", self.to_b))
            ],
            ignore_index=True,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the raw distances, as `distances` does."""
        return self.distances()

    def to_dict(self) -> dict[str, Any]:
        """Return the sample and its tests as plain data, the re-partitions left out."""
        content = super().to_dict()
        for name in ("partition_statistics", "partition_effect_sizes"):
            del content[name]
        return content

    @property
    def blocks(self) -> Blocks:
        """The statistics and, beside the permutation test, the raw tests."""
        lines = [
            f"Sample {self.n_tried:,} of seed {self.seed}, without association: effect size "
            f"{self.effect_size:.3f}, statistic {self.statistic:.3f}",
            f"  p = {self.permutation.p_value:.3g} ({self.permutation.method})",
        ]
        lines += [
            f"  raw similarities to {name}: X − Y = {test.difference:.4f}, {percent(test.prob)} "
            f"confidence [{test.low:.4f}, {test.high:.4f}], p = {test.p_value:.3g} ({test.kind})"
            for name, test in self.raw_tests.items()
        ]
        return lines


def null_sample(
    n_words: int = 16,
    n_attributes: int = 8,
    sd: float = 0.08,
    *,
    least_effect: float = 0.0,
    prob: float = 0.95,
    seed: int | np.random.Generator = 1,
) -> NullSample:
    """Draw one world without association, with all its re-partitions and the raw tests.

    Parameters
    ----------
    n_words : int
        Words of X and Y together, an even number, at most 22.
    n_attributes : int
        Attributes in A, and in B.
    sd : float
        Standard deviation of a similarity.
    least_effect : float
        Draw samples until one has an absolute effect size of at least this. The result says how
        many that took: a sample picked so is an illustration and no evidence.
    prob : float
        Confidence of the intervals of the raw tests.
    seed : int or Generator

    Returns
    -------
    NullSample

    Raises
    ------
    ArgumentError
        If a number is outside its range, or a million samples had no such effect size.

    Notes
    -----
    The standard deviation in the effect size is taken over X and Y together and so is the same in
    every partition: statistic and effect size are one distribution in two units.

    Examples
    --------
    >>> sample = null_sample(n_words=8, seed=2)
    >>> sample.partition_statistics.shape, sample.permutation.exact
    ((70,), True)
    """
    refuse_world(n_words, n_attributes, sd)
    half = n_words // 2
    if comb(n_words, half) > _MOST_PARTITIONS:
        raise ArgumentError(f"n_words={n_words}: has more than {_MOST_PARTITIONS:,} partitions")
    if half * n_attributes < 2:
        raise ArgumentError("n_words, n_attributes: one pair per group has no variance to test")
    seed = seed_as_integer(seed)
    rng = np.random.default_rng(seed)
    n_tried, effect = 0, np.nan
    while not abs(effect) >= least_effect:
        if n_tried == _MOST_TRIES:
            raise ArgumentError(f"least_effect={least_effect}: no sample of {n_tried:,} has it")
        n_tried += 1
        to_a, to_b = draw_similarities(1, n_words, n_attributes, sd, rng)[:, 0]
        s = association(to_a, to_b)
        effect = float(effect_size(s, half))
    statistics = _all_statistics(s, half)
    return NullSample(
        to_a=to_a,
        to_b=to_b,
        statistic=float(test_statistic(s, half)),
        effect_size=effect,
        partition_statistics=statistics,
        partition_effect_sizes=statistics / half / s.std(ddof=1),
        permutation=permutation_test(s, half, alternative="two-sided"),
        raw_tests={
            name: welch_test(matrix[:half], matrix[half:], prob=prob)
            for name, matrix in (("A", to_a), ("B", to_b))
        },
        sd=sd,
        seed=seed,
        least_effect=least_effect,
        n_tried=n_tried,
    )


def _all_statistics(s: NDArray[np.float64], n_x: int) -> NDArray[np.float64]:
    """Return the statistic of every partition, the one at hand first."""
    chosen = np.array(list(combinations(range(len(s)), n_x)))
    return np.asarray(2 * s[chosen].sum(axis=1) - s.sum())
