"""Many analogies at once, as matrix products."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.analogies.positions import ROLES, SETTINGS, allowed, roles_of, warn_out_of_reach
from bayesbias.analogies.ranking import best_candidates
from bayesbias.analogies.scoring import DELTA, EPSILON, Formula, formulas, need_direction
from bayesbias.analogies.vocabulary import Vocabulary, input_index, refuse_same, vocabulary
from bayesbias.errors import ArgumentError
from bayesbias.support.arrays import Array, Index
from bayesbias.support.types import KeyedVectors


def solve(
    vectors: KeyedVectors,
    queries: Sequence[Sequence[str]],
    *,
    method: str = "3cosadd",
    top: int = 1,
    delta: float = DELTA,
    epsilon: float = EPSILON,
    restrict_vocab: int | None = None,
    fallbacks: Sequence[str] = (),
    ignore_case: bool = False,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Answer many analogies under both settings.

    Parameters
    ----------
    method, delta, epsilon, restrict_vocab, fallbacks, ignore_case
        As in `analogy`.
    top : int
        How many answers a query.
    progress : bool, optional
        Show a bar; by default in a terminal or a notebook.

    Returns
    -------
    DataFrame
        One row per answer: ``query`` (its number, from 0), ``a``, ``b``, ``c``, ``method``,
        ``setting``, ``rank``, ``word``, ``score`` and ``input`` (a, b or c if the answer is one of
        them, else empty). A query has fewer rows where it has fewer answers.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [1, 0, 0], "she": [0, 1, 0], "king": [1, 0, 1],
    ...                      "queen": [0, 1, 1]})
    >>> found = solve(kv, [("he", "king", "she"), ("she", "queen", "he")])
    >>> found[found.setting == "constrained"]["word"].tolist()
    ['queen', 'king']
    """
    asked = formulas(method, delta, epsilon, top)
    for number, query in enumerate(queries):
        if isinstance(query, str) or len(query) != 3:
            raise ArgumentError(f"queries: number {number} is {query!r}; give (a, b, c)")
    candidates = vocabulary(vectors, restrict_vocab=restrict_vocab, ignore_case=ignore_case)
    distinct = list(dict.fromkeys(word for query in queries for word in query))
    place = dict(zip(distinct, input_index(candidates, distinct, fallbacks), strict=True))
    index = np.array([[place[w] for w in q] for q in queries], dtype=np.intp).reshape(-1, 3)
    for a, c in {(a, c) for a, _, c in index.tolist()}:
        refuse_same(candidates, a, c, directions=need_direction(asked))
    warn_out_of_reach(candidates, index.ravel())
    parts = []
    for one in asked:
        found = answers(candidates, index, one, top, progress=progress)
        parts.append(_frame(candidates, index, one.name, top, *found))
    return pd.concat(parts, ignore_index=True)


def answers(
    candidates: Vocabulary, index: Index, formula: Formula, top: int, *, progress: bool | None
) -> tuple[Index, Array, NDArray[np.str_]]:
    """Return candidates, scores and roles, (n_queries, top + inputs), enough for `top` others."""
    if not len(index):
        empty = np.empty((0, top))
        return empty.astype(np.intp), empty, empty.astype("U1")
    # All spellings of all inputs may rank before the last answer that is no input.
    sizes = np.bincount(candidates.family[: candidates.size], minlength=candidates.family.max() + 1)
    inputs = int(sizes[candidates.family[index]].sum(axis=1).max())
    found, scores = best_candidates(candidates, index, formula, top + inputs, progress=progress)
    return found, scores, roles_of(candidates, found, [column[:, None] for column in index.T])


def _frame(
    candidates: Vocabulary,
    index: Index,
    method: str,
    top: int,
    found: Index,
    scores: Array,
    roles: NDArray[np.str_],
) -> pd.DataFrame:
    """Label the answers, both settings below each other, sorted by query."""
    words = np.array(candidates.words, dtype=object)
    parts = []
    for setting in SETTINGS:
        possible = allowed(scores, roles, setting)
        rank = np.cumsum(possible, axis=1)
        at = query, _ = np.nonzero(possible & (rank <= top))
        asked = {role: words[index[query, i]] for i, role in enumerate(ROLES)}
        one = pd.DataFrame({"query": query, **asked, "method": method, "setting": setting})
        one["rank"], one["word"], one["score"] = rank[at], words[found[at]], scores[at]
        parts.append(one.assign(input=roles[at].astype(object)))
    both = pd.concat(parts, ignore_index=True)
    return both.sort_values("query", kind="stable", ignore_index=True)
