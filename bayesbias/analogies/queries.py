"""One analogy: by each formula, with and without the query's words as answers, and reversed.

Most programs bar the words of the query as answers. Then man : doctor :: woman : ? cannot be
answered by doctor, which may be the nearest word, and what comes next looks like bias. So answers
stand side by side with and without that constraint, as asked and with man and woman exchanged
(Nissim, van Noord and van der Goot 2020). Their Table 3, which asks that analogy in vocabularies
from 10,000 words to 3 million, with δ from 0.8 to 1.2, shows what else an answer depends on.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.analogies.candidates import (
    DELTA,
    EPSILON,
    ROLES,
    SETTINGS,
    Candidates,
    Formula,
    candidates_of,
    check_query,
    formulas,
    ranked,
)
from bayesbias.errors import ArgumentError
from bayesbias.show.result import Blocks, Result, Table
from bayesbias.support.arguments import Array, Index, KeyedVectors, refuse_other, whole_number

_DIRECTIONS: Final = {"asked": [0, 1, 2], "reversed": [2, 1, 0]}
_ANSWERS: Final = [
    *("direction", "setting", "rank", "of", "word", "score", "input", "reported", "reason"),
]


@dataclass(frozen=True, eq=False, repr=False)
class AnalogyResult(Result):
    """Answers to analogies.

    Parameters
    ----------
    headline : str
        What was asked, and the first answer.
    table : DataFrame
        All numbers; the function that returns it names the columns.
    parameters : dict
        The arguments, defaults included, and ``n_words``, the number of candidates.
    shown : Table
        The table as a screen or a page has it.
    """

    headline: str
    table: pd.DataFrame
    parameters: dict[str, Any]
    shown: Table

    @property
    def blocks(self) -> Blocks:
        """The headline and the table."""
        return [self.headline, "", self.shown]

    def to_dict(self) -> dict[str, Any]:
        """Return headline, tables and parameters as plain data; not single questions."""
        content = super().to_dict()
        return {name: content[name] for name in content if name not in ("shown", "questions")}


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
    whole_number(top, "top", "answers", least=1)
    chosen = formulas(method, delta, epsilon)
    candidates = candidates_of(vectors, restrict_vocab)
    index = candidates.positions([a, b, c] if reported is None else [a, b, c, reported])
    directions = "bolukbasi" in chosen
    check_query(candidates, index[0], index[2], directions=directions, inputs=index[:3].tolist())
    cosines = candidates.cosines(index[:3])
    query = [candidates.words[i] for i in index[:3]]
    rows = [
        (*query, name, *row)
        for name, formula in chosen.items()
        for row in _answers(candidates, index, formula, cosines, top)
    ]
    table = pd.DataFrame(rows, columns=[*ROLES, "method", *_ANSWERS]).astype({"rank": "Int64"})
    parameters: dict[str, Any] = {
        **{"method": method, "top": int(top), "reported": reported, "delta": delta},
        **{"epsilon": epsilon, "restrict_vocab": restrict_vocab, "n_words": candidates.size},
    }
    return AnalogyResult(_headline(table), table, parameters, _side_by_side(table, top))


def _answers(
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
            start, n = (direction, setting), len(possible)
            for i in [*range(min(top, n)), *(i for i in place if i >= top)]:
                k = possible[i]
                word, role = candidates.words[order[k]], str(roles[k])
                yield (*start, i + 1, n, word, float(scores[k]), role, i in place, "")
            if len(index) > 3 and not place:
                word, role = candidates.words[index[3]], candidates.roles(index[3:], index[:3])[0]
                reason = _no_rank(candidates, index[3], order)
                yield (*start, None, n, word, np.nan, str(role), True, reason)


def _no_rank(candidates: Candidates, word: np.intp, order: Index) -> str:
    """Say why a reported word is no answer."""
    if word >= candidates.size:
        return f"beyond the first {candidates.size:,} words"
    return "excluded as a word of the query" if word in order else "farther than δ from b"


def _headline(table: pd.DataFrame) -> str:
    """Return the first formula's answers, with and without the constraint."""
    a, b, c, method = table[[*ROLES, "method"]].iloc[0]
    first = table[(table["rank"] == 1) & (table["direction"] == "asked")]
    first = first[first["method"] == method].set_index("setting")
    free, bound = (
        _marked(first["word"][s], first["input"][s]) if s in first.index else "no word"
        for s in SETTINGS
    )
    return (
        f"{method} answers {a} : {b} :: {c} : ? with {free}, and with {bound} if the query's words "
        f"are excluded."
    )


