"""How many questions of a file are answered correctly, with and without the inputs as answers."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.analogies.batch import answers
from bayesbias.analogies.positions import ROLES, SETTINGS, allowed
from bayesbias.analogies.question_files import Questions, checked, read_questions
from bayesbias.analogies.scoring import DELTA, EPSILON, formulas, need_direction
from bayesbias.analogies.vocabulary import SAME_DIRECTION, Vocabulary, vocabulary
from bayesbias.errors import DataWarning, QuestionsError
from bayesbias.support.arrays import Array, Index
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest, Mark, Row, plot_forests
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Column, Columns, Table
from bayesbias.support.types import Figure, KeyedVectors
from bayesbias.vectors.lookup import find_words

_MANY: Final = 0.5  # share of skipped questions that deserves a warning
_ABSENT: Final = "is not in the vectors"
_ANSWERED: Final = {role: f"answered_{role}" for role in ROLES}


@dataclass(frozen=True, eq=False, repr=False)
class Accuracy(Result):
    """Accuracy on analogy questions.

    Parameters
    ----------
    categories : DataFrame
        One row per category, method and setting: ``n_questions`` asked, ``n_skipped`` (a word is
        no candidate, or a and c are the same), ``n_correct``, ``accuracy`` (missing if none was
        asked), and ``answered_a``, ``answered_b``, ``answered_c``, ``no_answer``: how many answers
        were that input, or none.
    summary : DataFrame
        One row per method and setting: ``macro`` (mean of the categories that could be asked),
        ``micro`` (share of all questions asked), ``n_categories``, ``n_questions``, ``n_skipped``,
        and ``answered_a``, ``answered_b``, ``answered_c`` as shares of the questions asked.
    answers : DataFrame
        One row per question asked, method and setting: ``category``, ``a``, ``b``, ``c``,
        ``expected``, ``answer``, ``correct``, ``input``.
    skipped : DataFrame
        The questions not asked: ``category``, ``a``, ``b``, ``c``, ``expected``, ``reason``.
    n_words : int
        Number of candidates.
    parameters : dict
        The arguments, defaults included.
    """

    _main: ClassVar[str] = "categories"

    categories: pd.DataFrame
    summary: pd.DataFrame
    answers: pd.DataFrame
    skipped: pd.DataFrame
    n_words: int
    parameters: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return accuracies and counts as plain data; single answers stay in `answers`."""
        content = super().to_dict()
        return {name: content[name] for name in content if name not in ("answers", "skipped")}

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw accuracy by category, a panel per method; a line joins the two settings."""
        asked = self.categories[self.categories["n_questions"] > 0]
        forests = []
        for method, part in asked.groupby("method", sort=False):
            by = part.groupby("category", sort=False)
            rows = [_row(str(name), own, "accuracy") for name, own in by]
            whole = self.summary[self.summary["method"] == method]
            macro = _row("macro average", whole, "macro", strong=True)
            axis = "share answered correctly"
            forests.append(Forest(str(method), "", axis, (*rows, macro), (-0.03, 1.03)))
        return plot_forests([forests], width=2.4 + 2.4 * len(forests), **place)

    @property
    def blocks(self) -> Blocks:
        """Accuracies by category, both settings side by side, and what was skipped."""
        blocks: list[str | Table] = []
        for method, part in self.categories.groupby("method", sort=False):
            free, bound = (part[part["setting"] == s].set_index("category") for s in SETTINGS)
            shown = bound[["n_questions", "n_skipped"]].reset_index()
            shown["constrained"] = bound["accuracy"].to_numpy()
            shown["unconstrained"] = free["accuracy"].to_numpy()
            asked = free["n_questions"].where(free["n_questions"] > 0)
            for role in ("b", "c"):
                shown[role] = (free[f"answered_{role}"] / asked).to_numpy()
            overall = self.summary[self.summary["method"] == method].set_index("setting")
            free, bound = (overall.loc[setting] for setting in SETTINGS)
            counts = [bound["n_questions"], bound["n_skipped"]]
            repeats = [free[f"answered_{role}"] for role in ("b", "c")]
            for kind, last in (("macro", [np.nan, np.nan]), ("micro", repeats)):
                row = [f"{kind} average", *counts, bound[kind], free[kind], *last]
                shown.loc[len(shown)] = row
            blocks += [f"{method}, {self.n_words:,} words", Table(shown, _COLUMNS), ""]
        return [
            *blocks,
            "= b, = c: share of questions whose unconstrained answer only repeats b or c; skipped "
            "questions have a word that is no candidate, or a and c are the same",
        ]


def _row(name: str, part: pd.DataFrame, column: str, *, strong: bool = False) -> Row:
    """Return a row of the figure: both settings, constrained first."""
    found = part.set_index("setting")[column]
    marks = tuple(Mark(s, found[s], found[s], found[s]) for s in reversed(SETTINGS))
    return Row(name, marks, strong=strong, joined=True)


_COLUMNS: Final[Columns] = [
    "category",
    Column("n_questions", "asked", "count", drop_priority=2),
    Column("n_skipped", "skipped", "count", drop_priority=2),
    Column("constrained", form="distance"),
    Column("unconstrained", form="distance"),
    Column("b", "= b", "distance", drop_priority=1),
    Column("c", "= c", "distance", drop_priority=1),
]


def accuracy(
    vectors: KeyedVectors,
    questions: str | Path | Questions,
    *,
    method: str = "3cosadd",
    delta: float = DELTA,
    epsilon: float = EPSILON,
    restrict_vocab: int | None = None,
    fallbacks: Sequence[str] = (),
    ignore_case: bool = False,
    progress: bool | None = None,
) -> Accuracy:
    """Ask all questions of a file, and count correct answers by category under both settings.

    A question is skipped, and counted as skipped, if one of its four words is not among the
    candidates: it could not be answered, or not without constraint. So is a question whose a and c
    are the same word or, for `bolukbasi`, have the same direction.

    Parameters
    ----------
    questions : path, or mapping from category to questions (a, b, c, d)
        A file in the format of ``questions-words.txt``.
    method, delta, epsilon, restrict_vocab, fallbacks, ignore_case, progress
        As in `solve`; vectors of lower-case text need the fallback "lower".

    Raises
    ------
    QuestionsError
        If the questions are malformed, or none of them can be asked.
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [1, 0, 0], "she": [0, 1, 0], "king": [1, 0, 1],
    ...                      "queen": [0, 1, 1]})
    >>> found = accuracy(kv, {"family": [("he", "king", "she", "queen"), ("he", "x", "she", "y")]})
    >>> found.categories[["setting", "n_questions", "n_skipped", "accuracy"]]
             setting  n_questions  n_skipped  accuracy
    0  unconstrained            1          1       1.0
    1    constrained            1          1       1.0
    """
    asked_by = formulas(method, delta, epsilon)
    by_path = isinstance(questions, str | Path)
    source = str(questions) if by_path else "questions"
    asked = read_questions(questions) if by_path else checked(questions, source)  # type: ignore[arg-type]
    candidates = vocabulary(vectors, restrict_vocab=restrict_vocab, ignore_case=ignore_case)
    table, index = _found(candidates, asked, fallbacks, need_direction(asked_by))
    kept = (table["reason"] == "").to_numpy()
    if not kept.any():
        lacking = table["reason"].str.endswith(_ABSENT).any()
        hint = "; vectors of lower-case text need fallbacks=['lower']" if lacking else ""
        raise QuestionsError(
            f"{source}: none of its questions ({len(table):,}) can be asked, the first since "
            f"{table['reason'].iloc[0]}{hint}"
        )
    if 1 - kept.mean() > _MANY:
        warnings.warn(
            f"{source}: {(~kept).sum():,} of {len(table):,} questions are skipped, since the "
            f"candidates lack a word or a and c are the same; .skipped of the result lists them",
            DataWarning,
            stacklevel=2,
        )
    questions_kept = table.loc[kept, ["category", *ROLES, "expected"]].reset_index(drop=True)
    parts = []
    for one in asked_by:
        found, scores, roles = answers(candidates, index[kept, :3], one, 1, progress=progress)
        for setting in SETTINGS:
            judged = _judged(candidates, found, scores, roles, index[kept, 3], setting)
            parts.append(questions_kept.assign(method=one.name, setting=setting, **judged))
    every = pd.concat(parts, ignore_index=True)
    categories, skipped = _categories(every, table), table[~kept].reset_index(drop=True)
    parameters: dict[str, Any] = {"questions": source, "method": method, "delta": delta}
    parameters |= {"epsilon": epsilon, "restrict_vocab": restrict_vocab}
    parameters |= {"fallbacks": list(fallbacks), "ignore_case": ignore_case}
    size = candidates.size
    return Accuracy(categories, _summary(categories), every, skipped, size, parameters)


def _found(
    candidates: Vocabulary,
    questions: dict[str, list[tuple[str, str, str, str]]],
    fallbacks: Sequence[str],
    needs_direction: bool,
) -> tuple[pd.DataFrame, Index]:
    """Look all questions up; return them, the reason to skip each, and positions of words."""
    rows = [(category, *item) for category, items in questions.items() for item in items]
    table = pd.DataFrame(rows, columns=["category", *ROLES, "expected"])
    distinct = list(dict.fromkeys(word for row in rows for word in row[1:]))
    key_to_index = candidates.vectors.key_to_index
    place: dict[str, int] = {}
    reason: dict[str, str] = {}
    for word, key in find_words(candidates.vectors, distinct, fallbacks=fallbacks).items():
        at = -1 if key is None else key_to_index[key]
        place[word], reason[word] = at, ""
        if at < 0:
            reason[word] = f"{word!r} {_ABSENT}"
        elif at >= candidates.size:
            reason[word] = f"{word!r} is beyond the first {candidates.size:,} words"
        elif not candidates.usable[at]:
            reason[word] = f"the vector of {word!r} is zero or not finite"
    reasons = [next((reason[w] for w in row[1:] if reason[w]), "") for row in rows]
    index = np.array([[place[w] for w in row[1:]] for row in rows], dtype=np.intp)
    for i, (a, _, c, _) in enumerate(index.tolist()):
        if a == c and not reasons[i]:
            reasons[i] = "a and c are the same word"
    if needs_direction:
        ok = np.flatnonzero([r == "" for r in reasons])
        pairs, which = np.unique(index[ok][:, [0, 2]], axis=0, return_inverse=True)
        offset = candidates.units(pairs[:, 0]) - candidates.units(pairs[:, 1])
        same = (np.linalg.norm(offset, axis=1) < SAME_DIRECTION)[which.ravel()]
        for i in ok[same]:
            reasons[i] = "a and c have the same direction"
    table["reason"] = reasons
    return table, index


def _judged(
    candidates: Vocabulary,
    found: Index,
    scores: Array,
    roles: NDArray[np.str_],
    expected: Index,
    setting: str,
) -> dict[str, NDArray[Any]]:
    """Return the first answer of every question under a setting, and whether it is correct."""
    possible = allowed(scores, roles, setting)
    first, some = possible.argmax(axis=1), possible.any(axis=1)
    line = np.arange(len(found))
    answer = found[line, first]
    words = np.array(candidates.words, dtype=object)
    family = candidates.family
    return {
        "answer": np.where(some, words[answer], ""),
        "correct": some & (family[answer] == family[expected]),
        "input": np.where(some, roles[line, first], "").astype(object),
    }


def _categories(every: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Count correct answers, answers that are inputs, and skipped questions."""
    skipped = (table["reason"] != "").groupby(table["category"], sort=False).sum()
    counts = {"n_correct": every["correct"], **{_ANSWERED[r]: every["input"] == r for r in ROLES}}
    counts["no_answer"] = every["answer"] == ""
    keys = ["method", "setting", "category"]
    found = every[keys].assign(n_questions=1, **counts).groupby(keys, sort=False).sum()
    # Categories too of which no question could be asked.
    cells = [(*key, c) for key in found.index.droplevel(2).unique() for c in skipped.index]
    found = found.reindex(cells, fill_value=0).astype(np.int64).reset_index()
    found.insert(4, "n_skipped", found["category"].map(skipped))
    # No question, no accuracy.
    found.insert(6, "accuracy", found["n_correct"] / found["n_questions"].replace(0, np.nan))
    return found[["category", *found.columns.drop("category")]]


def _summary(categories: pd.DataFrame) -> pd.DataFrame:
    """Average over categories, and over questions."""
    by = categories.assign(n_categories=categories["n_questions"] > 0).groupby(
        ["method", "setting"], sort=False
    )
    n = by["n_questions"].sum()
    found = {
        "macro": by["accuracy"].mean(),
        "micro": by["n_correct"].sum() / n,
        "n_categories": by["n_categories"].sum(),
        "n_questions": n,
        "n_skipped": by["n_skipped"].sum(),
        **{name: by[name].sum() / n for name in _ANSWERED.values()},
    }
    return pd.DataFrame(found).reset_index()
