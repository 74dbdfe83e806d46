"""What an answer depends on: the embedding, the size of the vocabulary, the threshold.

After Tables 2 and 3 of Nissim, van Noord and van der Goot (2020).
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from bayesbias.analogies.positions import ROLES, SETTINGS, Ranking, rank_all, reported_ranks
from bayesbias.analogies.scoring import DELTA, EPSILON, METHODS, Formula, formulas, need_direction
from bayesbias.analogies.vocabulary import Vocabulary, input_index, refuse_same, vocabulary
from bayesbias.errors import ArgumentError, MissingWordsWarning
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Column, Table
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import find_words


@dataclass(frozen=True, eq=False, repr=False)
class MeanRanks(Result):
    """Ranks of reported answers, averaged over embeddings.

    `queries` has one row per query and setting: ``a``, ``b``, ``c``, ``reported``, ``setting``,
    ``mean_rank`` (missing with a ``reason``), ``n_embeddings`` that it is a mean over, and
    ``answers``, the words with the smallest mean rank in these embeddings; `ranks` one per query,
    embedding and setting: ``rank`` (missing with a ``reason``).
    """

    _main: ClassVar[str] = "queries"

    queries: pd.DataFrame
    ranks: pd.DataFrame
    method: str

    @property
    def blocks(self) -> Blocks:
        """The mean ranks of both settings, as in Table 2, and the answers with the best ones."""
        blocks: list[str | Table] = []
        for setting in SETTINGS:
            part = self.queries[self.queries["setting"] == setting]
            part = part.assign(
                analogy=[f"{r.a} : {r.b} :: {r.c} : ?" for r in part.itertuples()],
                answers=[", ".join(r.answers) or r.reason for r in part.itertuples()],
            )
            numbers = Column("mean_rank", form="number"), Column("n_embeddings", "over", "count")
            table = Table(part, ["analogy", "reported", "answers", *numbers])
            blocks += [f"{self.method}, {setting}:", table, ""]
        return blocks[:-1]


def mean_rank(
    embeddings: "Mapping[str, KeyedVectors]",
    queries: Sequence[Sequence[str]],
    *,
    method: str = "3cosadd",
    top: int = 5,
    delta: float = DELTA,
    epsilon: float = EPSILON,
    restrict_vocab: int | None = None,
    fallbacks: Sequence[str] = (),
) -> MeanRanks:
    """Average the rank of reported answers over embeddings, such as seeds of one corpus.

    The `top` answers beside them are the words with the smallest mean rank among those that all
    embeddings of the query have. Options are those of `analogy`. Cost: a sort of each vocabulary
    per query.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every function of the package, but a word that an embedding lacks is a
        MissingWordsWarning; the mean is then over the others.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> one = load_embedding({"he": [1, 0, 0], "she": [0, 1, 0], "king": [1, 0, 1],
    ...                       "queen": [0, 1, 1], "lady": [0, 2, 1]})
    >>> found = mean_rank({"one": one}, [("he", "king", "she", "queen")])
    >>> found.queries["mean_rank"].tolist(), found.queries["answers"].iloc[0][:3]
    ([2.0, 2.0], ('lady', 'queen', 'she'))
    """
    formula, *more = formulas(method, delta, epsilon, top)
    if more:
        raise ArgumentError(f"method={method!r}: mean_rank takes one of {', '.join(METHODS)}")
    if not embeddings:
        raise ArgumentError("mean_rank needs at least one embedding")
    for number, query in enumerate(queries):
        if isinstance(query, str) or len(query) != 4:
            raise ArgumentError(f"queries: number {number} is {query!r}; give (a, b, c, reported)")
    prepared = {
        name: vocabulary(kv, restrict_vocab=restrict_vocab) for name, kv in embeddings.items()
    }
    summaries: list[dict[str, Any]] = []
    singles: list[dict[str, Any]] = []
    for query in queries:
        asked = dict(zip((*ROLES, "reported"), query, strict=True))
        found = {
            name: _ranked(candidates, query, formula, fallbacks)
            for name, candidates in prepared.items()
        }
        rankings = {name: one for name, (one, _) in found.items() if one is not None}
        ranked = [{"embedding": name, **row} for name, (_, rows) in found.items() for row in rows]
        singles += [{**asked, **row} for row in ranked]
        for setting in SETTINGS:
            these = [r["rank"] for r in ranked if r["setting"] == setting and r["rank"] is not None]
            summary = {
                "setting": setting,
                "mean_rank": float(np.mean(these)) if these else np.nan,
                "n_embeddings": len(these),
                "answers": _mean_top(prepared, rankings, setting, top),
                "reason": "" if these else "no embedding ranks it; see ranks",
            }
            summaries.append({**asked, **summary})
    table = pd.DataFrame(singles).astype({"rank": "Int64"})
    missing = table[table["reason"].str.startswith("not in") & (table["setting"] == SETTINGS[0])]
    if len(missing):
        warnings.warn(
            f"{len(missing)} of {len(queries) * len(prepared)} rankings lack a word and are left "
            f"out, such as {missing['embedding'].iloc[0]}: {missing['reason'].iloc[0]}; .ranks of "
            f"the result lists all",
            MissingWordsWarning,
            stacklevel=2,
        )
    return MeanRanks(pd.DataFrame(summaries), table, method)


def _ranked(
    candidates: Vocabulary, query: Sequence[str], formula: Formula, fallbacks: Sequence[str]
) -> tuple[Ranking | None, list[dict[str, Any]]]:
    """Rank one embedding's words for a query, and the reported one under both settings."""
    keys = find_words(candidates.vectors, query, fallbacks=fallbacks)
    if lacking := [word for word, key in keys.items() if key is None]:
        reason = f"not in the vectors: {', '.join(lacking)}"
        return None, [{"setting": s, "rank": None, "reason": reason} for s in SETTINGS]
    index = input_index(candidates, list(query), fallbacks)
    refuse_same(candidates, index[0], index[2], directions=need_direction([formula]))
    cosines = candidates.cosines(index[:3])
    ranking = rank_all(candidates, index[:3], formula, cosines)
    found = reported_ranks(candidates, ranking, index[3])
    return ranking, [{"setting": s, "rank": r, "reason": why} for s, r, _, why in found]


