"""One analogy in every form: by each formula, with and without its inputs, and reversed.

Most programs bar the words of the query as answers. Then man : doctor :: woman : ? cannot be
answered by doctor, which may be the nearest word, and what comes next looks like bias. So answers
stand side by side with and without that constraint, as asked and with man and woman exchanged
(Nissim, van Noord and van der Goot 2020).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import pandas as pd

from bayesbias.analogies.positions import (
    ROLES,
    SETTINGS,
    Ranking,
    rank_all,
    reported_ranks,
    warn_out_of_reach,
)
from bayesbias.analogies.scoring import DELTA, EPSILON, FORMULAS, formulas, need_direction
from bayesbias.analogies.vocabulary import Vocabulary, input_index, refuse_same, vocabulary
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Table
from bayesbias.support.types import KeyedVectors
from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.analogies", "sentences.jinja")


@dataclass(frozen=True, eq=False, repr=False)
class Analogy(Result):
    """Answers to a : b :: c : ?, and to the reversed c : b :: a : ?.

    Parameters
    ----------
    a, b, c : str
        The words of the query, as the vectors spell them.
    answers : DataFrame
        One row per answer: ``method``, ``direction`` (asked or reversed), ``setting``, ``rank``,
        ``word``, ``score`` and ``input``, which is a, b or c (of the query as asked) where the
        answer is one of its words.
    winners : DataFrame
        One row per method and direction: ``winner`` without constraints and the ``input`` that it
        is, if any; ``first_other``, the best word that is no input, and its ``rank``.
    reported : DataFrame
        Where the reported word stands: ``word``, ``method``, ``direction``, ``setting``, ``rank``
        (missing with a ``reason``) ``of`` so many candidates. Empty if none was given.
    n_words : int
        Number of candidates.
    parameters : dict
        The arguments, defaults included.
    """

    _main: ClassVar[str] = "answers"

    a: str
    b: str
    c: str
    answers: pd.DataFrame
    winners: pd.DataFrame
    reported: pd.DataFrame
    n_words: int
    parameters: dict[str, Any]

    def to_frame(self) -> pd.DataFrame:
        """Return the answers, with the words of the query."""
        frame = super().to_frame()
        for i, role in enumerate(ROLES):
            frame.insert(i, role, getattr(self, role))
        return frame

    @property
    def blocks(self) -> Blocks:
        """The answers, the reversed query beside them."""
        return self.shown()

    def shown(self, settings: Sequence[str] = SETTINGS) -> Blocks:
        """Return the answers to be shown, under one setting or both side by side."""
        blocks: list[str | Table] = [
            f"{self.a} : {self.b} :: {self.c} : ?   (reversed: {self.c} : {self.b} :: {self.a} : "
            f"?)   {self.n_words:,} words"
        ]
        for method in dict.fromkeys(self.answers["method"]):
            blocks += ["", f"{method}: {FORMULAS[method]}", self._table(method, settings)]
            blocks += self._sentences(method)
        return [*blocks, "", "* a word of the query; the constrained setting bars these"]

    def _table(self, method: str, settings: Sequence[str]) -> Table:
        part = self.answers[self.answers["method"] == method]
        columns: dict[str, list[str]] = {}
        for direction in ("asked", "reversed"):
            for setting in settings:
                rows = part[(part["direction"] == direction) & (part["setting"] == setting)]
                cells = [
                    f"{r.word}{'*' if r.input else ''} {r.score:.3f}" for r in rows.itertuples()
                ]
                name = setting if direction == "asked" else f"reversed, {setting}"
                columns[name] = cells or ["(no answer)"]
        n = max(len(cells) for cells in columns.values())
        filled = {name: cells + [""] * (n - len(cells)) for name, cells in columns.items()}
        return Table(pd.DataFrame({"rank": [str(i + 1) for i in range(n)], **filled}))

    def _sentences(self, method: str) -> list[str]:
        winners = self.winners[self.winners["method"] == method]
        lines = [
            tell("winner", r.direction == "reversed", r.winner, r.input, r.first_other, r.rank)
            for r in winners.itertuples()
        ]
        for direction in ("asked", "reversed"):
            here = self.reported
            here = here[(here["method"] == method) & (here["direction"] == direction)]
            if len(here):
                ranks = [
                    (r.setting, f"{r.rank:,}", f"{r.of:,}", r.reason) for r in here.itertuples()
                ]
                lines.append(tell("reported", direction == "reversed", here["word"].iloc[0], ranks))
        return lines


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
    fallbacks: Sequence[str] = (),
    ignore_case: bool = False,
) -> Analogy:
    """Ask a is to b as c is to what, with and without the query's own words as answers.

    Formulas as compared by Nissim, van Noord and van der Goot (2020), Fair is better than
    sensational, Computational Linguistics 46. Cost: three products with the vocabulary in float64,
    and a sort per method and direction.

    Parameters
    ----------
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
    fallbacks : sequence of {"lower", "title", "upper", "underscore"}
        Spellings to try, in this order, where the exact word is absent.
    ignore_case : bool
        Bar, in the constrained setting, spellings of the inputs that differ in case too.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding(
    ...     {"man": [1, 0, 0.2], "woman": [0, 1, 0.2], "doctor": [0.6, 0.5, 1], "nurse": [0, 1, 1]}
    ... )
    >>> found = analogy(kv, "man", "doctor", "woman", method="3cosadd", top=2, reported="nurse")
    >>> found.to_frame().query("direction == 'asked'")[["setting", "rank", "word", "input"]]
             setting  rank   word input
    0  unconstrained     1  nurse
    1  unconstrained     2  woman     c
    2    constrained     1  nurse
    """
    asked = formulas(method, delta, epsilon, top)
    candidates = vocabulary(vectors, restrict_vocab=restrict_vocab, ignore_case=ignore_case)
    words = [a, b, c] if reported is None else [a, b, c, reported]
    index = input_index(candidates, words, fallbacks)
    refuse_same(candidates, index[0], index[2], directions=need_direction(asked))
    warn_out_of_reach(candidates, index[:3])
    cosines = candidates.cosines(index[:3])
    answers: list[tuple[Any, ...]] = []
    winners: list[tuple[Any, ...]] = []
    ranks: list[tuple[Any, ...]] = []
    for formula in asked:
        name = formula.name
        for direction, turn in (("asked", [0, 1, 2]), ("reversed", [2, 1, 0])):
            ranking = rank_all(candidates, index[turn], formula, cosines[turn])
            letters = dict(zip(ROLES, (ROLES[i] for i in turn), strict=True)) | {"": ""}
            for setting in SETTINGS:
                for rank, i in enumerate(ranking.answers(setting)[:top], start=1):
                    word = candidates.words[ranking.order[i]]
                    role = letters[str(ranking.roles[i])]
                    value = float(ranking.scores[i])
                    answers.append((name, direction, setting, rank, word, value, role))
            winners.append((name, direction, *_winner(candidates, ranking, letters)))
            if reported is not None:
                ranks += [
                    (candidates.words[index[3]], name, direction, *row)
                    for row in reported_ranks(candidates, ranking, index[3])
                ]
    parameters: dict[str, Any] = {"method": method, "top": int(top), "reported": reported}
    parameters |= {"delta": delta, "epsilon": epsilon, "restrict_vocab": restrict_vocab}
    parameters |= {"fallbacks": list(fallbacks), "ignore_case": ignore_case}
    start = ["method", "direction"]
    of_answers = [*start, "setting", "rank", "word", "score", "input"]
    of_winners = [*start, "winner", "input", "first_other", "rank"]
    of_reported = ["word", *start, "setting", "rank", "of", "reason"]
    return Analogy(
        a=candidates.words[index[0]],
        b=candidates.words[index[1]],
        c=candidates.words[index[2]],
        answers=pd.DataFrame(answers, columns=of_answers),
        winners=pd.DataFrame(winners, columns=of_winners).astype({"rank": "Int64"}),
        reported=pd.DataFrame(ranks, columns=of_reported).astype({"rank": "Int64"}),
        n_words=candidates.size,
        parameters=parameters,
    )


def _winner(
    candidates: Vocabulary, ranking: Ranking, letters: dict[str, str]
) -> tuple[str, str, str, int | None]:
    """Return the winner, the input that it is, the first other word and its rank."""
    if not len(ranking.order):
        return "", "", "", None
    winner, others = candidates.words[ranking.order[0]], ranking.answers("constrained")
    first, rank = "", None
    if len(others):
        first, rank = candidates.words[ranking.order[others[0]]], int(others[0]) + 1
    return winner, letters[str(ranking.roles[0])], first, rank
