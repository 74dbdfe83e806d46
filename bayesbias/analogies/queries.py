"""One analogy: by each formula, with and without the query's words as answers, and reversed.

Most programs bar the words of the query as answers. Then man : doctor :: woman : ? cannot be
answered by doctor, which may be the nearest word, and what comes next looks like bias. So answers
stand side by side with and without that constraint, as asked and with man and woman exchanged
(Nissim, van Noord and van der Goot 2020).
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.analogies.candidates import (
    ROLES,
    SETTINGS,
    Candidates,
    candidates_of,
    check_query,
    ranked,
)
from bayesbias.analogies.formulas import DELTA, EPSILON, Formula, check_top, formulas
from bayesbias.analogies.result import AnalogyResult, marked
from bayesbias.show.result import Table
from bayesbias.support.arguments import Array, Index, KeyedVectors

_DIRECTIONS: Final = {"asked": [0, 1, 2], "reversed": [2, 1, 0]}
_COLUMNS: Final = [
    *("method", "direction", "setting", "rank", "of", "word", "score", "input", "reported"),
    "reason",
]
_BEYOND_DELTA: Final = "farther than δ from b"


def analogy(
    vectors: KeyedVectors,
    a: str,
    b: str,
    c: str,
    *,
    method: str = "all",
    top: int = 10,
    reported: str | None = None,
    delta: float = DELTA,
    epsilon: float = EPSILON,
    restrict_vocab: int | None = None,
    ignore_case: bool = False,
) -> AnalogyResult:
    """Ask a is to b as c is to what, with and without the query's own words as answers.

    The answer is the word d with the largest score, with vectors of unit length:

    - ``"3cosadd"``: cos(d, c) − cos(d, a) + cos(d, b) (Mikolov et al. 2013);
    - ``"3cosmul"``: cos(d, c) cos(d, b) / (cos(d, a) + ε), cosines shifted to (1 + cos) / 2 (Levy
      and Goldberg 2014);
    - ``"bolukbasi"``: cos(a − c, b − d), for words with ‖b − d‖ ≤ δ (Bolukbasi et al. 2016).

    Compared by Nissim, van Noord and van der Goot (2020), "Fair is better than sensational",
    Computational Linguistics 46, equations 1, 2 and 4.

    Parameters
    ----------
    vectors : KeyedVectors
    a, b, c : str
        Such as man, doctor, woman. a and c must differ.
    method : {"all", "3cosadd", "3cosmul", "bolukbasi"}
    top : int
        How many answers to list.
    reported : str, optional
        A word that somebody reported as the answer, to be ranked.
    delta : float
        Threshold of Bolukbasi's formula: Euclidean distance of the unit vectors of b and d.
    epsilon : float
        What 3cosmul adds to its divisor.
    restrict_vocab : int, optional
        Only the first so many words of the vectors can be answers.
    ignore_case : bool
        Bar, in the constrained setting, spellings of the inputs that differ in case too.

    Returns
    -------
    AnalogyResult
        ``table`` has a row per answer, and one for the reported word if it is not among them:
        ``a``, ``b``, ``c``, ``method``, ``direction`` (asked, or reversed: c : b :: a : ?),
        ``setting`` (unconstrained or constrained), ``rank`` ``of`` so many possible answers,
        ``word``, ``score``, ``input`` (a, b or c of the query as asked, where the word is one of
        them), ``reported``, and ``reason`` where the reported word has no rank.

    Raises
    ------
    ArgumentError
        If a word is not in the vectors, a and c are one word, or an argument is out of range.
    EmbeddingError
        If the vector of a word is zero, or a and c have the same direction (bolukbasi).

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding(
    ...     {"man": [1, 0, 0.2], "woman": [0, 1, 0.2], "doctor": [0.6, 0.5, 1], "nurse": [0, 1, 1]}
    ... )
    >>> answers = analogy(kv, "man", "doctor", "woman", method="3cosadd", top=2).table
    >>> answers.query("direction == 'asked'")[["setting", "rank", "word", "input"]]
             setting  rank   word input
    0  unconstrained     1  nurse
    1  unconstrained     2  woman     c
    2    constrained     1  nurse
    """
    check_top(top)
    chosen = formulas(method, delta, epsilon)
    candidates = candidates_of(vectors, restrict_vocab, ignore_case=ignore_case)
    index = candidates.positions([a, b, c] if reported is None else [a, b, c, reported])
    directions = any(formula.needs_direction for formula in chosen)
    check_query(candidates, index[0], index[2], directions=directions, inputs=index[:3].tolist())
    cosines = candidates.cosines(index[:3])
    rows = [row for form in chosen for row in _rows(candidates, index, form, cosines, top)]
    table = pd.DataFrame(rows, columns=_COLUMNS).astype({"rank": "Int64"})
    query = [candidates.words[i] for i in index[:3]]
    for place, (role, word) in enumerate(zip(ROLES, query, strict=True)):
        table.insert(place, role, word)
    parameters: dict[str, Any] = {
        **{"method": method, "top": int(top), "reported": reported, "delta": delta},
        **{"epsilon": epsilon, "restrict_vocab": restrict_vocab, "ignore_case": ignore_case},
        "n_words": candidates.size,
    }
    return AnalogyResult(_headline(query, table), table, parameters, _side_by_side(table, int(top)))


def _rows(
    candidates: Candidates, index: Index, formula: Formula, cosines: Array, top: int
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of one formula; `index`: a, b, c and, where there is one, the reported."""
    for direction, turn in _DIRECTIONS.items():
        order, scores = ranked(candidates, index[turn], formula, cosines[turn])
        roles = candidates.roles(order, index[:3])
        for setting in SETTINGS:
            possible = np.arange(len(order))
            if setting == "constrained":
                possible = np.flatnonzero(roles == "")
            place = np.flatnonzero(np.isin(order[possible], index[3:])).tolist()
            listed = [*range(min(top, len(possible))), *(i for i in place if i >= top)]
            start = (formula.method, direction, setting)
            for i in listed:
                word, k = candidates.words[order[possible[i]]], possible[i]
                answer = (word, float(scores[k]), str(roles[k]), i in place, "")
                yield (*start, i + 1, len(possible), *answer)
            if len(index) > 3 and not place:
                reason = _no_rank(candidates, index[3], order)
                word, role = candidates.words[index[3]], candidates.roles(index[3:], index[:3])[0]
                yield (*start, None, len(possible), word, np.nan, str(role), True, reason)