def _side_by_side(table: pd.DataFrame, top: int) -> Table:
    """Return the answers of a formula as rows, both directions and settings as columns."""
    is_listed = table["rank"].le(top).fillna(False).astype(bool)
    texts = [
        f"{_marked(r.word, r.input)} {r.score:.3f}"
        if is_answer
        else r.reason or f"rank {r.rank:,} of {r.of:,}"
        for r, is_answer in zip(table.itertuples(), is_listed, strict=True)
    ]
    turned = table["direction"].map({"asked": "", "reversed": "reversed, "})
    cells = table[["method"]].assign(
        place=table["rank"].where(is_listed, top + 1),  # the reported word stands last
        rank=table["rank"].astype(str).where(is_listed, table["word"]),
        column=turned + table["setting"],
        text=texts,
    )
    columns = cells["column"].unique()
    cells["method"] = pd.Categorical(cells["method"], cells["method"].unique())
    keys = ["method", "place", "rank"]
    wide = cells.pivot_table("text", keys, "column", aggfunc="first", observed=True)
    return Table(wide[columns].fillna("–").reset_index().drop(columns="place"))


def _marked(word: str, role: str) -> str:
    """Return a word as tables have it, with its letter where it is a word of the query."""
    return f"{word} ({role})" if role else word


def vocabulary_grid(
    vectors: KeyedVectors,
    a: str,
    b: str,
    c: str,
    *,
    vocabularies: Sequence[int | None] = (None,),
    deltas: Sequence[float] = (0.8, 0.9, 1.0, 1.1, 1.2),
) -> AnalogyResult:
    """Ask a : b :: c : ? by Bolukbasi's formula for several vocabularies and thresholds δ.

    The formula is cos(a − c, b − d) for words with ‖b − d‖ ≤ δ (Nissim et al. 2020, equation 4 and
    Table 3). Candidates are the first so many words, None for all. Cost: one product with the
    vocabulary, and a sort of its scores for each δ.

    Returns
    -------
    AnalogyResult
        ``table`` has a row per vocabulary, δ and setting: ``n_words``, ``delta``, ``setting``,
        ``word`` (empty if none may answer), ``score``, ``input`` (a, b or c if the word is one of
        them) and ``n_within``, the number of words that may answer: those within δ, in the
        constrained setting without the query's own. It is shown as Table 3: vocabularies down,
        thresholds across.

    Raises
    ------
    ArgumentError, EmbeddingError
        As `analogy`, and if a vocabulary is larger than the vectors'.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [1, 0, 0], "she": [0, 1, 0], "king": [1, 0, 2],
    ...                      "queen": [0, 1, 2]})
    >>> vocabulary_grid(kv, "he", "king", "she", deltas=[0.5, 1.0]).shown.frame
             setting words  δ = 0.5 δ = 1
    0  unconstrained     4  king (b) queen
    1    constrained     4        –  queen
    """
    candidates = candidates_of(vectors)
    for name, values in (("vocabularies", vocabularies), ("deltas", deltas)):
        refuse_other(values, Iterable, name, "a list of numbers")
    sizes = sorted({candidates.size if n is None else int(n) for n in vocabularies})
    if not sizes or not len(deltas):
        raise ArgumentError("vocabularies and deltas need at least one value each")
    if sizes[0] < 1 or sizes[-1] > candidates.size:
        raise ArgumentError(
            f"vocabularies={list(vocabularies)}: the vectors have {candidates.size:,} words; give "
            f"numbers from 1 to that, or None for all"
        )
    chosen = {delta: formulas("bolukbasi", delta)["bolukbasi"] for delta in sorted(set(deltas))}
    index = candidates.positions([a, b, c])
    check_query(candidates, index[0], index[2], directions=True)
    cosines = candidates.cosines(index)
    rows = []
    for delta, formula in chosen.items():
        order, scores = ranked(candidates, index, formula, cosines)
        roles = candidates.roles(order, index)
        for size in sizes:
            for setting in SETTINGS:
                is_free = setting == "unconstrained"
                places = np.flatnonzero((order < size) & (is_free | (roles == "")))
                word, score, role = "", np.nan, ""
                if len(places):
                    k = places[0]
                    word, score, role = candidates.words[order[k]], float(scores[k]), str(roles[k])
                rows.append((size, delta, setting, word, score, role, len(places)))
    columns = ["n_words", "delta", "setting", "word", "score", "input", "n_within"]
    table = pd.DataFrame(rows, columns=columns)
    table = table.sort_values(["n_words", "delta"], kind="stable", ignore_index=True)
    query = [candidates.words[i] for i in index]
    answers = table.loc[table["setting"] == "unconstrained", "word"].nunique()
    headline = (
        f"{query[0]} : {query[1]} :: {query[2]} : ?   {answers} different unconstrained answers by "
        f"vocabulary and δ (bolukbasi)."
    )
    parameters = {"vocabularies": sizes, "deltas": list(chosen), "n_words": candidates.size}
    # As published: vocabularies down and thresholds across, a block per setting.
    cells = [_marked(w, r) or "–" for w, r in zip(table["word"], table["input"], strict=True)]
    keys = ["setting", "n_words"]
    wide = table.assign(cell=cells).pivot_table("cell", keys, "delta", aggfunc="first")
    wide.columns = pd.Index([f"δ = {delta:g}" for delta in wide.columns])
    wide = wide.loc[list(SETTINGS)].reset_index().rename(columns={"n_words": "words"})
    return AnalogyResult(headline, table, parameters, Table(wide))
