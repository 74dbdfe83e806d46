"""Bolukbasi et al.'s own form: only a and c are given, and pairs b : d are ranked.

All pairs of the vocabulary are scored in float32, block by block, and the best kept; these are
scored again in float64. Where too few of them stay, the search is made again with ten times more.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.analogies.scoring import DELTA, DELTA_TOLERANCE, check_numbers
from bayesbias.analogies.vocabulary import (
    SAME_DIRECTION,
    Vocabulary,
    input_index,
    refuse_same,
    vocabulary,
)
from bayesbias.support.arrays import Array, Index
from bayesbias.support.progress import tracked
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Column, Table
from bayesbias.support.types import KeyedVectors

_KEPT: Final = 100_000  # pairs kept for scoring in float64
_ROWS: Final = 1295  # words at a time: 256 MB of numbers of their pairs
_MARGIN: Final = 1e-4  # of float32 products; pairs so near δ are looked at again


@dataclass(frozen=True, eq=False, repr=False)
class PairRanking(Result):
    """Pairs b : d that differ as a and c do.

    `pairs` has ``rank``, ``b``, ``d``, ``score`` (cosine of a − c and b − d), ``distance`` of b and
    d, and ``input``: whether a or c is in the pair. `n_words` is the number of candidates, and
    `n_pairs` that of pairs within δ; `parameters` are the arguments, defaults included.
    """

    _main: ClassVar[str] = "pairs"

    a: str
    c: str
    pairs: pd.DataFrame
    n_words: int
    n_pairs: int
    parameters: dict[str, Any]

    def to_frame(self) -> pd.DataFrame:
        """Return the pairs, with the words of the query."""
        frame = super().to_frame()
        frame.insert(0, "a", self.a)
        frame.insert(1, "c", self.c)
        return frame

    @property
    def blocks(self) -> Blocks:
        """The pairs, to be shown."""
        head = (
            f"{self.a} : {self.c} as b : d   {self.n_words:,} words, {self.n_pairs:,} pairs within "
            f"δ = {self.parameters['delta']:g}"
        )
        if self.pairs.empty:
            return [head, "no pair scores above 0"]
        pairs = self.pairs.assign(
            marked=[f"{r.b}{'*' if r.input else ''}" for r in self.pairs.itertuples()]
        )
        numbers = (
            Column("score", form="distance"),
            Column("distance", form="distance", drop_priority=1),
        )
        table = Table(pairs, [Column("rank", form="count"), Column("marked", "b"), "d", *numbers])
        return [head, table, "* contains a or c"]


def rank_pairs(
    vectors: KeyedVectors,
    a: str,
    c: str,
    *,
    delta: float = DELTA,
    top: int = 20,
    once: bool = True,
    restrict_vocab: int | None = None,
    fallbacks: tuple[str, ...] = (),
    progress: bool | None = None,
) -> PairRanking:
    """Rank all pairs b : d by cos(a − c, b − d), among those within δ of each other.

    Bolukbasi et al. (2016), eq. 1. b is not chosen by hand, but δ and the vocabulary still matter.
    Cost: n_words²·dim operations in float32 (16,510 × 300: two seconds).

    Parameters
    ----------
    a, c : str
        Such as man, woman.
    delta : float
        Largest Euclidean distance of the unit vectors b and d.
    top : int
        How many pairs to list; pairs that score 0 or less are never listed.
    once : bool
        List a word once as b and once as d at most, as Bolukbasi et al.'s code does.
    restrict_vocab, fallbacks, progress
        As in `solve`; Bolukbasi et al. have 50,000 candidates.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [1, 0, 0], "she": [0, 1, 0], "king": [1, 0, 2],
    ...                      "queen": [0, 1, 2]})
    >>> rank_pairs(kv, "he", "she").pairs[["b", "d", "input"]]
          b      d  input
    0  king  queen  False
    """
    check_numbers(top=top, delta=delta)
    candidates = vocabulary(vectors, restrict_vocab=restrict_vocab)
    index = input_index(candidates, [a, c], fallbacks)
    refuse_same(candidates, index[0], index[1])
    x, y = candidates.units(index)
    direction = (x - y) / np.linalg.norm(x - y)
    kept = _KEPT
    while True:
        b, d, n_pairs, complete = _candidate_pairs(candidates, direction, delta, kept, progress)
        b, d, score, distance = _exact(candidates, direction, b, d, delta)
        chosen = _each_once(b, d, top) if once else np.arange(len(b))[:top]
        if complete or len(chosen) == top:
            break
        kept *= 10
    words = np.array(candidates.words, dtype=object)
    pairs = pd.DataFrame(
        {
            "rank": np.arange(1, len(chosen) + 1),
            "b": words[b[chosen]],
            "d": words[d[chosen]],
            "score": score[chosen],
            "distance": distance[chosen],
            "input": np.isin(b[chosen], index) | np.isin(d[chosen], index),
        }
    )
    parameters: dict[str, Any] = {"delta": delta, "top": int(top), "once": once}
    parameters |= {"restrict_vocab": restrict_vocab, "fallbacks": list(fallbacks)}
    a, c = words[index]
    return PairRanking(a, c, pairs, candidates.size, n_pairs, parameters)


def _candidate_pairs(
    candidates: Vocabulary, direction: Array, delta: float, kept: int, progress: bool | None
) -> tuple[Index, Index, int, bool]:
    """Return the best pairs by float32, how many are within δ, and whether none was left out."""
    blocks = list(candidates.chunks(_ROWS))
    # Of unit vectors ‖b − d‖² = 2 − 2 cos, so that within δ is a cosine of at least 1 − δ² / 2.
    nearest = np.float32(1 - delta**2 / 2 - _MARGIN)
    along = np.concatenate([chunk @ direction.astype(np.float32) for _, chunk in blocks])
    along *= candidates.scales
    best: list[NDArray[Any]] = [np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0)]
    n_pairs, complete = 0, True
    every = list(combinations_with_replacement(blocks, 2))
    for (rows_, first), (columns, second) in tracked(every, "Comparing pairs", progress):
        cosines = first @ second.T
        cosines *= candidates.scales[rows_, None]
        cosines *= candidates.scales[columns]
        if rows_ == columns:
            # Every pair once: turned round, it has the same score with the other sign.
            cosines[np.tril_indices(len(cosines))] = -2
        cosines[~candidates.usable[rows_]] = -2
        cosines[:, ~candidates.usable[columns]] = -2
        i, j = np.nonzero(cosines >= nearest)
        near = cosines[i, j]
        n_pairs += int((near >= nearest + _MARGIN).sum())
        i, j = i + rows_.start, j + columns.start
        value = along[i] - along[j]
        value /= np.sqrt(np.maximum(2 - 2 * near, SAME_DIRECTION**2, dtype=np.float32))
        turned = value < 0
        i, j = np.where(turned, j, i), np.where(turned, i, j)
        best = [np.concatenate(pair) for pair in zip(best, (i, j, np.abs(value)), strict=True)]
        if len(best[2]) > kept:
            chosen = np.argpartition(-best[2], kept)[:kept]
            best, complete = [part[chosen] for part in best], False
    return best[0], best[1], n_pairs, complete


def _exact(
    candidates: Vocabulary, direction: Array, b: Index, d: Index, delta: float
) -> tuple[Index, Index, Array, Array]:
    """Score pairs in float64; return those within δ that score above 0, best first."""
    score, distance = np.empty(len(b)), np.empty(len(b))
    for start in range(0, len(b), 4096):
        part = slice(start, start + 4096)
        offset = candidates.units(b[part]) - candidates.units(d[part])
        distance[part] = np.sqrt(np.einsum("ij,ij->i", offset, offset))
        same = distance[part] < SAME_DIRECTION
        score[part] = np.where(same, 0.0, offset @ direction / np.where(same, 1.0, distance[part]))
    good = (distance <= delta + DELTA_TOLERANCE) & (score > 0)
    b, d, score, distance = b[good], d[good], score[good], distance[good]
    order = np.lexsort((d, b, -score))
    return b[order], d[order], score[order], distance[order]


def _each_once(b: Index, d: Index, top: int) -> Index:
    """Go down the list, passing over pairs with a word that already stood on that side."""
    left: set[int] = set()
    right: set[int] = set()
    chosen: list[int] = []
    for i, (x, y) in enumerate(zip(b.tolist(), d.tolist(), strict=True)):
        if len(chosen) < top and x not in left and y not in right:
            left.add(x)
            right.add(y)
            chosen.append(i)
    return np.array(chosen, dtype=np.intp)