def _no_rank(candidates: Candidates, word: np.intp, order: Index) -> str:
    """Say why a reported word is no answer."""
    if word >= candidates.size:
        return f"beyond the first {candidates.size:,} words"
    return "excluded as a word of the query" if word in order else _BEYOND_DELTA


def _headline(query: list[str], table: pd.DataFrame) -> str:
    """Return the first formula's answers, with and without the constraint."""
    first = table[(table["rank"] == 1) & (table["direction"] == "asked")]
    first = first[first["method"] == table["method"].iloc[0]].set_index("setting")
    free, bound = (
        marked(first["word"][s], first["input"][s]) if s in first.index else "no word"
        for s in SETTINGS
    )
    a, b, c = query
    return (
        f"{table['method'].iloc[0]} answers {a} : {b} :: {c} : ? with {free}, and with {bound} if "
        f"the query's words are excluded."
    )


def _side_by_side(table: pd.DataFrame, top: int) -> Table:
    """Return the answers of a formula as rows, both directions and settings as columns."""
    rows = []
    for method, part in table.groupby("method", sort=False):
        cells: dict[tuple[str, str], dict[str, str]] = {}
        for r in part.itertuples():
            column = r.setting if r.direction == "asked" else f"reversed, {r.setting}"
            text = f"{marked(r.word, r.input)} {r.score:.3f}"
            if r.reported and (pd.isna(r.rank) or r.rank > top):
                text = r.reason or f"rank {r.rank:,} of {r.of:,}"
                cells.setdefault(("reported", r.word), {})[column] = text
            else:
                cells.setdefault((f"{r.rank:03d}", str(r.rank)), {})[column] = text
        for (_, rank), row in sorted(cells.items()):
            rows.append({"method": method, "rank": rank, **row})
    columns = [f"{turned}{setting}" for turned in ("", "reversed, ") for setting in SETTINGS]
    return Table(pd.DataFrame(rows, columns=["method", "rank", *columns]).fillna("–"))
