"""Bolukbasi et al.'s own form: only a and c are given, and pairs b : d are ranked.

The score of a pair is cos(a − c, b − d) if ‖b − d‖ ≤ δ (Bolukbasi et al. 2016, equation 1). With
g = (a − c) / ‖a − c‖ and vectors of unit length it is (⟨g, b⟩ − ⟨g, d⟩) / √(2 − 2 cos(b, d)), so
that a block of all pairs is one product. A pair turned round has the same score with the other
sign: each is looked at once.
"""

from itertools import combinations_with_replacement
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.analogies.candidates import (
    DECIMALS,
    DELTA,
    DELTA_TOLERANCE,
    SAME_DIRECTION,
    Candidates,
    candidates_of,
    check_query,
    formulas,
)
from bayesbias.analogies.queries import AnalogyResult
from bayesbias.show.result import Column, Columns, Table
from bayesbias.support.arguments import Array, KeyedVectors, whole_number
from bayesbias.support.machine import tracked

_CAPACITY: Final = 100_000  # best pairs in memory; ten times more where too few of them are listed
_ROWS: Final = 1024  # words of a block: 8 MB for each array of its pairs

_SHOWN: Final[Columns] = [
    Column("rank", form="count"),
    *("b", "d"),
    Column("score", form="distance"),
    Column("distance", form="distance", drop_priority=1),
]


def rank_pairs(
    vectors: KeyedVectors,
    a: str,
    c: str,
    *,
    delta: float = DELTA,
    top: int = 20,
    once: bool = True,
    restrict_vocab: int | None = None,
) -> AnalogyResult:
    """Rank all pairs b : d by cos(a − c, b − d), among those within δ of each other.

    Bolukbasi et al. (2016), "Man is to computer programmer as woman is to homemaker?", equation 1.
    b is not chosen by hand, but δ and the vocabulary still matter. Cost: n_words² · dim operations.

    Parameters
    ----------
    vectors : KeyedVectors
    a, c : str
        Such as man, woman.
    delta : float
        Largest Euclidean distance of the unit vectors b and d.
    top : int
        How many pairs to list; pairs that score 0 or less are never listed.
    once : bool
        List a word once as b and once as d at most, as Bolukbasi et al.'s code does.
    restrict_vocab : int, optional
        As in `analogy`; Bolukbasi et al. have 50,000 candidates.

    Returns
    -------
    AnalogyResult
        ``table`` has ``a``, ``c``, ``rank``, ``b``, ``d``, ``score`` and ``distance`` of b and d.
        `parameters` has ``n_pairs``, the number of pairs within δ.

    Raises
    ------
    ArgumentError, EmbeddingError
        As `analogy`.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [1, 0, 0], "she": [0, 1, 0], "king": [1, 0, 2],
    ...                      "queen": [0, 1, 2]})
    >>> rank_pairs(kv, "he", "she").table[["b", "d"]]
          b      d
    0  king  queen
    """
    whole_number(top, "top", "pairs", least=1)
    formulas("bolukbasi", delta)  # or complains
    candidates = candidates_of(vectors, restrict_vocab)
    index = candidates.positions([a, c])
    check_query(candidates, index[0], index[1], directions=True)
    x, y = candidates.units(index)
    direction = (x - y) / np.linalg.norm(x - y)
    capacity = _CAPACITY
    while True:
        best, n_pairs, complete = _best_pairs(candidates, direction, delta, capacity)
        chosen = _each_once(best, top) if once else best.head(top)
        if complete or len(chosen) == top:
            break
        capacity *= 10
    words = np.array(candidates.words, dtype=object)
    a, c = words[index]
    table = chosen.assign(
        **{"a": a, "c": c, "rank": np.arange(1, len(chosen) + 1)},
        **{end: words[chosen[end]] for end in ("b", "d")},
    )
    columns = ["a", "c", "rank", "b", "d", "score", "distance"]
    table = table[columns].reset_index(drop=True)
    first = "none scores above 0"
    if len(table):
        first = f"{table['b'].iloc[0]} : {table['d'].iloc[0]} comes first"
    headline = (
        f"{a} : {c} as b : d   Of {n_pairs:,} pairs within δ = {delta:g} among "
        f"{candidates.size:,} words {first}."
    )
    parameters: dict[str, Any] = {
        **{"delta": delta, "top": int(top), "once": once, "restrict_vocab": restrict_vocab},
        **{"n_words": candidates.size, "n_pairs": n_pairs},
    }
    return AnalogyResult(headline, table, parameters, Table(table, _SHOWN))


def _best_pairs(
    candidates: Candidates, direction: Array, delta: float, capacity: int
) -> tuple[pd.DataFrame, int, bool]:
    """Return the best pairs, how many are within δ, and whether none was left out."""
    parts = list(candidates.parts(_ROWS))
    along = np.concatenate([candidates.units(part) @ direction for part in parts])
    nearest = 1 - (delta + DELTA_TOLERANCE) ** 2 / 2  # ‖b − d‖² = 2 − 2 cos
    best = pd.DataFrame({name: np.empty(0) for name in ("b", "d", "score", "distance")})
    n_pairs, least, complete = 0, 0.0, True
    blocks = list(combinations_with_replacement(parts, 2))
    for first, second in tracked(blocks, "Comparing pairs", None):
        cosines = candidates.units(first) @ candidates.units(second).T
        usable = candidates.usable[first][:, None] & candidates.usable[second]
        near = usable & (cosines >= nearest)
        i, j = np.nonzero(np.triu(near, 1) if first == second else near)
        n_pairs += len(i)
        distance = np.sqrt(np.maximum(2 - 2 * cosines[i, j], 0.0))
        i, j = i + first.start, j + second.start
        same = distance < SAME_DIRECTION
        value = np.where(same, 0.0, along[i] - along[j]) / np.where(same, 1.0, distance)
        value = np.round(value, DECIMALS)
        turned, better = value < 0, np.abs(value) > least
        block = {"b": np.where(turned, j, i), "d": np.where(turned, i, j), "score": np.abs(value)}
        near_pairs = pd.DataFrame({**block, "distance": distance})[better]
        best = pd.concat([best, near_pairs]) if len(best) else near_pairs
        if len(best) > 2 * capacity:
            best, complete = best.nlargest(capacity, "score"), False
            least = best["score"].min()
    order = np.lexsort((best["d"], best["b"], -best["score"]))
    return best.iloc[order], n_pairs, complete


def _each_once(pairs: pd.DataFrame, top: int) -> pd.DataFrame:
    """Go down the list, passing over pairs with a word that already stood on that side."""
    firsts: set[int] = set()
    seconds: set[int] = set()
    rows: list[int] = []
    for row, (b, d) in enumerate(zip(pairs["b"].tolist(), pairs["d"].tolist(), strict=True)):
        if len(rows) < top and b not in firsts and d not in seconds:
            firsts.add(b)
            seconds.add(d)
            rows.append(row)
    return pairs.iloc[rows]