def _mean_top(
    prepared: dict[str, Vocabulary], rankings: dict[str, Ranking], setting: str, top: int
) -> tuple[str, ...]:
    """Return the words with the smallest mean rank, among those that every embedding ranks."""
    columns = []
    for name, ranking in rankings.items():
        words = prepared[name].words
        named = [words[i] for i in ranking.order[ranking.answers(setting)]]
        columns.append(pd.Series(np.arange(1, len(named) + 1), index=named, name=name))
    if not columns:
        return ()
    both = pd.concat(columns, axis=1, join="inner").mean(axis=1)
    return tuple(both.sort_values(kind="stable").index[:top])


@dataclass(frozen=True, eq=False, repr=False)
class VocabularyGrid(Result):
    """The answer of Bolukbasi's formula by size of the vocabulary and threshold.

    `cells` has one row per vocabulary, δ and setting: ``n_words``, ``delta``, ``setting``, ``word``
    (empty if none may answer), ``score``, ``input`` (a, b or c if the word is one of them) and
    ``n_within``, the number of words that may answer: those within δ, in the constrained setting
    without the query's own.
    """

    a: str
    b: str
    c: str
    cells: pd.DataFrame

    _main: ClassVar[str] = "cells"

    def table(self, setting: str = "unconstrained") -> pd.DataFrame:
        """Return the answers as Table 3 has them: vocabularies down, thresholds across."""
        part = self.cells[self.cells["setting"] == setting]
        mark = np.where(part["input"] == "", "", "*")
        part = part.assign(word=part["word"].where(part["word"] != "", "–") + mark)
        return part.pivot_table(index="n_words", columns="delta", values="word", aggfunc="first")

    @property
    def blocks(self) -> Blocks:
        """Both settings, one below the other."""
        head = f"{self.a} : {self.b} :: {self.c} : ?, bolukbasi, by vocabulary and δ"
        blocks: list[str | Table] = [head]
        for setting in SETTINGS:
            table = self.table(setting).reset_index()
            table.columns = pd.Index(["words", *(f"δ = {d:g}" for d in table.columns[1:])])
            blocks += ["", f"{setting}:", Table(table)]
        return [*blocks, "", "* a word of the query; – no word may answer"]


def vocabulary_grid(
    vectors: KeyedVectors,
    a: str,
    b: str,
    c: str,
    *,
    vocabularies: Sequence[int | None] = (None,),
    deltas: Sequence[float] = (0.8, 0.9, 1.0, 1.1, 1.2),
    fallbacks: Sequence[str] = (),
) -> VocabularyGrid:
    """Ask a : b :: c : ? by Bolukbasi's formula for several vocabularies and thresholds δ.

    Candidates are the first so many words, None for all. Cost: one product with the vocabulary, and
    one pass over the scores per cell.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every function of the package, and if a vocabulary is larger than the vectors'.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [1, 0, 0], "she": [0, 1, 0], "king": [1, 0, 2],
    ...                      "queen": [0, 1, 2]})
    >>> vocabulary_grid(kv, "he", "king", "she", deltas=[0.5, 1.0]).table()
    delta      0.5    1.0
    n_words
    4        king*  queen
    """
    whole = vocabulary(vectors)
    sizes = sorted({whole.size if n is None else int(n) for n in vocabularies})
    if not sizes or not len(deltas):
        raise ArgumentError("vocabularies and deltas need at least one value each")
    asked = [one for delta in sorted(set(deltas)) for one in formulas("bolukbasi", delta, EPSILON)]
    if sizes[0] < 1 or sizes[-1] > whole.size:
        raise ArgumentError(
            f"vocabularies={list(vocabularies)}: the vectors have {whole.size:,} words; give "
            f"numbers from 1 to that, or None for all"
        )
    index = input_index(whole, [a, b, c], fallbacks)
    refuse_same(whole, index[0], index[2])
    cosines = whole.cosines(index)
    rows = []
    for formula in asked:
        ranking = rank_all(whole, index, formula, cosines)
        for size in sizes:
            for setting in SETTINGS:
                possible = ranking.answers(setting)
                inside = possible[ranking.order[possible] < size]
                answer: tuple[str, float, str] = ("", np.nan, "")
                if len(inside):
                    i = inside[0]
                    word = whole.words[ranking.order[i]]
                    answer = (word, float(ranking.scores[i]), str(ranking.roles[i]))
                rows.append((size, formula.delta, setting, *answer, len(inside)))
    columns = ["n_words", "delta", "setting", "word", "score", "input", "n_within"]
    cells = pd.DataFrame(rows, columns=columns)
    cells = cells.sort_values(["n_words", "delta"], kind="stable", ignore_index=True)
    a, b, c = (whole.words[i] for i in index)
    return VocabularyGrid(a, b, c, cells)
