"""Worlds without any association, and what WEAT says of them (Bayesian paper, section 4).

Every cosine similarity is drawn from Normal(0, sd), whatever the word and the attribute. Words that
differ in nothing still differ in a sample, and an effect size divides by the spread of the words'
means, which is small too: how large it gets without any association is what these worlds show. The
paper's figure, an |effect size| of 1.267 or more in 38%, is 0.6% here (docs/error-rates.md says
where the difference comes from).
"""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.errors import ArgumentError
from bayesbias.measures.association import association, effect_size, test_statistic
from bayesbias.support.arrays import Array
from bayesbias.support.result import Result, plain
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import Blocks, Column, Columns, Table

_CHUNK: Final = 1 << 21  # similarities drawn at once: 16 MB

EFFECT_SIZES: Final = (0.2, 0.5, 0.8, 1.267)
"""Thresholds of |effect size|: Cohen's small, medium and large, and the paper's sample."""

STATISTICS: Final = (0.1, 0.2, 0.386)
"""Thresholds of |statistic|; the last is the paper's sample, for 8 + 8 words and sd .08."""


@dataclass(frozen=True, repr=False)
class NullWeat(Result):
    """WEAT in many worlds without association; made by `null_weat`, whose arguments it has.

    `effect_size` (with ddof=1) and `statistic` have the shape (n_samples,); half of the `n_words`
    are in X, and A and B have `n_attributes` each.
    """

    effect_size: Array = field(repr=False)
    statistic: Array = field(repr=False)
    n_words: int
    n_attributes: int
    sd: float
    seed: int

    def tail_shares(self) -> pd.DataFrame:
        """Return the share of worlds at least as extreme as `EFFECT_SIZES` and `STATISTICS`.

        Columns ``quantity``, ``at_least`` (of the absolute value), ``n_samples``, ``count``,
        ``share`` and ``standard_error`` (binomial).

        Examples
        --------
        >>> null_weat(n_samples=1000).tail_shares().at_least.tolist()
        [0.2, 0.5, 0.8, 1.267, 0.1, 0.2, 0.386]
        """
        n, rows = len(self.effect_size), []
        for name, thresholds in (("effect_size", EFFECT_SIZES), ("statistic", STATISTICS)):
            for threshold in thresholds:
                count = int(np.sum(np.abs(getattr(self, name)) >= threshold))
                error = np.sqrt(count / n * (1 - count / n) / n)
                rows.append((name, threshold, n, count, count / n, float(error)))
        columns = ["quantity", "at_least", "n_samples", "count", "share", "standard_error"]
        return pd.DataFrame(rows, columns=columns)

    def to_frame(self) -> pd.DataFrame:
        """Return the tail shares."""
        return self.tail_shares()

    def to_dict(self) -> dict[str, Any]:
        """Return settings and tail shares as plain data; the seed makes the arrays again."""
        content = {name: value for name, value in vars(self).items() if np.ndim(value) == 0}
        return plain(
            {"n_samples": len(self.effect_size), **content, "tail_shares": self.tail_shares()}
        )

    @property
    def blocks(self) -> Blocks:
        """The settings and the tail shares."""
        half = self.n_words // 2
        table = self.tail_shares()
        table["quantity"] = table["quantity"].str.replace("_", " ")
        numbers = Column("at_least", form="g"), Column("share", form=".2%")
        columns: Columns = ["quantity", *numbers, Column("standard_error", form=".2%")]
        return [
            f"{len(self.effect_size):,} worlds without association: {half} + {half} words, "
            f"{self.n_attributes} + {self.n_attributes} attributes, sd {self.sd:g}, seed "
            f"{self.seed}. Share with an absolute value of at least:",
            "",
            Table(table, columns),
        ]


def null_weat(
    n_words: int = 16,
    n_attributes: int = 8,
    sd: float = 0.08,
    n_samples: int = 10_000,
    seed: int | np.random.Generator = 1,
) -> NullWeat:
    """Compute WEAT in worlds without association.

    Parameters
    ----------
    n_words : int
        Words of X and Y together, an even number.
    n_attributes : int
        Attributes in A, and in B.
    sd : float
        Standard deviation of a similarity; the paper's .08 is that of neutral words.
    n_samples, seed

    Raises
    ------
    ArgumentError
        If a number is outside its range.

    Notes
    -----
    Draws n_samples · n_words · 2 n_attributes similarities, 16 MB of them at a time. The effect
    size does not depend on `sd`.

    Examples
    --------
    >>> null_weat(n_samples=2000, seed=3).effect_size.shape
    (2000,)
    """
    if n_words < 2 or n_words % 2:
        raise ArgumentError(f"n_words={n_words}: must be an even number of at least 2")
    if n_attributes < 1:
        raise ArgumentError(f"n_attributes={n_attributes}: must be at least 1")
    if not 0 < sd < np.inf:
        raise ArgumentError(f"sd={sd}: must be a positive number")
    if n_samples < 1:
        raise ArgumentError(f"n_samples={n_samples}: must be at least 1")
    seed = seed_as_integer(seed)
    rng = np.random.default_rng(seed)
    effects, statistics = np.empty(n_samples), np.empty(n_samples)
    step = max(1, _CHUNK // (2 * n_words * n_attributes))
    for start in range(0, n_samples, step):
        part = slice(start, min(start + step, n_samples))
        shape = (part.stop - start, 2, n_words, n_attributes)
        s = association(*np.moveaxis(sd * rng.standard_normal(shape), 1, 0))  # to A and to B
        effects[part] = effect_size(s, n_words // 2)
        statistics[part] = test_statistic(s, n_words // 2)
    effects.flags.writeable = statistics.flags.writeable = False
    return NullWeat(effects, statistics, n_words, n_attributes, sd, seed)
